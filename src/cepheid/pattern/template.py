"""What profiles share whose queries differ only in constants: a template. A profile is a template and its
constants.

    template, constants = template_of(query, terms)
    template.query            # the query of the profile that came first, with that one's constants
    template.alone["a"]       # which of its conjuncts are about `a` alone: (0, 2)
    template.constants_of("a", constants)

Only conjuncts about one variable alone have constants; whatever else is written differently makes another
template. Nobody reads the constants in `template.query`: they are those of one profile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

from cepheid import expressions as ex
from cepheid.pattern.constants import Constant, blanked, constants_of, with_constants
from cepheid.pattern.nodes import atoms
from cepheid.pattern.profile import ProfileTerms
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render

Asked = tuple[str, tuple[tuple[str, Any], ...]]
"""The engine that was asked for, with its options."""

AUTO: Asked = ("auto", ())


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Template:
    """A checked query, and which of its literals are other ones in each profile."""

    query: PatternQuery
    terms: ProfileTerms
    asked: Asked
    variables: tuple[str, ...]  # of the pattern, in the order of the text
    alone: Mapping[str, tuple[int, ...]]  # by variable, the conjuncts that name it and no other
    binding: tuple[int, ...]  # the conjuncts that name several variables, or none
    first: tuple[int, ...]  # by conjunct, which constant is its first; one more stands for the end
    source: Template | None = None  # the template as users wrote it, where this one was made from it

    @property
    def as_written(self) -> Template:
        """The template as users wrote it: ids and snapshots know its profiles by that."""
        return self if self.source is None else self.source

    def constants_of(self, variable: str, constants: Sequence[Constant]) -> tuple[Constant, ...]:
        """Those of a profile's constants that are about one variable."""
        if sum(self.first[each + 1] - self.first[each] for each in self.alone[variable]) == self.first[-1]:
            return tuple(constants)
        found: list[Constant] = []
        for each in self.alone[variable]:
            found.extend(constants[self.first[each] : self.first[each + 1]])
        return tuple(found)

    def conditions(self, variable: str) -> tuple[ex.Expression, ...]:
        """The conjuncts about a variable alone, with the constants of the profile that came first."""
        return tuple(self.query.conjuncts[each] for each in self.alone[variable])

    def filled(self, constants: Sequence[Constant]) -> PatternQuery:
        """The query of a profile. Its places in the text are those of the profile that came first."""
        conjuncts = (
            with_constants(each, constants[self.first[k] : self.first[k + 1]])
            for k, each in enumerate(self.query.conjuncts)
        )
        return replace(self.query, conjuncts=tuple(conjuncts))


_KNOWN: WeakValueDictionary[Any, Template] = WeakValueDictionary()
"""The templates of the profiles that there are."""


def template_of(
    query: PatternQuery, terms: ProfileTerms, asked: Asked = AUTO
) -> tuple[Template, tuple[Constant, ...]]:
    """The template of a checked query, and its constants."""
    names = [ex.variables(each) for each in query.conjuncts]
    found = [
        constants_of(each) if len(of) == 1 else [] for each, of in zip(query.conjuncts, names, strict=True)
    ]
    kind = (blanked(each) if values else each for each, values in zip(query.conjuncts, found, strict=True))
    constants = tuple(value for values in found for value in values)
    key = (render(replace(query, conjuncts=tuple(kind))), tuple(map(type, constants)), terms, repr(asked))
    template = _KNOWN.get(key)
    if template is None:
        template = _KNOWN[key] = _template(query, terms, asked, names, found)
    return template, constants


def rewritten(template: Template, query: PatternQuery) -> Template | None:
    """The template over another query, which says the same of other columns; None unless its conjuncts have
    the same constants."""
    names = [ex.variables(each) for each in query.conjuncts]
    found = [
        constants_of(each) if len(of) == 1 else [] for each, of in zip(query.conjuncts, names, strict=True)
    ]
    fresh = _template(query, template.terms, template.asked, names, found)
    return replace(fresh, source=template.as_written) if fresh.first == template.first else None


def _template(
    query: PatternQuery,
    terms: ProfileTerms,
    asked: Asked,
    names: list[frozenset[str]],
    found: list[list[Constant]],
) -> Template:
    variables = tuple(atom.variable for atom in atoms(query.pattern))
    alone = {v: tuple(k for k, of in enumerate(names) if of == {v}) for v in variables}
    binding = tuple(k for k, of in enumerate(names) if len(of) != 1)
    first = [0]
    for values in found:
        first.append(first[-1] + len(values))
    return Template(query, terms, asked, variables, alone, binding, tuple(first))
