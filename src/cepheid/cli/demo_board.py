"""What a stream does, while it does it: a table that is redrawn on a terminal, plain lines in a pipe."""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from cepheid.cli.show import IDENTITY, cell, counted

ROWS = 12  # matches on the board


@dataclass(slots=True)
class Figures:
    """What the stream has done so far."""

    events: int = 0
    matches: int = 0
    state: int = 0
    most_state: int = 0
    batches: int = 0
    seconds: float = 0.0  # the last micro-batch took
    delays: list[float] = field(default_factory=list)  # from a match's last event to its arrival here
    last: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=ROWS))
    seen: int = -1  # the last micro-batch that was read

    def take(self, rows: pa.Table) -> None:
        """Matches of one micro-batch."""
        found = rows.drop([IDENTITY]).to_pylist()
        now = time.time()
        if self.batches:  # the first one waited for the workers to start
            self.delays += [now - row["stop"].timestamp() for row in found]
        self.last.extend(found)

    def read(self, progress: Sequence[Mapping[str, Any]]) -> None:
        """The stream's own account of its micro-batches."""
        for one in progress:
            told = [part for name, part in one["observedMetrics"].items() if name.startswith("cepheid")]
            if one["batchId"] <= self.seen or not told:
                continue
            self.seen = one["batchId"]
            self.batches += 1
            self.events += one["numInputRows"]
            self.matches += told[0]["matches"] or 0
            self.state = told[0]["state_bytes"] or 0
            self.most_state = max(self.most_state, self.state)
            self.seconds = one["durationMs"]["triggerExecution"] / 1000

    @property
    def typical_delay(self) -> float:
        """Half of the matches arrived sooner."""
        return sorted(self.delays)[len(self.delays) // 2] if self.delays else 0.0

    def line(self) -> str:
        """All of it in a line."""
        return (
            f"{counted(self.events, 'event')}, {counted(self.matches, 'match', 'matches')}, "
            f"state {self.state:,} bytes, micro-batch {self.batches} took {self.seconds:.1f} s"
        )


@contextmanager
def board(figures: Figures) -> Iterator[Callable[[], None]]:
    """Gives a function that shows the figures as they are."""
    with _redrawn(figures) if sys.stdout.isatty() else _plain(figures) as show:
        yield show


@contextmanager
def _plain(figures: Figures) -> Iterator[Callable[[], None]]:
    shown = 0

    def show() -> None:
        nonlocal shown
        if figures.batches > shown:
            shown = figures.batches
            print(figures.line(), flush=True)

    yield show
    for row in figures.last:
        print("  " + " ".join(f"{name}={_shown(value)}" for name, value in row.items()), flush=True)


@contextmanager
def _redrawn(figures: Figures) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(highlight=False), auto_refresh=False, transient=False) as live:

        def show() -> None:
            live.update(_drawn(figures), refresh=True)

        yield show


def _drawn(figures: Figures) -> Any:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if not figures.batches:
        return Text("the first micro-batch starts the workers …", style="dim")
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in (figures.last[0] if figures.last else {}).items():
        table.add_column(name, justify="right" if isinstance(value, int | float) else "left", no_wrap=True)
    for row in figures.last:
        table.add_row(*(_shown(value) for value in row.values()))
    return Group(table, Text(figures.line(), style="bold"))


def _shown(value: Any) -> str:
    """A moment of today as its time of day."""
    return value.strftime("%H:%M:%S.%f")[:-3] if hasattr(value, "strftime") else cell(value)
