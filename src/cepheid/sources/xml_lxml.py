"""Documents to rows by lxml, to compare with: its events are paired with a scan of the tags.

lxml tells texts and values, but neither names as they are written nor where a tag is; the scan tells these.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from cepheid.errors import MissingExtraError, XmlError
from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.document import Document
from cepheid.matchers.twig.scan.scanner import Scanner, Tokenized
from cepheid.matchers.twig.scan.uris import XML
from cepheid.sources.xml_entities import new_type, wider_type
from cepheid.sources.xml_tokens import FoundTokens

XMLNS = "xmlns"
OPTIONS = {"huge_tree": True, "resolve_entities": False, "no_network": True, "load_dtd": False}


class LxmlDocument:
    """One document, whose tokens a matcher takes in after each chunk."""

    def __init__(
        self, matcher: TwigMatcher, max_depth: int, max_text: int, entities: Mapping[str, str]
    ) -> None:
        self._etree = _lxml()
        self._matcher = matcher
        self._entities = entities
        self._held: bytes | None = b"" if entities else None  # what stands before the root element
        self._document = Document(Scanner(max_depth, max_text, entities))
        self._pairs = _PairedTags(_meanings(_ampersand(self._etree), entities), matcher.naming.known)
        self._parser = self._etree.XMLParser(target=self._pairs, **OPTIONS)

    def feed(self, chunk: bytes) -> None:
        """Read one more chunk."""
        self._scanned(self._document.push(chunk))
        if self._held is not None:
            self._held += chunk
            chunk = self._begun() if self._pairs.tags else b""
        if chunk:
            self._run(lambda: self._parser.feed(chunk))
        self._pairs.found.hand_over(self._matcher)

    def _begun(self) -> bytes:
        """What was held back, with the entities that were given declared in it."""
        assert self._held is not None
        held, self._held = self._held, None
        (root, place), kind = self._pairs.tags[0], self._document.scanner.type
        coding = self._document.transcoding
        encoding = "utf-8" if coding is None else coding.encoding
        if kind is None:
            return held[:place] + new_type(root, self._entities).encode(encoding) + held[place:]
        wider = wider_type(held[kind.begin : kind.end].decode(encoding), self._entities)
        return held[: kind.begin] + wider.encode(encoding) + held[kind.end :]

    def close(self) -> None:
        """The end of the document."""
        self._scanned(self._document.close())
        self._run(self._parser.close)
        self._pairs.found.hand_over(self._matcher)

    def _scanned(self, batches: Iterable[Tokenized]) -> None:
        name, pairs = self._document.scanner.name, self._pairs
        for some in batches:
            kinds, names = some.tokens.kind.tolist(), some.tokens.name.tolist()
            starts, ends = some.tokens.start, some.tokens.end
            for place, (kind, number) in enumerate(zip(kinds, names, strict=True)):
                if kind == at.START:
                    pairs.tags.append((name(number), int(some.offsets(starts[place]))))
                    pairs.attributes.append([])
                elif kind == at.END:
                    pairs.tags.append((name(number), int(some.offsets(ends[place]))))
                elif kind in (at.ATTRIBUTE, at.LISTED):
                    pairs.attributes[-1].append(name(number))

    def _run(self, parse: Callable[[], object]) -> None:
        try:
            parse()
        except self._etree.XMLSyntaxError as error:
            what = f"lxml refuses the document: {error.msg}"
            raise XmlError(self._pairs.place, error.lineno or 1, what) from None


class _PairedTags:
    """What lxml calls: each of its events takes the next tag of the scan."""

    def __init__(self, meanings: Mapping[str, str], namespaces: Iterable[str]) -> None:
        self._meanings = meanings  # of references, as they are told in values
        self._references = re.compile("|".join(map(re.escape, meanings)))
        self.tags: deque[tuple[str, int]] = deque()  # names and places
        self.attributes: deque[list[str]] = deque()  # of start tags: the names of their attributes
        self.found = FoundTokens(namespaces)
        self.place = 0

    def start(self, tag: str, attributes: Mapping[str, str], declared: Mapping[str | None, str]) -> None:
        """A start tag. Namespaces are declared apart from the attributes, which are in their order."""
        name, self.place = self.tags.popleft()
        self.found.start(name, self.place, _namespace(tag))
        values = iter(attributes.items())
        for each in self.attributes.popleft():
            prefix, _, local = each.partition(":")
            if prefix == XMLNS:
                namespace = declared.get(local or None) or declared.get(local) or ""
                self.found.attribute(
                    each, XML if local == "xml" else namespace
                )  # lxml does not tell that one
            else:
                meant, value = next(values)
                self.found.attribute(each, self._meant(value), _namespace(meant))

    def _meant(self, value: str) -> str:
        return self._references.sub(lambda found: self._meanings[found[0]], value)

    def end(self, tag: str) -> None:
        """An end tag."""
        name, self.place = self.tags.popleft()
        self.found.end(name, self.place)

    def data(self, text: str) -> None:
        """Character data."""
        self.found.text(text)

    def close(self) -> None:
        """lxml asks what came of it: the matcher has it."""


def _namespace(name: str) -> str:
    """The namespace of a name as lxml tells it: `{namespace}name`."""
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def _meanings(ampersand: str, entities: Mapping[str, str]) -> dict[str, str]:
    """What references in values mean, as this lxml tells them."""
    given = {f"&{name};": text for name, text in entities.items()}
    return given | {ampersand: "&"}


def _ampersand(etree: Any) -> str:
    """How this lxml tells `&` in values: where entities stay as they are, it may be a reference itself."""
    return str(etree.fromstring(b"<a b='&amp;'/>", etree.XMLParser(target=_Values(), **OPTIONS)))


class _Values:
    """What lxml calls to tell the value of an attribute."""

    value = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.value = attributes["b"]

    def close(self) -> str:
        return self.value


def _lxml() -> Any:
    try:
        return import_module("lxml.etree")
    except ImportError:
        raise MissingExtraError("parser='lxml'", "xml") from None
