"""Several trees run the same events by turns, to see which takes the least processor time.

One that falls far behind is stopped, so a race takes little more than its winners do: a tree that makes very
many composites makes few of them at first, while its window fills.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterator, Sequence

from cepheid.errors import LimitError
from cepheid.events import EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.tree.matcher import TreeMatcher
from cepheid.matchers.tree.stretch import some_events
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.switch import SideWork

_FIRST_PIECE, _LONGER, _LAST_PIECE = 64, 2, 1_024
"""The events of the first piece, how many times as long the next one is, and how long one is at most: a piece
has costs of its own, and a tree may get slow in the middle of one."""
_SHARE = 0.08
"""How much of the time that the best tree is expected to take for all events a race may take."""
_BEHIND, _NOTICED = 2.5, 0.002
"""How many times as long as the best, and how many seconds more, a tree has taken where it is stopped."""
ALIKE = 1.15
"""How many times as long one tree takes as another where both count as alike."""
_PART = 0.1
"""How much of a window is run at least, however far ahead the tree is that is expected to be."""
_MOST_MATCHES, _MOST_STATE = 10_000_000, 128 * 2**20


class Runner:
    """A tree in a race, and the processor time that it has taken."""

    def __init__(self, plan: TreePlan, first: EventBatch) -> None:
        """The first event is not counted: kernels may have to be loaded."""
        self.plan = plan
        self.matcher = TreeMatcher(plan, Allowance(_MOST_MATCHES, _MOST_STATE))
        self.spent = 0.0
        self.runs = True
        self._run(first)
        self.spent = 0.0
        self._before = self._figures()

    def go_on(self, piece: EventBatch) -> None:
        """Run some events, if it is still in the race."""
        if self.runs:
            self._run(piece)

    def _run(self, piece: EventBatch) -> None:
        began = clock.process_time()
        try:
            self.matcher.process(piece)
        except LimitError:
            self.runs = False
        self.spent += clock.process_time() - began

    def _figures(self) -> tuple[int, int]:
        figures = self.matcher.figures
        return figures["pairs_tested"], figures["composites"]

    @property
    def work(self) -> SideWork:
        """What it did in the race."""
        (pairs, composites), before = self._figures(), self._before
        return SideWork(self.plan.shape, pairs - before[0], composites - before[1], self.spent)


def raced(
    plans: Sequence[TreePlan], events: EventBatch, of_all: int, enough: float = math.inf
) -> tuple[list[Runner], int]:
    """The trees, those still in the race first and the fastest of them ahead, and how many events all of them
    ran that came to the end. `of_all` is how many events there are to run after it. The last of the trees is
    the one that would be taken without a race, if `enough` says how many events fill its window."""
    runners = [Runner(plan, some_events(events, 0, 1)) for plan in plans]
    done = 1
    for begin, end in _pieces(events.count):
        if done > 1 and not _is_worth(runners, done, end - begin, of_all):
            break
        piece = some_events(events, begin, end)
        turn = runners if begin % 2 else runners[::-1]
        for each in turn:
            each.go_on(piece)
        done = end
        running = [each for each in runners if each.runs]
        best = min((each.spent for each in running), default=0.0)
        for each in running:
            each.runs = each.spent <= _BEHIND * best + _NOTICED
        if sum(each.runs for each in runners) < 2:
            break
        if _is_as_expected(runners, done, enough):
            break
    return sorted(runners, key=lambda each: (not each.runs, each.spent)), done - 1


def _is_as_expected(runners: list[Runner], done: int, enough: float) -> bool:
    """Whether the last tree will be taken, as expected: it is not behind once its window is full, or ahead
    before. Groups gain as a window fills."""
    times = ALIKE if done > enough else 1 / ALIKE
    others = min(each.spent for each in runners[:-1])
    return done > _PART * enough and runners[-1].spent <= times * others


def _is_worth(runners: list[Runner], done: int, size: int, of_all: int) -> bool:
    """Whether another piece takes little beside all that there is to run."""
    running = [each.spent for each in runners if each.runs]
    taken = sum(each.spent for each in runners)
    return taken + sum(running) * size / done <= _SHARE * min(running) * of_all / done


def _pieces(count: int) -> Iterator[tuple[int, int]]:
    """Where pieces of the events begin and end: short ones first, in which nothing can get out of hand."""
    begin, size = 1, _FIRST_PIECE
    while begin < count:
        end = min(begin + size, count)
        yield begin, end
        begin, size = end, min(_LONGER * size, _LAST_PIECE)
