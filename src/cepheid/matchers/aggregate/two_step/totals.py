"""What matches come to: numbers of each match, put together by row or by group, and shown as columns."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.matchers.aggregate.two_step.events import HeldEvents
from cepheid.matchers.aggregate.two_step.intervals import spread
from cepheid.matchers.aggregate.two_step.lists import Lists
from cepheid.matchers.aggregate.wide import divisors, exact_column, narrowed, ready_to_add
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.rows import from_plain
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.plan import AggregateColumn, TwoStepPlan

LOW_BITS = 32
"""Whole numbers are summed in halves of so many bits, so that int64 holds each half's sum."""

LOW_MASK = (1 << LOW_BITS) - 1

_EXACT = 1 << 53
"""Whole numbers up to this are float64s."""

Totals = dict[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of each match, and how those of several make one; texts are codes, ordered by rank."""

    name: str
    ufunc: np.ufunc
    identity: int | float
    is_text: bool = False

    @property
    def dtype(self) -> type:
        """Of its numbers, as long as int64 holds them."""
        return np.float64 if isinstance(self.identity, float) else np.int64

    @property
    def is_whole_sum(self) -> bool:
        """Whether its numbers may outgrow int64."""
        return self.ufunc is np.add and self.dtype is np.int64


def measures_of(plan: TwoStepPlan) -> tuple[Measure, ...]:
    """What is kept of each match."""
    found = [Measure("count", np.add, 0)]
    for number, value in enumerate(plan.values):
        kind = plan.columns[value.column].type
        real = kind is ValueType.FLOAT
        functions = {item.function for item in plan.items if item.value == number}
        found.append(Measure(f"known_{number}", np.add, 0))
        if functions & {"sum", "avg"}:
            sums = [f"sum_{number}"] if real else [f"high_{number}", f"low_{number}"]
            found += [Measure(name, np.add, 0.0 if real else 0) for name in sums]
        for function, ufunc in (("min", np.minimum), ("max", np.maximum)):
            if function in functions:
                last = np.inf if real else 2**63 - 1
                none = last if function == "min" else (-np.inf if real else -(2**63))
                found.append(Measure(f"{function}_{number}", ufunc, none, kind is ValueType.STRING))
    return tuple(found)


class Tally:
    """Puts the numbers of matches together."""

    def __init__(self, plan: TwoStepPlan, texts: TextCodes) -> None:
        self.plan, self.texts = plan, texts
        self.measures = measures_of(plan)

    def of_matches(self, events: HeldEvents, bound: Sequence[Lists]) -> Totals:
        """The numbers of each match; `bound` has the places of each variable's events."""
        totals: Totals = {"count": np.ones(bound[0].count, np.int64)}
        for measure in self.measures[1:]:
            lists = bound[self.variable_of(measure)]
            values = self.of_event(measure, events, lists.items)
            reduced = lists.reduced(measure.ufunc, values, measure.identity)
            totals[measure.name] = self.as_kept(measure, reduced)
        return totals

    def of_event(self, measure: Measure, events: HeldEvents, places: np.ndarray) -> np.ndarray:
        """What events at the variable of a measure give to it; a text as its place in their order."""
        function, number = measure.name.rsplit("_", 1)
        column = self.plan.values[int(number)].column
        known = events.valid[column][places] != 0
        values = _part(function, events.bits[column][places], measure, known)
        return self._ranked(values, measure, known) if measure.is_text else values

    def variable_of(self, measure: Measure) -> int:
        """Which variable's events a measure is of."""
        return self.plan.values[int(measure.name.rsplit("_", 1)[1])].of_steps.index(True)

    def as_kept(self, measure: Measure, values: np.ndarray) -> np.ndarray:
        """What is kept of values: a text by its code."""
        return self._coded(values, measure) if measure.is_text else values

    def by_row(self, start: np.ndarray, stop: np.ndarray, matches: Totals, rows: int) -> Totals:
        """What the matches that count at each row come to."""
        return {
            measure.name: self._joined(
                measure,
                lambda values, measure=measure: spread(
                    measure.ufunc, measure.identity, start, stop, values, rows
                ),
                matches[measure.name],
            )
            for measure in self.measures
        }

    def nothing(self, size: int) -> Totals:
        """What no matches come to, so many times."""
        return {
            measure.name: np.full(size, -1 if measure.is_text else measure.identity, measure.dtype)
            for measure in self.measures
        }

    def together(self, one: Totals, other: Totals) -> Totals:
        """Two totals as one, place by place."""
        return {
            measure.name: self._joined(measure, measure.ufunc, one[measure.name], other[measure.name])
            for measure in self.measures
        }

    def add(self, totals: Totals, groups: np.ndarray, matches: Totals) -> None:
        """Put matches to the totals of their groups."""
        for measure in self.measures:
            into, values = totals[measure.name], matches[measure.name]
            if measure.is_text:
                into, values = self._ranked(into, measure, None), self._ranked(values, measure, None)
            elif measure.is_whole_sum:
                into, values = ready_to_add(into, values)
            measure.ufunc.at(into, groups, values)
            totals[measure.name] = self._coded(into, measure) if measure.is_text else narrowed(into)
        for number in range(len(self.plan.values)):
            if f"low_{number}" in totals:
                _carry(totals, number)

    def _joined(self, measure: Measure, join: object, *values: np.ndarray) -> np.ndarray:
        assert callable(join)
        if not measure.is_text:
            joined: np.ndarray = join(*(ready_to_add(*values) if measure.is_whole_sum else values))
            return joined
        return self._coded(join(*(self._ranked(codes, measure, None) for codes in values)), measure)

    def _ranked(self, codes: np.ndarray, measure: Measure, known: np.ndarray | None) -> np.ndarray:
        """Codes of texts as places in their order; the code -1 is no text."""
        known = codes >= 0 if known is None else known
        ranks = np.full(codes.size, measure.identity, np.int64)
        ranks[known] = self.texts.tables()[0][codes[known]]
        return ranks

    def _coded(self, ranks: np.ndarray, measure: Measure) -> np.ndarray:
        known = ranks != measure.identity
        codes = np.full(ranks.size, -1, np.int64)
        of_texts = self.texts.tables()[0, : len(self.texts.texts)]
        order = np.argsort(of_texts)
        codes[known] = order[np.searchsorted(of_texts[order], ranks[known])]
        return codes

    def column(self, item: AggregateColumn, totals: Totals) -> pa.Array:
        """A column of the result."""
        if item.value is None:
            return exact_column(totals["count"], item, None)
        counts = totals[f"known_{item.value}"]
        empty = counts == 0
        if item.function in ("min", "max"):
            return self._extreme(item, totals[f"{item.function}_{item.value}"], empty)
        if f"sum_{item.value}" in totals:
            sums = totals[f"sum_{item.value}"]
            return pa.array(sums if item.function == "sum" else sums / divisors(counts, item), mask=empty)
        whole = _whole(totals[f"high_{item.value}"], totals[f"low_{item.value}"])
        if item.function == "sum":
            return exact_column(whole, item, empty)
        return pa.array(_means(whole, counts), mask=empty)

    def _extreme(self, item: AggregateColumn, numbers: np.ndarray, empty: np.ndarray) -> pa.Array:
        assert item.value is not None
        kind = self.plan.columns[self.plan.values[item.value].column].type
        if kind is ValueType.STRING:
            texts = pa.array(self.texts.texts or [""], pa.string())
            return from_plain(texts.take(pa.array(numbers, mask=empty)), item.type, self.plan.unit)
        return from_plain(pa.array(numbers, mask=empty), item.type, self.plan.unit)


def _part(function: str, bits: np.ndarray, measure: Measure, known: np.ndarray) -> np.ndarray:
    """What one event gives to a measure; a null gives nothing."""
    if function == "known":
        return known.astype(np.int64)
    values = bits.view(np.float64) if measure.dtype is np.float64 else bits
    if function == "high":
        values = bits >> LOW_BITS
    elif function == "low":
        values = bits & LOW_MASK
    return np.where(known, values, measure.identity).astype(measure.dtype)


def _carry(totals: Totals, number: int) -> None:
    """What the low halves of sums have grown beyond their bits, to the high ones."""
    low = totals[f"low_{number}"]
    totals[f"high_{number}"] = np.add(*ready_to_add(totals[f"high_{number}"], low >> LOW_BITS))
    totals[f"low_{number}"] = low & LOW_MASK


def _whole(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Whole numbers from their halves: int64 where they all fit, else Python's."""
    high, low = np.add(*ready_to_add(high, low >> LOW_BITS)), low & LOW_MASK
    if high.dtype != object and low.dtype != object and (np.abs(high) < 1 << (62 - LOW_BITS)).all():
        small: np.ndarray = (high << LOW_BITS) + low
        return small
    large: np.ndarray = high.astype(object) * (1 << LOW_BITS) + low.astype(object)
    return large


def _means(numbers: np.ndarray, counts: np.ndarray) -> np.ndarray:
    counts = np.maximum(counts, 1)
    if numbers.dtype != object and counts.dtype != object and (np.abs(numbers) < _EXACT).all():
        means: np.ndarray = numbers / counts
        return means
    exact = zip(numbers.tolist(), counts.tolist(), strict=True)
    return np.array([total / count for total, count in exact], np.float64)
