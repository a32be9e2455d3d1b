"""Time events in the single step: the parts of a profile that they fill, and how the pool knows them.

A part that waits for a time event is a primitive like any other, of a type that no event of a stream has. So
it is inserted, marked and attached as others are, and no event satisfies it. What fills it is made by the
temporal pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cepheid.expressions import variables
from cepheid.pattern import nodes as pt
from cepheid.pattern.constants import Constant
from cepheid.pattern.fold import fold_pattern, with_parts
from cepheid.pattern.rewrite import rewrite
from cepheid.pattern.template import Template, rewritten
from cepheid.plan.coerce import coerce
from cepheid.plan.profile.kinds import DailyKind, SilentKind, Ticks, TimeKind, silent_type
from cepheid.plan.profile.plan import ProfilePlan


@dataclass(frozen=True, slots=True)
class TimePart:
    """A position that a time event fills, the number of its kind in the order of the text, and the kind."""

    position: int
    rank: int
    kind: TimeKind


def time_parts(plan: ProfilePlan) -> tuple[TimePart, ...]:
    """The positions of a profile that time events fill."""
    kinds = {kind.type: (rank, kind) for rank, kind in enumerate(plan.kinds, 1)}
    return tuple(
        TimePart(place, *kinds[position.type])
        for place, position in enumerate(plan.positions)
        if position.type in kinds
    )


def kinds_by_rank(plan: ProfilePlan) -> dict[int, TimePart]:
    """For each kind of time events, the first position that it fills."""
    return {part.rank: part for part in reversed(time_parts(plan))}


def type_in_pool(kind: TimeKind, rank: int) -> str:
    """The type under which the pool knows a kind of time events. Of one moment they come in the order of the
    text, so the same kind has another type where a text has it at another place."""
    zone = kind.zone if isinstance(kind, DailyKind) else ""
    return f"{kind.type} {zone} #{rank}"


def timed_template(template: Template, plan: ProfilePlan) -> Template:
    """A template as the single step follows it: time events are events of a type."""
    if not plan.kinds:
        return template
    types = {kind.type: type_in_pool(kind, rank) for rank, kind in enumerate(plan.kinds, 1)}

    def renamed(node: pt.Pattern, below: list[pt.Pattern]) -> pt.Pattern:
        if isinstance(node, pt.Atom) and node.type in types:
            return replace(node, type=types[node.type])
        return with_parts(node, below)

    return _over(template, fold_pattern(plan.query.pattern, renamed))


def silent_templates(template: Template, plan: ProfilePlan) -> Iterator[tuple[TimePart, Template]]:
    """For each SILENCE, the template of the events that end it."""
    for part in kinds_by_rank(plan).values():
        if isinstance(part.kind, SilentKind):
            variable = plan.positions[part.position].variable
            yield part, _over(template, pt.Single(part.kind.of, variable))


def _over(template: Template, pattern: pt.Pattern) -> Template:
    """A template with another pattern, and the same conditions."""
    found = rewritten(template, replace(template.query, pattern=pattern))
    assert found is not None
    return found


def type_of_part(
    part: TimePart, plan: ProfilePlan, template: Template, constants: tuple[Constant, ...]
) -> str:
    """The type by which a time event is known in match ids, for a profile with these constants."""
    if not isinstance(part.kind, SilentKind) or not constants:
        return part.kind.type
    variable = plan.positions[part.position].variable
    conjuncts = rewrite(template.filled(constants)).conjuncts
    own = tuple(coerce(each, plan.schema) for each in conjuncts if variables(each) == {variable})
    return silent_type(part.kind.of, part.kind.known, variable, own)


@dataclass(frozen=True, slots=True)
class MomentKind:
    """AT or EVERY as profiles of a set have it: how far from an event it still matters, None if anywhere."""

    kind: TimeKind
    rank: int
    reach: Ticks | None

    def together(self, other: MomentKind) -> MomentKind:
        """The same for the profiles of two templates."""
        if self.reach is None or other.reach is None:
            return replace(self, reach=None)
        return replace(self, reach=max(self.reach, other.reach))


def beats(plan: ProfilePlan) -> Iterator[MomentKind]:
    """The AT and EVERY of a profile."""
    for rank, part in sorted(kinds_by_rank(plan).items()):
        if not isinstance(part.kind, SilentKind):
            yield MomentKind(part.kind, rank, None if plan.needs_every_tick else plan.reach)
