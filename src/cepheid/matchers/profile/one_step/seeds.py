"""What the ids of a profile's matches begin with: a digest of its query, worked out once.

Among a million profiles nearly every match is the first of its profile, so this is done for many at once:
ahead if many profiles come together, and else for all first matches of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np


class MatchSeeds:
    """The seeds of profiles by their numbers: 16 bytes each, as `plan.header.digest` has them."""

    def __init__(self) -> None:
        self._seeds = np.zeros((0, 2), np.uint64)
        self._is_known = np.zeros(0, np.bool_)

    def missing(self, profiles: np.ndarray) -> np.ndarray:
        """Those whose seeds are not known yet, each once."""
        self._reach(profiles)
        fresh = profiles[~self._is_known[profiles]]
        return np.unique(fresh) if fresh.size else fresh

    def add(self, profiles: np.ndarray, texts: Sequence[str]) -> None:
        """The texts of their queries."""
        self._reach(profiles)
        digests = b"".join([sha256(text.encode()).digest() for text in texts])
        self._seeds[profiles] = np.frombuffer(digests, ">u8").reshape(-1, 4)[:, :2]
        self._is_known[profiles] = True

    def of(self, profiles: np.ndarray) -> np.ndarray:
        """Their seeds, all of which are known."""
        found: np.ndarray = self._seeds[profiles]
        return found

    def _reach(self, profiles: np.ndarray) -> None:
        """Have room for all of them."""
        most, has = int(profiles.max(initial=-1)) + 1, self._is_known.size
        if most <= has:
            return
        size = max(most, has + has // 4)
        seeds, is_known = np.zeros((size, 2), np.uint64), np.zeros(size, np.bool_)
        seeds[: self._seeds.shape[0]], is_known[: self._is_known.size] = self._seeds, self._is_known
        self._seeds, self._is_known = seeds, is_known

    def fork(self) -> MatchSeeds:
        """The same seeds, to which others may be added by themselves."""
        fresh = MatchSeeds()
        fresh._seeds, fresh._is_known = self._seeds.copy(), self._is_known.copy()
        return fresh
