"""Texts of queries that are filled in are those that are rendered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cepheid.pattern.profile import without_selection
from cepheid.pattern.render import render
from cepheid.pattern.written import WrittenQueries
from cepheid.profiles import profile

FRAMES = (
    "PATTERN A a WHERE a.x = {} AND a.y < {} AND a.s LIKE {}",
    "PATTERN A[2] a WHERE NOT (a.x IN ({}, {}) OR a.s = {})",
    "PATTERN SEQ(A a, B b) WHERE a.x BETWEEN {} AND {} AND b.s != {} AND b.x > 8100000000000000000 * a.x",
    "PATTERN A a WHERE a.x = {} AND a.flag = TRUE AND a.y = {} AND a.s = {}",
)
CONSTANTS = (
    ("5", "1.5", "'a'"),
    ("-5", "-1.5", "'it''s'"),
    ("8100000000000000000", "81000000000000.5", "'\x010\x01'"),
    ("0", "0.0", "''"),
)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_filled_text_is_the_rendered_one(frame: str) -> None:
    made = [profile(frame.format(*constants)) for constants in CONSTANTS]
    written = {each.template: WrittenQueries(each.template) for each in made}
    for each in made:
        tree = each.query.tree

        plain = replace(tree, pattern=without_selection(tree.pattern))
        assert written[each.template].texts([each.constants]) == [render(plain)]
