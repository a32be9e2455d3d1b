"""`cepheid run`: from files of events to matches on the terminal, in a pipe or in a file."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cepheid.cli.columns import Binding
from cepheid.cli.deliver import Showing, deliver
from cepheid.cli.query_text import UNNAMED
from cepheid.cli.quick_start import without_linear_algebra
from cepheid.cli.refuse import misuse
from cepheid.cli.say import progress, say
from cepheid.cli.show import say_notes, say_stats, say_unused
from cepheid.errors import CepheidWarning
from cepheid.sources.files import open_events

ON_BAD = ("side", "drop", "fail")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a run may find and keep, and what it does with bad events."""

    max_matches: int | None = None
    max_state: int | None = None
    on_bad: str = "side"

    def given(self) -> dict[str, Any]:
        """The arguments of a run; what was not said keeps its default."""
        if self.on_bad not in ON_BAD:
            misuse(f"--on-bad is one of {', '.join(ON_BAD)}, not '{self.on_bad}'")
        limits = {"max_matches": self.max_matches, "max_state": self.max_state}
        return {"on_bad": self.on_bad} | {name: value for name, value in limits.items() if value is not None}


def run_query(asked: Any, paths: list[str], binding: Binding, limits: Limits, showing: Showing) -> int:
    """Run a query or a workload over files and show or write its matches; how many there are."""
    files = open_events(paths, standard=showing.format)
    columns = binding.filled(files.schema)
    without_linear_algebra()
    with progress("matching", files.rows) as show, warnings.catch_warnings():
        warnings.simplefilter("ignore", CepheidWarning)  # the notes tell the same
        found = by_name(asked.run(files, progress=show, **columns, **limits.given()))
    deliver({name: matches.table for name, matches in found.items()}, showing)
    any_query = next(iter(found.values()))  # the events are those of all
    say_unused("late", any_query.stats["late"], any_query.late)
    say_unused("bad", any_query.stats["bad"], any_query.bad)
    say_notes(found, UNNAMED)
    if showing.stats:
        say_all_stats({name: matches.stats for name, matches in found.items()})
    return sum(matches.table.num_rows for matches in found.values())


def by_name(found: Any) -> dict[str, Any]:
    """What a workload gives is by name; what a query gives has none."""
    return found if isinstance(found, dict) else {UNNAMED: found}


def say_all_stats(stats: Mapping[str, Mapping[str, Any]]) -> None:
    """The numbers of each query."""
    for name, each in stats.items():
        if name != UNNAMED:
            say(f"{name}:")
        say_stats(each)
