"""Conditions over several events: compiled comparisons, and an interpreter for the rest.

A condition is one comparison of two loaded values wherever that is enough; everything
else is a short program over registers. Both are three-valued: a condition holds only
if it is true.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import math

import numpy as np

from cepheid.matchers.bits import as_real, difference_fits, product_fits, sum_fits
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at

COLUMN, SLOT, CONSTANT, NODE, CANDIDATE = 0, 1, 2, 3, 4

# comparisons: six of integers, six of reals, six of text (by rank), then the two other forms
EQ, NE, LT, LE, GT, GE = 0, 1, 2, 3, 4, 5
REAL, TEXT = 6, 12
IS_TRUE, RUN_PROGRAM = 18, 19

# further operations of the interpreter
LOAD, TO_REAL, AND, OR, NOT, IS_NULL = 20, 21, 22, 23, 24, 25
ADD, SUB, MUL, MOD, NEG, ABS = 26, 27, 28, 29, 30, 31
ADD_REAL, SUB_REAL, MUL_REAL, DIV_REAL, MOD_REAL, NEG_REAL, ABS_REAL = 32, 33, 34, 35, 36, 37, 38
ROUND_REAL, FLOOR_REAL, CEIL_REAL, SQRT_REAL = 39, 40, 41, 42
TEXT_VALUE = 43
YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, TIME_OF_DAY, DAY_OF_WEEK = 44, 45, 46, 47, 48, 49, 50, 51


@inlined
def fetch(source, index, t, ev, st, e, r, candidate):
    """A value's 64 bits, and whether it is not null."""
    if source == COLUMN:
        return ev.columns[index, e], ev.valid[index, e] != 0
    if source == SLOT:
        return st.runs[r, t.slots + index], (st.runs[r, at.RUN_VALID] >> index) & 1 != 0
    if source == CONSTANT:
        return t.book[t.constants + index, 0], t.book[t.constants + index, 1] != 0
    if source == NODE:
        node = st.registers[t.book[t.node_positions + index, 0], at.RANGING]
        return st.nodes[node, at.NODE_WIDTH + index], (st.nodes[node, at.NODE_VALID] >> index) & 1 != 0
    known = (st.candidates[candidate, at.CANDIDATE_VALID] >> index) & 1 != 0
    return st.candidates[candidate, at.CANDIDATE_WIDTH + index], known


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
def true_for(c, t, ev, st, e, r, candidate):
    """Whether condition `c` is true of event `e`, run `r`, the events ranged over, and a candidate."""
    row = t.conditions + c
    operation = t.book[row, at.OPERATION]
    if operation == RUN_PROGRAM:
        return run_program(c, t, ev, st, e, r, candidate)
    left, known = fetch(t.book[row, at.LEFT_SOURCE], t.book[row, at.LEFT], t, ev, st, e, r, candidate)
    if not known or operation == IS_TRUE:
        return known and left != 0
    right, known = fetch(t.book[row, at.RIGHT_SOURCE], t.book[row, at.RIGHT], t, ev, st, e, r, candidate)
    if not known:
        return False
    if operation < REAL:
        return compared(operation, left, right)
    if operation < TEXT:
        return compared(operation - REAL, as_real(left), as_real(right))
    return compared(operation - TEXT, ev.texts[0, left], ev.texts[0, right])


@kernel
def true_for_every(c, t, ev, st, e, r, candidate):
    """Whether condition `c` is true with each event of the variables that it ranges over."""
    ranged = t.book[t.conditions + c, at.RANGES_OVER]
    for position in range(t.states):
        if (ranged >> position) & 1 != 0 and not start_ranging(c, t, st, r, position):
            return True
    while True:
        if not true_for(c, t, ev, st, e, r, candidate):
            return False
        moved = False
        for position in range(t.states):
            if (ranged >> position) & 1 != 0:
                moved = range_on(c, t, st, position)
                if moved:
                    break
        if not moved:
            return True


@kernel
def least_ordinal(c, t, position):
    """The first event of a variable that a condition ranges over."""
    return 2 if (t.book[t.conditions + c, at.FROM_SECOND] >> position) & 1 != 0 else 1


@kernel
def start_ranging(c, t, st, r, position):
    """Go to the last event of a variable; whether there is one to range over."""
    node = st.runs[r, at.RUN_NODE]
    while node != at.NONE and st.nodes[node, at.LINK_POSITION] != position:
        node = st.nodes[st.nodes[node, at.LINK_FIRST], at.LINK_PREVIOUS]
    st.registers[position, at.RANGING] = node
    st.registers[position, at.RANGING_FROM] = node
    return node != at.NONE and st.nodes[node, at.LINK_ORDINAL] >= least_ordinal(c, t, position)


@kernel
def range_on(c, t, st, position):
    """Go to the event before; back to the last, answering no, if there is none."""
    node = st.registers[position, at.RANGING]
    if st.nodes[node, at.LINK_ORDINAL] > least_ordinal(c, t, position):
        st.registers[position, at.RANGING] = st.nodes[node, at.LINK_PREVIOUS]
        return True
    st.registers[position, at.RANGING] = st.registers[position, at.RANGING_FROM]
    return False


@inlined
def all_hold_here(begin, end, t, ev, st, e, r, candidate):
    """The same, compiled into the caller: for the edges that most events try."""
    for c in range(begin, end):
        required = t.book[t.conditions + c, at.REQUIRES]
        if st.runs[r, at.RUN_BOUND] & required != required:
            continue
        if t.book[t.conditions + c, at.RANGES_OVER] == 0:
            if not true_for(c, t, ev, st, e, r, candidate):
                return False
        elif not true_for_every(c, t, ev, st, e, r, candidate):
            return False
    return True


@kernel
def all_hold(begin, end, t, ev, st, e, r, candidate):
    """Whether the conditions begin … end hold; one that names an absent variable does."""
    return all_hold_here(begin, end, t, ev, st, e, r, candidate)


@kernel
def run_program(c, t, ev, st, e, r, candidate):
    """Interpret a condition's program; the last register written is its value."""
    registers = st.registers
    reals = registers.view(np.float64)
    target = 0
    for k in range(t.book[t.conditions + c, at.PROGRAM], t.book[t.conditions + c, at.PROGRAM_END]):
        operation, target = t.book[t.program + k, 0], t.book[t.program + k, 1]
        a, b = t.book[t.program + k, 2], t.book[t.program + k, 3]
        if operation == LOAD:
            value, known = fetch(a, b, t, ev, st, e, r, candidate)
            registers[target, 0] = value
            registers[target, 1] = known
        elif operation == IS_NULL:
            registers[target, 0] = registers[a, 1] == 0
            registers[target, 1] = 1
        elif operation == AND or operation == OR:
            connect(operation, target, a, b, registers)
        elif registers[a, 1] == 0 or registers[b, 1] == 0:
            registers[target, 1] = 0
        else:
            registers[target, 1] = 1
            if operation < REAL:
                registers[target, 0] = compared(operation, registers[a, 0], registers[b, 0])
            elif operation < TEXT:
                registers[target, 0] = compared(operation - REAL, reals[a, 0], reals[b, 0])
            elif operation < IS_TRUE:
                left, right = ev.texts[0, registers[a, 0]], ev.texts[0, registers[b, 0]]
                registers[target, 0] = compared(operation - TEXT, left, right)
            elif operation == TEXT_VALUE:
                registers[target, 0] = ev.texts[1 + registers[b, 0], registers[a, 0]]
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
