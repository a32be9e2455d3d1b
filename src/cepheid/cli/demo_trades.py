"""Trades that keep coming: a thread that writes them, as small files, into a folder that Spark watches."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

RATE = 2_000  # trades a second
TICK = 0.5  # seconds between two files
TRADES = "time timestamp, symbol string, price bigint, volume bigint, type string"
SYMBOLS = np.array(["ACME", "APEX", "BOLT", "DUNE", "ECHO", "HALO", "IRIS", "LYRA", "NOVA", "VEGA"])
MOST = 10_000_000


class TradeWriter:
    """Writes one file, and more once trades may flow. `stop`, or the end of the block, ends it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.flowing = threading.Event()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._write, name="trades", daemon=True)

    def __enter__(self) -> TradeWriter:
        self.folder.mkdir()
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def flow(self) -> None:
        """Somebody reads: go on."""
        self.flowing.set()

    def stop(self) -> None:
        """No more trades after this."""
        self.stopped.set()
        self.flowing.set()
        self.thread.join()

    def _write(self) -> None:
        from cepheid.sources.generate import stock_batches

        rows = int(RATE * TICK)
        for number, batch in enumerate(stock_batches(MOST, 1, symbols=len(SYMBOLS), batch_rows=rows)):
            self._publish(_trades(batch), number)
            self.flowing.wait()
            if self.stopped.wait(TICK):
                return

    def _publish(self, trades: pa.Table, number: int) -> None:
        """A file appears whole or not at all: it is renamed once it is written."""
        import pyarrow.parquet as pq

        hidden = self.folder / f".{number:06}.parquet"
        pq.write_table(trades, hidden)
        os.rename(hidden, self.folder / f"{number:06}.parquet")


def first_trades() -> pa.Table:
    """As many as are written at a time."""
    from cepheid.sources.generate import stock_batches

    rows = int(RATE * TICK)
    return _trades(next(iter(stock_batches(rows, 1, symbols=len(SYMBOLS), batch_rows=rows))))


def _trades(batch: pa.RecordBatch) -> pa.Table:
    """Generated stock events as trades of this moment, evenly spread over the last tick."""
    ago = np.linspace(TICK, 0, batch.num_rows, endpoint=False) * 1e6
    moments = (time.time() * 1e6 - ago).astype(np.int64)
    return pa.table(
        {
            "time": pa.array(moments, pa.timestamp("us", "UTC")),
            "symbol": pa.array(SYMBOLS[batch.column("symbol").to_numpy() - 1]),
            "price": batch.column("price"),
            "volume": batch.column("volume"),
            "type": batch.column("type").cast(pa.string()),
        }
    )
