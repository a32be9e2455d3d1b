"""`cepheid demo --spark`: a stream of trades through Structured Streaming, matched as it comes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cepheid.cli.demo import QUERY, shown_query
from cepheid.cli.demo_board import Figures, board
from cepheid.cli.demo_trades import RATE, TRADES, TradeWriter
from cepheid.cli.say import say, say_if_cold
from cepheid.cli.show import counted
from cepheid.cli.spark_failure import telling_spark_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

ASKED: dict[str, Any] = {"volume": 980, "window": "100 ms"}
SECONDS = 20
LOOK = 0.25  # seconds between two looks at the stream's progress

NEXT_STEPS = """\
Try next:
  cepheid generate stocks --size 1000000 --out stocks.parquet
  cepheid run 'PATTERN SEQ(stock a, stock b) WHERE [symbol] AND b.price > a.price + 5 WITHIN 20' \\
      --events stocks.parquet --spark --stats --out matches.parquet
  the same on a cluster: add --master spark://host:7077
"""


def show_spark_demo() -> None:
    """Write trades to a folder, match them as they come, and show what is found."""
    text = shown_query(**ASKED)
    print(f"Spark reads {RATE:,} trades a second and matches them for {SECONDS} seconds.", flush=True)
    say_if_cold()
    with tempfile.TemporaryDirectory(prefix="cepheid-demo-") as folder, telling_spark_failures():
        figures = _stream(Path(folder), text)
    print(f"\n{_summary(figures)}\n\n{NEXT_STEPS}", end="", flush=True)


def rehearse() -> None:
    """Compile here what Spark's workers will need: some trades, in a session that goes on from a snapshot."""
    import cepheid
    from cepheid.cli.demo_trades import first_trades

    trades = first_trades()
    query = cepheid.query(QUERY.format(**ASKED))
    session = query.session(trades.schema, time="time", type="type")
    session.push(trades)
    cepheid.resume(query, session.snapshot())


def _summary(figures: Figures) -> str:
    batches = counted(figures.batches, "micro-batch", "micro-batches")
    return (
        f"{counted(figures.events, 'event')} in {batches}: {counted(figures.matches, 'match', 'matches')}, "
        f"half of them here {figures.typical_delay:.1f} s after their last event or sooner; "
        f"at most {figures.most_state:,} bytes of state"
    )


def _stream(folder: Path, text: str) -> Figures:
    from cepheid.runners.spark.start import local_session

    say("starting Spark …")
    spark = local_session("cepheid demo", log=folder / "spark.txt", is_short=True)
    figures = Figures()
    with TradeWriter(folder / "trades") as writer, board(figures) as show:
        trades = spark.readStream.schema(TRADES).parquet(str(folder / "trades"))
        query = _matched(trades, text, figures, folder)
        try:
            _watch(query, figures, writer, show)
            writer.stop()
            query.processAllAvailable()
            figures.read(query.recentProgress)
            show()
        finally:
            query.stop()
    return figures


def _matched(trades: DataFrame, text: str, figures: Figures, folder: Path) -> StreamingQuery:
    from cepheid.spark import match

    found = match(trades, text, time="time", type="type")

    def take(rows: DataFrame, number: int) -> None:
        figures.take(rows.toArrow())

    sink = found.writeStream.foreachBatch(take).option("checkpointLocation", str(folder / "checkpoint"))
    return sink.start()


def _watch(query: StreamingQuery, figures: Figures, writer: TradeWriter, show: Callable[[], None]) -> None:
    """Until the stream has run long enough, counted from its first result, which starts the workers."""
    until = None
    while until is None or time.monotonic() < until:
        time.sleep(LOOK)
        problem = query.exception()
        if problem is not None:
            raise problem
        figures.read(query.recentProgress)
        if until is None and figures.batches:
            until = time.monotonic() + SECONDS
            writer.flow()
        show()
