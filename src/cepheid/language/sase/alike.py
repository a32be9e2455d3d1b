"""Texts of profiles that differ only in constants: the second of a kind is not parsed.

A text is cut at its numbers, strings, quoted names and comments. What lies between them is its frame. The
first text of a frame is parsed, and it is noted which tokens are constants of its template; a text that has
the same frame and the same other tokens has then the same template, and its constants are read off its
tokens. A token that may be wrong by itself, such as a number that is too long, is left to the parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from cepheid.language.sase.parse import MAX_LENGTH
from cepheid.pattern.constants import Constant, places_of
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.template import Template

_TOKENS = re.compile(
    r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*"""
    r"""|(?<![\w$])(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?%?)"""
)
_WHOLE = re.compile(r"\d{1,18}")
_REAL = re.compile(r"\d{1,18}\.\d{1,18}")

INT, FLOAT, STRING, OTHER = "i", "f", "s", "o"
MOST_FRAMES = 10_000
"""So many frames, and so many templates of a frame, are remembered at once."""

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Hole:
    """A constant that is read off a token."""

    token: int
    read: Callable[[str], Constant]


@dataclass(frozen=True, slots=True)
class KnownKind:
    """What is known of the texts of a frame with the same fixed tokens."""

    template: Template
    example: tuple[Constant, ...]
    holes: tuple[tuple[int, Hole], ...]  # which of the constants are other ones, and what they are

    def constants(self, tokens: Sequence[str]) -> tuple[Constant, ...]:
        """The constants of another text."""
        found = list(self.example)
        for place, hole in self.holes:
            found[place] = hole.read(tokens[hole.token])
        return tuple(found)


@dataclass(slots=True)
class Frame:
    """What all texts of a frame have in common."""

    fixed: tuple[int, ...]  # the tokens that are no constants
    known: dict[tuple[str, ...], KnownKind] = field(default_factory=dict)


@dataclass(slots=True)
class AlikeTexts:
    """The texts of profiles so far, by what they have in common; a key is all else that makes a template."""

    _frames: dict[Key, Frame] = field(default_factory=dict)

    def find(self, text: str, key: Key) -> tuple[Template, tuple[Constant, ...]] | None:
        """The template and the constants of a text, if one like it was learned."""
        if len(text) > MAX_LENGTH or not (text.isascii() or _is_whole(text)):
            return None
        pieces = _TOKENS.split(text)
        tokens = pieces[1::2]
        frame = self._frames.get((key, tuple(pieces[::2]), "".join([_kind(token) for token in tokens])))
        if frame is None:
            return None
        known = frame.known.get(tuple([tokens[k] for k in frame.fixed]))
        return None if known is None else (known.template, known.constants(tokens))

    def learn(
        self, text: str, key: Key, tree: PatternQuery, found: tuple[Template, tuple[Constant, ...]]
    ) -> None:
        """Remember a text that was parsed and checked."""
        template, constants = found
        pieces = _TOKENS.split(text)
        tokens = pieces[1::2]
        holes = dict(_holes(text, tree, template))
        used = {hole.token for hole in holes.values()}
        place = (key, tuple(pieces[::2]), "".join([_kind(token) for token in tokens]))
        frame = _bounded(self._frames).setdefault(
            place, Frame(tuple(k for k in range(len(tokens)) if k not in used))
        )
        fixed = tuple(tokens[k] for k in frame.fixed)
        _bounded(frame.known)[fixed] = KnownKind(template, constants, tuple(holes.items()))


def _bounded(known: dict[Any, Any]) -> dict[Any, Any]:
    if len(known) >= MOST_FRAMES:
        known.clear()
    return known


def _is_whole(text: str) -> bool:
    """Whether a text has no half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(token: str) -> str:
    if token[0] in "'\"":
        return STRING
    if _WHOLE.fullmatch(token):
        return INT
    return FLOAT if _REAL.fullmatch(token) else OTHER


# ---------------------------------------------------------------- which tokens are constants


def _string(token: str) -> str:
    quote = token[0]
    return token[1:-1].replace(quote * 2, quote)


_READ: dict[str, Callable[[str], Constant]] = {INT: int, FLOAT: float, STRING: _string}
_READ_NEGATIVE: dict[str, Callable[[str], Constant]] = {
    INT: lambda token: -int(token),
    FLOAT: lambda token: -float(token),
}


def _holes(text: str, tree: PatternQuery, template: Template) -> Iterator[tuple[int, Hole]]:
    """The constants that are read off tokens, by their number."""
    ends = {found.end(): (k, found) for k, found in enumerate(_TOKENS.finditer(text))}
    with_constants = (
        each for k, each in enumerate(tree.conjuncts) if template.first[k] < template.first[k + 1]
    )
    places = [place for each in with_constants for place in places_of(each)]
    for number, (span, is_pattern) in enumerate(places):
        if span is None or span.end not in ends:
            continue
        k, found = ends[span.end]
        before, kind = text[span.start : found.start()].strip(), _kind(found.group())
        if is_pattern and kind == STRING:
            yield number, Hole(k, _string)
        elif span.start == found.start() and kind in _READ:
            yield number, Hole(k, _READ[kind])
        elif before == "-" and kind in _READ_NEGATIVE:
            yield number, Hole(k, _READ_NEGATIVE[kind])
