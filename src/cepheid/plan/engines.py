"""The engines, in the order in which `auto` considers them: an engine is one line here."""

from cepheid.plan.aggregate.engine import AGGREGATE
from cepheid.plan.engine import QueryEngine
from cepheid.plan.nfa.engine import NFA
from cepheid.plan.tree.engine import TREE

ENGINES: tuple[QueryEngine, ...] = (NFA, TREE, AGGREGATE)
