"""Generated stocks: the paper's random walk, repeatable."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from cepheid.sources.generate import DOCUMENTS, GENERATORS, stock_batches, stocks


def test_columns_and_ranges() -> None:
    table = stocks(50_000, seed=1, symbols=3)
    assert table.schema.names == ["time", "symbol", "price", "volume", "type"]
    assert table["time"].to_pylist() == list(range(50_000))
    assert pc.unique(table["symbol"]).sort().to_pylist() == [1, 2, 3]
    for name in ("price", "volume"):
        assert pc.min_max(table[name]).as_py() == {"min": 1, "max": 1000}
    assert pc.unique(table["type"]).to_pylist() == ["stock"]


@pytest.mark.parametrize("batch_rows", [1, 7, 1000, 65_536])
def test_the_batch_size_changes_nothing(batch_rows: int) -> None:
    batches = stock_batches(3_000, 7, symbols=5, batch_rows=batch_rows)
    assert pa.Table.from_batches(batches).combine_chunks() == stocks(3_000, 7, symbols=5)


def test_the_seed_decides() -> None:
    assert stocks(100, 1) == stocks(100, 1)
    assert stocks(100, 1) != stocks(100, 2)
    assert stocks(100, 1) == stocks(1_000, 1).slice(0, 100)


@pytest.mark.parametrize("rise", [0.0, 0.5, 0.7, 1.0])
def test_each_symbol_walks_by_single_steps(rise: float) -> None:
    table = stocks(60_000, seed=3, symbols=2, rise=rise)
    price = table.filter(pc.equal(table["symbol"], 2))["price"].to_numpy()
    steps = (np.diff(price) + 1) % 1000 - 1  # 1000 and 1 are neighbours
    shares = [np.mean(steps == step) for step in (1, -1, 0)]
    assert shares == pytest.approx([rise, (1 - rise) / 2, (1 - rise) / 2], abs=0.01)


def test_nothing_and_nonsense() -> None:
    assert stocks(0, 1).num_rows == 0
    for wrong in ({"size": -1}, {"seed": -1}, {"symbols": 0}, {"rise": 1.5}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            stocks(**{"size": 1, "seed": 1, **wrong})


def test_a_name_means_events_or_a_document() -> None:
    assert not set(GENERATORS) & set(DOCUMENTS)
