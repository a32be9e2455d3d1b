"""What was asked: one query, or a workload of several."""

from collections.abc import Iterable
from typing import Any

from cepheid.cli.params import named_in, parameters
from cepheid.cli.query_text import UNNAMED, query_texts
from cepheid.cli.refuse import misuse


def asked_for(given: str, engine: str = "auto", params: Iterable[str] = ()) -> Any:
    """The query of a text or a file on its engine, or the workload of a file that names its queries."""
    import cepheid

    texts = query_texts(given)
    values = parameters(params)
    named = {name: named_in(text, values) for name, text in texts.items()}
    for name in values:
        if not any(name in own for own in named.values()):
            misuse(f"--param {name}: no query has a ${name}")
    if set(texts) == {UNNAMED}:
        return _on(cepheid.query(texts[UNNAMED], **named[UNNAMED]), engine)
    queries = {name: _on(_named(name, text, named[name]), engine) for name, text in texts.items()}
    return cepheid.workload(queries)


def names_of(asked: Any) -> tuple[str, ...]:
    """The names of the queries that were asked."""
    return tuple(getattr(asked, "queries", (UNNAMED,)))


def _named(name: str, text: str, values: dict[str, Any]) -> Any:
    """A query of a workload; an error says which."""
    import cepheid
    from cepheid.errors import QueryError

    try:
        return cepheid.query(text, **values)
    except QueryError as error:
        error.message = f"query '{name}': {error.message}"
        raise


def _on(query: Any, engine: str) -> Any:
    return query if engine == "auto" else query.using(engine)
