"""What came of a scenario: it holds, it does not, or it could not be run; nothing is raised."""

import time as clock
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from cepheid.errors import CepheidError, CepheidWarning
from cepheid.testing.assertions import assert_scenario
from cepheid.testing.comparisons import Difference
from cepheid.testing.scenarios import WrittenScenario


class ScenarioVerdict(Enum):
    """Ends of a scenario."""

    HOLDS = "ok"
    DIFFERS = "failed"
    BROKEN = "error"


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """A match or a row of either side. `sign` is `-` for a missing one, `+` for one not expected, a blank for
    one that is both; where just the order differs, `<` for what is expected and `>` for what is found."""

    sign: str
    found: Any


@dataclass(frozen=True, slots=True)
class ScenarioOutcome:
    """What came of one scenario."""

    written: WrittenScenario
    verdict: ScenarioVerdict
    seconds: float
    says: str = ""
    difference: Difference | None = None
    notes: tuple[str, ...] = ()  # what cepheid warned of

    def lines(self) -> list[ComparedLine]:
        """Both sides as one list: what is expected in its order, then what is found besides."""
        return compared(self.difference) if self.difference is not None else []


def outcome_of(written: WrittenScenario) -> ScenarioOutcome:
    """Run a scenario, and say what came of it."""
    started = clock.perf_counter()
    verdict, says, difference = ScenarioVerdict.HOLDS, "", None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", CepheidWarning)
        try:
            assert_scenario(written.read())
        except Difference as error:
            verdict, says, difference = ScenarioVerdict.DIFFERS, _summary(error), error
        except AssertionError as error:
            verdict, says = ScenarioVerdict.DIFFERS, str(error)
        except (CepheidError, ValueError, TypeError) as error:
            verdict, says = ScenarioVerdict.BROKEN, _without_place(str(error), written)
    notes = tuple(dict.fromkeys(str(each.message) for each in told if each.category is CepheidWarning))
    return ScenarioOutcome(written, verdict, clock.perf_counter() - started, says, difference, notes)


def compared(difference: Difference) -> list[ComparedLine]:
    """What is expected, with what is missing of it, and then what was not expected."""
    found, expected = (_texts(side) for side in (difference.found, difference.expected))
    spare = Counter(found)
    lines = []
    for text, whole in zip(expected, difference.expected, strict=True):
        lines.append(ComparedLine(" " if spare[text] else "-", whole))
        spare[text] -= spare[text] > 0
    for text, whole in reversed(list(zip(found, difference.found, strict=True))):
        if spare[text]:
            spare[text] -= 1
            lines.append(ComparedLine("+", whole))
    if all(line.sign == " " for line in lines):
        sides = (("<", difference.expected), (">", difference.found))
        return [ComparedLine(sign, whole) for sign, side in sides for whole in side]
    extra = [line for line in lines if line.sign == "+"]
    return [*(line for line in lines if line.sign != "+"), *reversed(extra)]


def _summary(difference: Difference) -> str:
    lines = compared(difference)
    missing, extra = (sum(line.sign == sign for line in lines) for sign in "-+")
    if not missing and not extra:
        return "what was found is what was expected, but in another order"
    wanted = len(difference.expected)
    if not wanted:
        return f"{_many(extra, difference.what)}, and none was expected"
    parts = [f"{missing:,} missing"] * bool(missing) + [f"{extra:,} not expected"] * bool(extra)
    were = "was" if wanted == 1 else "were"
    return f"{' and '.join(parts)}, where {_many(wanted, difference.what)} {were} expected"


def _many(count: int, what: str) -> str:
    several = "matches" if what == "match" else f"{what}s"
    return f"{count:,} {what if count == 1 else several}"


def _texts(side: Sequence[Any]) -> list[str]:
    return [each if isinstance(each, str) else repr(each) for each in side]


def _without_place(text: str, written: WrittenScenario) -> str:
    """The message alone: where it is from is said beside it."""
    return text.removeprefix(f"{written.source or 'scenario'}, '{written.title}': ")
