"""Group keys that Spark's hash puts on one partition after the other, so that no two shards share a task."""

from itertools import count as naturals

_SEED = 42
_MASK = 0xFFFFFFFF


def spread(shards: int, partitions: int) -> list[int]:
    """One integer per shard; shard i falls on partition i modulo the number of partitions."""
    found: dict[int, list[int]] = {place: [] for place in range(partitions)}
    wanted = [len(range(place, shards, partitions)) for place in range(partitions)]
    missing = shards
    for key in naturals():
        place = _signed(murmur3(key)) % partitions
        if len(found[place]) < wanted[place]:
            found[place].append(key)
            missing -= 1
        if missing == 0:
            break
    return [found[shard % partitions][shard // partitions] for shard in range(shards)]


def murmur3(key: int) -> int:
    """Spark's hash of an INT column (MurmurHash3, 32 bits), as an unsigned number."""
    mixed = _rotated(key * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
    word = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _MASK
    word ^= 4  # the length of an INT in bytes
    word = (word ^ word >> 16) * 0x85EBCA6B & _MASK
    word = (word ^ word >> 13) * 0xC2B2AE35 & _MASK
    return word ^ word >> 16


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & _MASK


def _signed(word: int) -> int:
    return word - (1 << 32) if word >= 1 << 31 else word
