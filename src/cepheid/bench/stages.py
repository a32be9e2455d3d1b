"""Where a run's time goes: reading the events, matching, and constructing the matches."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cepheid.matchers.nfa import matcher

READING, MATCHING, CONSTRUCTION = "_events", "process", "_drain"
"""The nfa matcher's steps: columns, masks and keys; the whole of a batch; found matches to rows."""


@dataclass(frozen=True, slots=True)
class Stages:
    """Shares of a run's time, which add up to 1; what is left over is the runner's."""

    reading: float
    matching: float
    construction: float


def stages_of(run: Callable[[], object]) -> Stages | None:
    """The shares of one run, or None where the matcher's steps have other names."""
    profile = cProfile.Profile(time.process_time)
    profile.runcall(run)
    spent = _spent_in(profile, Path(matcher.__file__).name)
    if not {READING, MATCHING, CONSTRUCTION} <= spent.keys():
        return None
    whole = max(sum(entry[2] for entry in pstats.Stats(profile).stats.values()), 1e-9)  # type: ignore[attr-defined]
    matching = max(spent[MATCHING] - spent[READING] - spent[CONSTRUCTION], 0.0)
    construction = spent[CONSTRUCTION] / whole
    return Stages(1 - matching / whole - construction, matching / whole, construction)


def _spent_in(profile: cProfile.Profile, file: str) -> dict[str, float]:
    """The seconds in each function of a file, with all that it calls."""
    entries = pstats.Stats(profile).stats.items()  # type: ignore[attr-defined]
    return {name: entry[3] for (path, _, name), entry in entries if Path(path).name == file}
