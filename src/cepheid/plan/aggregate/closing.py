"""EMIT ON CLOSE by algebra: how many matches each event completes, added up over the stream.

An event at the last step completes as many matches as there are ways to the steps before it that begin in
the window of the event. That is a number which the algebra keeps anyway. It is read after the event has
changed what it changes, so no other step may take the event: where types tell the last step from all others,
none can.
"""

from cepheid.plan.aggregate.plan import Countable
from cepheid.plan.program import EventTest


def closing_refusal(plan: Countable, is_known: bool) -> str | None:
    """Why the matches that an event completes are no number of the algebra, or None.

    `is_known`: how many events there are. Without a window nothing else bounds the numbers.
    """
    if plan.values:
        return "but to give their number, under EMIT ON CLOSE"
    if any(step.looks_back or step.undone_by for step in plan.steps):
        return "with an absence, under EMIT ON CLOSE"
    if plan.window is None and not is_known:
        return "without a window of a stream without end, under EMIT ON CLOSE"
    last = [_test(plan, step.test).type for step in plan.steps if step.ends]
    others = {_test(plan, step.test).type for step in plan.steps if not step.ends}
    if len(last) != 1 or {None, *others} & set(last) or None in others:
        return "whose last event types alone do not tell from the others, under EMIT ON CLOSE"
    return None


def _test(plan: Countable, number: int) -> EventTest:
    test = plan.tests[number]
    assert test is not None
    return test
