"""The names of namespaces: what a declaration's value means, whether it is a URI, and its number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

XML, XMLNS = "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"
RESERVED = ("", XML, XMLNS)
"""The numbers of the layout, in their order: no namespace, and those of the prefixes xml and xmlns."""

_PREDEFINED = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}
_REFERENCE = re.compile(r"&(#x[0-9A-Fa-f]+|#[0-9]+|[^;]+);")
_DECLARED = re.compile(rb"\sxmlns(?::[^\s=]+)?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_BLANK = re.compile(r"\r\n|[\r\n\t]")

_ANY = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
_PLACE = rf"//(?:(?:(?!@){_ANY})*@)?(?:\[[^\]]*\]|(?:(?![:@]){_ANY})*)(?::[0-9]+)?(?:/{_ANY}*)*"
_ABSOLUTE = rf"/(?:{_ANY}+(?:/{_ANY}*)*)?"
_ENDING = rf"(?:\?(?:{_ANY}|[/?])*)?(?:\#(?:{_ANY}|[/?\[\]])*)?"
_URI = re.compile(
    rf"(?:[A-Za-z][A-Za-z0-9+.-]*:(?:{_PLACE}|{_ABSOLUTE}|{_ANY}+(?:/{_ANY}*)*|)"
    rf"|(?:{_PLACE}|{_ABSOLUTE}|(?:(?!:){_ANY})+(?:/{_ANY}*)*|)){_ENDING}"
)
"""A URI or a relative reference, by the grammar of RFC 3986."""
_PORT = re.compile(r"(?:[^:/?#]*:)?//[^/?#]*:([0-9]+)(?![^/?#])")
_LARGEST_PORT = (1 << 31) - 1


def is_uri(text: str) -> bool:
    """Whether a text is a URI or a relative reference."""
    port = _PORT.match(text)
    return _URI.fullmatch(text) is not None and (port is None or int(port[1]) <= _LARGEST_PORT)


def meaning(value: str, entities: Mapping[str, str]) -> str:
    """What the value of an attribute means, as it is written between its quotes."""

    def meant(reference: re.Match[str]) -> str:
        name = reference[1]
        if name.startswith("#"):
            return chr(int(name[2:], 16) if name[1] == "x" else int(name[1:]))
        return _PREDEFINED.get(name) or entities[name]

    return _REFERENCE.sub(meant, _BLANK.sub(" ", value))


def declared_in(data: bytes, start: int, entities: Mapping[str, str]) -> Iterator[tuple[bytes, str]]:
    """What declares namespaces further on in a tag, as written and as meant; but not what is wrong."""
    end = data.find(b"<", start)
    for found in _DECLARED.finditer(data, start, len(data) if end < 0 else end):
        value = found[1] or found[2] or b""
        try:
            name = meaning(value.decode(), entities)
        except (KeyError, ValueError, OverflowError):
            continue
        if is_uri(name):
            yield value, name


@dataclass(slots=True)
class NamespaceNumbers:
    """The numbers of namespaces: those that a pattern names first, and others as they come."""

    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, known: Iterable[str]) -> NamespaceNumbers:
        """The beginning of a document."""
        return cls({name: number for number, name in enumerate(dict.fromkeys([*RESERVED, *known]))})

    def number(self, name: str) -> int:
        """The number of a namespace, which is a new one if it has not come before."""
        return self.numbers.setdefault(name, len(self.numbers))
