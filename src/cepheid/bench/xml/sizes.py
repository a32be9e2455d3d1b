"""How much each experiment of the benchmark on tree patterns runs over."""

from dataclasses import dataclass

from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class XmlSizes:
    """Documents, and how often they are read. A size of XMark is a factor, all others are megabytes."""

    mode: str
    dblp: float = by_mode(134.0, quick=10.0, tiny=0.05)
    treebank: float = by_mode(86.0, quick=10.0, tiny=0.05)
    xmark: float = by_mode(1.0, quick=0.1, tiny=0.002)
    factors: tuple[float, ...] = by_mode(
        (0.1, 0.5, 1.0, 5.0, 10.0), quick=(0.05, 0.1, 0.2), tiny=(0.001, 0.002)
    )  # of figure 2, and of the memory of a long stream
    repeat: int = by_mode(3, quick=5, tiny=1)
    in_parts: float = by_mode(1.0, quick=4.0)  # so many times as large are documents that are read in parts
    predicates: int = by_mode(6, tiny=2)  # at most so many
    children: int = by_mode(1_000_000, quick=200_000, tiny=2_000)  # of one root
    nests: int = by_mode(400, quick=100, tiny=2)  # of elements in each other
    depth: int = by_mode(2_000, quick=1_000, tiny=50)
    snapshot: float = by_mode(100.0, quick=10.0, tiny=0.1)  # megabytes before a snapshot


FULL, QUICK, TINY = in_each_mode(XmlSizes)
