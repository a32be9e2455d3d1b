"""Random documents and tree patterns against the oracle: by all parsers, cut anywhere, with snapshots.

Each case is also run with its names in namespaces, and what XPath can say against lxml's XPath. Beside it go
repetitions inside each other.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from typing import Any

import cepheid
from cepheid.matchers.twig.naming import AsWritten, ByLocalName, ByNamespace, Naming
from cepheid.pattern.twig import nodes as tn
from cepheid.pattern.twig.render import render_twig
from cepheid.plan.twig.build import twig_plan
from cepheid.xml import XmlPattern
from tests.cases.namespaces import GIVEN, namespace_case
from tests.cases.repetitions import repetition_case
from tests.cases.twig import twig_case
from tests.matchers.twig.test_xpath import has_xpath, xpath_finding
from tests.oracle.documents import Element, document
from tests.oracle.namespaces import by_local_name, by_namespace
from tests.oracle.twig import twig_rows

MOST_FAILURES = 5

Rows = list[dict[str, Any]]


def cut(data: bytes, dice: random.Random) -> list[bytes]:
    """A document in random pieces."""
    cuts = sorted(dice.choices(range(len(data) + 1), k=dice.randint(0, 8)))
    return [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def session_rows(pattern: XmlPattern, data: bytes, dice: random.Random) -> Rows:
    """The rows of a session on random pieces, that goes on from a snapshot now and then."""
    session, rows = pattern.session(), []
    for piece in cut(data, dice):
        rows += session.push(piece).to_pylist()
        if dice.random() < 1 / 3:
            session = cepheid.resume(pattern, session.snapshot())
    rows += session.close().to_pylist()
    return rows


def in_order(rows: Rows, variables: tuple[str, ...]) -> Rows:
    """In document order, then by the variables' first place."""
    return sorted(rows, key=lambda row: (row["start"], variables.index(row["var"])))


def run_case(seed: int, constructs: Counter[str]) -> str | None:
    """What is wrong with a case."""
    case = twig_case(seed)
    top = document(case.data)
    expected = twig_rows(case.pattern, top)
    constructs.update(constructs_of(case.pattern, top, expected))
    parsers = ("fast", "lxml", "expat")
    wrong = differences(XmlPattern(twig_plan(case.pattern)), case.data, expected, parsers, seed)
    if has_xpath(case.pattern):
        constructs["XPath says the same"] += 1
        wrong += ["XPath"] if xpath_finding(case) else []
    if wrong:
        return told(seed, wrong, case.pattern, case.data)
    return repetition_finding(seed) or namespace_finding(seed, constructs)


def repetition_finding(seed: int) -> str | None:
    """What is wrong with repetitions inside each other."""
    case = repetition_case(seed)
    expected = twig_rows(case.pattern, document(case.data))
    wrong = differences(XmlPattern(twig_plan(case.pattern)), case.data, expected, ("fast",), seed)
    return told(seed, wrong, case.pattern, case.data) if wrong else None


def namespace_finding(seed: int, constructs: Counter[str]) -> str | None:
    """What is wrong with a case whose names are in namespaces, by one of the ways to compare them."""
    case, way = (
        namespace_case(seed),
        random.Random(seed).choice(("by URI", "by URI", "by local name", "as written")),
    )
    top = document(case.data)
    namings: dict[str, tuple[Naming, tn.TwigPattern, tn.TwigPattern]] = {
        "by URI": (ByNamespace(tuple(GIVEN.items())), case.pattern, case.pattern),
        "by local name": (ByLocalName(), case.pattern, case.plain),
        "as written": (AsWritten(), case.plain, case.plain),
    }
    naming, pattern, judged = namings[way]
    if way == "by URI":
        by_namespace(top, GIVEN)
    elif way == "by local name":
        by_local_name(top)
    expected = twig_rows(judged, top)
    constructs[f"namespaces {way}"] += 1
    constructs[f"namespaces {way}, with rows"] += bool(expected)
    wrong = differences(XmlPattern(twig_plan(pattern), naming), case.data, expected, ("fast", "lxml"), seed)
    return told(seed, [f"{each} {way}" for each in wrong], pattern, case.data) if wrong else None


def differences(
    pattern: XmlPattern, data: bytes, expected: Rows, parsers: tuple[str, ...], seed: int
) -> list[str]:
    """The ways of reading a document that give other rows."""
    dice, variables = random.Random(seed), pattern.plan.variables
    found = {parser: list(pattern.run(data, parser)) for parser in parsers}
    found["pieces by lxml"] = list(pattern.run(cut(data, dice), "lxml"))
    found["session"] = in_order(session_rows(pattern, data, dice), variables)
    return [name for name, rows in found.items() if rows != expected]


def told(seed: int, wrong: list[str], pattern: tn.TwigPattern, data: bytes) -> str:
    """A finding in words."""
    return f"seed {seed}, {', '.join(wrong)}: {render_twig(pattern)} over {data.decode()}"


def constructs_of(pattern: tn.TwigPattern, top: Element, rows: Rows) -> list[str]:
    """What a case has."""
    steps = [step for path in tn.outer_paths(pattern) for step in tn.steps_of(path)]
    conditions = [condition for step in steps for condition in step.conditions]
    paths = [path for step in steps for path in tn.paths_below(step)]
    has = {
        "sibling expression": isinstance(pattern, tn.Siblings)
        or any(isinstance(c, tn.Siblings) for c in conditions),
        "rows": bool(rows),
        "several variables": len(tn.variables_of(pattern)) > 1,
        "recursive tags": any(_is_inside_its_like(element) for element in top.below()),
        "position": any(isinstance(c, tn.NthSibling | tn.LastSibling) for c in conditions),
        "comparison": any(path.compared is not None for path in paths),
        "attribute": any(path.attribute is not None for path in paths),
        "any tag": any(step.tag is None for step in steps),
    }
    return [name for name, is_there in has.items() if is_there]


def _is_inside_its_like(element: Element) -> bool:
    above = element.parent
    while above is not None and above.tag != element.tag:
        above = above.parent
    return above is not None


def main(cases: int, seed: int) -> int:
    """Run the cases, and print how many had what; the exit status."""
    constructs: Counter[str] = Counter()
    failures = tried = 0
    for number in range(seed, seed + cases):
        tried += 1
        finding = run_case(number, constructs)
        if finding is not None:
            failures += 1
            print(f"\n{finding}", flush=True)
            if failures >= MOST_FAILURES:
                break
    for name, count in constructs.most_common():
        print(f"{count:8,}  {name}")
    print(f"{tried:,} cases, {failures} findings")
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=20_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    chosen = parser.parse_args()
    sys.exit(main(chosen.cases, chosen.seed))
