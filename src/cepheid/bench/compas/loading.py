"""Loading: how many profiles a second become a set, and how much memory each of them takes."""

import gc
import time
from typing import Any

from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.compas.subscriptions import KINDS, STREAM, events, texts
from cepheid.bench.harness import in_fresh_process, resident_bytes
from cepheid.bench.results import Figure, Section
from cepheid.profiles import profile, profiles

RATE_BAR, BYTES_BAR = 20_000, 1024


def loading(sizes: CompasSizes) -> Section:
    """Each kind in a process of its own."""
    rows = [{"kind": kind} | in_fresh_process(loaded, kind=kind, count=sizes.loaded) for kind in KINDS]
    slowest = min(rows, key=lambda row: row["profiles a second"])
    largest = max(rows, key=lambda row: row["bytes a profile"])
    for row in rows:
        row.pop("peak_resident")
    return Section(
        f"Loading {sizes.loaded:,} profiles",
        "From texts that differ in constants: `cepheid.profile` for each, then `cepheid.profiles`. The first "
        "run plans and builds the pool, later ones only use it. Memory is what the process holds more than "
        "before, texts and names included, after two runs.",
        tuple(rows),
        figures=(
            Figure("profiles loaded a second", f"at least {RATE_BAR:,}",
                   f"{slowest['profiles a second']:,}", slowest["profiles a second"] >= RATE_BAR,
                   f"{slowest['kind']}; the other kinds are faster"),
            Figure("memory of a profile", f"at most {BYTES_BAR:,} bytes",
                   f"{largest['bytes a profile']:,} bytes", largest["bytes a profile"] <= BYTES_BAR,
                   largest["kind"]),
        ),
    )  # fmt: skip


def loaded(kind: str, count: int) -> dict[str, Any]:
    """Load so many profiles, and run them twice over a few events."""
    few = events(kind, 1, count, 100)
    profiles({"p0": profile(next(iter(texts(kind, 1, 1))))}).run(few, **STREAM)
    gc.collect()
    before = resident_bytes()
    said = list(texts(kind, 1, count))
    began = time.process_time()
    made = {f"p{k}": profile(text) for k, text in enumerate(said)}
    of = profiles(made)
    taken = time.process_time() - began
    del said, made
    first = _seconds(lambda: of.run(few, **STREAM))
    second = _seconds(lambda: of.run(few, **STREAM))
    gc.collect()
    return {
        "profiles a second": round(count / max(taken, 1e-9)),
        "first run s": round(first, 2),
        "second run s": round(second, 3),
        "bytes a profile": round((resident_bytes() - before) / count),
    }


def _seconds(run: Any) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began
