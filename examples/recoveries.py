"""An analyst's question: after three falls in a row, when is a share back where it was?

Daily bars are generated, the query finds the recoveries, and a plain pandas loop finds them again.
"""

import numpy as np
import pandas as pd

import cepheid

# "In a row" is partition_contiguity; `under` passes the days below the old level.
QUERY = cepheid.query("""
PATTERN SEQ(ANY a, ANY b, ANY c, ANY d, ANY* under[], ANY back)
WHERE   partition_contiguity {
            [symbol] AND b.close < a.close AND c.close < b.close AND d.close < c.close
            AND under[i].close < a.close AND back.close >= a.close }
WITHIN  60 days
RETURN  a.symbol AS symbol, a.time AS fell, back.time AS recovered
""")


def daily_bars(symbols: int = 50, days: int = 500, seed: int = 7) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    steps = rng.normal(0.0002, 0.015, (days, symbols))
    close = np.round(100 * np.exp(np.cumsum(steps, axis=0)), 2)
    dates = pd.bdate_range("2022-01-03", periods=days, name="date")
    bars = pd.DataFrame(close, index=dates, columns=[f"S{number:02d}" for number in range(symbols)])
    return bars.melt(var_name="symbol", value_name="close", ignore_index=False).reset_index()


def recoveries_by_hand(bars: pd.DataFrame) -> set[tuple[str, pd.Timestamp, pd.Timestamp]]:
    found = set()
    for symbol, of_symbol in bars.groupby("symbol"):
        dates, close = of_symbol["date"].tolist(), of_symbol["close"].tolist()
        for first in range(len(close) - 3):
            a, b, c, d = close[first : first + 4]
            if not a > b > c > d:
                continue
            for later in range(first + 4, len(close)):
                if dates[later] - dates[first] > pd.Timedelta(days=60):
                    break
                if close[later] >= a:
                    found.add((symbol, dates[first], dates[later]))
                    break
    return found


def main() -> None:
    bars = daily_bars()
    matches = QUERY.run(bars, time="date", order=["symbol"])
    found = matches.to_pandas()
    took = (found["recovered"] - found["fell"]).dt.days
    print(f"{len(bars):,} bars, {len(found)} recoveries, the median after {took.median():.0f} days")
    print(found.sort_values(["fell", "symbol"]).head(3).drop(columns="match_id").to_string(index=False))
    rows = zip(found["symbol"], found["fell"], found["recovered"], strict=True)
    assert set(rows) == recoveries_by_hand(bars)
    print("a loop over the bars finds the same")


if __name__ == "__main__":
    main()
