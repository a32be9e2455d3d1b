"""Who a match is: a sum over its events, so it does not matter in which order an engine finds them."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cepheid.matchers.identity import LANES
from cepheid.matchers.jit import inlined

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
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    octets = np.ascontiguousarray(mixed.astype(">u8")).view(np.uint8).reshape(-1, 16)
    text = np.empty((octets.shape[0], 32), np.uint8)
    text[:, 0::2] = digits[octets >> 4]
    text[:, 1::2] = digits[octets & 15]
    offsets = np.arange(octets.shape[0] + 1, dtype=np.int32) * 32
    return pa.StringArray.from_buffers(
        octets.shape[0], pa.py_buffer(offsets.tobytes()), pa.py_buffer(text.tobytes())
    )
