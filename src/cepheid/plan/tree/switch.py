"""Whether condensing pays: its benefit against its cost, from what a few events showed.

The paper's benefit of condensing a join is a × (size_L × size_R − d_L × d_R × size_L × size_R): the pairs
that are not tested. Its cost is what it takes to keep groups. Here the pairs and the composites of both sides
are counted on the same events, and the machine says what each of them takes: `a` is the time of one without
groups, `b` of one with groups. So the benefit is a × (what is tested and made without groups − what is with
them), and the cost (b − a) × what is tested and made with groups.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SideWork:
    """What one side tested and made of some events, and the seconds of processor time that it took."""

    shape: str
    pairs: int
    composites: int
    seconds: float

    @property
    def work(self) -> int:
        """Pairs and composites count alike."""
        return self.pairs + self.composites

    @property
    def each(self) -> float:
        """The seconds of one pair or composite."""
        return self.seconds / max(self.work, 1)


@dataclass(frozen=True, slots=True)
class CondenseChoice:
    """Both sides of the switch on the same events. Where one fell far behind it stopped, and they are the
    events up to there."""

    events: int
    apart: SideWork
    together: SideWork
    doubt: str = ""  # why these events do not decide

    @property
    def benefit(self) -> float:
        """The seconds that are saved by what is not tested and not made."""
        return self.apart.each * (self.apart.work - self.together.work)

    @property
    def cost(self) -> float:
        """The seconds that groups take beyond that."""
        return (self.together.each - self.apart.each) * self.together.work

    @property
    def pays(self) -> bool:
        """Whether the benefit is above the cost."""
        return self.benefit > self.cost

    def told(self) -> str:
        """The numbers in words."""
        verdict = "above" if self.pays else "not above"
        return (
            f"of {self.events:,} events, {_side(self.apart)} without groups, {_side(self.together)} with "
            f"groups: the benefit {1e3 * self.benefit:.2f} ms is {verdict} the cost {1e3 * self.cost:.2f} ms"
            + (f"; {self.doubt}, so it stays as it is without a look" if self.doubt else "")
        )

    @property
    def figures(self) -> dict[str, float]:
        """The numbers for m.stats."""
        return {
            "events": self.events,
            "benefit_seconds": self.benefit,
            "cost_seconds": self.cost,
            "work_without_groups": self.apart.work,
            "work_with_groups": self.together.work,
        }


def _side(side: SideWork) -> str:
    return f"{side.work:,} pairs and composites at {1e6 * side.each:.2f} µs each"
