"""Matches to a terminal, a pipe or files. Of a workload, each row says which query found it."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from cepheid.cli.query_text import UNNAMED
from cepheid.cli.refuse import misuse
from cepheid.cli.say import say
from cepheid.cli.show import counted, show_table
from cepheid.errors import CepheidError
from cepheid.sources.paths import STANDARD, ending_of
from cepheid.sources.write import TEXTS, write_table

QUERY = "query"
"""The column that says which query of a workload found a match."""

PLACE = "{query}"
"""Stands in a file's name for the name of the query."""

JSON_LINES = ".jsonl"


@dataclass(frozen=True, slots=True)
class Showing:
    """Where matches go, how many of them a table shows, and whether the run tells its numbers."""

    out: str | None
    stats: bool
    limit: int
    format: str | None = None  # of standard output, as an ending
    rows: tuple[str, str] = ("match", "matches")  # what a row is called, and what several are

    @property
    def for_people(self) -> bool:
        """Whether a person looks at the matches as they come."""
        return self.out is None and self.format is None and sys.stdout.isatty()

    @property
    def path(self) -> str:
        """The file, or `-`."""
        return self.out or STANDARD

    @property
    def ending(self) -> str:
        """What the output is, by its ending."""
        return (self.format or JSON_LINES) if self.path == STANDARD else ending_of(self.path)[0]


def showing_for(
    out: str | None,
    stats: bool,
    limit: int,
    format: str | None,
    rows: tuple[str, str] = ("match", "matches"),
) -> Showing:
    """What was said about the output; what is wrong with it is told before any work."""
    if out is not None and out != STANDARD:
        ending_of(out)
    return Showing(out, stats, limit, text_format(format), rows)


def text_format(name: str | None) -> str | None:
    """The ending that the name of a text format means."""
    if name is None:
        return None
    ending = f".{name.lower().removeprefix('.')}"
    known = {".json": JSON_LINES, ".ndjson": JSON_LINES} | {known: known for known in TEXTS}
    if ending not in known:
        misuse(f"--format is one of {', '.join(each[1:] for each in TEXTS)}, not '{name}'")
    return known[ending]


def deliver(found: Mapping[str, pa.Table], showing: Showing) -> None:
    """The matches of each query, shown or written; a query that stands alone is `UNNAMED`."""
    if showing.for_people:
        _show(found, showing)
    elif PLACE in showing.path:
        for name, table in found.items():
            _write({UNNAMED: table}, file_for(showing.path, name), showing)
    else:
        _write(found, showing.path, showing)


def named_rows(name: str, table: pa.Table) -> pa.Table:
    """The rows with the name of their query, if it has one."""
    if name == UNNAMED:
        return table
    if QUERY in table.column_names:
        misuse(f"query '{name}' returns a column '{QUERY}', where its name should stand: rename it with AS")
    return table.add_column(0, QUERY, pa.array([name] * table.num_rows, pa.string()))


def one_schema(schemas: list[pa.Schema]) -> pa.Schema:
    """The columns of all queries, in one table."""
    try:
        return pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise CepheidError(
            f"the matches of these queries do not go into one table: {str(error).splitlines()[0]}; "
            f"write JSON lines, or a file for each query: --out 'found-{PLACE}.csv'"
        ) from None


def _show(found: Mapping[str, pa.Table], showing: Showing) -> None:
    for place, (name, table) in enumerate(found.items()):
        if name != UNNAMED:
            print(f"{chr(10) if place else ''}{name}:")
        show_table(table, showing.limit, rows=showing.rows)


def _write(found: Mapping[str, pa.Table], path: str, showing: Showing) -> None:
    tables = [named_rows(name, table) for name, table in found.items()]
    if showing.ending == JSON_LINES:  # each row has the columns of its own query
        batches = [batch for table in tables for batch in table.to_batches() or [_empty(table.schema)]]
        rows = write_table(batches, path)
    else:
        whole = one_schema([table.schema for table in tables])
        rows = write_table(
            pa.concat_tables(tables, promote_options="permissive").cast(whole), path, showing.format
        )
    if path != STANDARD:
        say(f"{counted(rows, *showing.rows)} written to {path}")


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema=schema)


def file_for(path: str, name: str) -> str:
    """The file for the matches of one query."""
    return path.replace(PLACE, name.replace(os.sep, "_"))
