"""The exact plan, by integer programming, with the objective of the greedy one.

A variable y for each candidate says whether it is shared, a variable z for each arc of a query's paths
whether its chop goes that way:

    minimize    Σ once(X) · y(X)  +  Σ cost(arc) · z(arc)
    such that   one path leaves the beginning of each query, and what enters a segment leaves it
                what enters a use of X is y(X)

Conflicts need no constraints of their own: a path cannot take two segments that overlap. If a substring may
be shared in some of its places only, what enters a use is at most y(X), and all its uses together are at
least 2 · y(X).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cepheid.errors import LimitError, MissingExtraError
from cepheid.plan.aggregate.sharing.benefit import CostModel
from cepheid.plan.aggregate.sharing.candidates import FEWEST_USES, Candidate, Use, find_candidates
from cepheid.plan.aggregate.sharing.paths import BEGIN, END, Paths, paths_of
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan, plan_of
from cepheid.plan.aggregate.sharing.workload import Workload

CHOSEN = 0.5  # a binary variable of the solution is within a tolerance of 0 or 1


def exact(
    workload: Workload, model: CostModel, *, partial: bool = False, seconds: float | None = None
) -> SharingPlan:
    """The plan of the largest benefit; a `LimitError` if `seconds` do not suffice to prove it."""
    method = "exact_partial" if partial else "exact"
    candidates = find_candidates(workload)
    if not candidates:
        return plan_of(workload, model, (), method)
    program = _program(workload, model, candidates, partial)
    values = _solved(program, seconds)
    return plan_of(workload, model, list(_chosen(program, candidates, values)), method)


@dataclass(slots=True)
class _Program:
    """A mixed integer program, row by row; the first variables are the candidates'."""

    costs: list[float]
    binary: list[bool]
    rows: list[dict[int, float]] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    entering: dict[tuple[int, Use], list[int]] = field(default_factory=lambda: defaultdict(list))

    def variable(self, cost: float, binary: bool) -> int:
        self.costs.append(cost)
        self.binary.append(binary)
        return len(self.costs) - 1

    def constrain(self, row: dict[int, float], lower: float, upper: float) -> None:
        self.rows.append(row)
        self.lower.append(lower)
        self.upper.append(upper)


def _program(
    workload: Workload, model: CostModel, candidates: Sequence[Candidate], partial: bool
) -> _Program:
    program = _Program([model.once(each.steps, each.window) for each in candidates], [True] * len(candidates))
    for index, paths in paths_of(workload, model, candidates).items():
        _add_paths(program, index, paths, partial)
    for number, candidate in enumerate(candidates):
        _tie_uses(program, number, candidate, partial)
    return program


def _add_paths(program: _Program, index: int, paths: Paths, partial: bool) -> None:
    """One unit of flow through a query. Where candidates are shared by all, they determine its path."""
    begin: dict[int, float] = {}
    flow: list[dict[int, float]] = [{} for _ in paths.segments]
    for arc in paths.arcs():
        variable = program.variable(arc.cost, binary=partial)
        leaving = begin if arc.source == BEGIN else flow[arc.source]
        leaving[variable] = -1.0
        if arc.target != END:
            flow[arc.target][variable] = 1.0
            target = paths.segments[arc.target]
            if target.shared is not None:
                program.entering[target.shared, Use(index, target.start, target.stop)].append(variable)
    program.constrain(begin, -1.0, -1.0)
    for row in flow:
        program.constrain(row, 0.0, 0.0)


def _tie_uses(program: _Program, number: int, candidate: Candidate, partial: bool) -> None:
    for use in candidate.uses:
        row = dict.fromkeys(program.entering[number, use], 1.0) | {number: -1.0}
        program.constrain(row, -1.0 if partial else 0.0, 0.0)
    if partial:
        everywhere = [variable for use in candidate.uses for variable in program.entering[number, use]]
        row = dict.fromkeys(everywhere, 1.0) | {number: -float(FEWEST_USES)}
        program.constrain(row, 0.0, float(len(candidate.uses)))


def _solved(program: _Program, seconds: float | None) -> Sequence[float]:
    try:
        import numpy as np
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array
    except ImportError:
        raise MissingExtraError("the exact sharing plan", "optimize") from None
    entries = [
        (number, column, sign) for number, row in enumerate(program.rows) for column, sign in row.items()
    ]
    numbers, columns, signs = zip(*entries, strict=True)
    matrix = csr_array((signs, (numbers, columns)), shape=(len(program.rows), len(program.costs)))
    scale = max(map(abs, program.costs)) or 1.0  # costs of N0³ would drown the solver's tolerances
    options: dict[str, Any] = {"mip_rel_gap": 0.0} | ({} if seconds is None else {"time_limit": seconds})
    result = milp(
        np.array(program.costs) / scale,
        integrality=np.array(program.binary, dtype=int),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, program.lower, program.upper),
        options=options,
    )
    if result.status != 0:
        raise LimitError(
            f"no exact sharing plan was proven ({result.message}); give it more time, or use method='greedy'"
        )
    solution: Sequence[float] = result.x
    return solution


def _chosen(
    program: _Program, candidates: Sequence[Candidate], values: Sequence[float]
) -> Iterator[Candidate]:
    for number, candidate in enumerate(candidates):
        if values[number] > CHOSEN:
            used = (
                use
                for use in candidate.uses
                if sum(values[variable] for variable in program.entering[number, use]) > CHOSEN
            )
            yield replace(candidate, uses=tuple(used))
