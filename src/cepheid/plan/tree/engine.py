"""The tree engine as the rest of the house sees it."""

from cepheid.pattern.nodes import Absent, atoms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.engine import QueryEngine
from cepheid.plan.explanation import Explanation
from cepheid.plan.tree.build import check_options, plan_tree, refusal
from cepheid.plan.tree.plan import TreePlan, event_tests


def cost(query: PatternQuery) -> tuple[float, str]:
    """A join looks at the composites that are open on its other side: the more leaves, the more of them."""
    leaves = sum(not isinstance(atom, Absent) for atom in atoms(query.pattern))
    words = "each composite is joined with those of its partition that are open on the other side of its node"
    return 1.5 * leaves, words


def _explain(plan: TreePlan) -> Explanation:
    from cepheid.plan.tree.explain import explain  # most runs explain nothing

    return explain(plan)


TREE = QueryEngine(
    name="tree",
    refusal=refusal,
    plan=plan_tree,
    cost=cost,
    matcher="cepheid.matchers.tree.replanning.tree_matcher",
    event_tests=event_tests,
    explain=_explain,
    options=("shape", "index", "batch", "condense"),
    check_options=check_options,
    fit="cepheid.matchers.tree.fit.fitted",
    instead="cepheid.matchers.tree.instead.instead",
)
