"""Complex event processing: find situations that no single event shows."""

from cepheid import pattern
from cepheid.errors import CepheidError
from cepheid.runners.embedded.expand import Expansion, expand
from cepheid.runners.embedded.query import Query, query, resume
from cepheid.runners.embedded.workload import Workload, workload

__all__ = [
    "CepheidError",
    "Expansion",
    "Query",
    "Workload",
    "expand",
    "pattern",
    "query",
    "resume",
    "workload",
]
