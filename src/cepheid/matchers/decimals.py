"""Decimals are computed with as floats; here they become decimals again."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa


def as_decimals(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Floats as decimals. A float may be a little beyond the largest decimal that it was made of."""
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        most = Decimal((0, (9,) * kind.precision, -kind.scale))
    known = np.asarray(values.is_valid())
    reals = np.asarray(values.fill_null(0.0))
    exact = [_nearest(real, most) if valid else None for real, valid in zip(reals, known, strict=True)]
    return pa.array(exact, kind)


def _nearest(real: float, most: Decimal) -> Decimal | None:
    """The decimal of as many places as the largest that is nearest to a float."""
    if np.isnan(real):
        return None
    if abs(real) >= most:
        return most if real > 0 else most.copy_negate()
    places = int(most.as_tuple().exponent)
    digits = round(Fraction(abs(float(real))) / Fraction(10) ** places)
    return Decimal((int(real < 0), tuple(map(int, str(digits))), places))
