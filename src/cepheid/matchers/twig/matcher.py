"""Tokens in, rows out: the transducer as a matcher."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa

from cepheid.matchers.twig.tables import TwigTables
from cepheid.matchers.twig.tokens import ATTRIBUTE, END, START, Names, Tokens
from cepheid.matchers.twig.transducer import ToldRow, Transducer
from cepheid.plan.twig.plan import TwigPlan

SCHEMA = pa.schema(
    [
        ("match", pa.int64()),
        ("var", pa.string()),
        ("parent", pa.int64()),
        ("run", pa.int64()),
        ("tag", pa.string()),
        ("text", pa.string()),
        ("attributes", pa.map_(pa.string(), pa.string())),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)


class TwigMatcher:
    """Finds the rows of a plan in the tokens of one document."""

    def __init__(self, plan: TwigPlan, names: Names, local_names: bool = False) -> None:
        self._plan = plan
        self._names = names
        self._transducer = Transducer(TwigTables(plan, local_names))

    def process(self, tokens: Tokens) -> pa.Table:
        """The rows that became certain, in document order."""
        texts, transducer = self._names.texts, self._transducer
        kinds, names = tokens.kind.tolist(), tokens.name.tolist()
        values = iter(_values(tokens))
        at, number = 0, len(kinds)
        while at < number:
            kind, here = kinds[at], at
            at += 1
            if kind == START:
                attributes = []
                while at < number and kinds[at] == ATTRIBUTE:
                    attributes.append((texts[names[at]], next(values)))
                    at += 1
                transducer.start(texts[names[here]], int(tokens.start[here]), attributes)
            elif kind == END:
                transducer.end(int(tokens.end[here]))
            else:
                transducer.text(next(values))
        told, transducer.told = transducer.told, []
        return rows_table(self._plan, told)


def _values(tokens: Tokens) -> list[str]:
    places = tokens.offsets.tolist()
    return [tokens.values[begin:end].decode() for begin, end in pairwise(places)]


def rows_table(plan: TwigPlan, told: Sequence[ToldRow]) -> pa.Table:
    """Rows in document order, then by the variables' first place in the pattern."""
    ordered = sorted(told, key=lambda one: (one.row.start, one.row.variable))
    columns = {
        "match": [one.match for one in ordered],
        "var": [plan.variables[one.row.variable] for one in ordered],
        "parent": [_or_null(one.parent) for one in ordered],
        "run": [_or_null(one.run) for one in ordered],
        "tag": [one.row.tag for one in ordered],
        "text": [one.row.text for one in ordered],
        "attributes": [one.row.attributes for one in ordered],
        "start": [one.row.start for one in ordered],
        "end": [one.row.end for one in ordered],
    }
    return pa.table(columns, schema=SCHEMA)


def _or_null(place: int) -> int | None:
    return None if place < 0 else place
