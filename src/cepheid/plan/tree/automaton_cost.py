"""What an automaton would do with a query, by the statistics of a tree: how often an event visits a run."""

from cepheid.plan.tree.build import in_shape
from cepheid.plan.tree.cost import Estimate, JoinCosts
from cepheid.plan.tree.nodes import Kind
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import LEFT
from cepheid.plan.tree.statistics import Statistics

NEW_RUN = 8.0
"""What a new run costs, in visits of runs."""


def run_steps(plan: TreePlan, statistics: Statistics) -> float:
    """The steps over all events, if no runs are alike: a run is what a tree that is joined from the left has
    joined so far, and each event that may come next visits all runs in its window."""
    left = in_shape(plan, LEFT)
    model = JoinCosts(left, statistics)
    estimates: list[Estimate] = []
    visits = 0.0
    for node in left.nodes:
        if node.position >= 0:
            estimates.append(model.leaf(node.position))
            visits += estimates[-1].count
            continue
        one, other = estimates[node.left], estimates[node.right]
        joined, cost = model.join(node.kind, one, other)
        visits += model.met(node.kind, one, other)[0] if node.kind is not Kind.OR else 0.0
        visits += NEW_RUN * cost.composites
        estimates.append(joined)
    return visits * statistics.windows
