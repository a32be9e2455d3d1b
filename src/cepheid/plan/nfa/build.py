"""From the header of a query to the plan of the nfa engine."""

import math
from dataclasses import replace

from cepheid.errors import QueryError, UnsupportedError
from cepheid.pattern.query import EmitMode, PatternQuery
from cepheid.plan.engine import Planner
from cepheid.plan.events.bounded import is_contiguous, refuse_endless
from cepheid.plan.nfa.fit import matches_bits
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import Absence, WindowTest
from cepheid.plan.states.automaton import Automaton, may_trail
from cepheid.plan.states.placement import Placement, placed
from cepheid.plan.states.structure import automaton_refusal
from cepheid.plan.summaries import SUMMARIES, emitted_schema

BACKTRACKING = "backtracking"
SHARINGS = ("auto", "basic", "merging", BACKTRACKING)
"""How runs share: by `basic` only the buffer; by `merging` those that are alike become one; `auto`
merges where that is measured to help; `backtracking` follows one run at a time, to compare with."""

BASELINE = "cepheid.matchers.baselines.backtracking.matcher.BacktrackingMatcher"


def refusal(query: PatternQuery) -> UnsupportedError | None:
    """Why the nfa engine cannot run a query, or None if it can."""
    if query.aggregation is not None:
        return UnsupportedError("AGG is for the aggregate engine", span=query.aggregation.span)
    return automaton_refusal(query.pattern)


def plan_nfa(header: QueryPlan, planner: Planner, *, sharing: str = "auto") -> NfaPlan:
    """The plan of a query that the engine does not refuse."""
    if sharing not in SHARINGS:
        raise QueryError(
            f"runs cannot share by '{sharing}'", hint=f"sharing= is one of {', '.join(SHARINGS)}"
        )
    placement = placed(header, header.query.conjuncts, extremes=True)
    automaton, absences, values = placement.automaton(), placement.absences(), placement.values
    engine = header.engine
    if sharing == BACKTRACKING:
        _refuse_backtracking(header.query, placement, automaton, absences)
        engine = replace(engine, matcher=BASELINE)
    summed = header.query.emit.mode in SUMMARIES
    bits = matches_bits(automaton, absences, header.window) if summed else 0
    return header.become(
        NfaPlan,
        engine=engine,
        output_schema=emitted_schema(header, bits),
        delay=_delay(automaton, absences, header.window),
        method=sharing,
        automaton=automaton,
        absences=absences,
        columns=tuple(values.columns),
        slots=tuple(values.slots),
        constants=tuple(values.constants),
        remembered=tuple(values.remembered),
        text_functions=tuple(values.text_functions),
    )


def _delay(automaton: Automaton, absences: tuple[Absence, ...], window: WindowTest | None) -> int | float:
    """A match that ends in an absence is certain when its window has closed."""
    if not any(may_trail(absence, automaton) for absence in absences):
        return 0
    return math.inf if window is None or window.counts_events else window.limit


def _refuse_backtracking(
    query: PatternQuery, placement: Placement, automaton: Automaton, absences: tuple[Absence, ...]
) -> None:
    """The baseline is for what the paper compares it on."""
    hint = "leave the choice of sharing= open"
    if query.emit.mode not in (EmitMode.ALL, EmitMode.NON_OVERLAPPING):
        what = f"EMIT {query.emit.mode.value}"
        raise UnsupportedError(f"backtracking does not run {what}", span=query.emit.span, hint=hint)
    for absence, written in zip(absences, placement.structure.absences, strict=True):
        if may_trail(absence, automaton):
            raise UnsupportedError(
                f"backtracking does not run a pattern that may end in the absence of {absence.variable}",
                span=written.atom.span,
                hint=hint,
            )


def stream_refusal(plan: NfaPlan) -> QueryError | None:
    """Why an unbounded stream cannot run a plan: it reads events again, or would remember them for ever."""
    if plan.method == BACKTRACKING:
        return UnsupportedError(
            "backtracking reads events again and again, and so runs whole tables only",
            hint="run it over a table, or leave the choice of sharing= open",
        )
    waits = bool(plan.absences) or any(position.is_open_ended for position in plan.positions)
    at_once = is_contiguous(plan.query) or not any(plan.automaton.follow)
    return None if at_once and not waits else refuse_endless(plan)
