"""The random cases of tree patterns with namespaces: prefixes in documents and patterns, bound anywhere."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from cepheid.pattern.twig import nodes as tn
from tests.cases.twig import twig_case

U, V, W = "urn:u", "urn:v", "urn:w"
GIVEN = {"x": U, "y": V}
PIECE = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([a-z])((?:\"[^\"]*\"|[^>\"])*?)(/?)>", re.DOTALL
)


@dataclass(frozen=True)
class NamespaceCase:
    """A pattern with prefixes, the same without, and a document whose names are in namespaces."""

    pattern: tn.TwigPattern
    plain: tn.TwigPattern
    data: bytes


def namespace_case(seed: int) -> NamespaceCase:
    """The random case of a seed."""
    dice, case = random.Random(f"namespaces {seed}"), twig_case(seed)
    named = renamed(case.pattern, lambda name: dice.choice(("", "x:", "x:", "y:")) + name)
    return NamespaceCase(named, case.pattern, _declared(case.data.decode(), dice).encode())


def renamed(pattern: tn.TwigPattern, rename: Callable[[str], str]) -> tn.TwigPattern:
    """The same pattern with other names."""
    if isinstance(pattern, tn.TreePath):
        return _path(pattern, rename)
    return tn.Siblings(_expression(pattern.expression, rename))


def _path(path: tn.TreePath, rename: Callable[[str], str]) -> tn.TreePath:
    steps = tuple(
        replace(
            step,
            tag=None if step.tag is None else rename(step.tag),
            conditions=tuple(_condition(condition, rename) for condition in step.conditions),
        )
        for step in path.steps
    )
    tail = path.attribute
    if tail is not None and tail.name is not None:
        tail = replace(tail, name=rename(tail.name))
    return replace(path, steps=steps, attribute=tail)


def _condition(condition: tn.TreeCondition, rename: Callable[[str], str]) -> tn.TreeCondition:
    match condition:
        case tn.Exists(path=path):
            return tn.Exists(_path(path, rename))
        case tn.Siblings(expression=expression):
            return tn.Siblings(_expression(expression, rename))
        case _:
            return condition


def _expression(expression: tn.SiblingExpression, rename: Callable[[str], str]) -> tn.SiblingExpression:
    match expression:
        case tn.Item(path=path):
            return tn.Item(_path(path, rename))
        case tn.Repeated(part=part):
            return replace(expression, part=_expression(part, rename))
        case tn.InOrder(parts=parts) | tn.EitherOf(parts=parts):
            return replace(expression, parts=tuple(_expression(part, rename) for part in parts))


def _declared(text: str, dice: random.Random) -> str:
    """Give tags and attributes prefixes, and declare these at the root and anew inside."""
    opened: list[tuple[str, dict[str, str]]] = []

    def tag(found: re.Match[str]) -> str:
        if found[2] is None:
            return found[0]
        if found[1]:
            return f"</{opened.pop()[0]}>"
        bound = dict(opened[-1][1]) if opened else {"p": U, "q": V}
        new = {} if opened else {"xmlns:p": U, "xmlns:q": V}
        if not opened or dice.random() < 0.2:
            prefix, uri = dice.choice(("", "p", "q")), dice.choice((U, V, W))
            uri = "" if not prefix and dice.random() < 0.3 else uri
            new |= {f"xmlns:{prefix}" if prefix else "xmlns": uri}
            bound[prefix] = uri
        name = dice.choice(("", "", "p:", "q:")) + found[2]
        declared = "".join(f' {key}="{uri}"' for key, uri in new.items())
        attributes = re.sub(
            r" ([ij])=", lambda one: f" {dice.choice(('', 'p:', 'q:', 'xml:'))}{one[1]}=", found[3]
        )
        if not found[4]:
            opened.append((name, bound))
        return f"<{name}{declared}{attributes}{found[4]}>"

    return PIECE.sub(tag, text)
