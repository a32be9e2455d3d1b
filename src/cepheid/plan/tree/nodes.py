"""The nodes of a tree plan: leaves, Kleene closures, and the joins of two parts."""

from dataclasses import dataclass, field
from enum import IntEnum

from cepheid.plan.program import Condition, EventTest


class Kind(IntEnum):
    """What a node does with the composites of its parts."""

    LEAF = 0  # an event is a composite
    CHAIN = 1  # Kleene closure: a composite is extended by an event
    SEQ = 2  # the right one begins after the left one has ended
    AND = 3  # both, on distinct events
    OR = 4  # either


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node. Nodes are listed from the leaves to the root, and know their parts by number."""

    kind: Kind
    members: frozenset[int]  # the positions below it
    nullable: bool  # whether a match may lack all of them
    windows: tuple[int, ...]  # the inner windows around it
    left: int = -1
    right: int = -1
    position: int = -1  # of a leaf or a chain
    shares: bool = False  # of an AND: whether an event may fit both sides
    conditions: tuple[Condition, ...] = ()  # tested for each pair of composites
    absences: tuple[int, ...] = ()  # judged for each composite


@dataclass(frozen=True, slots=True)
class LeafTests:
    """What a variable asks of events: to begin, to be taken by a Kleene variable, and of the whole of it."""

    begin: EventTest
    take: EventTest
    on_take: tuple[Condition, ...] = ()
    on_leave: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeAbsence:
    """A negated variable: what qualifies as it, and between which positions it is looked for."""

    variable: str
    test: EventTest
    before: frozenset[int]
    after: frozenset[int]
    branches: tuple[frozenset[int], ...]
    inner_windows: tuple[int, ...]
    node: int  # where it is judged
    conditions: tuple[Condition, ...] = field(default=())
