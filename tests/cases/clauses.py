"""The other clauses of a random query, and the whole case that a pattern and its conjuncts become."""

from __future__ import annotations

from typing import Any

from tests.cases.conditions import return_items
from tests.cases.dice import Dice
from tests.cases.patterns import window
from tests.cases.streams import Case, Plan, arranged, events_of
from tests.cases.times import ZONES

STRATEGIES = {
    "": 18,
    "skip_till_any_match": 17,
    "skip_till_next_match": 35,
    "strict_contiguity": 13,
    "partition_contiguity": 17,
}


def plan_of(dice: Dice, strategies: dict[str, int] = STRATEGIES, kind: type[Plan] = Plan) -> Plan:
    time_kind = dice.weighted({"int": 50, "timestamp": 30, "float": 20})
    has_types = not dice.chance(8)
    binding: dict[str, Any] = {"time": "time"}
    if has_types:
        binding["type"] = "type"
    if dice.chance(25):
        binding["order"] = ["seq"]
    if time_kind != "timestamp" and dice.chance(20):
        binding["time_unit"] = "s"
    zone = dice.pick(ZONES)
    time_zone = zone if time_kind == "timestamp" and dice.chance(60) else None
    return kind(time_kind, has_types, binding, dice.weighted(strategies), zone=zone, time_zone=time_zone)


def equivalences(dice: Dice, plan: Plan) -> list[str]:
    weights = (
        {"[k]": 60, "[k, g]": 20, "": 20}
        if plan.strategy == "partition_contiguity"
        else {"": 65, "[k]": 22, "[g]": 6, "[k, g]": 5, "[k] AND [g]": 2}
    )
    test = dice.weighted(weights)
    return [test] if test else []


def assembled(
    dice: Dice, plan: Plan, text: str, tests: list[str], emissions: dict[str, int], returns: int = 30
) -> Case:
    """The whole case of a pattern and its conjuncts: the other clauses, and a stream.

    So many percent of the cases have RETURN.
    """
    lines = [f"PATTERN {text}"]
    if plan.strategy:
        lines.append(f"WHERE {plan.strategy} {{ {' AND '.join(tests)} }}")
    elif tests:
        lines.append(f"WHERE {' AND '.join(tests)}")
    has_window = dice.chance(70)
    if has_window:
        lines.append(f"WITHIN {window(dice, plan)}")
    returned = f"RETURN {return_items(dice, plan)}" if dice.chance(returns) else ""
    emission = dice.weighted(emissions)
    if emission == "EMIT FIRST":
        emission += f" {dice.integer(1, 3)}"
    lines += [emission] if emission == "EMIT COUNT" else [returned, emission]
    events, lateness = arranged(dice, plan, events_of(dice, plan))
    cuts = sorted({dice.integer(0, len(events)) for _ in range(dice.integer(0, 3))})
    query_text = "\n".join(line for line in lines if line)
    zones = plan.zone, plan.time_zone
    return Case(query_text, events, plan.binding, cuts, lateness, has_window, plan.time_kind, *zones)
