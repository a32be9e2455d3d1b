"""What the ways up from a node say: whether it is returned, and its match, parent and run.

Ways that hold and ways that may still hold give bounds: the match is the outermost, so its upper bound comes
from those that hold and its lower bound from all; parent and run are the nearest, the other way round. A row
is certain when some way holds and all bounds meet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cepheid.matchers.twig.standing import FAILS, NOT_CHOSEN, UNDECIDED, Child, Standing, TwigRow
from cepheid.matchers.twig.tables import CHILDREN, TwigTables

FAR = 1 << 62

Things = tuple[Standing | Child, ...]


class Prospect(NamedTuple):
    """What is known of some ways: starts of elements, -1 where there is none."""

    is_possible: bool
    is_certain: bool
    match_least: int
    match_most: int
    parent_least: int
    parent_most: int
    run_least: int
    run_most: int
    is_final: bool  # nothing on these ways is undecided
    match_by: Things = ()  # what is undecided on the ways to the outermost match
    parent_by: Things = ()  # … to the nearest parent
    run_by: Things = ()  # … to the nearest run

    @property
    def is_told(self) -> bool:
        """Whether the row is certain, with all of its columns."""
        return (
            self.is_certain
            and self.match_least == self.match_most
            and self.parent_least == self.parent_most
            and self.run_least == self.run_most
        )


NONE = Prospect(False, False, FAR, FAR, -1, -1, -1, -1, True)


def either(ways: Iterable[Prospect]) -> Prospect:
    """What several ways say together."""
    possible = certain = False
    final = True
    match_least = match_most = FAR
    parent_least = parent_most = run_least = run_most = -1
    match_by: Things = ()
    parent_by: Things = ()
    run_by: Things = ()
    for way in ways:
        final = final and way.is_final
        if not way.is_possible:
            continue
        possible = True
        if way.match_least <= match_least:
            match_by = way.match_by if way.match_least < match_least else match_by + way.match_by
            match_least = way.match_least
        if way.parent_most >= parent_most:
            parent_by = way.parent_by if way.parent_most > parent_most else parent_by + way.parent_by
            parent_most = way.parent_most
        if way.run_most >= run_most:
            run_by = way.run_by if way.run_most > run_most else run_by + way.run_by
            run_most = way.run_most
        if way.is_certain:
            certain = True
            match_most = min(match_most, way.match_most)
            parent_least = max(parent_least, way.parent_least)
            run_least = max(run_least, way.run_least)
    return Prospect(
        *(possible, certain, match_least, match_most, parent_least, parent_most),
        *(run_least, run_most, final, match_by, parent_by, run_by),
    )


class Outlook:
    """Looks up from a row through all of its ways, and leaves the row with what it must wait for.

    Nothing is certain before it is certain what the outermost match is: so as long as it is not, it is enough
    to wait for what is undecided on the ways to that one. Likewise for the nearest parent and run.
    """

    def __init__(self, tables: TwigTables, row: TwigRow) -> None:
        self._tables = tables
        self._row = row
        self._seen: dict[Standing, Prospect] = {}
        self._seen_outward: dict[Standing, Prospect] = {}

    def look(self) -> Prospect:
        found = either([self._at(place) for place in self._row.places])
        if found.is_possible and not found.is_told:
            if not found.is_certain or found.match_least != found.match_most:
                self._watch(found.match_by)
            elif found.parent_least != found.parent_most:
                self._watch(found.parent_by)
            else:
                self._watch(found.run_by)
        return found

    def _at(self, standing: Standing) -> Prospect:
        if standing.state == FAILS:
            return NONE
        known = standing.prospect or self._seen.get(standing)
        if known is not None:
            return known
        found = self._above(standing)
        if standing.state == UNDECIDED:
            found = _depending(found, standing)
        elif found.is_final:
            standing.prospect = found
        self._seen[standing] = found
        return found

    def _above(self, standing: Standing) -> Prospect:
        step = standing.step
        if self._tables.automaton[step] >= 0:
            return either([self._as_item(standing, up, child) for up, _, child in standing.holds_in])
        up = standing.up
        assert up is not None
        if up.step == 0:
            return _first(standing)
        return self._through(up) if self._tables.reach[step] == CHILDREN else self._outward(up)

    def _through(self, up: Standing) -> Prospect:
        """The ways by one standing of the step above: it is the parent where that step is marked."""
        found = self._at(up)
        if self._tables.variable[up.step] < 0 or not found.is_possible:
            return found
        return found._replace(parent_least=up.start, parent_most=up.start, parent_by=found.match_by)

    def _outward(self, up: Standing) -> Prospect:
        """The ways by any standing of the step above, from the nearest one outwards."""
        outermost = up.outermost
        if outermost is not None and outermost.state == UNDECIDED and self._tables.above[up.step] == 0:
            by = (outermost,)  # what lies between need not be looked at
            parent = up.start if self._tables.variable[up.step] >= 0 else -1
            return Prospect(True, False, outermost.start, FAR, -1, parent, -1, -1, False, by, by, by)
        chain: list[Standing] = []
        at: Standing | None = up
        found = NONE
        while at is not None:
            known = at.prospect_outward or self._seen_outward.get(at)
            if known is not None:
                found = known
                break
            chain.append(at)
            at = at.outer
        for standing in reversed(chain):
            found = either((self._through(standing), found))
            if found.is_final:
                standing.prospect_outward = found
            self._seen_outward[standing] = found
        return found

    def _as_item(self, standing: Standing, up: Standing, child: Child) -> Prospect:
        """The ways by a child that the item of this step may take."""
        letter = self._tables.letter[standing.step]
        if child.chosen not in (NOT_CHOSEN, letter) or not child.possible >> letter & 1:
            return NONE
        found = _first(standing) if up.step == 0 else self._through(up)
        if not found.is_possible:
            return found
        if child.chosen == NOT_CHOSEN:
            return _depending(
                found._replace(run_least=-1, run_most=child.start, run_by=found.match_by), child
            )
        return found._replace(run_least=child.run, run_most=child.run, run_by=found.match_by)

    def _watch(self, things: Things) -> None:
        for thing in things:
            if thing not in self._row.watched:
                self._row.watched.add(thing)
                thing.waiting[self._row] = None


def _first(standing: Standing) -> Prospect:
    """The way of an element at the first step: it is the match."""
    return Prospect(True, True, standing.start, standing.start, -1, -1, -1, -1, True)


def _depending(found: Prospect, thing: Standing | Child) -> Prospect:
    """The same ways, if all of them need something that is undecided."""
    if not found.is_possible:
        return found
    by = (thing,)
    return found._replace(
        is_certain=False,
        is_final=False,
        match_by=found.match_by + by,
        parent_by=found.parent_by + by,
        run_by=found.run_by + by,
    )
