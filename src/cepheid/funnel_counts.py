"""What a funnel gives back: a row a step, from the ways in which users reached it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.matches import Matches
from cepheid.tabular import Tabular
from cepheid.views.funnel import DrawnStep, funnel_html, funnel_svg, funnel_text, shown_length


@dataclass(frozen=True, slots=True, repr=False)
class FunnelCounts(Tabular):
    """How many users reached each step. In `.table`, `conversion` is their share of those of the first step,
    `drop_off` the share of the step before that did not come on, and `median_time` how long the step took."""

    table: pa.Table
    keys: tuple[str, ...]
    asked: str = ""  # the funnel in words
    late: pa.Table | None = field(default=None)
    bad: pa.Table | None = field(default=None)
    stats: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield from self.table.to_pylist()

    def svg(self) -> str:
        """A picture: a bar a step, and between them who was lost and how long it took."""
        return funnel_svg(self._drawn(), self._counted())

    def html(self) -> str:
        """A page of its own with the picture."""
        return funnel_html(self._drawn(), self._counted(), self.asked, self.notes, is_page=True)

    def _repr_html_(self) -> str:
        return funnel_html(self._drawn(), self._counted(), self.asked, self.notes, is_page=False)

    def __repr__(self) -> str:
        return "\n".join([*funnel_text(self._drawn()), *self.notes])

    def _counted(self) -> str:
        return " and ".join(self.keys)

    def _drawn(self) -> list[DrawnStep]:
        rows = self.table.drop_columns("median_time").to_pylist()
        medians = self.table.column("median_time")
        return [
            DrawnStep(row["step"], row["count"], row["conversion"], row["drop_off"], _length(median))
            for row, median in zip(rows, medians, strict=True)
        ]


def counted(
    labels: Sequence[str], keys: tuple[str, ...], asked: str, found: Sequence[Matches]
) -> FunnelCounts:
    """The table of a funnel from the ways that reach each step."""
    names = [f"key_{place}" for place, _ in enumerate(keys, 1)]
    stretches = [_stretches(each.table, names) for each in found]
    counts = [table.num_rows for table in stretches]
    shares = [share(count, counts[0]) for count in counts]
    lost = [0.0, *(_lost(count, before) for before, count in pairwise(counts))]
    medians = [_median(table.column("step_first")) for table in stretches[1:]]
    length = stretches[-1].column("step_first").type
    kind = length if pa.types.is_duration(length) else pa.float64()
    table = pa.table(
        {
            "step": pa.array(labels, pa.string()),
            "count": pa.array(counts, pa.int64()),
            "conversion": pa.array(shares, pa.float64()),
            "drop_off": pa.array(lost, pa.float64()),
            "median_time": pa.array([None, *medians]).cast(kind),
        }
    )
    notes = dict.fromkeys(note for each in found for note in each.notes)
    last = found[-1]
    return FunnelCounts(table, keys, asked, last.late, last.bad, _figures(found), tuple(notes))


def share(part: int, whole: int) -> float | None:
    """A part of a whole; null where there is none."""
    return part / whole if whole else None


def _lost(count: int, before: int) -> float | None:
    kept = share(count, before)
    return None if kept is None else 1.0 - kept


def _stretches(ways: pa.Table, keys: list[str]) -> pa.Table:
    """A row a user: how long the step took where it was reached first, by the last that led there."""
    if "before" not in ways.column_names:
        return ways.group_by(keys).aggregate([])
    step = pc.subtract(ways.column("reached"), ways.column("before"))
    length = step.type
    if pa.types.is_duration(length):
        step = step.cast(pa.int64())
    ordered = ways.append_column("step", step).sort_by([("reached", "ascending"), ("step", "ascending")])
    first = ordered.group_by(keys, use_threads=False).aggregate([("step", "first")])
    place = first.column_names.index("step_first")
    return first.set_column(place, "step_first", first.column(place).cast(length))


def _median(steps: pa.ChunkedArray) -> Any:
    """The middle one, or what is between the two in the middle; a duration in whole ticks."""
    if not len(steps):
        return None
    is_length = pa.types.is_duration(steps.type)
    numbers = np.sort((steps.cast(pa.int64()) if is_length else steps).to_numpy())
    low, high = numbers[(len(numbers) - 1) // 2], numbers[len(numbers) // 2]
    return (
        int(low) + (int(high) - int(low)) // 2 if is_length else float(low) + (float(high) - float(low)) / 2
    )


def _figures(found: Sequence[Matches]) -> dict[str, Any]:
    """Of the run as a whole."""
    wanted = ("events", "late", "bad", "seconds", "events_per_second")
    figures = {name: found[-1].stats[name] for name in wanted if name in found[-1].stats}
    return {**figures, "ways": sum(len(each) for each in found)}


_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _length(median: pa.Scalar) -> str | None:
    if not median.is_valid:
        return None
    if pa.types.is_duration(median.type):
        return shown_length(median.value / _TICKS[median.type.unit])
    return f"{median.as_py():,.6g}"
