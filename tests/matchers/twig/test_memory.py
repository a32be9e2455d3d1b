"""What is decided is forgotten: a root with many children keeps no more than one with few."""

from __future__ import annotations

import gc

import pytest

from cepheid.language.twig.parse import parse_twig
from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.siblings import Attempt, Taken
from cepheid.matchers.twig.standing import Child, OpenElement, Standing, TwigRow
from cepheid.matchers.twig.tokens import Names
from cepheid.plan.twig.build import twig_plan
from cepheid.sources.xml import ExpatTokens

KINDS = (Attempt, Child, OpenElement, Standing, Taken, TwigRow)

PATTERNS = [
    "//r(/a->A:/b)",
    "//r(/a->A:/b->B?)",
    "//r((/a->A|/b->B)*)",
    "//r[//a[/c->C]]",
    "//r(/a->A:(/b|/b->B:/z))",
    "//r/a[last()]",
    "//r/a[2]",
    "//r[/z]//z->Z",
    "//r//a[/c][/z]//c",
]


def _kept(pattern: str, records: int) -> int:
    names = Names()
    matcher, tokens = TwigMatcher(twig_plan(parse_twig(pattern)), names), ExpatTokens(names)
    for piece in (b"<r>", *[b"<a i='1'>x<c/></a><b/>"] * records):
        matcher.process(tokens.feed(piece))
    gc.collect()
    return sum(type(thing) in KINDS for thing in gc.get_objects())


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_kept_does_not_grow(pattern: str) -> None:
    assert _kept(pattern, 400) <= _kept(pattern, 20) + 2
