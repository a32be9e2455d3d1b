"""The prefixes of a pattern, and the namespaces that were given for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cepheid.errors import CepheidError, QueryCheckError, Span
from cepheid.pattern.twig import nodes as tn

XML, XML_NAMESPACE = "xml", "http://www.w3.org/XML/1998/namespace"


def given_namespaces(given: object) -> dict[str, str]:
    """The namespaces by their prefixes, checked; that of no prefix may be given by '' or None."""
    expected = 'namespaces= is None, "ignore", or namespaces by their prefixes: {"p": "http://…"}'
    if not isinstance(given, Mapping):
        raise CepheidError(f"{expected}, not {given!r}"[:200])
    found = {}
    for prefix, namespace in given.items():
        if not isinstance(prefix, str | None) or not isinstance(namespace, str):
            raise CepheidError(f"{expected}, not {{{prefix!r}: {namespace!r}}}"[:200])
        if prefix == XML and namespace != XML_NAMESPACE:
            raise CepheidError(f"namespaces= has another namespace for the prefix xml than {XML_NAMESPACE}")
        if prefix and not namespace:
            raise CepheidError(f"namespaces= has no namespace for the prefix '{prefix}': give its URI")
        found[prefix or ""] = namespace
    return found


def check_prefixes(pattern: tn.TwigPattern, given: Mapping[str, str], text: str | None = None) -> None:
    """Refuse a prefix for which no namespace was given."""
    for name, span in _names(pattern):
        prefix = name.rpartition(":")[0]
        if prefix and prefix != XML and prefix not in given:
            known = ", ".join(f"'{each}'" for each in given if each) or "none"
            raise QueryCheckError(
                f"namespaces= has no namespace for the prefix '{prefix}'",
                span=span,
                text=text,
                hint=f"the prefixes that it has: {known}",
            )


def _names(pattern: tn.TwigPattern) -> Iterator[tuple[str, Span | None]]:
    """The names of elements and attributes in a pattern, and where they stand."""
    for path in tn.outer_paths(pattern):
        yield from _names_of(path)


def _names_of(path: tn.TreePath) -> Iterator[tuple[str, Span | None]]:
    for step in path.steps:
        if step.tag is not None:
            yield step.tag, step.span
        for below in tn.paths_below(step):
            yield from _names_of(below)
    if path.attribute is not None and path.attribute.name is not None:
        yield path.attribute.name, path.attribute.span
