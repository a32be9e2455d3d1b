"""Which profiles are followed in a single step, and how; of the others, why not."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import UnsupportedError
from cepheid.expressions import variables
from cepheid.pattern.nodes import Absent, Optional, atoms
from cepheid.pattern.profile import FIRST, LAST
from cepheid.pattern.query import Strategy
from cepheid.plan.header import stream_unit
from cepheid.plan.positions import Position, type_name
from cepheid.plan.precedence import Neighbourhood, neighbourhoods
from cepheid.plan.profile.kinds import SilentKind
from cepheid.plan.profile.plan import Closing, OpenAbsence, ProfilePlan
from cepheid.plan.profile.states import alternatives, is_ambiguous, states_of
from cepheid.plan.profile.step_plan import (
    CloseLength,
    FilledState,
    JointCondition,
    Move,
    StepAbsence,
    StepChoice,
    StepPlan,
)
from cepheid.plan.program import EventTest, WindowTest
from cepheid.plan.states.predicates import LEAVE, Lowering, element_of
from cepheid.plan.states.values import ValueTable

MOST_PARTS = 62
"""The parts of a profile are bits of a word."""


def beside_reason(plan: ProfilePlan) -> str | None:
    """Why a profile is not followed in a single step, or None if it is."""
    query = plan.query
    if plan.asked[0] != "auto":
        return f"the {plan.asked[0]} engine was asked for"
    if query.keys and not all(isinstance(kind, SilentKind) for kind in plan.kinds):
        return "every partition has AT and EVERY to itself"
    if query.strategy is not Strategy.ANY:
        return f"its strategy is {query.strategy.value}"
    if any(position.kleene for position in plan.positions):
        return "a variable holds several events"
    if any(isinstance(atom, Optional) for atom in atoms(query.pattern)):
        return "a variable is optional"
    if plan.counts_events:
        return "a window is measured in events"
    if any(not variables(conjunct) for conjunct in query.conjuncts):
        return "a condition names no variable"
    if plan.unit != stream_unit(plan.schema):
        return "it has a length of time that is finer than the stream's"
    if len([*atoms(query.pattern)]) > MOST_PARTS:
        return f"it has more than {MOST_PARTS} parts"
    return _odd_length(plan) or _odd_states(plan) or _odd_condition(plan)


def _odd_length(plan: ProfilePlan) -> str | None:
    """Kernels know whole ticks, or reals, and no other fractions."""
    lengths = [plan.period, *(window.length for absence in plan.absences for window in absence.windows)]
    whole = all(length is None or isinstance(length, int | float) for length in lengths)
    if pa.types.is_floating(plan.schema.type_of(plan.schema.time)) and plan.absences:
        return "it waits for a window of real time to close"
    if not whole or any(isinstance(length, int) and abs(length) >= 2**62 for length in lengths):
        return "a length of time is no whole number of ticks"
    return None


def _odd_condition(plan: ProfilePlan) -> str | None:
    """What a kernel cannot compute from several events."""
    try:
        _conditions(plan, ValueTable(plan.schema))
    except UnsupportedError as error:
        return error.message
    return None


def _odd_states(plan: ProfilePlan) -> str | None:
    places = _places(plan)
    ways = alternatives(plan.query.pattern, places)
    if is_ambiguous(ways) or len(ways) > 64:
        return "its alternatives are too many, or one is a part of another"
    return None if _states(plan) is not None else "its parts may come in too many orders"


def single_step(plan: ProfilePlan, values: ValueTable) -> StepPlan:
    """How a profile is followed that has no reason to run beside. What its conditions read is listed in a
    table that several profiles may share."""
    found = _states(plan)
    assert found is not None
    states, moves = found
    return StepPlan(
        plan,
        _tests(plan),
        states,
        moves,
        tuple(part for part, before in _watched(plan).items() if not before),
        _windows(plan),
        _conditions(plan, values),
        _absences(plan),
        _choices(plan),
        plan.period if isinstance(plan.period, int | float) else None,
    )


# ---------------------------------------------------------------- parts


def _places(plan: ProfilePlan) -> dict[str, int]:
    return {position.variable: place for place, position in enumerate(plan.positions)}


def parts_of(plan: ProfilePlan) -> dict[str, int]:
    """The parts of a profile by their variables: its positions, then what should be absent."""
    absent = [a.variable for a in atoms(plan.query.pattern) if isinstance(a, Absent)]
    return _places(plan) | {name: len(plan.positions) + k for k, name in enumerate(absent)}


def _tests(plan: ProfilePlan) -> tuple[EventTest, ...]:
    """What a part asks of one event by itself."""
    kinds = {a.variable: type_name(a, plan.schema.type is not None) for a in atoms(plan.query.pattern)}
    return tuple(
        EventTest(kinds[name], tuple(element_of(c) for c in plan.query.conjuncts if variables(c) == {name}))
        for name in parts_of(plan)
    )


def _bits(places: frozenset[int] | tuple[int, ...]) -> int:
    return sum(1 << place for place in places)


def _around(plan: ProfilePlan) -> dict[str, Neighbourhood]:
    return neighbourhoods(plan.query.pattern)


def _watched(plan: ProfilePlan) -> dict[int, int]:
    """The parts whose events are kept, with the bits of the positions that stand before them."""
    around, parts = _around(plan), parts_of(plan)
    kept = [*(c.variable for c in plan.chosen), *list(parts)[len(plan.positions) :]]
    return {parts[name]: _bits(around[name].before) for name in kept}


def _states(plan: ProfilePlan) -> tuple[tuple[FilledState, ...], tuple[Move, ...]] | None:
    around, places = _around(plan), _places(plan)
    ways = alternatives(plan.query.pattern, places)
    return states_of(ways, {place: around[name] for name, place in places.items()}, _watched(plan))


# ---------------------------------------------------------------- what is tested


def _windows(plan: ProfilePlan) -> tuple[tuple[WindowTest, int], ...]:
    everything = (1 << len(plan.positions)) - 1
    own = () if plan.window is None else ((plan.window, everything),)
    return (*own, *((window, _bits(window.members)) for window in plan.inner_windows))


def _conditions(plan: ProfilePlan, values: ValueTable) -> tuple[JointCondition, ...]:
    parts = parts_of(plan)
    absent = Position("", None, False, 1, 1, optional=False)
    positions = (*plan.positions, *(absent for _ in range(len(parts) - len(plan.positions))))
    lowering = Lowering(values, positions, parts, "", LEAVE, plan.unit)
    return tuple(
        JointCondition(lowering.condition(conjunct), _named(conjunct, parts), _last(conjunct, parts))
        for conjunct in plan.query.conjuncts
        if len(variables(conjunct)) > 1
    )


def _named(conjunct: ex.Expression, parts: Mapping[str, int]) -> int:
    return sum(1 << parts[name] for name in variables(conjunct))


def _last(conjunct: ex.Expression, parts: Mapping[str, int]) -> int:
    return max(parts[name] for name in variables(conjunct))


def _absences(plan: ProfilePlan) -> tuple[StepAbsence, ...]:
    around, parts = _around(plan), parts_of(plan)
    open_ones = iter(plan.absences)  # of the negated variables that nothing may follow, in their order
    first = 0 if plan.window is None else 1
    built = []
    for name, part in list(parts.items())[len(plan.positions) :]:
        here = around[name]
        waits = None if here.followed else next(open_ones)
        built.append(
            StepAbsence(
                part,
                _bits(here.before),
                _bits(here.after),
                tuple(map(_bits, here.branches)),
                (*range(first), *(first + number for number in here.windows)),
                _closings(waits),
            )
        )
    return tuple(built)


def _closings(absence: OpenAbsence | None) -> tuple[CloseLength, ...]:
    return () if absence is None else tuple(map(_close_length, absence.windows))


def _close_length(window: Closing) -> CloseLength:
    assert isinstance(window.length, int | float)
    return CloseLength(_bits(window.members), window.length, window.half_open)


def _choices(plan: ProfilePlan) -> tuple[StepChoice, ...]:
    wanted = {FIRST: 1, LAST: 0}
    return tuple(
        StepChoice(
            each.position,
            wanted[each.choice] if isinstance(each.choice, str) else each.choice,
            _bits(each.before),
            _bits(each.after),
        )
        for each in plan.chosen
    )
