"""How the workloads of the A-Seq benchmark are run: apart, and by each kind of sharing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from cepheid.bench.aseq.queries import DEFAULT, counted, same_rows, timing_columns
from cepheid.bench.harness import Timing, measure
from cepheid.errors import CepheidError, MissingExtraError, UnsupportedError
from cepheid.matches import Matches
from cepheid.workload import Workload, workload

APART, APART_ASEQ = "apart", "apart, aseq"
SHARINGS: dict[str, dict[str, str]] = {
    APART: {"sharing": "none"},
    "prefix_tree": {"sharing": "prefix_tree"},
    "chop_connect": {"sharing": "chop_connect", "plan": "greedy"},
}
ByQuery = Mapping[str, Matches]
Run = Callable[[], ByQuery]


@dataclass(frozen=True, slots=True)
class Contest:
    """What contenders took over the same events, and why some did not run."""

    timings: dict[str, Timing]
    refused: dict[str, str]
    events: int

    def rows(self, **named: Any) -> list[dict[str, Any]]:
        """A row for each contender."""
        return [
            {**named, "contender": name, **timing_columns(timing, self.events)}
            for name, timing in self.timings.items()
        ]

    def ratio(self, name: str, other: str) -> float | None:
        """How much longer one took than another, if both ran."""
        if name not in self.timings or other not in self.timings:
            return None
        return self.timings[name].best / self.timings[other].best


def by_each_sharing(
    texts: Mapping[str, str], events: pa.Table, repeat: int, sharings: Mapping[str, dict[str, str]] = SHARINGS
) -> Contest:
    """The workload by default, by each of some kinds of sharing, and each query by itself with A-Seq."""
    whole = workload({name: counted(text) for name, text in texts.items()})
    marked = [counted(text, "aseq") for text in texts.values()]
    runs: dict[str, Run] = {
        APART_ASEQ: lambda: {
            name: asked.run(events, time="time", type="type")
            for name, asked in zip(texts, marked, strict=True)
        },
        DEFAULT: lambda: whole.run(events, time="time", type="type"),
    }
    return compared(runs | shared_runs(whole, sharings, events), events.num_rows, repeat)


def shared_runs(whole: Workload, sharings: Mapping[str, dict[str, str]], events: pa.Table) -> dict[str, Run]:
    """The workload by each of some kinds of sharing."""
    chosen = {name: whole.using(**options) for name, options in sharings.items()}
    return {name: partial(shared.run, events, time="time", type="type") for name, shared in chosen.items()}


def compared(runs: Mapping[str, Run], events: int, repeat: int) -> Contest:
    """Contenders in turns, after a first run of each in which all must find the same rows; with `repeat` 1
    that first run is what is measured."""
    found: dict[str, ByQuery] = {}
    timings: dict[str, Timing] = {}
    refused: dict[str, str] = {}
    for name, run in runs.items():
        try:
            timings |= measure({name: _keeping(found, name, run)}, 1, discarded=0)
        except (UnsupportedError, MissingExtraError) as error:
            refused[name] = str(error).splitlines()[0]
            continue
        first = next(iter(found))
        if not _same(found[first], found[name]):
            raise CepheidError(f"'{first}' and '{name}' differ in what they count")
    if repeat > 1:
        timings = measure({name: runs[name] for name in timings}, repeat, discarded=0)
    return Contest(timings, refused, events)


def _keeping(found: dict[str, ByQuery], name: str, run: Run) -> Callable[[], None]:
    def kept() -> None:
        found[name] = run()

    return kept


def _same(left: ByQuery, right: ByQuery) -> bool:
    return left.keys() == right.keys() and all(
        same_rows(left[name].table, right[name].table) for name in left
    )


def refusals(results: Iterable[Contest]) -> str:
    """What did not run, and why, as a sentence or nothing."""
    reasons = {name: reason for result in results for name, reason in result.refused.items()}
    return "".join(f" Not run: {name}: {reason}." for name, reason in reasons.items())
