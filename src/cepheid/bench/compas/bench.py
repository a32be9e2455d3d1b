"""`cepheid bench compas`: profiles in a single step, by the experiments of the CompAS paper and our promises.

A. Hinze: Efficient Filtering of Composite Events, 2003, section 5. What is compared takes turns in one run:
on a shared machine only ratios mean much. Times are processor time; Arrow is held to one thread. A benchmark
reports and never fails for being slow; it fails if something is not found.
"""

from pathlib import Path

from cepheid.bench.compas.claims import claims
from cepheid.bench.compas.completing import completing_event, composition_time
from cepheid.bench.compas.figures import (
    cardinality,
    composition_distance,
    composition_order,
    number_of_profiles,
)
from cepheid.bench.compas.loading import loading
from cepheid.bench.compas.rules import rules
from cepheid.bench.compas.scale import BY_KIND
from cepheid.bench.compas.sizes import FULL, QUICK, CompasSizes
from cepheid.bench.compas.speed import speed
from cepheid.bench.compas.subscriptions import KINDS, STREAM, events, subscriptions
from cepheid.bench.course import Experiments, measured_on_one_core, publish
from cepheid.bench.results import Report

EXPERIMENTS: Experiments[CompasSizes] = (
    ("figure 6", composition_order),
    ("figure 7a", number_of_profiles("a")),
    ("figure 7b", number_of_profiles("b")),
    ("figure 8a", cardinality),
    ("figure 8b", composition_time),
    ("claims", claims),
    ("composition distance", composition_distance),
    ("completing events", completing_event),
    *BY_KIND,
    ("speed", speed),
    ("loading", loading),
    ("real profiles", rules),
)
WARM_UP = 20


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    publish(run(QUICK if quick else FULL), out)


def run(sizes: CompasSizes) -> Report:
    """All experiments, one after the other."""
    return measured_on_one_core("profiles in a single step", sizes.mode, EXPERIMENTS, sizes, _warm_up)


def _warm_up() -> None:
    for kind in KINDS:
        of, few = subscriptions(kind, 1, WARM_UP), events(kind, 1, WARM_UP, WARM_UP)
        of.run(few, **STREAM)
        of.session(few.schema, **STREAM).push(few)
