"""Outcomes of scenarios as JUnit's XML, which systems for continuous integration read."""

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as xml

from cepheid.testing.outcomes import ScenarioOutcome, ScenarioVerdict

_NO_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def junit_xml(files: Mapping[str, Sequence[ScenarioOutcome]]) -> str:
    """A suite a file, and a case a scenario."""
    every = [outcome for outcomes in files.values() for outcome in outcomes]
    root = xml.Element("testsuites", {"name": "cepheid test", **_figures(every)})
    for path, outcomes in files.items():
        suite = xml.SubElement(
            root, "testsuite", {"name": _clean(path), **_figures(outcomes), "skipped": "0"}
        )
        for outcome in outcomes:
            suite.append(_case(path, outcome))
    xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml.tostring(root, encoding="unicode")}\n'


def _figures(outcomes: Sequence[ScenarioOutcome]) -> dict[str, str]:
    verdicts = [outcome.verdict for outcome in outcomes]
    return {
        "tests": str(len(verdicts)),
        "failures": str(verdicts.count(ScenarioVerdict.DIFFERS)),
        "errors": str(verdicts.count(ScenarioVerdict.BROKEN)),
        "time": f"{sum(outcome.seconds for outcome in outcomes):.3f}",
    }


def _case(path: str, outcome: ScenarioOutcome) -> xml.Element:
    written = outcome.written
    case = xml.Element(
        "testcase",
        {
            "classname": _clean(re.sub(r"\.scn$", "", path).replace("/", ".").strip(".")),
            "name": _clean(written.title),
            "file": _clean(path),
            "line": str(written.line),
            "time": f"{outcome.seconds:.3f}",
        },
    )
    if outcome.verdict is not ScenarioVerdict.HOLDS:
        kind = "failure" if outcome.verdict is ScenarioVerdict.DIFFERS else "error"
        first = outcome.says.splitlines()[0] if outcome.says else kind
        told = xml.SubElement(case, kind, {"message": _clean(first), "type": kind})
        told.text = _clean("\n".join([f"{path}:{written.line}", *_details(outcome)]))
    return case


def _details(outcome: ScenarioOutcome) -> list[str]:
    where = f" ({outcome.difference.where})" if outcome.difference is not None else ""
    lines = [f"{line.sign} {line.found}" for line in outcome.lines()]
    return [f"{outcome.says}{where}", *lines, *(f"note: {note}" for note in outcome.notes)]


def _clean(text: str) -> str:
    return _NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)
