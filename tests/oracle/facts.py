"""One query over one stream: what every stage of the oracle asks about its variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cepheid.pattern.nodes import Absent, Atom, Choice, Pattern, Seq, Within, atoms, parts
from cepheid.pattern.query import PatternQuery
from cepheid.time import Window

from .conditions import conjunct
from .evaluate import Event
from .stream import Stream, Taken, first_event, last_event


@dataclass(frozen=True)
class Bounds:
    """A window, and the variables whose events it spans."""

    window: Window
    variables: frozenset[str]


class Facts:
    """By variable, in the order of the text: where it stands in the pattern, and what is said of it."""

    def __init__(self, query: PatternQuery, stream: Stream) -> None:
        self.query, self.stream = query, stream
        self.atoms: dict[str, Atom] = {atom.variable: atom for atom in atoms(query.pattern)}
        self.negated = [v for v, atom in self.atoms.items() if isinstance(atom, Absent)]
        self.positive = [v for v in self.atoms if v not in self.negated]
        self.bounds: dict[str, list[Bounds]] = {v: [] for v in self.atoms}  # the windows around it
        self.branches: dict[str, list[frozenset[str]]] = {v: [] for v in self.atoms}  # of OR, that it is in
        self.before: dict[str, set[str]] = {v: set() for v in self.atoms}  # what SEQ puts before it
        self.after: dict[str, set[str]] = {v: set() for v in self.atoms}
        if query.window:
            for v in self.atoms:
                self.bounds[v].append(Bounds(query.window, frozenset(self.positive)))
        self._surround(query.pattern)
        tests = [conjunct(expression) for expression in query.conjuncts]
        self.constants = [test for test in tests if not test.names]
        self.of_negated = {v: [test for test in tests if v in test.names] for v in self.negated}
        self.of_positive = [test for test in tests if test.names and not test.names & {*self.negated}]

    def _surround(self, node: Pattern) -> None:
        inside = [{atom.variable for atom in atoms(part)} for part in parts(node)]
        for place, (part, names) in enumerate(zip(parts(node), inside, strict=True)):
            for v in names:
                if isinstance(node, Within):
                    self.bounds[v].append(Bounds(node.window, frozenset(names & {*self.positive})))
                elif isinstance(node, Choice):
                    self.branches[v].append(frozenset(names))
                elif isinstance(node, Seq):
                    self.before[v].update(*inside[:place])
                    self.after[v].update(*inside[place + 1 :])
            self._surround(part)

    @property
    def holds_at_all(self) -> bool:
        """Whether the conjuncts hold that name no variable."""
        return all(test.holds({}) for test in self.constants)

    def bound(self, taken: Taken) -> dict[str, tuple[Event, ...]]:
        return {v: tuple(self.stream.events[p] for p in positions) for v, positions in taken.items()}

    def is_of_type(self, variable: str, position: int) -> bool:
        atom, kind = self.atoms[variable], self.stream.types[position]
        is_any = atom.type is None or (atom.bare and not self.stream.has_types)
        return is_any or atom.type == kind

    def is_of_partition(self, taken: Taken, position: int) -> bool:
        key = self.stream.keys[position]
        return key is not None and key == self.stream.keys[first_event(taken)]

    def fits(self, bounds: Bounds, taken: Taken) -> bool:
        return all(self.stream.spans(bounds.window, *ends) for ends in self.ends(bounds, taken))

    def ends(self, bounds: Bounds, taken: Taken) -> Iterator[tuple[int, int]]:
        """The first and the last event that a window spans, if there is any."""
        inside = {v: taken[v] for v in bounds.variables if v in taken}
        if inside:
            yield first_event(inside), last_event(inside)

    def stands(self, variable: str, taken: Taken) -> bool:
        """Whether every OR branch around the variable was taken: has some event."""
        return all(branch & taken.keys() for branch in self.branches[variable])
