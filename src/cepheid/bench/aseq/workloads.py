"""The first experiment of the A-Seq thesis on many queries (5.3): sharing over f, l and k."""

from collections.abc import Mapping
from random import Random
from typing import Any

from cepheid.bench.aseq.events import SEED, TYPES, trades
from cepheid.bench.aseq.queries import DEFAULT, counting
from cepheid.bench.aseq.shared import APART, APART_ASEQ, Contest, by_each_sharing, refusals
from cepheid.bench.aseq.sizes import AseqSizes
from cepheid.bench.results import Chart, Figure, Section, no_bar

SHARED = (
    "YHOO", "AMAZ", "MSFT", "ORCL", "RIMM", "CSCO", "INTC", "IBM", "GOOG", "LNKD", "FB", "NTAP",
)  # fmt: skip
CONNECTING = SHARED[0]
USUAL_SHARE = 0.005
USUAL_LENGTH = 7
QUERIES = 8

WL1 = {
    "q1": ("DELL", "AMAT", *SHARED[:7]),
    "q2": ("IPIX", "FB", *SHARED[:4]),
    "q3": ("QQQ", "IBM", *SHARED[2:7]),
    "q4": ("VMW", "GOOG", *SHARED[:7]),
    "q5": ("LNKD", "NTAP", *SHARED[:7]),
}
CONTENDERS = (
    "'apart, aseq' counts each query for itself as the thesis does; 'apart' each for itself by Cepheid's "
    "default; prefix_tree and chop_connect share as the thesis does, over A-Seq's counters; default is what "
    "a workload does by itself. All were found to count the same. Windows are shorter than the thesis's "
    "1,000 ms, so that counts are known to fit 64 bits, which sharing as published asks for; its benefit "
    "model puts the f up to which sharing pays the higher, the fewer events a window holds."
)


def frequencies(sizes: AseqSizes) -> Section:
    """How often the event comes that connects the shared substring."""
    texts = _texts(WL1, sizes.shared_window)
    rows, results = [], {}
    for share in sizes.frequencies:
        events = trades(sizes.shared_events, density=sizes.density, shares={CONNECTING: share})
        results[share] = by_each_sharing(texts, events, sizes.repeat)
        rows += results[share].rows(**{"f %": round(100 * share, 3)})
    pays = [share for share, result in results.items() if (result.ratio(APART_ASEQ, "chop_connect") or 0) > 1]
    return Section(
        "Sharing: frequency of the connecting type",
        f"The thesis's five queries, {sizes.shared_window} ms; q1, q4 and q5 have {len(SHARED[:7])} steps in "
        f"common that begin with {CONNECTING}, whose share f of the stream varies. {CONTENDERS} The thesis: "
        "Chop-Connect is quicker than no sharing up to f = 1.3 %, and the slower the larger f. Here the plan "
        f"is chosen by benefit for each stream, and shares less as f grows.{refusals(results.values())}",
        tuple(rows),
        (Chart("f %", "ns/event", "contender", log_y=True, from_zero=False, title="time (figure 5.4)"),),
        (
            no_bar(
                "Chop-Connect against A-Seq apart, by f",
                f"quicker up to f = {100 * max(pays):g} %" if pays else "never quicker",
                "the thesis: quicker up to 1.3 %",
            ),
            _default("f", results),
        ),
    )


def shared_lengths(sizes: AseqSizes) -> Section:
    """How long the shared substring is."""
    beginnings = (("DELL", "AMAT"), ("IPIX", "QQQ"), ("VMW", "EBAY"))
    events = trades(sizes.shared_events, density=sizes.density, shares={CONNECTING: USUAL_SHARE})
    rows, results = [], {}
    for length in sizes.shared_lengths:
        steps = {f"q{n}": (*begin, *SHARED[:length]) for n, begin in enumerate(beginnings, 1)}
        results[length] = by_each_sharing(_texts(steps, sizes.long_window), events, sizes.repeat)
        rows += results[length].rows(l=length)
    return Section(
        "Sharing: length of the substring",
        f"Three queries that share l steps after two of their own, {sizes.long_window} ms; "
        f"f = {100 * USUAL_SHARE:g} %. {CONTENDERS} The thesis: the longer the shared substring, the more "
        f"Chop-Connect gains.{refusals(results.values())}",
        tuple(rows),
        (Chart("l", "ns/event", "contender", log_y=True, from_zero=False, title="time (figure 5.5a)"),),
        (_gains("l", results), _default("l", results)),
    )


def sharing_queries(sizes: AseqSizes) -> Section:
    """How many queries share the substring."""
    events = trades(sizes.shared_events, density=sizes.density, shares={CONNECTING: USUAL_SHARE})
    rows, results = [], {}
    for sharing in sizes.sharing_queries:
        results[sharing] = by_each_sharing(_texts(_eight(sharing), sizes.shared_window), events, sizes.repeat)
        rows += results[sharing].rows(k=sharing)
    return Section(
        "Sharing: number of queries",
        f"{QUERIES} queries of {USUAL_LENGTH + 2} steps, of which k share {USUAL_LENGTH}; "
        f"f = {100 * USUAL_SHARE:g} %. {CONTENDERS} The thesis: the more queries share, the more "
        f"Chop-Connect gains.{refusals(results.values())}",
        tuple(rows),
        (Chart("k", "ns/event", "contender", log_y=True, from_zero=False, title="time (figure 5.5b)"),),
        (_gains("k", results), _default("k", results)),
    )


def _eight(sharing: int) -> dict[str, tuple[str, ...]]:
    """Eight queries, of which some share a substring; the others have its steps in an order of their own."""
    random = Random(SEED)
    substring = SHARED[:USUAL_LENGTH]
    others = [name for name in TYPES if name not in substring]
    beginnings = [tuple(random.sample(others, 2)) for _ in range(QUERIES)]
    endings = [tuple(random.sample(substring, USUAL_LENGTH)) for _ in range(QUERIES)]
    return {
        f"q{n + 1}": (*beginnings[n], *(substring if n < sharing else endings[n])) for n in range(QUERIES)
    }


def _texts(steps: dict[str, tuple[str, ...]], window: int) -> dict[str, str]:
    return {name: counting(types, f"{window} ms") for name, types in steps.items()}


def _gains(what: str, results: dict[int, Contest]) -> Figure:
    """How Chop-Connect fares against no sharing from the least to the most."""
    ends = [
        (value, results[value].ratio(APART_ASEQ, "chop_connect")) for value in (min(results), max(results))
    ]
    told = ", ".join(f"{what} = {value}: {ratio:.2f}×" for value, ratio in ends if ratio is not None)
    return no_bar(
        f"A-Seq apart against Chop-Connect, by {what}", told or "not run", f"the thesis: it grows with {what}"
    )


def _default(what: str, results: Mapping[Any, Contest]) -> Figure:
    """The default against each query for itself: the worst over what was varied."""
    ratios = [ratio for result in results.values() if (ratio := result.ratio(DEFAULT, APART)) is not None]
    quickest = [
        result.timings[DEFAULT].best / min(timing.best for timing in result.timings.values())
        for result in results.values()
        if DEFAULT in result.timings
    ]
    worst = max(ratios, default=None)
    return no_bar(
        f"the default of a workload against its queries apart, over {what}",
        "not run" if worst is None else f"{worst:.2f}× at worst",
        f"against the quickest contender {max(quickest):.2f}× at worst" if quickest else "",
    )
