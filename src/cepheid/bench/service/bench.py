"""`cepheid bench service`: what profiles cost a service, in throughput and in delay.

Each figure is a ratio of two sides that take turns in one run, each a process of its own, with absolute
figures beside it. A benchmark reports and never fails for being slow; it fails if an event is not accepted,
or a webhook never comes.
"""

from pathlib import Path

from cepheid.bench.course import Experiments, measured, publish
from cepheid.bench.results import Report
from cepheid.bench.service.delay import delay
from cepheid.bench.service.sides import ServiceSides, running_sides
from cepheid.bench.service.sizes import FULL, QUICK, ServiceSizes
from cepheid.bench.service.throughput import throughput
from cepheid.errors import MissingExtraError

EXPERIMENTS: Experiments[ServiceSides] = (("throughput", throughput), ("delay", delay))


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    publish(run(QUICK if quick else FULL), out)


def run(sizes: ServiceSizes) -> Report:
    """All experiments, one after the other."""
    try:
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtraError("cepheid bench service", "service") from None
    with running_sides(sizes) as sides:
        return measured("The notification service", sizes.mode, EXPERIMENTS, sides)
