"""Stops in words and values: what users read of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import CepheidError
from cepheid.events import END
from cepheid.matchers.evaluate import evaluate
from cepheid.matchers.loose_columns import value_at
from cepheid.matchers.rows import from_plain
from cepheid.matchers.shown import readable
from cepheid.pattern import nodes as pt
from cepheid.pattern.render import render_expression
from cepheid.plan.coerce import coerce
from cepheid.plan.output import arrow_type
from cepheid.runners.embedded.why.asked import AskedQuery, AskedWindow
from cepheid.runners.embedded.why.candidate import PartialMatch, first_of
from cepheid.runners.embedded.why.stops import Broken, Stop, StopKind
from cepheid.runners.embedded.why.stretch import EventStretch
from cepheid.runners.embedded.why.values import Instance, InstanceRows
from cepheid.why import FailedCondition, NearMiss, WhyEvent

MOST_ATTRIBUTES = 8
LEAVES = (ex.Attribute, ex.Length, ex.Aggregate)


@dataclass(frozen=True)
class Teller:
    """Makes near misses of stops; `event` is the column that holds whole events as JSON, if there is one."""

    asked: AskedQuery
    stretch: EventStretch
    event: str | None = None
    until: float = END  # how far time has come

    def near_miss(self, stop: Stop, began: frozenset[int]) -> NearMiss:
        """What users see of a stop; `began` are the first events of matches."""
        candidate = stop.candidate
        came = len(candidate.bound)
        failed = tuple(self._failed(each, stop) for each in stop.broken)
        return NearMiss(
            self.events_of(candidate),
            came,
            came + (0 if stop.kind is StopKind.NOT_TOLD else self._missing_parts(candidate)),
            stop.kind.value,
            self._says(stop, failed),
            None if stop.variable is None else self._next(stop),
            None if stop.row is None else self.shown_event(stop.row, stop.variable),
            failed,
            candidate.first in began,
            None if stop.leads_to is None else self._time(stop.leads_to),
        )

    def events_of(self, candidate: PartialMatch) -> tuple[WhyEvent, ...]:
        """The events of a candidate, in their order."""
        placed = sorted((row, v) for v, rows in candidate.bound.items() for row in rows)
        return tuple(self.shown_event(row, v) for row, v in placed)

    def _missing_parts(self, candidate: PartialMatch) -> int:
        return self.asked.remainders[candidate.rest].missing

    def _next(self, stop: Stop) -> str:
        assert stop.variable is not None
        return self.asked.label(stop.variable)

    # -- events ------------------------------------------------------------------------------------

    def shown_event(self, row: int, variable: str | None) -> WhyEvent:
        """One event, with what the query names of it, also if that is null."""
        schema, held = self.stretch.schema, self._held(row)
        kind = None if schema.type is None else held.get(schema.type)
        roles = (schema.time, schema.type)
        named = [name for name in self._named(variable) if name not in roles]
        others = [name for name in held if name not in (*named, *roles) and held[name] is not None]
        names = [*named, *others][: max(len(named), MOST_ATTRIBUTES)]
        return WhyEvent(variable, kind, self._time(row), {name: held.get(name) for name in names}, row)

    def _held(self, row: int) -> dict[str, Any]:
        one = self.stretch.table.slice(row, 1)
        if self.event is not None:
            held: dict[str, Any] = json.loads(one.column(self.event)[0].as_py())
            return held
        return {name: readable(one.column(name))[0] for name in one.column_names}

    def _named(self, variable: str | None) -> list[str]:
        """The keys, and the attributes that the query names of a variable."""
        conditions = (*self.asked.conditions, *(c for some in self.asked.of_absent.values() for c in some))
        nodes = [node for each in conditions for node in ex.walk(each.written)]
        own = [node.name for node in nodes if isinstance(node, ex.Attribute) and node.variable == variable]
        for node in nodes:
            if isinstance(node, ex.Aggregate) and node.variable == variable:
                own += [each.name for each in ex.walk(node) if isinstance(each, ex.Element)]
        names = [*self.asked.key_names.values(), *own]
        return list(dict.fromkeys(names if self.event is not None else map(self._column, names)))

    def _column(self, attribute: str) -> str:
        return self.stretch.schema.column_of(attribute) or attribute

    def _time(self, row: int) -> Any:
        return readable(self.stretch.table.column(self.stretch.schema.time).slice(row, 1))[0]

    def moment(self, ticks: float) -> Any:
        """A time in ticks as users know it."""
        kind = self.stretch.schema.type_of(self.stretch.schema.time)
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return ticks
        try:
            number = pa.array([int(ticks)], pa.int32() if pa.types.is_date32(kind) else pa.int64())
        except (OverflowError, pa.ArrowInvalid):
            return "the end of time"  # a window that reaches beyond what the column can hold
        return readable(number.cast(kind))[0]

    # -- what failed -------------------------------------------------------------------------------

    def _failed(self, broken: Broken, stop: Stop) -> FailedCondition:
        if broken.key is not None:
            return self._failed_key(broken.key, stop)
        if broken.window is not None:
            return self._failed_window(broken.window, stop)
        assert broken.condition is not None and broken.instance is not None
        written, instance = broken.condition.written, broken.instance
        leaves = [node for node in ex.walk(written) if isinstance(node, LEAVES)]
        values = {render_expression(node): self._value(node, instance) for node in leaves}
        left = right = None
        if isinstance(written, ex.Comparison):
            sides = (self._value(side, instance) for side in (written.left, written.right))
            left, right = (None if side is ... else side for side in sides)
        return FailedCondition(
            "condition", render_expression(written), broken.is_unknown, left, right, _told_values(values)
        )

    def _failed_key(self, key: str, stop: Stop) -> FailedCondition:
        name, first, row = self.asked.key_names[key], stop.candidate.first, stop.row
        assert row is not None
        theirs = self._held(row).get(name if self.event is not None else key)
        ours = None if first < 0 else self._held(first).get(name if self.event is not None else key)
        return FailedCondition("key", f"[{name}]", theirs is None, ours, theirs)

    def _failed_window(self, window: AskedWindow, stop: Stop) -> FailedCondition:
        earliest = first_of(stop.candidate.bound, window.members)
        assert earliest is not None and stop.row is not None
        if window.test.counts_events:
            length = int(self.stretch.ordinal[stop.row] - self.stretch.ordinal[earliest]) + 1
            return FailedCondition(
                "window", f"WITHIN {window.window}", left=length, right=window.window.length
            )
        last, came = self._deadline(window, earliest), self._time(stop.row)
        return FailedCondition("window", f"WITHIN {window.window}", left=came, right=last)

    def _deadline(self, window: AskedWindow, earliest: int) -> Any:
        """The last time that a window reaches which begins at an event."""
        return self.moment(self.stretch.time[earliest].item() + window.test.limit)

    def _value(self, node: ex.Expression, instance: Instance) -> Any:
        """What a part of a condition is worth; `...` where that cannot be told."""
        if isinstance(node, ex.Literal):
            return node.value if isinstance(node.value, bool | int | float | str | None) else str(node.value)
        if isinstance(node, ex.Attribute):
            row = instance.row(node.variable, node.index)
            return None if row < 0 else self._attribute(row, node)
        if isinstance(node, ex.Length):
            return len(instance.bound.get(node.variable, ()))
        if self.event is not None:
            return ...
        try:
            typed, schema = coerce(node, self.stretch.schema), self.stretch.schema
            found = evaluate(typed, InstanceRows(self.stretch, [instance]))
            return readable(
                from_plain(found, arrow_type(typed, schema, self.stretch.unit), self.stretch.unit)
            )[0]
        except (CepheidError, KeyError, pa.ArrowException):
            return ...

    def _attribute(self, row: int, node: ex.Attribute) -> Any:
        held = self._held(row)
        name = node.name if self.event is not None else self._column(node.name)
        return value_at(held, (name, *node.path))

    # -- words -------------------------------------------------------------------------------------

    def _says(self, stop: Stop, failed: tuple[FailedCondition, ...]) -> str:
        return _WORDS[stop.kind](self, stop, failed)

    def _of_failed(self, stop: Stop, failed: tuple[FailedCondition, ...]) -> str:
        assert stop.row is not None and stop.variable is not None
        if stop.row == stop.candidate.last:
            where = f"complete but for its conditions, at {self.shown_event(stop.row, stop.variable)}"
        else:
            where = f"stopped at {self._next(stop)}: {self.shown_event(stop.row, stop.variable)}"
        led = [] if stop.leads_to is None else [f"but for that, a match at {self._time(stop.leads_to)}"]
        return "; ".join([where, *(_failed_text(each) for each in failed), *led])

    def _of_absence(self, stop: Stop, failed: tuple[FailedCondition, ...]) -> str:
        assert stop.row is not None
        return f"complete, but ~{self._next(stop)} forbids {self.shown_event(stop.row, stop.variable)}"

    def _of_strategy(self, stop: Stop, failed: tuple[FailedCondition, ...]) -> str:
        assert stop.row is not None
        event = self.shown_event(stop.row, stop.variable)
        strategy = self.asked.query.strategy.value
        if stop.remark:
            return (
                f"stopped at {self._next(stop)}: {strategy} allows no other event, and {stop.remark}: {event}"
            )
        return f"complete by skip_till_any_match, but {strategy} does not pass over {event}"

    def _of_nothing(self, stop: Stop, failed: tuple[FailedCondition, ...]) -> str:
        assert stop.variable is not None
        label, kind = self._next(stop), self.asked.type_of(stop.variable)
        what = "event" if kind is None else f"event of type {kind}"
        if stop.candidate.state is None:
            return f"there is no {what} for {label}"
        return f"waits for {label}: no {what} came after it{self._window_end(stop)}"

    def _window_end(self, stop: Stop) -> str:
        """When the window that a candidate waits in closes, or closed."""
        for window in self.asked.windows:
            earliest = first_of(stop.candidate.bound, window.members)
            if stop.variable in window.members and earliest is not None and not window.test.counts_events:
                now = self.stretch.time[-1] if self.until == END else self.until
                is_open = self.stretch.time[earliest].item() + window.test.limit >= now
                last = self._deadline(window, earliest)
                return f"; its window is open until {last}" if is_open else f"; its window closed at {last}"
        return ""

    def _of_silence(self, stop: Stop, failed: tuple[FailedCondition, ...]) -> str:
        node = self.asked.atoms[stop.variable or ""]
        assert isinstance(node, pt.Silence)
        since = self._time(stop.candidate.first)
        if stop.row is None:
            return f"silent since {since}, which is not yet {node.duration}"
        return (
            f"silent from {since}, but not for {node.duration}: {self.shown_event(stop.row, stop.variable)}"
        )

    def _of_waiting(self, stop: Stop, failed: tuple[FailedCondition, ...]) -> str:
        if stop.remark:
            return f"it has its events, but {stop.remark}"
        return f"complete, and a match unless something forbidden comes{self._window_end(stop)}"

    def _of_not_told(self, stop: Stop, failed: tuple[FailedCondition, ...]) -> str:
        return f"a match, but {stop.remark}"


def _told_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not ...}


def _failed_text(failed: FailedCondition) -> str:
    if failed.kind == "key":
        if failed.is_null:
            return f"{failed.text}: it has none, and an event without it is never selected"
        return f"{failed.text} differs: {_shown(failed.left)} before, {_shown(failed.right)} here"
    if failed.kind == "window":
        is_count = isinstance(failed.right, int) and "EVENTS" in failed.text
        until = f"it would be event {failed.left}" if is_count else f"that ended at {failed.right}"
        return f"after the window, {failed.text}: {until}"
    told = ", ".join(f"{name} is {_shown(value)}" for name, value in failed.values.items())
    return f"{failed.text} is {'unknown' if failed.is_null else 'false'}{': ' + told if told else ''}"


def _shown(value: Any) -> str:
    return "null" if value is None else repr(value) if isinstance(value, str) else str(value)


_WORDS = {
    StopKind.CONDITION: Teller._of_failed,
    StopKind.KEY: Teller._of_failed,
    StopKind.WINDOW: Teller._of_failed,
    StopKind.ABSENCE: Teller._of_absence,
    StopKind.STRATEGY: Teller._of_strategy,
    StopKind.NOTHING: Teller._of_nothing,
    StopKind.WAITING: Teller._of_waiting,
    StopKind.SILENCE: Teller._of_silence,
    StopKind.NOT_TOLD: Teller._of_not_told,
}
