"""The workload of the CompAS paper: sequences (A; Z) over events with one integer attribute.

Profiles are distinct, and have no window. An event has no type: whether it is an A or a Z, or neither, is a
matter of its value, which is in [-100000, 100000].
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.profiles import Profile, ProfileSet, profile, profiles

STREAM: dict[str, Any] = {"time": "time"}
ENDS = 100_000
"""The domain is from its negative to this. What begins a sequence is less than 0, what ends it is not."""

ALL, UNIQUE = "all pairs", "unique pairs"
SETTINGS: dict[str, dict[str, Any]] = {ALL: {}, UNIQUE: {"once": "ever"}}
"""Every pair is told; or the first one, and then the profile is done with."""

METHODS: dict[str, dict[str, str]] = {
    "dynamic": {},
    "mark": {"variant": "mark"},
    "reference": {"variant": "reference"},
    "two steps": {"method": "two_step"},
}
ONE_STEP, TWO_STEPS = ("dynamic", "mark", "reference"), "two steps"


@dataclass(frozen=True, slots=True)
class Sequences:
    """Profiles (A; Z) by the values that they ask for, and the values of a stream."""

    starts: tuple[int, ...]  # of each profile
    ends: tuple[int, ...]
    events: tuple[int, ...]

    def set_of(self, setting: str, method: str, alone: Iterable[int] = ()) -> ProfileSet:
        """The profiles as a set, with a primitive profile for each value in `alone`."""
        pairs = enumerate(zip(self.starts, self.ends, strict=True))
        made = {f"p{k}": profile(_text(*pair), **SETTINGS[setting]) for k, pair in pairs}
        return profiles(made | primitive_profiles(alone), **METHODS[method])

    @property
    def table(self) -> pa.Table:
        """The stream."""
        return pa.table({"time": np.arange(len(self.events)), "x": np.array(self.events, np.int64)})


def primitive_profiles(values: Iterable[int]) -> dict[str, Profile]:
    """A profile of one part for each value."""
    asked = enumerate(values)
    return {f"q{k}": profile(f"PATTERN Z WHERE Z.x = {value} RETURN Z.time AS time") for k, value in asked}


def _text(start: int, end: int) -> str:
    return f"PATTERN A;Z WHERE A.x = {start} AND Z.x = {end} RETURN Z.time AS time"


@lru_cache(64)
def grouped(profiles: int, starts: int, groups: int) -> Sequences:
    """Figures 6 and 7: all profiles end with the same event; `starts` distinct events that begin one come
    in groups, each closed by that event. Profiles past the events stay unmatched."""
    beginning = [-1 - k for k in range(max(profiles, starts))]
    size, events = starts // groups, []
    for group in range(groups):
        events += [*beginning[group * size : (group + 1) * size], ENDS]
    return Sequences(tuple(beginning[:profiles]), (ENDS,) * profiles, tuple(events))


@lru_cache(64)
def crossed(starts: int, ends: int, events: int) -> Sequences:
    """Figure 8: each of some beginnings with each of some ends. Events come once each, those that begin
    something first; the rest of the stream is neither."""
    values = [*(-1 - k for k in range(starts)), *range(ends)]
    pairs = [(-1 - a, z) for a in range(starts) for z in range(ends)]
    others = [ends + k % 1_000 for k in range(max(0, events - len(values)))]
    spread = np.sort(np.random.default_rng(1).permutation(len(values) + len(others))[: len(values)])
    stream = np.empty(len(values) + len(others), np.int64)
    is_part = np.zeros(stream.size, np.bool_)
    is_part[spread] = True
    stream[is_part], stream[~is_part] = values, others
    return Sequences(tuple(a for a, _ in pairs), tuple(z for _, z in pairs), tuple(stream.tolist()))


@lru_cache(64)
def at_distance(profiles: int, distance: int) -> Sequences:
    """Pairs of events, each end so many events after its beginning; all profiles are matched once."""
    starts, ends = [-1 - k for k in range(profiles)], list(range(profiles))
    events = []
    for k in range(profiles + distance):
        events += [starts[k]] if k < profiles else []
        events += [ends[k - distance]] if k >= distance else []
    return Sequences(tuple(starts), tuple(ends), tuple(events))
