"""The steps of a funnel as text, and the queries that they stand for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cepheid.errors import QueryCheckError, QueryError
from cepheid.language.sase.one_event import about
from cepheid.pattern.words import attribute_text, name_text
from cepheid.time import Window

_WHERE = re.compile(r"(?:^|(?<=\s))where\s", re.IGNORECASE)
_QUOTED = re.compile(r"\s*`((?:[^`]|``)+)`\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """A step: events of a type, of any type if that is None, that a condition may choose among."""

    label: str
    type: str | None
    condition: str | None = None


def funnel_step(place: int, label: str, text: str) -> FunnelStep:
    """`view`, `Product Viewed`, `view WHERE page = '/'`, `WHERE page = '/'`: the type, which may have blanks
    in it, up to WHERE, and the condition after it."""
    quoted = _QUOTED.match(text)
    rest = text[quoted.end() :] if quoted is not None else text
    where = _WHERE.search(rest)
    written = rest[: where.start()].strip() if where is not None else rest.strip()
    condition = rest[where.end() :] if where is not None else None
    if quoted is not None and written:
        raise QueryCheckError(f"step {place} of the funnel: WHERE should follow the type, not '{written}'")
    if quoted is None and not written and condition is None:
        raise QueryCheckError(
            f"step {place} of the funnel is empty: name a type of event, or a condition after WHERE"
        )
    if condition is not None:
        _check_condition(place, condition)
    kind = quoted[1].replace("``", "`") if quoted is not None else written
    is_any = quoted is None and kind.upper() in ("", "ANY")
    return FunnelStep(label, None if is_any else kind, condition)


def funnel_query(steps: Sequence[FunnelStep], keys: Sequence[str], window: Window | None, time: str) -> str:
    """The query whose matches reach the last of the steps: it returns the keys, when the step before was
    taken, and when the last one was."""
    named = [(f"s{place}", step) for place, step in enumerate(steps, 1)]
    atoms = [f"{'ANY' if step.type is None else name_text(step.type)} {name}" for name, step in named]
    asked = [f"[{', '.join(map(attribute_text, keys))}]"]
    asked += [f"({_alone(name, step.condition)})" for name, step in named if step.condition is not None]
    clock, last = attribute_text(time), len(steps)
    kept = [f"s1.{attribute_text(key)} AS key_{place}" for place, key in enumerate(keys, 1)]
    kept += [f"s{last - 1}.{clock} AS before"] if last > 1 else []
    lines = [
        f"PATTERN SEQ({', '.join(atoms)})" if last > 1 else f"PATTERN {atoms[0]}",
        f"WHERE skip_till_next_match {{ {' AND '.join(asked)} }}",
        *([f"WITHIN {window}"] if window is not None else []),
        f"RETURN {', '.join([*kept, f's{last}.{clock} AS reached'])}",
    ]
    return "\n".join(lines)


def _alone(variable: str, condition: str) -> str:
    """A condition between parentheses, which a comment at its end may not swallow."""
    return about(variable, condition) + ("\n" if "--" in condition else "")


def _check_condition(place: int, condition: str) -> None:
    try:
        about("s1", condition)
    except QueryError as error:
        error.message = f"step {place} of the funnel: {error.message}"
        raise
