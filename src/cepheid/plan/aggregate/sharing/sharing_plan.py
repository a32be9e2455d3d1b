"""A plan of sharing: which substrings are counted once, for whom, and how each query is chopped."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from cepheid.plan.aggregate.sharing.benefit import CostModel, benefit_of
from cepheid.plan.aggregate.sharing.candidates import Candidate, Use
from cepheid.plan.aggregate.sharing.chops import Chop, chop
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Steps, Workload, text_of


@dataclass(frozen=True, slots=True)
class SharedSubstring:
    """A substring that is counted once, and where it is used."""

    steps: Steps
    window: Hashable
    uses: tuple[Use, ...]
    benefit: float  # of sharing this one alone


@dataclass(frozen=True, slots=True)
class SharingPlan:
    """Which substring is shared by which queries; `str()` draws it."""

    workload: Workload
    shared: tuple[SharedSubstring, ...]
    chops: tuple[Chop, ...]  # of each query of the workload
    benefit: float  # of all together, against sharing nothing
    method: str

    def queries_of(self, shared: SharedSubstring) -> tuple[str, ...]:
        """The names of the queries that use a substring."""
        return tuple(dict.fromkeys(self.workload[use.query].name for use in shared.uses))

    def segments(self) -> Iterator[tuple[str, Steps, Hashable]]:
        """All that is counted, as (label, steps, window): each shared substring once, and the rest."""
        for number, shared in enumerate(self.shared, 1):
            yield f"#{number}", shared.steps, shared.window
        for query, segments in zip(self.workload, self.chops, strict=True):
            for segment in segments:
                if not segment.is_shared:
                    label = (
                        query.name if len(segments) == 1 else f"{query.name}[{segment.start}:{segment.stop}]"
                    )
                    yield label, segment.steps(query), query.window

    def __str__(self) -> str:
        return "\n".join(_drawn(self))

    def mermaid(self) -> str:
        """The plan as a Mermaid diagram: shared substrings in the middle, each query a path to its result."""
        return "\n".join(_diagram(self)) + "\n"


def plan_of(workload: Workload, model: CostModel, shared: Sequence[Candidate], method: str) -> SharingPlan:
    """The plan that shares these candidates, or nothing if that would save nothing."""
    total = benefit_of(model, workload, shared)
    if total <= 0:
        shared, total = (), 0.0
    uses: dict[int, list[tuple[Use, int]]] = defaultdict(list)
    for number, candidate in enumerate(shared):
        for use in candidate.uses:
            uses[use.query].append((use, number))
    return SharingPlan(
        workload,
        tuple(
            SharedSubstring(each.steps, each.window, each.uses, benefit_of(model, workload, (each,)))
            for each in shared
        ),
        tuple(chop(query, uses[number]) for number, query in enumerate(workload)),
        total,
        method,
    )


def _drawn(plan: SharingPlan) -> Iterator[str]:
    if not plan.shared:
        yield f"sharing plan ({plan.method}): nothing is shared"
    else:
        count = len(plan.shared)
        yield f"sharing plan ({plan.method}): {count} shared, saves {plan.benefit:,.6g}"
    width = max((len(query.name) for query in plan.workload), default=0)
    for query, segments in zip(plan.workload, plan.chops, strict=True):
        yield f"  {query.name:<{width}}  {' → '.join(_piece(query, segments))}"
    for number, shared in enumerate(plan.shared, 1):
        users = ", ".join(plan.queries_of(shared))
        yield f"  #{number} {text_of(shared.steps)} for {users}; alone it saves {shared.benefit:,.6g}"


def _piece(query: SharedQuery, segments: Chop) -> Iterator[str]:
    for segment in segments:
        mark = f"#{segment.shared + 1} " if segment.shared is not None else ""
        yield mark + text_of(segment.steps(query))


def _diagram(plan: SharingPlan) -> Iterator[str]:
    yield "flowchart LR"
    for number, shared in enumerate(plan.shared):
        yield f'  s{number}(["{_safe(text_of(shared.steps))}"])'
    for index, (query, segments) in enumerate(zip(plan.workload, plan.chops, strict=True)):
        nodes: list[str] = []
        for place, segment in enumerate(segments):
            if segment.shared is not None:
                nodes.append(f"s{segment.shared}")
            else:
                nodes.append(f"q{index}p{place}")
                yield f'  {nodes[-1]}["{_safe(text_of(segment.steps(query)))}"]'
        yield f'  q{index}{{{{"{_safe(query.name)}"}}}}'
        for source, target in zip(nodes, [*nodes[1:], f"q{index}"], strict=True):
            yield f'  {source} -->|"{_safe(query.name)}"| {target}'


def _safe(text: str) -> str:
    return text.replace('"', "#quot;").replace("\n", " ")
