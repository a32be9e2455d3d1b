"""More matches than can be listed: 2^60 in a window, counted, listed in part, and handed out as a graph.

Of n events A and then a B, `SEQ(A+ a[], B b)` under skip_till_any_match has a match for every choice of at
least one A: 2^n - 1 in all. All answers are checked against that, and against each other.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.bench.harness import in_fresh_process
from cepheid.bench.results import Chart, Figure, Section
from cepheid.bench.sase.sizes import SaseSizes
from cepheid.errors import CepheidError
from cepheid.expand import expand
from cepheid.matches import Matches
from cepheid.query import query

EVENTS = 60
FIRST, DRAWN = 1_000, 10
WARM_UP = 12
REPEAT = 3
SECONDS_BAR, PEAK_BAR, EXPONENT_BAR = 10.0, 1e9, 3.0
OPERATIONS = ("count", "compress", "sample")


def explosive(sizes: SaseSizes) -> Section:
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


def growing(sizes: SaseSizes) -> Section:
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
    told = in_fresh_process(answers_and_windows, size=EVENTS, windows=list(windows))
    return told, told["peak_resident"], time.perf_counter() - began


def _exponent(found: list[dict[str, Any]], name: str) -> float:
    """The slope of a line through the logarithms of window and seconds."""
    events = np.log([each["events"] for each in found])
    seconds = np.log([max(each[name], 1e-6) for each in found])
    return float(np.polyfit(events, seconds, 1)[0])


# ---------------------------------------------------------------- in a process of its own


def text_of(size: int, emit: str) -> str:
    """The query over a window of so many events A."""
    return f"PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match {{ 1 = 1 }} WITHIN {size} EMIT {emit}"


def stream_of(size: int) -> pa.Table:
    """So many events A, then a B."""
    kinds = pa.array(["A"] * size + ["B"]).dictionary_encode()
    return pa.table({"time": np.arange(size + 1), "type": kinds})


def answers_and_windows(size: int, windows: list[int]) -> dict[str, Any]:
    """All that can be asked about one window, then counts and graphs of others, after a run that loads the
    kernels."""
    every_question(WARM_UP)
    return {"asked": every_question(size), "windows": [window_of(events) for events in windows]}


def every_question(size: int) -> list[dict[str, Any]]:
    """What is asked about a window, the seconds it takes, and the answer in short."""
    number = 2**size - 1
    answers: list[dict[str, Any]] = []

    def ask(question: str, run: Callable[[], Any], told: Callable[[Any], str]) -> Any:
        seconds, answer = _timed(run)
        answers.append({"asked": question, "seconds": seconds, "answer": told(answer)})
        return answer

    counted = ask("EMIT COUNT", lambda: _run(size, "COUNT"), lambda found: f"{_count(found):,}")
    listed = ask(
        f"EMIT FIRST {FIRST}", lambda: _run(size, f"FIRST {FIRST}"), lambda found: f"{len(found):,} matches"
    )
    longest = ask("EMIT LONGEST", lambda: _run(size, "LONGEST"), lambda found: f"{_length(found)} events")
    compressed = ask("EMIT COMPRESSED", lambda: _run(size, "COMPRESSED"), _graph_in_short)
    expanded = expand(compressed)
    total = ask("expand(…).count()", expanded.count, lambda found: f"{found:,}")
    first = ask(
        f"expand(…).first({FIRST})", lambda: expanded.first(FIRST), lambda found: f"{len(found):,} matches"
    )
    drawn = ask(
        f"expand(…).sample({DRAWN})", lambda: expanded.sample(DRAWN), lambda found: f"{len(found)} matches"
    )
    _check(_count(counted) == total == number, f"count 2^{size} - 1")
    _check(_bound(listed).equals(_bound(first)), "list the same first matches")
    _check(len(listed) == min(FIRST, number), f"list {FIRST} matches")
    _check(_length(longest) == size + 1, "find the longest match")
    _check(len(drawn) == DRAWN, "draw as many as are asked for")
    return answers


def window_of(size: int) -> dict[str, Any]:
    """Counting and compressing a window: seconds, and how large the graph is."""
    counting, counted = _best(lambda: _run(size, "COUNT"))
    compressing, compressed = _best(lambda: _run(size, "COMPRESSED"))
    expanded = expand(compressed)
    drawing, drawn = _timed(lambda: expanded.sample(1))
    _check(_count(counted) == expanded.count() == 2**size - 1, f"count 2^{size} - 1")
    _check(len(drawn) == 1, "draw a match")
    graph = compressed.table
    return {
        "events": size,
        "digits": len(str(2**size - 1)),
        "run steps": counted.stats["run_steps"],
        "count": counting,
        "compress": compressing,
        "sample": drawing,
        "bytes": graph.nbytes,
        "nodes": len(graph["nodes"][0]),
        "edges": len(graph["edges"][0]),
    }


def _run(size: int, emit: str) -> Matches:
    return query(text_of(size, emit)).run(stream_of(size), time="time", type="type")


def _best(run: Callable[[], Any]) -> tuple[float, Any]:
    """The least time of a few runs, and the last answer."""
    runs = [_timed(run) for _ in range(REPEAT)]
    return min(seconds for seconds, _ in runs), runs[-1][1]


def _timed(run: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    answer = run()
    return time.perf_counter() - began, answer


def _count(found: Matches) -> int:
    return int(found.table["count"][0].as_py())


def _length(found: Matches) -> int:
    return len(found.table["a"][0]) + 1


def _graph_in_short(found: Matches) -> str:
    nodes, edges = (len(found.table[name][0]) for name in ("nodes", "edges"))
    return f"{nodes:,} nodes, {edges:,} edges, {found.table.nbytes:,} bytes"


def _bound(found: Matches) -> pa.Table:
    """Events by variable; a match_id tells its query too, and so its EMIT."""
    return found.table.drop_columns(["match_id"])


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise CepheidError(f"the answers about an explosive window do not {what}")
