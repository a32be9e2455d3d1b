"""What is decided is forgotten: a root with many children keeps no more than one with few."""

from __future__ import annotations

import pytest

from cepheid.language.twig.parse import parse_twig
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.plan.twig.build import twig_plan
from cepheid.sources.xml_scan import ScannedDocument

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


def _kept(pattern: str, pieces: list[bytes]) -> int:
    """How many words a matcher has used at most, and how much room it has for texts."""
    matcher = TwigMatcher(twig_plan(parse_twig(pattern)))
    source = ScannedDocument(matcher, 100_000, 1000, {})
    for piece in pieces:
        source.feed(piece)
        matcher.rows()
    state = matcher.state.state
    return int(state[at.USED] + state[at.USED_ROWS]) + len(matcher.state.texts) + len(matcher.state.values)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_kept_does_not_grow(pattern: str) -> None:
    record = b"<a i='%b'>%b<c/></a><b/>" % (b"1" * 400, b"x" * 400)
    few, many = ([b"<r>", *[record] * number] for number in (20, 400))
    assert _kept(pattern, many) <= _kept(pattern, few) + 100


def test_deep_recursion_keeps_what_is_open() -> None:
    """Rows inside of elements that have closed and are decided are told, and leave nothing."""
    deep = b"<a>" * 300 + b"</a>" * 300
    once, often = ([b"<r>", *[deep] * number] for number in (1, 5))
    assert _kept("//a//a//a", often) <= _kept("//a//a//a", once) + 100
