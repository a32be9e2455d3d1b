"""Where events stand among all events, raw and derived: a row of numbers, which compare as bytes."""

import numpy as np
import pyarrow as pa

_WORD = np.dtype(">u8")


def no_places(count: int, kind: pa.DataType) -> np.ndarray:
    """The words of so many places, all zero."""
    return np.zeros((count, kind.byte_width // _WORD.itemsize), _WORD)


def as_places(words: np.ndarray, kind: pa.DataType) -> pa.Array:
    """Places from their words."""
    return pa.Array.from_buffers(kind, words.shape[0], [None, pa.py_buffer(words.tobytes())])


def words_of(places: pa.Array) -> np.ndarray:
    """The words of places."""
    width = places.type.byte_width // _WORD.itemsize
    words = np.frombuffer(places.buffers()[1], _WORD).reshape(-1, width)
    return words[places.offset : places.offset + len(places)]


def words_of_moments(ticks: np.ndarray) -> np.ndarray:
    """Moments as words in the same order, whether they are whole numbers or floats."""
    words: np.ndarray = np.ascontiguousarray(ticks).view(np.uint64)
    top = np.uint64(1 << 63)
    if ticks.dtype.kind != "f":
        return words ^ top
    return np.where(words & top, ~words, words | top)
