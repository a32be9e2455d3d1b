"""`cepheid bench`: the measurements, by the paper they repeat."""

import importlib
from pathlib import Path

from cepheid.cli.refuse import misuse, refuse

BENCHES = {
    "sase": "cepheid.bench.sase.bench",
    "aseq": "cepheid.bench.aseq.bench",
    "condensed": "cepheid.bench.condensed.bench",
    "compas": "cepheid.bench.compas.bench",
    "xml": "cepheid.bench.xml.bench",
    "service": "cepheid.bench.service.bench",
    "spark": "cepheid.bench.spark.bench",
    "start": "cepheid.bench.start.bench",
}
"""Each name's module, which has `main(quick, out)`."""

PLANNED = ("peers",)


def run_benches(paper: str, quick: bool, out: Path | None) -> None:
    """Run one, or all that there are."""
    if paper in PLANNED:
        refuse(f"bench {paper}", f"what is: {', '.join(BENCHES)}")
    if paper != "all" and paper not in BENCHES:
        misuse(f"there is no benchmark '{paper}'; it is one of {', '.join(BENCHES)}, all")
    if paper != "all":
        importlib.import_module(BENCHES[paper]).main(quick, out)
        return
    for name, module in BENCHES.items():
        importlib.import_module(module).main(quick, out and out / name)
    if out is not None:
        from cepheid.bench.report import write_contents

        write_contents(BENCHES, out)
