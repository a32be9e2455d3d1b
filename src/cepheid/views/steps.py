"""How far events came: how many of them pass what each variable of a pattern asks of one event."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassedStep:
    """One thing that a variable asks of an event, and how many events pass it and all before it."""

    variable: str  # as in the text: a, b[1], b[i], ~r
    asks: str
    events: int


def step_lines(steps: Sequence[PassedStep]) -> list[str]:
    """A line a step, in columns; a variable is named at its first step."""
    if not steps:
        return []
    wide, long = (max(len(text) for text in texts) for texts in zip(*map(_texts, steps), strict=True))
    lines, before = [], None
    for step in steps:
        variable, asks = _texts(step)
        shown = variable if variable != before else ""
        lines.append(f"  {shown:<{wide}}  {asks:<{long}}  {step.events:>9,}")
        before = variable
    return lines


def _texts(step: PassedStep) -> tuple[str, str]:
    asks = step.asks if len(step.asks) <= 60 else step.asks[:59] + "…"
    return step.variable, asks
