"""The pool against a plain loop over the conditions: the same primitives for every event."""

# mypy: allow-untyped-calls
from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from cepheid.events import EventBatch, bind
from cepheid.matchers.masks import BatchRows, passes
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.index import PrimitiveIndex
from cepheid.matchers.profile.pool.kernel import find, insert, remove
from cepheid.pattern.nodes import atoms
from cepheid.pattern.profile import ProfileTerms
from cepheid.pattern.template import Template, template_of
from cepheid.plan.coerce import coerce
from cepheid.plan.profile.primitives import event_type
from cepheid.plan.program import EventTest
from cepheid.plan.states.predicates import element_of
from cepheid.query import query

COLUMNS = pa.schema(
    [
        ("t", pa.int64()),
        ("kind", pa.string()),
        ("i", pa.int64()),
        ("f", pa.float64()),
        ("s", pa.string()),
        ("d", pa.dictionary(pa.int8(), pa.string())),
        ("b", pa.bool_()),
        ("m", pa.timestamp("us", "Europe/Berlin")),
        ("c", pa.decimal128(10, 2)),
        ("z", pa.null()),
    ]
)
SCHEMA = bind(COLUMNS, "t", "kind")
BIG = (2**53, 2**53 + 1, 2**63 - 1, -(2**63), 9_007_199_254_740_993 * 1000)
TEXTS = (
    "",
    "a",
    "ab",
    "abc",
    "abcabc",
    "b%",
    "a_c",
    "héé",
    "日本語",
    "x\\y",
    "abcdefghijk",
    "zzabcdefyy",
    "A",
)
SIGNS = ("=", "!=", "<", "<=", ">", ">=")


def _number(r: random.Random) -> str:
    return str(
        r.choice(
            (r.randint(-4, 4), r.randint(-4, 4), r.choice(BIG[:3]), r.randint(0, 8) / 2, 0.0, 1e18, 1e19)
        )
    )


def _like(r: random.Random) -> str:
    if r.random() < 0.5:
        text = r.choice(TEXTS).replace("\\", "\\\\")
        return r.choice((f"%{text}%", f"{text}%", f"%{text}", text))
    return "".join(
        r.choice(("a", "b", "c", "é", "%", "_", "abc", "\\\\", "\\%")) for _ in range(r.randint(0, 5))
    )


def _text(r: random.Random) -> str:
    return f"'{r.choice(TEXTS)}'"


def _moment(r: random.Random) -> str:
    return f"'2024-03-31 0{r.randint(0, 5)}:00'"


def _condition(r: random.Random, v: str, depth: int = 0) -> str:
    numeric = f"{v}.{r.choice(('i', 'f', 'c', 'i', 'f', 'z'))}"
    texts = f"{v}.{r.choice(('s', 'd'))}"
    choices = [
        lambda: f"{numeric} {r.choice(SIGNS)} {_number(r)}",
        lambda: f"{_number(r)} {r.choice(SIGNS)} {numeric}",
        lambda: f"{numeric} {'NOT ' if r.random() < 0.3 else ''}BETWEEN {_number(r)} AND {_number(r)}",
        lambda: f"{numeric} IN ({', '.join(_number(r) for _ in range(r.randint(1, 3)))})",
        lambda: f"{numeric} NOT IN ({_number(r)}, {_number(r)})",
        lambda: f"{texts} {r.choice(SIGNS)} {_text(r)}",
        lambda: f"{texts} IN ({_text(r)}, {_text(r)})",
        lambda: f"{texts} {'NOT ' if r.random() < 0.2 else ''}LIKE '{_like(r)}'",
        lambda: f"{texts} LIKE '{_like(r)}'",
        lambda: f"{v}.b {r.choice(('=', '!='))} {r.choice(('TRUE', 'FALSE'))}",
        lambda: f"{v}.b",
        lambda: f"{v}.m {r.choice(SIGNS)} {_moment(r)}",
        lambda: f"hour({v}.m) {r.choice(SIGNS)} {r.randint(0, 5)}",
        lambda: f"lower({v}.s) = {_text(r)}",
        lambda: f"{v}.i * {r.choice(('2', '2.0'))} {r.choice(SIGNS)} {_number(r)}",
        lambda: f"{numeric} IS {'NOT ' if r.random() < 0.5 else ''}NULL",
        lambda: f"{v}.i IN (1, NULL, {_number(r)})",
    ]
    if depth < 2 and r.random() < 0.25:
        word = r.choice((" OR ", " AND "))
        inner = word.join(_condition(r, v, depth + 1) for _ in range(r.randint(2, 3)))
        return f"{'NOT ' if r.random() < 0.3 else ''}({inner})"
    return r.choice(choices)()


def _profile(r: random.Random) -> str:
    first = " AND ".join(_condition(r, "a") for _ in range(r.randint(1, 3)))
    kind = r.choice(("A", "B", "ANY"))
    if r.random() < 0.5:
        return f"PATTERN {kind} a WHERE {first}"
    second = _condition(r, "b")
    return f"PATTERN SEQ({kind} a, A b) WHERE {first} AND a.i < b.i AND {second}"


def _events(r: random.Random, count: int) -> pa.RecordBatch:
    def some(*values: object) -> list[object]:
        return [None if r.random() < 0.15 else r.choice(values) for _ in range(count)]

    start = datetime(2024, 3, 30, 22, tzinfo=UTC)
    moments = [start + timedelta(minutes=30 * k) for k in range(20)]
    nan, inf = float("nan"), float("inf")
    columns = [
        list(range(count)),
        some("A", "B", "C"),
        some(*range(-4, 5), *BIG),
        some(-0.0, 0.0, 1.0, 1.5, 2.5, nan, inf, -inf, 1e18, 1e19, 9007199254740992.0, -2.0),
        some(*TEXTS),
        some(*TEXTS),
        some(True, False),
        some(*moments),
        some(*[round(k / 4, 2) for k in range(-8, 9)]),
        [None] * count,
    ]
    arrays = []
    for values, field in zip(columns, COLUMNS, strict=True):
        if field.name == "c":
            arrays.append(pa.array(values, pa.float64()).cast(field.type))
        elif field.name == "d":
            arrays.append(pa.array(values, pa.string()).dictionary_encode().cast(field.type))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=COLUMNS)


def _expected(
    template: Template, constants: tuple[object, ...], variable: str, batch: pa.RecordBatch
) -> np.ndarray:
    """Which events satisfy a variable's conjuncts, by the toolbox."""
    filled = template.filled(constants)
    conditions = tuple(element_of(coerce(filled.conjuncts[k], SCHEMA)) for k in template.alone[variable])
    atom = next(each for each in atoms(filled.pattern) if each.variable == variable)
    test = EventTest(event_type(atom, SCHEMA), conditions)
    held = passes(test, BatchRows(batch, SCHEMA, "us"), {})
    return np.ones(batch.num_rows, bool) if held is None else held


class Trial:
    """An index with what is known of its primitives in a plainer way."""

    def __init__(self) -> None:
        self.index = PrimitiveIndex(SCHEMA, "us")
        self.state = self.index.state()
        self.meaning: dict[int, tuple[Template, tuple[object, ...], str]] = {}
        self.kept: list[Template] = []
        self.active: dict[int, int] = {}

    def add(self, texts: list[str]) -> None:
        for text in texts:
            template, constants = template_of(query(text).tree, ProfileTerms())
            self.kept.append(template)
            (ids,) = self.index.add(template, [constants])
            for variable, primitive in zip(template.variables, ids, strict=True):
                self.meaning.setdefault(int(primitive), (template, constants, variable))
        self.state = self.index.widened(self.state)

    def change(self, r: random.Random) -> None:
        for _ in range(r.randint(0, 3)):
            primitive = r.randrange(self.index.count)
            if r.random() < 0.5:
                insert(self.index.tables, self.state, primitive)
                self.active[primitive] = self.active.get(primitive, 0) + 1
            elif self.active.get(primitive, 0) > 0:
                remove(self.index.tables, self.state, primitive)
                self.active[primitive] -= 1

    def check(self, r: random.Random, batch: pa.RecordBatch) -> int:
        held = {p: _expected(*meaning, batch) for p, meaning in self.meaning.items()}
        events = self.index.read(EventBatch(batch, np.arange(batch.num_rows), 0))
        hits, told = np.zeros(self.index.count, np.int32), 0
        for e in range(batch.num_rows):
            self.change(r)
            n = find(self.index.tables, self.state, events, e, hits)
            expected = {p for p, often in self.active.items() if often and held[p][e]}
            assert sorted(hits[:n]) == sorted(expected), [
                self.shown(p) for p in expected ^ set(hits[:n].tolist())
            ]
            told += n
        assert self.state.counters[at.SIZE] == sum(often > 0 for often in self.active.values())
        assert self.state.counters[at.TESTED] >= self.state.counters[at.FOUND]
        return told

    def shown(self, primitive: int) -> str:
        template, constants, variable = self.meaning[primitive]
        return f"{query(template.filled(constants))} {variable}"


@pytest.mark.parametrize("seed", range(12))
def test_an_event_finds_the_primitives_that_it_satisfies(seed: int) -> None:
    r, told = random.Random(f"pool-{seed}"), 0
    for _ in range(3):
        trial = Trial()
        for size in (r.randint(1, 40), r.randint(0, 3), r.randint(0, 20)):
            trial.add([_profile(r) for _ in range(size)])
            for primitive in range(trial.index.count):
                if r.random() < 0.6 and not trial.active.get(primitive):
                    insert(trial.index.tables, trial.state, primitive)
                    trial.active[primitive] = 1
            told += trial.check(r, _events(r, r.randint(0, 40)))
            if r.random() < 0.4:
                trial.index.rebuild()
                trial.state = trial.index.moved(trial.state)
            if r.random() < 0.4:
                trial.index = trial.index.fork()
                trial.state = trial.index.widened(trial.state)
    assert told > 0
