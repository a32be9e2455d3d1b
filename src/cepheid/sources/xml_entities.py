"""Entities that were given, for parsers that know those alone which a document declares."""

from __future__ import annotations

import re
from collections.abc import Mapping

SUBSET = re.compile(r"\"[^\"]*\"|'[^']*'|\[")
PREDEFINED = ("lt", "gt", "amp", "apos", "quot")
CODED = {"&": "&#38;#38;", "<": "&#38;#60;", "%": "&#37;", '"': "&#34;"}


def declarations(entities: Mapping[str, str]) -> str:
    """The entities as declarations of a document type; each means just its text."""
    texts = {name: "".join(map(_coded, text)) for name, text in entities.items() if name not in PREDEFINED}
    return "".join(f'<!ENTITY {name} "{text}">' for name, text in texts.items())


def _coded(sign: str) -> str:
    return CODED.get(sign) or (sign if sign.isascii() else f"&#{ord(sign)};")


def new_type(root: str, entities: Mapping[str, str]) -> str:
    """A document type that declares the entities."""
    return f"<!DOCTYPE {root} [{declarations(entities)}]>"


def wider_type(text: str, entities: Mapping[str, str]) -> str:
    """A document type from behind `<!DOCTYPE` up to its `>`, with the entities before what it declares."""
    opening = next((found for found in SUBSET.finditer(text) if found[0] == "["), None)
    if opening is None:
        return f"{text[:-1]} [{declarations(entities)}]>"
    return text[: opening.end()] + declarations(entities) + text[opening.end() :]
