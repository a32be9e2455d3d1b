"""Functions of text over whole columns; `None` among the values is null, and so is what is made of it."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.pattern.regexps import with_group_names

Value = Any  # pa.Array or pa.Scalar

_FAR = 2**31 - 1
"""Behind the end of every text."""


def substr(texts: Value, begin: Value, length: Value | None = None) -> Value:
    """From the character `begin`, counted from 1, or from the end if it is negative; 0 is 1."""
    given = (begin,) if length is None else (begin, length)
    if any(isinstance(value, pa.Array) for value in given):
        return _substr_by_row(texts, begin, length)
    numbers = [value.as_py() for value in given]
    if None in numbers:
        return pa.scalar(None, pa.string())
    first = numbers[0] - 1 if numbers[0] > 0 else numbers[0]
    last = _FAR if length is None else first + numbers[1]
    if last <= first:
        return pc.utf8_slice_codeunits(texts, 0, 0)
    if first < 0 <= last:
        return pc.utf8_slice_codeunits(texts, max(first, -_FAR))
    return pc.utf8_slice_codeunits(texts, min(max(first, -_FAR), _FAR), min(max(last, -_FAR), _FAR))


def _substr_by_row(texts: Value, begin: Value, length: Value | None) -> pa.Array:
    given = [texts, begin] if length is None else [texts, begin, length]
    rows = next(len(value) for value in given if isinstance(value, pa.Array))
    columns = [v.to_pylist() if isinstance(v, pa.Array) else [v.as_py()] * rows for v in given]
    return pa.array([None if None in row else _part(*row) for row in zip(*columns, strict=True)], pa.string())


def _part(text: str, begin: int, length: int = 2**63) -> str:
    first = begin - 1 if begin > 0 else len(text) + begin if begin < 0 else 0
    return text[max(first, 0) : max(first + length, 0)] if length > 0 else ""


def concat(*texts: Value) -> Value:
    """All texts, one after the other; null if one is."""
    return pc.binary_join_element_wise(*texts, "", null_handling="emit_null")


def regexp_like(texts: Value, pattern: str) -> Value:
    """Whether the expression is found somewhere in the text."""
    return pc.match_substring_regex(texts, pattern)


def regexp_extract(texts: Value, pattern: str, group: int) -> Value:
    """What a group has of the first place where the expression is found; empty if there is none."""
    if isinstance(texts, pa.Scalar):
        return regexp_extract(pa.array([texts.as_py()], pa.string()), pattern, group)[0]
    found = pc.struct_field(pc.extract_regex(texts, with_group_names(pattern)), f"g{group}")
    return pc.if_else(pc.is_valid(texts), pc.fill_null(found, ""), pa.scalar(None, pa.string()))


def length(texts: Value) -> Value:
    """How many characters."""
    return pc.utf8_length(texts).cast(pa.int64())


def of_one_text(name: str, arguments: Sequence[Any]) -> Callable[[str], Any]:
    """A function of one text whose other arguments are constants."""
    change = _OF_ONE[name]
    constants = [pa.scalar(argument, pa.int64()) for argument in arguments] if name == "substr" else arguments
    return lambda text: change(pa.array([text]), *constants)[0].as_py()


_OF_ONE: dict[str, Callable[..., Value]] = {
    "lower": pc.utf8_lower,
    "upper": pc.utf8_upper,
    "length": length,
    "like": pc.match_like,
    "substr": substr,
    "regexp_like": regexp_like,
    "regexp_extract": regexp_extract,
}
