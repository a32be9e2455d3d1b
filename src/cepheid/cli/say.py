"""Words to the person, on standard error, so that standard output holds results only."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PATIENCE = 0.7  # seconds before a bar appears: short work shows none


def say(text: str) -> None:
    """One message on standard error."""
    with suppress(BrokenPipeError):
        print(text, file=sys.stderr, flush=True)


def say_if_cold() -> None:
    """Tell why the first run takes long, when it does."""
    from cepheid.runners.stream.compiling import announce_compiling

    announce_compiling()


@contextmanager
def progress(label: str, total: int | None, in_bytes: bool = False) -> Iterator[Callable[[int], None]]:
    """A bar for long work on a terminal; gives a function to call with the rows or bytes done so far."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    bar = _Bar(label, total, in_bytes)
    try:
        yield bar.show
    finally:
        bar.close()


class _Bar:
    """A progress bar that appears once the work has proved long."""

    def __init__(self, label: str, total: int | None, in_bytes: bool) -> None:
        self.label, self.in_bytes = label, in_bytes
        self.total = total
        self.started = time.monotonic()
        self.close: Callable[[], None] = lambda: None
        self.draw: Callable[[int], None] | None = None

    def show(self, done: int) -> None:
        """Draw how far the work is, if it is long."""
        if self.draw is None and time.monotonic() - self.started > PATIENCE:
            self.draw, self.close = _drawn(self.label, self.total, self.in_bytes)
        if self.draw is not None:
            self.draw(done)


def _drawn(label: str, total: int | None, in_bytes: bool) -> tuple[Callable[[int], None], Callable[[], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    done = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=total)
    bar.start()
    return (lambda done: bar.update(task, completed=done)), bar.stop
