"""Late and bad events: never used, never lost in silence."""

import pyarrow as pa

from cepheid.errors import EventError


class SideOutput:
    """Counts and keeps the events that were not used, with the reason."""

    def __init__(self, what: str, choice: str, schema: pa.Schema) -> None:
        self.what = what
        self.choice = choice
        self.count = 0
        names = [name for name in schema.names if name != "reason"]
        self.schema = pa.schema([*(schema.field(name) for name in names), ("reason", pa.string())])
        self._tables: list[pa.Table] = []

    def add(self, rows: pa.Table, reasons: list[str]) -> None:
        """Take in events that are not used."""
        if rows.num_rows == 0:
            return
        if self.choice == "fail":
            what = "an event is" if rows.num_rows == 1 else f"{rows.num_rows} events are"
            raise EventError(f"{what} {self.what}: {reasons[0]} (on_{self.what}='fail')")
        self.count += rows.num_rows
        if self.choice == "side":
            columns = [rows.column(name) for name in self.schema.names[:-1]]
            self._tables.append(
                pa.Table.from_arrays([*columns, pa.array(reasons, pa.string())], schema=self.schema)
            )

    def add_unread(self, rows: list[dict[str, str]]) -> None:
        """Take in what could not even be read as an event; its text goes into the reason."""
        nulls = pa.Table.from_pylist([{}] * len(rows), schema=pa.schema(list(self.schema)[:-1]))
        self.add(nulls, [f"{row['reason']}: {row['text']}" for row in rows])

    def mark(self) -> tuple[int, int]:
        """How far it has come, to go back to."""
        return self.count, len(self._tables)

    def go_back(self, mark: tuple[int, int]) -> None:
        """Forget what has come since a mark, and was not taken."""
        self.count, tables = mark
        del self._tables[tables:]

    @property
    def table(self) -> pa.Table:
        """What was not used so far."""
        return pa.concat_tables(self._tables) if self._tables else pa.Table.from_batches([], self.schema)

    def taken(self) -> pa.Table:
        """What was not used since this was last asked; its number is still counted."""
        taken, self._tables = self.table, []
        return taken

    def restore(self, table: pa.Table, count: int) -> None:
        """Go on from a snapshot."""
        self._tables = [table] if table.num_rows else []
        self.count = count
