"""Matches count at a range of rows each: what all of them come to, row by row."""

import numpy as np


def spread(
    ufunc: np.ufunc,
    identity: int | float,
    start: np.ndarray,
    stop: np.ndarray,
    values: np.ndarray,
    rows: int,
) -> np.ndarray:
    """For each row the ufunc over the values whose range, from start to before stop, has it.

    A range is a few blocks of rows, each twice as long as the next shorter kind. A value is put into its
    blocks, and then every block into its halves. Nothing is ever taken back, so floats lose no digits, and
    what is no number stays where it belongs.
    """
    size = 1 << max(rows - 1, 0).bit_length()
    blocks = np.full(2 * size, identity, values.dtype)
    low, high = start + size, stop + size
    while True:
        going = low < high
        low, high, values = low[going], high[going], values[going]
        if low.size == 0:
            break
        odd = low & 1 == 1
        ufunc.at(blocks, low[odd], values[odd])
        low = low + odd
        odd = high & 1 == 1
        high = high - odd
        ufunc.at(blocks, high[odd], values[odd])
        low, high = low >> 1, high >> 1
    width = 1
    while width < size:
        halves = blocks[2 * width : 4 * width].reshape(width, 2)
        ufunc(halves, blocks[width : 2 * width, None], out=halves)
        width *= 2
    result: np.ndarray = blocks[size : size + rows]
    return result
