"""The ways to run a query: an engine with its options. A new engine is a line in WAYS."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import cepheid
from cepheid.errors import UnsupportedError
from cepheid.events import bind
from cepheid.pattern.query import PatternQuery
from cepheid.plan.engines import ENGINES
from tests.cases import (
    SHIFTING,
    AggregateCase,
    Case,
    TreeOptions,
    random_aggregate_case,
    random_and_aggregate_case,
    random_and_case,
    random_case,
)
from tests.laws.restless import restless
from tests.laws.shifting import shifting

Draw = Callable[[random.Random], Case]
MATCHES: tuple[Draw, ...] = (random_case,)
AGGREGATES: tuple[Draw, ...] = (random_aggregate_case,)
CONJUNCTIONS: tuple[Draw, ...] = (random_and_case, random_and_aggregate_case)


@dataclass(frozen=True)
class Way:
    """How a query is run, and which queries can be run so."""

    name: str
    kinds: tuple[Draw, ...]  # cases with queries of the kinds that it answers
    using: Callable[[cepheid.Query], cepheid.Query]
    takes_all: bool = False  # whether it refuses no query of these kinds
    has_sessions: bool = True
    builds_matches: bool = False  # so it would not be done with the matches of a long case
    around: Callable[[], AbstractContextManager[None]] = nullcontext

    def __str__(self) -> str:
        return self.name

    def query(self, source: str | PatternQuery) -> cepheid.Query:
        """The query, to be run in this way."""
        return self.using(cepheid.query(source))

    def refusal(self, case: Case) -> str | None:
        """Why the case's query cannot be run in this way; None if it can."""
        if self.builds_matches and isinstance(case, AggregateCase) and case.is_long:
            return "more matches than can be built"
        try:
            self.query(case.query_text).plan(bind(case.table.schema, **case.binding))
        except UnsupportedError as error:
            if self.takes_all:
                raise
            return error.message
        return None

    def supports(self, case: Case) -> bool:
        return self.refusal(case) is None

    def cases(self, seed: str) -> Iterator[Case]:
        """Random cases that it supports, without end."""
        for number in itertools.count():
            case = self.kinds[number % len(self.kinds)](random.Random(f"{seed}-{number}"))
            if self.supports(case):
                yield case


def _named(engine: str, **options: Any) -> Callable[[cepheid.Query], cepheid.Query]:
    return lambda query: query.using(engine, **options)


def _as_it_is(query: cepheid.Query) -> cepheid.Query:
    return query


def has_engine(name: str) -> bool:
    """Whether there is an engine of this name."""
    return any(engine.name == name for engine in ENGINES)


def tree_way(options: TreeOptions) -> Way:
    """The tree engine with these options."""
    around = shifting if options.shape == SHIFTING else nullcontext
    return Way(f"tree {options}", CONJUNCTIONS, _named("tree", **options.keywords), around=around)


_nfa = partial(Way, kinds=MATCHES)
_tree = partial(Way, kinds=(*MATCHES, random_and_case))
_aggregate = partial(Way, kinds=AGGREGATES)
_built = partial(_aggregate, builds_matches=True)

WAYS = (
    Way("auto", (*MATCHES, *CONJUNCTIONS, *AGGREGATES), _as_it_is, takes_all=True),
    _nfa("nfa", using=_named("nfa"), takes_all=True),
    _nfa("nfa restless", using=_as_it_is, takes_all=True, around=restless),
    _nfa("nfa basic", using=_named("nfa", sharing="basic"), takes_all=True),
    _nfa("nfa merging", using=_named("nfa", sharing="merging")),
    _nfa("nfa backtracking", using=_named("nfa", sharing="backtracking"), has_sessions=False),
    _tree("tree", using=_named("tree")),
    _tree("tree shifting", using=_named("tree"), around=shifting),
    _tree("tree right", using=_named("tree", shape="right", batch=3)),
    _aggregate("aggregate", using=_named("aggregate"), takes_all=True),
    _aggregate("aggregate aseq", using=_named("aggregate", method="aseq")),
    _aggregate("aggregate stacks", using=_named("aggregate", method="stacks")),
    _aggregate("aggregate inverse", using=_named("aggregate", method="inverse")),
    _aggregate("aggregate ordered", using=_named("aggregate", method="ordered")),
    _built("aggregate construction", using=_named("aggregate", method="construction")),
    _built("aggregate two_step", using=_named("aggregate", method="two_step"), takes_all=True),
)
BY_NAME = {way.name: way for way in WAYS}
