"""What the CEDMFT paper claims of its experiments (section 4)."""

from statistics import mean

from cepheid.bench.claims import Claim, Judge, Judged, Paper, ReportTables, over, spread, times
from cepheid.bench.xml.queries import PLAIN, REGULAR

TIMES, THROUGHPUT, PREDICATES = "Figure 1", "Figure 2", "Predicates"
STAND_IN = "The CepEngine is not to be had: the loop that people write with lxml stands in for it."
BYTES = "Every byte is looked at and checked; 3.3 GB/s is near what memory gives one core."


def _faster(kind: str, much: float) -> Judge:
    def judge(found: ReportTables) -> Judged:
        ratios = [float(row["× lxml loop"]) for row in found.rows(TIMES, kind=kind)]
        return Judged(min(ratios) >= much, f"{spread(ratios)} as fast")

    return judge


def _speeds(found: ReportTables, kind: str, factor: float) -> float:
    return mean(float(row["GB/s"]) for row in found.rows(THROUGHPUT, kind=kind, factor=factor))


def _largest(found: ReportTables) -> float:
    return float(max(found.values(THROUGHPUT, "factor")))


def _at_least(kind: str, said: float) -> Judge:
    def judge(found: ReportTables) -> Judged:
        speed = _speeds(found, kind, _largest(found))
        return Judged(speed >= said, f"{speed:.2f} GB/s")

    return judge


def _stable(found: ReportTables) -> Judged:
    factors = sorted(set(found.values(THROUGHPUT, "factor")))
    ratios = [
        over(_speeds(found, kind, factors[-1]), _speeds(found, kind, factors[-2]))
        for kind in (PLAIN, REGULAR)
    ]
    return Judged(all(0.8 <= ratio <= 1.25 for ratio in ratios), f"{spread(ratios)} at the last step")


def _nearer(found: ReportTables) -> Judged:
    """How far regular patterns are behind plain ones, in small documents and in large ones."""
    factors = sorted(set(found.values(THROUGHPUT, "factor")))
    behind = [over(_speeds(found, PLAIN, each), _speeds(found, REGULAR, each)) for each in factors]
    return Judged(
        behind[-1] <= behind[0], f"{times(behind[0])} in the smallest, {times(behind[-1])} in the largest"
    )


def _lower(found: ReportTables) -> Judged:
    ratio = over(_speeds(found, PLAIN, _largest(found)), _speeds(found, REGULAR, _largest(found)))
    return Judged(ratio > 1, f"plain ones are {times(ratio)} as fast")


def _comparing(found: ReportTables) -> Judged:
    timing = {row["query"]: float(row["cepheid s"]) for row in found.rows(TIMES)}
    ratio = over(timing["Q3.6"], timing["Q3.2"])
    return Judged(ratio <= 1.25, f"Q3.6 takes {times(ratio)} the time of Q3.2")


def _all_found(found: ReportTables) -> Judged:
    rows = found.rows(TIMES)
    return Judged(
        len(rows) == 16, f"{len(rows)} queries, {sum(row['rows'] for row in rows):,} rows as others find"
    )


CLAIMS = (
    Claim("4.1", "one language has plain and regular tree patterns", "16 queries", _all_found,
          "Each was found equal to a loop written by hand."),
    Claim("4.2, figure 1", "plain patterns are much faster than by the CepEngine", "much faster",
          _faster(PLAIN, 2.0), STAND_IN),
    Claim("4.2, figure 1", "join, or and closure are still faster than by the CepEngine", "faster",
          _faster(REGULAR, 1.0), STAND_IN),
    Claim("4.2, figure 2", "throughput gets stable as documents grow", "stable", _stable,
          "What a run costs once is soon little beside the document."),
    Claim("4.2, figure 2", "the effect of operators gets less as documents grow", "less", _nearer,
          "Regular and plain patterns look at the same bytes."),
    Claim("4.2, figure 2", "plain patterns and comparisons read large documents fast", "3.3 GB/s",
          _at_least(PLAIN, 3.3), BYTES),
    Claim("4.2, figure 2", "regular patterns are slower than plain ones", "obviously", _lower,
          "A sibling expression is a compiled automaton here, and costs what a step costs."),
    Claim("4.2, figure 2", "regular patterns read large documents fast", "1.2 GB/s", _at_least(REGULAR, 1.2),
          BYTES),
    Claim("4.2, figure 2", "a comparison has no obvious effect", "none", _comparing,
          "Its text is looked at only where the rest of the pattern stands."),
)  # fmt: skip

PAPER = Paper("CEDMFT", "xml", CLAIMS)
