"""The shapes that a pattern's tree may have, as one would write them."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product

from cepheid.pattern import nodes as pt

MOST_SHAPES = 30
"""How many are tried: a SEQ of five parts has 14, an AND of four 15."""

_ALL_OF_SEQ, _ALL_OF_AND = 5, 4
"""Up to so many parts, each shape is one that may be tried; of more, three."""


def possible_shapes(pattern: pt.Pattern) -> tuple[str, ...]:
    """Shapes to choose from, the left one first."""
    return tuple(dict.fromkeys(islice(_shapes(pattern), MOST_SHAPES)))


def _shapes(node: pt.Pattern) -> Iterator[str]:
    if isinstance(node, pt.Atom):
        yield node.variable
        return
    parts = [part for part in pt.parts(node) if not all(isinstance(a, pt.Absent) for a in pt.atoms(part))]
    below = [tuple(islice(_shapes(part), MOST_SHAPES)) for part in parts]
    grouped = _GROUPED.get(type(node), _left)
    for texts in product(*below):
        yield from grouped(texts)


def _left(texts: Sequence[str]) -> Iterator[str]:
    """Joined from the left."""
    joined = texts[0]
    for text in texts[1:]:
        joined = f"({joined} {text})"
    yield joined


def _few(texts: Sequence[str]) -> Iterator[str]:
    """From the left, from the right, and by halves."""
    yield from _left(texts)
    joined = texts[-1]
    for text in texts[-2::-1]:
        joined = f"({text} {joined})"
    yield joined
    yield _halves(texts)


def _halves(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    middle = len(texts) // 2
    return f"({_halves(texts[:middle])} {_halves(texts[middle:])})"


def _of_sequence(texts: Sequence[str]) -> Iterator[str]:
    """Neighbours are joined."""
    yield from _left(texts) if len(texts) <= _ALL_OF_SEQ else _few(texts)
    if len(texts) <= _ALL_OF_SEQ:
        yield from _bracketed(tuple(texts))


def _bracketed(texts: tuple[str, ...]) -> Iterator[str]:
    if len(texts) == 1:
        yield texts[0]
    for cut in range(1, len(texts)):
        for left, right in product(_bracketed(texts[:cut]), _bracketed(texts[cut:])):
            yield f"({left} {right})"


def _of_conjunction(texts: Sequence[str]) -> Iterator[str]:
    """Any two are joined."""
    if len(texts) > _ALL_OF_AND:
        yield from _few(texts)
        return
    yield from _left(texts)
    yield from _paired(tuple(texts))


def _paired(texts: tuple[str, ...]) -> Iterator[str]:
    """Each division of the parts into two, where the first part is on the left."""
    if len(texts) == 1:
        yield texts[0]
    first, rest = texts[0], texts[1:]
    for size in range(len(rest)):
        for chosen in combinations(rest, size):
            others = tuple(text for text in rest if text not in chosen)
            for left, right in product(_paired((first, *chosen)), _paired(others)):
                yield f"({left} {right})"


_GROUPED = {pt.Seq: _of_sequence, pt.Conjunction: _of_conjunction}
