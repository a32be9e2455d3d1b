"""How a query was run, with what was counted: how many events pass each edge, and how many runs took it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cepheid.plan.explanation import Edge, Explanation, OutlineNode, section
from cepheid.plan.mask_bits import take_bits
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.views.run_record import RunCounts
from cepheid.views.steps import step_lines

NUMBERS = {
    "runs": ("{} run", "{} runs"),
    "times": ("once", "{} times"),
    "over": ("{} run was over", "{} runs were over"),
    "pairs_tested": ("{} pair tested", "{} pairs tested"),
    "composites": ("{} composite", "{} composites"),
    "d": ("d = {}", "d = {}"),
}
"""What was counted, in words: of one, and of several."""

SHARED = (
    "these were found by a way of counting that many queries share",
    "m.explain(events) counts what passes each condition",
)
OF_SETS = (
    "a set of profiles counts nothing of each of them",
    "a profile that runs by itself does: p.run(events, …).explain()",
)


def explained_run(plan: Plan, counts: RunCounts | None, merged: bool = False) -> Explanation:
    """The explanation of the plan that ran, and the counts of the run."""
    told = plan.engine.explain(plan)
    if counts is None:
        note = SHARED if isinstance(plan, QueryPlan) else OF_SETS
        return replace(told, text=f"{told.text}\n{section('not counted', note)}")
    edges = tuple(replace(edge, count=_of_edge(edge, counts)) for edge in told.edges)
    outline = tuple(replace(node, counts=_of_node(node, counts)) for node in told.outline)
    text = "\n".join(
        part
        for part in (
            told.text,
            section(f"passed, of {counts.events:,} events", (line[2:] for line in step_lines(counts.steps))),
            section("counted at edges", _edge_lines(edges, counts, merged)),
            section(
                "counted at nodes",
                [f"{node.name}: {', '.join(node.counts)}" for node in outline if node.counts],
            ),
        )
        if part
    )
    return replace(told, text=text, edges=edges, outline=outline)


def _edge_lines(edges: tuple[Edge, ...], counts: RunCounts, merged: bool) -> list[str]:
    lines = [
        f"{f'{edge.source} → {edge.target}':<16} {edge.label.split(':')[0]:<9} {edge.count}"
        for edge in edges
        if edge.count
    ]
    for key, numbers in counts.edges.items():
        if key.startswith("spoilt "):
            name = counts.plan.positions[int(key.split()[1])].variable
            lines.append(f"at {name}: {_told(numbers)} ended there by an absence")
    note = "runs that are alike were merged: one may stand for many matches"
    return [*lines, note] if lines and merged else lines


def _of_edge(edge: Edge, counts: RunCounts) -> str:
    bit = _bit(edge.key, counts)
    passed = [] if bit is None else [_events_pass(counts.passed[bit])]
    return ", ".join([*passed, *_numbers(counts.edges.get(edge.key, {}))])


def _bit(key: str, counts: RunCounts) -> int | None:
    """The bit of the event's mask that an edge asks for."""
    if not key:
        return None
    kind, *places = key.split()
    if kind in ("start", "begin", "bit"):
        return int(places[-1])
    return take_bits(counts.plan.positions)[int(places[0])] if kind == "take" else None


def _of_node(node: OutlineNode, counts: RunCounts) -> tuple[str, ...]:
    numbers = counts.edges.get(node.key)
    if numbers is None:
        return ()
    positions = [position.variable for position in counts.plan.positions]
    passed = [_events_pass(counts.passed[positions.index(node.key)])] if node.key in positions else []
    made = {name: value for name, value in numbers.items() if value or name != "pairs_tested"}
    return (", ".join([*passed, *_numbers(made)]),)


def _events_pass(number: int) -> str:
    return "1 event passes" if number == 1 else f"{number:,} events pass"


def _numbers(numbers: Mapping[str, float]) -> list[str]:
    return [
        NUMBERS[name][value != 1].format(_number(value))
        for name, value in numbers.items()
        if value or name != "over"
    ]


def _told(numbers: Mapping[str, float]) -> str:
    return ", ".join(_numbers(numbers))


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
