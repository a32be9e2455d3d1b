"""Which events can never matter to a query, as a filter for whoever reads them.

An event matters if it may begin or continue a variable, or qualify as an absent one. Where a run
passes over all others, they need not travel: they would be ignored. The filter is weaker than the
truth, never stronger (`weaken`), and comes apart at the top: the types by themselves, so that
storage can skip what has none of them, then what each type must satisfy.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from cepheid import expressions as ex
from cepheid.pattern.query import EmitMode, PatternQuery, Strategy
from cepheid.pattern.render import render_expression
from cepheid.plan.events.logic import FALSE, TRUE, all_of, any_of
from cepheid.plan.events.weaken import Weakening
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.program import EventTest


@dataclass(frozen=True, slots=True)
class Pushed:
    """The filter that the events which may matter pass, over `Element`s that name columns.

    Events without a time are not its concern: they are bad, whatever else they are, and whoever
    applies the filter lets them pass to where that is reported. Other bad events are reported only
    if they pass: what cannot matter is not looked at twice.
    """

    filter: ex.Expression | None  # None: every event matters
    reason: str
    weakened: tuple[str, ...] = ()  # conditions that could not be tested ahead, and are tested later

    @property
    def text(self) -> str:
        """The filter as SQL; empty if there is none."""
        return "" if self.filter is None else render_expression(self.filter)

    def __str__(self) -> str:
        lines = [self.text or "every event", f"because {self.reason}"]
        return "\n".join([*lines, *(f"tested later: {text}" for text in self.weakened)])


Alternative = tuple[ex.Expression, ...]
"""What one variable asks of an event: the operands of an AND, its type first."""


def pushed(plan: Plan, opaque: frozenset[str] = frozenset()) -> Pushed:
    """What may matter to a plan; `opaque` columns are compared otherwise where the filter is applied,
    so that it may ask only whether they are null."""
    return plan.engine.filter(plan, opaque)


def query_filter(
    plan: QueryPlan, opaque: frozenset[str], tests: Iterable[tuple[str, EventTest]] | None = None
) -> Pushed:
    """What may matter to a query whose variables ask this of an event: what its engine says, unless told."""
    keyed = all_of(ex.IsNull(ex.Element(name), negated=True) for name in plan.query.keys)
    only_keyed = None if keyed == TRUE else keyed
    everything = _why_everything(plan)
    if everything is not None:
        return Pushed(None if sees_all(plan.query) else only_keyed, everything)
    weakening = Weakening(plan.schema, opaque)
    alternatives: list[Alternative] = []
    for variable, test in plan.engine.event_tests(plan) if tests is None else tests:
        wanted = weakening.weaker(_conditions(test, plan.schema.type))
        if wanted == TRUE:
            return Pushed(only_keyed, _why_any(variable, test), _texts(weakening.left_out))
        if wanted != FALSE:
            alternatives.append(_operands(wanted))
    found = all_of([_types(alternatives, plan.schema.type), keyed, _factored(_fewest(alternatives))])
    reason = f"{plan.query.strategy.value} passes over events that no variable can take"
    return Pushed(found, reason, _texts(weakening.left_out))


def sees_all(query: PatternQuery) -> bool:
    """Whether even an event that has no key changes the answer."""
    return query.strategy is Strategy.STRICT or query.emit.mode is EmitMode.EVERY


def _why_everything(plan: QueryPlan) -> str | None:
    """Why an event that no variable can take still changes the answer, if it does."""
    strategy = plan.query.strategy
    if strategy is Strategy.STRICT or (strategy is Strategy.PARTITION and not plan.query.keys):
        return f"under {strategy.value} every event of the stream counts"
    if plan.query.emit.mode is EmitMode.EVERY:
        return "EMIT EVERY has a row for each period from the first event to the last"
    if strategy is Strategy.PARTITION:
        return f"under {strategy.value} every event of a partition counts"
    windows = [plan.window, *plan.inner_windows]
    if any(window is not None and window.counts_events for window in windows):
        return "a window of events counts them all"
    return None


def _why_any(variable: str, test: EventTest) -> str:
    if test.type is None and not test.conditions:
        return f"{variable} may be any event"
    return f"what {variable} may be cannot be tested ahead"


def _conditions(test: EventTest, type_column: str | None) -> Alternative:
    if test.type is None:
        return test.conditions
    assert type_column is not None
    return (ex.Comparison("=", ex.Element(type_column), ex.Literal(test.type)), *test.conditions)


def _operands(condition: ex.Expression) -> Alternative:
    return condition.operands if isinstance(condition, ex.And) else (condition,)


def _types(alternatives: list[Alternative], type_column: str | None) -> ex.Expression:
    """The types that may matter, if all alternatives name one."""
    named = [first for first, *_ in alternatives if _is_type_test(first, type_column)]
    return any_of(named) if len(named) == len(alternatives) else TRUE


def _is_type_test(node: ex.Expression, type_column: str | None) -> bool:
    return (
        isinstance(node, ex.Comparison)
        and node.operator == "="
        and node.left == ex.Element(type_column or "")
    )


def _fewest(alternatives: list[Alternative]) -> list[Alternative]:
    """Without those that ask for more than another does."""
    distinct = list({frozenset(asked): asked for asked in alternatives}.values())
    return [asked for asked in distinct if not any(set(other) < set(asked) for other in distinct)]


def _factored(alternatives: list[Alternative]) -> ex.Expression:
    """Any of the alternatives, with what they have in common named once."""
    if not alternatives:
        return FALSE
    shared = [asked for asked in alternatives[0] if all(asked in other for other in alternatives)]
    groups: dict[ex.Expression, list[Alternative]] = {}
    for alternative in alternatives:
        rest = tuple(asked for asked in alternative if asked not in shared)
        groups.setdefault(rest[0] if rest else TRUE, []).append(rest)
    if len(groups) == len(alternatives):
        parts = [all_of(rest) for group in groups.values() for rest in group]
    else:
        parts = [_factored(group) for group in groups.values()]
    return all_of([*shared, any_of(parts)])


def _texts(conditions: list[ex.Expression]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(render_expression, conditions)))
