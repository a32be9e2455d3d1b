"""`cepheid bench start`: from a new machine to the first match, warm starts, and one event at a time.

Every figure is of fresh processes. Machines are noisy, so the least of several is the figure, and all of them
are shown. The first sections need the two wheels in `dist/`, which `make package` builds; processes of the
others use the package that is running.

A benchmark reports and never fails for being slow; it fails if the first match is another one.
"""

from pathlib import Path

from cepheid.bench.course import Experiments, measured, publish
from cepheid.bench.results import Report
from cepheid.bench.start.first_match import cold, misfits, ready
from cepheid.bench.start.single_events import pushing
from cepheid.bench.start.sizes import FULL, QUICK, StartSizes
from cepheid.bench.start.warm import warm

EXPERIMENTS: Experiments[StartSizes] = (
    ("the first match, with ready kernels", ready),
    ("the first match, without", cold),
    ("ready kernels that do not fit", misfits),
    ("warm starts", warm),
    ("one event at a time", pushing),
)


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    publish(run(QUICK if quick else FULL), out)


def run(sizes: StartSizes) -> Report:
    """All experiments, one after the other."""
    return measured("Start", sizes.mode, EXPERIMENTS, sizes)
