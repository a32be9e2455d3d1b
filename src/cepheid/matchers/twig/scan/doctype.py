"""The document type: where it ends, and which entities it declares."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from cepheid.errors import XmlError

PIECE = re.compile(rb"<!--.*?-->|<\?.*?\?>|\"[^\"]*\"|'[^']*'|[\[\]>]|<!--|<\?|[\"']", re.DOTALL)
"""What may hide the end: comments, instructions and texts; or the beginning of one that is not over."""


@dataclass(slots=True)
class DocumentType:
    """What is known of a document's type."""

    declared: set[str] = field(default_factory=set)  # the names of its entities


def doctype_end(data: bytes, start: int) -> int | None:
    """Behind the `>` that ends the type which begins at `start`, or None if it has not come yet."""
    is_inside = False
    for piece in PIECE.finditer(data, start):
        found = piece[0]
        if found in (b"<!--", b"<?", b'"', b"'"):
            return None
        if found == b"[":
            is_inside = True
        elif found == b"]":
            is_inside = False
        elif found == b">" and not is_inside:
            return piece.end()
    return None


def read_doctype(text: bytes, offset: int, line: int) -> DocumentType:
    """Check a document type and list its entities. Nothing that it names is ever opened."""
    parser = expat.ParserCreate("utf-8")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    found = DocumentType()

    def declare(name: str, is_parameter: bool, *_: object) -> None:
        if not is_parameter:
            found.declared.add(name)

    parser.EntityDeclHandler = declare
    root = re.match(rb"<!DOCTYPE[ \t\r\n]+([^ \t\r\n\[>]+)", text)
    if root is None:
        raise XmlError(offset, line, "a document type begins with <!DOCTYPE and the name of the root")
    try:
        parser.Parse(text + b"<" + root[1] + b"/>", True)
    except expat.ExpatError as error:
        where = offset + min(parser.ErrorByteIndex, len(text))
        what = expat.ErrorString(error.code)
        raise XmlError(where, line + error.lineno - 1, f"the document type is wrong: {what}") from None
    return found
