"""The interpreter of conditions: programs over registers, whatever engine runs them.

An engine loads the values of a condition into registers, one row each: 64 bits, and whether they are not
null. What follows is the same for all: `condition_rows` writes the program, `execute` runs it. A condition
that compares two loaded values needs no program: `compares` is enough. Both are three-valued.

`a` and `b` are the registers that an operation reads, `target` is the one that it writes, and `reals` are
the registers seen as float64.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import math

import numpy as np

from cepheid.matchers.bits import as_real, difference_fits, product_fits, sum_fits
from cepheid.matchers.jit import inlined, kernel

# a row of a condition: one comparison of two loads, or loads and a program; …_END stands behind its start
OPERATION, LEFT_SOURCE, LEFT, RIGHT_SOURCE, RIGHT = 0, 1, 2, 3, 4
LOADS, LOADS_END, PROGRAM, PROGRAM_END = 5, 6, 7, 8
REQUIRES, RANGES_OVER, FROM_SECOND = 9, 10, 11
CONDITION_WIDTH = 12

# comparisons: six of integers, six of reals, six of text (by rank), then the two other forms
EQ, NE, LT, LE, GT, GE = 0, 1, 2, 3, 4, 5
REAL, TEXT = 6, 12
IS_TRUE, RUN_PROGRAM = 18, 19

# a row of a program: its operation, the register that it writes, and up to three that it reads
PROGRAM_WIDTH = 5

# further operations of the interpreter
CHOOSE = 20  # the second if the first is true, else the third
TO_REAL, AND, OR, NOT, IS_NULL = 21, 22, 23, 24, 25
ADD, SUB, MUL, MOD, NEG, ABS = 26, 27, 28, 29, 30, 31
ADD_REAL, SUB_REAL, MUL_REAL, DIV_REAL, MOD_REAL, NEG_REAL, ABS_REAL = 32, 33, 34, 35, 36, 37, 38
ROUND_REAL, FLOOR_REAL, CEIL_REAL, SQRT_REAL = 39, 40, 41, 42
TEXT_VALUE = 43
YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, TIME_OF_DAY, DAY_OF_WEEK = 44, 45, 46, 47, 48, 49, 50, 51


@inlined
def compared(operation, left, right):
    """One of the six comparisons."""
    if operation == LT:
        return left < right
    if operation == GT:
        return left > right
    if operation == LE:
        return left <= right
    if operation == GE:
        return left >= right
    if operation == EQ:
        return left == right
    return left != right


@inlined
def compares(operation, left, right, texts):
    """Whether a comparison of two values that are not null is true."""
    if operation < REAL:
        return compared(operation, left, right)
    if operation < TEXT:
        return compared(operation - REAL, as_real(left), as_real(right))
    return compared(operation - TEXT, texts[0, left], texts[0, right])


@kernel
def execute(rows, begin, end, registers, texts):
    """Run the program begin … end; whether the last register that it writes is true."""
    reals = registers.view(np.float64)
    target = 0
    for k in range(begin, end):
        operation, target, a, b = rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3]
        if operation == IS_NULL:
            registers[target, 0] = registers[a, 1] == 0
            registers[target, 1] = 1
        elif operation == AND or operation == OR:
            connect(operation, target, a, b, registers)
        elif operation == CHOOSE:
            chosen = b if registers[a, 1] != 0 and registers[a, 0] != 0 else rows[k, 4]
            registers[target, 0] = registers[chosen, 0]
            registers[target, 1] = registers[chosen, 1]
        elif registers[a, 1] == 0 or registers[b, 1] == 0:
            registers[target, 1] = 0
        elif operation < IS_TRUE:
            registers[target, 0] = compares(operation, registers[a, 0], registers[b, 0], texts)
            registers[target, 1] = 1
        else:
            registers[target, 1] = 1
            if operation == TEXT_VALUE:
                registers[target, 0] = texts[1 + registers[b, 0], registers[a, 0]]
            elif operation >= YEAR:
                registers[target, 0] = calendar(operation, registers[a, 0], registers[b, 0])
            elif operation < ADD_REAL:
                compute_whole(operation, target, a, b, registers, reals)
            else:
                compute_real(operation, target, a, b, registers, reals)
    return registers[target, 1] != 0 and registers[target, 0] != 0


@kernel
def connect(operation, target, a, b, registers):
    """Three-valued AND and OR: one operand may decide whatever the other is."""
    deciding = 0 if operation == AND else 1
    if (registers[a, 1] != 0 and registers[a, 0] == deciding) or (
        registers[b, 1] != 0 and registers[b, 0] == deciding
    ):
        registers[target, 0] = deciding
        registers[target, 1] = 1
    elif registers[a, 1] != 0 and registers[b, 1] != 0:
        registers[target, 0] = 1 - deciding
        registers[target, 1] = 1
    else:
        registers[target, 1] = 0


@kernel
def calendar(operation, moment, second):
    """A part of a timestamp, in ticks of which `second` make one."""
    day = moment // (86_400 * second)
    of_day = moment - day * 86_400 * second
    if operation == HOUR:
        return of_day // (3_600 * second)
    if operation == MINUTE:
        return of_day // (60 * second) % 60
    if operation == SECOND:
        return of_day // second % 60
    if operation == TIME_OF_DAY:
        return of_day * 1_000_000 // second
    if operation == DAY_OF_WEEK:
        return (day + 3) % 7 + 1
    # the civil date of a day number, in years that begin in March
    shifted = day + 719_468
    era = shifted // 146_097
    of_era = shifted - era * 146_097
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    if operation == DAY:
        return of_year - (153 * month + 2) // 5 + 1
    civil_month = month + 3 if month < 10 else month - 9
    if operation == MONTH:
        return civil_month
    return year + era * 400 + (1 if civil_month <= 2 else 0)


@kernel
def compute_whole(operation, target, a, b, registers, reals):
    """Integer operations; what leaves int64, and a division by zero, is null."""
    left, right = registers[a, 0], registers[b, 0]
    result = left
    if operation == TO_REAL:
        reals[target, 0] = float(left)
        return
    if operation == NOT:
        result = 1 - left
    elif operation == ADD:
        result = left + right
        registers[target, 1] = sum_fits(left, right)
    elif operation == SUB:
        result = left - right
        registers[target, 1] = difference_fits(left, right)
    elif operation == MUL:
        result = left * right
        registers[target, 1] = product_fits(left, right)
    elif operation == MOD:
        if right == 0:
            registers[target, 1] = 0
        elif right == -1:
            result = 0
        else:
            remainder = left - (left // right) * right
            result = remainder - right if remainder != 0 and (remainder < 0) != (left < 0) else remainder
    elif operation == NEG or (operation == ABS and left < 0):
        result = -left
        registers[target, 1] = left != -(2**63)
    registers[target, 0] = result


@kernel
def compute_real(operation, target, a, b, registers, reals):
    """Float operations; a division by zero, and the root of a negative number, are null."""
    left, right = reals[a, 0], reals[b, 0]
    result = left
    if operation == ADD_REAL:
        result = left + right
    elif operation == SUB_REAL:
        result = left - right
    elif operation == MUL_REAL:
        result = left * right
    elif operation == DIV_REAL or operation == MOD_REAL:
        if right == 0.0:
            registers[target, 1] = 0
        elif operation == DIV_REAL:
            result = left / right
        else:
            result = np.fmod(left, right)
    elif operation == NEG_REAL:
        result = -left
    elif operation == ABS_REAL:
        result = abs(left)
    elif operation == SQRT_REAL:
        if left < 0.0:
            registers[target, 1] = 0
        else:
            result = math.sqrt(left)
    elif operation == ROUND_REAL:
        result = np.rint(left)
    elif operation == FLOOR_REAL:
        result = np.floor(left)
    else:
        result = np.ceil(left)
    reals[target, 0] = result
