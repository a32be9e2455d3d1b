"""The grammar pages have an example for everything that a user can write, and each is run."""

from __future__ import annotations

import pytest
from website.grammar.examples import examples
from website.grammar.page import REFERENCE, UNWRITTEN, sase_page, twig_page
from website.grammar.rules import forms_of, sections, used_by, words_of

from cepheid.language.grammar import Grammar
from cepheid.language.sase.parse import GRAMMAR as SASE
from cepheid.language.twig.parse import GRAMMAR as TWIG

GRAMMARS = pytest.mark.parametrize(
    ("name", "grammar", "start"), [("sase", SASE, "query"), ("twig", TWIG, "start")]
)


@GRAMMARS
def test_every_form_has_an_example_that_uses_it(name: str, grammar: Grammar, start: str) -> None:
    written = examples(name)
    assert {example.form for example in written} == set(forms_of(grammar)) - set(UNWRITTEN)
    for example in written:
        assert example.form in used_by(example.text, grammar, start), example


@GRAMMARS
def test_every_word_is_in_an_example(name: str, grammar: Grammar, start: str) -> None:
    used = set().union(*(used_by(example.text, grammar, start) for example in examples(name)))
    assert set(words_of(grammar)) <= used


@GRAMMARS
def test_every_form_is_in_a_section(name: str, grammar: Grammar, start: str) -> None:
    shown = {form for _, rules in sections(grammar) for rule in rules for form in rule.forms}
    assert set(forms_of(grammar)) <= shown


@pytest.mark.slow  # runs a hundred queries
def test_the_pages_are_what_the_grammar_and_a_run_say() -> None:
    stale = "the grammar or an example has changed: run `python -m website.grammar`"
    assert (REFERENCE / "grammar.md").read_text() == sase_page(), stale
    assert (REFERENCE / "tree-grammar.md").read_text() == twig_page(), stale
