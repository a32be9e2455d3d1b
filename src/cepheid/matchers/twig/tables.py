"""A plan as arrays: bit s of a set of steps is step s, bit k of a set of tests the k-th."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from cepheid.errors import UnsupportedError
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.constants import add_comparison
from cepheid.matchers.twig.scan import layout as scanned
from cepheid.plan.twig.plan import ElementTest, Reach, SiblingFA, StateFunction, TestKind, TwigPlan

REACHES = {Reach.CHILDREN: at.CHILDREN, Reach.BELOW: at.BELOW, Reach.HERE_OR_BELOW: at.HERE_OR_BELOW}
LOOKING = ((Reach.CHILDREN,), (Reach.BELOW, Reach.HERE_OR_BELOW), (Reach.HERE_OR_BELOW,))
KINDS = (
    (TestKind.ATTRIBUTE,),
    (TestKind.VALUE,),
    (TestKind.NTH, TestKind.LAST),
    (TestKind.SIBLINGS,),
)
"""The kinds of tests in the order in which they stand. Branches are answered by their own steps."""


class TwigTables(NamedTuple):
    """What the transducer reads at every token."""

    steps: np.ndarray
    code: np.ndarray  # all else, one after the other
    entities: int  # places in it: of the entities that were given,
    last_places: int  # and, of each position that is asked for, the bit of its test
    words: int  # of a set of steps
    positions: int  # how many are asked for
    counts_at: int  # where layers have, for each of these, how many children there are
    lasts_at: int  # and the last one
    longest: int  # how many bytes one of the entities means
    need: int  # how much of the heap a tag may need
    need_queued: int  # and for each child that is not read yet
    skips: int  # whether elements that nobody looks at are only counted


def twig_tables(plan: TwigPlan, entities: Mapping[str, str]) -> TwigTables:
    """The tables of a plan."""
    words = words_for(plan)
    code: list[int] = []
    automata = [_add_automaton(plan, fa, code) for fa in plan.automata]
    rows = [_step_row(plan, step, automata, words) for step in plan.steps]
    positions: list[int] = []
    for step, row in zip(plan.steps, rows, strict=True):
        _add_tests(plan, step, row, automata, positions, code)
    last_places = len(code)
    code += positions
    begin = len(code)
    _add_entities(entities, code)
    items = max((len(fa.steps) for fa in plan.automata), default=0)
    queued = items * at.TAKEN_SIZE + at.ATTEMPT_SIZE
    tag = len(rows) * at.STANDING_SIZE + len(automata) * (at.READER_SIZE + at.KID_SIZE + queued)
    counts = at.LAYER_SIZE + 2 * words
    return TwigTables(
        np.array(rows, np.int64),
        np.array(code or [0], np.int64),
        begin,
        last_places,
        words,
        len(positions),
        counts,
        counts + len(positions),
        max((len(text.encode()) for text in entities.values()), default=0),
        tag,
        queued,
        int(not positions),
    )


def attribute_names(plan: TwigPlan) -> list[str | None]:
    """The names that tests ask of attributes, each once; None is any."""
    tests = (test for step in plan.steps for test in step.tests if test.kind is TestKind.ATTRIBUTE)
    return list(dict.fromkeys(test.name for test in tests))


def asked_by(tables: TwigTables) -> list[int]:
    """What the tokenizer has to tell of an element that a step wants, for each step."""
    return [
        scanned.ITSELF
        | (scanned.ITS_TEXT if row[at.WANTS_TEXT] else 0)
        | (scanned.ITS_CHILDREN if row[at.SIBLING_TESTS] < row[at.TESTS_END] else 0)
        for row in tables.steps
    ]


def step_sets(numbers: Iterable[int], words: int) -> list[int]:
    """Steps as a set of so many words."""
    found = [0] * words
    for number in numbers:
        found[number // at.WORD] |= 1 << number % at.WORD
    return found


def words_for(plan: TwigPlan) -> int:
    """How many words a set of steps takes."""
    return -(-len(plan.steps) // at.WORD)


def _step_row(plan: TwigPlan, step: StateFunction, automata: list[int], words: int) -> list[int]:
    if len(step.tests) > at.WORD:
        raise UnsupportedError(
            f"a step may have {at.WORD} conditions, not {len(step.tests)}: {step.text[:80]}"
        )
    row = [0] * at.STEP_SIZE
    row[at.ABOVE], row[at.REACH] = step.above, REACHES[step.reach]
    row[at.VARIABLE], row[at.LETTER] = step.variable, step.letter
    row[at.AUTOMATON] = at.NONE if step.automaton < 0 else automata[step.automaton]
    row[at.ASKED] = (1 << len(step.tests)) - 1
    row[at.POSITION_BITS] = _bits(
        place for place, test in enumerate(step.tests) if test.kind in (TestKind.NTH, TestKind.LAST)
    )
    row[at.WANTS_TEXT] = int(step.variable >= 0 or any(test.kind is TestKind.VALUE for test in step.tests))
    row[at.IS_TEST] = int(step.number > 0 and step.automaton < 0 and not _returns(plan, step.number))
    for reaches in LOOKING:
        looking = (s.number for s in plan.steps if s.above == step.number and s.reach in reaches)
        row += step_sets(looking, words)
    return row


def _add_tests(
    plan: TwigPlan,
    step: StateFunction,
    row: list[int],
    automata: list[int],
    positions: list[int],
    code: list[int],
) -> None:
    """Add the tests of a step, by kind, behind the constants that they compare with."""
    asked = attribute_names(plan)
    against = [at.NONE if test.against is None else add_comparison(test.against, code) for test in step.tests]
    for kinds, column in zip(KINDS, range(at.ATTRIBUTE_TESTS, at.TESTS_END), strict=True):
        row[column] = len(code)
        for place, test in enumerate(step.tests):
            if test.kind not in kinds:
                continue
            code += [place, _target(test, asked, automata), against[place], int(test.kind is TestKind.LAST)]
            if test.kind in (TestKind.NTH, TestKind.LAST):
                code[-2] = len(positions)
                positions.append(place)
    row[at.TESTS_END] = len(code)


def _target(test: ElementTest, asked: list[str | None], automata: list[int]) -> int:
    if test.kind is TestKind.ATTRIBUTE:
        return asked.index(test.name)
    return automata[test.target] if test.kind is TestKind.SIBLINGS else test.target


def _add_automaton(plan: TwigPlan, fa: SiblingFA, code: list[int]) -> int:
    """Add an automaton and its items; where it begins."""
    if len(fa.steps) > at.WORD:
        raise UnsupportedError(
            f"a sibling expression may have {at.WORD} items, not {len(fa.steps)}: {fa.text[:80]}"
        )
    by_tag = _bits(k for k, step in enumerate(fa.steps) if plan.steps[step].reach is Reach.CHILDREN)
    start = _ordered(fa.start, code)
    follow = [_ordered(some, code) for some in fa.follow]
    first = len(code)
    for k, step in enumerate(fa.steps):
        code += [step, fa.follow_sets[k], int(fa.accepting[k]), *follow[k]]
    code += [fa.owner, first, len(fa.steps), fa.start_set, *start, by_tag]
    return len(code) - at.AUTOMATON_SIZE


def _ordered(items: tuple[int, ...], code: list[int]) -> list[int]:
    code += items
    return [len(code) - len(items), len(code)]


def _add_entities(entities: Mapping[str, str], code: list[int]) -> None:
    """Each as the lengths of its name and of its text, and then their bytes."""
    for name, text in entities.items():
        code += [len(name.encode()), len(text.encode()), *name.encode(), *text.encode()]


def _returns(plan: TwigPlan, number: int) -> bool:
    """Whether a step or one below it is returned."""
    below = (step.number for step in plan.steps if step.above == number)
    return plan.steps[number].variable >= 0 or any(_returns(plan, each) for each in below)


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)
