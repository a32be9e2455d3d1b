"""Comparisons as in XPath 1.0, without rounding: a decimal is compared with the bounds of what rounds to the
constant."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at

ZERO, NINE, DOT, MINUS = 48, 57, 46, 45
WORDLESS = 2
"""The sign of what is not a number."""

NOT_YET, LONGEST_NUMBER = -1, 1024
"""A number that is longer than this is compared when it is whole: not again with each chunk of it."""


@kernel
def compares(t, against, b, start, end):
    """Whether the bytes of a value compare as the comparison says."""
    operator = t.code[against + at.OPERATOR]
    if t.code[against + at.SORT] == at.A_TEXT:
        return is_text(t, against, b, start, end) == (operator == at.EQUAL)
    decimal_parts = decimal(b, start, end)
    if decimal_parts[0] == WORDLESS or t.code[against + at.SORT] == at.NO_NUMBER:
        return operator == at.UNEQUAL
    return is_so(operator, order_of(t, against, b, decimal_parts))


@kernel
def is_so(operator, order):
    """Whether what is less than a constant (-1), the same (0) or more (1) compares so."""
    if order < 0:
        return operator == at.LESS or operator == at.LESS_OR_EQUAL or operator == at.UNEQUAL
    if order > 0:
        return operator == at.MORE or operator == at.MORE_OR_EQUAL or operator == at.UNEQUAL
    return operator == at.EQUAL or operator == at.LESS_OR_EQUAL or operator == at.MORE_OR_EQUAL


@kernel
def order_of(t, against, b, decimal_parts):
    """Whether a decimal is rounded to less than the constant (-1), to it (0) or to more (1)."""
    order = beyond(t, t.code[against + at.LOW], b, decimal_parts)
    if order < 0 or (order == 0 and not t.code[against + at.IS_EVEN]):
        return -1
    order = beyond(t, t.code[against + at.HIGH], b, decimal_parts)
    return 1 if order > 0 or (order == 0 and not t.code[against + at.IS_EVEN]) else 0


@kernel
def compares_already(t, against, b, start, end):
    """Whether a text compares so whatever follows it: 1 if it does, 0 if it does not, and else NOT_YET."""
    operator = t.code[against + at.OPERATOR]
    if t.code[against + at.SORT] == at.A_TEXT:
        return NOT_YET if begins_text(t, against, b, start, end) else operator == at.UNEQUAL
    if t.code[against + at.SORT] == at.NO_NUMBER:
        return operator == at.UNEQUAL
    if end - start > LONGEST_NUMBER:
        return NOT_YET
    decimal_parts = decimal(b, start, end)
    if decimal_parts[0] == WORDLESS:
        return NOT_YET if begins_decimal(b, start, end) else operator == at.UNEQUAL
    order = order_of(t, against, b, decimal_parts)
    further = order if is_blank(b[end - 1]) else 1 if is_rising(b, start) else -1
    if order != 0 and order != further:  # more digits may lead to the constant
        return NOT_YET
    if operator == at.UNEQUAL:  # and so is what is no number
        return 1 if order != 0 else NOT_YET
    return NOT_YET if is_so(operator, order) or is_so(operator, further) else 0


@kernel
def begins_text(t, against, b, start, end):
    """Whether the constant begins with a value."""
    if t.code[against + at.TO] - t.code[against + at.FROM] < end - start:
        return False
    for k in range(end - start):
        if t.code[t.code[against + at.FROM] + k] != b[start + k]:
            return False
    return True


@kernel
def begins_decimal(b, start, end):
    """Whether what has no digits yet may become a decimal."""
    while start < end and is_blank(b[start]):
        start += 1
    if start < end and b[start] == MINUS:
        start += 1
    if start < end and b[start] == DOT:
        start += 1
    return start == end


@kernel
def is_rising(b, start):
    """Whether more digits make a decimal larger: it is not negative."""
    while is_blank(b[start]):
        start += 1
    return b[start] != MINUS


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
