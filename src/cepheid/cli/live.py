"""`cepheid run` on a live stream: each match is written the moment it is certain."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import typer

from cepheid.cli.asked import names_of
from cepheid.cli.columns import Binding
from cepheid.cli.deliver import Showing
from cepheid.cli.live_input import LiveInput
from cepheid.cli.live_out import LiveOut
from cepheid.cli.query_text import UNNAMED
from cepheid.cli.quick_start import without_linear_algebra
from cepheid.cli.run import Limits, by_name, say_all_stats
from cepheid.cli.say import progress, say
from cepheid.cli.show import counted
from cepheid.cli.unused import Unused
from cepheid.cli.waiting import Waiting
from cepheid.errors import BindingError, UnknownAttributeError
from cepheid.sources.lines import Block
from cepheid.sources.live import LiveStream, live_stream

HELD_LINES = 100_000  # so many lines may come before all columns are known that a query names


def run_live(asked: Any, source: LiveInput, binding: Binding, limits: Limits, showing: Showing) -> int:
    """Match what comes until it ends; how many matches there were."""
    if sys.stdout.isatty() and showing.out is None:
        showing = replace(showing, format=None)  # --format is then about the input
    with Waiting() as wait:
        run = _LiveRun(asked, source, binding, limits, showing)
        try:
            run.take(source.blocks(wait))
        except KeyboardInterrupt:
            run.end()
            say(f"{counted(run.unused.events, 'event')}, {counted(run.matches, 'match', 'matches')}")
            raise typer.Exit(128 + wait.asked) from None
    run.end()
    return run.matches


@dataclass
class _LiveRun:
    """A session on a stream that may not even have begun."""

    asked: Any
    source: LiveInput
    binding: Binding
    limits: Limits
    showing: Showing
    matches: int = 0
    session: Any = None
    out: LiveOut | None = None
    unused: Unused = field(default_factory=Unused)
    _waits_for: str = ""

    def take(self, blocks: Iterator[Block]) -> None:
        """Everything that comes, to its end."""
        held = self._begin(blocks)
        if held is None:
            say(f"no events: {self.source.name} is empty")
            return
        with self._progress() as show:
            for block in chain([held], blocks):
                self._push(block)
                show(self.unused.events)
        self._found(self.session.close())

    def _progress(self) -> AbstractContextManager[Callable[[int], None]]:
        """A count of events for a person who does not see matches come."""
        return nullcontext(lambda done: None) if sys.stdout.isatty() else progress("matching", None)

    def end(self) -> None:
        """Close the output, and tell what took no part."""
        if self.out is not None:
            self.out.close()
        if self.session is not None:
            self.unused.say_counts()
            if self.showing.stats:
                say_all_stats(self._stats())

    def _push(self, block: Block) -> None:
        self._found(self.session.push(self.stream.events(block, self.session.plan.needed)))
        self.unused.look_at(self.session, next(iter(self._stats().values())))

    def _stats(self) -> dict[str, dict[str, Any]]:
        stats = self.session.stats
        return {UNNAMED: stats} if names_of(self.asked) == (UNNAMED,) else stats

    def _found(self, found: Any) -> None:
        assert self.out is not None
        tables = by_name(found)
        self.matches += sum(table.num_rows for table in tables.values())
        self.out.write(tables)

    # -- the beginning -----------------------------------------------------------------------------

    def _begin(self, blocks: Iterator[Block]) -> Block | None:
        """Open a session once the lines so far have all that the query names; these lines, if any came."""
        lines: list[bytes] = []
        known: set[str] = set()
        for block in blocks:
            lines += block.lines
            fresh = live_stream(self.source.form, self.source.name, Block(lines, 1), self.source.told)
            if fresh is None:
                self._tell_waiting(f"{self.source.name}: no JSON object so far")
                continue
            if set(fresh.schema.names) <= known:
                continue
            known = set(fresh.schema.names)
            try:
                return self._open(fresh, Block(lines, 1))
            except (BindingError, UnknownAttributeError) as error:
                if isinstance(error, BindingError) and self.binding.is_there(fresh.schema):
                    raise
                if len(lines) > HELD_LINES:
                    say("--column NAME=TYPE says that such a column will come")
                    raise
                self._tell_waiting(
                    f"{error}\nwaiting for an event that has it (--column NAME=TYPE says that one will come)"
                )
        whole = Block(lines, 1)
        stream = live_stream(self.source.form, self.source.name, whole, self.source.told, whole=True)
        return None if stream is None else self._open(stream, whole)

    def _open(self, stream: LiveStream, block: Block) -> Block:
        columns = self.binding.chosen(stream.schema)
        arguments = columns | self.limits.given() | {"lateness": self.source.lateness}
        without_linear_algebra()
        session = self.asked.session(stream.schema, **arguments)
        self.binding.say_chosen(columns)
        self.stream, self.session = stream, session
        schemas = dict(zip(names_of(self.asked), session.plan.output_schemas, strict=True))
        self.out = LiveOut(self.showing, schemas)
        return block

    def _tell_waiting(self, message: str) -> None:
        if message != self._waits_for:
            self._waits_for = message
            say(message)
