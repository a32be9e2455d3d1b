"""The memory of a long stream through one session of a condensed tree."""

from typing import Any

import numpy as np

from cepheid.bench.condensed.queries import on_tree, random_walk, sequence_below
from cepheid.bench.condensed.sizes import CondensedSizes
from cepheid.bench.harness import in_fresh_process, resident_bytes
from cepheid.bench.results import Chart, Figure, Section

CLASSES, WINDOW, SEED = 3, 20, 7
SAMPLES = 100
GROWTH_BAR = 1.1


def long_stream(sizes: CondensedSizes) -> Section:
    """Query 2 over very many events: state and memory as it goes."""
    told = in_fresh_process(memory_curve, size=sizes.stream_events, batch_rows=sizes.stream_batch)
    samples = told["samples"]
    early, late = (_quarter([each["resident"] for each in samples], number) for number in (1, 3))
    state = [_quarter([each["state"] for each in samples], number) for number in (1, 3)]
    growth = max(late / early, state[1] / max(state[0], 1))
    return Section(
        "Memory of a long stream",
        f"{sequence_below(CLASSES, WINDOW)}, condensed, in a session fed {told['events']:,} events in "
        f"batches of {sizes.stream_batch:,}; {told['matches']:,} combinations counted.",
        tuple(
            {
                "events": each["events"],
                "resident MB": round(each["resident"] / 1e6, 1),
                "state MB": round(each["state"] / 1e6, 2),
            }
            for each in samples[:: max(len(samples) // 10, 1)]
        ),
        (Chart("million events", "MB", "memory", title="memory as the stream goes by"),),
        (
            Figure(
                f"memory over {told['events'] / 1e6:g} M events",
                "flat: the last quarter within 1.1× of the second",
                f"{growth:.2f}×",
                growth <= GROWTH_BAR,
                f"{late / 1e6:.0f} MB resident, state {state[1] / 1e6:.2f} MB; {told['seconds']:.0f} s",
            ),
        ),
        tuple(
            {"million events": each["events"] / 1e6, "MB": each[key] / 1e6, "memory": key}
            for each in samples
            for key in ("resident", "state")
        ),
    )


def memory_curve(size: int, batch_rows: int) -> dict[str, Any]:
    """A long stream through one session; the walk begins anew with each batch, and time goes on."""
    steps = batch_rows // CLASSES
    asked = on_tree(sequence_below(CLASSES, WINDOW), "always")
    session = asked.session(random_walk(CLASSES, 1, SEED).schema, time="time")
    pushes = max(size // (steps * CLASSES), 1)
    samples: list[dict[str, int]] = []
    matches = 0
    for number in range(pushes):
        walk = random_walk(CLASSES, steps, SEED + number, first_step=number * steps)
        matches += sum(int(count) for count in session.push(walk)["count"].to_pylist())
        if number % max(pushes // SAMPLES, 1) == 0:
            stats = session.stats
            samples.append(
                {"events": stats["events"], "resident": resident_bytes(), "state": stats["state_bytes"]}
            )
    matches += sum(int(count) for count in session.close()["count"].to_pylist())
    stats = session.stats
    return {
        "events": stats["events"],
        "matches": matches,
        "seconds": stats["seconds"],
        "samples": samples,
    }


def _quarter(values: list[int], number: int) -> float:
    """The median of one quarter of the samples."""
    size = max(len(values) // 4, 1)
    return float(np.median(values[number * size : (number + 1) * size] if len(values) >= 4 else values))
