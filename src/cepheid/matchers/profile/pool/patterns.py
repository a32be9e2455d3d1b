"""Patterns of LIKE as symbols: bytes, any one character, any run of them."""

from __future__ import annotations

import re

import numpy as np

from cepheid.matchers.profile.pool import layout as at

_WILD = {"%": at.ANY_RUN, "_": at.ANY_ONE}

_ONE_PIECE = re.compile(r"%+((?:[^%_]*[^\\%_])?)%+|((?:[^%_]*[^\\%_])?)%+|%+([^%_]*)")
"""One piece, in the middle, at the start or at the end. Arrow reads it as it is written, backslashes too."""


def symbols_of(pattern: str) -> list[int]:
    """A pattern as symbols, read as Arrow reads it; runs one after the other are one."""
    piece = _ONE_PIECE.fullmatch(pattern)
    if piece is None:
        return _escaped(pattern)
    middle, start, end = piece.groups()
    found = list((middle or start or end or "").encode())
    before = [at.ANY_RUN] if start is None else []
    after = [at.ANY_RUN] if end is None else []
    return before + found + (after if found or not before else [])


def with_wildcards(data: np.ndarray) -> np.ndarray:
    """The bytes of patterns that have no backslash as symbols."""
    symbols = data.copy()
    for character, symbol in _WILD.items():
        symbols[data == ord(character)] = symbol
    return symbols


def _escaped(pattern: str) -> list[int]:
    found: list[int] = []
    rest = iter(pattern)
    for character in rest:
        if character in _WILD:
            symbol = _WILD[character]
            if symbol != at.ANY_RUN or found[-1:] != [at.ANY_RUN]:
                found.append(symbol)
            continue
        found.extend((next(rest, "") if character == "\\" else character).encode())
    return found
