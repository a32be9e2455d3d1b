"""Tokens that another parser found, in the form that the compiled transducer takes in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.room import KINDS, named, new_scan
from cepheid.matchers.twig.scan.tables import TokenSpans
from cepheid.matchers.twig.scan.uris import NamespaceNumbers


class FoundTokens:
    """Tokens as they are found; their texts are spans of a buffer of their own."""

    def __init__(self, namespaces: Iterable[str] = ()) -> None:
        self._namespaces = NamespaceNumbers.of(namespaces)
        self._numbers: dict[tuple[str, int], int] = {}
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._depth = 0
        self._values = bytearray()

    def start(self, name: str, place: int, namespace: str = "") -> None:
        """A start tag, by the offset of its `<`; its attributes follow at once."""
        self._rows.append((at.START, self._number(name, namespace), place, place, self._depth))
        self._depth += 1

    def end(self, name: str, place: int) -> None:
        """An end tag, by the offset behind its `>`."""
        self._depth -= 1
        self._rows.append((at.END, self._number(name, ""), place, place, self._depth))

    def attribute(self, name: str, value: str, namespace: str = "") -> None:
        """An attribute of the last start tag, with what it means."""
        self._add(at.MEANT, self._number(name, namespace), value)

    def text(self, text: str) -> None:
        """Character data, as it is meant."""
        self._add(at.TEXT, 0, text)

    def hand_over(self, matcher: TwigMatcher) -> None:
        """Let a matcher take in what was found since the last time."""
        rows = np.array(self._rows, np.int64).reshape(len(self._rows), len(KINDS))
        spans = TokenSpans(*(rows[:, k].astype(kind) for k, kind in enumerate(KINDS)))
        buffer = np.frombuffer(bytes(self._values), np.uint8)
        names = named([name.encode() for name, _ in self._numbers])
        names.facts[: len(self._numbers), at.NAMESPACE] = [namespace for _, namespace in self._numbers]
        scan = new_scan((), 1)._replace(tokens=spans, names=names)
        scan.state[[at.TOKENS, at.NAMES, at.POSITION]] = len(rows), len(self._numbers), len(buffer)
        matcher.read(buffer, scan, 0, None)
        self._rows, self._values = [], bytearray()

    def _add(self, kind: int, name: int, value: str) -> None:
        begin = len(self._values)
        self._values += value.encode()
        self._rows.append((kind, name, begin, len(self._values), 0))

    def _number(self, name: str, namespace: str) -> int:
        known = (name, self._namespaces.number(namespace))
        return self._numbers.setdefault(known, len(self._numbers))
