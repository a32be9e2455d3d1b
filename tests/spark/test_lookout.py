"""Users are told on the driver which types and texts no event has, at the end of their action or stream."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.errors import CepheidWarning
from cepheid.events import bind
from cepheid.runners.spark import lookout, stream_lookout
from cepheid.runners.spark.lookout import WAITING
from cepheid.runners.spark.needed import in_python, needed_of, seen_in, unseen_text
from cepheid.spark import match, match_files, match_workload
from tests.spark.live import Arrivals, metrics, pieces, run
from tests.spark.streams import BINDING, events

TABLE = events(600)
TYPO = "PATTERN SEQ(A a, failde b) WHERE skip_till_next_match { [k] } WITHIN 300"
RIGHT = "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [k] } WITHIN 300"

LISTING = "events that cannot matter were dropped unseen: {}.groupBy('kind').count().show() lists all kinds"


@pytest.fixture
def files(tmp_path: Path) -> str:
    pq.write_table(TABLE, tmp_path / "events.parquet")
    return str(tmp_path / "events.parquet")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """What was told, and at which file, wherever it was told from."""
    found: list[tuple[str, str]] = []
    for module in (lookout, stream_lookout):
        monkeypatch.setattr(module, "warn", lambda text, line: found.append((text, Path(line.filename).name)))
    yield found
    _until(lambda: not any(thread.is_alive() for thread in lookout._waiting))


def _until(is_done: Callable[[], bool]) -> None:
    for _ in range(400):
        if is_done():
            return
        time.sleep(0.05)
    raise AssertionError("it takes too long")


Told = list[tuple[str, str]]


ACTIONS: dict[str, Callable[[DataFrame], Any]] = {
    "count": lambda found: found.count(),
    "to pandas": lambda found: found.toPandas(),
    "one row": lambda found: found.limit(1).collect(),
}


@pytest.mark.parametrize("act", ACTIONS.values(), ids=ACTIONS.keys())
def test_a_type_that_no_event_has_is_told_after_any_action(
    spark: SparkSession, files: str, told: Told, act: Callable[[DataFrame], Any]
) -> None:
    found = match(spark.read.parquet(files), TYPO, **BINDING)
    assert told == []  # nothing has run
    act(found)
    _until(lambda: bool(told))
    assert told == [(f"no event with k has type 'failde'\n{LISTING.format('df')}", "test_lookout.py")]


def test_it_is_told_of_files_that_workers_read(spark: SparkSession, files: str, told: Told) -> None:
    match_files(spark, files, TYPO, **BINDING).count()
    _until(lambda: bool(told))
    frame = "spark.read.parquet(…)"
    assert told == [(f"no event with k has type 'failde'\n{LISTING.format(frame)}", "test_lookout.py")]


def test_of_a_workload_each_query_is_told(spark: SparkSession, files: str, told: Told) -> None:
    queries = {
        "fine": RIGHT,
        "typo": "PATTERN SEQ(A a, failde b) WITHIN 300",
        "value": "PATTERN SEQ(A a, B b) WHERE a.kind = 'bla' AND a.x > 0.5 WITHIN 300",
    }
    match_workload(spark.read.parquet(files), queries, **BINDING).count()
    _until(lambda: bool(told))
    assert told[0][0].splitlines() == [
        "query 'typo': no event has type 'failde'",
        "query 'value': no event has type 'A' and kind = 'bla' and x > 0.5",
        LISTING.format("df"),
    ]


def test_nothing_is_told_where_all_is_there(spark: SparkSession, files: str, told: Told) -> None:
    match(spark.read.parquet(files), RIGHT, **BINDING).count()
    match_files(spark, files, RIGHT, **BINDING).count()
    _until(lambda: not lookout._waiting)
    assert told == []


def test_a_failed_action_tells_nothing_of_it(spark: SparkSession, files: str, told: Told) -> None:
    found = match(spark.read.parquet(files), RIGHT, **BINDING, max_matches=1)
    with pytest.raises(Exception, match="max_matches"):
        found.count()
    _until(lambda: not lookout._waiting)
    assert told == []


def test_the_filter_still_reaches_the_files(
    spark: SparkSession, files: str, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    found = match(spark.read.parquet(files), TYPO, **BINDING)
    found.explain()
    plan = capsys.readouterr().out
    assert "In(kind, [A,failde])" in plan[plan.index("PushedFilters") :]
    assert plan.index("Exchange") < plan.index("CollectMetrics") < plan.index("Filter")
    found.count()
    _until(lambda: bool(told))


def test_a_result_may_be_used_twice_in_one_action(spark: SparkSession, files: str, told: Told) -> None:
    found = match(spark.read.parquet(files), RIGHT, **BINDING)
    other = found.alias("other")
    assert found.union(found).count() == 2 * found.count()
    assert found.join(other, found.match_id == other.match_id).count() == found.count()


def test_few_results_are_waited_for(
    spark: SparkSession, files: str, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    df = spark.read.parquet(files)
    held = {threading.Thread() for _ in range(WAITING)}
    monkeypatch.setattr(lookout, "_waiting", held)
    assert match(df, TYPO, **BINDING).count() == 0
    assert lookout._waiting == held
    monkeypatch.undo()
    assert told == []


def test_a_stream_tells_at_its_end(spark: SparkSession, tmp_path: Path, told: Told) -> None:
    arrivals = Arrivals(spark, tmp_path, TABLE.schema)
    arrivals.put(*pieces(TABLE, 2))
    _, query = run(match(arrivals.stream(), TYPO, **BINDING, shards=2), tmp_path / "typo")
    _until(lambda: bool(told))
    (text, where), *more = told
    assert (more, where) == ([], "test_lookout.py")
    assert text.splitlines()[:2] == [
        "in 600 events of the stream since its start:",
        "no event with k has type 'failde'",
    ]
    assert max(each["seen"] for each in metrics(query)) == 0b01
    run(match(arrivals.stream(), RIGHT, **BINDING, shards=2), tmp_path / "right")
    assert told == [(text, where)]


def test_a_stream_that_goes_on_tells_once(told: Told) -> None:
    needed = needed_of(_plan(TYPO))
    watch = stream_lookout.Lookout(needed, cepheid.errors.users_line())
    for _ in range(5):
        watch.look(0b01, stream_lookout.MANY // 3)
        if watch.events < stream_lookout.MANY:
            assert told == []
    watch.tell()
    assert len(told) == 1


# ---------------------------------------------------------------- what is needed, in words


def _plan(text: str) -> Any:
    return cepheid.query(text).plan(bind(TABLE.schema, "ts", "kind", ["seq"], None))


def test_only_what_a_match_cannot_do_without_is_needed() -> None:
    texts = [each.text for each in needed_of(_plan("PATTERN SEQ(A a, ~D n, B b) WITHIN 9"))]
    assert texts == ["no event has type 'A'", "no event has type 'B'"]
    assert needed_of(_plan("PATTERN SEQ(ANY a, ANY b) WITHIN 9")) == ()
    assert needed_of(_plan(TYPO), opaque=["kind"]) == ()


def test_a_near_text_of_the_same_query_is_named() -> None:
    needed = needed_of(_plan("PATTERN SEQ(failed a, failde b, C c) WITHIN 9"))
    table = pa.table({"kind": ["failed", "C", "failed"]})
    text = unseen_text(needed, seen_in(needed, table), in_python("df"))
    assert text is not None
    assert text.splitlines()[0] == "no event has type 'failde'; did you mean 'failed'?"
    assert unseen_text(needed, 0b111, in_python("df")) is None


def test_the_warning_is_at_the_line_of_the_user() -> None:
    with pytest.warns(CepheidWarning, match="no event") as caught:
        cepheid.errors.warn("no event", line=cepheid.errors.users_line())
    assert caught[0].filename == __file__
