"""The arrays that the tokenizer works on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.matchers.twig.scan import layout as at


class NameTable(NamedTuple):
    """The names that came so far, by their numbers: their bytes, and a table of hashes to find them by."""

    slots: np.ndarray  # int32, a power of two of them: the name, or -1
    starts: np.ndarray  # int64, in `letters`
    ends: np.ndarray
    letters: np.ndarray  # uint8
    last_tag: np.ndarray  # int64: the last start tag that had it as an attribute
    facts: np.ndarray  # int32, a row a name: see the layout
    pairs: np.ndarray  # int32, hashes too: the name of a written name and a namespace, or -1
    words: np.ndarray  # uint64, a row a name: see the layout
    asked: np.ndarray  # uint8: what is asked of elements with this name


def namespace_of(names: NameTable, number: int) -> int:
    """The number of the namespace that a name is in."""
    return int(names.facts[number, at.NAMESPACE])


def name_text(names: NameTable, number: int) -> str:
    """A name as it is written."""
    return names.letters[names.starts[number] : names.ends[number]].tobytes().decode()


class TokenSpans(NamedTuple):
    """What was found, in the order of the document."""

    kind: np.ndarray  # int8
    name: np.ndarray  # int32
    start: np.ndarray  # int64, in the bytes at hand
    end: np.ndarray
    depth: np.ndarray  # int32, of tags: how many elements are open around the element


class Scan(NamedTuple):
    """All that the tokenizer works on, besides the bytes."""

    classes: np.ndarray
    state: np.ndarray
    open: np.ndarray  # int32: the names of the open elements
    names: NameTable
    entities: NameTable  # those that were given
    spellings: NameTable  # of namespaces: the values that declared them
    declarations: np.ndarray  # int64: those in force
    tokens: TokenSpans


def hear_again(scan: Scan) -> None:
    """Find out anew whose text is asked for, of the elements that are open: more is known of their names."""
    opened = scan.open[: scan.state[at.DEPTH]]
    asking = np.flatnonzero(scan.names.asked[opened] & at.ITS_TEXT)
    scan.state[at.HEARD] = asking[0] + 1 if len(asking) else 0
