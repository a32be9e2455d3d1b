"""Numbers of one word or of several, modulo a power of two: the same changes for both.

Numbers of one word have two dimensions, partition and number; a third is for words. Which of them it is
is known when a kernel is compiled.
"""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate.cells import ONE, ZERO, high_product
from cepheid.matchers.jit import inlined


@inlined
def as_word(number):
    """An int64 modulo 2^64."""
    return np.int64(number).view(np.uint64)


@inlined
def change(numbers, p, target, source, factor):
    """Add a multiple of a number to another."""
    if numbers.ndim == 2:
        numbers[p, target] += numbers[p, source] * as_word(factor)
    else:
        accumulate(numbers[p, target], numbers[p, source], factor)


@inlined
def enter(numbers, p, target, source, factor, rows, i, j):
    """Add a multiple of a number to a sum, and keep what was added."""
    if numbers.ndim == 2:
        rows[i, j] = numbers[p, source] * as_word(factor)
        numbers[p, target] += rows[i, j]
    else:
        clear(rows[i, j])
        accumulate(rows[i, j], numbers[p, source], factor)
        accumulate(numbers[p, target], rows[i, j], 1)


@inlined
def keep(numbers, p, source, factor, rows, i, j):
    """A multiple of a number, kept for later."""
    if numbers.ndim == 2:
        rows[i, j] = numbers[p, source] * as_word(factor)
    else:
        clear(rows[i, j])
        accumulate(rows[i, j], numbers[p, source], factor)


@inlined
def change_by_row(numbers, p, target, rows, i, j, factor):
    """Add what was kept to a number, or take it out."""
    if numbers.ndim == 2:
        numbers[p, target] += rows[i, j] * as_word(factor)
    else:
        accumulate(numbers[p, target], rows[i, j], factor)


@inlined
def add_product(numbers, p, left, right, to, i, at):
    """The product of two numbers to the words of a cell."""
    if numbers.ndim == 2:
        to[i, at] += numbers[p, left] * numbers[p, right]
    else:
        for shift in range(numbers.shape[2]):
            add_multiple(to[i, at : at + numbers.shape[2]], numbers[p, left], numbers[p, right, shift], shift)


@inlined
def take_number(numbers, p, source, to, i, at):
    """A number off the words of a cell."""
    if numbers.ndim == 2:
        to[i, at] -= numbers[p, source]
    else:
        accumulate(to[i, at : at + numbers.shape[2]], numbers[p, source], -1)


@inlined
def set_negative(rows, i, j, cell):
    """Keep the negative of a cell's number."""
    if rows.ndim == 2:
        rows[i, j] = ZERO - cell[0, 0]
    else:
        clear(rows[i, j])
        accumulate(rows[i, j], cell[0, : rows.shape[2]], -1)


@inlined
def add_cell(rows, i, j, cell):
    """A cell's number to one that is kept."""
    if rows.ndim == 2:
        rows[i, j] += cell[0, 0]
    else:
        accumulate(rows[i, j], cell[0, : rows.shape[2]], 1)


@inlined
def take_words(to, i, at, other, j, there, width):
    """A wide number off a wide number in a cell."""
    take_multiple(to[i, at : at + width], other[j, there : there + width], ONE)


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
def accumulate(to, words, factor):
    """A multiple of one wide number to another."""
    if factor < 0:
        take_multiple(to, words, ZERO - as_word(factor))
    else:
        add_multiple(to, words, as_word(factor), 0)


@inlined
def add_multiple(to, words, factor, shift):
    """So many times a wide number to another, some words higher; what leaves the highest word is lost."""
    carry = ZERO
    for k in range(to.shape[0] - shift):
        low = words[k] * factor
        high = high_product(words[k], factor)
        with_carry = low + carry
        if with_carry < low:
            high += ONE
        after = to[shift + k] + with_carry
        if after < with_carry:
            high += ONE
        to[shift + k] = after
        carry = high


@inlined
def take_multiple(to, words, factor):
    """So many times a wide number off another."""
    borrow = ZERO
    for k in range(to.shape[0]):
        low = words[k] * factor
        high = high_product(words[k], factor)
        with_borrow = low + borrow
        if with_borrow < low:
            high += ONE
        if to[k] < with_borrow:
            high += ONE
        to[k] -= with_borrow
        borrow = high
