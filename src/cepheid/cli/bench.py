"""`cepheid bench`: the measurements, by the paper they repeat."""

import importlib
from collections.abc import Sequence
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


def run_benches(paper: str, quick: bool, out: Path | None, saved: Sequence[Path] = ()) -> None:
    """Run one, or all that there are, or put together what was `saved` by single runs."""
    if paper != "all" and paper not in BENCHES:
        misuse(f"there is no benchmark '{paper}'; it is one of {', '.join(BENCHES)}, all")
    if saved and (paper != "all" or quick):
        misuse(
            "--from puts the report of all benchmarks together, and runs none: cepheid bench all --from DIR"
        )
    if paper != "all":
        importlib.import_module(BENCHES[paper]).main(quick, out)
        return
    if saved:
        from cepheid.bench.every import saved as together

        together.main(saved, out)
        return
    from cepheid.bench.every.bench import main

    main(BENCHES, quick, out)
