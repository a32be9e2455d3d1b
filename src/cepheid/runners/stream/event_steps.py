"""A test of an event, step by step: its type, then one condition after the other."""

from cepheid.pattern.render import render_expression
from cepheid.plan.program import EventTest


def test_parts(test: EventTest) -> list[EventTest]:
    """A test as its steps: the type, then one condition after the other."""
    first = [EventTest(test.type, ())] if test.type is not None or not test.conditions else []
    return [*first, *(EventTest(None, (condition,)) for condition in test.conditions)]


def part_text(part: EventTest) -> str:
    if part.conditions:
        return render_expression(part.conditions[0])
    return "any event" if part.type is None else f"type {part.type}"
