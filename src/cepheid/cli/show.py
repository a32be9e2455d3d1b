"""Results for people: a table of the first rows, the numbers of a run, and what was not used."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from cepheid.cli.say import say
from cepheid.matchers.plain_text import plain_rows
from cepheid.matches import Matches
from cepheid.views.steps import step_lines
from cepheid.views.unused import unused_lines

CELL_WIDTH = 60
IDENTITY = "match_id"


def show_table(
    table: pa.Table, limit: int, hint: str = " (use --out)", rows: tuple[str, str] = ("match", "matches")
) -> None:
    """The first rows as a table on standard output; `match_id` is for programs."""
    from rich.console import Console
    from rich.table import Table

    table = table.drop([IDENTITY]) if IDENTITY in table.column_names else table
    console = Console(highlight=False)
    shown = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for field in table.schema:
        shown.add_column(field.name, justify="right" if _is_number(field.type) else "left", overflow="fold")
    for batch in table.slice(0, limit).to_batches():
        for values in plain_rows(batch):
            shown.add_row(*(cell(value) for value in values.values()))
    if table.num_rows:
        console.print(shown, markup=False)
    more = table.num_rows - limit
    if more > 0:
        console.print(f"… and {more:,} more{hint}", markup=False)
    console.print(counted(table.num_rows, *rows), style="bold", markup=False)


def one_line(batch: pa.RecordBatch) -> Iterator[str]:
    """Each row as a line of names and values, for people who watch matches come."""
    shown = batch.drop_columns([IDENTITY]) if IDENTITY in batch.schema.names else batch
    for values in plain_rows(shown):
        yield "  ".join(f"{name}: {cell(value)}" for name, value in values.items())


def cell(value: Any) -> str:
    """A value as short text: an event as `name=value`, a list by its items, cut where it is long."""
    text = _text(value)
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 1] + "…"


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, dict):
        return " ".join(f"{name}={_text(item)}" for name, item in value.items())
    if isinstance(value, list):
        separator = "; " if any(isinstance(item, dict) for item in value) else ", "
        return f"[{separator.join(_text(item) for item in value)}]"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def say_stats(stats: Mapping[str, Any]) -> None:
    """The numbers of a run, one a line."""
    width = max((len(name) for name in stats), default=0)
    for name, value in stats.items():
        say(f"{name:<{width}}  {_number(value)}")


def say_unused(kind: str, count: int, kept: pa.Table) -> None:
    """How many events were late or bad, and the first reasons: nothing vanishes."""
    for line in unused_lines(kind, count, kept):
        say(line)


def say_notes(found: Mapping[str, Matches], unnamed: str) -> None:
    """What may be wrong with the results of queries, and why they are empty."""
    for name, matches in found.items():
        lines = [*step_lines(matches.steps), *matches.notes]
        for line in [f"{name}:", *lines] if lines and name != unnamed else lines:
            say(line)


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 match`, `2,000 matches`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
