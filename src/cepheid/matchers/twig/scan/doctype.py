"""The document type: where it ends, and which entities it declares."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from cepheid.errors import XmlError
from cepheid.matchers.twig.scan.spelled import as_given, spelled

CLOSINGS = {b"<!--": b"-->", b"<?": b"?>", b'"': b'"', b"'": b"'"}
"""What may hide the end of a document type, and how that ends itself."""

SIGN = re.compile(rb"<!--|<\?|[\"'\[\]>]")
PART_OF_SIGN = 3  # bytes at the end that may begin one

XMLNS = "xmlns"


@dataclass(slots=True)
class DocumentType:
    """What is known of a document's type."""

    declared: set[str] = field(default_factory=set)  # the names of its entities
    lists: list[tuple[str, str]] = field(default_factory=list)  # elements, and attributes of theirs
    begin: int = 0  # where it is, behind `<!DOCTYPE`
    end: int = 0


@dataclass(slots=True)
class TypeEnd:
    """Looks for the end of a document type that comes in pieces, and at each of its bytes once."""

    searched: int = 0  # so many bytes from the begin on
    closing: bytes = b""  # what ends the comment, instruction or text that was begun
    is_inside: bool = False  # of the square brackets

    def find(self, data: bytes, start: int) -> int | None:
        """Behind the `>` that ends the type which begins at `start`, or None if it has not come yet."""
        while True:
            if self.closing:
                place = data.find(self.closing, start + self.searched)
                if place < 0:
                    self._leave(len(data) - start - len(self.closing) + 1)
                    return None
                self.searched, self.closing = place + len(self.closing) - start, b""
            sign = SIGN.search(data, start + self.searched)
            if sign is None:
                self._leave(len(data) - start - PART_OF_SIGN)
                return None
            self.searched, self.closing = sign.end() - start, CLOSINGS.get(sign[0], b"")
            if sign[0] == b">" and not self.is_inside:
                return sign.end()
            if sign[0] in b"[]":
                self.is_inside = sign[0] == b"["

    def _leave(self, searched: int) -> None:
        self.searched = max(self.searched, searched)


def doctype_end(data: bytes, start: int) -> int | None:
    """Behind the `>` that ends the type which begins at `start`, or None if it is not there."""
    return TypeEnd().find(data, start)


def read_doctype(text: bytes, offset: int, line: int) -> DocumentType:
    """Check a document type, and list its entities and the attributes that are not plain text.

    Nothing that it names is ever opened, and no default of an attribute is used.
    """
    parser = expat.ParserCreate("utf-8")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    told = _Declarations()
    parser.EntityDeclHandler, parser.AttlistDeclHandler = told.entity, told.attribute
    parser.NotationDeclHandler, parser.ProcessingInstructionHandler = told.notation, told.instruction
    root = re.match(rb"<!DOCTYPE[ \t\r\n]+([^ \t\r\n\[>]+)", text)
    if root is None:
        raise XmlError(offset, line, "a document type begins with <!DOCTYPE and the name of the root")
    made = spelled(text + b"<" + root[1] + b"/>")
    try:
        parser.Parse(made.text, True)
    except expat.ExpatError as error:
        where = offset + min(made.origin(parser.ErrorByteIndex), len(text))
        what = expat.ErrorString(error.code)
        raise XmlError(where, line + error.lineno - 1, f"the document type is wrong: {what}") from None
    if told.mistake is not None:
        raise XmlError(offset, line, f"the document type is wrong: {told.mistake}")
    lists = [names for names, kind in told.attributes.items() if kind != "CDATA"]
    return DocumentType(told.entities, lists)


class _Declarations:
    """What a document type declares, as expat tells it."""

    def __init__(self) -> None:
        self.entities: set[str] = set()
        self.attributes: dict[tuple[str, str], str] = {}  # their types
        self.mistake: str | None = None

    def entity(self, name: str, is_parameter: bool, *_: object) -> None:
        self._check("entity", name)
        if not is_parameter:
            self.entities.add(as_given(name))

    def attribute(self, element: str, name: str, kind: str, default: str | None, _: int) -> None:
        self.attributes.setdefault((as_given(element), as_given(name)), kind)
        if default is not None and (name == XMLNS or name.startswith(f"{XMLNS}:")):
            self.mistake = f"it has a default for {name}, which is not read: declare it at the elements"

    def notation(self, name: str, *_: object) -> None:
        self._check("notation", name)

    def instruction(self, name: str, _: object) -> None:
        self._check("processing instruction", name)

    def _check(self, what: str, name: str) -> None:
        if ":" in name:
            self.mistake = f"the name of the {what} '{as_given(name)}' has a colon"
