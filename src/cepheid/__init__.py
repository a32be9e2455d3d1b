"""Complex event processing: find situations that no single event shows."""

from cepheid import pattern
from cepheid.errors import CepheidError, CepheidWarning
from cepheid.expand import Expansion, expand
from cepheid.query import Query, query, resume
from cepheid.workload import Workload, workload

__all__ = [
    "CepheidError",
    "CepheidWarning",
    "Expansion",
    "Query",
    "Workload",
    "expand",
    "pattern",
    "query",
    "resume",
    "workload",
]
