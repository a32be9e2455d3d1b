"""Texts that are not parsed: what they say is what the parser would have said."""

from __future__ import annotations

import random

import pytest

from cepheid.errors import CepheidError
from cepheid.pattern.profile import profile_terms
from cepheid.profiles import profile
from cepheid.query import query

FRAMES = (
    "PATTERN A a WHERE a.x = {n} AND a.s = {s}",
    "PATTERN A a WHERE a.x > -{n} AND a.x < - {n}",
    "PATTERN A a WHERE a.x BETWEEN {n} AND {n} AND a.s LIKE {s}",
    "PATTERN A a WHERE NOT (a.s LIKE {s} OR a.x IN ({n}, -{n})) -- {n} it's",
    "PATTERN A a WHERE a.x * {n} > {n} AND {n} <= a.x AND (a.x) != ({n})",
    "PATTERN A a WHERE a.x > {n}% AND a.d < {n} min",
    "PATTERN SEQ(A a, B b) WHERE a.x = {n} AND b.x > a.x + {n} AND b.`{n}` = {n} WITHIN {n}",
    "PATTERN A+ a[] WHERE a[1].x = {n} AND a[i].x > {n} WITHIN {n} RETURN {n} AS x",
    "PATTERN A{n} a WHERE a.x{n} > {n}",
    "PATTERN A a WHERE a.m > TIMESTAMP '2024-01-0{d}' AND a.m < '2024-01-0{d}'",
    "PATTERN A a WHERE a.x = {n} AND a.flag = TRUE AND regexp_like(a.s, {s})",
    "PATTERN A a WHERE a.x = {n} AND",
    "PATTERN A a WHERE {n}x = a.x",
    "PATTERN A a WHERE b.x = {n}",
)
NUMBERS = (
    "0",
    "5",
    "17",
    "007",
    "1.5",
    ".5",
    "1e5",
    "2E-3",
    "1e999",
    "99999999999999999999",
    "9" * 120,
    "1.",
    "3.25",
)
STRINGS = ("''", "'a'", '"b"', "'it''s'", "'%x_'", "'a\\\\b'", "'('", "'é'", "'--'", "'\ud800'", "'5'")


def _text(r: random.Random, frame: str) -> str:
    pieces = frame.replace("{n}", "\0n").replace("{s}", "\0s").replace("{d}", "\0d").split("\0")
    chosen = {"n": NUMBERS, "s": STRINGS, "d": tuple("123456789")}
    return pieces[0] + "".join(r.choice(chosen[piece[0]]) + piece[1:] for piece in pieces[1:])


def _told(text: str) -> tuple[object, ...]:
    """What the parser says."""
    try:
        parsed = query(text)
        return parsed.tree, profile_terms(parsed.tree, "all", "all", None, "UTC")
    except CepheidError as error:
        return type(error), str(error)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_text_that_is_not_parsed_says_the_same(frame: str) -> None:
    r = random.Random(frame)
    for _ in range(60):
        text = _text(r, frame)
        try:
            made = profile(text)
            found: tuple[object, ...] = (made.template.filled(made.constants), made.terms)
            assert list(map(repr, made.constants)) == list(map(repr, _constants(text)))
            assert (made.query.tree, made.text) == (found[0], text)
        except CepheidError as error:
            found = type(error), str(error)
        assert found == _told(text), text


def _constants(text: str) -> tuple[object, ...]:
    from cepheid.profiles import Profile

    parsed = query(text)
    return Profile(parsed, profile_terms(parsed.tree, "all", "all", None, "UTC")).constants


def test_profiles_of_one_kind_have_one_template() -> None:
    texts = [f"PATTERN A a WHERE a.x = {n} AND a.s LIKE '%{n}%' WITHIN 5" for n in range(5)]
    made = [profile(text) for text in texts]
    assert len({each.template for each in made}) == 1
    assert [each.constants for each in made] == [(n, f"%{n}%") for n in range(5)]
    assert profile(texts[0]).template is not profile(texts[0], once="ever").template
    assert profile(texts[0]).template is not profile(texts[0].replace("WITHIN 5", "WITHIN 6")).template
    assert profile(texts[0]) == made[0] != made[1]


def test_terms_are_told_apart_by_their_types() -> None:
    text = "PATTERN SEQ(A a, B b) WHERE a.x = 5"
    profile(text, select=1)
    with pytest.raises(CepheidError, match="select= cannot be True"):
        profile(text, select=True)
    assert profile(text, select={"a": "last"}).terms.select == (("a", "last"),)
    assert profile(text, select={"a": "first"}).terms.select == (("a", "first"),)
