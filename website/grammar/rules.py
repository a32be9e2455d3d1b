"""What a grammar has: its rules with their forms, its words, and which of them a text uses."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lark import Lark, Token, Tree

from cepheid.language.grammar import Grammar

_RULE = re.compile(r"^\??([a-z_]\w*):(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_ALIAS = re.compile(r"->\s*(\w+)")
_SECTION = re.compile(r"^// -{5,} (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A rule as it stands in the grammar's file, with the names of its forms."""

    name: str
    production: str
    forms: tuple[str, ...]


@functools.cache
def parser_of(grammar: Grammar) -> Lark:
    """A parser that keeps every word."""
    return Lark(
        grammar.text,
        parser="lalr",
        lexer="contextual",
        start=list(grammar.start),
        maybe_placeholders=True,
        keep_all_tokens=True,
    )


def forms_of(grammar: Grammar) -> list[str]:
    """The names of all forms that a text can use: rules, and alternatives that have a name of their own."""
    names: dict[str, None] = {}
    for rule in parser_of(grammar).rules:
        passes = rule.options.expand1 and not rule.alias and len(rule.expansion) == 1
        name = rule.alias or str(rule.origin.name)
        if not passes and not name.startswith("_"):
            names[name] = None
    return list(names)


def words_of(grammar: Grammar) -> list[str]:
    """The names of all words and signs."""
    parser = parser_of(grammar)
    return [terminal.name for terminal in parser.terminals if terminal.name not in parser.ignore_tokens]


def used_by(text: str, grammar: Grammar, start: str) -> set[str]:
    """The forms and words that a text uses."""
    tree = parser_of(grammar).parse(text, start=start)
    forms = {str(part.data) for part in tree.iter_subtrees()}
    words = {part.type for part in tree.scan_values(lambda value: isinstance(value, Token))}
    assert isinstance(tree, Tree)
    return forms | words


def sections(grammar: Grammar) -> Iterator[tuple[str, list[WrittenRule]]]:
    """The rules, under the headings of the file; without headings, under none."""
    parts = _SECTION.split(grammar.text)
    if len(parts) == 1:
        yield "", [*_rules(parts[0], grammar)]
        return
    yield "query", [*_rules(parts[0], grammar)]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        yield title.strip(), [*_rules(body, grammar)]


def _rules(text: str, grammar: Grammar) -> Iterator[WrittenRule]:
    known = set(forms_of(grammar))
    for found in _RULE.finditer(text):
        name, body = found[1], "\n".join(line for line in found[2].splitlines() if not line.startswith("//"))
        forms = [form for form in dict.fromkeys([name, *_ALIAS.findall(body)]) if form in known]
        yield WrittenRule(name, _shown(name, body), tuple(forms))


def _shown(name: str, body: str) -> str:
    lines = [re.sub(r"\s+", " ", _ALIAS.sub("", line)).strip() for line in body.strip().splitlines()]
    return (
        f"{name}: "
        + f"\n{' ' * len(name)}".join(
            line if line.startswith("|") else f" {line}" for line in lines if line
        ).lstrip()
    )
