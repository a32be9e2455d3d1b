"""What the A-Seq thesis claims: of counting alone (1, 3, 5.2), of sharing (4, 5.3), and of its optimizer."""

from itertools import pairwise
from statistics import median

from cepheid.bench.claims import Claim, Judge, Judged, Paper, ReportTables, over, spread, times
from cepheid.bench.results import Row

LENGTH, WINDOW, STRESS, ABSENCE = "Experiment 1", "Experiment 2", "Experiment 3", "Experiment 4"
FREQUENCY, SHARED_LENGTH, QUERIES = "Sharing: frequency", "Sharing: length", "Sharing: number"
PLANS, RUNS = "Query groups: greedy", "Query groups: shared"
DEFAULT, MARKING, BUILDS = "default", "aseq", "construction"
NS, STATE = "ns/event", "peak state bytes"
APART, CONNECTED = "apart, aseq", "chop_connect"
REFUSED = "Chop-Connect did not run; the table says why"


def _along(found: ReportTables, title: str, method: str, column: str, by: str) -> list[float]:
    rows = sorted(found.rows(title, method=method), key=lambda row: row[by])
    return [float(row[column]) for row in rows]


def _against(found: ReportTables, title: str, column: str, by: str) -> list[float]:
    """Building against counting, by length or window."""
    builds, counts = (_along(found, title, method, column, by) for method in (BUILDS, DEFAULT))
    return [over(one, other) for one, other in zip(builds, counts, strict=True)]


def _grown(values: list[float]) -> float:
    return over(values[-1], values[0])


def _orders(found: ReportTables) -> Judged:
    ratios = _against(found, LENGTH, NS, "length")
    return Judged(min(ratios) >= 100, spread(ratios))


def _shortest(found: ReportTables) -> Judged:
    spent = _along(found, LENGTH, DEFAULT, NS, "length")[0]
    return Judged(spent <= 1_200, f"{spent:,.0f} ns an event")


def _longest(found: ReportTables) -> Judged:
    ratio = _against(found, LENGTH, NS, "length")[-1]
    return Judged(ratio >= 16_736, times(ratio))


def _slightly(found: ReportTables) -> Judged:
    grown = _grown(_along(found, LENGTH, DEFAULT, NS, "length"))
    return Judged(grown < 2, f"{times(grown)} from the shortest to the longest")


def _exponential(found: ReportTables) -> Judged:
    spent = _along(found, LENGTH, BUILDS, NS, "length")
    steps = [over(later, one) for one, later in pairwise(spent)]
    return Judged(min(steps) > 2, f"{spread(steps)} for each step more")


def _memory(title: str, by: str) -> Judge:
    def judge(found: ReportTables) -> Judged:
        ratios = _against(found, title, STATE, by)
        return Judged(min(ratios) > 1, f"building holds {spread(ratios)} as much")

    return judge


def _counters(found: ReportTables) -> Judged:
    objects = _along(found, LENGTH, MARKING, "objects", "length")
    return Judged(max(objects) <= 1.1 * min(objects), f"{min(objects):,.0f} to {max(objects):,.0f} objects")


def _stored(found: ReportTables) -> Judged:
    grown = _grown(_along(found, LENGTH, BUILDS, "objects", "length"))
    return Judged(grown > 10, f"{times(grown)} the objects")


def _degrades(found: ReportTables) -> Judged:
    built, counted = (_grown(_along(found, WINDOW, method, NS, "window ms")) for method in (BUILDS, DEFAULT))
    return Judged(built > counted, f"building {times(built)}, counting {times(counted)} at the largest")


def _stressed(found: ReportTables) -> list[Row]:
    return [row for row in found.rows(STRESS, method=DEFAULT) if row["window ms"] == 2_000]


def _stress(found: ReportTables) -> Judged:
    spent = [float(row[NS]) for row in _stressed(found)]
    return Judged(max(spent) <= 21_900, f"{min(spent):,.0f} to {max(spent):,.0f} ns an event")


def _as_shortest(found: ReportTables) -> Judged:
    slowest = max(float(row[NS]) for row in _stressed(found))
    built = _along(found, LENGTH, BUILDS, NS, "length")[0]
    return Judged(slowest <= 1.1 * built, f"{slowest:,.0f} ns; building at length 2 takes {built:,.0f} ns")


def _absent(method: str, found: ReportTables) -> float:
    inside, none = (
        float(found.value(ABSENCE, NS, method=method, absence=place))
        for place in ("inside (q9)", "none (q8)")
    )
    return over(inside, none)


def _no_overhead(found: ReportTables) -> Judged:
    ratio = _absent(DEFAULT, found)
    return Judged(ratio <= 1.25, f"{times(ratio)}; by start event marking {times(_absent(MARKING, found))}")


def _overhead(found: ReportTables) -> Judged:
    ratio = _absent(BUILDS, found)
    return Judged(ratio > 1.25, times(ratio))


def _sharing(found: ReportTables, title: str, by: str) -> list[tuple[float, float]]:
    """How many times as fast Chop-Connect is, along what is varied."""
    rows = found.rows(title)
    if not any(row["contender"] == CONNECTED for row in rows):
        return []
    apart = {row[by]: float(row[NS]) for row in rows if row["contender"] == APART}
    together = {row[by]: float(row[NS]) for row in rows if row["contender"] == CONNECTED}
    return [
        (float(place), over(apart[place], together[place])) for place in sorted(together) if place in apart
    ]


def _told(pairs: list[tuple[float, float]]) -> str:
    return ", ".join(f"{place:g}: {times(ratio)}" for place, ratio in pairs) or REFUSED


def _rare(found: ReportTables) -> Judged:
    pairs = _sharing(found, FREQUENCY, "f %")
    return Judged(bool(pairs) and pairs[0][1] > 1, _told(pairs))


def _frequent(found: ReportTables) -> Judged:
    pairs = _sharing(found, FREQUENCY, "f %")
    return Judged(bool(pairs) and pairs[-1][1] < pairs[0][1], _told(pairs))


def _changes(found: ReportTables) -> Judged:
    pairs = _sharing(found, FREQUENCY, "f %")
    gains = [place for place, ratio in pairs if ratio > 1]
    last = max(gains, default=0.0)
    return Judged(0.1 <= last <= 2.5, f"it gains up to {last:g}%")


def _more(title: str, by: str) -> Judge:
    def judge(found: ReportTables) -> Judged:
        pairs = _sharing(found, title, by)
        return Judged(len(pairs) > 1 and pairs[-1][1] > pairs[0][1], _told(pairs))

    return judge


def _slow_search(found: ReportTables) -> Judged:
    ratios = [over(float(row["exact ms"]), float(row["greedy ms"])) for row in found.rows(PLANS)]
    return Judged(median(ratios) > 10, f"{spread(ratios)}, median {times(median(ratios))}")


def _stable(found: ReportTables) -> Judged:
    spent = found.values(PLANS, "greedy ms")
    return Judged(max(spent) <= 100, f"{min(spent)} to {max(spent)} ms")


def _optimal(found: ReportTables) -> Judged:
    equal = found.values(PLANS, "equal")
    same = sum(str(each) in ("True", "yes") for each in equal)
    return Judged(same / len(equal) >= 11 / 12, f"{same} of {len(equal)}")


def _shared(found: ReportTables) -> Judged:
    """Where the plan shares something: that workload against each query apart."""
    ratios = _by_group(found, "apart", "greedy")
    faster = sum(ratio > 1 for ratio in ratios)
    return Judged(faster == len(ratios) > 0, f"in {faster} of {len(ratios)} groups; {spread(ratios)}")


def _as_exact(found: ReportTables) -> Judged:
    ratios = _by_group(found, "greedy", "exact")
    return Judged(max(ratios) <= 1.25, f"greedy takes {spread(ratios)} the time of exact")


def _prefixes(found: ReportTables) -> Judged:
    ratios = _by_group(found, "apart", "prefix_tree")
    return Judged(median(ratios) > 1, f"{spread(ratios)}, median {times(median(ratios))}")


def _by_group(found: ReportTables, slow: str, fast: str) -> list[float]:
    rows = found.rows(RUNS)
    spent = {(row["group"], row["contender"]): float(row[NS]) for row in rows}
    groups = dict.fromkeys(row["group"] for row in rows)
    both = [group for group in groups if {(group, slow), (group, fast)} <= spent.keys()]
    return [over(spent[group, slow], spent[group, fast]) for group in both]


def _four_orders(found: ReportTables) -> Judged:
    ratios = [*_against(found, LENGTH, NS, "length"), *_against(found, WINDOW, NS, "window ms")]
    there = sum(ratio >= 10_000 for ratio in ratios)
    return Judged(there > len(ratios) / 2, f"in {there} of {len(ratios)} settings; {spread(ratios)}")


def _by_starts(found: ReportTables) -> Judged:
    """The published counting, whose first events in the window grow as the window does."""
    rows = sorted(found.rows(WINDOW, method=MARKING), key=lambda row: row["window ms"])
    grown, wider = (over(float(rows[-1][name]), float(rows[0][name])) for name in (NS, "window ms"))
    return Judged(grown <= 1.25 * wider, f"{times(grown)} for {times(wider)} the window")


def _by_size(found: ReportTables, column: str) -> tuple[float, float]:
    """How much a time grows from the smallest groups to the largest, and how much the queries do."""
    rows = found.rows(PLANS)
    sizes = sorted(set(found.values(PLANS, "queries")))
    least, most = (median(float(row[column]) for row in rows if row["queries"] == size)
                   for size in (sizes[0], sizes[-1]))  # fmt: skip
    return over(most, least), over(sizes[-1], sizes[0])


def _greedy_square(found: ReportTables) -> Judged:
    grown, more = _by_size(found, "greedy ms")
    return Judged(grown <= 1.25 * more**4, f"{times(grown)} for {times(more)} the queries")


def _hard(found: ReportTables) -> Judged:
    grown, more = _by_size(found, "exact ms")
    return Judged(grown > more**2, f"{times(grown)} for {times(more)} the queries")


COUNTED = "No match is built: a count for each step is all that is kept."
FASTER_BASELINE = (
    "The baseline is compiled here too, and writes matches to a buffer as fast as memory takes them."
)
CONNECTING = "Each event of the connecting type makes a snapshot of the counts before it."

CLAIMS = (
    Claim("1.4", "counting is four orders of magnitude faster in a wide range of settings", "over 10,000×",
          _four_orders, FASTER_BASELINE),
    Claim("3.2", "an event costs at most an update for each first event in the window", "O(n)", _by_starts,
          "By start event marking, as published; the default does not visit first events."),
    Claim("5.2, experiment 1", "counting beats building by orders of magnitude at all lengths",
          "17× at length 2 and up", _orders, FASTER_BASELINE),
    Claim("5.2, experiment 1", "an event costs little at length 2", "1,200 ns", _shortest, COUNTED),
    Claim("5.2, experiment 1", "at length 5 counting is some ten thousand times faster", "16,736×", _longest,
          "It depends on the density of the stream, which the thesis does not tell."),
    Claim("5.2, experiment 1", "counting slows down only slightly with length", "slightly", _slightly,
          COUNTED),
    Claim("5.2, experiment 1", "building grows exponentially with length", "exponential", _exponential,
          "Each step multiplies the matches by the events of a type in the window."),
    Claim("5.2, experiment 1", "counting holds far less at all lengths", "orders of magnitude",
          _memory(LENGTH, "length"), "Of the matches of an event our baseline keeps a buffer alone."),
    Claim("5.2, experiment 1", "the number of counters does not grow with length", "stable", _counters,
          "There is one for each active start."),
    Claim("5.2, experiment 1", "what building stores grows dramatically with length", "dramatic", _stored,
          "Events on stacks, pointers between them, and matches."),
    Claim("5.2, experiment 2", "building degrades much faster than counting as the window grows",
          "much faster", _degrades, COUNTED),
    Claim("5.2, experiment 2", "counting holds less at all windows", "less", _memory(WINDOW, "window ms"),
          "Of the matches of an event our baseline keeps a buffer alone."),
    Claim("5.2, experiment 3", "long patterns over large windows cost little", "21,900 ns", _stress,
          "Counts that pass 64 bits are exact here, and cost more for that."),
    Claim("5.2, experiment 3", "the worst of them costs what building does at length 2", "20,000 ns",
          _as_shortest, FASTER_BASELINE),
    Claim("5.2, experiment 4", "an absence costs counting almost nothing", "almost nothing", _no_overhead,
          "An event that is absent resets a count; the default also keeps what is reset by start."),
    Claim("5.2, experiment 4", "an absence costs building much", "significant", _overhead,
          "Each match that was built is looked at again."),
    Claim("4.1", "sharing prefixes saves work", "–", _prefixes,
          "The groups share substrings in any place; prefixes are shared where they have them."),
    Claim("4.3.3", "the best plan takes time that is exponential in what may be shared", "NP-hard", _hard,
          "Integer programming prunes most of the search at these sizes."),
    Claim("4.3.3", "the greedy optimizer takes at most the square of the candidates", "O(n²)", _greedy_square,
          "Candidates grow at most with the square of the queries."),
    Claim("5.3, experiment 1", "Chop-Connect beats no sharing where the connecting type is rare",
          "below 1.3%", _rare, CONNECTING),
    Claim("5.3, experiment 1", "it degrades as the connecting type gets frequent", "quickly", _frequent,
          CONNECTING),
    Claim("5.3, experiment 1", "it stops to gain at a share between 0.1% and 2.5%", "1.3%", _changes,
          CONNECTING),
    Claim("5.3, experiment 1", "the longer the shared substring, the more it gains", "grows",
          _more(SHARED_LENGTH, "l"), "What is shared is counted once for all queries."),
    Claim("5.3, experiment 1", "the more queries share, the more it gains", "grows", _more(QUERIES, "k"),
          "What is shared is counted once for all queries."),
    Claim("5.3, experiment 2", "exhaustive search takes much longer than the greedy optimizer",
          "orders of magnitude", _slow_search, "Exact plans are found by integer programming here."),
    Claim("5.3, experiment 2", "the greedy optimizer is quick whatever the group", "stable", _stable,
          "It looks at each candidate a few times."),
    Claim("5.3, experiment 2", "its plans are the best", "in 11 of 12 groups", _optimal,
          "By the thesis's own model of benefit."),
    Claim("5.3, experiment 2", "a shared plan is always faster than none", "always", _shared,
          "The model of benefit counts operations, not what they cost here."),
    Claim("5.3, experiment 2", "where plans differ, the exact one is only slightly better", "slightly",
          _as_exact, "Plans that differ save nearly as much."),
)  # fmt: skip

PAPER = Paper("A-Seq", "aseq", CLAIMS)
