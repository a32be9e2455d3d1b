"""Which profiles a set has, in which order, and which of them are followed in the single step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.step_set import StepSet
from cepheid.matchers.profile.pool.growing import GrowingArray
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.profile.sets import PlannedMember, PlannedTemplate, ProfileSetPlan


class Roster:
    """Profiles by name: each has a rank in the set, and a number if it is followed in the single step."""

    def __init__(self, plan: ProfileSetPlan) -> None:
        self.steps = StepSet(plan.step_schema)
        self.ranks = {name: rank for rank, name in enumerate(plan.names)}
        self._number_of = GrowingArray(np.int64, first=[at.NONE] * len(plan.names))  # by rank; NONE: beside
        self.beside_plans: dict[str, ProfilePlan] = {}
        self.names: list[str] = []  # by number
        self._rank_of = GrowingArray(np.int64)  # by number
        self._next = len(plan.names)
        self._is_own = False
        groups: dict[PlannedTemplate, list[tuple[str, PlannedMember]]] = {}
        for name, profile in zip(plan.names, plan.profiles, strict=True):
            if profile.beside is not None:
                self.beside_plans[name] = profile.beside
            else:
                groups.setdefault(profile.of, []).append((name, profile))
        for template, members in groups.items():
            self._add_group(template, members)

    def _add_group(self, template: PlannedTemplate, members: list[tuple[str, PlannedMember]]) -> None:
        constants = [profile.constants for _, profile in members]
        numbers = self.steps.add(template.template, template.plan, constants)
        names = [name for name, _ in members]
        ranks = np.array([self.ranks[name] for name in names])
        self.names += names
        self._number_of.rows[ranks] = numbers
        self._rank_of.append(ranks)

    def __len__(self) -> int:
        return len(self.ranks)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ranks)

    def __contains__(self, name: object) -> bool:
        return name in self.ranks

    def number_of(self, name: str) -> int:
        """The number of a profile in the single step; NONE if it runs beside."""
        return int(self._number_of.rows[self.ranks[name]])

    def rank_of(self, numbers: np.ndarray) -> np.ndarray:
        """The ranks of profiles in the single step."""
        found: np.ndarray = self._rank_of.rows[numbers]
        return found

    # -- change ------------------------------------------------------------------------------------

    def own(self) -> Roster:
        """The same roster, which may change without others seeing it."""
        if self._is_own:
            return self
        fresh = object.__new__(Roster)
        fresh.steps, fresh.beside_plans = self.steps, {}
        fresh.ranks, fresh.names = dict(self.ranks), [*self.names]
        fresh._number_of, fresh._rank_of = self._number_of.fork(), self._rank_of.fork()
        fresh._next, fresh._is_own = self._next, True
        return fresh

    def add_beside(self, name: str) -> None:
        """A profile that runs beside, after all others."""
        self.ranks[name] = self._next
        self._number_of.append(np.array([at.NONE]))
        self._next += 1

    def add_step(self, name: str, number: int) -> None:
        """A profile in the single step, after all others."""
        self.add_beside(name)
        self._number_of.rows[-1] = number
        self.names.append(name)
        self._rank_of.append(np.array([self.ranks[name]]))

    def remove(self, name: str) -> None:
        """Strike a profile off."""
        del self.ranks[name]


def roster_of(plan: ProfileSetPlan) -> Roster:
    """The roster of a plan, which is made once."""
    if "roster" not in plan.built:
        plan.built["roster"] = Roster(plan)
    roster: Roster = plan.built["roster"]
    return roster
