"""How many runs took each edge of the automaton."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.counted import Counts
from cepheid.matchers.nfa import layout as at
from cepheid.pattern.query import Strategy
from cepheid.plan.nfa.plan import NfaPlan


def edge_counts(plan: NfaPlan, tally: np.ndarray) -> Counts:
    """By the keys that the explanation of the plan gives its edges."""
    automaton, rows = plan.automaton, tally.tolist()
    found: dict[str, dict[str, float]] = {}
    for place in automaton.first:
        found[f"start {place}"] = {"runs": rows[place][at.STARTED]}
    follow = 0
    for place, position in enumerate(plan.positions):
        row = rows[place]
        if position.kleene:
            found[f"take {place}"] = {"runs": row[at.TAKEN]}
        for follower in automaton.follow[place]:
            found[f"begin {place} {follower}"] = {"runs": rows[follow][at.BEGUN]}
            follow += 1
        if place in automaton.last:
            found[f"complete {place}"] = {"runs": row[at.COMPLETED]}
        if plan.query.strategy in (Strategy.ANY, Strategy.NEXT):
            gone = row[at.TAKEN] if position.kleene else row[at.LEFT]
            stayed = row[at.READ] - row[at.OVER] - (gone if plan.query.strategy is Strategy.NEXT else 0)
            found[f"ignore {place}"] = {"times": stayed, "over": row[at.OVER]}
        if row[at.SPOILT]:
            found[f"spoilt {place}"] = {"runs": row[at.SPOILT]}
    return found
