"""Random workloads whose queries name each other, with a stream for each."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

TYPES = "ABC"


@dataclass(frozen=True)
class CompositionCase:
    """Queries by their names, some of which name others; events in the order of the stream."""

    queries: dict[str, str]
    events: list[dict[str, Any]]
    binding: dict[str, Any]
    columns: pa.Schema

    @property
    def table(self) -> pa.Table:
        """The events as Arrow."""
        return pa.Table.from_pylist(self.events, schema=self.columns)

    def shorter(self) -> CompositionCase:
        """The same with an event less."""
        return CompositionCase(self.queries, self.events[:-1], self.binding, self.columns)

    def __str__(self) -> str:
        """As a failing test shows it."""
        listed = [f"{name}: {text}" for name, text in self.queries.items()]
        return "\n".join([*listed, str(self.binding), *map(str, self.events)])


def random_composition(chance: random.Random, waits: bool = False, counts: float = 0.25) -> CompositionCase:
    """A workload of two to four queries, in as many levels as there happen to be; if it `waits`, what others
    name ends in an absence. Such a share of the queries `counts`."""
    typed, real, ties = chance.random() < 0.85, chance.random() < 0.25, chance.random() < 0.3
    queries: dict[str, str] = {}
    for number in range(chance.choice([2, 2, 3, 3, 4])):
        waiting = waits and (number == 0 or chance.random() < 0.3)
        queries[f"q{number}"] = _Query(chance, number, queries, typed, waiting, counts).text()
    listed = list(queries.items())
    if chance.random() < 0.4:
        chance.shuffle(listed)
    fields = [("t", pa.float64() if real else pa.int64()), ("p", pa.int64()), ("x", pa.int64())]
    fields += [("k", pa.string())] * typed + [("seq", pa.int64())]
    binding: dict[str, Any] = {"time": "t", **({"type": "k"} if typed else {})}
    if ties:
        binding["order"] = ["seq"]
    return CompositionCase(dict(listed), _events(chance, typed, real, ties), binding, pa.schema(fields))


def _events(chance: random.Random, typed: bool, real: bool, ties: bool) -> list[dict[str, Any]]:
    rows, time = [], 0
    for _ in range(chance.randint(3, 13)):
        time += chance.choice([0, 0, 1, 1, 2, 4])
        row = {
            "t": time / 4 if real else time,
            "p": chance.choice([1, 1, 1, 2, None]),
            "x": chance.choice([0, 1, 2, 3, None]),
            "seq": chance.randint(0, 3),
        }
        rows.append(row | ({"k": chance.choice([*TYPES, *TYPES, "q0"])} if typed else {}))
    return sorted(rows, key=lambda row: (row["t"], row["seq"])) if ties else rows


class _Query:
    """One query over the stream and the queries before it."""

    def __init__(
        self,
        chance: random.Random,
        number: int,
        before: Mapping[str, str],
        typed: bool,
        waits: bool,
        counts: float,
    ) -> None:
        self.chance, self.number, self.typed, self.waits = chance, number, typed, waits
        self.before, self.others = before, list(before)
        self.singles: list[tuple[str, str]] = []  # variable, type
        self.kleenes: list[tuple[str, str]] = []
        self.aggregates = not waits and chance.random() < counts
        self.made = 0
        strategies = ["skip_till_any_match"] * 3 + ["skip_till_next_match"] * 2
        strategies += ["partition_contiguity", "strict_contiguity"]
        self.strategy = "skip_till_any_match" if self.aggregates else chance.choice(strategies)

    def text(self) -> str:
        pattern = self.pattern()
        is_counted = self.aggregates and self.chance.random() < 0.5  # of the stream, as likely as of others
        while self.others and not is_counted and not any(other in pattern for other in self.others):
            self.singles, self.kleenes, self.made = [], [], 0
            pattern = self.pattern()
        strategy, conditions = self.strategy, self.conditions()
        where = f" WHERE {strategy} {{ {' AND '.join(conditions)} }}" if conditions else ""
        if not conditions and not self.aggregates:
            where = f" WHERE {strategy} {{ 1 = 1 }}"
        windows = [" WITHIN 3", " WITHIN 5", " WITHIN 5", " WITHIN 2", " WITHIN < 4", " WITHIN 5 EVENTS", ""]
        windows = windows[:5] if self.waits else windows
        return f"PATTERN {pattern}{where}{self.chance.choice(windows)}{self.results()}"

    def type(self) -> str:
        if self.others and self.chance.random() < 0.55:
            return self.chance.choice(self.others)
        return self.chance.choice([*TYPES, "ANY"]) if self.typed else "ANY"

    def variable(self) -> str:
        self.made += 1
        return f"{'abcdefghijkl'[self.made - 1]}{self.number}"

    def atom(self, forms: list[str]) -> str:
        kind, name, form = self.type(), self.variable(), self.chance.choice(forms)
        if self.strategy == "skip_till_any_match" and form in ("+", "*", "{1,2}"):
            form = "" if self.kleenes else "{1,2}" if self.others else form  # lest matches be too many
        if form in ("+", "*", "{1,2}"):
            self.kleenes.append((name, kind))
            return f"{kind}{form} {name}[]"
        if form != "~":
            self.singles.append((name, kind))
        return f"~{kind} {name}" if form == "~" else f"{kind}{form} {name}"

    def pattern(self) -> str:
        chance = self.chance
        parts = []
        if chance.random() < 0.15:
            parts.append(self.atom(["~"]))
        for place in range(chance.choice([1, 2, 2, 2, 3])):
            if chance.random() < 0.1:
                parts.append(f"OR({self.atom([''])}, {self.atom([''])})")
            else:
                parts.append(self.atom(["", "", "", "+", "{1,2}", *(["?", "*"] if place else [])]))
            if chance.random() < 0.15:
                parts.append(self.atom(["~"]))
        if self.waits:
            parts.append(self.atom(["~"]))
        return f"SEQ({', '.join(parts)})"

    def attribute(self, kind: str, returned: bool = False) -> str:
        if "AGG" in self.before.get(kind, ""):
            # how wide a count may get says its type, so that it is not always returned as the same
            return self.chance.choice(["x", "p"] if returned else ["c", "c", "c", "x", "s", "p"])
        return self.chance.choice(["x", "x", "w", "p"] if kind in self.others else ["x", "x", "seq"])

    def conditions(self) -> list[str]:
        chance = self.chance
        found = ["[p]"] if chance.random() < 0.4 else []
        for name, kind in self.singles:
            if chance.random() < 0.25:
                comparison = chance.choice(["> 0", "<= 2", "IS NOT NULL", "!= 1"])
                found.append(f"{name}.{self.attribute(kind)} {comparison}")
        for name, kind in self.kleenes:
            if chance.random() < 0.25 and not self.aggregates:
                found.append(f"{name}[i].{self.attribute(kind)} > 0")
        if len(self.singles) > 1 and chance.random() < 0.3:
            (one, of), (other, kind) = chance.sample(self.singles, 2)
            operator = chance.choice(["<=", ">=", "="])
            found.append(f"{one}.{self.attribute(of)} {operator} {other}.{self.attribute(kind)}")
        return found

    def results(self) -> str:
        chance = self.chance
        if self.aggregates:
            return self.counted()
        emit = " EMIT NON OVERLAPPING" if chance.random() < 0.25 else ""
        values = [f"{name}.{self.attribute(kind, True)}" for name, kind in self.singles]
        values += [f"{name}[last].{self.attribute(kind, True)}" for name, kind in self.kleenes]
        items = [f"{chance.choice(values)} + 1 AS w", f"{chance.choice(values)} AS y"]
        items += [f"{values[0].split('.')[0]}.p AS p"] * (chance.random() < 0.7)
        items += [f"{chance.choice(values)} AS x"] * (chance.random() < 0.5)
        items += ["last_time() AS m", "first_time() AS n"] * (chance.random() < 0.3)
        return f" RETURN {', '.join(items)}{emit}"

    def counted(self) -> str:
        """What AGG asks for: always the columns c, x and s, so that others find them."""
        chance = self.chance
        seen = f"{chance.choice([*self.singles, *self.kleenes])[0]}.x"
        items = f"COUNT AS c, MAX({seen}) AS x, SUM({seen}) AS s"
        group = " GROUP BY p" if chance.random() < 0.4 else ""
        emit = chance.choice(["", "", "", " EMIT EVERY 1", " EMIT EVERY 2", " EMIT EVERY 3"])
        test = chance.choice(["c > 0", "c >= 2", "c = 1", "s > 2", "c % 2 = 1"])
        having = f" HAVING {test}" if chance.random() < 0.5 else ""
        if having and not emit and chance.random() < 0.5:
            emit = " EMIT ON RISE"
        return f" AGG {items}{group}{having}{emit}"
