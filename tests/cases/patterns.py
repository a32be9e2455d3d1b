"""Random patterns: SEQ and OR of variables with any quantifier, absences, and windows of their own."""

from __future__ import annotations

from tests.cases.dice import Dice
from tests.cases.streams import Plan


def pattern(dice: Dice, plan: Plan, size: int, required: bool, depth: int = 0) -> str:
    """A pattern of so many positive variables; if required, it cannot be empty."""
    if size == 1:
        return _atom(dice, plan, required)
    is_choice = dice.weighted({False: 80, True: 20})
    count = min(size, 2) if is_choice else dice.pick((size, size, 2))
    sizes = composition(dice, size, count)
    needed = dice.integer(0, count - 1)
    parts = [
        pattern(dice, plan, part, is_choice or (required and i == needed), depth + 1)
        if part > 1
        else _atom(
            dice, plan, (is_choice and not dice.chance(5)) or (required and (is_choice or i == needed))
        )
        for i, part in enumerate(sizes)
    ]
    if is_choice:
        text = f"OR({', '.join(parts)})" if dice.chance(80) else f"({' | '.join(parts)})"
    else:
        text = f"SEQ({', '.join(with_absences(dice, plan, parts))})"
    return _with_own_window(dice, plan, text) if depth and dice.chance(30) else text


def composition(dice: Dice, size: int, count: int) -> list[int]:
    """So many parts, of at least one variable each, and together of so many."""
    sizes = [1] * count
    for _ in range(size - count):
        sizes[dice.integer(0, count - 1)] += 1
    return sizes


def _atom(dice: Dice, plan: Plan, required: bool) -> str:
    name = "abcd"[len(plan.positive)]
    kind = dice.pick("ABCA") if plan.has_types and not dice.chance(4) else "ANY"
    plan.types.append("A" if kind == "ANY" else kind)
    optional = {"?": 12, "*": 10, "{0,2}": 4}
    quantifier = dice.weighted({"": 50, "+": 22, "{1,2}": 5, "{2,3}": 5, **({} if required else optional)})
    if quantifier in ("", "?"):
        plan.singles.append(name)
        is_bare = not plan.has_types and not quantifier and dice.chance(50)
        return name if is_bare else f"{kind}{quantifier} {name}"
    plan.kleenes.append(name)
    plan.unbounded += 1
    text = f"{kind}{quantifier} {name}[]"
    return _with_own_window(dice, plan, text) if dice.chance(4) else text


def with_absences(
    dice: Dice, plan: Plan, parts: list[str], percent: int = 10, kinds: str = "ABC"
) -> list[str]:
    """The parts of a SEQ or AND, with absences before, between and after them; two at most."""
    found = []
    for place in range(len(parts) + 1):
        if len(plan.negated) < 2 and dice.chance(percent):
            name = "uv"[len(plan.negated)]
            plan.negated.append(name)
            kind = dice.pick(kinds) if plan.has_types else "ANY"
            found.append(f"{dice.pick('~!')}{kind} {name}")
        found += parts[place : place + 1]
    return found


def _with_own_window(dice: Dice, plan: Plan, text: str) -> str:
    return f"({text}) WITHIN {window(dice, plan)}"


def window(dice: Dice, plan: Plan) -> str:
    kind = dice.weighted({"time": 60, "half-open": 15, "events": 25})
    if kind == "events":
        return f"{dice.pick(plan.lengths['events'])} EVENTS"
    sign = "< " if kind == "half-open" else ""
    number = str(dice.pick(plan.lengths[plan.time_kind]))
    if "time_unit" in plan.binding:
        number += str(dice.pick((" s", "000 ms" if plan.time_kind == "int" else " seconds")))
    return sign + number
