"""Writes the two grammar pages: `python -m website.grammar`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from cepheid.language.grammar import Grammar
from cepheid.language.sase.parse import GRAMMAR as SASE
from cepheid.language.twig.parse import GRAMMAR as TWIG
from website.grammar.examples import (
    CLOCK,
    DOCUMENT,
    NUMBERS,
    GrammarExample,
    examples,
    result_of_query,
    result_of_tree,
)
from website.grammar.rules import parser_of, sections, used_by, words_of

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference"
UNWRITTEN = {
    "conditions": "what a query built in Python has as text",
    "indexed_name": "refused: an event of a Kleene variable is named with an attribute",
}
"""Forms that no query has, and why the grammar has them."""

SASE_HEAD = f"""\
# The language, rule by rule

Every rule of the grammar that the parser is made of (`sase.lark`), with an example for each of its forms and
what it finds. [The query language](language.md) explains them in prose.

The examples run over these events; `A1` is the event of type A at 1:

```text
{NUMBERS}```

Examples with times of day run over these, those with `AT`, `EVERY`, `SILENCE` and `Type[n]` as
[profiles](../how-to/subscriptions.md):

```text
{CLOCK}```
"""
TWIG_HEAD = f"""\
# Tree patterns, rule by rule

Every rule of the grammar of tree patterns (`twig.lark`), with an example and what it finds in this
document. [Regular tree patterns](tree-patterns.md) explains them in prose.

```xml
{DOCUMENT.decode()}
```
"""


def sase_page() -> str:
    """The grammar of queries."""
    return _page(SASE_HEAD, SASE, "sase", "query", result_of_query)


def twig_page() -> str:
    """The grammar of tree patterns."""
    return _page(TWIG_HEAD, TWIG, "twig", "start", result_of_tree)


def _page(head: str, grammar: Grammar, name: str, start: str, result: Callable[[GrammarExample], str]) -> str:
    told = {example.form: example for example in examples(name)}
    parts = [head]
    for title, rules in sections(grammar):
        if not any(form in told for rule in rules for form in rule.forms) and not rules:
            continue
        parts.append(f"## {title[:1].upper()}{title[1:]}\n" if title else "## Rules\n")
        for rule in rules:
            if not rule.forms or set(rule.forms) <= set(UNWRITTEN):
                continue
            shown = [told[form] for form in rule.forms if form in told]
            parts.append(f"### {rule.name}\n\n```text\n{rule.production}\n```\n")
            parts.extend(_example(example, result) for example in shown)
    parts.append("## Words and signs\n\n" + "\n".join(_words(grammar, name, start)))
    return "\n".join(parts) + "\n"


def _example(example: GrammarExample, result: Callable[[GrammarExample], str]) -> str:
    return f"{example.told}\n\n```sql\n{example.text}\n```\n\nfinds: {result(example)}\n"


def _words(grammar: Grammar, name: str, start: str) -> Iterator[str]:
    """Each word, with the first example that uses it."""
    yield "| word | for example |\n| --- | --- |"
    uses = [(example, used_by(example.text, grammar, start)) for example in examples(name)]
    for word in words_of(grammar):
        text = next(example.text for example, used in uses if word in used)
        yield f"| {_code(_written(word, grammar))} | {_code(text)} |"


def _written(word: str, grammar: Grammar) -> str:
    """A sign as it is written, and anything else by its name."""
    pattern = parser_of(grammar).get_terminal(word).pattern
    return str(pattern.value) if pattern.type == "str" else word


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    blank = " " if "`" in text else ""
    return f"{fence}{blank}{text.replace('|', chr(92) + '|')}{blank}{fence}"


def main() -> None:
    (REFERENCE / "grammar.md").write_text(sase_page())
    (REFERENCE / "tree-grammar.md").write_text(twig_page())
