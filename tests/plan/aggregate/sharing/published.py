"""The benefit of sharing as the thesis publishes it (4.4, 4.5): what the model must add up to."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.plan.aggregate.sharing.benefit import chop_connect_cost, naive_cost


def benefit_value(n0: float, f: float, l: float, k: float) -> float:  # noqa: E741
    """BValue (4.4): what sharing saves, less than zero where connecting costs more."""
    return naive_cost(n0, f, l, k) - chop_connect_cost(n0, f, l, k)


@dataclass(frozen=True, slots=True)
class Line:
    """slope · x + intercept"""

    slope: float
    intercept: float

    def at(self, x: float) -> float:
        return self.slope * x + self.intercept

    @property
    def root(self) -> float:
        """Where it crosses zero."""
        return -self.intercept / self.slope


def benefit_by_frequency(n0: float, l: float, k: float) -> Line:  # noqa: E741
    """BValue over f (4.5a). It falls for N0 > 1, so its root is the frequency up to which sharing pays."""
    return Line(n0**2 * k - n0**3 * k - n0**2 * l, n0**2 * k * l)


def benefit_by_length(n0: float, f: float, k: float) -> Line:
    """BValue over l (4.5b). It rises: the longer, the better."""
    return Line(n0**2 * k - n0**2 * f, (n0**2 - n0**3) * k * f)


def benefit_by_uses(n0: float, f: float, l: float) -> Line:  # noqa: E741
    """BValue over k (4.5c). It rises only if a use saves more than its connect costs."""
    return Line(n0**2 * l + n0**2 * f - n0**3 * f, -(n0**2) * f * l)
