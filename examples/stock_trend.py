# %% [markdown]
# # Stock trends
# A price that keeps rising above its own average until the volume collapses: a pattern of one event or
# more, whose conditions look back at what was taken before.

# %% [markdown]
# ## The events
# Trades of ten stocks, generated: a time, a symbol, a price and a volume.

# %%
import cepheid
from cepheid.sources.generate import stocks

trades = stocks(20_000, seed=1, symbols=10)
print(trades.slice(0, 3).to_pylist())

# %% [markdown]
# ## The query
# `stock+ a[]` takes one trade or more. The first one has a large volume; each later one has a price above
# the average of those before it. The trade that ends the trend, `b`, has less than a twentieth of the last
# one's volume. `[symbol]` says that all of them are of one stock.
#
# `skip_till_next_match` passes over what does not fit, and `NON OVERLAPPING` tells a trend only after the
# one before it is over.

# %%
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
trends = cepheid.query(QUERY).run(trades, time="time", type="type")

# %% [markdown]
# ## What it finds

# %%
for trend in list(trends)[:5]:
    print(
        f"stock {trend['symbol']} from {trend['start']}: {trend['length']} events, "
        f"price {trend['low']} to {trend['high']}, then volume {trend['volume']}"
    )
print(f"{len(trends)} such trends")

# %% [markdown]
# ## The same as a picture
# Without RETURN a match has its events, and can be drawn: each match as a span, its events below it. Here
# are the first trends of one stock.

# %%
drawn = cepheid.query(QUERY.split("RETURN")[0] + "EMIT NON OVERLAPPING").run(
    trades.slice(0, 4_000), time="time", type="type"
)
drawn.timeline(by="symbol", most=4)
