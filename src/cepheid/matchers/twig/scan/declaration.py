"""The first line of a document: `<?xml version="1.0" encoding="…"?>`."""

from __future__ import annotations

import re

from cepheid.errors import XmlError
from cepheid.matchers.twig.scan.encodings import KNOWN, not_read

BLANK, EQUALS = rb"[ \t\r\n]", rb"[ \t\r\n]*=[ \t\r\n]*"
DECLARATION = re.compile(
    rb"<\?xml" + BLANK + rb"+version" + EQUALS + rb"(?:\"1\.[0-9]+\"|'1\.[0-9]+')"
    rb"(?:" + BLANK + rb"+encoding" + EQUALS + rb"(?:\"([A-Za-z][\w.-]*)\"|'([A-Za-z][\w.-]*)'))?"
    rb"(?:" + BLANK + rb"+standalone" + EQUALS + rb"(?:\"(?:yes|no)\"|'(?:yes|no)'))?" + BLANK + rb"*\?>",
    re.ASCII,
)
BEGIN = b"<?xml"
LONGEST = 1024
"""A declaration that is not over by then is none."""


def declaration_end(head: bytes, is_last: bool) -> int | None:
    """How many bytes the declaration takes, 0 if there is none; None if that cannot be told yet."""
    if not head.startswith(BEGIN[: len(head)]):
        return 0
    if len(head) <= len(BEGIN):
        return 0 if is_last else None
    if head[len(BEGIN)] not in b" \t\r\n":
        return 0  # an instruction whose name begins like that
    end = head.find(b"?>")
    if end >= 0:
        return end + 2
    if is_last or len(head) > LONGEST:
        raise XmlError(0, 1, "the XML declaration does not end")
    return None


def declared_encoding(declaration: bytes, marked: str, is_certain: bool) -> str:
    """The encoding that a declaration asks for; `marked` is what the first bytes tell, certainly or not."""
    found = DECLARATION.fullmatch(declaration)
    if found is None:
        raise XmlError(0, 1, 'the XML declaration is <?xml version="1.0" encoding="…"?>, in this order')
    name = (found[1] or found[2] or b"").decode().lower()
    if not name or is_certain:
        return marked  # what begins with a mark is read as that, whatever it says
    if name not in KNOWN:
        raise not_read(name.upper())
    return KNOWN[name]
