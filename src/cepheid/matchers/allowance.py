"""How much a matcher may find and hold before it is stopped."""

from __future__ import annotations

from collections import Counter

from cepheid.errors import LimitError


class Allowance:
    """The limits of a matcher, and how much of them is used. The feed says when counting begins anew."""

    def __init__(self, max_matches: int, max_state: int, refusal: str | None = None) -> None:
        """`refusal` replaces what the matcher says when there are too many matches."""
        self.max_matches = max_matches
        self.max_state = max_state
        self.found: Counter[int] = Counter()  # matches, by output
        self._is_limited = self._counts = True
        self._refusal = refusal
        self._parts: list[Allowance] = []

    def begin(self, *, limited: bool = True) -> None:
        """Count anew. Work that only repeats what was done before is not limited."""
        self.found.clear()
        self._is_limited = limited and self._counts
        for part in self._parts:
            part.begin(limited=limited)

    def part(self, refusal: str | None = None) -> Allowance:
        """The same limits for one of several matchers, which counts for itself and begins with this one."""
        part = Allowance(self.max_matches, self.max_state, refusal)
        self._parts.append(part)
        return part

    def uncounted(self) -> Allowance:
        """The same limits for a matcher whose matches another one chooses among: they are not counted, but
        those of its own parts are."""
        part = self.part()
        part._is_limited = part._counts = False
        return part

    def take(self, number: int, refusal: str, output: int = 0) -> None:
        """Count so many more matches."""
        self.found[output] += number
        self.expect(0, refusal, output)

    def expect(self, number: int, refusal: str, output: int = 0) -> None:
        """Refuse so many more matches before they are built. In the refusal `{limit}` is the limit, and
        `{rows}` how many there would be."""
        if self.may_pass(number, output):
            refusal = self._refusal or refusal
            raise LimitError(
                refusal.format(limit=f"{self.max_matches:,}", rows=f"{self.found[output] + number:,}")
            )

    def may_pass(self, number: int, output: int = 0) -> bool:
        """Whether so many more matches are too many."""
        return self._is_limited and self.found[output] + number > self.max_matches
