"""A why is asked of a stretch of events: the engines say what completed, a search how far the rest came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.events import END, EventSchema, event_times
from cepheid.expressions import Expression
from cepheid.pattern import nodes as pt
from cepheid.pattern.profile import ALL, without_selection
from cepheid.pattern.query import Strategy
from cepheid.pattern.render import render_expression
from cepheid.plan.header import temporal_unit
from cepheid.plan.profile.parts import TIME_EVENTS
from cepheid.runners.embedded.why.asked import AskedQuery, asked_query
from cepheid.runners.embedded.why.candidate import NONE_YET, Effort, PartialMatch
from cepheid.runners.embedded.why.chosen import Ranking, chosen
from cepheid.runners.embedded.why.found import CompletedMatches, EngineMatches, RowsByVariable, rows_of
from cepheid.runners.embedded.why.furthest import furthest_firsts
from cepheid.runners.embedded.why.silences import BrokenSilences
from cepheid.runners.embedded.why.skipped import passed_over
from cepheid.runners.embedded.why.spoilers import Spoilers
from cepheid.runners.embedded.why.stops import Stop, StopKind, Stops
from cepheid.runners.embedded.why.stretch import EventStretch
from cepheid.runners.embedded.why.told import Teller
from cepheid.runners.embedded.why.values import Instance, truths
from cepheid.runners.embedded.why.walk import Walk, Walked
from cepheid.why import Why

LED_ON = 60  # stops of which it is seen whether their event would have led to a match


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about, and over which columns."""

    text: str
    matching: EngineMatches
    schema: EventSchema
    written: tuple[Expression, ...]  # the conjuncts as the user wrote them
    key_names: Mapping[str, str] = field(default_factory=dict)  # of columns that the user calls otherwise
    event: str | None = None  # the column of whole events as JSON, if there is one
    effort: Effort = field(default_factory=Effort)


def answered(
    question: Question, ordered: pa.Table, around: float | None = None, notes: Sequence[str] = ()
) -> Why:
    """What came how far in these events, which are good and in their order."""
    query = question.matching.query
    plain = replace(query, pattern=without_selection(query.pattern))
    keys = {question.schema.column_of(key) or key: key for key in query.keys}
    named = {column: question.key_names.get(column, key) for column, key in keys.items()}
    asked = asked_query(plain, question.schema, question.written, named)
    table, left_out = _stretch_of(asked, ordered, question.effort, around)
    unit = temporal_unit(plain, question.schema)
    stretch = EventStretch(table, question.schema, unit, tuple(keys))
    return _Answer(question, asked, stretch, around, [*notes, *left_out]).why()


def _stretch_of(
    asked: AskedQuery, ordered: pa.Table, effort: Effort, around: float | None
) -> tuple[pa.Table, list[str]]:
    """The events that are looked at: two windows before and after a moment, or the newest."""
    count, most = ordered.num_rows, effort.events
    begin, end = 0, count
    if around is not None:
        times = event_times(ordered, asked.schema)
        window = asked.windows[0].test if asked.query.window is not None else None
        if window is not None and not window.counts_events:
            reach = 2.0 * float(window.limit)
            begin = int(np.searchsorted(times, around - reach))
            end = int(np.searchsorted(times, around + reach, side="right"))
        middle = int(np.searchsorted(times, around, side="right"))
        begin, end = max(begin, middle - most // 2), min(end, middle + most // 2)
    elif count > most:
        begin = count - most
    if end - begin == count:
        return ordered, []
    why = "around that time" if around is not None else f"the newest; max_events={most:,} is the limit"
    return ordered.slice(begin, end - begin), [f"looked at {end - begin:,} of {count:,} events: {why}"]


@dataclass(slots=True)
class _Answer:
    """Puts together what the engines and the search say."""

    question: Question
    asked: AskedQuery
    stretch: EventStretch
    around: float | None
    notes: list[str]

    def why(self) -> Why:
        matching, walk = self.question.matching, Walk(self.asked, self.stretch, self.question.effort)
        found = matching.matches(self.asked, self.stretch)
        let_out, told = self._let_out(found)
        if walk.has_too_many_firsts:
            most = self.question.effort.candidates
            walk.furthest = furthest_firsts(matching, self.asked, self.stretch, most)
        walked = walk.walked() if self._can_hold() else Walked()
        stops = [*self._stops(walk, walked, found), *self._not_told(found, let_out)]
        ranking = Ranking(self.asked, self.stretch, found.firsts, self.around)
        kept = chosen(self._led_on(walk, sorted(stops, key=ranking.rank)), ranking)
        teller = Teller(self.asked, self.stretch, self.question.event, matching.until)
        self._note_limits(walked, found)
        ends = (0, len(self.stretch) - 1) if len(self.stretch) else ()
        times = [teller.shown_event(row, None).time for row in ends] or [None]
        return Why(
            self.question.text,
            found.count,
            told,
            len(self.stretch),
            times[0],
            times[-1],
            tuple(teller.near_miss(stop, found.firsts) for stop in kept),
            self._steps(walked),
            tuple(self.notes),
        )

    def _let_out(self, found: CompletedMatches) -> tuple[CompletedMatches | None, int | None]:
        """The matches that were let out, if not all were, and how many; None where that takes too long."""
        try:
            let_out = self.question.matching.let_out(self.asked, self.stretch, found.is_all)
        except LimitError:
            self.notes.append("how many of the matches were told was not counted: they are too many")
            return None, None
        return let_out, found.count if let_out is None else let_out.count

    def _can_hold(self) -> bool:
        """Whether the conditions hold that name no variable."""
        for each in self.asked.constants:
            if truths(each.expression, self.stretch, [Instance({}, {})])[0] is not True:
                self.notes.append(f"{render_expression(each.written)} is never true: nothing can match")
                return False
        if any(isinstance(node, TIME_EVENTS) for node in pt.walk(self.asked.query.pattern)):
            self.notes.append(
                "AT, EVERY and SILENCE are passed over by the search: how far the other parts came is told "
                "without them"
            )
        return True

    # -- stops -------------------------------------------------------------------------------------

    def _stops(self, walk: Walk, walked: Walked, found: CompletedMatches) -> Iterable[Stop]:
        stops, spoilers = Stops(walk), Spoilers(walk)
        yield from self._spoiled(spoilers, walked.whole, found)
        if len(self.stretch):
            until = self.question.matching.until
            yield from BrokenSilences(self.asked, self.stretch).stops(
                self.stretch.time[-1].item() if until == END else until
            )
        if self.asked.strategy is not Strategy.ANY:
            yield from passed_over(walk, spoilers, {self._rows(c) for c in walked.whole})
        nearest = self._nearest(walked.stuck, found)
        yield from (stop for each in nearest if (stop := stops.of(each)) is not None)
        if self._can_begin:
            yield from stops.of_beginnings()

    @property
    def _can_begin(self) -> bool:
        return bool(self.asked.remainders[NONE_YET.rest].openings)

    def _led_on(self, walk: Walk, ordered: list[Stop]) -> list[Stop]:
        """The same, those that came furthest with where a match would have been complete."""
        stops, spoilers = Stops(walk), Spoilers(walk)
        return [*(stops.leading_to(stop, spoilers) for stop in ordered[:LED_ON]), *ordered[LED_ON:]]

    def _rows(self, candidate: PartialMatch) -> RowsByVariable:
        return rows_of(self.asked, candidate.bound)

    def _spoiled(
        self, spoilers: Spoilers, whole: Iterable[PartialMatch], found: CompletedMatches
    ) -> Iterable[Stop]:
        """Candidates that an event spoils, or that wait for the end of their window."""
        has_beats = any(isinstance(node, TIME_EVENTS) for node in pt.walk(self.asked.query.pattern))
        may_wait = found.is_all and (has_beats or self.question.matching.until != END)
        for candidate in whole:
            spoiler = spoilers.of(candidate)
            if spoiler is not None:
                yield Stop(candidate, StopKind.ABSENCE, *spoiler)
            elif may_wait and self._rows(candidate) not in found.listed:
                remark = "no AT, EVERY or SILENCE came with it" if has_beats else ""
                yield Stop(candidate, StopKind.WAITING, candidate.state, remark=remark)

    def _nearest(self, stuck: Sequence[PartialMatch], found: CompletedMatches) -> list[PartialMatch]:
        """Of each first event the candidate that lacks least; of equal ones that with most events."""
        remainders = self.asked.remainders
        best: dict[int, tuple[tuple[int, int, int], PartialMatch]] = {}
        for candidate in stuck:
            size = sum(map(len, candidate.bound.values()))
            rank = (remainders[candidate.rest].missing, -size, -candidate.last)
            known = best.get(candidate.first)
            if known is None or rank < known[0]:
                best[candidate.first] = (rank, candidate)
        began, most = found.firsts, self.question.effort.explained
        ordered = sorted(best.values(), key=lambda each: (each[1].first in began, each[0]))
        if len(ordered) > most:
            self.notes.append(f"of {len(ordered):,} first events, {most:,} that came furthest are explained")
        return [candidate for _, candidate in ordered[:most]]

    def _not_told(self, found: CompletedMatches, let_out: CompletedMatches | None) -> Iterable[Stop]:
        """Matches that were not let out, and by what."""
        if let_out is None or not found.is_all or not self.asked.positive:
            return
        holders = self._holders()
        for match in sorted(found.listed - let_out.listed):
            bound = {v: rows for v, rows in zip(self.asked.positive, match, strict=True) if rows}
            rows = sorted(row for some in match for row in some)
            candidate = PartialMatch(bound, 0, None, rows[0], rows[-1])
            says = next(says for says, told in holders if told is None or match in told.listed)
            yield Stop(candidate, StopKind.NOT_TOLD, remark=says)

    def _holders(self) -> list[tuple[str, CompletedMatches | None]]:
        """What may keep a match from being told, each with what would be told without it."""
        matching = self.question.matching
        if matching.terms is None:
            return [("EMIT NON OVERLAPPING lets no match out that overlaps with the one before it", None)]
        once, consume = matching.terms.once, matching.terms.consume
        easier: list[tuple[str, dict[str, Any]]] = [
            (f"once={once} held it back: another was told before it", {"once": None}),
            (f"consume={consume!r} had used up an event of it", {"once": None, "consume": ALL}),
        ]
        found = [
            (says, matching.with_terms(**terms).let_out(self.asked, self.stretch))
            for says, terms in easier
            if matching.terms != replace(matching.terms, **terms)
        ]
        return [*found, (f"select does not choose its events: select {matching.terms.chosen}", None)]

    # -- figures -----------------------------------------------------------------------------------

    def _steps(self, walked: Walked) -> tuple[tuple[str, int], ...]:
        """How many first events came how far, the least far first."""
        total = self.asked.remainders[0].missing
        return tuple(
            (f"{total - missing} of {total} parts", len(walked.reached[missing]))
            for missing in sorted(walked.reached, reverse=True)
        )

    def _note_limits(self, walked: Walked, found: CompletedMatches) -> None:
        effort = self.question.effort
        if walked.left_out or walked.untried:
            self.notes.append(
                f"not all combinations were followed: {effort.candidates:,} partial matches at a time, "
                f"{effort.moves} next events for each; there may be nearer misses"
            )
        aggregation = self.question.matching.query.aggregation
        if aggregation is not None and aggregation.having is not None:
            self.notes.append(
                "matches are those of the pattern: what HAVING lets out of the rows is not looked at"
            )
        if not found.is_all:
            self.notes.append("the matches are counted, and too many to be listed")
