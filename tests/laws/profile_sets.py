"""Random sets of profiles: one step in all variants and two steps tell what each profile tells alone."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from cepheid.errors import QueryCheckError
from cepheid.events import END
from cepheid.matchers.plain_text import json_lines
from cepheid.plan.profile.single_step import beside_reason
from cepheid.profiles import Profile, ProfileSet, profile, profiles
from cepheid.runners.stream.binding import bound_schema
from tests.cases.profiles import ProfileCase, random_cases_like

WAYS: dict[str, dict[str, str]] = {
    "dynamic": {},
    "mark": {"variant": "mark"},
    "reference": {"variant": "reference"},
    "two steps": {"method": "two_step"},
}
Told = list[tuple[str, str]]
"""The ids and the texts of matches."""


@dataclass(frozen=True)
class CheckedSet:
    """What came of a set: how much each profile told, and how many runs of profiles each way followed by
    itself or left to another engine."""

    told: dict[str, int]
    followed: Counter[str]
    beside: Counter[str]

    def note(self, way: str, stats: Mapping[str, Any]) -> None:
        """A run in one way."""
        self.followed[way] += stats["profiles"] - stats["beside"]
        self.beside[way] += stats["beside"]


def random_set(rng: random.Random, case: ProfileCase) -> dict[str, Profile]:
    """The profile of a case, and others over a stream that is bound as its own; it may not have all that they
    name."""
    others = itertools.islice(random_cases_like(case, rng, 40), 3)
    return {
        f"p{number}": profile(each.query_text, **each.parameters)
        for number, each in enumerate([case, *others])
    }


def _alone(members: dict[str, Profile], case: ProfileCase) -> dict[str, Told]:
    """What each profile tells by itself, but for those that name what the stream does not have, or compare it
    with what it cannot be compared with."""
    found = {}
    for name, each in members.items():
        try:
            found[name] = rows_of(each.run(case.table, **case.binding).table)
        except cepheid.CepheidError:
            if name == "p0":
                raise
    return found


def check_set(case: ProfileCase, rng: random.Random) -> CheckedSet:
    """Fail unless a set tells in all ways what its profiles tell alone."""
    drawn = random_set(rng, case)
    alone = _alone(drawn, case)
    members = {name: drawn[name] for name in alone}
    checked = CheckedSet({name: len(rows) for name, rows in alone.items()}, Counter(), Counter())
    tested = {}
    for way, options in WAYS.items():
        found = profiles(members, **options).run(case.table, **case.binding)
        assert len(found) == found.table.num_rows
        assert by_name(found.table, members) == alone, f"{way}: a table"
        tested[way] = found.stats["tested"]
        checked.note(f"{way}, a table", found.stats)
    assert all(tested[way] <= tested["two steps"] for way in WAYS), tested
    if case.lateness is not None:
        lasting = {n: e for n, e in members.items() if _may_wait(e, case)}
        way = rng.choice(list(WAYS))
        checked.note(f"{way}, a session", check_session(case, lasting, way, rng))
    return checked


def is_followed(case: ProfileCase) -> bool:
    """Whether the profile of a case is followed in the single step."""
    plan = profile(case.query_text, **case.parameters).plan(
        bound_schema(case.table.schema, **({"type": None, "order": (), "time_unit": None} | case.binding))
    )
    return beside_reason(plan) is None


def _may_wait(each: Profile, case: ProfileCase) -> bool:
    try:
        each.session(case.table.schema, **case.binding)
    except QueryCheckError:
        return False
    return True


def check_session(
    case: ProfileCase, members: dict[str, Profile], way: str, rng: random.Random
) -> Mapping[str, Any]:
    """Profiles are added, removed and paused at random, with snapshots in between; the session of each alone
    begins where it was added. The numbers of the session at its end."""
    events, edges = case.table, [0]
    while edges[-1] < len(events):
        edges.append(min(len(events), edges[-1] + rng.randint(1, 4)))
    spans = {name: sorted((rng.randrange(len(edges)), rng.randrange(len(edges) + 1))) for name in members}
    spans |= {name: [0, len(edges) + 1] for name in members if rng.random() < 0.5}
    start = {name: each for name, each in members.items() if spans[name][0] == 0}
    lateness = case.lateness
    session = profiles(start, **WAYS[way]).session(events.schema, **case.binding, lateness=lateness)
    alone = {
        name: each.session(events.schema, **case.binding, lateness=lateness) for name, each in start.items()
    }
    expected: dict[str, Told] = {name: [] for name in members}
    tables = []
    for number, (first, last) in enumerate([*itertools.pairwise(edges), (len(events), len(events))]):
        for name, (begin, end) in spans.items():
            if number == begin and number and not lateness:
                session.add(name, members[name])
                alone[name] = members[name].session(events.schema, **case.binding)
                if abs(session.watermark) != END:
                    alone[name].advance(pc.max(events.slice(0, first).column(case.binding["time"])).as_py())
            elif number == end and name in alone:
                session.remove(name)
                del alone[name]
        if rng.random() < 0.3:
            session = cepheid.resume(ProfileSet({}, **WAYS[way]), session.snapshot())
        piece = events.slice(first, last - first)
        tables.append(session.push(piece.to_pylist() if rng.random() < 0.4 else piece))
        for name, own in alone.items():
            expected[name] += rows_of(own.push(piece))
    tables.append(session.close())
    for name, own in alone.items():
        expected[name] += rows_of(own.close())
    found = by_name(pa.concat_tables(tables), members)
    assert {n: [text for _, text in rows] for n, rows in found.items()} == {
        n: [text for _, text in rows] for n, rows in expected.items()
    }, f"{way}: a session"
    return session.stats


def by_name(table: pa.Table, members: dict[str, Profile]) -> dict[str, Told]:
    """What each profile has told."""
    found: dict[str, Told] = {name: [] for name in members}
    for row in table.to_pylist():
        found[row["profile"]].append((row["match_id"], row["match"]))
    return found


def rows_of(table: pa.Table) -> Told:
    """What a profile alone has told, as a set tells it."""
    own = table.drop_columns(["match_id"]).combine_chunks()
    ids = table.column("match_id").to_pylist()
    if own.num_columns == 0:
        return [(known, "{}") for known in ids]
    texts = [line for batch in own.to_batches() for line in json_lines(batch).splitlines()]
    return list(zip(ids, texts, strict=True))
