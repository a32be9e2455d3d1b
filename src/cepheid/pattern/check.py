"""Refuse queries that parse but mean nothing, before any data moves.

`check` needs the query alone, `check_against` also the stream's columns.
"""

from collections.abc import Callable

from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.pattern import nodes as pt
from cepheid.pattern.check_clauses import CLAUSE_RULES
from cepheid.pattern.check_conditions import CONDITION_RULES
from cepheid.pattern.check_stream import STREAM_RULES
from cepheid.pattern.fold import MAX_DEPTH, too_deep_pattern
from cepheid.pattern.literals import parse_time_of_day
from cepheid.pattern.nodes import atoms, walk
from cepheid.pattern.presence import has_positive_part, needs_an_event
from cepheid.pattern.query import PatternQuery, Strategy
from cepheid.time import Duration, Window


def check(query: PatternQuery) -> None:
    """Raise `QueryCheckError` for whatever is wrong with the query by itself."""
    for rule in RULES:
        rule(query)


def check_against(query: PatternQuery, schema: EventSchema) -> None:
    """Raise `QueryCheckError` for whatever does not fit the stream; the query has passed `check`."""
    for rule in STREAM_RULES:
        rule(query, schema)


def nesting_is_bounded(query: PatternQuery) -> None:
    """No pattern is nested too deep; text never is, but a builder may be."""
    deep = too_deep_pattern(query.pattern)
    if deep is not None:
        raise QueryCheckError(f"the pattern is nested more than {MAX_DEPTH} deep", span=deep.span)


def variables_are_declared_once(query: PatternQuery) -> None:
    """No two atoms share a variable."""
    seen: dict[str, pt.Atom] = {}
    for atom in atoms(query.pattern):
        if atom.variable in seen:
            raise QueryCheckError(
                f"the variable '{atom.variable}' is declared twice",
                span=atom.span,
                hint=f"give each its own, as in {atom.type or 'ANY'} {atom.variable}2",
            )
        seen[atom.variable] = atom


def repetitions_are_possible(query: PatternQuery) -> None:
    """`{n,m}` has n <= m and m >= 1; `[i]` is at least 1."""
    for atom in atoms(query.pattern):
        if isinstance(atom, pt.Kleene) and atom.most is not None and atom.most < max(atom.least, 1):
            message = (
                "a repetition of at most 0 selects nothing"
                if atom.most == 0
                else f"a repetition of at least {atom.least} and at most {atom.most} is impossible"
            )
            raise QueryCheckError(message, span=atom.span, hint="write {n,m} with n <= m and m >= 1")
        if isinstance(atom, pt.Nth) and atom.ordinal < 1:
            raise QueryCheckError("an ordinal is 1 or more", span=atom.span)


def windows_are_positive(query: PatternQuery) -> None:
    """No window and no period is empty."""
    if query.window is not None:
        _expect_window(query.window)
    for node in walk(query.pattern):
        match node:
            case pt.Within(window=window):
                _expect_window(window)
            case pt.Silence(duration=length) | pt.Every(period=length):
                _expect_positive(length, node)
            case pt.At(time_of_day=text) if parse_time_of_day(text) is None:
                raise QueryCheckError(
                    f"'{text}' is not a time of day", span=node.span, hint="write AT '17:00'"
                )
    if query.emit.period is not None and query.emit.period.amount <= 0:
        raise QueryCheckError("a period should be longer than nothing", span=query.emit.span)


def _expect_window(window: Window) -> None:
    if isinstance(window.length, int):
        if window.half_open:
            raise QueryCheckError(
                "a window of events has no half-open form",
                span=window.span,
                hint=f"write WITHIN {max(1, window.length - 1)} EVENTS",
            )
        if window.length < 1:
            raise QueryCheckError("WITHIN should be at least 1 event", span=window.span)
    elif window.length.amount <= 0:
        raise QueryCheckError("WITHIN should be longer than nothing", span=window.span)


def _expect_positive(length: Duration, node: pt.Pattern) -> None:
    if length.amount <= 0:
        raise QueryCheckError("the duration should be longer than nothing", span=node.span)


def something_must_happen(query: PatternQuery) -> None:
    """The pattern needs a positive, non-optional part, and each branch of an OR a positive one."""
    for node in walk(query.pattern):
        for branch in node.parts if isinstance(node, pt.Choice) else ():
            if not has_positive_part(branch):
                raise QueryCheckError(
                    "a branch of OR says only what must not happen",
                    span=branch.span,
                    hint="give each branch a part without ~",
                )
    if not needs_an_event(query.pattern):
        raise QueryCheckError(
            "the pattern could match without any event: it needs a positive part that is not optional",
            span=query.pattern.span,
            hint="add a part without ~, ? and *",
        )


def and_takes_all_combinations(query: PatternQuery) -> None:
    """AND has no meaning where a run takes the next event, or where nothing may lie between two."""
    for node in walk(query.pattern) if query.strategy is not Strategy.ANY else ():
        if isinstance(node, pt.Conjunction):
            raise QueryCheckError(
                f"AND takes all combinations and needs skip_till_any_match, not {query.strategy.value}",
                span=node.span,
                hint="write WHERE skip_till_any_match { … }, or say the order with SEQ",
            )


RULES: tuple[Callable[[PatternQuery], None], ...] = (
    nesting_is_bounded,
    variables_are_declared_once,
    repetitions_are_possible,
    windows_are_positive,
    something_must_happen,
    and_takes_all_combinations,
    *CONDITION_RULES,
    *CLAUSE_RULES,
)
