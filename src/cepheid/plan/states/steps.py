"""The ways through a pattern, as steps that events take: what an aggregate counts.

Under skip_till_any_match a match is a way from a step that begins to one that ends, and events
pass over everything between. So how many ways stand at a step changes linearly with each event:
an event that passes a step's test adds what stands at the steps before it. An absence takes back
what stands at a step until the next step is taken; where a variable may be followed with an
absence between and without one, it has a step for each.
"""

from dataclasses import dataclass

from cepheid.errors import LimitError
from cepheid.plan.mask_bits import take_bits
from cepheid.plan.program import Absence
from cepheid.plan.states.automaton import Automaton

MOST_STEPS = 256
"""Each event may visit them all."""

START = -1


@dataclass(frozen=True, slots=True)
class Step:
    """A variable, or one turn of a Kleene variable, on a way through the pattern."""

    variable: str
    test: int  # the one-event test that an event must pass, as a bit of its mask
    after: tuple[int, ...]  # the steps that it may follow, in text order; itself, where it repeats
    begins: bool  # a match may begin with it
    looks_back: tuple[int, ...]  # the absences before a match that begins with it
    undone_by: tuple[int, ...]  # the absences between it and what follows
    ends: bool  # what stands here are whole matches


@dataclass(frozen=True, slots=True)
class _Turn:
    """One event of a position: the only one, or for `v{2,3}` the first, second or third."""

    position: int
    test: int
    repeats: bool
    may_leave: bool


@dataclass(frozen=True, slots=True)
class _Exit:
    """Where a turn leads, and the absences in between; no target: the match ends."""

    target: int | None
    absences: tuple[int, ...]


def steps_of(automaton: Automaton, absences: tuple[Absence, ...]) -> tuple[Step, ...]:
    """The steps of a pattern in text order, so that a step follows earlier ones or itself."""
    turns, first_turn = _turns(automaton)
    exits = [_exits(turns, number, first_turn, automaton, absences) for number in range(len(turns))]
    places: dict[tuple[int, _Exit], int] = {}
    kinds: list[tuple[int, tuple[int, ...], bool]] = []
    for number, leads in enumerate(exits):
        for leaves in (False, True):  # those that go on stand before the one that ends
            for way in sorted((way for way in leads if (way.target is None) is leaves), key=_size):
                kind = (number, way.absences, leaves)
                if kind not in kinds:
                    kinds.append(kind)
                places[number, way] = kinds.index(kind)
    if len(kinds) > MOST_STEPS:
        raise LimitError(
            f"the pattern unrolls to {len(kinds):,} steps, and an aggregate may have {MOST_STEPS}: "
            "shorten the ranges of its {n,m} variables"
        )
    return tuple(
        Step(
            variable=automaton.positions[turns[number].position].variable,
            test=turns[number].test,
            after=tuple(sorted({place for (_, way), place in places.items() if way.target == number})),
            begins=_begins(number, turns, first_turn, automaton),
            looks_back=_between(START, turns[number].position, absences),
            undone_by=crossed,
            ends=ends,
        )
        for number, crossed, ends in kinds
    )


def is_plain_sequence(steps: tuple[Step, ...]) -> bool:
    """Whether each step follows the one before, and only that."""
    last = len(steps) - 1
    return all(
        step.after == ((number - 1,) if number else ())
        and step.begins == (number == 0)
        and step.ends == (number == last)
        for number, step in enumerate(steps)
    )


def _size(way: _Exit) -> tuple[int, ...]:
    return (len(way.absences), *way.absences)


def _turns(automaton: Automaton) -> tuple[list[_Turn], list[int]]:
    """The turns of all positions, and where those of each begin."""
    turns: list[_Turn] = []
    first_turn: list[int] = []
    for place, (position, take) in enumerate(
        zip(automaton.positions, take_bits(automaton.positions), strict=True)
    ):
        first_turn.append(len(turns))
        if take is None:
            turns.append(_Turn(place, place, repeats=False, may_leave=True))
            continue
        alike = automaton.begin[place] == automaton.take[place]
        length = position.most or (position.least if alike else position.least + 1)
        if length > MOST_STEPS:
            raise LimitError(
                f"'{position.variable}' may hold {length:,} events, and an aggregate unrolls at most "
                f"{MOST_STEPS}: give it a shorter range, or use +"
            )
        turns += [
            _Turn(
                place,
                place if turn == 1 else take,
                repeats=position.most is None and turn == length,
                may_leave=turn >= position.least,
            )
            for turn in range(1, length + 1)
        ]
    return turns, [*first_turn, len(turns)]


def _exits(
    turns: list[_Turn],
    number: int,
    first_turn: list[int],
    automaton: Automaton,
    absences: tuple[Absence, ...],
) -> list[_Exit]:
    turn = turns[number]
    found: list[_Exit] = []
    if turn.repeats:
        found.append(_Exit(number, ()))
    elif number + 1 < first_turn[turn.position + 1]:
        found.append(_Exit(number + 1, ()))
    if turn.may_leave:
        for follower in automaton.follow[turn.position]:
            crossed = _between(turn.position, follower, absences)
            found.append(_Exit(first_turn[follower], crossed))
        if turn.position in automaton.last:
            found.append(_Exit(None, _between(turn.position, len(automaton.positions), absences)))
    return found


def _begins(number: int, turns: list[_Turn], first_turn: list[int], automaton: Automaton) -> bool:
    position = turns[number].position
    return position in automaton.first and first_turn[position] == number


def _between(before: int, after: int, absences: tuple[Absence, ...]) -> tuple[int, ...]:
    """The absences that stand between two neighbours in a match: those in branches that are taken."""
    return tuple(
        number
        for number, absence in enumerate(absences)
        if before < absence.place <= after
        and all(before in branch or after in branch for branch in absence.branches)
    )
