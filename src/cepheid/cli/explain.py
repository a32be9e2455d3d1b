"""`cepheid explain`: how a query would be run."""

from collections.abc import Callable
from typing import Any

from cepheid.cli.asked import asked_for
from cepheid.cli.columns import Binding
from cepheid.cli.refuse import misuse

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "mermaid": lambda explanation: str(explanation.mermaid()),
    "dot": lambda explanation: str(explanation.dot()),
}


def explain_query(
    query: str, paths: list[str], binding: Binding, engine: str, form: str, params: list[str]
) -> None:
    """Print the explanation; with events, of the query over their columns."""
    if form not in FORMATS:
        misuse(f"--format is one of {', '.join(FORMATS)}, not '{form}'")
    asked = asked_for(query, engine, params)
    if not paths:
        print(FORMATS[form](asked.explain()))
        return
    from cepheid.sources.files import open_events  # what reads files takes as long to import as all else

    schema = open_events(paths).schema
    print(FORMATS[form](asked.explain(schema, **binding.filled(schema))))
