"""A price that keeps rising above its own average until the volume collapses, over generated events."""

from __future__ import annotations

import cepheid
from cepheid.sources.generate import stocks

QUERY = """
PATTERN SEQ(stock+ a[], stock b)
WHERE   skip_till_next_match {
            [symbol]
            AND a[1].volume > 980
            AND a[i].price > avg(a[..i-1].price)
            AND b.volume < 5% * a[last].volume }
WITHIN  300
RETURN  a[1].symbol AS symbol, first_time() AS start, a.len AS length,
        a[1].price AS low, a[last].price AS high, b.volume AS volume
EMIT    NON OVERLAPPING
"""


def main() -> None:
    matches = cepheid.query(QUERY).run(stocks(20_000, seed=1, symbols=10), time="time", type="type")
    for match in list(matches)[:5]:
        print(
            f"stock {match['symbol']} from {match['start']}: {match['length']} events, "
            f"price {match['low']} to {match['high']}, then volume {match['volume']}"
        )
    print(f"{len(matches)} such trends, {matches.stats['seconds']:.2f} s")


if __name__ == "__main__":
    main()
