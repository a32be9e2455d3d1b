"""What is tested of a primitive beyond what it was found by: short programs, three-valued."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.likes import is_like, order_of

NO, YES, UNKNOWN = 0, 1, 2


@kernel
def passes(t, ev, e, primitive):
    """Whether an event satisfies all tests of a primitive. Two words are the stack: what is true on it, and
    what is unknown, the newest in the lowest bit."""
    true, unknown = 0, 0
    for k in range(t.primitives[primitive, at.TESTS], t.primitives[primitive, at.TESTS_END]):
        operation = t.tests[k, at.OPERATION] & (at.MUST - 1)
        if operation < at.AND:
            truth = _compared(t, ev, e, k)
            true = (true << 1) | (truth & 1)
            unknown = (unknown << 1) | (truth >> 1)
        elif operation == at.NOT:
            true ^= 1 & ~unknown
        else:
            true, unknown = _joined(operation, true, unknown)
        if t.tests[k, at.OPERATION] >= at.MUST:
            if true & 1 == 0:
                return False
            true, unknown = true >> 1, unknown >> 1
    return True


@inlined
def _joined(operation, true, unknown):
    """AND or OR of the two newest; what is unknown is not true."""
    one, other = true & 1, (true >> 1) & 1
    hidden, other_hidden = unknown & 1, (unknown >> 1) & 1
    if operation == at.AND:
        truth = one & other
        doubt = (hidden | other_hidden) & (one | hidden) & (other | other_hidden)
    else:
        truth = one | other
        doubt = (hidden | other_hidden) & ~truth
    return (true >> 2 << 1) | truth, (unknown >> 2 << 1) | doubt


@kernel
def _compared(t, ev, e, k):
    """The truth of one comparison with a column."""
    column = t.tests[k, at.COLUMN]
    state = ev.states[column, e]
    if state != at.VALUE:
        return UNKNOWN if state == at.NULL else NO
    key = ev.keys[column, e]
    operation = t.tests[k, at.OPERATION] & (at.MUST - 1)
    if operation == at.INSIDE:
        return YES if t.tests[k, at.FROM] <= key <= t.tests[k, at.TO] else NO
    if operation == at.SAME_TEXT:
        return YES if ev.text_codes[key] == t.tests[k, at.FROM] else NO
    if operation == at.LIKE:
        return YES if is_like(t, t.tests[k, at.FROM], ev, key) else NO
    order = order_of(t, t.tests[k, at.FROM], ev, key)
    return YES if order < 0 or (operation == at.NOT_ABOVE and order == 0) else NO
