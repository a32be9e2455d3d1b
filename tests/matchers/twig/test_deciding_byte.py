"""Rows leave with the chunk that has the byte which decides them, wherever the bytes are cut.

Of each row the oracle tells the tag that decides it, from the meaning of the pattern alone. It goes through
the tags from the end of its element on, and asks of each whether any of many ways to go on from there gives
another row; some of these are made so as to change as much as they can. The first tag after which none does
is the one, and the row must come with the chunk that has its last byte. What comes later is counted.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from cepheid.pattern.twig.render import render_twig
from cepheid.plan.twig.build import twig_plan
from cepheid.xml import XmlPattern
from tests.cases.twig import TAGS, TwigCase, continuation, twig_case
from tests.matchers.twig.test_certainty import _keyed, _tags
from tests.oracle.documents import document
from tests.oracle.twig import twig_rows

SEEDS, CONTINUATIONS = range(100), 30

Key = tuple[int, str]


def endings(dice: random.Random, opened: tuple[str, ...]) -> list[bytes]:
    """Ways to go on: at once to the end, with each tag in each open element, and at random."""
    close = [f"</{tag}>" for tag in reversed(opened)]
    ways = ["".join(close)]
    for place in range(len(close)):
        for tag in TAGS:
            for inside in ("", "6", *(f"<{other}>6</{other}>" for other in TAGS)):
                ways.append(
                    "".join(close[:place]) + f"<{tag} i='6' j='x'>{inside}</{tag}>" + "".join(close[place:])
                )
    return [way.encode() for way in ways] + [continuation(dice, opened) for _ in range(CONTINUATIONS)]


def deciding_bytes(case: TwigCase, seed: int) -> dict[Key, int]:
    """How many bytes of a document each row needs."""
    expected, tags = _keyed(twig_rows(case.pattern, document(case.data))), _tags(case.data)
    found: dict[Key, int] = {}
    for place, opened in reversed(tags):
        waiting = [key for key in expected if key not in found and expected[key]["end"] <= place]
        if not waiting:
            continue
        others = [
            _keyed(twig_rows(case.pattern, document(case.data[:place] + end))) for end in _ways(seed, opened)
        ]
        for key in waiting:
            if any(other.get(key) != expected[key] for other in others):
                found[key] = next(after for after, _ in tags if after > place)
    return {key: found.get(key, int(row["end"])) for key, row in expected.items()}


def _ways(seed: int, opened: tuple[str, ...]) -> list[bytes]:
    return endings(random.Random(seed), opened) if opened else []


def arrivals(pattern: XmlPattern, pieces: list[bytes]) -> dict[Key, int]:
    """How many bytes had come when each row left."""
    session, size = pattern.session(), 0
    told: dict[Key, int] = {}
    for piece in pieces:
        size += len(piece)
        rows: list[dict[str, Any]] = session.push(piece).to_pylist()
        told |= dict.fromkeys(_keyed(rows), size)
    assert session.close().num_rows == 0
    return told


@pytest.mark.slow
@pytest.mark.compiled
def test_a_row_leaves_with_the_chunk_that_decides_it() -> None:
    cuts = tried = late = 0
    for seed in SEEDS:
        case, dice = twig_case(seed), random.Random(seed)
        needed = deciding_bytes(case, seed)
        if not needed:
            continue
        places = sorted({0, len(case.data), *dice.choices(range(len(case.data)), k=8)})
        pieces = [case.data[begin:end] for begin, end in pairwise(places)]
        told = arrivals(XmlPattern(twig_plan(case.pattern)), pieces)
        cuts += len(pieces) - 1
        for key, size in needed.items():
            chunk_end = next(place for place in places if place >= size)
            assert told[key] >= chunk_end, f"seed {seed}: {key} too early in {render_twig(case.pattern)}"
            tried, late = tried + 1, late + (told[key] > chunk_end)
    assert cuts > 150 and tried > 40
    assert late <= tried // 100, f"{late} of {tried} rows came later than they could"
