"""Runs of siblings: of all runs the one that begins first, of those the longest, and then anew after it.

No child is read twice. An attempt is the set of all readings that begin at one child. While an earlier one is
open, later ones go on beside it, for the case that it comes to nothing or goes no further. No two attempts
are at the same item: if both were, the earlier would end wherever the later does, and win. So there are never
more threads than items.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from cepheid.matchers.twig.standing import NOBODY, Child, Standing
from cepheid.plan.twig.plan import SiblingFA


class Taken:
    """A child that a reading takes, linked to the one before it: readings share what they agree on."""

    __slots__ = ("before", "child", "item", "place", "uses")

    def __init__(self, child: Child, place: int, item: int, before: Taken | None) -> None:
        self.child = child
        self.place = place  # of the child, among all
        self.item = item
        self.before = before
        self.uses = 0  # how many go on from here
        if before is not None:
            before.uses += 1


class Attempt:
    """The readings that begin at one child: at most one for each item, the preferred first."""

    __slots__ = ("_levels", "_told", "begin", "best", "run", "threads")

    def __init__(self, begin: int, run: int) -> None:
        self.begin = begin
        self.run = run  # where its first child starts
        self.threads: list[Taken] = []  # that may go on
        self.best: Taken | None = None  # the longest that may end, so far
        self._levels: deque[set[Taken]] = deque()  # for each child from `_told` on: how it may be taken
        self._told = begin

    def go_on(self, threads: list[Taken], fa: SiblingFA, covered: int) -> bool:
        """Take one more child; whether a reading may end there. The preferred one of these is kept.

        A thread goes on only where no preferred one does: those items are `covered` by earlier attempts.
        """
        before, self.threads = self.threads, []
        for thread in threads:
            if fa.follow_sets[thread.item] & ~covered:
                covered |= fa.follow_sets[thread.item]
                self.threads.append(thread)
        self._levels.append(set(threads))
        ending = next((thread for thread in threads if fa.accepting[thread.item]), None)
        former = self.best
        self.best = ending or former
        for thread in (*threads, *before):
            self._release(thread)
        if former is not None:
            self._release(former)
        return ending is not None

    def stop(self) -> None:
        """No reading goes on."""
        before, self.threads = self.threads, []
        for thread in before:
            self._release(thread)

    def sure(self) -> Iterator[Taken]:
        """The children that every reading which may win takes in the same way, each told once."""
        best = self.best
        while best is not None and self._told <= best.place and len(self._levels[0]) == 1:
            self._told += 1
            taken = self._levels.popleft().pop()
            taken.before = None
            yield taken

    def _release(self, taken: Taken) -> None:
        """Forget a reading that neither goes on nor may win, as far back as no other shares it."""
        at: Taken | None = taken
        while at is not None and not at.uses and at is not self.best and at not in self.threads:
            level = at.place - self._told
            if level < 0 or at not in self._levels[level]:
                return
            self._levels[level].discard(at)
            at = at.before
            if at is not None:
                at.uses -= 1


class SiblingReader:
    """The SiblingFA over the children of one element."""

    __slots__ = (
        "_attempts",
        "_queue",
        "_read",
        "_relevant",
        "_unplaced",
        "current",
        "fa",
        "has_run",
        "narrowed",
        "owner",
        "place",
    )

    def __init__(self, fa: SiblingFA, owner: Standing, place: int, narrowed: list[Child]) -> None:
        self.fa = fa
        self.owner, self.place = owner, place  # whose test it is, and which
        self._queue: deque[Child] = deque()  # children that some item may take or not
        self._read = 0
        self._attempts: list[Attempt] = []
        self._unplaced: deque[Child] = deque()  # read, but not known to be in a run or in none
        self._relevant = fa.start_set
        self.current: Child | None = None
        self.narrowed = narrowed  # where children go of which more is known
        self.has_run = False

    def add(self, start: int) -> Child:
        """A child begins."""
        self.current = Child(start, (1 << len(self.fa.steps)) - 1)
        self._queue.append(self.current)
        return self.current

    def go_on(self) -> None:
        """Read the children of which all that matters is known."""
        queue = self._queue
        while queue and not queue[0].unknown & self._relevant:
            self._advance(queue.popleft())

    def finish(self) -> None:
        """No child follows."""
        for attempt in self._attempts:
            attempt.stop()
        self._settle()

    def _advance(self, child: Child) -> None:
        self._unplaced.append(child)
        place = self._read
        self._read += 1
        taken = covered = 0
        attempts = self._attempts
        for number, attempt in enumerate(attempts):
            threads = []
            for thread in attempt.threads:
                for item in self.fa.follow[thread.item]:
                    if (child.hits & ~taken) >> item & 1:
                        taken |= 1 << item
                        threads.append(Taken(child, place, item, thread))
            if attempt.go_on(threads, self.fa, covered):
                del attempts[number + 1 :]
                break
            covered |= self._next_items(attempt)
        else:
            items = [item for item in self.fa.start if (child.hits & ~taken) >> item & 1]
            if items:
                taken |= sum(1 << item for item in items)
                attempts.append(Attempt(place, child.start))
                attempts[-1].go_on([Taken(child, place, item, None) for item in items], self.fa, covered)
        child.possible = taken
        self.narrowed.append(child)
        self._settle()

    def _settle(self) -> None:
        """Drop what came to nothing, place the children that are certain, and note which items matter."""
        attempts = self._attempts = [a for a in self._attempts if a.threads or a.best is not None]
        self.has_run = self.has_run or any(attempt.best is not None for attempt in attempts)
        while attempts:
            first = attempts[0]
            self._place_before(first.begin)
            for taken in first.sure():
                self._place(taken.item, first.run)
            if first.threads:
                break
            attempts.pop(0)
        if not attempts:
            self._place_before(self._read)
        self._relevant = self.fa.start_set
        for attempt in attempts:
            self._relevant |= self._next_items(attempt)

    def _next_items(self, attempt: Attempt) -> int:
        items = 0
        for thread in attempt.threads:
            items |= self.fa.follow_sets[thread.item]
        return items

    def _place_before(self, place: int) -> None:
        """Children before this one, and not in a run, are in none."""
        while self._read - len(self._unplaced) < place:
            self._place(NOBODY, -1)

    def _place(self, item: int, run: int) -> None:
        child = self._unplaced.popleft()
        child.chosen, child.run = item, run
        self.narrowed.append(child)
