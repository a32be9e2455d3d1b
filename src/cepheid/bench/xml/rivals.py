"""Other libraries that read XML quickly: pugixml, by pygixml, and xml2arrow; only where they are installed.

pygixml holds the whole document and answers XPath. xml2arrow makes columns of the fields that are named, and
has no patterns: what is asked of a person is asked of the columns afterwards.
"""

import json
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from cepheid.bench.harness import in_fresh_process, resident_bytes
from cepheid.bench.results import Section, no_bar
from cepheid.bench.xml.documents import XMARK, Library
from cepheid.bench.xml.queries import QUERIES, TreeQuery
from cepheid.bench.xml.sides import CEPHEID, LXML, agreed, by_cepheid, by_lxml
from cepheid.errors import CepheidError
from cepheid.xml import xml

OPTIONAL = PYGIXML, XML2ARROW = "pygixml", "xml2arrow"
SKIPPED = "skipped"
QUERY = next(query for query in QUERIES if query.name == "Q3.2")
FIELDS = {"zipcode": "address/zipcode", "education": "profile/education", "age": "profile/age"}


def rivals(ground: Library) -> Section:
    """Q3.2 by each of them, in processes of their own: seconds and memory."""
    path, repeat = ground.document(XMARK), ground.sizes.repeat
    tried = {name: _tried(name, path, repeat) for name in SIDES}
    told = {name: each for name, each in tried.items() if SKIPPED not in each}
    agreed(f"{QUERY.name} by other libraries", {name: each["rows"] for name, each in told.items()})
    size = path.stat().st_size
    rows = [
        {
            "side": name,
            "rows": each["rows"],
            "seconds": round(each["seconds"], 3),
            "GB/s": round(size / each["seconds"] / 1e9, 3),
            "MB above its start": round((each["peak_resident"] - each["before"]) / 1e6, 1),
        }
        for name, each in told.items()
    ]
    ours = told[CEPHEID]
    figures = [
        no_bar(
            f"{QUERY.name}: {name} to Cepheid",
            f"{each['seconds'] / ours['seconds']:.2f}× the time",
            f"{(each['peak_resident'] - each['before']) / 1e6:,.0f} MB above its start, "
            f"Cepheid {(ours['peak_resident'] - ours['before']) / 1e6:,.0f} MB",
        )
        for name, each in told.items()
        if name != CEPHEID
    ]
    figures += [
        no_bar(f"{QUERY.name}: {name} to Cepheid", "not measured", each[SKIPPED])
        for name, each in tried.items()
        if SKIPPED in each
    ]
    return Section(
        "Other libraries",
        f"{QUERY.name} over XMark ({size / 1e6:,.0f} MB), each in a process of its own: the least processor "
        f"time of {repeat} runs, and the peak of memory above what the process had before the first. pygixml "
        "holds the whole document; xml2arrow makes columns of three fields of each person, which are "
        "filtered afterwards.",
        tuple(rows),
        figures=tuple(figures),
    )


def _tried(name: str, path: Path, repeat: int) -> dict[str, Any]:
    """What a library takes; of one that need not be there, the step that failed."""
    if name in OPTIONAL and not find_spec(name):
        return {SKIPPED: f"it is not installed: pip install {name} adds it"}
    try:
        return in_fresh_process(measured_alone, side=name, path=str(path), repeat=repeat)
    except CepheidError as error:
        if name not in OPTIONAL:
            raise
        return {SKIPPED: f"its process failed: {error}"}


# ---------------------------------------------------------------- in a process of its own


def measured_alone(side: str, path: str, repeat: int) -> dict[str, Any]:
    """The rows, the least time of several runs, and the memory before them; or the step that failed."""
    step = "importing it"
    try:
        run = SIDES[side](QUERY, Path(path))
        step, before = "reading the document", resident_bytes()
        rows, seconds = _timed_runs(run, repeat)
    except Exception as error:  # whatever a library of others may raise
        if side not in OPTIONAL:
            raise
        return {SKIPPED: f"{step} failed: {type(error).__name__}: {error}"[:200]}
    return {"rows": rows, "seconds": seconds, "before": before}


def _timed_runs(run: Callable[[], int], repeat: int) -> tuple[int, float]:
    """The rows, and the least processor time; the first run, which loads kernels, does not count."""
    rows, seconds = run(), []
    for _ in range(repeat):
        began = time.process_time()
        rows = run()
        seconds.append(time.process_time() - began)
    return rows, min(seconds)


def _by_cepheid(query: TreeQuery, path: Path) -> Callable[[], int]:
    """The fast front, with its kernels loaded."""
    xml(query.pattern).run(b"<site/>")
    return by_cepheid(query.pattern, path)


def by_pygixml(query: TreeQuery, path: Path) -> Callable[[], int]:
    """The whole document as pugixml's tree, and XPath over it."""
    pygixml = import_module(PYGIXML)

    def run() -> int:
        document = pygixml.parse_file(str(path))
        found = document.root.select_nodes(query.whole_path)
        return len([(each.node.name, each.node.text()) for each in found])

    return run


def by_xml2arrow(query: TreeQuery, path: Path) -> Callable[[], int]:
    """Three columns of the persons, and then those that have all three."""
    xml2arrow = import_module(XML2ARROW)

    with TemporaryDirectory() as folder:
        settings = Path(folder) / "persons.yaml"
        settings.write_text(json.dumps(_settings()))  # JSON is YAML too
        parser = xml2arrow.XmlToArrowParser(str(settings))

    def run() -> int:
        persons = pa.Table.from_batches([parser.parse(str(path))["persons"]])
        return int(persons.drop_null().num_rows)

    return run


def _settings() -> dict[str, Any]:
    fields = [
        {"name": name, "xml_path": f"/site/people/person/{below}", "data_type": "Utf8", "nullable": True}
        for name, below in FIELDS.items()
    ]
    return {"tables": [{"name": "persons", "xml_path": "/site/people", "levels": [], "fields": fields}]}


SIDES: dict[str, Callable[[TreeQuery, Path], Callable[[], int]]] = {
    CEPHEID: _by_cepheid,
    LXML: by_lxml,
    PYGIXML: by_pygixml,
    XML2ARROW: by_xml2arrow,
}
