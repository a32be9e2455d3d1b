"""Who a match is: a sum over its events, so it does not matter in which order an engine finds them."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cepheid.matchers.identity import LANES
from cepheid.matchers.jit import inlined, kernel

MIX, MIX_TOO = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@inlined
def at_variable(identity, variable):
    """What an event adds to one lane of a match's identity if it is bound to a variable, by its number."""
    known = np.uint64(identity) ^ (np.uint64(variable + 1) * MIX_TOO)
    known = (known ^ (known >> np.uint64(31))) * MIX
    return known ^ (known >> np.uint64(29))


_UNMIX = np.uint64(pow(int(MIX), -1, 1 << 64))


def without_variable(known: np.ndarray, variables: np.ndarray) -> np.ndarray:
    """The identities of events, from what they add to a match's where they are bound to these variables."""
    known = (known ^ (known >> np.uint64(29)) ^ (known >> np.uint64(58))) * _UNMIX
    known = known ^ (known >> np.uint64(31)) ^ (known >> np.uint64(62))
    found: np.ndarray = known ^ ((variables + np.uint64(1)) * MIX_TOO)
    return found


def bound_identities(identities: np.ndarray, events: np.ndarray) -> np.ndarray:
    """Who matches are whose events have these numbers: match, position; -1 where there is none."""
    total = np.zeros((events.shape[0], LANES), np.uint64)
    for variable in range(events.shape[1]):
        rows = events[:, variable]
        total += np.where(rows[:, None] >= 0, _with_variable(identities[rows], variable), np.uint64(0))
    return total


def match_identities(events: Sequence[np.ndarray]) -> np.ndarray:
    """Who matches are that have one event a variable, from the identities of these: match, lane."""
    total = np.zeros_like(events[0])
    for variable, known in enumerate(events):
        total += _with_variable(known, variable)
    return total


def _with_variable(known: np.ndarray, variable: int) -> np.ndarray:
    """`at_variable` for many events."""
    known = known ^ np.uint64((variable + 1) * int(MIX_TOO) % 2**64)
    known = (known ^ (known >> np.uint64(31))) * MIX
    found: np.ndarray = known ^ (known >> np.uint64(29))
    return found


_FEW_IDS = 16
"""So many are made one by one."""


def _mixed(word: int) -> int:
    word = word * 0x9E3779B97F4A7C15 % 2**64
    return word ^ word >> 32


def match_ids(identity: str, hashes: np.ndarray) -> pa.Array:
    """The ids of matches as 32 hexadecimal digits."""
    seeds = id_seeds(identity)
    if hashes.shape[0] <= _FEW_IDS:
        ids = [
            [_mixed(lane ^ seed) for lane, seed in zip(lanes, seeds, strict=True)]
            for lanes in hashes.tolist()
        ]
        return pa.array([f"{first:016x}{second:016x}" for first, second in ids], pa.string())
    return seeded_ids(np.array(seeds, np.uint64), hashes)


def id_seeds(identity: str) -> tuple[int, int]:
    """What the ids of a query's matches begin with."""
    return int(identity[:16], 16), int(identity[16:32], 16)


def seeded_ids(seeds: np.ndarray, hashes: np.ndarray) -> pa.Array:
    """The same ids, with seeds for all matches, or for each."""
    mixed = (hashes ^ seeds) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    text = np.empty((mixed.shape[0], 4), np.uint64)
    write_digits(mixed, text)
    offsets = np.arange(mixed.shape[0] + 1, dtype=np.int32) * 32
    letters = pa.py_buffer(text.astype("<u8", copy=False))
    return pa.StringArray.from_buffers(mixed.shape[0], pa.py_buffer(offsets), letters)


EACH = np.uint64(0x0101010101010101)
ZERO, SIX, LOW = EACH * np.uint64(ord("0")), EACH * np.uint64(6), np.uint64(0x000F000F000F000F)
FOUR, EIGHT, SIXTEEN, HALF = np.uint64(4), np.uint64(8), np.uint64(16), np.uint64(32)
TO_LETTER = np.uint64(ord("a") - ord("0") - 10)


@kernel
def write_digits(mixed, text):
    """The 32 hexadecimal digits of two numbers each, eight of them at a time: a byte of a word is a digit."""
    for i in range(mixed.shape[0]):
        for k in range(4):
            word = mixed[i, k // 2]
            word = word >> HALF if k % 2 == 0 else word & np.uint64(0xFFFFFFFF)
            # its bytes, the highest first, in every other byte
            word = ((word & np.uint64(0xFFFF)) << HALF) | (word >> SIXTEEN)
            word = ((word & np.uint64(0x000000FF000000FF)) << SIXTEEN) | (
                (word >> EIGHT) & np.uint64(0x000000FF000000FF)
            )
            word = ((word >> FOUR) & LOW) | ((word & LOW) << EIGHT)
            text[i, k] = word + ZERO + (((word + SIX) >> FOUR) & EACH) * TO_LETTER
