"""What all engines share: arrays that grow, windows, candidates for absence, the order of output."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import pytest

from cepheid.errors import LimitError
from cepheid.matchers import candidates as at
from cepheid.matchers.arrays import Arrays, free_rows
from cepheid.matchers.bindings import Bindings
from cepheid.matchers.candidates import add, drop_old, newest_before
from cepheid.matchers.emit import in_order, output_order
from cepheid.matchers.windows import UNLIMITED, all_within, measured, window_row, within
from cepheid.plan.program import WindowTest


class Held(NamedTuple):
    rows: np.ndarray
    parts: np.ndarray
    ring: np.ndarray


def arrays(max_state: int = 1 << 20) -> Arrays:
    held = Arrays(Held(*(np.zeros((0, 2), np.int64) for _ in range(3))), np.zeros(3, np.int64), max_state)
    held.fresh = {"parts": np.array([-1, 0])}
    return held


def test_rows_stay_as_arrays_grow() -> None:
    held = arrays()
    held.grow(rows=4)
    held.state.rows[:] = 7
    held.grow(rows=9)
    assert held.state.rows.shape == (9, 2)
    assert (held.state.rows[:4] == 7).all() and not held.state.rows[4:].any()


def test_only_rows_that_are_asked_for_are_seen_and_counted() -> None:
    held = arrays()
    for count in (3, 2, 4, 5):
        held.extend(parts=count)
        held.state.parts[:count, 1] += 1
    assert held.state.parts.tolist() == [[-1, 4], [-1, 4], [-1, 3], [-1, 2], [-1, 1]]
    assert held.bytes == held.state.parts.nbytes == 5 * 2 * 8


def test_a_budget_is_kept() -> None:
    held = arrays(max_state=100)
    held.grow(rows=6)
    assert held.peak == 96
    for name in ("parts", "rows"):
        with pytest.raises(LimitError, match="max_state = 100"):
            (held.extend if name == "parts" else held.grow)(**{name: 7})
    assert held.peak == held.bytes == 96


def test_a_ring_begins_with_its_oldest() -> None:
    held = arrays()
    held.grow(ring=3)
    held.state.ring[:, 0] = 3, 1, 2
    held.cursor[0] = 1
    held.grow_ring("ring", 0, 5)
    assert held.state.ring[:, 0].tolist() == [1, 2, 3, 0, 0]
    assert held.cursor[0] == 0


def test_free_rows_are_a_list() -> None:
    links, cursor = np.zeros(5, np.int64), np.array([1, 2])  # rows 1 and 0 are free
    links[[1, 0]] = 0, -1
    free_rows(links, 2, cursor, 0, 1)
    found, row = [], int(cursor[0])
    while row != -1:
        found.append(row)
        row = int(links[row])
    assert found == [2, 3, 4, 1, 0] and cursor[1] == 5


def test_arrays_go_on_from_what_was_saved() -> None:
    held, other = arrays(), arrays()
    held.extend(parts=3)
    held.grow(rows=2)
    held.cursor[:] = 1, 2, 3
    other.restore(held.saved())
    other.extend(parts=4)
    assert other.cursor.tolist() == [1, 2, 3] and other.state.rows.shape == (2, 2)
    assert other.state.parts.tolist() == [[-1, 0]] * 4


WINDOWS = [
    WindowTest(False, 5),
    WindowTest(False, 0),
    WindowTest(True, 5),
    WindowTest(False, 2.5),
    WindowTest(False, 2.5, strict=True),
]


@pytest.mark.parametrize("window", WINDOWS)
def test_a_window_means_the_same_for_numbers_and_for_arrays(window: WindowTest) -> None:
    rng = random.Random(str(window))
    kind, limit = window_row(window)
    real = isinstance(window.limit, float)
    moments = np.array([rng.randrange(12) for _ in range(200)], np.float64 if real else np.int64)
    moments = moments / 2 if real else moments
    earlier, later = moments[:100], moments[100:]
    bits = zip(earlier.view(np.int64), later.view(np.int64), strict=True)
    told = [bool(within(kind, limit, e, w)) for e, w in bits]  # type: ignore[no-untyped-call]
    assert told == all_within(window, earlier, later).tolist()
    assert 0 < sum(told) < 100
    assert measured(kind, 3, 4) == (4 if window.counts_events else 3)  # type: ignore[no-untyped-call]


def test_without_a_window_all_is_inside() -> None:
    assert window_row(None) == (UNLIMITED, 0)
    assert within(UNLIMITED, 0, -(2**62), 2**62)  # type: ignore[no-untyped-call]


def test_candidates_are_found_newest_first_until_they_are_too_old() -> None:
    rows, newest = np.zeros((6, at.WIDTH), np.int64), np.full((2, 1), at.NONE)
    for c, p in enumerate((0, 1, 0, 0, 1, 0)):
        add(rows, newest, c, p, 0)  # type: ignore[no-untyped-call]
        rows[c, [at.EVENT, at.TIME]] = 10 * c

    def back(p: int, end: int) -> list[int]:
        c, found = newest_before(rows, newest[p, 0], end), []  # type: ignore[no-untyped-call]
        while c != at.NONE:
            found.append(int(rows[c, at.EVENT]))
            c = rows[c, at.PREVIOUS]
        return found

    assert (back(0, 50), back(1, 99)) == ([30, 20, 0], [40, 10])
    window = window_row(WindowTest(False, 25))
    assert drop_old(rows, newest, 6, window, 50, np.zeros(2, np.int64)) == 3  # type: ignore[no-untyped-call]
    assert (back(0, 99), back(1, 99)) == ([50, 30], [40])


def test_matches_come_by_completion_and_then_by_their_events() -> None:
    offsets = np.array([[0, 1, 2, 3, 4]])
    first = np.array([4, 2, 9, 1])
    bindings = Bindings(offsets, (first.astype(np.int32),), first, first, np.zeros((4, 2), np.uint64))
    order = output_order(bindings, [np.array([1, 1, 0, 1])], is_sorted=False)
    assert order.tolist() == [2, 3, 1, 0]
    assert in_order(bindings, order).events[0].tolist() == [9, 1, 2, 4]
    assert in_order(bindings, np.arange(4)) is bindings
