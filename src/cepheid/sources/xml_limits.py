"""What a document may ask for, and the texts of entities that were given: both checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html.entities import name2codepoint

from cepheid.errors import CepheidError
from cepheid.sources.xml_entities import PREDEFINED

LONGEST = 1 << 28
"""So many bytes a tag, or the text of a node, may have unless told."""

DEEPEST = 10_000
"""So many elements may be open at a time unless told."""

MOST = 1 << 40
"""No limit is more than this."""

HTML = "html"


@dataclass(frozen=True, slots=True)
class XmlLimits:
    """How deep a document may be and how long a tag, and the entities that were given."""

    max_depth: int = DEEPEST
    max_text: int = LONGEST
    entities: tuple[tuple[str, str], ...] = ()


def given_limits(max_depth: object, max_text: object, entities: object) -> XmlLimits:
    """The limits and entities as they were given, checked."""
    return XmlLimits(
        _number(max_depth, "max_depth"), _number(max_text, "max_text"), tuple(_entities(entities).items())
    )


def _number(given: object, name: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise CepheidError(f"{name}= is a whole number, 1 or more, not {given!r}"[:200])
    return min(given, MOST)


def _entities(given: object) -> dict[str, str]:
    """The texts of entities by their names; `html` has those of HTML 4."""
    if given is None:
        return {}
    if given == HTML:
        return {name: chr(code) for name, code in name2codepoint.items() if name not in PREDEFINED}
    expected = 'entities= is None, "html", or texts by the names of entities: {"auml": "ä"}'
    if not isinstance(given, Mapping):
        raise CepheidError(f"{expected}, not {given!r}"[:200])
    for name, text in given.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise CepheidError(f"{expected}, not {{{name!r}: {text!r}}}"[:200])
    return dict(given)
