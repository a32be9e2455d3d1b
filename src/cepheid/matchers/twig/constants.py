"""The constants that a pattern compares with, as arrays.

A number is kept as the two bounds of all decimals that round to it, exact to the last digit: a decimal in a
document is then compared as it is written, however long it is, and says what its nearest float64 would.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np

from cepheid.matchers.twig import layout as at
from cepheid.pattern.twig.nodes import Against

OPERATORS = {
    "=": at.EQUAL,
    "!=": at.UNEQUAL,
    "<": at.LESS,
    "<=": at.LESS_OR_EQUAL,
    ">": at.MORE,
    ">=": at.MORE_OR_EQUAL,
}
NUMBER = re.compile(r"[ \t\r\n]*-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[ \t\r\n]*")
BEYOND = Fraction(2) ** 1024
"""What would be the float64 after the largest."""
PLACES = 1100
"""No bound has more decimal places: the last one of 2 to the -1075 is the 1075th."""
ENDLESS = 1 << 40


def add_comparison(against: Against, code: list[int]) -> int:
    """Add a comparison and what it compares with; where it begins."""
    row = [0] * at.COMPARISON_SIZE
    row[at.OPERATOR] = OPERATORS[against.operator]
    constant = against.constant
    if isinstance(constant, str) and against.operator in ("=", "!="):
        row[at.SORT], row[at.FROM] = at.A_TEXT, len(code)
        code += constant.encode()
        row[at.TO] = len(code)
    else:
        _add_number(row, _number(constant), code)
    code += row
    return len(code) - at.COMPARISON_SIZE


def _add_number(row: list[int], number: float, code: list[int]) -> None:
    if math.isnan(number):
        row[at.SORT] = at.NO_NUMBER
        return
    here = _exact(number)
    below, above = (_exact(math.nextafter(number, far)) for far in (-math.inf, math.inf))
    row[at.SORT], row[at.IS_EVEN] = at.A_NUMBER, int(_is_even(number))
    row[at.LOW] = _add_bound((below + here) / 2, number == -math.inf, code)
    row[at.HIGH] = _add_bound((here + above) / 2, number == math.inf, code)


def _add_bound(bound: Fraction, is_endless: bool, code: list[int]) -> int:
    """Add a bound in decimal digits; beyond an infinity there is nothing."""
    digits = str(abs(bound.numerator) * (10**PLACES // bound.denominator))
    point = ENDLESS if is_endless else len(digits) - PLACES
    begin = len(code)
    code += map(int, digits.rstrip("0"))
    code += [1 if bound > 0 else -1, point, begin, len(code)]
    return len(code) - at.BOUND_SIZE


def _exact(number: float) -> Fraction:
    if math.isinf(number):
        return BEYOND if number > 0 else -BEYOND
    return Fraction(number)


def _is_even(number: float) -> bool:
    """Whether the last bit of the float64 is 0: halves are rounded to such a one."""
    return math.isinf(number) or not np.float64(number).view(np.int64) & 1


def _number(value: str | float) -> float:
    if not isinstance(value, str):
        return value
    return float(value) if NUMBER.fullmatch(value) else float("nan")
