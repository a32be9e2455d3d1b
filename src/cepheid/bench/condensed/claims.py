"""What the paper on condensed composition claims, of its cost (I, IV) and of its speed (V, VI)."""

from itertools import pairwise
from typing import Any

from cepheid.bench.claims import Claim, Judge, Judged, Paper, ReportTables, over, spread, times
from cepheid.bench.condensed.cells import ALWAYS, NAMED, NEVER

WINDOWS, CLASSES, STOCKS = "Figure 8a", "Figure 8b", "Figure 8c"
INDEXED = "Query 3 with indexes"
SPEED, WORK = "events/s", "tested and made"

LOOPS = (
    "By nested loops on both sides, as the paper has it; with indexes both sides are far faster, and nearer."
)


def _sides(found: ReportTables, title: str, along: str, column: str) -> list[tuple[Any, float, float]]:
    """The place, and what both sides have there: condensed, then not."""
    condensed, plain = (
        {row[along]: float(row[column]) for row in found.rows(title, side=NAMED[side])}
        for side in (ALWAYS, NEVER)
    )
    return [(place, condensed[place], plain[place]) for place in condensed]


def _gains(found: ReportTables, title: str, along: str) -> list[float]:
    return [over(one, other) for _, one, other in _sides(found, title, along, SPEED)]


def _ahead(title: str, along: str) -> Judge:
    def judge(found: ReportTables) -> Judged:
        gains = _gains(found, title, along)
        return Judged(min(gains) > 1, spread(gains))

    return judge


def _falls(found: ReportTables) -> Judged:
    speeds = [one for _, one, _ in sorted(_sides(found, CLASSES, "classes", SPEED))]
    falling = all(later < one for one, later in pairwise(speeds))
    return Judged(falling, f"{speeds[0]:,.0f} events/s at first, {speeds[-1]:,.0f} at last")


def _grows(found: ReportTables) -> Judged:
    gains = _gains(found, STOCKS, "window s")
    return Judged(
        gains[-1] > gains[0], f"{times(gains[0])} at the smallest, {times(gains[-1])} at the largest"
    )


def _hundred(found: ReportTables) -> Judged:
    gains = _gains(found, STOCKS, "window s")
    indexed = _gains(found, INDEXED, "window s")
    return Judged(gains[-1] >= 100, f"{times(gains[-1])} by nested loops; {times(indexed[-1])} with indexes")


def _fewer(found: ReportTables) -> Judged:
    saved = [
        over(plain, condensed)
        for title, along in ((WINDOWS, "window"), (CLASSES, "classes"), (STOCKS, "window s"))
        for _, condensed, plain in _sides(found, title, along, WORK)
    ]
    return Judged(min(saved) >= 1, f"{spread(saved)} fewer tested and made")


def _power(found: ReportTables) -> Judged:
    """Pairs and composites without condensing, against the window: of degree n - 1 for n classes."""
    work = [(place, plain) for place, _, plain in sorted(_sides(found, WINDOWS, "window", WORK))]
    grown, wider = over(work[-1][1], work[0][1]), work[-1][0] / work[0][0]
    return Judged(grown >= wider**2, f"{times(grown)} the work for {wider:g} times the window")


def _same(found: ReportTables) -> Judged:
    cells = 0
    for title, along in ((WINDOWS, "window"), (CLASSES, "classes"), (STOCKS, "window s")):
        counts: dict[Any, set[int]] = {}
        for row in found.rows(title):
            counts.setdefault(row[along], set()).add(row["matches"])
        if any(len(each) > 1 for each in counts.values()):
            return Judged(False, f"{title} differs")
        cells += len(counts)
    return Judged(True, f"equal counts in {cells} cells")


def _switches(found: ReportTables) -> Judged:
    figure = found.figure("the switch, geometric mean")
    return Judged(figure.met is True, f"{figure.value} the time of the better side, {figure.note}")


def _space(found: ReportTables) -> Judged:
    figure = found.figure("peak state, condensed")
    return Judged(figure.met is True, f"at most {figure.value} the state, {figure.note}")


def _pairs_a_match(found: ReportTables, side: str) -> list[float]:
    return [
        over(float(row["pairs tested"]), float(row["matches"]))
        for title in (WINDOWS, CLASSES)
        for row in found.rows(title, side=NAMED[side])
        if row["matches"]
    ]


def _at_least_once(found: ReportTables) -> Judged:
    tested = _pairs_a_match(found, NEVER)
    return Judged(min(tested) >= 1, f"{spread(tested)} the matches")


def _less_than_once(found: ReportTables) -> Judged:
    tested = _pairs_a_match(found, ALWAYS)
    return Judged(min(tested) < 1, f"{spread(tested)} the matches")


def _by_degree(found: ReportTables) -> Judged:
    """The gain in speed where condensing saves most, against where it saves least."""
    cells = [
        (over(*reversed(work[1:])), over(*speed[1:]))
        for title, along in ((WINDOWS, "window"), (CLASSES, "classes"), (STOCKS, "window s"))
        for work, speed in zip(
            _sides(found, title, along, WORK), _sides(found, title, along, SPEED), strict=True
        )
    ]
    (fewer, least), (saved, most) = min(cells), max(cells)
    return Judged(
        most > max(1.0, least),
        f"{times(most)} the speed where {times(saved)} less is tested and made, "
        f"{times(least)} where {times(fewer)} is",
    )


CLAIMS = (
    Claim("I", "without condensing, conditions are evaluated at least once for each match", "at least N",
          _at_least_once, "A pair that one index finds is looked at too."),
    Claim("IV", "without condensing, the work grows with a power of the window", "degree n - 1", _power,
          "Query 2 of four classes: every combination in the window is composed."),
    Claim("IV", "condensing tests and makes fewer", "fewer", _fewer,
          "Events that agree in what the conditions need are tested once."),
    Claim("IV", "condensing need not evaluate them once for each match", "less than N", _less_than_once,
          "A group is tested once, however many matches it stands for."),
    Claim("IV", "the result is the same", "the same", _same,
          "Counts of all sides are compared in every cell."),
    Claim("IV", "the space for groups is at most that of the intermediate events", "O(intermediate events)",
          _space, "Peak state against that without condensing."),
    Claim("IV", "benefit and cost tell when to condense", "automatic", _switches,
          "It is decided from a sample of the events, for each node."),
    Claim("V.A, figure 8a", "condensing is faster at every window", "faster", _ahead(WINDOWS, "window"),
          "Both sides are indexed here, so that what is tested is less than the paper's on both."),
    Claim("V.A, figure 8b", "its throughput falls with the number of classes", "falls", _falls,
          "Each class is one more composition."),
    Claim("V.A, figure 8b", "condensing is faster at every number of classes", "faster",
          _ahead(CLASSES, "classes"), "With two or three classes there is little to save, and groups cost."),
    Claim("V.B, figure 8c", "condensing is faster on stock prices at every window", "greatly",
          _ahead(STOCKS, "window s"), LOOPS),
    Claim("V.B, figure 8c", "its benefit grows with the window", "evident", _grows, LOOPS),
    Claim("V.B, figure 8c", "at 90 seconds it is a hundred times as fast", "about 100×", _hundred, LOOPS),
    Claim("VI", "it improves speed where the condensation degree is high", "significantly", _by_degree,
          "What a group costs is paid back by the tests that it saves."),
)  # fmt: skip

PAPER = Paper("Condensed composition", "condensed", CLAIMS)
