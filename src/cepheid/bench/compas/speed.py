"""Speed: a set beside a loop that is written by hand, and beside a workload of the same queries."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.compas.subscriptions import EQUALITIES, STREAM, events, subscriptions, texts
from cepheid.bench.harness import measure, median_ratio
from cepheid.bench.results import Section, at_least, at_most, no_bar
from cepheid.errors import CepheidError
from cepheid.events import EventBatch, bind
from cepheid.matchers.baselines.binary_search import find_by_hand
from cepheid.matchers.profile.pool.index import PrimitiveIndex
from cepheid.matchers.profile.pool.kernel import find_all, insert_many
from cepheid.profiles import ProfileSet
from cepheid.workload import workload

HAND, POOL, SET, WORKLOAD = "hand-written loop", "the pool alone", "the set", "a workload"
HAND_BAR, WORKLOAD_BAR = 5, 100


def speed(sizes: CompasSizes) -> Section:
    """One profile satisfied by each event, by equality."""
    count, size = sizes.compared, sizes.compared_events
    of, stream = subscriptions(EQUALITIES, 1, count), events(EQUALITIES, 1, count, size)
    timing = measure(
        {HAND: by_hand(count, stream), POOL: by_pool(of, stream), SET: whole(of, stream, size)}, sizes.repeat
    )
    few = stream.slice(0, sizes.queried_events)
    queries = {f"p{k}": text for k, text in enumerate(texts(EQUALITIES, 1, sizes.queries))}
    asked = workload(queries)
    other = measure(
        {WORKLOAD: lambda: asked.run(few, **STREAM), SET: whole(of, few, few.num_rows)}, min(sizes.repeat, 3)
    )
    scaled = median_ratio(other[WORKLOAD].cpu, other[SET].cpu) * count / sizes.queries
    by_name = {name: each.median / size * 1e9 for name, each in timing.items()}
    by_name[WORKLOAD] = other[WORKLOAD].median / few.num_rows * count / sizes.queries * 1e9
    ratio = {name: median_ratio(timing[name].cpu, timing[HAND].cpu) for name in (POOL, SET)}
    note = ", ".join(f"{name} {nanoseconds:,.0f} ns an event" for name, nanoseconds in by_name.items())
    return Section(
        f"Speed: {count:,} profiles, one satisfied by each event",
        f"{size:,} events with one attribute. The loop does one binary search an event and writes the hits. "
        "The pool reads a batch and writes the hits; the set is run over a table, with all that this takes, "
        f"and its matches are not written as JSON. The workload has {sizes.queries} of the queries, and its "
        "time is scaled to all of them.",
        tuple({"side": name, "ns an event": round(spent)} for name, spent in by_name.items()),
        figures=(
            at_most(f"{count:,} profiles: the set to a hand-written loop", HAND_BAR, ratio[SET], note),
            no_bar(f"{count:,} profiles: the pool alone to a hand-written loop", f"{ratio[POOL]:.2f}×"),
            at_least(f"{count:,} profiles: a workload of the same queries, scaled, to the set",
                     WORKLOAD_BAR, scaled, f"measured at {sizes.queries} queries"),
        ),
    )  # fmt: skip


def by_hand(count: int, stream: pa.Table) -> Callable[[], int]:
    """The loop, over arrays that are ready."""
    constants, owners = np.arange(count), np.arange(count)
    values = stream.column("x0").to_numpy().copy()
    hits = np.zeros((2, 2 * values.size), np.int64)

    def run() -> int:
        return _expected(find_by_hand(constants, owners, values, hits), values.size)

    return run


def by_pool(of: ProfileSet, stream: pa.Table) -> Callable[[], int]:
    """Reading the events, and finding what they satisfy."""
    index = PrimitiveIndex(bind(stream.schema, **STREAM), "us")
    template = next(iter(of.profiles.values())).template
    ids = index.add(template, [each.constants for each in of.profiles.values()])
    tables, state = index.tables, index.state()
    insert_many(tables, state, np.unique(ids))
    (data,) = stream.combine_chunks().to_batches()
    batch = EventBatch(data, stream.column("time").to_numpy(), 0)
    hits = np.zeros((2, index.count + 2 * batch.count), np.int32)

    def run() -> int:
        _, found = find_all(tables, state, index.read(batch), 0, hits)
        return _expected(found, batch.count)

    return run


def whole(of: ProfileSet, stream: pa.Table, size: int) -> Callable[[], int]:
    """A run over a table."""
    return lambda: _expected(len(of.run(stream, **STREAM)), size)


def _expected(found: int, size: int) -> int:
    if found != size:
        raise CepheidError(f"{found} hits of {size} events that have one each")
    return found
