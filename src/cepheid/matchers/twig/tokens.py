"""Tokens of a document, as a tokenizer hands them over: a batch of arrays for each chunk of bytes.

The tokens of one start tag, its START and its ATTRIBUTEs, are in one batch. Names are numbers of a table that
grows; values (of attributes, and texts) stand in a buffer of their own, in the order of their tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

START, END, ATTRIBUTE, TEXT = 0, 1, 2, 3


@dataclass
class Names:
    """The names of elements and attributes as written, by number; it only grows."""

    texts: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        """The number of a name, a new one if need be."""
        found = self.numbers.get(text)
        if found is None:
            found = self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return found


@dataclass(frozen=True, slots=True)
class Tokens:
    """A batch of tokens."""

    kind: NDArray[np.int8]
    name: NDArray[np.int32]  # -1 where a token has none
    depth: NDArray[np.int32]  # of the element: 1 is the root's
    start: NDArray[np.int64]  # of START: the offset of `<`
    end: NDArray[np.int64]  # of START and END: the offset after `>`
    values: bytes  # UTF-8
    offsets: NDArray[np.int64]  # of the values: value i is values[offsets[i]:offsets[i + 1]]
