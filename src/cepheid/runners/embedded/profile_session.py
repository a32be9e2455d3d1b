"""A session of many profiles, which may change between any two pushes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError, SnapshotError
from cepheid.matchers.profile.sets import ProfileSetMatcher
from cepheid.matchers.snapshot import Snapshot
from cepheid.pattern.literals import nearest
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.profile.sets import PlannedMember, ProfileSetPlan
from cepheid.runners.embedded.session import Session
from cepheid.runners.stream.few import FewIntake
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.usable import UsableValues

Planned = Callable[[Any], PlannedMember]
"""How a profile, as users hold it, is planned over the stream of a session."""


class ProfileSession(Session[pa.Table]):
    """Many profiles over one stream as it comes."""

    def __init__(self, plan: ProfileSetPlan, terms: Terms, planned: Planned) -> None:
        super().__init__(plan, terms)
        self.plan: ProfileSetPlan = plan
        self._planned = planned
        self._computed = plan.computed

    @property
    def names(self) -> list[str]:
        """The names of the profiles that are there."""
        return list(self._profiles.roster)

    def add(self, name: str, profile: Any) -> None:
        """A profile that sees the events accepted from now on."""
        self._check_open()
        if not isinstance(name, str):
            raise CepheidError(f"a profile has a text for a name, not {name!r}")
        if name in self._profiles.roster:
            raise CepheidError(f"there is a profile '{name}' already: remove it first, or use another name")
        planned = self._planned(profile)
        refuse_unbounded(planned.of.plan)
        self._profiles.add(name, planned, self.watermark, self._feed.waiting)
        self._look_again(planned.of.plan.computed)

    def remove(self, name: str) -> None:
        """Drop a profile, with all that it knows."""
        self._expect(name)
        self._profiles.remove(name)

    def pause(self, name: str) -> None:
        """Let a profile see nothing; what is half matched is dropped."""
        self._expect(name)
        if self._profiles.is_paused(name):
            raise CepheidError(f"the profile '{name}' is paused already")
        self._profiles.pause(name)

    def resume(self, name: str) -> None:
        """Let a paused profile see the events accepted from now on."""
        self._expect(name)
        if not self._profiles.is_paused(name):
            raise CepheidError(f"the profile '{name}' is not paused")
        self._profiles.resume(name, self.watermark, self._feed.waiting)

    @property
    def _profiles(self) -> ProfileSetMatcher:
        matcher = self._feed.matcher
        assert isinstance(matcher, ProfileSetMatcher)
        return matcher

    def _expect(self, name: str) -> None:
        self._check_open()
        if name not in self._profiles.roster:
            near = nearest(name, self.names) if isinstance(name, str) else None
            raise CepheidError(f"there is no profile {name!r}" + (f"; {near}" if near else ""))

    def _look_again(self, computed: set[str]) -> None:
        """Values must fit what any of the profiles computes with."""
        if computed <= self._computed:
            return
        self._computed |= computed
        self.plan = self._feed.plan = replace(self.plan, also_computed=frozenset(self._computed))
        self._usable, self._few = UsableValues(self.plan), FewIntake(self.plan)


def resumed_profiles(
    plan: ProfileSetPlan, snapshot: Snapshot, planned: Planned, kind: type[ProfileSession] = ProfileSession
) -> ProfileSession:
    """A session that goes on where the snapshot was taken, with the profiles that were there."""
    try:
        session = kind(plan, Terms(*snapshot.values["terms"]), planned)
        session.restore(snapshot)
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotError(f"the snapshot is not whole: {error}; take an earlier one") from error
    return session
