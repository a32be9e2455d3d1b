"""What all profiles of a set tell as one table: by the time of completion, then in the order of the set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from cepheid.events import END
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.profile.beside import BesideRow
from cepheid.matchers.profile.one_step.matcher import Told
from cepheid.matchers.profile.one_step.told_rows import HeldRows, ToldRows
from cepheid.matchers.profile.roster import Roster
from cepheid.matchers.windows import FAR
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.sets import ProfileSetPlan

Columns = tuple[pa.Array, pa.Array, pa.Array, pa.Array]
"""Profile, match_id, time and match."""


@dataclass(frozen=True, slots=True)
class SetPiece:
    """What was told with one batch; rows of the single step may not be made yet."""

    told: Told
    columns: Columns | None = None
    beside: Sequence[tuple[int, str, BesideRow]] = field(default_factory=tuple)  # rank, name, row

    @property
    def num_rows(self) -> int:
        """How many matches."""
        return int(self.told.profile.size) + len(self.beside)

    def with_beside(self, rows: Sequence[tuple[int, str, BesideRow]]) -> SetPiece:
        """The same with what was told beside."""
        return replace(self, beside=rows)


class SetRows:
    """Makes the table of a set."""

    def __init__(self, plan: ProfileSetPlan, roster: Callable[[], Roster], rows: ToldRows) -> None:
        self.schema = plan.output_schema
        self._roster, self._rows = roster, rows
        self._is_real = bool(pa.types.is_floating(plan.schema.type_of(plan.schema.time)))

    def step_columns(self, told: Told, held: HeldRows) -> Columns:
        """The rows of the single step."""
        names = self._roster().names
        distinct, places = np.unique(told.profile, return_inverse=True)
        known = pa.array([names[number] for number in distinct.tolist()], pa.string())
        return (known.take(pa.array(places)), *self._rows.columns(told, held))

    def tables(self, pieces: Sequence[SetPiece], held: HeldRows) -> pa.Table:
        """One table of what was told with several batches."""
        made = [
            replace(piece, columns=self.step_columns(piece.told, held)) if piece.told.profile.size else piece
            for piece in pieces
            if piece.num_rows
        ]
        return pa.concat_tables(map(self.table, made)) if made else self.schema.empty_table()

    def table(self, piece: SetPiece) -> pa.Table:
        """The table of what was told with one batch."""
        if not piece.num_rows:
            return self.schema.empty_table()
        columns: list[pa.Array]
        if not piece.beside:
            assert piece.columns is not None
            told = piece.told
            ranks = self._roster().rank_of(told.profile)
            order = np.lexsort((np.arange(ranks.size), ranks, told.flag, told.clock))
            columns = list(piece.columns)
        else:
            columns, order = self._both(piece)
        taken = [column.take(pa.array(order)) for column in columns]
        return pa.Table.from_arrays(
            [c.cast(f.type) for c, f in zip(taken, self.schema, strict=True)], schema=self.schema
        )

    def _both(self, piece: SetPiece) -> tuple[list[pa.Array], np.ndarray]:
        """The rows of the single step, then those beside it, and their order."""
        told, beside = piece.told, piece.beside
        columns: list[pa.Array] = [
            pa.array([name for _, name, _ in beside], pa.string()),
            pa.array([row[1] for *_, row in beside], pa.string()),
            self._times([row[2] for *_, row in beside]),
            pa.array([row[3] for *_, row in beside], pa.string()),
        ]
        if piece.columns is not None:
            columns = [
                join_arrays([one.cast(other.type), other])
                for one, other in zip(piece.columns, columns, strict=True)
            ]
        ranks = self._roster().rank_of(told.profile).tolist()
        clocks = (
            self._moment(clock, flag)
            for clock, flag in zip(told.clock.tolist(), told.flag.tolist(), strict=True)
        )
        keys = [(*moment, rank) for moment, rank in zip(clocks, ranks, strict=True)]
        keys += [(row[0][0], row[0][1], rank) for rank, _, row in beside]
        return columns, np.array(sorted(range(len(keys)), key=lambda k: (keys[k], k)), np.int64)

    def _moment(self, clock: int, flag: int) -> tuple[Ticks, int]:
        """When it was, as the profiles beside have it."""
        if clock == FAR and flag > 0:
            return END, flag
        if not self._is_real:
            return clock, flag
        bits = clock ^ int(FAR) if clock < 0 else clock
        return float(np.int64(bits).view(np.float64)), flag

    def _times(self, ticks: list[Ticks]) -> pa.Array:
        kind = self.schema.field("time").type
        numbers = pa.array(ticks, pa.float64() if self._is_real else pa.int64())
        return (numbers.cast(pa.int32()) if pa.types.is_date32(kind) else numbers).cast(kind)
