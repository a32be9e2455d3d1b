"""Profiles planned over one stream, those of one template once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cepheid.errors import QueryError
from cepheid.pattern.check import check_against
from cepheid.pattern.template import Template
from cepheid.plan.loose.query import lowered_query
from cepheid.plan.loose.stream import LooseStream
from cepheid.plan.profile.loose import loose_template
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.profile.primitives import reads_moments
from cepheid.plan.profile.sets import PlannedMember, PlannedTemplate
from cepheid.plan.profile.single_step import beside_reason
from cepheid.plan.profile.temporal import timed_template
from cepheid.query import pointing_into
from cepheid.single_profile import Profile, Stream, profile


class PlannedProfiles:
    """Plans profiles over one stream, with a schema or without."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self._templates: dict[Template, PlannedTemplate] = {}
        self._checked_each: set[Template] = set()  # whose constants may not fit the stream

    def profile(self, each: Profile | str) -> PlannedMember:
        """The plan of a profile, or of its text."""
        each = each if isinstance(each, Profile) else profile(each)
        template, constants = each.template, each.constants
        if template not in self._templates:
            self._templates[template] = self._first_of(each)
        elif template in self._checked_each:
            self._check(each)
        planned = self._templates[template]
        if planned.reason is None:
            return PlannedMember(planned, constants, None)
        own = planned.plan if not constants else self._plan(each)
        return PlannedMember(planned, constants, own)

    def _first_of(self, each: Profile) -> PlannedTemplate:
        """The plan of a template, made with its first profile."""
        template, plan = each.template, self._plan(each)
        if isinstance(self.stream, LooseStream):
            with pointing_into(each.text):
                template = loose_template(template, self.stream)
        if reads_moments(template, plan.schema):
            self._checked_each.add(each.template)
        reason = beside_reason(plan)
        return PlannedTemplate(timed_template(template, plan) if reason is None else template, plan, reason)

    def _plan(self, each: Profile) -> ProfilePlan:
        stream = self.stream
        return each.loose_plan(stream) if isinstance(stream, LooseStream) else each.plan(stream)

    def _check(self, each: Profile) -> None:
        with pointing_into(each.text):
            tree = each.query.tree
            if isinstance(self.stream, LooseStream):
                lowered = lowered_query(tree, self.stream)
                check_against(lowered.query, lowered.schema)
            else:
                check_against(tree, self.stream)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Errors say which profile they are about."""
    try:
        yield
    except QueryError as error:
        error.message = f"profile '{name}': {error.message}"
        raise
