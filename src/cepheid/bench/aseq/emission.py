"""What it costs to report at the end, or at each period, instead of at each event."""

from typing import Any

from cepheid.bench.aseq.events import trades
from cepheid.bench.aseq.queries import counted, counting, method_of, timing_columns
from cepheid.bench.aseq.sizes import AseqSizes
from cepheid.bench.harness import measure, median_ratio
from cepheid.bench.results import Chart, Figure, Section, at_most
from cepheid.bench.sase.queries import whole_run

EMISSION_BAR = 1.3
ALL = "EMIT ALL"
MODES = ("EMIT ON CLOSE", "EMIT EVERY 1 s", "EMIT EVERY 100 ms")
ACCOUNTS = 100
LENGTH_2, LENGTH_3 = ("DELL", "IPIX"), ("DELL", "IPIX", "QQQ")


def emission(sizes: AseqSizes) -> Section:
    """The same counts, with a row at each completing event, at each period, or one at the end."""
    events = trades(sizes.events, density=sizes.density, accounts=ACCOUNTS)
    texts = {
        "length 2": counting(LENGTH_2, "100 ms"),
        "length 3": counting(LENGTH_3, "100 ms"),
        "length 3, by account": counting(LENGTH_3, "1 s", "[account]"),
        "length 3, a row an account": counting(LENGTH_3, "1 s", "[account]") + " GROUP BY account",
        "length 2, without a window": counting(LENGTH_2),
    }
    asked = {(name, mode): f"{text} {mode}" for name, text in texts.items() for mode in (ALL, *MODES)}
    runs = {"|".join(key): whole_run(counted(text), events) for key, text in asked.items()}
    timings = measure(runs, sizes.repeat)
    rows: list[dict[str, Any]] = []
    figures: list[Figure] = []
    for (name, mode), text in asked.items():
        own, plain = timings[f"{name}|{mode}"], timings[f"{name}|{ALL}"]
        ratio = median_ratio(own.cpu, plain.cpu)
        rows.append(
            {
                "query": name,
                "rows": mode,
                "counted by": method_of(counted(text), events),
                **timing_columns(own, events.num_rows),
                "against EMIT ALL": round(ratio, 2),
            }
        )
        if mode != ALL:
            figures.append(at_most(f"{name}: {mode} against {ALL}", EMISSION_BAR, ratio, "round by round"))
    return Section(
        "Rows at the end, or at each period",
        f"{texts['length 3']} and others over {events.num_rows:,} events: a row at each completing event, "
        "one at each period, or one at the end. The thesis reports at each completing event only.",
        tuple(rows),
        (Chart("query", "ns/event", "rows", kind="bar", title="time by when there are rows"),),
        tuple(figures),
    )
