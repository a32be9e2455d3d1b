"""Where a run's time goes: reading the events, matching, and constructing the matches."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cepheid.bench.harness import InPieces
from cepheid.matchers.nfa import matcher

READING, MATCHING, CONSTRUCTION = "_events", "process", "_drain"
"""The nfa matcher's steps: columns, masks and keys; the whole of a batch; found matches to rows."""

STEPPING = ("advance", "advance_deferring", "catch_up_all")
"""The kernels that step the automaton."""


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


class MatchingClock:
    """The processor time of the kernels that step the automaton, apart from reading and construction."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self._spent = 0.0
        self._kernels: dict[str, Callable[..., Any]] = {name: vars(matcher)[name] for name in STEPPING}

    def __enter__(self) -> MatchingClock:
        vars(matcher).update({name: self._timed(kernel) for name, kernel in self._kernels.items()})
        return self

    def __exit__(self, *_: object) -> None:
        vars(matcher).update(self._kernels)

    def watching(self, runs: Mapping[str, InPieces]) -> dict[str, InPieces]:
        """The same runs; what each spends in matching is noted under its name."""
        return {name: self._watched(name, run) for name, run in runs.items()}

    def _watched(self, name: str, run: InPieces) -> InPieces:
        noted = self.seconds.setdefault(name, [])

        def watched() -> Iterator[object]:
            spent = 0.0
            self._spent = 0.0
            for piece in run():
                spent += self._spent
                yield piece
                self._spent = 0.0
            noted.append(spent + self._spent)

        return watched

    def _timed(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            began = time.process_time()
            answer = kernel(*arguments)
            self._spent += time.process_time() - began
            return answer

        return timed
