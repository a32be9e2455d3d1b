"""From parsed text to pattern trees: one method per alternative of the grammar."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lark import Token

from cepheid.errors import QuerySyntaxError, Span
from cepheid.language.sase.words import CLAUSE_WORDS, Word, cover, unquoted, whole, word
from cepheid.pattern import nodes as pt


@dataclass(frozen=True, slots=True)
class Quantifier:
    """How many events; `Type? v` has no brackets and is a node of its own."""

    least: int
    most: int | None
    span: Span
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Declared:
    """`v` or `v[]`."""

    name: Word
    brackets: bool
    span: Span


Lowering = Callable[[Any, list[Any]], pt.Pattern]


def _joined(kind: Callable[..., pt.Pattern]) -> tuple[Lowering, Lowering]:
    """The lowering of `p; q`, and of `SEQ(p, q)`, whose first and last children are its keyword and `)`."""
    return (
        lambda lowering, children: kind(tuple(children), span=cover(children)),
        lambda lowering, children: kind(tuple(children[1:-1]), span=cover(children)),
    )


class PatternLowering:
    """Called by the parser bottom-up, with the children of one alternative."""

    sequence, seq_call = _joined(pt.Seq)
    conjunction, and_call = _joined(pt.Conjunction)
    choice, or_call = _joined(pt.Choice)

    def group(self, children: list[Any]) -> pt.Pattern:
        inner: pt.Pattern = children[1]
        return replace(inner, span=cover(children))

    def sub_window(self, children: list[Any]) -> pt.Pattern:
        part, _, window = children
        return pt.Within(part, window, span=cover(children))

    def at(self, children: list[Token]) -> pt.Pattern:
        return pt.At(unquoted(children[1]), span=cover(children))

    def every(self, children: list[Any]) -> pt.Pattern:
        return pt.Every(children[1].value, span=cover(children))

    def silence(self, children: list[Any]) -> pt.Pattern:
        _, _, kind, declared, _, length = children
        return _atom(pt.Silence, kind, declared, cover(children), duration=length.value)

    # ------------------------------------------------------------ atoms

    def type(self, children: list[Token]) -> Word | Token:
        name = children[0] if children[0].type == "ANY" else word(children[0])
        if isinstance(name, Word) and name.lower in CLAUSE_WORDS:
            raise QuerySyntaxError(
                f"a pattern is expected before {name.text}",
                span=name.span,
                hint=f"leave out the sign before it; as the name of a type, write `{name.text}`",
            )
        return name

    def declared(self, children: list[Any]) -> Declared:
        return Declared(children[0], children[1] is not None, cover(children))

    def single(self, children: list[Any]) -> pt.Pattern:
        kind, declared = children
        if isinstance(kind, Word) and kind.lower == "not":
            raise QuerySyntaxError(
                "NOT is no type", span=kind.span, hint="absence is written ~ before one type: ~A a"
            )
        return _atom(pt.Single, kind, declared, cover(children))

    def absent(self, children: list[Any]) -> pt.Pattern:
        _, kind, declared = children
        return _atom(pt.Absent, kind, declared, cover(children))

    def nth(self, children: list[Any]) -> pt.Pattern:
        kind, _, ordinal, _, declared = children
        return _atom(pt.Nth, kind, declared, cover(children), ordinal=whole(ordinal, "an ordinal", 1))

    def quantified(self, children: list[Any]) -> pt.Pattern:
        kind, quantifier, declared = children
        span = cover(children)
        if quantifier.optional:
            return _atom(pt.Optional, kind, declared, span)
        if declared is not None and not declared.brackets:
            raise QuerySyntaxError(
                f"'{declared.name.text}' holds several events",
                span=declared.span,
                hint=f"write {declared.name.text}[]",
            )
        return _atom(pt.Kleene, kind, declared, span, least=quantifier.least, most=quantifier.most)

    def one_or_more(self, children: list[Token]) -> Quantifier:
        return Quantifier(1, None, cover(children))

    def any_number(self, children: list[Token]) -> Quantifier:
        return Quantifier(0, None, cover(children))

    def at_most_one(self, children: list[Token]) -> Quantifier:
        return Quantifier(0, 1, cover(children), optional=True)

    def exactly(self, children: list[Token]) -> Quantifier:
        count = whole(children[0], "a repetition", 0)
        return Quantifier(count, count, cover(children))

    def at_least(self, children: list[Token]) -> Quantifier:
        return Quantifier(whole(children[0], "a repetition", 0), None, cover(children))

    def bounded(self, children: list[Token]) -> Quantifier:
        least, most, _ = children
        return Quantifier(whole(least, "a repetition", 0), whole(most, "a repetition", 0), cover(children))


def _atom(
    kind: type[pt.Atom], name: Word | Token, declared: Declared | None, span: Span, **extra: Any
) -> pt.Atom:
    """An atom; `Name` alone is bare, and binds its type's name."""
    if declared is None:
        if isinstance(name, Token):
            raise QuerySyntaxError("ANY needs a variable", span=span, hint="write ANY v")
        return kind(name.text, name.text, bare=True, span=span, **extra)
    if declared.brackets and kind is not pt.Kleene:
        raise QuerySyntaxError(
            f"'{declared.name.text}' holds one event and takes no []",
            span=declared.span,
            hint=f"write Type+ {declared.name.text}[] for one or more",
        )
    return kind(None if isinstance(name, Token) else name.text, declared.name.text, span=span, **extra)
