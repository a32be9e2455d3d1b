"""Explosive queries: 2^60 matches in a window, counted, listed in part, and handed out as a graph."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from cepheid.bench.harness import in_fresh_process
from cepheid.bench.results import Chart, Figure, Section
from cepheid.bench.sase.explosive_run import text_of
from cepheid.bench.sase.sizes import Sizes

EVENTS = 60
SECONDS_BAR, PEAK_BAR, EXPONENT_BAR = 10.0, 1e9, 3.0
OPERATIONS = ("count", "compress", "sample")


def explosive(sizes: Sizes) -> Section:
    """A window with 2^60 - 1 matches, in a process of its own, and larger ones after it."""
    told, peak, seconds = _measured(())
    asked = sum(answer["seconds"] for answer in told["asked"])
    return Section(
        "Explosive: a window with 2^60 - 1 matches",
        f"{text_of(EVENTS, 'COUNT')} over {EVENTS} events A and a B, in a process of its own; a smaller "
        "window was asked first, so that kernels were loaded. Counts were compared with the formula, and the "
        "first matches of EMIT FIRST with those of expand(). Nothing lists more than it is asked for. Runs "
        "are merged, so that one run reads the window; the peak of memory is mostly the interpreter, its "
        "libraries and the compiled kernels.",
        tuple({**answer, "seconds": round(answer["seconds"], 4)} for answer in told["asked"]),
        figures=(
            Figure(
                "2^60 - 1 matches counted, the first 1000 listed, the rest compressed",
                f"exact, in seconds (under {SECONDS_BAR:.0f} s)",
                f"{asked:.3f} s",
                asked < SECONDS_BAR,
                f"by the wall clock, all questions; the whole process with its imports {seconds:.1f} s",
            ),
            Figure(
                "2^60 - 1 matches: peak of memory",
                "under 1 GB",
                f"{peak / 1e9:.2f} GB",
                peak < PEAK_BAR,
                "of the whole process",
            ),
        ),
    )


def growing(sizes: Sizes) -> Section:
    """The same with more events: time is polynomial in the window, the number of matches is not."""
    told, peak, _ = _measured(sizes.explosive_events)
    found: list[dict[str, Any]] = told["windows"]
    exponents = {name: _exponent(found, name) for name in OPERATIONS}
    rows = tuple(
        {
            "events A": each["events"],
            "digits of the count": each["digits"],
            "run steps": each["run steps"],
            "EMIT COUNT s": round(each["count"], 4),
            "EMIT COMPRESSED s": round(each["compress"], 4),
            "sample(1) s": round(each["sample"], 4),
            "bytes of the row": each["bytes"],
            "nodes": each["nodes"],
            "edges": each["edges"],
        }
        for each in found
    )
    worst = max(exponents.values())
    return Section(
        "Explosive: larger windows",
        "The same over more events A, each number compared with 2^n - 1. Runs, nodes and edges grow with the "
        "window; numbers of hundreds of digits make counting and drawing quadratic and more. The exponents "
        "are those of a line through the logarithms; where a run takes milliseconds, planning it is most of "
        "them, and the exponent is small.",
        rows,
        (Chart("events A", "seconds", "asked", title="seconds by window"),),
        (
            Figure(
                "explosive windows: seconds against the window",
                f"polynomial: exponent at most {EXPONENT_BAR:.0f}",
                f"at most {worst:.2f}",
                worst <= EXPONENT_BAR,
                ", ".join(f"{name} {value:.2f}" for name, value in exponents.items())
                + f"; peak {peak / 1e9:.2f} GB",
            ),
        ),
        tuple(
            {"events A": each["events"], "seconds": each[name], "asked": name}
            for each in found
            for name in OPERATIONS
        ),
    )


def _measured(windows: tuple[int, ...]) -> tuple[dict[str, Any], int, float]:
    began = time.perf_counter()
    told = in_fresh_process("explosive", size=EVENTS, windows=list(windows))
    return told, told["peak_resident"], time.perf_counter() - began


def _exponent(found: list[dict[str, Any]], name: str) -> float:
    """The slope of a line through the logarithms of window and seconds."""
    events = np.log([each["events"] for each in found])
    seconds = np.log([max(each[name], 1e-6) for each in found])
    return float(np.polyfit(events, seconds, 1)[0])
