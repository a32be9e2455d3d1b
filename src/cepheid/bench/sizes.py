"""How much a benchmark runs over, by its mode: `full`, `quick` (minutes) and `tiny` (for tests)."""

from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, TypeVar, cast

Size = TypeVar("Size")
Sizes = TypeVar("Sizes")


def by_mode(usual: Size, **others: Size) -> Size:
    """A field of a dataclass that has another value in the modes that are named."""
    return field(default=usual, metadata=others)


def in_each_mode(kind: Callable[..., Sizes]) -> tuple[Sizes, Sizes, Sizes]:
    """The sizes of a full, of a quick and of a tiny run; the dataclass has a field `mode`."""
    named = fields(cast(Any, kind))
    full, quick, tiny = (
        kind(mode, **{size.name: size.metadata[mode] for size in named if mode in size.metadata})
        for mode in ("full", "quick", "tiny")
    )
    return full, quick, tiny
