"""What a run gives back."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.plan.explanation import Explanation, fixed_width
from cepheid.tabular import Tabular
from cepheid.views.notebook import table_html
from cepheid.views.run_record import RunRecord
from cepheid.views.steps import PassedStep, step_lines
from cepheid.views.unused import unused_lines

if TYPE_CHECKING:
    from cepheid.views.timeline import Timeline
    from cepheid.views.vega_chart import VegaChart


@dataclass(frozen=True, slots=True)
class Matches(Tabular):
    """The matches of a query, what was not used of the events, and figures about the run."""

    source: pa.Table | Callable[[], pa.Table] = field(
        repr=False
    )  # the matches, or what makes them when asked
    late: pa.Table
    bad: pa.Table
    stats: dict[str, Any]
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)  # whose events a column holds
    notes: tuple[str, ...] = ()  # what may be wrong: a type that no event has, why nothing was found, …
    steps: tuple[PassedStep, ...] = ()  # where nothing was found: how many events came how far
    record: RunRecord | None = field(default=None, repr=False, compare=False)  # for pictures of the run

    @property
    def table(self) -> pa.Table:
        """The matches as rows."""
        if callable(self.source):
            object.__setattr__(self, "source", self.source())
        return self.source

    def __len__(self) -> int:
        return int(self.stats["matches"] if callable(self.source) else self.source.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.table.to_batches(max_chunksize=1024):
            yield from _as_dicts(batch)

    @overload
    def __getitem__(self, chosen: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, chosen: slice) -> "Matches": ...

    @overload
    def __getitem__(self, chosen: str) -> pa.ChunkedArray: ...

    def __getitem__(self, chosen: int | slice | str) -> Any:
        """`m[0]` is a match, `m[:10]` some of them, `m["price"]` a column."""
        if isinstance(chosen, slice):
            rows = range(len(self))[chosen]
            few = self.table.slice(rows.start, len(rows)) if rows.step == 1 else self.table.take(list(rows))
            return replace(self, source=few)
        if isinstance(chosen, str):
            return self._column(chosen)
        try:
            row = range(len(self))[chosen]
        except TypeError:
            raise CepheidError(f"m[…] takes a number, a slice or a column's name, not {chosen!r}") from None
        return _as_dicts(self.table.slice(row, 1))[0]

    def head(self, number: int = 5) -> "Matches":
        """The first matches."""
        return self[:number]

    @property
    def schema(self) -> pa.Schema:
        """The columns of a match."""
        return self.table.schema

    def long(self) -> pa.Table:
        """One row an event: `match` (the number of its match, from 0), `variable`, `position` in it (from 1),
        the event's columns, and `match_id`."""
        if not self.variables:
            raise CepheidError(
                "long() needs the events of the matches, and this result has none: leave out RETURN, AGG and "
                "EMIT COUNT, or take matches out of compressed ones with cepheid.expand(m).first(100).long()"
            )
        from cepheid.views.long import long_table

        return long_table(self.table, self.variables)

    def timeline(self, by: str | None = None, most: int = 20, events: Any = None) -> "Timeline":
        """The first matches as a picture: each as a span, and their events on lanes, which are by `type`,
        `variable`, `key` or a column. Other events of the run are shown faintly if they are given again."""
        from cepheid.views.match_timeline import timeline_of_matches

        if not self.variables and self._is_told and self.record is not None:
            from cepheid.views.told_timeline import timeline_of_told

            return timeline_of_told(self.table, self.record, by, most, events)
        if not self.variables or self.record is None:
            raise CepheidError(
                "timeline() needs the events of the matches, and this result has none: leave RETURN out, or "
                "return whole variables beside the rest (RETURN a, b, a.price). Take matches out of "
                "compressed ones with cepheid.expand(m).first(100).timeline(); AGG and EMIT COUNT list none"
            )
        return timeline_of_matches(self.table, self.variables, self.record, by, most, events)

    def explain(self, events: Any = None) -> Explanation:
        """How these matches were found: the plan that ran, with how many events passed each condition and
        how many runs took each edge. Where the run did not count, it is counted of the events, if given."""
        if self.record is None:
            raise CepheidError("explain() needs a run: these matches come from elsewhere; ask q.explain()")
        from cepheid.views.explained_run import explained_run

        record = self.record
        counts = record.counts
        if counts is None and events is not None and record.count_again is not None:
            counts = record.count_again(events)
        return explained_run(record.plan, counts, bool(self.stats.get("runs_merged")))

    def state_over_time(self, events: Any = None, points: int = 100) -> "VegaChart":
        """How many bytes and runs were held as events came, after each batch, as a chart; if the events are
        given, they are run again in so many pieces."""
        record = self.record
        if record is None or record.rerun is None:
            raise CepheidError("state_over_time() needs the matches of a query that run() gave")
        if not isinstance(points, int) or points < 1:
            raise CepheidError(f"state_over_time(points={points!r}): say how many points it has, 1 or more")
        from cepheid.views.state_chart import state_chart
        from cepheid.views.time_scale import scale_of

        course = record.course if events is None else record.rerun(events, points)
        return state_chart(course, scale_of(record.plan.schema))

    @property
    def _is_told(self) -> bool:
        """Whether these are rows of a set of profiles."""
        return "engine" in self.stats and self.stats["engine"] == "profiles"

    def _column(self, name: str) -> pa.ChunkedArray:
        if name not in self.table.column_names:
            raise CepheidError(
                f"the matches have no column '{name}'; they have {', '.join(self.table.column_names)}"
            )
        return self.table.column(name)

    def _repr_html_(self) -> str:
        above = "\n".join([self._summary(), *self._told()])
        if len(self):
            return table_html(self.table, above)
        return fixed_width(above)

    def __repr__(self) -> str:
        return "\n".join([f"<{self._summary()}>", *(self.notes if len(self) else self._told())])

    def _told(self) -> list[str]:
        """What is said beside the matches: why events were not used, how far they came, what may be wrong."""
        return [*self._unused(), *step_lines(self.steps), *self.notes]

    def _unused(self) -> list[str]:
        """How many events were late or bad, and the first reasons."""
        sides = {"late": self.late, "bad": self.bad}
        return [
            line for kind, kept in sides.items() for line in unused_lines(kind, self.stats.get(kind, 0), kept)
        ]

    def _summary(self) -> str:
        """How many matches in how many events, and how many of these took no part."""
        total = self.stats.get("matches", len(self))
        some = f"{len(self):,} of " if len(self) != total else ""
        used = f" in {self.stats['events']:,} events" if "events" in self.stats else ""
        side = "".join(f", {self.stats[what]:,} {what}" for what in ("late", "bad") if self.stats.get(what))
        return f"{some}{total:,} {'match' if total == 1 else 'matches'}{used}{side}"


def _as_dicts(rows: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    try:
        listed: list[dict[str, Any]] = rows.to_pylist()
    except (OverflowError, ValueError, pa.ArrowException) as error:
        raise CepheidError(
            f"a match holds a value that Python cannot hold ({error}): read the column of m.table instead"
        ) from None
    return listed
