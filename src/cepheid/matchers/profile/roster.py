"""Which profiles a set has, in which order, and which of them are followed in the single step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.step_set import StepSet
from cepheid.matchers.profile.pool.growing import GrowingArray
from cepheid.plan.profile.sets import ProfileSetPlan


class Roster:
    """Profiles by name: each has a rank in the set, and a number if it is followed in the single step."""

    def __init__(self, plan: ProfileSetPlan) -> None:
        self.steps = StepSet(plan.step_schema)
        self._in_order: tuple[str, ...] | None = plan.names  # until somebody asks for ranks
        self._ranks: dict[str, int] = {}
        self._number_of = GrowingArray(np.int64, first=[at.NONE] * len(plan.names))  # by rank; NONE: beside
        self.beside_plans = {plan.names[rank]: own for rank, own in plan.profiles.beside.items()}
        self.names: list[str] = []  # by number
        self._rank_of = GrowingArray(np.int64)  # by number
        self._next = len(plan.names)
        self._is_own = False
        self._add_all(plan)

    def _add_all(self, plan: ProfileSetPlan) -> None:
        """The profiles of the single step, template by template."""
        profiles = plan.profiles
        by_template = np.argsort(profiles.template, kind="stable")
        ends = np.cumsum(np.bincount(profiles.template, minlength=len(profiles.templates)))
        for of, ranks in zip(profiles.templates, np.split(by_template, ends)[:-1], strict=True):
            if of.reason is None:
                listed = ranks.tolist()
                numbers = self.steps.add(of.template, of.plan, [profiles.constants[rank] for rank in listed])
                self.names += [plan.names[rank] for rank in listed]
                self._number_of.rows[ranks] = numbers
                self._rank_of.append(ranks)

    @property
    def ranks(self) -> dict[str, int]:
        """The rank of each profile. A run never asks, and among a million profiles that is as well."""
        if self._in_order is not None:
            self._ranks = {name: rank for rank, name in enumerate(self._in_order)}
            self._in_order = None
        return self._ranks

    def __len__(self) -> int:
        return len(self.ranks if self._in_order is None else self._in_order)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ranks if self._in_order is None else self._in_order)

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
        fresh._in_order, fresh._ranks, fresh.names = None, dict(self.ranks), [*self.names]
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
