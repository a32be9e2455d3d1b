"""The root element of a document, from its first bytes: its name, and which namespaces it declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from xml.parsers import expat

HEAD = 1 << 16
"""The root element is looked for in so many bytes."""

XMLNS = "xmlns"


@dataclass(frozen=True, slots=True)
class RootElement:
    """The name of a root element as written, and its attributes."""

    name: str
    attributes: dict[str, str]

    @property
    def default_namespace(self) -> str:
        """The namespace of names without a prefix, or nothing."""
        return self.attributes.get(XMLNS, "")

    @property
    def has_prefixes(self) -> bool:
        """Whether it declares prefixes."""
        return any(name.startswith(f"{XMLNS}:") for name in self.attributes)


class KeptHead:
    """Chunks as they pass, of which the first bytes are kept."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self._head = bytearray()

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            if len(self._head) < HEAD:
                self._head += chunk[: HEAD - len(self._head)]
            yield chunk

    def root(self) -> RootElement | None:
        """The root element, if it stands in the first bytes."""
        found: list[RootElement] = []

        def start(name: str, attributes: dict[str, str]) -> None:
            if not found:
                found.append(RootElement(name, attributes))

        parser = expat.ParserCreate()
        parser.StartElementHandler = start
        with suppress(expat.ExpatError, ValueError):
            parser.Parse(bytes(self._head), False)
        return found[0] if found else None


def written_notes(root: RootElement) -> tuple[str, ...]:
    """Why names may not have been found, compared as written, in a document that has namespaces."""
    ignoring = 'with namespaces "ignore" they compare by what follows the prefix'
    if root.default_namespace:
        return (
            f"nothing matched: the root element '{root.name}' has the default namespace "
            f"'{root.default_namespace}'. Names compare as they are written in the document: those without a "
            f"prefix there have none in a pattern; {ignoring}, "
            f'with namespaces={{"p": "{root.default_namespace}"}} (in the shell: '
            f"--namespaces p={root.default_namespace}) by namespace: //p:name",
        )
    if root.has_prefixes:
        return (
            f"nothing matched: the root element '{root.name}' declares prefixes. Names compare as they are "
            f"written in the document, prefix included; {ignoring}",
        )
    return ()


def given_notes(root: RootElement, given: Mapping[str, str], has_bare_names: bool) -> tuple[str, ...]:
    """The same where names compare by the namespaces that were given."""
    own = root.default_namespace
    if not own or given.get("") == own:
        return ()
    if own not in given.values():
        what = f"is in the namespace '{own}', which namespaces= does not have"
    elif has_bare_names:
        what = (
            f"has the default namespace '{own}', and in a pattern a name without a prefix is in no namespace"
        )
    else:
        return ()
    return (f"nothing matched: the root element '{root.name}' {what}",)
