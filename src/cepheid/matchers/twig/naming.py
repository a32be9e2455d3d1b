"""Which names of a document are the ones that a pattern asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cepheid.matchers.twig.scan.uris import RESERVED, XML

XMLNS = "xmlns"


@dataclass(frozen=True, slots=True)
class DocumentName:
    """A name as it is written, and the number of its namespace."""

    written: str
    namespace: int = 0

    @property
    def local(self) -> str:
        """What follows the prefix."""
        return self.written.rpartition(":")[2]

    @property
    def declares(self) -> bool:
        """Whether an attribute of this name declares a namespace."""
        return self.written == XMLNS or self.written.startswith(f"{XMLNS}:")


@dataclass(frozen=True, slots=True)
class AsWritten:
    """Names compare letter by letter, prefix included."""

    known: tuple[str, ...] = ()

    def is_element(self, asked: str | None, name: DocumentName) -> bool:
        """Whether a step that asks for this tag takes elements of that name."""
        return asked is None or asked == name.written

    def is_attribute(self, asked: str | None, name: DocumentName) -> bool:
        """The same for attributes; any attribute is none that declares a namespace."""
        return asked == name.written or (asked is None and not name.declares)


@dataclass(frozen=True, slots=True)
class ByLocalName:
    """Names compare by what follows the prefix."""

    known: tuple[str, ...] = ()

    def is_element(self, asked: str | None, name: DocumentName) -> bool:
        """Whether a step that asks for this tag takes elements of that name."""
        return asked is None or asked.rpartition(":")[2] == name.local

    def is_attribute(self, asked: str | None, name: DocumentName) -> bool:
        """The same for attributes, of which none declares a namespace."""
        return not name.declares and self.is_element(asked, name)


@dataclass(frozen=True, slots=True)
class ByNamespace:
    """Names compare by what follows the prefix and by the namespace that the prefix stands for.

    In a pattern a name without a prefix is in no namespace, unless one is given for the prefix of no letters.
    """

    prefixes: tuple[tuple[str, str], ...]

    @property
    def known(self) -> tuple[str, ...]:
        """The namespaces that have numbers before a document is read."""
        return tuple(uri for _, uri in self.prefixes)

    def is_element(self, asked: str | None, name: DocumentName) -> bool:
        """Whether a step that asks for this tag takes elements of that name."""
        return asked is None or self._is_meant(asked, name, self._numbers())

    def is_attribute(self, asked: str | None, name: DocumentName) -> bool:
        """The same for attributes, of which none declares a namespace; without a prefix they are in none."""
        if name.declares:
            return False
        return asked is None or self._is_meant(asked, name, self._numbers() | {"": 0})

    def as_asked(self, name: DocumentName) -> str:
        """A name with the prefix that the pattern has for its namespace."""
        prefix = next((each for each, number in self._numbers().items() if number == name.namespace), None)
        if prefix is not None or name.namespace == 0:
            return f"{prefix}:{name.local}" if prefix else name.local
        is_taken = name.written.rpartition(":")[0] in self._numbers()
        return f":{name.written}" if is_taken else name.written

    def _is_meant(self, asked: str, name: DocumentName, numbers: Mapping[str, int]) -> bool:
        prefix, _, local = asked.rpartition(":")
        return local == name.local and numbers[prefix] == name.namespace

    def _numbers(self) -> dict[str, int]:
        """The numbers of namespaces by the prefixes of the pattern."""
        order = list(dict.fromkeys([*RESERVED, *self.known]))
        return {prefix: order.index(uri) for prefix, uri in (("", ""), ("xml", XML), *self.prefixes)}


Naming = AsWritten | ByLocalName | ByNamespace
