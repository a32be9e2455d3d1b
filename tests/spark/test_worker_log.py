"""What workers tell in their logs; no Spark runs here, only what a worker would."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import cepheid
from cepheid.events import bind
from cepheid.matchers import jit
from cepheid.matchers.ready.cache import KernelHome
from cepheid.runners.spark import sql_lookout
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.needed import needed_of
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.share import share_rows
from cepheid.runners.spark.sql import Analysis, TableFunction
from cepheid.runners.spark.worker_log import tell_of_compiling
from cepheid.runners.stream import compiling
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.terms import Terms

KERNEL = "from cepheid.matchers.jit import kernel\n\n\n@kernel\ndef twice(x):\n    return 2 * x\n"


def test_bad_events_are_told_with_the_first_reasons(caplog: pytest.LogCaptureFixture) -> None:
    table = pa.table({"t": [None, 1, None, 2], "kind": list("ABAB")})
    plan = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5").plan(bind(table.schema, "t", "kind", [], None))
    list(share_rows(Assignment(plan, Terms(), side=False), table, None))
    (told,) = caplog.messages
    assert told == (
        "cepheid: 't' is no time (2 times); 2 bad events took no part; match(…, side=True) returns them"
    )


@pytest.fixture
def kinds() -> Iterator[pa.Table]:
    """Many events, none of which is a 'failde'."""
    came = sql_lookout._came
    yield pa.table({"t": range(1200), "k": [n % 3 for n in range(1200)], "kind": ["A", "failed"] * 600})
    sql_lookout._came = came


def _in_sql(text: str, *groups: pa.Table) -> None:
    """What a worker of the table function does with groups of events."""
    plan = cepheid.query(text).plan(bind(groups[0].schema, "t", "kind", [], None))
    assigned = Assignment(plan, Terms(), side=False)
    told = Analysis(spark_schema(assigned.results), assigned=assigned, needed=needed_of(plan))
    for events in groups:
        function = TableFunction(told)
        for batch in events.select(list(plan.needed)).to_batches():
            function.eval(batch, pa.nulls(1), pa.nulls(1))
        list(function.terminate())


def test_sql_tells_of_all_events_where_one_worker_has_them(
    kinds: pa.Table, caplog: pytest.LogCaptureFixture
) -> None:
    _in_sql("PATTERN SEQ(A a, failde b) WITHIN 5", kinds[:10])
    _in_sql("PATTERN SEQ(A a, failed b) WITHIN 5", kinds[:10])
    assert caplog.messages == [
        "cepheid: no event has type 'failde'\nevents that cannot matter were dropped unseen: "
        "SELECT kind, count(*) FROM … GROUP BY kind lists all kinds"
    ]


def test_sql_tells_of_the_events_that_came_to_a_worker(
    kinds: pa.Table, caplog: pytest.LogCaptureFixture
) -> None:
    keyed = "PATTERN SEQ(A a, {} b) WHERE skip_till_next_match {{ [k] }} WITHIN {}"
    _in_sql(keyed.format("failde", 5), kinds[:500], kinds[500:900])
    assert caplog.messages == []  # there may be others among the next groups of keys
    _in_sql(keyed.format("failde", 6), kinds[:500], kinds[500:1100], kinds[1100:])
    _in_sql(keyed.format("failed", 6), kinds, kinds)
    (told,) = caplog.messages
    assert told.startswith("cepheid: of 1,100 events that came to this worker: no event with k has type")


@pytest.mark.compiled
def test_compiling_is_told_in_the_log_alone(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "toy_kernel.py").write_text(KERNEL)
    spec = importlib.util.spec_from_file_location("cepheid.toy_kernel", tmp_path / "toy_kernel.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "cepheid.toy_kernel", module)
    monkeypatch.setattr(jit, "_HOME", KernelHome.of("toy", tmp_path / "kept"))
    spec.loader.exec_module(module)
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(
        compiling, "PAUSE", 0.02
    )  # it is looked four times as often, and this compiles quickly
    tell_of_compiling()
    announce_compiling()  # as every feed does
    assert (module.twice(1), module.twice(1.5)) == (2, 3.0)
    _until_told()
    first, *_, last = [text for text in caplog.messages if "compil" in text]
    assert first.startswith("cepheid: compiling kernels")
    assert last.startswith("cepheid: compiled 1 functions in ") and "kept in " in last
    assert "compil" not in capfd.readouterr().err


def _until_told() -> None:
    while compiling._announcer is not None and compiling._announcer._teller is not None:
        time.sleep(0.02)
