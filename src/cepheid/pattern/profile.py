"""The parameters of a profile, checked against its query: what is told of the matches.

`select` says which event a variable may have, `consume` what a told match leaves for others, `once` how
often something is told, and `timezone` where `AT` reads the clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from typing import Any

from cepheid.errors import QueryCheckError
from cepheid.pattern import nodes as pt
from cepheid.pattern.durations import parse_duration
from cepheid.pattern.fold import fold_pattern, with_parts
from cepheid.pattern.literals import nearest
from cepheid.pattern.presence import has_positive_part
from cepheid.pattern.query import EmitMode, PatternQuery
from cepheid.pattern.zones import known_zone
from cepheid.time import Duration

ALL, FIRST, LAST = "all", "first", "last"
UNIQUE, REAPPLY = "unique", "reapply"
CONSUMED = (ALL, UNIQUE, REAPPLY)
EVER = "ever"

Wanted = str | int
"""`first`, `last`, or the n of the n-th."""


@dataclass(frozen=True, slots=True)
class ProfileTerms:
    """On what terms the matches of a query are told."""

    select: tuple[tuple[str, Wanted], ...] = ()  # of the variables that may not have any event
    consume: str = ALL
    once: Duration | str | None = None
    timezone: str = "UTC"

    def saved(self) -> list[Any]:
        """What JSON can hold of it."""
        once: Any = self.once
        if isinstance(once, Duration):
            once = [once.amount.numerator, once.amount.denominator, once.unit]
        return [[list(each) for each in self.select], self.consume, once, self.timezone]

    @staticmethod
    def restored(saved: list[Any]) -> "ProfileTerms":
        """The terms that were saved."""
        select, consume, once, timezone = saved
        if isinstance(once, list):
            once = Duration(Fraction(once[0], once[1]), once[2])
        return ProfileTerms(tuple((v, choice) for v, choice in select), consume, once, timezone)

    @property
    def chosen(self) -> str:
        """What `select` asks for."""
        return ", ".join(f"{variable} {choice}" for variable, choice in self.select) or ALL

    def __str__(self) -> str:
        often = "as often as it matches" if self.once is None else f"once {self.once}"
        return f"select {self.chosen}; consume {self.consume}; {often}; time zone {self.timezone}"


def profile_terms(query: PatternQuery, select: Any, consume: Any, once: Any, timezone: Any) -> ProfileTerms:
    """The parameters as users give them; refuses those that mean nothing for the query."""
    _refuse_other_outputs(query)
    return ProfileTerms(
        tuple(_selection(query, select).items()), _consumed(consume), _period(once), _zone(timezone)
    )


def without_selection(pattern: pt.Pattern) -> pt.Pattern:
    """The pattern with `Type v` for `Type[i] v`."""

    def plain(node: pt.Pattern, below: list[pt.Pattern]) -> pt.Pattern:
        if isinstance(node, pt.Nth):
            return pt.Single(node.type, node.variable, bare=node.bare, span=node.span)
        return with_parts(node, below)

    return fold_pattern(pattern, plain)


def _refuse_other_outputs(query: PatternQuery) -> None:
    if query.aggregation is not None:
        raise QueryCheckError(
            "a profile tells matches, and AGG gives none",
            span=query.aggregation.span,
            hint="leave out AGG, or run it as a query",
        )
    if query.emit.mode is not EmitMode.ALL:
        raise QueryCheckError(
            f"a profile has all matches to choose from, not EMIT {query.emit.mode.value}",
            span=query.emit.span,
            hint="leave out EMIT; select=, consume= and once= say what is told",
        )


# ---------------------------------------------------------------- select


def _selection(query: PatternQuery, select: Any) -> dict[str, Wanted]:
    """The choice of each variable that has one, in the order of the text."""
    declared = {atom.variable: atom for atom in pt.atoms(query.pattern)}
    if isinstance(select, Mapping):
        asked = {name: _choice(choice) for name, choice in select.items()}
        for name in asked:
            _expect_declared(name, declared)
    else:
        choice = _choice(select)
        asked = {v: choice for v, atom in declared.items() if not isinstance(atom, pt.Absent | pt.Nth)}
    found: dict[str, Wanted] = {}
    for name, atom in declared.items():
        if isinstance(atom, pt.Nth):
            if asked.get(name, ALL) != ALL:
                raise QueryCheckError(
                    f"'{name}' is selected twice: by {atom.type}[{atom.ordinal}] and by select=",
                    span=atom.span,
                    hint="keep one of them",
                )
            found[name] = atom.ordinal
        elif asked.get(name, ALL) != ALL:
            _expect_single(atom, asked[name])
            found[name] = asked[name]
        if found.get(name) == LAST:
            _refuse_final(query.pattern, atom)
    return found


def _choice(given: Any) -> Wanted:
    if isinstance(given, str) and given in (ALL, FIRST, LAST):
        return given
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return FIRST if given == 1 else given
    raise QueryCheckError(
        f"select= cannot be {given!r}",
        hint="it is 'all', 'first', 'last' or a number from 1, for all variables or for each: {'a': 'last'}",
    )


def _expect_declared(name: Any, declared: Mapping[str, pt.Atom]) -> None:
    if name not in declared:
        near = nearest(name, declared) if isinstance(name, str) else None
        raise QueryCheckError(
            f"select= names {name!r}, which the pattern does not declare",
            hint=near or f"it declares {', '.join(declared) or 'no variable'}",
        )


def _expect_single(atom: pt.Atom, choice: Wanted) -> None:
    """Refuse to select among what is no single event."""
    name = atom.variable
    if isinstance(atom, pt.Absent):
        raise QueryCheckError(f"'{name}' is negated: there is no event to select", span=atom.span)
    if isinstance(atom, pt.Kleene | pt.Optional):
        what = "is optional" if isinstance(atom, pt.Optional) else "holds several events"
        raise QueryCheckError(
            f"'{name}' {what}, and select= chooses one event that is always there",
            span=atom.span,
            hint=f"name the single variables alone, as in select={{'v': {choice!r}}}",
        )


def _refuse_final(pattern: pt.Pattern, atom: pt.Atom) -> None:
    """Of an event that all others stand before, later ones are not known yet when it is told."""
    if _is_final(pattern, atom):
        raise QueryCheckError(
            f"'{atom.variable}' comes after all others, so select= cannot ask for its last event: what is "
            "told never depends on later events",
            span=atom.span,
            hint="select the first, or an earlier variable",
        )


def _is_final(pattern: pt.Pattern, atom: pt.Atom) -> bool:
    """Whether a pattern puts a part after all of its other positive parts."""
    match pattern:
        case pt.Seq(parts=parts) | pt.Conjunction(parts=parts) | pt.Choice(parts=parts):
            place = next(i for i, part in enumerate(parts) if atom in pt.atoms(part))
            beside = [part for i, part in enumerate(parts) if i != place and has_positive_part(part)]
            ordered = isinstance(pattern, pt.Seq) and not any(map(has_positive_part, parts[place + 1 :]))
            return (ordered or not beside) and _is_final(parts[place], atom)
        case pt.Within(part=part):
            return _is_final(part, atom)
        case _:
            return True


# ---------------------------------------------------------------- consume, once and timezone


def _consumed(consume: Any) -> str:
    if consume not in CONSUMED:
        raise QueryCheckError(f"consume= is one of {', '.join(CONSUMED)}, not {consume!r}")
    return str(consume)


def _period(once: Any) -> Duration | str | None:
    if once is None or once == EVER:
        return None if once is None else EVER
    if isinstance(once, bool) or not isinstance(once, str | int | float | timedelta):
        raise QueryCheckError(f"once= is 'ever' or a period such as '12 hours', not {once!r}")
    try:
        period = parse_duration(once)
    except (QueryCheckError, ValueError) as error:
        raise QueryCheckError(f"once= is 'ever' or a period such as '12 hours', not {once!r}") from error
    if period.amount <= 0:
        raise QueryCheckError("once= should be a period longer than nothing")
    return period


def _zone(timezone: Any) -> str:
    if not isinstance(timezone, str) or known_zone(timezone) is None:
        raise QueryCheckError(
            f"there is no time zone {timezone!r}",
            hint="name one of the IANA database, such as Europe/Berlin, or an offset such as +05:30",
        )
    return timezone
