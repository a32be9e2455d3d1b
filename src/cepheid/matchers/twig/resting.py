"""What a matcher knows at a place of a document, if that is no more than where it is and what was met so far.

Two matchers that rest alike go on alike, whatever they have read before. A matcher does not rest while a row
waits, while text is being kept, or while the children of an open element are read by an automaton.
"""

from __future__ import annotations

from typing import Any

from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.matcher import TwigMatcher

Rest = tuple[Any, ...]
BUSY = (at.WAITING_ROWS, at.TEXT_USERS, at.QUEUED)
TOLD = (at.STEP, at.BEGIN, at.LAYER, at.UNMET, at.STATE, at.COUNTED)
DOCUMENT = (at.STEP, at.STATE)
"""What is told of a standing. The document holds from the first, whatever is met in it."""

LISTS = (at.MET, at.TOUCHED, at.STIRRED)


def rest_of(matcher: TwigMatcher) -> Rest | None:
    """What is known, as a value that can be compared; None if the matcher does not rest."""
    m, st = matcher.state, matcher.state.state
    if any(st[place] for place in BUSY) or any(st[place] != at.NONE for place in LISTS):
        return None
    layers = [_layer(matcher, number) for number in range(int(st[at.TOP]) + 1)]
    if None in layers:
        return None
    return tuple(layers), len(m.layers[0])


def _layer(matcher: TwigMatcher, number: int) -> Rest | None:
    layer = matcher.state.layers[number]
    if layer[at.FIRST_KID] != at.NONE or layer[at.TEXT_FROM] != at.NONE:
        return None
    if layer[at.HAS_READERS] or layer[at.IS_RETURNED] or (layer[matcher.lasts_at :] != at.NONE).any():
        return None
    standings, s = [], int(layer[at.OPENED])
    while s != at.NONE:
        record = matcher.state.heap[s : s + at.STANDING_SIZE]
        if record[at.READER] != at.NONE or record[at.KID] != at.NONE or record[at.WAITING] != at.NONE:
            return None
        standings.append(tuple(record[[*(TOLD if number else DOCUMENT)]].tolist()))
        s = int(record[at.NEXT])
    name = matcher.name(int(layer[at.NAME])) if number else ""
    place = layer[[at.START, at.DEPTH]].tolist() if number else []
    return name, *place, tuple(layer[at.LAYER_SIZE :].tolist()), tuple(standings)
