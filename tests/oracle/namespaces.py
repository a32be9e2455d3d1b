"""The names of a document by their namespaces, resolved from the tree alone: what namespaces= compares."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.documents import Element

XML = "http://www.w3.org/XML/1998/namespace"


def by_local_name(top: Element) -> None:
    """Let all names compare by what follows the prefix."""
    for element in top.below():
        element.name = _parts(str(element.tag))[1]
        element.tested = {_parts(name)[1]: value for name, value in _plain(element).items()}


def by_namespace(top: Element, given: Mapping[str, str]) -> None:
    """Let all names compare by namespace: they get the prefixes that were given for their namespaces."""
    prefixes = {uri: prefix for prefix, uri in given.items()} | {XML: "xml"}
    for element in top.below():
        prefix, local = _parts(str(element.tag))
        element.name = _named(_bound(element, prefix), local, prefixes)
        element.tested = {}
        for name, value in _plain(element).items():
            prefix, local = _parts(name)
            uri = _bound(element, prefix) if prefix else ""
            element.tested[_named(uri, local, prefixes)] = value


def _named(uri: str, local: str, prefixes: Mapping[str, str]) -> str:
    if not uri:
        return local
    return f"{prefixes[uri]}:{local}" if uri in prefixes else f"{{{uri}}}{local}"


def _bound(element: Element, prefix: str) -> str:
    """What a prefix stands for at an element: the nearest declaration counts."""
    if prefix == "xml":
        return XML
    declared = f"xmlns:{prefix}" if prefix else "xmlns"
    above: Element | None = element
    while above is not None:
        if declared in above.attributes:
            return above.attributes[declared]
        above = above.parent
    return ""


def _plain(element: Element) -> dict[str, str]:
    """The attributes that declare no namespace."""
    return {name: value for name, value in element.attributes.items() if _parts(name)[0] != "xmlns" != name}


def _parts(name: str) -> tuple[str, str]:
    prefix, _, local = name.rpartition(":")
    return prefix, local
