"""`cepheid bench`: the measurements, by the paper they repeat."""

import importlib
from pathlib import Path

from cepheid.cli.refuse import misuse

BENCHES = {
    "sase": "cepheid.bench.sase.bench",
    "aseq": "cepheid.bench.aseq.bench",
    "condensed": "cepheid.bench.condensed.bench",
    "compas": "cepheid.bench.compas.bench",
    "xml": "cepheid.bench.xml.bench",
    "service": "cepheid.bench.service.bench",
    "spark": "cepheid.bench.spark.bench",
    "start": "cepheid.bench.start.bench",
    "peers": "cepheid.bench.peers.bench",
}
"""Each name's module, which has `main(quick, out)`."""


def run_benches(paper: str, quick: bool, out: Path | None) -> None:
    """Run one, or all that there are."""
    if paper != "all" and paper not in BENCHES:
        misuse(f"there is no benchmark '{paper}'; it is one of {', '.join(BENCHES)}, all")
    if paper != "all":
        importlib.import_module(BENCHES[paper]).main(quick, out)
        return
    from cepheid.bench.every.bench import main

    main(BENCHES, quick, out)
