"""Where the matches of a live stream go: text, flushed match by match; other files are written at the end."""

import sys
from collections.abc import Mapping
from typing import IO

import pyarrow as pa

from cepheid.cli.deliver import JSON_LINES, PLACE, Showing, deliver, file_for, named_rows, one_schema
from cepheid.cli.say import say
from cepheid.cli.show import counted, one_line
from cepheid.sources.paths import STANDARD, ending_of
from cepheid.sources.write import TEXTS


class LiveOut:
    """Writes the tables of a session as they are found."""

    def __init__(self, showing: Showing, schemas: Mapping[str, pa.Schema]) -> None:
        self.showing = showing
        self.schemas = schemas
        self._kept: dict[str, list[pa.Table]] | None = None
        self._sinks: dict[str, _Sink] = {}
        if showing.path != STANDARD and (showing.ending not in TEXTS or ending_of(showing.path)[1]):
            self._kept = {name: [] for name in schemas}
        elif not showing.for_people:
            self._sinks = self._opened()

    def _opened(self) -> "dict[str, _Sink]":
        path, ending = self.showing.path, self.showing.ending
        if PLACE in path:
            return {
                name: _Sink(file_for(path, name), ending, schema) for name, schema in self.schemas.items()
            }
        named = [named_rows(name, schema.empty_table()).schema for name, schema in self.schemas.items()]
        whole = None if ending == JSON_LINES else one_schema(named)
        return dict.fromkeys(self.schemas, _Sink(path, ending, whole))

    def write(self, found: Mapping[str, pa.Table]) -> None:
        """Matches that have become certain."""
        for name, table in found.items():
            if not table.num_rows:
                continue
            if self._kept is not None:
                self._kept[name].append(table)
                continue
            rows = table if PLACE in self.showing.path else named_rows(name, table)
            if self.showing.for_people:
                for batch in rows.to_batches():
                    print("\n".join(one_line(batch)), flush=True)
            else:
                self._sinks[name].write(rows)

    def close(self) -> None:
        """The end: files are whole now."""
        if self._kept is not None:
            found = {
                name: pa.concat_tables([self.schemas[name].empty_table(), *tables])
                for name, tables in self._kept.items()
            }
            deliver(found, self.showing)
        for sink in set(self._sinks.values()):
            sink.close()


class _Sink:
    """One stream of text."""

    def __init__(self, path: str, ending: str, schema: pa.Schema | None) -> None:
        self.path = path
        self.text = TEXTS[ending]
        self.schema = schema  # of CSV, whose rows all have the same columns
        self.rows = 0
        self.file: IO[str] = sys.stdout if path == STANDARD else _created(path)

    def write(self, table: pa.Table) -> None:
        if self.schema is not None and self.schema != table.schema:
            empty = self.schema.empty_table()
            table = pa.concat_tables([empty, table], promote_options="permissive").cast(self.schema)
        for batch in table.to_batches():
            if batch.num_rows:
                self.file.write(self.text(batch, self.rows == 0))
                self.rows += batch.num_rows
        self.file.flush()

    def close(self) -> None:
        if not self.rows and self.schema is not None:
            self.file.write(self.text(pa.RecordBatch.from_pylist([], schema=self.schema), True))
            self.file.flush()
        if self.path != STANDARD:
            self.file.close()
            say(f"{counted(self.rows, 'match', 'matches')} written to {self.path}")


def _created(path: str) -> IO[str]:
    from cepheid.errors import SourceError

    try:
        return open(path, "w", encoding="utf-8", newline="")
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}") from error
