"""`cepheid demo`: a real query over generated stock events, from text to matches."""

import sys
import tempfile
from pathlib import Path

from cepheid.cli.say import progress, say_if_cold
from cepheid.cli.show import counted, show_table

EVENTS, WARM_UP, SEED, SYMBOLS, SHOWN = 200_000, 20_000, 1, 20, 8
DRAWN = 2_000  # events

QUERY = """\
PATTERN SEQ(stock+ a[], stock b)
WHERE skip_till_next_match {{
    [symbol]
    AND a[1].volume > {volume}
    AND a[i].price > avg(a[..i-1].price)
    AND b.volume < 10% * a[last].volume
}}
WITHIN {window}
RETURN a[1].symbol AS symbol, first_time() AS start, last_time() AS stop, a.len AS length,
       a[1].price AS low, max(a.price) AS high, b.volume AS volume
"""

NEXT_STEPS = """\
Try next:
  cepheid generate stocks --size 100000 --out stocks.parquet
  cepheid run 'PATTERN SEQ(stock a, stock b) WHERE [symbol] AND b.price > a.price + 5 WITHIN 20' \\
      --events stocks.parquet --stats
  cepheid explain 'PATTERN SEQ(stock+ a[], stock b) WITHIN 20'
"""


def shown_query(volume: int, window: int | str) -> str:
    """The query, once it has been shown."""
    text = QUERY.format(volume=volume, window=window)
    print(f"The query: a price that keeps above its average, until the volume drops.\n\n{text}")
    return text


def show_demo() -> None:
    """Generate, explain, run, and show."""
    import cepheid
    from cepheid.sources.generate import stocks

    query = cepheid.query(shown_query(volume=950, window=200))
    print(f"How it is run:\n\n{query.explain()}\n")
    events = stocks(EVENTS, SEED, symbols=SYMBOLS)
    print(f"Running it over {counted(EVENTS, 'generated event')} of {SYMBOLS} stocks …", flush=True)
    say_if_cold()
    query.run(events.slice(0, WARM_UP), time="time", type="type")  # so that no compiling is measured
    with progress("matching", EVENTS) as show:
        matches = query.run(events, time="time", type="type", progress=show)
    print()
    show_table(matches.table, SHOWN, hint="")
    seconds = matches.stats["seconds"]
    print(f"in {seconds:.2f} s: {EVENTS / max(seconds, 1e-9):,.0f} events a second\n")
    show_picture()
    print(f"\n{NEXT_STEPS}", end="")
    sys.stdout.flush()


def show_picture(folder: str | None = None) -> None:
    """Draw the first matches with their events, as a page that needs nothing else, and say where it is."""
    import cepheid
    from cepheid.sources.generate import stocks

    text = QUERY.format(volume=950, window=200).split("RETURN")[0]  # without RETURN a match has its events
    events = stocks(DRAWN, SEED, symbols=SYMBOLS)
    found = cepheid.query(f"{text}EMIT NON OVERLAPPING").run(events, time="time", type="type")
    place = Path(folder or tempfile.mkdtemp(prefix="cepheid-demo-")).resolve()
    place.mkdir(parents=True, exist_ok=True)
    file = place / "demo.html"
    file.write_text(found.timeline(by="symbol", most=8).html(), encoding="utf-8")
    print(f"A picture of the first matches, for your browser:\n  {file}", flush=True)
