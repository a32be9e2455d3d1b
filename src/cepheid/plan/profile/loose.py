"""The plan of a profile over a loose stream: that of its query over loose columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cepheid.errors import UnsupportedError
from cepheid.pattern.profile import ProfileTerms, without_selection
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.pattern.template import Template, rewritten
from cepheid.plan.engine import QueryEngine
from cepheid.plan.engines import ENGINES
from cepheid.plan.header import digest
from cepheid.plan.loose.query import lowered_query
from cepheid.plan.loose.stream import LooseStream
from cepheid.plan.profile.build import plan_profile
from cepheid.plan.profile.plan import ProfilePlan


def plan_loose_profile(
    query: PatternQuery,
    terms: ProfileTerms,
    stream: LooseStream,
    engine: str = "auto",
    options: Mapping[str, Any] = {},
    engines: Sequence[QueryEngine] = ENGINES,
) -> ProfilePlan:
    """How a profile is run over a loose stream. The ids of its matches depend on nothing else."""
    lowered = lowered_query(query, stream)
    plan = plan_profile(lowered.query, terms, lowered.schema, engine, options, engines)
    known = digest(render(replace(query, pattern=without_selection(query.pattern))))
    return replace(
        plan,
        original=query,
        identity=known,
        inner=replace(plan.inner, identity=known),
        loose=lowered.columns,
        json=lowered.json,
        event=stream.event,
    )


def loose_template(template: Template, stream: LooseStream) -> Template:
    """A template over loose columns, with the same constants."""
    found = rewritten(template, lowered_query(template.query, stream).query)
    if found is None:
        raise UnsupportedError(
            "a condition is nested too deep for events without a schema",
            hint="write it as several conjuncts, or give the session a schema",
        )
    return found
