"""Random sets of profiles over events without a schema: every way tells what the oracle does, however the
stream is cut, and whatever is added, removed, paused or resumed in between."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pandas as pd
import pyarrow as pa

import cepheid
from cepheid.events import END
from cepheid.language.sase.parse import parse
from cepheid.pattern.durations import parse_duration
from cepheid.profiles import Profile, ProfileSet, profile, profiles
from cepheid.runners.embedded.run_profiles import run_loose
from tests.cases.loose import Event, LooseCase, LooseProfile
from tests.laws.profile_sets import WAYS
from tests.oracle import profile_rows
from tests.oracle.kinds import LooseTime

BINDING: dict[str, Any] = {"time": "time", "type": "type"}
Told = dict[str, list[Any]]


def check_loose(case: LooseCase, rng: random.Random) -> int:
    """Fail unless dicts in all ways, and a session in one, tell what the oracle does; how much that is."""
    members = {name: profile(each.text, **each.parameters) for name, each in case.profiles.items()}
    expected = {name: _told_by_oracle(case.events, each) for name, each in case.profiles.items()}
    ids: dict[str, list[str]] | None = None
    for way, options in WAYS.items():
        found = run_loose(profiles(members, **options).plan, case.events, **BINDING).table
        assert _rows(found, members) == expected, f"{way}: dicts"
        ids = _ids(found, members) if ids is None else ids
        assert _ids(found, members) == ids, f"{way}: other ids"
    way = rng.choice(list(WAYS))
    whole = _in_pieces(profiles(members, **WAYS[way]), case.events, rng)
    assert _rows(whole, members) == expected, f"{way}: a session"
    assert _ids(whole, members) == ids, f"{way}: a session has other ids"
    check_changes(case, members, rng, lateness=rng.choice((0, 3)))
    return sum(map(len, expected.values()))


def _told_by_oracle(events: Sequence[Event], each: LooseProfile) -> list[Any]:
    once = each.parameters["once"]
    terms = each.parameters | {"once": once if once in (None, "ever") else parse_duration(once)}
    held = [{name: LooseTime.of(value) for name, value in event.items()} for event in events]
    rows = profile_rows(parse(each.text), held, **terms, **BINDING)
    return [_plain(row) for row in rows]


def _in_pieces(found: ProfileSet, events: Sequence[Event], rng: random.Random) -> pa.Table:
    session = found.session(**BINDING)
    tables = []
    for first, last in itertools.pairwise(_edges(len(events), rng)):
        if rng.random() < 0.3:
            session = cepheid.resume(ProfileSet({}, found.method, found.variant), session.snapshot())
        tables.append(session.push(_in_some_form(events[first:last], rng)))
        assert session.push([]).num_rows == 0, "silence told something"
    tables.append(session.close())
    assert session.stats["late"] == session.stats["bad"] == 0
    return pa.concat_tables(tables)


def _edges(count: int, rng: random.Random) -> list[int]:
    edges = [0]
    while edges[-1] < count:
        edges.append(min(count, edges[-1] + rng.choice((1, 1, 2, 4, 20))))
    return edges


def _in_some_form(piece: Sequence[Event], rng: random.Random) -> Any:
    chance = rng.random()
    if len(piece) == 1 and chance < 0.4:
        return piece[0]
    if chance < 0.6:
        return list(piece)
    if chance < 0.8:
        return pd.DataFrame(piece, dtype=object)
    return (event for event in piece)


# -- change ----------------------------------------------------------------------------------------


def check_changes(
    case: LooseCase, members: Mapping[str, Profile], rng: random.Random, lateness: int = 0
) -> None:
    """Profiles are added, removed, paused and resumed at random, while events may wait for the watermark.
    Each tells what it would tell alone, in a session that begins where it was added or resumed."""
    events = _disordered(case.events, rng) if lateness else case.events
    way, terms = rng.choice(list(WAYS)), BINDING | {"lateness": lateness}
    start = {name: each for name, each in members.items() if rng.random() < 0.5}
    session = profiles(start, **WAYS[way]).session(**terms)
    alone = {name: profiles({name: each}).session(**terms) for name, each in start.items()}
    expected: Told = {name: [] for name in members}
    found: Told = {name: [] for name in members}
    paused: set[str] = set()
    for first, last in itertools.pairwise(_edges(len(events), rng)):
        for name, each in members.items():
            if rng.random() < 0.3:
                _change(name, each, session, alone, paused, terms)
        if rng.random() < 0.2:
            session = cepheid.resume(ProfileSet({}, **WAYS[way]), session.snapshot())
        piece = list(events[first:last])
        _add(found, _rows(session.push(piece), members))
        for name, own in alone.items():
            _add(expected, _rows(own.push(piece), {name: members[name]}))
    if events:  # time is that of the session, also for a profile that came late: let all have seen the newest
        newest = [{"time": max(event["time"] for event in events), "type": "none"}]
        _add(found, _rows(session.push(newest), members))
        for name, own in alone.items():
            _add(expected, _rows(own.push(newest), {name: members[name]}))
    _add(found, _rows(session.close(), members))
    for name, own in alone.items():
        _add(expected, _rows(own.close(), {name: members[name]}))
    assert found == expected, f"{way}: changes with a lateness of {lateness}"


def _change(
    name: str, each: Profile, session: Any, alone: dict[str, Any], paused: set[str], terms: dict[str, Any]
) -> None:
    """The next thing that may happen to a profile. What was told before a pause is not forgotten, so only
    profiles that do not look at it are paused."""
    forgets = each.terms.consume == "all" and each.terms.once is None
    if name in paused:
        session.resume(name)
        paused.discard(name)
    elif name not in session.names:
        session.add(name, each)
    elif forgets and len(each.text) % 2:
        session.pause(name)
        paused.add(name)
        del alone[name]
        return
    else:
        session.remove(name)
        del alone[name]
        return
    alone[name] = profiles({name: each}).session(**terms)
    if abs(session.watermark) != END:
        alone[name].advance(session.watermark)


def _disordered(events: Sequence[Event], rng: random.Random) -> list[Event]:
    """The events as they may arrive where some are late by 3 at most."""
    return sorted(events, key=lambda event: event["time"] + rng.choice((0, 0, 1, 3)))


def _add(told: Told, more: Told) -> None:
    for name, rows in more.items():
        told[name] += rows


# -- rows ------------------------------------------------------------------------------------------


def _rows(table: pa.Table, members: Mapping[str, Any]) -> Told:
    found: Told = {name: [] for name in members}
    for row in table.to_pylist():
        found[row["profile"]].append(_plain(json.loads(row["match"])))
    return found


def _ids(table: pa.Table, members: Mapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in members}
    for row in table.to_pylist():
        found[row["profile"]].append(row["match_id"])
    return found


def _plain(value: Any) -> Any:
    """A value by which others can be told from it: Python has 1 and True equal. Nulls are no values."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bool):
        return f"{value}"
    return value.isoformat() if isinstance(value, datetime) else value
