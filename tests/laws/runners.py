"""The doors by which a query gets its events in one process: each gives what a whole run gives.

On Spark, batch and streaming, the same cases are compared by tests.spark.agreement.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import cepheid
from tests.cases import Case
from tests.laws.laws import in_pieces
from tests.laws.ways import BY_NAME

Runner = Callable[[Case, Path], pa.Table | None]  # None where the case cannot come in by this door


def table(case: Case, folder: Path) -> pa.Table:
    return cepheid.query(case.query_text).run(case.table, **case.binding).table


def reader(case: Case, folder: Path) -> pa.Table:
    """Batches that are read once."""
    return cepheid.query(case.query_text).run(case.table.to_reader(max_chunksize=4), **case.binding).table


def one_file(case: Case, folder: Path) -> pa.Table:
    path = folder / "events.parquet"
    pq.write_table(case.table, path, row_group_size=3)
    return cepheid.query(case.query_text).run(path, **case.binding).table


def several_files(case: Case, folder: Path) -> pa.Table:
    """A file for each batch that the case is cut into, in the order of arrival."""
    edges = [0, *case.cuts, len(case.events)]
    paths = []
    for number, (start, stop) in enumerate(itertools.pairwise(edges)):
        paths.append(folder / f"{number}.arrow")
        with pa.ipc.new_file(paths[-1], case.table.schema) as writer:
            writer.write_table(case.table.slice(start, stop - start))
    return cepheid.query(case.query_text).run(paths, **case.binding).table


def session(case: Case, folder: Path) -> pa.Table | None:
    """In the batches that the case is cut into."""
    return in_pieces(BY_NAME["auto"], case, [0, *case.cuts, len(case.events)])


def workload_of_one(case: Case, folder: Path) -> pa.Table:
    return cepheid.workload({"only": case.query_text}).run(case.table, **case.binding)["only"].table


RUNNERS: tuple[Runner, ...] = (table, reader, one_file, several_files, session, workload_of_one)
