"""Nodes of a tree pattern as events: what lies at a path below each node becomes a column.

    <reading at="5"><room>2</room></reading>     time="@at", columns={"room": "room"}  ->  time 5, room 2

Attributes and the text of a node stand in its row. For what lies deeper, a second pattern finds the elements
at the path below every element with the node's tag; the byte offsets tell which of them belong to which node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.errors import CepheidError, QueryCheckError, QueryError
from cepheid.language.twig.parse import written_twig
from cepheid.pattern.twig import nodes as tn
from cepheid.pattern.twig.check import check_twig
from cepheid.plan.twig.build import twig_plan
from cepheid.plan.twig.plan import TwigPlan
from cepheid.sources.text_types import NUMBERS, TIMES, convert, narrowest

ITSELF = "."
TIME, TYPE = "time", "type"


@dataclass(frozen=True, slots=True)
class NodePath:
    """What to take from a node: the text, or an attribute, of the first element at `steps` below it."""

    written: str
    steps: tuple[tn.TreeStep, ...] = ()
    attribute: str | None = None

    def plan(self, tag: str | None) -> TwigPlan:
        """Finds the elements at this path below any element with that tag."""
        steps = list(self.steps)
        if self.attribute is not None:
            is_there = tn.Exists(tn.TreePath((), tn.AttributeTail(tn.Axis.CHILD, self.attribute)))
            steps[-1] = replace(steps[-1], conditions=(*steps[-1].conditions, is_there))
        if steps[0].axis is tn.Axis.CHILD:
            steps.insert(0, tn.TreeStep(tn.Axis.BELOW, tag))
        return twig_plan(check_twig(tn.TreePath(tuple(steps))))


@dataclass(frozen=True, slots=True)
class EventColumns:
    """The columns of the events by name; without a path, `type` is the node's tag."""

    paths: dict[str, NodePath | None]

    def deeper(self) -> list[NodePath]:
        """The paths that need a pattern of their own."""
        return [path for path in self.paths.values() if path is not None and path.steps]


def event_columns(time: str, type: str | None, columns: Mapping[str, str] | None) -> EventColumns:
    """What was asked for, checked before any byte is read."""
    if columns is not None and not isinstance(columns, Mapping):
        raise CepheidError(
            f"columns= has paths by the names of columns: {{'room': 'room'}}, not {columns!r}"[:200]
        )
    given = dict(columns or {})
    if taken := [name for name in (TIME, TYPE) if name in given]:
        raise CepheidError(
            f"columns= has '{taken[0]}', which the argument {taken[0]}= gives: name it otherwise"
        )
    paths = {TIME: _path(time, "time="), TYPE: None if type is None else _path(type, "type=")}
    return EventColumns(paths | {name: _path(path, f"columns= {name}:") for name, path in given.items()})


def tag_of_nodes(plan: TwigPlan) -> str | None:
    """The tag of all nodes that a pattern returns, or None where there are several."""
    tags = {step.tag for step in plan.steps if step.variable >= 0}
    return tags.pop() if len(tags) == 1 else None


def event_table(
    nodes: pa.Table, columns: EventColumns, found: Sequence[pa.Table], local_names: bool
) -> pa.Table:
    """An event for each node; `found` are the rows of the deeper paths, in their order."""
    nodes = _each_once(nodes)
    deeper = iter(found)
    texts = {}
    for name, path in columns.paths.items():
        if path is None:
            texts[name] = _local(nodes.column("tag")) if local_names else nodes.column("tag")
            continue
        rows = _first_below(nodes, path, next(deeper)) if path.steps else nodes
        texts[name] = _value(rows, path.attribute, local_names)
    typed = {name: _typed(text) for name, text in texts.items() if name not in (TIME, TYPE)}
    return pa.table({TIME: _times(texts[TIME], columns.paths[TIME]), TYPE: texts[TYPE], **typed})


# ------------------------------------------------------------ paths


def _path(text: str, of: str) -> NodePath:
    if not isinstance(text, str):
        raise CepheidError(f"{of} takes a path, such as '@ts' or 'head/sent', not {type(text).__name__}")
    if text.strip() == ITSELF:
        return NodePath(text)
    path = _written(text, of)
    if path.compared is not None or any(tn.variables_of(tn.TreePath((step,))) for step in path.steps):
        raise QueryCheckError(f"{of} '{text}' says where a value is: it compares nothing and marks nothing")
    attribute = path.attribute
    if attribute is not None and (attribute.name is None or attribute.axis is tn.Axis.BELOW):
        raise QueryCheckError(f"{of} '{text}' should name one attribute of one element: 'sensor/@id'")
    if len(path.steps) > 1 and any(step.axis is tn.Axis.BELOW for step in path.steps):
        raise QueryCheckError(
            f"{of} '{text}' goes down by / alone; // may stand before a single step: '//sent'"
        )
    return NodePath(text, path.steps, None if attribute is None else attribute.name)


def _written(text: str, of: str) -> tn.TreePath:
    """The path, read as a predicate is: relative to an element. XPath's `./a` and `.//a` are understood."""
    plain = text.strip()
    plain = plain[1:] if plain.startswith("./") else plain
    axis = "" if plain.startswith(("/", "@")) else "/"
    try:
        whole = written_twig(f"//*[{axis}{plain}]")
    except QueryError as error:
        what = error.message
        if "]" not in text:  # it is ours
            what = what.replace("']' does not fit here", "it ends too early")
        raise QueryCheckError(f"{of} '{text}' is no path such as '@ts' or 'head/sent': {what}") from None
    conditions = whole.steps[0].conditions if isinstance(whole, tn.TreePath) and len(whole.steps) == 1 else ()
    if len(conditions) != 1 or not isinstance(conditions[0], tn.Exists):
        raise QueryCheckError(f"{of} '{text}' is no path such as '@ts' or 'head/sent'")
    return conditions[0].path


# ------------------------------------------------------------ rows


def _each_once(nodes: pa.Table) -> pa.Table:
    """A node that several variables return is one event."""
    starts = nodes.column("start").to_numpy()
    is_new = np.append(True, starts[1:] != starts[:-1])[: len(starts)]
    return nodes if is_new.all() else nodes.filter(pa.array(is_new))


def _first_below(nodes: pa.Table, path: NodePath, found: pa.Table) -> pa.Table:
    """For each node the first row that belongs to it, or a row of nulls."""
    starts = nodes.column("start").to_numpy()
    if path.steps[0].axis is tn.Axis.CHILD:
        owners, firsts = np.unique(found.column("match").to_numpy(), return_index=True)
        place = np.searchsorted(owners, starts)
        is_there = np.append(owners, -1)[place] == starts
        rows = np.append(firsts, 0)[place]
    else:
        begins = found.column("start").to_numpy()
        rows = np.searchsorted(begins, starts, side="right")
        is_there = (rows < len(begins)) & (np.append(begins, 0)[rows] < nodes.column("end").to_numpy())
    return found.select(["text", "attributes"]).take(pa.array(rows, pa.int64(), mask=~is_there))


def _value(rows: pa.Table, attribute: str | None, local_names: bool) -> pa.ChunkedArray:
    """The texts, or the values of an attribute; an empty one is null, as in a CSV file."""
    if attribute is None:
        texts = rows.column("text")
    else:
        attributes = rows.column("attributes")
        attribute = attribute.rpartition(":")[2] if local_names else attribute
        if local_names:
            attributes = pa.chunked_array(map(_with_local_keys, attributes.chunks), attributes.type)
        texts = pc.map_lookup(attributes, attribute, "first")
    is_empty = pc.equal(pc.utf8_trim_whitespace(texts), "")
    return pc.if_else(is_empty, pa.scalar(None, pa.string()), texts)


def _with_local_keys(attributes: pa.MapArray) -> pa.MapArray:
    keys = _local(attributes.keys)
    nulls = attributes.is_null() if attributes.null_count else None
    return pa.MapArray.from_arrays(attributes.offsets, keys, attributes.items, mask=nulls)


def _local(names: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(names, "^.*:", "")


# ------------------------------------------------------------ types


def _typed(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The narrowest type that all values have; where there is none, text."""
    if texts.null_count == len(texts):
        return texts
    return convert(texts, narrowest(texts, NUMBERS + TIMES))


def _times(texts: pa.ChunkedArray, path: NodePath | None) -> pa.ChunkedArray:
    """Numbers or timestamps. Where there is no event, any type does."""
    assert path is not None
    if texts.null_count == len(texts):
        if len(texts):
            hint = f"; an attribute is written '@{path.written}'" if path.written.isidentifier() else ""
            raise CepheidError(f"time='{path.written}' finds nothing: no node has a time there{hint}")
        return texts.cast(pa.timestamp("us"))
    kind = narrowest(texts, (pa.int64(), pa.float64(), *TIMES))
    if pa.types.is_string(kind):
        raise CepheidError(_no_time(texts, path))
    return convert(texts, kind)


def _no_time(texts: pa.ChunkedArray, path: NodePath) -> str:
    values = [value for value in texts.to_pylist() if value is not None]
    kinds = (narrowest(pa.array([value]), (pa.int64(), pa.float64(), *TIMES)) for value in values)
    odd = next((value for value, kind in zip(values, kinds, strict=True) if pa.types.is_string(kind)), None)
    if odd is not None:
        return f"time='{path.written}' finds '{odd[:60]}', which is neither a number nor a timestamp"
    return (
        f"time='{path.written}' finds numbers and timestamps, or times with a zone and without: give one kind"
    )
