"""Generated clicks of a web shop: visits in order, hours of the day, and carts that are paid or left."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from cepheid.sources.generate import CLICKS_SCHEMA, click_batches, clicks
from cepheid.sources.generate.clicks import TYPES


@pytest.fixture(scope="module")
def shop() -> pa.Table:
    return clicks(150_000, seed=1)


def test_columns_types_and_order(shop: pa.Table) -> None:
    assert shop.schema == CLICKS_SCHEMA and shop.num_rows == 150_000
    assert set(pc.unique(shop["type"].cast(pa.string())).to_pylist()) == set(TYPES)
    assert (np.diff(shop["time"].to_numpy()) >= np.timedelta64(0)).all()
    assert pc.min_max(shop["user"]).as_py() == {"min": 1, "max": 1_000}
    kinds = shop["type"].cast(pa.string())
    assert shop["product"].is_null().equals(pc.equal(kinds, "search"))
    assert shop["amount"].is_valid().equals(pc.is_in(kinds, pa.array(["cart", "pay"])))


@pytest.mark.parametrize("batch_rows", [1, 1_000, 65_536])
def test_neither_batches_nor_the_size_change_what_comes(shop: pa.Table, batch_rows: int) -> None:
    batches = click_batches(3_000, 1, batch_rows=batch_rows)
    assert pa.Table.from_batches(batches).combine_chunks() == shop.slice(0, 3_000).combine_chunks()


def test_the_seed_decides() -> None:
    assert clicks(500, 1) == clicks(500, 1) != clicks(500, 2)


def test_a_cart_comes_after_a_view_of_its_product_and_before_it_is_paid() -> None:
    """With so many users each one comes once, so that a user's clicks are a visit."""
    rows = clicks(5_000, 1, users=10**12).to_pylist()
    visits: dict[int, list[tuple[str, int | None]]] = {}
    for row in rows:
        visits.setdefault(row["user"], []).append((row["type"], row["product"]))
    for visit in visits.values():
        kinds = [kind for kind, _ in visit]
        if "cart" in kinds:
            at = kinds.index("cart")
            assert visit[at - 1] == ("view", visit[at][1])
            assert visit[at + 1 :] in ([], [("pay", visit[at][1])])
        else:
            assert "pay" not in kinds


def test_half_of_the_carts_are_paid_and_evenings_are_busy(shop: pa.Table) -> None:
    kinds = {row["values"]: row["counts"] for row in pc.value_counts(shop["type"]).to_pylist()}
    assert kinds["pay"] / kinds["cart"] == pytest.approx(0.5, abs=0.03)
    hours = {row["values"]: row["counts"] for row in pc.value_counts(pc.hour(shop["time"])).to_pylist()}
    assert hours[20] > 4 * hours[8]


def test_nothing_and_nonsense() -> None:
    assert clicks(0, 1).num_rows == 0
    for wrong in ({"size": -1}, {"seed": -1}, {"users": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            clicks(**{"size": 1, "seed": 1, **wrong})
