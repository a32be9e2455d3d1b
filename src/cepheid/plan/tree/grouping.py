"""What the composites of a group have in common."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grouping:
    """What the composites of a group agree on."""

    slots: tuple[int, ...] = ()  # the condensation terms: values that conditions above compare
    by_first: bool = False  # and their first event
    most_counted: int = 1  # of a chain: and how many events they have, up to so many
    alone: str | None = None  # why each composite is a group by itself, if it is
