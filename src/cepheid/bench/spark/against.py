"""Queries against what is written on Spark today: two joins and a loop, with the same matches."""

from collections.abc import Iterator
from functools import partial

from pyspark.sql import DataFrame

from cepheid.bench.harness import Timing
from cepheid.bench.results import Chart, Figure, Section, at_least, no_bar
from cepheid.bench.spark.events import Trades
from cepheid.bench.spark.ground import Asked, Ground, Ratio, equal_counts, timing_rows
from cepheid.bench.spark.rivals import RIVALS, Steps

SELECTIVE_BAR, ALL_ROWS_BAR = 3.0, 1.5

PLAIN = "plain self-join"

SELECTIVE_STEPS = Steps("ABC", seconds=10)
ALL_STEPS = Steps("AB", seconds=10, rise=800)


def selective_sequence(ground: Ground) -> Section:
    """Each step keeps a tenth of the events."""
    return _against(ground, SELECTIVE_STEPS, "a selective sequence", kinds=10, bar=SELECTIVE_BAR)


def sequence_of_all(ground: Ground) -> Section:
    """Every event is of one of the two steps."""
    return _against(ground, ALL_STEPS, "a sequence that keeps all rows", kinds=2, bar=ALL_ROWS_BAR)


def _against(ground: Ground, steps: Steps, what: str, *, kinds: int, bar: float) -> Section:
    sizes = ground.sizes
    whole = ground.events(Trades(sizes.rival_events, symbols=sizes.few_keys, kinds=kinds))
    less = ground.events(Trades(sizes.plain_events, symbols=sizes.few_keys, kinds=kinds))
    contenders = _contenders(ground, whole, steps)
    matches = equal_counts(contenders)
    plain = partial(_rival, ground, PLAIN, less, steps)
    equal_counts({PLAIN: plain, "match": partial(ground.match, less, steps.text)})
    timings = ground.measured(contenders | {PLAIN: plain})
    events = dict.fromkeys(timings, sizes.rival_events) | {PLAIN: sizes.plain_events}
    return Section(
        f"Against joins and a loop: {what}",
        f"{steps.text} over {sizes.rival_events:,} events of {kinds} kinds in equal parts and of "
        f"{sizes.few_keys:,} symbols, from Parquet files; each finds the same {matches:,} matches. The plain "
        f"self-join runs over {sizes.plain_events:,} events only, where it finds as many as match: its work "
        "grows with the square of their number, so over all of them its rate would be lower.",
        timing_rows(timings, events),
        (Chart("contender", "events/s (wall)", kind="bar", log_y=True, title="events a second"),),
        tuple(_figures(timings, what, bar)),
    )


def _contenders(ground: Ground, path: str, steps: Steps) -> dict[str, Asked]:
    return {
        **{name: partial(_rival, ground, name, path, steps) for name in RIVALS if name != PLAIN},
        "match": partial(ground.match, path, steps.text),
        "match_files": partial(ground.match_files, path, steps.text),
    }


def _rival(ground: Ground, name: str, path: str, steps: Steps) -> DataFrame:
    return RIVALS[name](ground.read(path), steps)


def _figures(timings: dict[str, Timing], what: str, bar: float) -> Iterator[Figure]:
    """The fastest way to ask against the fastest of the others; then the other way to ask."""
    best = min((name for name in RIVALS if name != PLAIN), key=lambda name: timings[name].median_wall)
    first, second = sorted(("match", "match_files"), key=lambda name: timings[name].median_wall)
    for name in (first, second):
        gain = Ratio.of(timings[best], timings[name])
        figure = at_least(f"{what}: {name} against the best of the others", bar, gain.wall, f"{best}: {gain}")
        yield figure if name == first else no_bar(figure.name, figure.value, figure.note)
