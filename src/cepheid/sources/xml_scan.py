"""Documents to tokens by the compiled tokenizer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.document import Document
from cepheid.matchers.twig.scan.scanner import Scanner, Tokenized
from cepheid.matchers.twig.tokens import ATTRIBUTE, END, START, TEXT, Names, Tokens

CODED = re.compile(rb"&([^;]+);|\r\n?")
BLANK = re.compile(rb"&([^;]+);|\r\n|[\r\n\t]")
PREDEFINED = {b"lt": b"<", b"gt": b">", b"amp": b"&", b"apos": b"'", b"quot": b'"'}
NOTHING = Tokens(
    np.zeros(0, np.int8),
    np.zeros(0, np.int32),
    np.zeros(0, np.int32),
    np.zeros(0, np.int64),
    np.zeros(0, np.int64),
    b"",
    np.zeros(1, np.int64),
)


class ScannedTokens:
    """The tokens of one document, a batch for each chunk."""

    def __init__(self, names: Names, max_depth: int, max_text: int, entities: Mapping[str, str]) -> None:
        self._names, self._depth = names, 0
        self._entities = {name.encode(): text.encode() for name, text in entities.items()}
        self._document = Document(Scanner(max_depth, max_text, entities))
        self._meanings: dict[int, Callable[[bytes], bytes]] = {
            at.TEXT: bytes,
            at.CODED_TEXT: lambda raw: CODED.sub(self._meant, raw),
            at.CDATA_TEXT: lambda raw: raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
            at.ATTRIBUTE: lambda raw: BLANK.sub(self._meant_in_tag, raw),
        }

    def feed(self, chunk: bytes) -> Tokens:
        """The tokens that a chunk completes."""
        return self._together(self._document.push(chunk))

    def close(self) -> Tokens:
        """The end of the document."""
        return self._together(self._document.close())

    def _together(self, found: Iterable[Tokenized]) -> Tokens:
        parts = [self._tokens(some) for some in found]
        if not parts:
            return NOTHING
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return Tokens(
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.name for part in parts]),
            np.concatenate([part.depth for part in parts]),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
            b"".join(part.values for part in parts),
            np.concatenate([[0], np.cumsum(lengths)]),
        )

    def _tokens(self, some: Tokenized) -> Tokens:
        """A batch whose places are in the document as it was given, and whose values are what they mean."""
        kind, name, start, end = some.tokens
        scanner, names = self._document.scanner, self._names
        for number in range(len(names.texts), scanner.name_count):
            names.number(scanner.name(number).decode())
        opens, closes = kind == START, kind == END
        depth = self._depth + np.cumsum(opens) - np.cumsum(closes) + closes
        self._depth += int(opens.sum()) - int(closes.sum())
        values = self._values(some, np.flatnonzero(~(opens | closes)))
        return Tokens(
            np.minimum(kind, TEXT).astype(np.int8),
            np.where(kind <= ATTRIBUTE, name, -1).astype(np.int32),
            depth.astype(np.int32),
            np.where(opens, some.offsets(start), -1),
            np.where(opens | closes, some.offsets(end), -1),
            b"".join(values),
            np.cumsum([0, *map(len, values)], dtype=np.int64),
        )

    def _values(self, some: Tokenized, rows: np.ndarray) -> list[bytes]:
        if not len(rows):
            return []
        begin = int(some.tokens.start[rows[0]])
        raw = some.buffer[begin : some.tokens.end[rows[-1]]].tobytes()
        kinds, starts = some.tokens.kind[rows].tolist(), (some.tokens.start[rows] - begin).tolist()
        ends = (some.tokens.end[rows] - begin).tolist()
        return [
            self._meanings[kind](raw[start:end]) for kind, start, end in zip(kinds, starts, ends, strict=True)
        ]

    def _meant(self, found: re.Match[bytes]) -> bytes:
        name = found[1]
        if name is None:
            return b"\n"
        if name.startswith(b"#"):
            number = int(name[2:], 16) if name[1:2] == b"x" else int(name[1:])
            return chr(number).encode()
        return PREDEFINED.get(name) or self._entities[name]

    def _meant_in_tag(self, found: re.Match[bytes]) -> bytes:
        return b" " if found[1] is None else self._meant(found)
