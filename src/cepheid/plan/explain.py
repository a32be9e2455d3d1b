"""Why this engine, what it will do, and what that costs: as text, Mermaid and DOT."""

from __future__ import annotations

import html
from dataclasses import dataclass

from cepheid import expressions as ex
from cepheid.pattern.query import EmitMode, PatternQuery, Strategy
from cepheid.pattern.render import render, render_expression
from cepheid.pattern.rewrite import rewrite
from cepheid.plan.aggregate.methods import COSTS
from cepheid.plan.aggregate.plan import AggregatePlan, TwoStepPlan
from cepheid.plan.automaton.predicates import BEGIN, LEAVE, TAKE, edges_of, references, single_source
from cepheid.plan.automaton.structure import Structure, structure_of, type_name
from cepheid.plan.choose import Choice, choose
from cepheid.plan.events.bounded import is_contiguous
from cepheid.plan.events.division import By, cut
from cepheid.plan.events.pushdown import pushed
from cepheid.plan.nfa.explain_sharing import sharing_lines
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.plan import Plan

IGNORES = {
    Strategy.STRICT: "nothing",
    Strategy.PARTITION: "events of other partitions",
    Strategy.NEXT: "events that it cannot select",
    Strategy.ANY: "any event",
}


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the automaton, with its formula."""

    source: str
    target: str
    kind: str
    formula: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a query is run; `str()` is the text."""

    text: str
    edges: tuple[Edge, ...]

    def __str__(self) -> str:
        return self.text

    def mermaid(self) -> str:
        """The automaton as a Mermaid diagram."""
        names = _identifiers(self.edges)
        lines = ["flowchart LR", *(f'  {name}(["{_safe(state)}"])' for state, name in names.items())]
        for edge in self.edges:
            label = _safe(f"{edge.kind}: {edge.formula}" if edge.formula else edge.kind)
            arrow = "-.->" if edge.kind == "ignore" else "-->"
            lines.append(f'  {names[edge.source]} {arrow}|"{label}"| {names[edge.target]}')
        return "\n".join(lines) + "\n"

    def dot(self) -> str:
        """The automaton as a DOT graph."""
        lines = ["digraph automaton {", "  rankdir=LR;", '  "match" [shape=doublecircle];']
        for edge in self.edges:
            label = f"{edge.kind}: {edge.formula}" if edge.formula else edge.kind
            style = ", style=dashed" if edge.kind == "ignore" else ""
            lines.append(
                f"  {_quoted(edge.source)} -> {_quoted(edge.target)} [label={_quoted(label)}{style}];"
            )
        return "\n".join([*lines, "}"]) + "\n"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def explain(original: PatternQuery, engine: str = "auto", plan: Plan | None = None) -> Explanation:
    """The explanation of a query; a plan over a stream adds what is known only then."""
    query = rewrite(original)
    choice = choose(query, engine)
    structure = structure_of(query.pattern, has_types=True)
    placed = _placed(query, structure)
    edges = _edges(query, structure, placed)
    parts = [
        _indented("query", render(original).splitlines()),
        _indented(
            "engine",
            [f"{choice.engine.name}: {choice.reason}", f"cost: {choice.engine.cost}", *_others(choice)],
        ),
        _indented("automaton", [_edge_text(edge) for edge in edges]),
        _indented("conditions", [f"{text}  →  {where}" for text, where in placed.listing]),
        _indented("absences", _absence_lines(query, structure)),
        _indented("state", _state_lines(query)),
        _indented("output", _output_lines(query)),
    ]
    if plan is not None:
        parts.append(_indented("stream", _stream_lines(plan)))
        parts.append(_indented("on Spark", _spark_lines(plan)))
    return Explanation("\n".join(part for part in parts if part), tuple(edges))


@dataclass(frozen=True, slots=True)
class _Placed:
    formulas: dict[tuple[str, str], list[str]]
    listing: list[tuple[str, str]]


def _placed(query: PatternQuery, structure: Structure) -> _Placed:
    """Each conjunct on its edge, with how it is tested."""
    kleene = {p.variable: p.kleene for p in structure.positions}
    places = {p.variable: i for i, p in enumerate(structure.positions)}
    formulas: dict[tuple[str, str], list[str]] = {}
    listing: list[tuple[str, str]] = []
    for conjunct in query.conjuncts:
        text = render_expression(conjunct)
        named = references(conjunct)
        negated = [name for name in named if name not in places]
        if negated:
            listing.append((text, f"says what qualifies as the absent {negated[0]}"))
            continue
        if not named:
            listing.append((text, "constant: tested at the start"))
            continue
        last = max(named, key=lambda name: places[name])
        edges = edges_of(named[last], kleene[last])
        for edge in edges:
            formulas.setdefault((last, edge), []).append(text)
        listing.append((text, f"{' and '.join(edges)} of {last}, {_how(conjunct, edges)}"))
    return _Placed(formulas, listing)


def _how(conjunct: ex.Expression, edges: tuple[str, ...]) -> str:
    if single_source(conjunct) is not None and LEAVE not in edges:
        return "one event: a bit of its mask"
    match conjunct:
        case ex.Comparison(left=left, right=right) if _is_value(left) and _is_value(right):
            return "separable: two columns compared"
        case _:
            return "interpreted"


def _is_value(node: ex.Expression) -> bool:
    return isinstance(node, ex.Aggregate | ex.Length | ex.Literal) or single_source(node) is not None


def _edges(query: PatternQuery, structure: Structure, placed: _Placed) -> list[Edge]:
    edges = []
    positions = structure.positions

    def begin(place: int) -> str:
        position = positions[place]
        kind = position.type or "any event"
        return " AND ".join([kind, *placed.formulas.get((position.variable, BEGIN), [])])

    for place in sorted(structure.first):
        edges.append(Edge("start", _state(structure, place), "begin", begin(place)))
    for place, position in enumerate(positions):
        state = _state(structure, place)
        if position.kleene:
            formula = [position.type or "any event", *placed.formulas.get((position.variable, TAKE), [])]
            edges.append(Edge(state, state, "take", " AND ".join(formula)))
        leave = placed.formulas.get((position.variable, LEAVE), [])
        for follower in sorted(structure.follow[place]):
            edges.append(
                Edge(state, _state(structure, follower), "begin", " AND ".join([*leave, begin(follower)]))
            )
        if place in structure.last:
            edges.append(Edge(state, "match", "complete", " AND ".join(leave)))
        waits = structure.follow[place] or position.kleene
        if waits and not is_contiguous(query):
            edges.append(Edge(state, state, "ignore", IGNORES[query.strategy]))
    return edges


def _state(structure: Structure, place: int) -> str:
    position = structure.positions[place]
    return f"{position.variable}[]" if position.kleene else position.variable


def _edge_text(edge: Edge) -> str:
    move = f"{edge.source} → {edge.target}"
    return f"{move:<22} {edge.kind}{': ' + edge.formula if edge.formula else ''}"


def _absence_lines(query: PatternQuery, structure: Structure) -> list[str]:
    lines = []
    for absence in structure.absences:
        atom, place = absence.atom, absence.place
        before = structure.positions[place - 1].variable if place else None
        after = structure.positions[place].variable if place < len(structure.positions) else None
        kind = type_name(atom, True) or "any event"
        if before and after:
            where = f"between {before} and {after}, looked up in an index of candidates as {after} is bound"
        elif after:
            where = f"before {after}, in the window that ends at the last event, judged at completion"
        else:
            where = f"after {before}: the match waits until its window has closed"
        lines.append(f"no {kind} {atom.variable} {where}")
    return lines


def _state_lines(query: PatternQuery) -> list[str]:
    keys = ", ".join(query.keys)
    partitions = (
        f"partitioned by {keys}" if keys else "one partition: add an equivalence test [key] if there is one"
    )
    if query.window is not None:
        bound = f"bounded by WITHIN {query.window}: runs, buffer and candidates are dropped as it passes"
    else:
        bound = "no window: grows with the input, refused over unbounded streams unless contiguous"
    return [partitions, bound]


def _output_lines(query: PatternQuery) -> list[str]:
    if query.aggregation is not None:
        return _aggregate_lines(query)
    emit = query.emit.mode
    lines = [f"EMIT {emit.value}" + (f" {query.emit.count}" if query.emit.count is not None else "")]
    if query.strategy is Strategy.ANY and emit is EmitMode.ALL:
        lines.append("skip_till_any_match finds all combinations: their number may grow fast with the window")
        lines.append("EMIT COMPRESSED keeps any number of them; EMIT COUNT, FIRST, LONGEST do not list them")
    return lines


def _aggregate_lines(query: PatternQuery) -> list[str]:
    """When there is a row, and about what."""
    assert query.aggregation is not None
    groups = ", ".join(query.aggregation.group_by)
    about = f"the matches of its group by {groups}" if groups else "the matches of all partitions"
    when = {
        EmitMode.ON_CLOSE: "one row at the end of the input" + (" for each group" if groups else ""),
        EmitMode.EVERY: f"a row at each multiple of {query.emit.period}" + (", a group" if groups else ""),
    }.get(query.emit.mode, "a row at each event that may be the last of a match")
    return [f"{when}, about {about}"]


def _stream_lines(plan: Plan) -> list[str]:
    lines = [f"columns that travel: {', '.join(plan.needed)}"]
    if isinstance(plan, NfaPlan):
        lines.append(f"values a run carries: {len(plan.slots)}; columns computed ahead: {len(plan.columns)}")
        first, *others = sharing_lines(plan)
        lines += [f"sharing: {first}", *(f"  {line}" for line in others)]
    if isinstance(plan, AggregatePlan):
        lines.append(f"counted by {plan.method}: {COSTS[plan.method]}")
        lines += [f"{item.name}: {item.type}" for item in plan.items]
        lines.append("a table that is run whole may need narrower numbers, by how much its windows hold")
    if isinstance(plan, TwoStepPlan):
        lines.append(
            "counted in two steps: a condition between events needs the matches, built by the nfa engine"
        )
    return lines


def _spark_lines(plan: Plan) -> list[str]:
    way, kept = cut(plan), pushed(plan)
    schema = plan.schema
    before = f", and {way.before:,} before" if way.before else ""
    ranges = [f"a range also sees the events {way.after:,} ticks after its end{before}"]
    return [
        f"divided by {way.by.value}: {way.reason}",
        *(ranges if way.by is By.TIME else []),
        f"filter before the shuffle: {kept.text or 'none'} ({kept.reason})",
        *(f"not in the filter, tested later: {text}" for text in kept.weakened),
        f"order: {', '.join([schema.time, *schema.order])}; rows that tie are ordered by their content",
    ]


def _others(choice: Choice) -> list[str]:
    return [f"not {name}: {why}" for name, why in choice.others]


def _indented(title: str, lines: list[str]) -> str:
    return "\n".join([title, *(f"  {line}" for line in lines)]) if lines else ""


def _identifiers(edges: tuple[Edge, ...]) -> dict[str, str]:
    states = dict.fromkeys(state for edge in edges for state in (edge.source, edge.target))
    return {state: f"s{number}" for number, state in enumerate(states)}


def _safe(text: str) -> str:
    return text.replace('"', "#quot;").replace("\n", " ")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
