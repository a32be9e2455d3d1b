"""What a pattern still asks for after some of its events: its *remainder*, a pattern again.

`SEQ(A a, B b)` after `a` is `SEQ(B b)`. That works for every operator: in a SEQ the next part goes on, in an
AND any part does, of an OR the branch that began. Absence asks for no event, and time events are passed over.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cepheid.pattern import nodes as pt

NOTHING = pt.Seq(())
_PASSED_OVER = (pt.Absent, pt.At, pt.Every, pt.Silence)


@dataclass(frozen=True, slots=True)
class Remainder:
    """A remainder, by what a search asks of it; others are named by their number."""

    openings: tuple[tuple[str, int], ...]  # a variable that may take the next event, and what is then left
    missing: int  # how many events it needs at least
    waits_for: frozenset[str]  # the variables that may still take events


class Remainders:
    """The remainders of one pattern, numbered as they are met; 0 is the whole."""

    def __init__(self, pattern: pt.Pattern) -> None:
        self._numbers: dict[pt.Pattern, int] = {}
        self._patterns: list[pt.Pattern] = []
        self._known: dict[int, Remainder] = {}
        self._number(pattern)

    def __getitem__(self, number: int) -> Remainder:
        if number not in self._known:
            node = self._patterns[number]
            after = dict.fromkeys(_openings(node))
            self._known[number] = Remainder(
                tuple((atom.variable, self._number(rest)) for atom, rest in after),
                missing(node),
                frozenset(atom.variable for atom in pt.atoms(node) if not isinstance(atom, _PASSED_OVER)),
            )
        return self._known[number]

    def _number(self, node: pt.Pattern) -> int:
        if node not in self._numbers:
            self._numbers[node] = len(self._patterns)
            self._patterns.append(node)
        return self._numbers[node]


def missing(node: pt.Pattern) -> int:
    """How many events a pattern needs at least."""
    match node:
        case pt.Absent() | pt.Optional() | pt.At() | pt.Every() | pt.Silence():
            return 0
        case pt.Kleene(least=least):
            return least
        case pt.Choice(parts=parts):
            return min(map(missing, parts))
        case pt.Seq(parts=parts) | pt.Conjunction(parts=parts):
            return sum(map(missing, parts))
        case pt.Within(part=part):
            return missing(part)
        case _:
            return 1


def _openings(node: pt.Pattern) -> Iterator[tuple[pt.Atom, pt.Pattern]]:
    """The variables that may take the next event, each with what is then left."""
    match node:
        case pt.Kleene(least=least, most=most):
            fewer = replace(node, least=max(least - 1, 0), most=None if most is None else most - 1)
            if most != 0:
                yield node, NOTHING if fewer.most == 0 else fewer
        case pt.Atom():
            if not isinstance(node, _PASSED_OVER):
                yield node, NOTHING
        case pt.Seq(parts=parts):
            for place, part in enumerate(parts):
                yield from ((atom, _seq(rest, parts[place + 1 :])) for atom, rest in _openings(part))
                if missing(part):
                    return
        case pt.Conjunction(parts=parts):
            for place, part in enumerate(parts):
                for atom, rest in _openings(part):
                    yield atom, _all(parts[:place], rest, parts[place + 1 :])
        case _:
            for part in pt.parts(node):
                yield from _openings(part)


def _seq(rest: pt.Pattern, after: tuple[pt.Pattern, ...]) -> pt.Pattern:
    return pt.Seq(after) if rest == NOTHING else pt.Seq((rest, *after))


def _all(before: tuple[pt.Pattern, ...], rest: pt.Pattern, after: tuple[pt.Pattern, ...]) -> pt.Pattern:
    own = () if rest == NOTHING else (rest,)
    return pt.Conjunction((*before, *own, *after))
