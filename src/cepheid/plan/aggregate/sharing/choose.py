"""Choose what a workload of aggregate queries shares."""

from collections.abc import Callable, Iterable

from cepheid.errors import QueryError
from cepheid.plan.aggregate.sharing.benefit import CostModel
from cepheid.plan.aggregate.sharing.exact import exact
from cepheid.plan.aggregate.sharing.greedy import greedy
from cepheid.plan.aggregate.sharing.partial import partial
from cepheid.plan.aggregate.sharing.rated import Rates, Units, rated
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan, plan_of
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Workload, workload_of

METHODS: dict[str, Callable[[Workload, CostModel], SharingPlan]] = {
    "greedy": greedy,
    "gwmin": lambda workload, model: greedy(workload, model, rank="gwmin"),
    "exact": exact,
    "partial": partial,
    "exact_partial": lambda workload, model: exact(workload, model, partial=True),
    "none": lambda workload, model: plan_of(workload, model, (), "none"),
}


def choose(
    queries: Iterable[SharedQuery],
    rates: Rates,
    method: str = "greedy",
    *,
    units: Units = Units(),  # noqa: B008
) -> SharingPlan:
    """The sharing plan of a workload, by the rates of its stream.

    `rates` are events a window (of one partition, if there is a key) by step, or a function of step and
    window. "greedy", "gwmin" and "exact" share a substring by all queries that contain it or by none, as the
    thesis does; "partial" and "exact_partial" share it wherever it pays. No plan costs more than sharing
    nothing, as far as the rates are right.
    """
    workload = workload_of(queries)
    return choose_by(workload, rated(workload, rates, units), method)


def choose_by(queries: Iterable[SharedQuery], model: CostModel, method: str = "greedy") -> SharingPlan:
    """The sharing plan of a workload under a cost model, such as `Published`."""
    if method not in METHODS:
        raise QueryError(
            f"there is no method '{method}' of sharing", hint=f"the methods are {', '.join(METHODS)}"
        )
    return METHODS[method](workload_of(queries), model)
