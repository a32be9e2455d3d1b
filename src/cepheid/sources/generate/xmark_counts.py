"""How many of each there are in an XMark document."""

from dataclasses import dataclass

REGIONS = {
    "africa": 550,
    "asia": 2_000,
    "australia": 2_200,
    "europe": 6_000,
    "namerica": 10_000,
    "samerica": 1_000,
}
"""How many items a continent has at factor 1."""


@dataclass(frozen=True, slots=True)
class AuctionCounts:
    """The numbers of what other elements refer to."""

    regions: dict[str, int]
    categories: int
    people: int
    open_auctions: int
    closed_auctions: int

    @property
    def items(self) -> int:
        """Those of all continents."""
        return sum(self.regions.values())


def counts_at(factor: float) -> AuctionCounts:
    """In proportion to the factor, and at least one of each."""

    def scaled(count: int) -> int:
        return max(1, round(count * factor))

    regions = {name: scaled(count) for name, count in REGIONS.items()}
    return AuctionCounts(regions, scaled(1_000), scaled(25_500), scaled(12_000), scaled(9_750))
