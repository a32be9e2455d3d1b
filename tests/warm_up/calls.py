"""Which kernels are called from Python, and with which types: `python -m tests.warm_up.calls CASES` tells.

Kernels run as plain Python here (`NUMBA_DISABLE_JIT=1`), so nothing is compiled. What is noted is what Numba
would be asked for: a call from outside of kernels, with the types of its arguments.
"""

from __future__ import annotations

import functools
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numba

Calls = dict[str, list[str]]
"""The types that each kernel was called with from outside."""

_noted: dict[str, dict[str, None]] = {}
_inside = False


def _njit(**options: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Stands for `numba.njit`."""
    return _noting


def _noting(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def noting(*arguments: Any) -> Any:
        global _inside
        if _inside:
            return function(*arguments)
        types = ", ".join(str(numba.typeof(argument)) for argument in arguments)
        _noted.setdefault(f"{function.__module__}.{function.__qualname__}", {})[types] = None
        _inside = True
        try:
            return function(*arguments)
        finally:
            _inside = False

    return noting


def noted() -> Calls:
    """What was called since this was asked last."""
    calls = {name: list(types) for name, types in _noted.items()}
    _noted.clear()
    return calls


def warm_up_calls() -> Calls:
    """What the warm-up list calls."""
    from cepheid.warm_up.families import FAMILIES

    for exercise in FAMILIES.values():
        exercise()
    return noted()


def law_calls(cases: int) -> Iterator[tuple[str, Calls]]:
    """What the laws call for each way to run a query, and what workloads call, over some random cases."""
    import random

    import cepheid
    from cepheid.plan.workload.build import sharings
    from tests.cases.compositions import random_composition
    from tests.cases.workloads import random_workload
    from tests.laws.laws import resumption, whole
    from tests.laws.ways import WAYS

    for way in WAYS:
        for case in itertools.islice(way.cases("ready kernels"), cases):
            with way.around():
                whole(way, case)
                if way.has_sessions:
                    resumption(way, case)
        yield str(way), noted()
    for number in range(cases):
        chance = random.Random(f"ready kernels {number}")
        case, composed = random_workload(chance), random_composition(chance)
        for sharing in sharings():
            cepheid.workload(case.queries).using(sharing).run(case.events, time="t", type="k")
        cepheid.workload(composed.queries).run(composed.table, **composed.binding)
    yield "workloads", noted()


def main(cases: int) -> None:
    """Print what the list calls, and what the laws call, by way."""
    print(json.dumps({"list": warm_up_calls(), "laws": dict(law_calls(cases))}))


if __name__ == "__main__":
    numba.njit = _njit  # before any kernel is declared
    main(int(sys.argv[1]))
