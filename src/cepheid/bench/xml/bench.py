"""`cepheid bench xml`: regular tree patterns, by the experiments of the CEDMFT paper and our promises.

Y. Liu, H. Liao, H. Su, H. Gao: High performance complex event detection method based on macro forest
transducer, section 4. The documents are made by our generators, at the paper's sizes. What is compared takes
turns in one run: on a shared machine only ratios mean much. Times are processor time of one core. A benchmark
reports and never fails for being slow; it fails if sides differ in what they find.
"""

import gc
from pathlib import Path

from cepheid.bench.course import Experiments, measured_on_one_core, publish
from cepheid.bench.results import Report
from cepheid.bench.xml.costs import operators, predicates, stages
from cepheid.bench.xml.documents import Library, library
from cepheid.bench.xml.memory import memory, snapshots
from cepheid.bench.xml.parts import parts
from cepheid.bench.xml.queries import QUERIES
from cepheid.bench.xml.query_times import query_times
from cepheid.bench.xml.rivals import rivals
from cepheid.bench.xml.sizes import FULL, QUICK, XmlSizes
from cepheid.bench.xml.throughput import throughput
from cepheid.xml import xml

EXPERIMENTS: Experiments[Library] = (
    ("figure 1: query times", query_times),
    ("regular operators", operators),
    ("predicates", predicates),
    ("where the time goes", stages),
    ("other libraries", rivals),
    ("figure 2: throughput", throughput),
    ("two parts", parts),
    ("memory", memory),
    ("snapshots", snapshots),
)


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    publish(run(QUICK if quick else FULL), out)


def run(sizes: XmlSizes) -> Report:
    """All experiments, one after the other."""
    with library(sizes) as ground:
        return measured_on_one_core("regular tree patterns", sizes.mode, EXPERIMENTS, ground, _warm_up)


def _warm_up() -> None:
    """Load what all sides use. What is there by then is not looked through for garbage again: that takes a
    tenth of a second, on the account of whoever runs when it happens."""
    for query in QUERIES:
        xml(query.pattern).run(b"<r/>")
    gc.collect()
    gc.freeze()
