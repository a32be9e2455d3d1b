"""Comparisons as in XPath 1.0, without rounding: a decimal is compared with the bounds of what rounds to the
constant."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at

ZERO, NINE, DOT, MINUS = 48, 57, 46, 45
WORDLESS = 2
"""The sign of what is not a number."""


@kernel
def compares(t, against, b, start, end):
    """Whether the bytes of a value compare as the comparison says."""
    operator = t.code[against + at.OPERATOR]
    if t.code[against + at.SORT] == at.A_TEXT:
        return is_text(t, against, b, start, end) == (operator == at.EQUAL)
    sign, first, last, dot = decimal(b, start, end)
    if sign == WORDLESS or t.code[against + at.SORT] == at.NO_NUMBER:
        return operator == at.UNEQUAL
    decimal_parts = (sign, first, last, dot)
    order = beyond(t, t.code[against + at.LOW], b, decimal_parts)
    if order < 0 or (order == 0 and not t.code[against + at.IS_EVEN]):
        return operator == at.LESS or operator == at.LESS_OR_EQUAL or operator == at.UNEQUAL
    order = beyond(t, t.code[against + at.HIGH], b, decimal_parts)
    if order > 0 or (order == 0 and not t.code[against + at.IS_EVEN]):
        return operator == at.MORE or operator == at.MORE_OR_EQUAL or operator == at.UNEQUAL
    return operator == at.EQUAL or operator == at.LESS_OR_EQUAL or operator == at.MORE_OR_EQUAL


@kernel
def is_text(t, against, b, start, end):
    """Whether a value is the constant."""
    if t.code[against + at.TO] - t.code[against + at.FROM] != end - start:
        return False
    for k in range(end - start):
        if t.code[t.code[against + at.FROM] + k] != b[start + k]:
            return False
    return True


@kernel
def decimal(b, start, end):
    """The sign of a decimal, where its digits begin (without zeros) and end, and its point."""
    while start < end and is_blank(b[start]):
        start += 1
    while start < end and is_blank(b[end - 1]):
        end -= 1
    sign = 1
    if start < end and b[start] == MINUS:
        sign = -1
        start += 1
    dot, digits = end, 0
    for p in range(start, end):
        if b[p] == DOT and dot == end:
            dot = p
        elif ZERO <= b[p] <= NINE:
            digits += 1
        else:
            return WORDLESS, start, end, dot
    if digits == 0:
        return WORDLESS, start, end, dot
    while start < end and (b[start] == ZERO or b[start] == DOT):
        start += 1
    return sign if start < end else 0, start, end, dot


@kernel
def is_blank(c):
    """Whether this is white space."""
    return c == 32 or c == 9 or c == 10 or c == 13


@kernel
def beyond(t, bound, b, decimal_parts):
    """Whether a decimal is less than a bound (-1), the same (0) or more (1)."""
    sign, first, last, dot = decimal_parts
    if sign != t.code[bound + at.SIGN]:
        return -1 if sign < t.code[bound + at.SIGN] else 1
    point = dot - first if dot > first else dot + 1 - first
    if point != t.code[bound + at.POINT]:
        return sign if point > t.code[bound + at.POINT] else -sign
    digit = t.code[bound + at.DIGITS]
    for p in range(first, last):
        if p == dot:
            continue
        other = t.code[digit] if digit < t.code[bound + at.DIGITS_END] else 0
        digit += 1
        if b[p] - ZERO != other:
            return sign if b[p] - ZERO > other else -sign
    return -sign if digit < t.code[bound + at.DIGITS_END] else 0
