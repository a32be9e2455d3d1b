"""How a plan is run, in words and as a diagram. Each engine writes its own from its plan; this is what
all of them are made of."""

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from cepheid.pattern.query import EmitMode, Strategy
from cepheid.pattern.render import render
from cepheid.plan.events.bounded import keys_that_wait
from cepheid.plan.events.division import By, divided
from cepheid.plan.events.pushdown import pushed
from cepheid.plan.plan import Plan, QueryPlan

ONE_PARTITION = "one partition: add an equivalence test [key] if there is one"


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow of the diagram."""

    source: str
    target: str
    label: str
    dashed: bool = False  # nothing is selected
    key: str = ""  # what a run counts it by
    count: str = ""  # after a run

    def __str__(self) -> str:
        return f"{f'{self.source} → {self.target}':<22} {self.label}"

    @property
    def told(self) -> str:
        """Its words, and what was counted."""
        return f"{self.label} · {self.count}" if self.count else self.label


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A node of a tree that a picture shows, with what it does; its parent stands before it."""

    name: str
    parent: int  # its place in the outline; -1: none
    lines: tuple[str, ...] = ()
    key: str = ""  # what a run counts it by
    counts: tuple[str, ...] = ()  # after a run


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """How a plan is run; `str()` is the text."""

    text: str
    edges: tuple[Edge, ...]
    outline: tuple[OutlineNode, ...] = ()  # where the picture is a tree
    caption: str = ""  # of the picture
    ends: tuple[str, ...] = ()  # states in which an automaton may end, beside `match`

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def mermaid(self) -> str:
        """The diagram for Mermaid."""
        names = {state: f"s{number}" for number, state in enumerate(self._states())}
        lines = ["flowchart LR", *(f'  {name}(["{_safe(state)}"])' for state, name in names.items())]
        for edge in self.edges:
            arrow = "-.->" if edge.dashed else "-->"
            label = f'|"{_safe(edge.told)}"|' if edge.told else ""
            lines.append(f"  {names[edge.source]} {arrow}{label} {names[edge.target]}")
        return "\n".join(lines) + "\n"

    def dot(self) -> str:
        """The diagram for Graphviz."""
        lines = ["digraph plan {", "  rankdir=LR;", '  "match" [shape=doublecircle];'][: 2 + self._has_match]
        for edge in self.edges:
            style = ", style=dashed" if edge.dashed else ""
            ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
            lines.append(f"  {ends} [label={_quoted(edge.told)}{style}];")
        return "\n".join([*lines, "}"]) + "\n"

    @property
    def _has_match(self) -> bool:
        return any(edge.target == "match" for edge in self.edges)

    def _states(self) -> Iterable[str]:
        return dict.fromkeys(state for edge in self.edges for state in (edge.source, edge.target))

    def svg(self) -> str:
        """The picture: the automaton, or the tree."""
        return _view("svg")(self)

    def png(self, *, dark: bool = False) -> bytes:
        """The same as the bytes of a PNG file, twice as fine as its pixels."""
        drawn: bytes = _drawing("png")(self, dark)
        return drawn

    def html(self) -> str:
        """A page of its own: the picture and the text."""
        return _view("html")(self)

    def _repr_html_(self) -> str:
        return _view("part")(self)


def _view(what: str) -> Callable[[Explanation], str]:
    found: Callable[[Explanation], str] = _drawing(what)
    return found


def _drawing(what: str) -> Callable[..., Any]:
    """What draws an explanation: pictures stand above plans, so it is named here and looked up."""
    found: Callable[..., Any] = getattr(import_module("cepheid.views.diagram"), f"explanation_{what}")
    return found


def explained(
    plan: QueryPlan,
    *own: str,
    edges: Sequence[Edge] = (),
    outline: Sequence[OutlineNode] = (),
    caption: str = "",
) -> Explanation:
    """The explanation of a query's plan: what holds for any engine, around the sections of its own."""
    waits = keys_that_wait(plan)
    waiting = [] if waits is None else [waits]
    parts = [
        section("query", render(plan.original).splitlines()),
        section("engine", _engine_lines(plan)),
        *own,
        section("output", _output_lines(plan)),
        section("stream", [f"columns that travel: {', '.join(plan.needed)}", *bound_lines(plan), *waiting]),
        section("on Spark", [*spark_lines(plan), _sql_line(plan)]),
    ]
    text = "\n".join(part for part in parts if part)
    return Explanation(text, tuple(edges), tuple(outline), caption)


def section(title: str, lines: Iterable[str]) -> str:
    """A titled block of text; nothing if there are no lines."""
    text = "\n".join(f"  {line}" for line in lines)
    return f"{title}\n{text}" if text else ""


def _engine_lines(plan: QueryPlan) -> list[str]:
    return [
        f"{plan.engine.name}: {plan.choice.reason}",
        f"cost: {plan.choice.cost}",
        *(f"not {name}: {why}" for name, why in plan.choice.others),
    ]


def _output_lines(plan: QueryPlan) -> list[str]:
    query = plan.query
    if query.aggregation is not None:
        return [_rows_of_groups(plan), *(f"{f.name}: {f.type}" for f in plan.output_schema)]
    emit = query.emit.mode
    lines = [f"EMIT {emit.value}" + (f" {query.emit.count}" if query.emit.count is not None else "")]
    if query.strategy is Strategy.ANY and emit is EmitMode.ALL:
        lines.append("skip_till_any_match finds all combinations: their number may grow fast with the window")
        lines.append("EMIT COMPRESSED keeps any number of them; EMIT COUNT, FIRST, LONGEST do not list them")
    return lines


def _rows_of_groups(plan: QueryPlan) -> str:
    """When there is a row of AGG, and about what."""
    query = plan.query
    assert query.aggregation is not None
    groups = ", ".join(query.aggregation.group_by)
    about = f"the matches of its group by {groups}" if groups else "the matches of all partitions"
    when = {
        EmitMode.ON_CLOSE: "one row at the end of the input" + (" for each group" if groups else ""),
        EmitMode.EVERY: f"a row at each multiple of {query.emit.period}" + (", a group" if groups else ""),
    }.get(query.emit.mode, "a row at each event that may be the last of a match")
    return f"{when}, about {about}"


def bound_lines(plan: Plan) -> list[str]:
    """Whether a stream without end may run the plan."""
    refusal = plan.engine.stream_refusal(plan)
    return ["may run for ever" if refusal is None else f"whole tables only: {refusal.message}"]


def spark_lines(plan: Plan) -> list[str]:
    """How the events are divided between workers, and which of them travel."""
    way, kept, schema = divided(plan), pushed(plan), plan.schema
    before = f", and {way.before:,} before" if way.before else ""
    ranges = [f"a range also sees the events {way.after:,} ticks after its end{before}"]
    return [
        f"divided by {way.by.value}: {way.reason}",
        *(ranges if way.by is By.TIME else []),
        f"filter before the shuffle: {kept.text or 'none'} ({kept.reason})",
        *(f"not in the filter, tested later: {text}" for text in kept.weakened),
        f"order: {', '.join([schema.time, *schema.order])}; rows that tie are ordered by their content",
    ]


def _sql_line(plan: QueryPlan) -> str:
    """What SQL, which runs one query, does otherwise."""
    sent = "the same filter and batches" if pushed(plan).text else "batches"
    groups = "groups of keys" if divided(plan).by is By.KEYS else "all events in one worker"
    return f"by cepheid_match in SQL: {sent}, {groups}"


def fixed_width(text: str) -> str:
    """Text as HTML whose columns stand under each other, whatever style a notebook gives to <pre>."""
    style = "font-family: monospace; white-space: pre; line-height: 1.3"
    return f'<pre><span style="{style}">{html.escape(text)}</span></pre>'


def _safe(text: str) -> str:
    return text.replace('"', "#quot;").replace("\n", " ")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
