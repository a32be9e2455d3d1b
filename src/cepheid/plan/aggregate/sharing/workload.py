"""What sharing sees of a query: its steps, and what must be equal for two queries to share at all."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from cepheid.errors import QueryError

Step = Hashable
Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class SharedQuery:
    """An aggregate query as a string of steps.

    Equal steps mean that the same events qualify: a type with its own predicate and key. Queries share only
    where `window` is equal, which stands for all that their counters depend on besides the steps: the window,
    the partition keys and the aggregates.
    """

    name: str
    steps: Steps
    window: Hashable = None

    def __str__(self) -> str:
        return f"{self.name} = {text_of(self.steps)}"


Workload = tuple[SharedQuery, ...]


def workload_of(queries: Iterable[SharedQuery]) -> Workload:
    """The queries as a workload: each has a name of its own, and steps."""
    workload = tuple(queries)
    seen: set[str] = set()
    for query in workload:
        if query.name in seen:
            raise QueryError(
                f"two queries of the workload are named '{query.name}'", hint="give each query its own name"
            )
        if not query.steps:
            raise QueryError(f"the query '{query.name}' has no steps", hint="a sequence has at least one")
        seen.add(query.name)
    return workload


def text_of(steps: Steps) -> str:
    """Steps as they are written in the thesis: (A, B, C)."""
    return f"({', '.join(map(str, steps))})"
