"""Complex event processing: find situations that no single event shows."""

from cepheid import pattern
from cepheid.errors import CepheidError
from cepheid.runners.embedded.query import Query, query, resume
from cepheid.runners.embedded.workload import Workload, workload

__all__ = ["CepheidError", "Query", "Workload", "pattern", "query", "resume", "workload"]
