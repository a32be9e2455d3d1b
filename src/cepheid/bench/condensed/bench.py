"""`cepheid bench condensed`: the experiments of the paper on condensed composition, and our promises.

Y. Li, J. Wang, L. Feng, W. Xue: Accelerating Sequence Event Detection through Condensed Composition, 2010,
section V. Query 2 asks for a first class that is dearer than each that follows, Query 3 for a stock that is
cheaper than another and later dearer. The paper's saving is in predicate evaluations; so pairs tested and
composites made are counted, exactly, beside the time.

A benchmark reports and never fails for being slow; it fails if sides differ in what they count. What is
compared takes turns in one run: on a shared machine only ratios mean much. Times are processor time; Arrow
is held to one thread.
"""

from pathlib import Path

from cepheid.bench.condensed.billion import billion
from cepheid.bench.condensed.cells import ways_of
from cepheid.bench.condensed.overtakes import nested_loops, with_indexes
from cepheid.bench.condensed.plans import chosen, replanning
from cepheid.bench.condensed.queries import exchange, overtaking, random_walk, sequence_below, whole_run
from cepheid.bench.condensed.sizes import FULL, QUICK, CondensedSizes
from cepheid.bench.condensed.stream import long_stream
from cepheid.bench.condensed.switch import states, switch
from cepheid.bench.condensed.walks import class_numbers, saving, windows
from cepheid.bench.course import Experiments, measured_on_one_core, publish
from cepheid.bench.results import Report
from cepheid.query import query

EXPERIMENTS: Experiments[CondensedSizes] = (
    ("figure 8a: windows", windows),
    ("figure 8b: classes", class_numbers),
    ("the promised saving", saving),
    ("figure 8c: nested loops", nested_loops),
    ("Query 3 with indexes", with_indexes),
    ("the switch", switch),
    ("the plan", chosen),
    ("re-planning", replanning),
    ("10^9 combinations", billion),
    ("memory: peak state", states),
    ("memory of a long stream", long_stream),
)
WARM_UP_STEPS = 40


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    publish(run(QUICK if quick else FULL), out)


def run(sizes: CondensedSizes) -> Report:
    """All experiments, one after the other."""
    return measured_on_one_core("condensed composition", sizes.mode, EXPERIMENTS, sizes, _warm_up)


def _warm_up() -> None:
    streams = {
        sequence_below(3, 10): random_walk(3, WARM_UP_STEPS, 1),
        overtaking(30): exchange(WARM_UP_STEPS, 1, codes=20),
    }
    for text, events in streams.items():
        for index in (True, False):
            for asked in ways_of(text, index).values():
                whole_run(asked, events)()
        whole_run(query(text).using("nfa"), events)()
