"""Whole numbers of any size as their digits; Python itself stops at some thousands of them."""

_BITS = 12_000  # well below Python's limit for one conversion
_DIGITS = 3_600


def digits(number: int) -> str:
    """The decimal digits of a number, and its sign."""
    if number < 0:
        return "-" + digits(-number)
    if number.bit_length() <= _BITS:
        return str(number)
    width = _DIGITS
    while 10 ** (2 * width) <= number:
        width *= 2
    high, low = divmod(number, 10**width)
    return digits(high) + digits(low).zfill(width)


def spoken(number: int) -> str:
    """A number as a person reads it."""
    if number.bit_length() < 100:
        return f"{number:,}"
    text = digits(number)
    return f"{text[0]}.{text[1:3]} · 10^{len(text) - 1}"
