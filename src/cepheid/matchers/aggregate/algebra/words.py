"""Numbers of one word or of several, modulo a power of two: the same changes for both.

Numbers of one word have two dimensions, partition and number; a third is for words. Which of them it is
is known when a kernel is compiled, so that the other case leaves no trace. Places are unsigned: a signed one
would be looked at for being counted from the end.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate.cells import ONE, ZERO, high_product
from cepheid.matchers.jit import inlined


@inlined
def as_word(number):
    """An int64 modulo 2^64."""
    return np.int64(number).view(np.uint64)


@inlined
def place(number):
    """A place in an array."""
    return np.uint64(number)


@inlined
def change(numbers, p, target, source, factor):
    """Add a multiple of a number to another."""
    if numbers.ndim == 2:
        numbers[p, target] += numbers[p, source] * as_word(factor)
    else:
        accumulate(numbers[p, target], numbers[p, source], factor)


@inlined
def change_back(numbers, p, target, source, factor):
    """Take a multiple of a number from another; not the same as to add the negative one, which the least
    int64 has not."""
    if numbers.ndim == 2:
        numbers[p, target] -= numbers[p, source] * as_word(factor)
    else:
        decumulate(numbers[p, target], numbers[p, source], factor)


@inlined
def add_number(numbers, p, target, source):
    """Add a number to another."""
    if numbers.ndim == 2:
        numbers[p, target] += numbers[p, source]
    else:
        add(numbers[p, target], numbers[p, source])


@inlined
def take_number(numbers, p, target, source):
    """Take a number from another."""
    if numbers.ndim == 2:
        numbers[p, target] -= numbers[p, source]
    else:
        take(numbers[p, target], numbers[p, source])


@inlined
def keep(numbers, p, source, factor, rows, i, j):
    """A multiple of a number, kept for later."""
    if numbers.ndim == 2:
        rows[i, j] = numbers[p, source] * as_word(factor)
    else:
        clear(rows[i, j])
        accumulate(rows[i, j], numbers[p, source], factor)


@inlined
def enter(numbers, p, target, rows, i, j):
    """Add what was kept to a number."""
    if numbers.ndim == 2:
        numbers[p, target] += rows[i, j]
    else:
        add(numbers[p, target], rows[i, j])


@inlined
def leave_number(numbers, p, target, rows, i, j):
    """Take what was kept from a number."""
    if numbers.ndim == 2:
        numbers[p, target] -= rows[i, j]
    else:
        take(numbers[p, target], rows[i, j])


@inlined
def add_product(numbers, p, left, right, to, i, place):
    """The product of two numbers to the words of a cell."""
    if numbers.ndim == 2:
        to[i, place] += numbers[p, left] * numbers[p, right]
    else:
        for shift in range(numbers.shape[2]):
            factor = numbers[p, right, shift]
            if factor != ZERO:
                add_multiple(to[i, place : place + numbers.shape[2]], numbers[p, left], factor, shift)


@inlined
def take_off(numbers, p, source, to, i, place):
    """A number off the words of a cell."""
    if numbers.ndim == 2:
        to[i, place] -= numbers[p, source]
    else:
        take(to[i, place : place + numbers.shape[2]], numbers[p, source])


@inlined
def set_negative(rows, i, j, cell):
    """Keep the negative of a cell's number."""
    if rows.ndim == 2:
        rows[i, j] = ZERO - cell[0, 0]
    else:
        clear(rows[i, j])
        take(rows[i, j], cell[0, : rows.shape[2]])


@inlined
def add_cell(rows, i, j, cell):
    """A cell's number to one that is kept."""
    if rows.ndim == 2:
        rows[i, j] += cell[0, 0]
    else:
        add(rows[i, j], cell[0, : rows.shape[2]])


@inlined
def take_words(to, i, place, other, j, there, width):
    """A wide number off a wide number in a cell."""
    take(to[i, place : place + width], other[j, there : there + width])


@inlined
def sign_of(word):
    """The word that continues a number whose highest word this is."""
    return ZERO - (word >> np.uint64(63))


@inlined
def clear(words):
    """Nothing."""
    for k in range(words.shape[0]):
        words[k] = ZERO


@inlined
def add(to, words):
    """One wide number to another; what leaves the highest word is lost."""
    if to.shape[0] == 2:  # nearly always
        low = to[0] + words[0]
        to[1] += words[1] + (ONE if low < words[0] else ZERO)
        to[0] = low
        return
    carry = ZERO
    for k in range(to.shape[0]):
        with_carry = words[k] + carry
        after = to[k] + with_carry
        carry = ONE if (with_carry < carry or after < with_carry) else ZERO
        to[k] = after


@inlined
def take(to, words):
    """One wide number off another."""
    if to.shape[0] == 2:
        low = to[0]
        to[1] -= words[1] + (ONE if low < words[0] else ZERO)
        to[0] = low - words[0]
        return
    borrow = ZERO
    for k in range(to.shape[0]):
        with_borrow = words[k] + borrow
        before = to[k]
        borrow = ONE if (with_borrow < borrow or before < with_borrow) else ZERO
        to[k] = before - with_borrow


@inlined
def accumulate(to, words, factor):
    """A multiple of one wide number to another."""
    if factor == 1:
        add(to, words)
    elif factor < 0:
        take_multiple(to, words, ZERO - as_word(factor))
    else:
        add_multiple(to, words, as_word(factor), 0)


@inlined
def decumulate(to, words, factor):
    """A multiple of one wide number off another."""
    if factor == 1:
        take(to, words)
    elif factor < 0:
        add_multiple(to, words, ZERO - as_word(factor), 0)
    else:
        take_multiple(to, words, as_word(factor))


@inlined
def add_multiple(to, words, factor, shift):
    """So many times a wide number to another, some words higher; what leaves the highest word is lost."""
    carry = ZERO
    for k in range(to.shape[0] - shift):
        low = words[k] * factor
        with_carry = low + carry
        after = to[shift + k] + with_carry
        to[shift + k] = after
        if k + 1 < to.shape[0] - shift:
            carry = high_product(words[k], factor)
            carry += ONE if with_carry < low else ZERO
            carry += ONE if after < with_carry else ZERO


@inlined
def take_multiple(to, words, factor):
    """So many times a wide number off another."""
    borrow = ZERO
    for k in range(to.shape[0]):
        low = words[k] * factor
        with_borrow = low + borrow
        borrow = high_product(words[k], factor)
        borrow += ONE if with_borrow < low else ZERO
        borrow += ONE if to[k] < with_borrow else ZERO
        to[k] -= with_borrow
