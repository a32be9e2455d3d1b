"""A set of profiles in a snapshot: the profiles in words, and what the single step knows as records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.forgetting import list_records
from cepheid.matchers.profile.one_step.memory import RecordMemory
from cepheid.matchers.profile.pool import layout as pooled
from cepheid.matchers.snapshot import Snapshot
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.plan.profile.plan import ProfilePlan

if TYPE_CHECKING:
    from cepheid.matchers.profile.sets import ProfileSetMatcher

_COUNTED = slice(at.LOOKED_UP, at.CURSOR_SIZE)


def saved_profile(
    name: str,
    plan: ProfilePlan,
    rank: int,
    is_paused: bool,
    unseen: Mapping[str, int],
    query: PatternQuery | None = None,
) -> dict[str, Any]:
    """A profile as JSON can hold it; `query` is its own, where the plan is that of another one."""
    engine, options = plan.asked
    return {
        "name": name,
        "rank": rank,
        "query": render(plan.original if query is None else query),
        "terms": plan.terms.saved(),
        "engine": engine,
        "options": [list(option) for option in options],
        "paused": is_paused,
        "unseen": dict(unseen),
    }


def save_step(matcher: ProfileSetMatcher, snapshot: Snapshot) -> None:
    """The single step into a snapshot. Profiles are known by their ranks."""
    step = matcher.step
    if step.temporal is not None:
        snapshot.arrays["timers"] = _records(matcher, step.temporal.timers.memory)
        early = step.temporal.early
        ranks = None if early is None else matcher.roster.rank_of(early).tolist()
        snapshot.values["temporal"] = step.temporal.saved() | {"early": ranks}
    snapshot.arrays |= {
        "records": _records(matcher, step.memory),
        "places": step.events.place[: step.events.kept],
        "counted": np.concatenate([step.memory.cursor[_COUNTED], step.pool.counters]),
    }
    snapshot.values |= {"seen": step.events.seen, "changed": step.changed}
    matcher.stored.save(snapshot)
    for keys, partitions in zip(step.known.tables.keys, step.partitions, strict=True):
        part = Snapshot("")
        partitions.save(part)
        snapshot.merge(f"keys {','.join(keys)}", part)


def _records(matcher: ProfileSetMatcher, memory: RecordMemory) -> np.ndarray:
    """The records of a memory."""
    numbers = np.zeros(memory.in_use, np.int64)
    count = list_records(memory.state, numbers)
    rows: np.ndarray = memory.state.rows[numbers[:count]]
    rows[:, at.PROFILE] = matcher.roster.rank_of(rows[:, at.PROFILE])
    return rows


def restore_step(matcher: ProfileSetMatcher, snapshot: Snapshot) -> None:
    """The single step from a snapshot; its profiles are there already, and know nothing yet."""
    step = matcher.step
    numbers = {saved["rank"]: matcher.roster.number_of(saved["name"]) for saved in snapshot.values["members"]}
    saved = _fitted(snapshot.arrays["records"], step.memory.state.rows.shape[1])
    timers = snapshot.arrays["timers"].copy() if "timers" in snapshot.arrays else None
    for rows in (saved,) if timers is None else (saved, timers):
        rows[:, at.PROFILE] = [numbers[rank] for rank in rows[:, at.PROFILE].tolist()]
    for keys, partitions in zip(step.known.tables.keys, step.partitions, strict=True):
        partitions.restore(snapshot.part(f"keys {','.join(keys)}"))
    rows = matcher.stored.restore(snapshot, {each.plan.known_by for each in step.known.steps})
    if rows is not None:
        rows = rows if matcher.loose is None else matcher.loose.rows(rows)
        step.events.restore(rows, snapshot.arrays["places"], snapshot.values["seen"])
    step.events.seen = snapshot.values["seen"]
    step.revive(saved, timers)
    if step.temporal is not None and "temporal" in snapshot.values:
        early = snapshot.values["temporal"]["early"]
        own = None if early is None else [numbers[rank] for rank in early]
        step.temporal.restore(snapshot.values["temporal"], own)
    counted = snapshot.arrays["counted"]
    split = at.CURSOR_SIZE - at.LOOKED_UP
    step.memory.cursor[_COUNTED] = counted[:split]
    size = step.pool.counters[pooled.SIZE]
    step.pool.counters[:] = counted[split:]
    step.pool.counters[pooled.SIZE] = size
    step.changed = snapshot.values["changed"]


def _fitted(rows: np.ndarray, width: int) -> np.ndarray:
    """Records of another width: of no other length of match, or of profiles that are there no more."""
    fitted = np.full((rows.shape[0], width), at.NONE, np.int64)
    both = min(width, rows.shape[1])
    fitted[:, :both] = rows[:, :both]
    return fitted
