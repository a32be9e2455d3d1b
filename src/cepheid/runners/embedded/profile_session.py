"""A session of many profiles, which may change between any two pushes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError, SnapshotError
from cepheid.events import EventSchema
from cepheid.matchers.profile.sets import ProfileSetMatcher
from cepheid.matchers.snapshot import Snapshot
from cepheid.pattern.literals import nearest
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.profile.sets import ProfileSetPlan, plan_set
from cepheid.runners.embedded.session import Session
from cepheid.runners.stream.few import FewIntake
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.usable import UsableValues

Planned = Callable[[Any, EventSchema], ProfilePlan]
"""How a profile, as users hold it, is planned over a stream."""


class ProfileSession(Session[pa.Table]):
    """Many profiles over one stream as it comes."""

    def __init__(self, plan: ProfileSetPlan, terms: Terms, planned: Planned) -> None:
        super().__init__(plan, terms)
        self._planned = planned

    @property
    def names(self) -> list[str]:
        """The names of the profiles that are there."""
        return list(self._profiles.members)

    def add(self, name: str, profile: Any) -> None:
        """A profile that sees the events accepted from now on."""
        self._check_open()
        if not isinstance(name, str):
            raise CepheidError(f"a profile has a text for a name, not {name!r}")
        if name in self._profiles.members:
            raise CepheidError(f"there is a profile '{name}' already: remove it first, or use another name")
        plan = self._planned(profile, self.schema)
        refuse_unbounded(plan)
        self._profiles.add(name, plan, self.watermark, self._feed.waiting)
        self._look_again()

    def remove(self, name: str) -> None:
        """Drop a profile, with all that it knows."""
        self._known(name)
        del self._profiles.members[name]
        self._look_again()

    def pause(self, name: str) -> None:
        """Let a profile see nothing; what is half matched is dropped."""
        if self._known(name).is_paused:
            raise CepheidError(f"the profile '{name}' is paused already")
        self._profiles.pause(name)

    def resume(self, name: str) -> None:
        """Let a paused profile see the events accepted from now on."""
        if not self._known(name).is_paused:
            raise CepheidError(f"the profile '{name}' is not paused")
        self._profiles.resume(name, self.watermark, self._feed.waiting)

    @property
    def _profiles(self) -> ProfileSetMatcher:
        matcher = self._feed.matcher
        assert isinstance(matcher, ProfileSetMatcher)
        return matcher

    def _known(self, name: str) -> Any:
        self._check_open()
        if name not in self._profiles.members:
            near = nearest(name, self.names) if isinstance(name, str) else None
            raise CepheidError(f"there is no profile {name!r}" + (f"; {near}" if near else ""))
        return self._profiles.members[name]

    def _look_again(self) -> None:
        """Values must fit what any of the profiles computes with."""
        plans = {name: member.plan for name, member in self._profiles.members.items()}
        self.plan = self._feed.plan = self._profiles.plan = plan_set(plans, self.schema)
        self._usable, self._few = UsableValues(self.plan), FewIntake(self.plan)


def resumed_profiles(plan: ProfileSetPlan, snapshot: Snapshot, planned: Planned) -> ProfileSession:
    """A session that goes on where the snapshot was taken, with the profiles that were there."""
    try:
        session = ProfileSession(plan, Terms(*snapshot.values["terms"]), planned)
        session.restore(snapshot)
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotError(f"the snapshot is not whole: {error}; take an earlier one") from error
    return session
