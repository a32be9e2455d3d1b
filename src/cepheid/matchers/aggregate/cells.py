"""Arithmetic on cells: exact in as many words as a count needs."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.jit import inlined, kernel

ZERO, ONE = np.uint64(0), np.uint64(1)
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
NARROW = np.uint64(1 << 32)
"""A count whose highest word reaches this gets another one: the next event may multiply it, and a total
adds it to those of all other starts."""


@inlined
def real(word):
    """The float64 that a word holds."""
    return np.int64(word).view(np.float64)


@inlined
def word_of(number):
    """A float64 as a word."""
    return np.uint64(np.float64(number).view(np.int64))


@kernel
def add_words(to, i, place, other, j, there, width):
    """A wide number to a wide number; what leaves the highest word is lost."""
    carry = ZERO
    for k in range(width):
        before = to[i, place + k]
        with_carry = before + carry
        after = with_carry + other[j, there + k]
        carry = ONE if (with_carry < before or after < with_carry) else ZERO
        to[i, place + k] = after


@kernel
def add_word(to, i, place, word, width):
    """One word to a wide number."""
    carry = word
    for k in range(width):
        after = to[i, place + k] + carry
        carry = ONE if after < carry else ZERO
        to[i, place + k] = after
        if carry == ZERO:
            break


@kernel
def is_zero(cells, i, place, width):
    """Whether a wide number is nothing."""
    for k in range(width):
        if cells[i, place + k] != ZERO:
            return False
    return True


@inlined
def magnitude(number):
    """The size of an int64."""
    return np.uint64(number) if number >= 0 else np.uint64(-(number + 1)) + ONE


@kernel
def high_product(left, right):
    """The upper word of the product of two words."""
    a, b = left >> HALF, left & LOW
    c, d = right >> HALF, right & LOW
    middle = a * d + ((b * d) >> HALF)
    other = b * c + (middle & LOW)
    return a * c + (middle >> HALF) + (other >> HALF)


@kernel
def add_product(to, i, place, count, j, number, width):
    """An int64 times a count of `width` words, to a signed number one word wider."""
    size, negative = magnitude(number), number < 0
    carry = above = ZERO
    for k in range(width + 1):
        term = above
        if k < width:
            low = count[j, k] * size
            above = high_product(count[j, k], size)
            term = term + low
            if term < low:
                above = above + ONE
        before = to[i, place + k]
        if negative:
            after = before - term
            less = after - carry
            carry = ONE if (before < term or after < carry) else ZERO
            to[i, place + k] = less
        else:
            after = before + term
            more = after + carry
            carry = ONE if (after < before or more < after) else ZERO
            to[i, place + k] = more


@kernel
def as_real(cells, i, width):
    """A count as the nearest float64, or one beside it."""
    number = 0.0
    for k in range(width - 1, -1, -1):
        number = number * 18446744073709551616.0 + np.float64(cells[i, k])
    return number


@kernel
def first_of(kind, ranks, candidate, known, most):
    """Whether a value displaces the least (or most) so far; what is no number displaces all."""
    if kind == at.REAL:
        left, right = real(candidate), real(known)
        if np.isnan(right):
            return False
        if np.isnan(left):
            return True
        return left > right if most else left < right
    new, old = np.int64(candidate), np.int64(known)
    if kind == at.TEXT:
        new, old = ranks[new], ranks[old]
    return new > old if most else new < old


@kernel
def add_extremes(t, ranks, to, i, v, word_least, word_most, fresh):
    """A least and a most to those of a cell, which has none yet if `fresh`."""
    least, most, kind = t.values[v, at.LEAST], t.values[v, at.MOST], t.values[v, at.KIND]
    if least != at.NONE and (fresh or first_of(kind, ranks, word_least, to[i, least], False)):
        to[i, least] = word_least
    if most != at.NONE and (fresh or first_of(kind, ranks, word_most, to[i, most], True)):
        to[i, most] = word_most


@kernel
def is_narrow(t, cells, i):
    """Whether a cell may soon need more words."""
    if cells[i, t.limbs - 1] >= NARROW:
        return True
    for v in range(t.values.shape[0]):
        if cells[i, t.values[v, at.COUNTED] + t.limbs - 1] >= NARROW:
            return True
    return False


@kernel
def clear(cells, i):
    """Nothing stands here."""
    for k in range(cells.shape[1]):
        cells[i, k] = ZERO


@kernel
def put(to, i, other, j):
    """What stands at one cell, and nothing else, at another."""
    for k in range(to.shape[1]):
        to[i, k] = other[j, k]


@kernel
def add(t, ranks, to, i, other, j):
    """What stands at one cell to what stands at another."""
    for v in range(t.values.shape[0]):
        counted, total = t.values[v, at.COUNTED], t.values[v, at.SUM]
        if is_zero(other, j, counted, t.limbs):
            continue
        least, most = t.values[v, at.LEAST], t.values[v, at.MOST]
        add_extremes(
            t,
            ranks,
            to,
            i,
            v,
            other[j, least] if least != at.NONE else ZERO,
            other[j, most] if most != at.NONE else ZERO,
            is_zero(to, i, counted, t.limbs),
        )
        if total != at.NONE and t.values[v, at.KIND] == at.REAL:
            to[i, total] = word_of(real(to[i, total]) + real(other[j, total]))
        elif total != at.NONE:
            add_words(to, i, total, other, j, total, t.limbs + 1)
        add_words(to, i, counted, other, j, counted, t.limbs)
    add_words(to, i, 0, other, j, 0, t.limbs)


@kernel
def take(t, ev, to, i, other, j, e, step):
    """The ways at one cell, each longer by event `e`, to those at another."""
    if is_zero(other, j, 0, t.limbs):
        return
    for v in range(t.values.shape[0]):
        column = t.values[v, at.COLUMN]
        if not t.of_step[step, v] or not ev.valid[column, e]:
            continue
        number = ev.columns[column, e]
        counted, total = t.values[v, at.COUNTED], t.values[v, at.SUM]
        fresh = is_zero(to, i, counted, t.limbs)
        add_extremes(t, ev.ranks, to, i, v, np.uint64(number), np.uint64(number), fresh)
        if total != at.NONE and t.values[v, at.KIND] == at.REAL:
            more = real(np.uint64(number)) * as_real(other, j, t.limbs)
            to[i, total] = word_of(real(to[i, total]) + more)
        elif total != at.NONE:
            add_product(to, i, total, other, j, number, t.limbs)
        add_words(to, i, counted, other, j, 0, t.limbs)
    add(t, ev.ranks, to, i, other, j)


@kernel
def begin(t, ev, to, i, e, step):
    """One way that begins with event `e`, to those at a cell."""
    for v in range(t.values.shape[0]):
        column = t.values[v, at.COLUMN]
        if not t.of_step[step, v] or not ev.valid[column, e]:
            continue
        number = ev.columns[column, e]
        counted, total = t.values[v, at.COUNTED], t.values[v, at.SUM]
        fresh = is_zero(to, i, counted, t.limbs)
        add_extremes(t, ev.ranks, to, i, v, np.uint64(number), np.uint64(number), fresh)
        if total != at.NONE and t.values[v, at.KIND] == at.REAL:
            to[i, total] = word_of(real(to[i, total]) + real(np.uint64(number)))
        elif total != at.NONE:
            add_signed(to, i, total, number, t.limbs + 1)
        add_word(to, i, counted, ONE, t.limbs)
    add_word(to, i, 0, ONE, t.limbs)


@kernel
def add_signed(to, i, place, number, width):
    """An int64 to a signed wide number."""
    sign = ~ZERO if number < 0 else ZERO
    carry = ZERO
    for k in range(width):
        before = to[i, place + k]
        term = np.uint64(number) if k == 0 else sign
        with_carry = before + carry
        after = with_carry + term
        carry = ONE if (with_carry < before or after < with_carry) else ZERO
        to[i, place + k] = after


# -- products --------------------------------------------------------------------------------------


@kernel
def add_multiple(to, i, place, width, number, j, there, long, count, k, limbs):
    """A wide number times a count, to a wide number; what leaves the highest word is lost."""
    while limbs > 0 and count[k, limbs - 1] == ZERO:
        limbs -= 1
    for x in range(min(long, width)):
        factor = number[j, there + x]
        if factor == ZERO:
            continue
        carry = ZERO
        stop = min(limbs, width - x)
        for y in range(stop):
            low = factor * count[k, y]
            high = high_product(factor, count[k, y])
            more = low + carry
            after = more + to[i, place + x + y]
            carry = high + (ONE if more < low else ZERO) + (ONE if after < more else ZERO)
            to[i, place + x + y] = after
        for y in range(x + stop, width):
            if carry == ZERO:
                break
            after = to[i, place + y] + carry
            carry = ONE if after < carry else ZERO
            to[i, place + y] = after


@kernel
def multiply(t, ranks, to, i, left, j, right, k):
    """Each way at one cell, continued by each way at another, to those at a third."""
    if is_zero(left, j, 0, t.limbs) or is_zero(right, k, 0, t.limbs):
        return
    for v in range(t.values.shape[0]):
        multiply_value(t, ranks, to, i, v, left, j, right, k)
        multiply_value(t, ranks, to, i, v, right, k, left, j)
    add_multiple(to, i, 0, t.limbs, left, j, 0, t.limbs, right, k, t.limbs)


@kernel
def multiply_value(t, ranks, to, i, v, cells, j, count, k):
    """What one of two cells knows of a value, once for each way at the other."""
    counted, total = t.values[v, at.COUNTED], t.values[v, at.SUM]
    if is_zero(cells, j, counted, t.limbs):
        return
    least, most = t.values[v, at.LEAST], t.values[v, at.MOST]
    add_extremes(
        t,
        ranks,
        to,
        i,
        v,
        cells[j, least] if least != at.NONE else ZERO,
        cells[j, most] if most != at.NONE else ZERO,
        is_zero(to, i, counted, t.limbs),
    )
    if total != at.NONE and t.values[v, at.KIND] == at.REAL:
        if real(cells[j, total]) != 0.0:  # nothing stays nothing, however often
            more = real(cells[j, total]) * as_real(count, k, t.limbs)
            to[i, total] = word_of(real(to[i, total]) + more)
    elif total != at.NONE:
        add_multiple(to, i, total, t.limbs + 1, cells, j, total, t.limbs + 1, count, k, t.limbs)
    add_multiple(to, i, counted, t.limbs, cells, j, counted, t.limbs, count, k, t.limbs)


@kernel
def bits(t, cells, i):
    """How many bits the largest count of a cell has."""
    most = bits_of(cells, i, 0, t.limbs)
    for v in range(t.values.shape[0]):
        most = max(most, bits_of(cells, i, t.values[v, at.COUNTED], t.limbs))
    return most


@kernel
def bits_of(cells, i, place, width):
    """How many bits a wide number has."""
    top = width
    while top > 0 and cells[i, place + top - 1] == ZERO:
        top -= 1
    if top == 0:
        return 0
    found, word = 64 * (top - 1) + 1, cells[i, place + top - 1]
    for half in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(half) != ZERO:
            word >>= np.uint64(half)
            found += half
    return found
