"""Regular tree patterns over XML documents, as users hold them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.errors import CepheidError, UnsupportedError
from cepheid.language.twig.namespaces import check_prefixes, given_namespaces
from cepheid.language.twig.parse import parse_twig
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.naming import AsWritten, ByLocalName, ByNamespace, Naming
from cepheid.pattern.twig.render import render_twig
from cepheid.plan.explanation import Explanation
from cepheid.plan.twig.build import twig_plan
from cepheid.plan.twig.explain import explain_twig_plan
from cepheid.plan.twig.plan import TwigPlan
from cepheid.runners.embedded.xml_events import event_columns, event_table, tag_of_nodes
from cepheid.runners.embedded.xml_part_reader import PartReader
from cepheid.runners.embedded.xml_parts import PACKED, read_in_parts
from cepheid.runners.embedded.xml_session import XmlSession
from cepheid.sources.xml import ExpatDocument, XmlSource, chunks_of
from cepheid.sources.xml_cuts import document_bytes
from cepheid.sources.xml_limits import DEEPEST, LONGEST, XmlLimits, given_limits
from cepheid.sources.xml_lxml import LxmlDocument
from cepheid.sources.xml_root import KeptHead, RootElement, given_notes, written_notes
from cepheid.sources.xml_scan import ScannedDocument, ScannedStream
from cepheid.tabular import Tabular
from cepheid.views.notebook import table_html
from cepheid.views.twig import nested, widened

AT_ONCE = 1 << 24
"""So many bytes of rows are put into one table."""


@dataclass(frozen=True, slots=True)
class XmlMatches(Tabular):
    """The nodes that a pattern returns, in document order, and figures about the run."""

    table: pa.Table
    stats: dict[str, Any]
    _plan: TwigPlan = field(repr=False)
    notes: tuple[str, ...] = ()
    """Why nothing may have matched."""

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.table.to_batches(max_chunksize=1024):
            yield from batch.to_pylist()

    def trees(self) -> list[dict[str, Any]]:
        """The nodes nested by their marked parents: each has its `children`."""
        return nested(self.table, self._plan)

    def wide(self) -> pa.Table:
        """A row for each match and a column of texts for each variable, of lists where it may repeat."""
        return widened(self.table, self._plan)

    def _repr_html_(self) -> str:
        return table_html(self.table, self._summary())

    def __repr__(self) -> str:
        return f"<{self._summary()}>"

    def _summary(self) -> str:
        nodes = f"{len(self):,} {'node' if len(self) == 1 else 'nodes'}"
        return f"{nodes} in {self.stats['bytes']:,} bytes"


@dataclass(frozen=True, slots=True, repr=False)
class XmlPattern:
    """A regular tree pattern, ready to run over documents."""

    plan: TwigPlan
    _naming: Naming = field(default_factory=AsWritten)
    _limits: XmlLimits = field(default_factory=XmlLimits)

    def run(self, source: XmlSource, parser: str = "fast", parts: int = 1) -> XmlMatches:
        """The nodes in a document: a path, bytes, or an iterable of bytes.

        `parser` is `fast`, the compiled tokenizer, or, to compare with, `lxml` or `expat`, Python's own. A
        large document is read in so many `parts` at the same time, where it can be; `stats` tells.
        """
        if not isinstance(parts, int) or parts < 1:
            raise CepheidError(f"parts= is a number of parts, 1 or more, not {parts!r}")
        begin = time.perf_counter()
        chunks = KeptHead(chunks_of(source))
        read = self._in_parts(source, parser, parts) if parts > 1 else ""
        if isinstance(read, str):
            size, (table,) = _read([self], chunks, parser)
            told: dict[str, Any] = {"parts": 1, "one_part": read} if read else {}
        else:
            size, table, told = read
            next(iter(chunks), None)  # the head, for notes
        stats = {"bytes": size, "nodes": table.num_rows, "seconds": time.perf_counter() - begin}
        root = chunks.root() if table.num_rows == 0 else None
        notes = () if root is None else self._notes(root)
        return XmlMatches(table, stats | {"parser": parser} | told, self.plan, notes)

    def _notes(self, root: RootElement) -> tuple[str, ...]:
        """Why nothing may have matched in a document with this root element."""
        if isinstance(self._naming, ByNamespace):
            bare = any(step.tag is not None and ":" not in step.tag for step in self.plan.steps)
            return given_notes(root, dict(self._naming.prefixes), bare)
        return written_notes(root) if isinstance(self._naming, AsWritten) else ()

    def _in_parts(
        self, source: XmlSource, parser: str, parts: int
    ) -> tuple[int, pa.Table, dict[str, Any]] | str:
        """The bytes and nodes of a document that is read in parts; or why it has to be read in one."""
        if parser != "fast":
            return "only parser='fast' reads in parts"
        data = document_bytes(source)
        if data is None:
            return PACKED
        read = read_in_parts(data, parts, self._part_reader)
        if isinstance(read, str):
            return read
        tables, told = read
        return len(data), _in_order(pa.concat_tables(tables), self.plan), told

    def _part_reader(self) -> PartReader:
        matcher = self._matcher()
        document = self._document("fast", matcher)
        assert isinstance(document, ScannedDocument)
        return PartReader(matcher, document.document)

    def events(
        self,
        source: XmlSource,
        *,
        time: str,
        type: str | None = None,
        columns: Mapping[str, str] | None = None,
        parser: str = "fast",
    ) -> pa.Table:
        """The nodes as events, in document order: a table with `time`, `type` and these columns.

        A path says where a value is, seen from the node: `@ts` is an attribute of it, `head/sent` the text of
        an element below, `head/@id` its attribute, `//sent` the first at any depth, `.` the node's own text.
        Without a path, `type` is the node's tag. What is not there is null. A column has the narrowest type
        that all its values have.
        """
        asked = event_columns(time, type, columns)
        tag = tag_of_nodes(self.plan)
        deeper = [replace(self, plan=path.plan(tag)) for path in asked.deeper()]
        if isinstance(self._naming, ByNamespace):
            for each in deeper:
                check_prefixes(each.plan.pattern, dict(self._naming.prefixes))
        _, (nodes, *found) = _read([self, *deeper], chunks_of(source), parser, tells_as_asked=True)
        return event_table(nodes, asked, found, isinstance(self._naming, ByLocalName))

    def rows(self, source: XmlSource) -> pa.Table:
        """Just the rows of `run`."""
        return self.run(source).table

    def _document(self, parser: str, matcher: TwigMatcher) -> ScannedDocument | LxmlDocument | ExpatDocument:
        given = self._limits
        if parser == "fast":
            return ScannedDocument(matcher, given.max_depth, given.max_text, dict(given.entities))
        if parser == "lxml":
            return LxmlDocument(matcher, given.max_depth, given.max_text, dict(given.entities))
        if parser == "expat":
            if isinstance(self._naming, ByNamespace):
                raise UnsupportedError("by parser='expat' names compare as written: it knows no namespaces")
            return ExpatDocument(matcher)
        raise CepheidError(f"parser= is 'fast', 'lxml' or 'expat', not {parser!r}")

    def _matcher(self, tells_as_asked: bool = False) -> TwigMatcher:
        given = self._limits
        return TwigMatcher(self.plan, self._naming, dict(given.entities), tells_as_asked, given.max_text)

    def session(self) -> XmlSession:
        """A session on bytes as they come: one document, or many that follow each other."""
        matcher = self._matcher()
        given = self._limits
        stream = ScannedStream(matcher, given.max_depth, given.max_text, dict(given.entities))
        return XmlSession(matcher, stream, self._fingerprint())

    def _resumed(self, saved: Snapshot) -> XmlSession:
        session = self.session()
        session.restore(saved)
        return session

    def _fingerprint(self) -> str:
        """What a snapshot must agree on with the pattern that goes on from it."""
        told = repr((str(self), self._naming, self._limits))
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def explain(self) -> Explanation:
        """The state functions by the paper's rules, and the sibling automata."""
        return explain_twig_plan(self.plan)

    def __str__(self) -> str:
        return render_twig(self.plan.pattern)

    def __repr__(self) -> str:
        return f"<XML pattern {self}>"


def xml(
    text: str,
    namespaces: str | Mapping[str, str] | None = None,
    entities: str | Mapping[str, str] | None = None,
    max_depth: int = DEEPEST,
    max_text: int = LONGEST,
) -> XmlPattern:
    """A regular tree pattern: `cepheid.xml("//people[//person(/address->A:/profile)]")`.

    Names compare as written, prefix included; with `namespaces="ignore"` by what follows the prefix, and with
    `namespaces={"p": uri}` by namespace: `p:name` is any name in that one, whatever its prefix in a document.
    `entities` are texts by the names of entities that documents use, or "html" for those of HTML. No more
    than `max_depth` elements may be open at a time, and no tag and no text of a returned node be longer than
    `max_text` bytes.
    """
    if not isinstance(text, str):
        raise CepheidError(f"a pattern is a text, not {type(text).__name__}")
    naming: Naming = AsWritten()
    limits = given_limits(max_depth, max_text, entities)
    pattern = parse_twig(text)
    if namespaces == "ignore":
        naming = ByLocalName()
    elif namespaces is not None:
        given = given_namespaces(namespaces)
        check_prefixes(pattern, given, text)
        naming = ByNamespace(tuple(given.items()))
    return XmlPattern(twig_plan(pattern), naming, limits)


def _read(
    patterns: Sequence[XmlPattern], chunks: Iterable[bytes], parser: str, tells_as_asked: bool = False
) -> tuple[int, list[pa.Table]]:
    """Read a document once, for several patterns: its bytes, and the rows of each pattern."""
    readings = [_Reading(pattern, parser, tells_as_asked) for pattern in patterns]
    size = 0
    for chunk in chunks:
        size += len(chunk)
        for reading in readings:
            reading.feed(chunk)
    return size, [reading.close() for reading in readings]


class _Reading:
    """A document on its way through one pattern."""

    def __init__(self, pattern: XmlPattern, parser: str, tells_as_asked: bool) -> None:
        self._plan = pattern.plan
        self._matcher = pattern._matcher(tells_as_asked)
        self._document = pattern._document(parser, self._matcher)
        self._tables: list[pa.Table] = []

    def feed(self, chunk: bytes) -> None:
        self._document.feed(chunk)
        if self._matcher.told > AT_ONCE:
            self._tables.append(self._matcher.rows())

    def close(self) -> pa.Table:
        self._document.close()
        return _in_order(pa.concat_tables([*self._tables, self._matcher.rows()]), self._plan)


def _in_order(table: pa.Table, plan: TwigPlan) -> pa.Table:
    """In document order, then by the variables' first place: rows of several chunks may have crossed."""
    variables = pc.index_in(table.column("var"), pa.array(plan.variables, pa.string()))
    order = np.lexsort((variables.to_numpy(), table.column("start").to_numpy()))
    is_sorted = bool((order[1:] > order[:-1]).all())
    return table if is_sorted else table.take(pa.array(order))
