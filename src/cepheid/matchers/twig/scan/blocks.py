"""Several bytes at a time: eight as one word, a copy of many, and the first of a block that is of a kind.

They are compared side by side, and finding the first takes no branch. The bytes must be there: whoever asks
makes sure of it.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from cepheid.matchers.jit import inlined

EIGHT, NAME_BLOCK, TEXT_BLOCK, TAG_BLOCK, LINE_BLOCK = 8, 16, 32, 64, 64
SPACE, AMPERSAND, SLASH, LESS, EQUALS, GREATER, BRACKET = 32, 38, 47, 60, 61, 62, 93
TAB, LINE_FEED, EXCLAMATION, QUESTION = 9, 10, 33, 63


def _loaded(context: Any, builder: Any, signature: Any, args: Any, kind: Any) -> Any:
    """What stands at a place of an array, which may begin at any byte."""
    array = context.make_array(signature.args[0])(context, builder, value=args[0])
    place = builder.gep(array.data, [args[1]])
    return builder.load(builder.bitcast(place, kind.as_pointer()), align=1)


def _first_of(size: int, is_of_kind: Callable[[Any, Any, Any], Any]) -> Any:
    """A function of an array, a place and one more byte: which of so many bytes is the first of a kind."""

    @intrinsic
    def first(typing_context, b, p, other):
        def generate(context, builder, signature, args):
            block = _loaded(context, builder, signature, args, ir.VectorType(ir.IntType(8), size))
            found = builder.bitcast(is_of_kind(builder, block, args[2]), ir.IntType(size))
            place = builder.cttz(found, ir.Constant(ir.IntType(1), 0))
            return builder.zext(place, ir.IntType(64))

        return types.int64(b, types.int64, types.uint8), generate

    return first


def _all(block: Any, byte: int) -> ir.Constant:
    return ir.Constant(block.type, [byte] * block.type.count)


def _any(builder: Any, block: Any, bytes_: tuple[int, ...]) -> Any:
    """Which are one of these bytes."""
    found = builder.icmp_unsigned("==", block, _all(block, bytes_[0]))
    for byte in bytes_[1:]:
        found = builder.or_(found, builder.icmp_unsigned("==", block, _all(block, byte)))
    return found


def _ends_name(builder: Any, block: Any, _: Any) -> Any:
    is_blank = builder.icmp_unsigned("<=", block, _all(block, SPACE))
    return builder.or_(is_blank, _any(builder, block, (GREATER, SLASH, EQUALS)))


def _is_special(builder: Any, block: Any, _: Any) -> Any:
    """What is no plain text: bytes of other than ASCII characters are negative."""
    is_odd = builder.icmp_signed("<", block, _all(block, SPACE))
    is_blank = _any(builder, block, (TAB, LINE_FEED))
    return builder.or_(
        builder.and_(is_odd, builder.not_(is_blank)), _any(builder, block, (LESS, AMPERSAND, BRACKET))
    )


def _ends_value(builder: Any, block: Any, quote: Any) -> Any:
    one = builder.insert_element(ir.Constant(block.type, ir.Undefined), quote, ir.Constant(ir.IntType(32), 0))
    same = ir.Constant(ir.VectorType(ir.IntType(32), block.type.count), [0] * block.type.count)
    quotes = builder.shuffle_vector(one, one, same)
    is_odd = builder.icmp_signed("<", block, _all(block, SPACE))
    found = builder.or_(is_odd, builder.icmp_unsigned("==", block, quotes))
    return builder.or_(found, _any(builder, block, (LESS, AMPERSAND)))


@intrinsic
def _word(typing_context, b, p):
    def generate(context, builder, signature, args):
        return _loaded(context, builder, signature, args, ir.IntType(64))

    return types.uint64(b, types.int64), generate


def _tag_marks(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    kind, word = ir.VectorType(ir.IntType(8), TAG_BLOCK), ir.IntType(TAG_BLOCK)
    block = _loaded(context, builder, signature, args, kind)
    next_place = builder.add(args[1], ir.Constant(args[1].type, 1))
    after = _loaded(context, builder, signature, (args[0], next_place), kind)
    is_less, is_end = _any(builder, block, (LESS,)), _any(builder, after, (SLASH,))
    is_empty = builder.and_(_any(builder, block, (SLASH,)), _any(builder, after, (GREATER,)))
    found = (
        builder.and_(is_less, builder.not_(is_end)),
        builder.or_(builder.and_(is_less, is_end), is_empty),
        builder.and_(is_less, _any(builder, after, (EXCLAMATION, QUESTION))),
    )
    return [builder.bitcast(each, word) for each in found]


@intrinsic
def _weights(typing_context, b, p):
    def generate(context, builder, signature, args):
        counts = [builder.ctpop(each) for each in _tag_marks(context, builder, signature, args)]
        return context.make_tuple(builder, signature.return_type, counts)

    return types.UniTuple(types.int64, 3)(b, types.int64), generate


@intrinsic
def _marks(typing_context, b, p):
    def generate(context, builder, signature, args):
        marks = _tag_marks(context, builder, signature, args)
        return context.make_tuple(builder, signature.return_type, marks)

    return types.UniTuple(types.uint64, 3)(b, types.int64), generate


@intrinsic
def _line_ends(typing_context, b, p):
    def generate(context, builder, signature, args):
        block = _loaded(context, builder, signature, args, ir.VectorType(ir.IntType(8), LINE_BLOCK))
        return builder.ctpop(builder.bitcast(_any(builder, block, (LINE_FEED,)), ir.IntType(LINE_BLOCK)))

    return types.int64(b, types.int64), generate


@intrinsic
def _copy(typing_context, out, place, b, p, count):
    def generate(context, builder, signature, args):
        out_data, b_data = (
            context.make_array(signature.args[k])(context, builder, value=args[k]).data for k in (0, 2)
        )
        to, origin = builder.gep(out_data, [args[1]]), builder.gep(b_data, [args[3]])
        cgutils.raw_memcpy(builder, to, origin, args[4], 1)
        return context.get_dummy_value()

    return types.none(out, types.int64, b, types.int64, types.int64), generate


_name_end, _text_end, _value_end = (
    _first_of(NAME_BLOCK, _ends_name),
    _first_of(TEXT_BLOCK, _is_special),
    _first_of(TEXT_BLOCK, _ends_value),
)


@inlined
def word_at(b, p):
    """Eight bytes as one number, the first the least."""
    return _word(b, p)


@inlined
def name_letters(b, p):
    """How many of sixteen bytes come before the first that ends a name in a tag; sixteen if there is none."""
    return _name_end(b, p, 0)


@inlined
def plain_letters(b, p):
    """How many of thirty-two bytes are plain text, up to the first that is not."""
    return _text_end(b, p, 0)


@inlined
def value_letters(b, p, quote):
    """The same for the value of an attribute, which a quote ends: there a blank is only the space."""
    return _value_end(b, p, quote)


@inlined
def tag_counts(b, p):
    """Of sixty-four bytes, in front of one more: how many elements begin and end there, and how many comments
    and the like begin, which count as elements too."""
    return _weights(b, p)


@inlined
def tag_marks(b, p):
    """The same as bits: where they begin and end, the first byte the lowest."""
    return _marks(b, p)


@inlined
def line_ends(b, p):
    """How many of sixty-four bytes end a line."""
    return _line_ends(b, p)


@inlined
def copy_bytes(out, place, b, p, count):
    """Copy so many bytes of `b` from `p` on. A loop would take them one by one."""
    _copy(out, place, b, p, count)


def _first_in(b: np.ndarray, p: int, size: int, is_of_kind: Callable[[int], bool]) -> int:
    return next((k for k in range(size) if is_of_kind(int(b[p + k]))), size)


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def word_at(b, p):
        return np.uint64(int.from_bytes(b[p : p + EIGHT].tobytes(), "little"))

    def name_letters(b, p):
        return _first_in(b, p, NAME_BLOCK, lambda c: c <= SPACE or c in (GREATER, SLASH, EQUALS))

    def plain_letters(b, p):
        def is_special(c: int) -> bool:
            return c >= 128 or c in (LESS, AMPERSAND, BRACKET) or (c < SPACE and c not in (TAB, LINE_FEED))

        return _first_in(b, p, TEXT_BLOCK, is_special)

    def value_letters(b, p, quote):
        return _first_in(
            b, p, TEXT_BLOCK, lambda c: c < SPACE or c >= 128 or c in (LESS, AMPERSAND, int(quote))
        )

    def marks_here(b, p):
        pairs = [(int(b[k]), int(b[k + 1])) for k in range(p, p + TAG_BLOCK)]
        found = (
            [c == LESS and after != SLASH for c, after in pairs],
            [(c, after) in ((LESS, SLASH), (SLASH, GREATER)) for c, after in pairs],
            [c == LESS and after in (EXCLAMATION, QUESTION) for c, after in pairs],
        )
        return tuple(np.uint64(sum(is_one << k for k, is_one in enumerate(each))) for each in found)

    def tag_marks(b, p):
        return marks_here(b, p)

    def tag_counts(b, p):
        return tuple(int(each).bit_count() for each in marks_here(b, p))

    def copy_bytes(out, place, b, p, count):
        out[place : place + count] = b[p : p + count]

    def line_ends(b, p):
        return int(np.count_nonzero(b[p : p + LINE_BLOCK] == LINE_FEED))
