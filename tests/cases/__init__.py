"""Random cases: a valid query, or several, each with a stream on which it has something to find.

queries        matches under every strategy, with every construct and every EMIT
merging        matches of runs that become alike, so that engines may share work between them
conjunctions   AND, of matches and of AGG
aggregate      AGG, also with more matches than can be listed
workloads      several queries with AGG over one stream
compositions   queries that name each other
profiles       queries with what is told of their matches, and time events
shapes         options of the tree engine for a query

They are made of dice (all chance), streams (columns and events), patterns, conditions and clauses; constructs
says what is in one.
"""

from tests.cases.aggregate import AggregateCase, aggregate_cases, random_aggregate_case
from tests.cases.conjunctions import and_cases, random_and_aggregate_case, random_and_case
from tests.cases.merging import random_merging_case
from tests.cases.queries import cases, random_any_case, random_case
from tests.cases.shapes import SHIFTING, TreeOptions, random_tree_options
from tests.cases.streams import Case

__all__ = [
    "SHIFTING",
    "AggregateCase",
    "Case",
    "TreeOptions",
    "aggregate_cases",
    "and_cases",
    "cases",
    "random_aggregate_case",
    "random_and_aggregate_case",
    "random_and_case",
    "random_any_case",
    "random_case",
    "random_merging_case",
    "random_tree_options",
]
