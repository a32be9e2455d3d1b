"""What was asked: one query, or a workload of several."""

from collections.abc import Iterable
from typing import Any

from cepheid.cli.params import parameters
from cepheid.cli.query_text import UNNAMED, parameters_in, query_texts
from cepheid.cli.refuse import misuse


def asked_for(given: str, engine: str = "auto", params: Iterable[str] = ()) -> Any:
    """The query of a text or a file on its engine, or the workload of a file that names its queries."""
    import cepheid

    texts = query_texts(given)
    values = parameters(params)
    needed = {name: parameters_in(text) for name, text in texts.items()}
    _refuse_others(set(values), set().union(*needed.values()))
    named = {name: {each: values[each] for each in own} for name, own in needed.items()}
    if set(texts) == {UNNAMED}:
        return _on(cepheid.query(texts[UNNAMED], **named[UNNAMED]), engine)
    queries = {name: _on(_named(name, text, named[name]), engine) for name, text in texts.items()}
    return cepheid.workload(queries)


def _refuse_others(given: set[str], needed: set[str]) -> None:
    for name in sorted(given - needed):
        misuse(f"--param {name}: no query has a ${name}{_among(needed)}")
    for name in sorted(needed - given):
        misuse(f"the query needs a value for ${name}: --param {name}=VALUE")


def _among(needed: set[str]) -> str:
    return f", but {', '.join(f'${name}' for name in sorted(needed))}" if needed else ""


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
