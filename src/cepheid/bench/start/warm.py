"""Starts on a machine where all kernels are ready: the import, `cepheid run` and `cepheid explain`."""

import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from cepheid.bench.harness import child_environment
from cepheid.bench.results import Section
from cepheid.bench.start.processes import Start, row_of, started, under
from cepheid.bench.start.sizes import StartSizes
from cepheid.sources.generate import stocks

QUERY = "PATTERN SEQ(stock a, stock b) WHERE [symbol] AND b.price > a.price + 3 WITHIN 10"
EVENTS = 1000
BARS = {"import cepheid": 0.25, "cepheid run": 1.2, "cepheid explain": 0.6}


def warm(sizes: StartSizes) -> Section:
    """Interpreter, imports and loading of kernels included, by the clock on the wall."""
    with tempfile.TemporaryDirectory(prefix="cepheid-bench-") as folder:
        events = str(Path(folder) / "events.parquet")
        pq.write_table(stocks(EVENTS, 1), events)
        command = [sys.executable, "-m", "cepheid"]
        commands = {
            "python alone": [sys.executable, "-c", "pass"],
            "import cepheid": [sys.executable, "-c", "import cepheid"],
            "cepheid run": [*command, "run", QUERY, "--events", events],
            "cepheid explain": [*command, "explain", QUERY],
        }
        starts = in_turns(commands, sizes.starts, kept_in=Path(folder) / "bytecode")
    return Section(
        "Warm starts",
        "Fresh processes, in turns, each after one that is not counted. `cepheid run` is over "
        f"{EVENTS:,} events in a Parquet file.",
        tuple(row_of(name, starts[name]) for name in commands),
        figures=tuple(under(name, bar, starts[name]) for name, bar in BARS.items()),
    )


def in_turns(commands: dict[str, list[str]], times: int, kept_in: Path) -> dict[str, list[Start]]:
    """Every command so many times, one after the other, after a first round that is not counted: it writes
    the bytecode of all modules, as an installer does, into a folder of its own."""
    settings = child_environment(PYTHONPYCACHEPREFIX=str(kept_in), PYTHONDONTWRITEBYTECODE="")
    rounds = [
        {name: started(command, settings) for name, command in commands.items()} for _ in range(times + 1)
    ]
    return {name: [each[name] for each in rounds[1:]] for name in commands}
