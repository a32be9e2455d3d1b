"""`cepheid run`: from files of events to matches on the terminal, in a pipe or in a file."""

import sys
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.cli.columns import choose_time, choose_type
from cepheid.cli.query_text import query_text
from cepheid.cli.quick_start import without_linear_algebra
from cepheid.cli.refuse import misuse
from cepheid.cli.say import progress, say, say_if_cold
from cepheid.cli.show import counted, say_stats, say_unused, show_table
from cepheid.sources.files import open_events
from cepheid.sources.paths import ending_of
from cepheid.sources.write import write_table
from cepheid.time import UNIT_NANOSECONDS, parse_unit

ON_BAD = ("side", "drop", "fail")


@dataclass(frozen=True, slots=True)
class Binding:
    """What was said about the columns."""

    time: str | None = None
    type: str | None = None
    order: tuple[str, ...] = ()
    time_unit: str | None = None

    def filled(self, schema: pa.Schema) -> dict[str, Any]:
        """The arguments of a run, with what was not said chosen from the schema, and told."""
        if self.time_unit is not None and parse_unit(self.time_unit) is None:
            misuse(f"--time-unit is one of {' '.join(UNIT_NANOSECONDS)}, not '{self.time_unit}'")
        time, kind = choose_time(schema, self.time), choose_type(schema, self.type)
        chosen = [f"time column {time}"] if self.time is None else []
        chosen += [f"type column {kind}"] if self.type is None and kind is not None else []
        if chosen:
            say(f"using {', '.join(chosen)}")
        return {"time": time, "type": kind, "order": list(self.order), "time_unit": self.time_unit}


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


@dataclass(frozen=True, slots=True)
class Showing:
    """Where matches go, how many of them a table shows, and whether the run tells its numbers."""

    out: str | None
    stats: bool
    limit: int


def run_query(
    query: str, engine: str, paths: list[str], binding: Binding, limits: Limits, showing: Showing
) -> None:
    """Run one query over files and show or write its matches."""
    asked = asked_query(query, engine, showing.out)
    files = open_events(paths)
    columns = binding.filled(files.schema)
    say_if_cold()
    without_linear_algebra()
    with progress("matching", files.rows) as show:
        matches = asked.run(files, progress=show, **columns, **limits.given())
    deliver(matches.table, showing)
    say_unused("late", matches.stats["late"], matches.late)
    say_unused("bad", matches.stats["bad"], matches.bad)
    if showing.stats:
        say_stats(matches.stats)


def asked_query(query: str, engine: str, out: str | None) -> Any:
    """The query on its engine; what is wrong with it, or with the output, is told before any work."""
    import cepheid

    if out is not None and out != "-":
        ending_of(out)
    asked = cepheid.query(query_text(query))
    return asked if engine == "auto" else asked.using(engine)


def deliver(table: pa.Table, showing: Showing) -> None:
    """Matches to a terminal, a pipe or a file."""
    out = showing.out
    if out is None and sys.stdout.isatty():
        show_table(table, showing.limit)
        return
    write_table(table, out or "-")
    if out not in (None, "-"):
        say(f"{counted(table.num_rows, 'match', 'matches')} written to {out}")
