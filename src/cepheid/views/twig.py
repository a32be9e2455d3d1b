"""Rows of a tree pattern in other forms: nested by `parent`, and one row a match."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from cepheid.plan.twig.plan import TwigPlan


def nested(table: pa.Table, plan: TwigPlan) -> list[dict[str, Any]]:
    """The rows that have no parent, each with those below it in `children`."""
    above = _above(plan)
    known: dict[tuple[str, int], dict[str, Any]] = {}
    top: list[dict[str, Any]] = []
    for row in table.to_pylist():  # parents come first: they begin further left
        row["attributes"] = dict(row["attributes"])
        row["children"] = []
        known[row["var"], row["start"]] = row
        parents = (known.get((variable, row["parent"])) for variable in above[row["var"]])
        parent = next((found for found in parents if found is not None), None)
        (top if parent is None else parent["children"]).append(row)
    return top


def _above(plan: TwigPlan) -> dict[str, list[str]]:
    """The variables that may be the parent of each, in the order of the text."""
    found: dict[str, set[int]] = {variable: set() for variable in plan.variables}
    for step in plan.steps:
        above = step.above
        while above > 0 and plan.steps[above].variable < 0:
            above = plan.steps[above].above
        if step.variable >= 0 and above > 0:
            found[plan.variables[step.variable]].add(plan.steps[above].variable)
    return {name: [plan.variables[number] for number in sorted(numbers)] for name, numbers in found.items()}


def widened(table: pa.Table, plan: TwigPlan) -> pa.Table:
    """A row for each match with a column of texts for each variable: a list where it may repeat."""
    matches: dict[int, dict[str, list[str]]] = {}
    columns = (table.column(name).to_pylist() for name in ("match", "var", "text"))
    for match, variable, text in zip(*columns, strict=True):
        matches.setdefault(match, {}).setdefault(variable, []).append(text)
    ordered = sorted(matches)
    wide: dict[str, Any] = {"match": pa.array(ordered, pa.int64())}
    for variable, repeats in zip(plan.variables, plan.repeats, strict=True):
        texts = [matches[match].get(variable, []) for match in ordered]
        if repeats:
            wide[_column(variable)] = pa.array(texts, pa.list_(pa.string()))
        else:
            wide[_column(variable)] = pa.array([found[0] if found else None for found in texts], pa.string())
    return pa.table(wide)


def _column(variable: str) -> str:
    return "match_" if variable == "match" else variable
