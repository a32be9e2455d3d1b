"""All shapes that a pattern's tree may have, as one would write them."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from cepheid.pattern import nodes as pt


def all_shapes(node: pt.Pattern) -> Iterator[str]:
    """Every shape once. There are many: a SEQ of five parts has 14, an AND of five 105."""
    if isinstance(node, pt.Atom):
        yield node.variable
        return
    parts = [part for part in pt.parts(node) if not all(isinstance(a, pt.Absent) for a in pt.atoms(part))]
    grouped = _GROUPED.get(type(node), _left)
    for texts in product(*(tuple(all_shapes(part)) for part in parts)):
        yield from grouped(texts)


def _left(texts: Sequence[str]) -> Iterator[str]:
    """Joined from the left."""
    joined = texts[0]
    for text in texts[1:]:
        joined = f"({joined} {text})"
    yield joined


def _bracketed(texts: Sequence[str]) -> Iterator[str]:
    """Neighbours are joined."""
    if len(texts) == 1:
        yield texts[0]
    for cut in range(len(texts) - 1, 0, -1):
        for left, right in product(_bracketed(texts[:cut]), _bracketed(texts[cut:])):
            yield f"({left} {right})"


def _paired(texts: Sequence[str]) -> Iterator[str]:
    """Any two are joined: each division of the parts into two, where the first part is on the left."""
    if len(texts) == 1:
        yield texts[0]
        return
    first, rest = texts[0], texts[1:]
    for size in range(len(rest) - 1, -1, -1):
        for chosen in combinations(rest, size):
            others = tuple(text for text in rest if text not in chosen)
            for left, right in product(_paired((first, *chosen)), _paired(others)):
                yield f"({left} {right})"


_GROUPED = {pt.Seq: _bracketed, pt.Conjunction: _paired}
