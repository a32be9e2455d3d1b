"""`cepheid bench aseq`: the experiments of the A-Seq thesis, and what Cepheid promises beside them.

Y. Qi: High Performance Analytics in Complex Event Processing, Worcester Polytechnic Institute 2013,
chapter 5. Queries count sequences, `PATTERN SEQ(DELL v1, IPIX v2, …) WITHIN w AGG COUNT`, with a row at
each completing event. A benchmark reports and never fails for being slow; it fails if contenders differ in
what they count. What is compared takes turns in one run, after a discarded one that compiles or loads the
kernels: on a shared machine only ratios mean much. Times are processor time; Arrow is held to one thread.
"""

from pathlib import Path

from cepheid.bench.aseq.conditions import absences, equivalence, predicates
from cepheid.bench.aseq.default import active_starts, any_window, throughput
from cepheid.bench.aseq.emission import emission
from cepheid.bench.aseq.events import trades
from cepheid.bench.aseq.plans import groups, optimizers, thousand
from cepheid.bench.aseq.queries import DEFAULT, agreed, counting, runs_of
from cepheid.bench.aseq.rotating import rotating_groups
from cepheid.bench.aseq.single import densities, lengths, stress, windows
from cepheid.bench.aseq.sizes import FULL, QUICK, AseqSizes
from cepheid.bench.aseq.workloads import frequencies, shared_lengths, sharing_queries
from cepheid.bench.course import Experiments, measured_on_one_core, publish
from cepheid.bench.results import Report

EXPERIMENTS: Experiments[AseqSizes] = (
    ("experiment 1: pattern length", lengths),
    ("experiment 2: windows", windows),
    ("density", densities),
    ("experiment 3: stress", stress),
    ("any window", any_window),
    ("many active starts", active_starts),
    ("throughput", throughput),
    ("emission", emission),
    ("experiment 4: absence", absences),
    ("predicates", predicates),
    ("equivalence", equivalence),
    ("query groups: plans", optimizers),
    ("sharing: frequency", frequencies),
    ("sharing: length", shared_lengths),
    ("sharing: queries", sharing_queries),
    ("query groups: runs", groups),
    ("very many queries", thousand),
    ("rotating groups", rotating_groups),
)
WARM_UP_EVENTS = 2_000


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    publish(run(QUICK if quick else FULL), out)


def run(sizes: AseqSizes) -> Report:
    """All experiments, one after the other."""
    return measured_on_one_core("A-Seq", sizes.mode, EXPERIMENTS, sizes, _warm_up)


def _warm_up() -> None:
    events = trades(WARM_UP_EVENTS, density=1)
    plain = counting(("DELL", "IPIX", "QQQ"), "100 ms")
    agreed(runs_of(plain, events, (DEFAULT, "stacks", "aseq", "construction", "two_step")))
