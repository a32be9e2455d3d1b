"""What to say about a result that may not be what was meant: why it is empty, and what no event has.

Nothing here is computed where matches were found, but whether some event has the types and texts that a match
can do without. That ends at the first event that has one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.errors import UnusedWarning, warn
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.shown import shown
from cepheid.pattern.query import Strategy
from cepheid.pattern.render import render_expression
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.workload.plan import WorkloadPlan
from cepheid.runners.stream.asked_values import AskedValues, SeenValues, Unseen, asked_values
from cepheid.runners.stream.passed import Passed, asked_of_events, passed_steps
from cepheid.runners.stream.side import SideOutput
from cepheid.views.steps import PassedStep
from cepheid.views.unused import unused_lines

MANY = 1 << 24
"""Steps are counted for all empty results of a workload only if there are no more events to look at."""

TOLD = 3  # queries of a workload that one warning is about


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What may be wrong, in words; how many events came how far; and whether users should be warned."""

    notes: tuple[str, ...] = ()
    steps: tuple[PassedStep, ...] = ()
    is_doubtful: bool = False


def diagnosed(plan: Plan, events: pa.Table, found: Sequence[pa.Table], bad: SideOutput) -> list[Diagnosis]:
    """What to say about each result, after a run over these events, beside bad ones."""
    seen = SeenValues(events)
    empty = sum(table.num_rows == 0 for table in found)
    counted = empty == 1 or empty * events.num_rows <= MANY
    results: list[Diagnosis] = []
    for number, (each, table) in enumerate(zip(plan.query_plans, found, strict=True)):
        if isinstance(plan, WorkloadPlan) and plan.feeders[number]:
            results.append(_of_derived(plan, found, number))
        elif events.num_rows == 0:
            results.append(_of_no_events(bad))
        else:
            results.append(_diagnosed(each, seen, table.num_rows, counted))
    return results


def warn_of(plan: Plan, results: Sequence[Diagnosis], bad: SideOutput) -> None:
    """Tell the user what is doubtful, once for a run."""
    names = [f"query '{name}': " for name in plan.names] if isinstance(plan, WorkloadPlan) else [""]
    doubtful = [
        f"{name}{'; '.join(result.notes)}"
        for name, result in zip(names, results, strict=True)
        if result.is_doubtful
    ]
    if doubtful:
        more = [f"… and {len(doubtful) - TOLD:,} more queries"] if len(doubtful) > TOLD else []
        warn("\n".join([*doubtful[:TOLD], *more, *unused_lines("bad", bad.count, bad.table)]))


def warned_of_unused(late: SideOutput, bad: SideOutput, used: int) -> bool:
    """Tell the user of a session that most of its events took no part, unless late or bad ones are dropped
    on purpose."""
    sides = [side for side in (late, bad) if side.choice == "side" and side.count]
    lines = [line for side in sides for line in unused_lines(side.what, side.count, side.table)]
    if not lines:
        return False
    where = f"{used:,} did; session.late and session.bad have the others, with the reason"
    warn("\n".join([*lines, where]), UnusedWarning)
    return True


def _of_no_events(bad: SideOutput) -> Diagnosis:
    if not bad.count:
        return Diagnosis(("there were no events",))
    return Diagnosis(("no event could be used: all of them were bad",), is_doubtful=True)


def _of_derived(plan: WorkloadPlan, found: Sequence[pa.Table], number: int) -> Diagnosis:
    """Of a query that sees the matches of others, which are not among the events."""
    if found[number].num_rows:
        return Diagnosis()
    others = (f"'{plan.names[other]}' ({found[other].num_rows:,})" for other in plan.feeders[number])
    return Diagnosis((f"it sees the matches of {', '.join(others)}: are those what it needs?",))


def _diagnosed(plan: QueryPlan, seen: SeenValues, rows: int, counted: bool) -> Diagnosis:
    unseen = _unseen(plan, seen, rows)
    notes = tuple(each.note for each, _ in unseen)
    explained = any(is_required and each.is_needed for each, is_required in unseen)
    is_doubtful = explained or any(each.is_near for each, _ in unseen)
    if rows or not counted:
        return Diagnosis(notes, is_doubtful=is_doubtful)
    passed = passed_steps(plan, seen.events)
    steps = (*_key_steps(plan, seen.events), *(step for each in passed for step in each.steps))
    if not explained:
        notes += _what_to_try(plan, seen.events, passed)
    return Diagnosis(notes, steps, is_doubtful)


def _unseen(plan: QueryPlan, seen: SeenValues, rows: int) -> list[tuple[Unseen, bool]]:
    """What no event has, and whether a match needs it; where there are matches, they have what they need."""
    is_listed = rows > 0 and plan.query.aggregation is None
    asked: dict[AskedValues, bool] = {}
    for each in asked_of_events(plan):
        if not (is_listed and each.is_required):
            for values in asked_values(each.test, plan.schema):
                asked[values] = asked.get(values, False) or each.is_required
    return [
        (unseen, is_required)
        for values, is_required in asked.items()
        for unseen in seen.unseen(values, each=rows == 0)
    ]


def _key_steps(plan: QueryPlan, events: pa.Table) -> list[PassedStep]:
    """How many events have each key, where some have none."""
    return [
        PassedStep("", f"{key} is not null", len(events) - events.column(key).null_count)
        for key in plan.query.keys
        if events.column(key).null_count
    ]


# ---------------------------------------------------------------- what to try


def _what_to_try(plan: QueryPlan, events: pa.Table, passed: Sequence[Passed]) -> tuple[str, ...]:
    required = [each for each in passed if each.asked.is_required]
    for each in required:
        if not each.events.any():
            return _of_step(plan, events, each)
    together = _keys_with_all(plan, events, required)
    if together == 0:
        each_of = ", ".join(each.asked.label for each in required)
        return (f"no {' and '.join(plan.query.keys)} has events for each of {each_of}: is it the right key?",)
    left = ["their order", *_joining(plan)]
    keys = " and ".join(plan.query.keys)
    some = "" if together is None else f", and {together:,} values of {keys} have events for all of them"
    return (
        f"each step has events{some}; what is left is {', '.join(left)}",
        f"try {_easier(plan)}",
    )


def _of_step(plan: QueryPlan, events: pa.Table, passed: Passed) -> tuple[str, ...]:
    """Which step no event passes, and what the columns hold that it asks about."""
    number = next(number for number, step in enumerate(passed.steps) if step.events == 0)
    note = f"no event passes '{passed.steps[number].asks}' as {passed.asked.label}"
    first = len(passed.steps) - len(passed.asked.test.conditions)
    if number < first:
        return (note,)
    condition = passed.asked.test.conditions[number - first]
    names = dict.fromkeys(node.name for node in ex.walk(condition) if isinstance(node, ex.Element))
    held = [_range(events, plan.schema.column_of(name) or name) for name in names]
    return (note, *(text for text in held if text))


def _range(events: pa.Table, name: str) -> str | None:
    column = events.column(name)
    if column.null_count == len(column):
        return f"{name} is null in every event"
    try:
        held = pc.min_max(column)
    except pa.ArrowException:
        return None
    return f"{name} is from {shown(held['min'])} to {shown(held['max'])}"


def _keys_with_all(plan: QueryPlan, events: pa.Table, required: Sequence[Passed]) -> int | None:
    """How many partitions have events for all steps; None if there are no keys."""
    if not plan.query.keys:
        return None
    try:
        codes, number = _key_codes(events, plan.query.keys)
    except pa.ArrowException:  # keys of a kind that Arrow has no codes for
        return None
    common = np.ones(number, np.bool_)
    for each in required:
        has = np.zeros(number, np.bool_)
        has[codes[each.events]] = True
        common &= has
    return int(common.sum())


def _key_codes(events: pa.Table, keys: Sequence[str]) -> tuple[np.ndarray, int]:
    """The partition of each event, as a number, and how many there are."""
    codes, number = np.zeros(len(events), np.int64), 1
    for key in keys:
        own, many = _codes(events.column(key))
        codes, number = codes * many + own, number * many
        if number > len(events):
            codes, number = _codes(pa.chunked_array([pa.array(codes)]))
    return codes, number


def _codes(column: pa.ChunkedArray) -> tuple[np.ndarray, int]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoded = join_arrays(column.chunks).dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False), max(len(encoded.dictionary), 1)


def _joining(plan: QueryPlan) -> list[str]:
    """What the events of a match have to do with each other."""
    own = {condition for _, test in plan.engine.event_tests(plan) for condition in test.conditions}
    window = [f"WITHIN {plan.query.window}"] if plan.query.window is not None else []
    several = [node for node in plan.query.conjuncts if _is_of_several(node) and node not in own]
    return [*window, *(render_expression(node) for node in several[:3]), *(["…"] if len(several) > 3 else [])]


def _is_of_several(node: ex.Expression) -> bool:
    whole = (ex.Length, ex.Aggregate)
    indices = {item.index for item in ex.walk(node) if isinstance(item, ex.Attribute)}
    return (
        len(ex.variables(node)) > 1
        or len(indices) > 1
        or any(isinstance(item, whole) for item in ex.walk(node))
    )


def _easier(plan: QueryPlan) -> str:
    strict = plan.query.strategy in (Strategy.STRICT, Strategy.PARTITION)
    ways = [
        *(["skip_till_next_match: now no other event may lie between"] if strict else []),
        *(["a longer WITHIN"] if plan.query.window is not None else []),
        "fewer steps or conditions, one at a time",
    ]
    return ", or ".join(ways)
