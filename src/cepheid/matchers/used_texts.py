"""Forget texts that no state refers to any more: a stream may have new ones for ever."""

from collections.abc import Sequence

import numpy as np

from cepheid.matchers.codes import TextCodes

Held = tuple[np.ndarray, np.ndarray]
"""Codes of texts that a state holds, and a mask of those that mean something."""


def keep_used_texts(texts: TextCodes, held: Sequence[Held]) -> None:
    """Drop all texts but those that are held. They are numbered anew, there and in the state."""
    used = np.zeros(len(texts.texts), np.bool_)
    for codes, meant in held:
        used[codes[meant]] = True
    kept = np.flatnonzero(used)
    for codes, meant in held:
        codes[meant] = np.searchsorted(kept, codes[meant])
    texts.keep_only(kept)
