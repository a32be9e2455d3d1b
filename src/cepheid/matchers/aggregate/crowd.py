"""How many events a window of a table holds: what bounds the numbers that count its matches."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np
import pyarrow as pa

from cepheid.matchers.jit import kernel
from cepheid.matchers.known import most_in_window
from cepheid.matchers.windows import inside, window_row
from cepheid.plan.aggregate.plan import AggregatePlan


def most_by_step(plan: AggregatePlan, ordered: pa.Table, time: np.ndarray) -> tuple[int, ...]:
    """How many events of one window have the type of each step, at most; nothing where that is not known."""
    if plan.schema.type is None or (plan.window is not None and plan.window.counts_events):
        return ()
    types = ordered.column(plan.schema.type)
    if not pa.types.is_dictionary(types.type):
        types = types.dictionary_encode()
    types = types.unify_dictionaries().combine_chunks()
    names = types.dictionary.to_pylist()
    codes = np.asarray(types.indices.cast(pa.int32()).fill_null(len(names)))
    most = np.zeros(len(names) + 1, np.int64)
    moments = np.ascontiguousarray(time).view(np.int64)
    most_of_codes(moments, codes, window_row(plan.window), np.zeros_like(most), most)
    known = dict(zip(names, most.tolist(), strict=False))
    asked = [test.type if test is not None else None for test in plan.tests]
    return tuple(
        most_in_window(time, plan.window) if name is None else known.get(name, 0)
        for name in (asked[step.test] for step in plan.steps)
    )


@kernel
def most_of_codes(moments, codes, window, held, most):
    """The most events of each code that lie in one window; `held` counts those that it holds."""
    first = 0
    for last in range(moments.shape[0]):
        while not inside(window, moments[first], moments[last]):
            held[codes[first]] -= 1
            first += 1
        code = codes[last]
        held[code] += 1
        most[code] = max(most[code], held[code])
