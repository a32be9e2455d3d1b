"""What the shared buffer holds, beside what one with version numbers would hold for the same runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import pyarrow as pa

from cepheid.bench.results import Chart, Figure, Row, Section
from cepheid.bench.sase.queries import SEED, QueryTemplate
from cepheid.bench.sase.sharing import BASIC, MERGING
from cepheid.bench.sase.sizes import SaseSizes
from cepheid.events import EventBatch, bind
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.engines import named
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.collect import compact_nodes, sweep_runs
from cepheid.matchers.nfa.matcher import NfaMatcher
from cepheid.runners.stream.terms import MAX_MATCHES, default_max_state
from cepheid.sources.generate import stocks

BATCH_ROWS = 512


@dataclass(frozen=True, slots=True)
class Held:
    """What a buffer holds at one moment."""

    nodes: int
    pointers: int
    events: int  # different events in each state: what a buffer with version numbers would have as nodes


def buffers(sizes: SaseSizes) -> Section:
    """p1s3: nodes and pointers, apart, merged, and with version numbers."""
    events = stocks(sizes.sharing_events, SEED)
    rows = [_row(window, events) for window in sizes.windows]
    shares = [(row["W"], row["merged: nodes"] + row["merged: pointers"], _versioned(row)) for row in rows]
    worst = max(ours / max(theirs, 1) for _, ours, theirs in shares)
    return Section(
        "The shared buffer, and one with version numbers",
        f"p1s3 over {events.num_rows:,} events: what live runs can reach, on average over moments "
        f"{BATCH_ROWS} events apart. With version numbers an event is kept once in each state, with a "
        "pointer to what comes before it for each run that selected it, and on each pointer a version number "
        "of two digits or three. Here a node has one pointer to what comes before it and one to its sibling "
        "in a chain; apart, a run that selects an event adds a node, and merged, an event is one node for "
        "all runs that are alike. Nothing is compared while matches are built: every pointer is part of one.",
        tuple(rows),
        (Chart("W", "held", "buffer", title="nodes and pointers"),),
        (
            Figure(
                "buffer against version numbers, p1s3",
                "no more nodes and pointers",
                f"at most {worst:.2f} of them",
                worst <= 1.0,
                "; ".join(f"W={window} {ours:,.0f} against {theirs:,.0f}" for window, ours, theirs in shares)
                + ", and no version numbers",
            ),
        ),
        tuple(
            {"W": row["W"], "held": row[f"{name}: nodes"] + row[f"{name}: pointers"], "buffer": name}
            for row in rows
            for name in ("versioned", "apart", "merged")
        ),
    )


def _versioned(row: Row) -> float:
    return float(row["versioned: nodes"] + row["versioned: pointers"])


def _row(window: int, events: pa.Table) -> Row:
    template = QueryTemplate("p1", "s3", window, emit="COUNT")
    apart, merged = (list(_moments(template, sharing, events)) for sharing in (BASIC, MERGING))
    return {
        "W": window,
        "versioned: nodes": _mean([held.events for held in apart]),
        "versioned: pointers": _mean([held.pointers for held in apart]),
        "apart: nodes": _mean([held.nodes for held in apart]),
        "apart: pointers": _mean([held.pointers for held in apart]),
        "merged: nodes": _mean([held.nodes for held in merged]),
        "merged: pointers": _mean([held.pointers for held in merged]),
    }


def _mean(values: list[int]) -> float:
    return round(fmean(values), 1) if values else 0.0


def _moments(template: QueryTemplate, sharing: str, events: pa.Table) -> Iterator[Held]:
    """What the buffer holds after each batch, once nothing out of reach is in it."""
    plan = template.parsed(sharing).plan(bind(events.schema, time="time", type="type"))
    matcher: NfaMatcher = named(plan.engine.matcher)(plan, Allowance(MAX_MATCHES, default_max_state()))
    for batch in events.select(plan.needed).to_batches(max_chunksize=BATCH_ROWS):
        time = batch.column("time").to_numpy()
        matcher.process(EventBatch(batch, time, int(time[-1])))
        yield _held(matcher, time[-1])


def _held(matcher: NfaMatcher, now: np.int64) -> Held:
    tables, state, cursor = matcher.tables, matcher.memory.state, matcher.memory.cursor
    sweep_runs(tables, state, cursor, now)
    compact_nodes(tables, state, cursor, now, True, np.zeros((5, cursor[at.NODES]), np.int64))
    nodes = state.nodes[: cursor[at.NODES]]
    begins = nodes[:, at.LINK_PREVIOUS] == at.NONE
    chained = nodes[:, at.LINK_SIBLING] != at.NONE
    in_states = np.unique(np.stack([nodes[:, at.NODE_EVENT], begins]), axis=1)
    return Held(
        nodes=nodes.shape[0],
        pointers=int(np.count_nonzero(~begins) + np.count_nonzero(chained)),
        events=in_states.shape[1],
    )
