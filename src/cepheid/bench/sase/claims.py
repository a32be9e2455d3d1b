"""What the SASE+ paper claims of its experiments (section 6), of its buffer (5), and of complexity (4.2)."""

import math

from cepheid.bench.claims import Claim, Judge, Judged, Paper, ReportTables, over, spread, times

FIRST = "Experiment 1: predicates"
WINDOWS = "Experiment 2"
RISES = "Other streams"
ALL, NON_OVERLAPPING = "Experiment 3", "Experiment 4"
MERGED, MERGED_WINDOWS, MERGED_RISES = "Experiment 5", "Experiment 6", "Merging, by how often"
BACK = "basic/backtracking"
EXPLOSIVE, PARTITIONS = "Explosive: larger windows", "Many partitions"
STATES = 3  # of the template: a[1], a[i] and b
EQUAL, NEAR = 1.25, 2.0
"""Speeds within this ratio are the same, or close."""

COMPILED = (
    "Both are compiled from the same code here and share the buffer, and an event that is read again is at "
    "hand: going back costs a step of a run, not what it cost in the paper's Java."
)
LISTING = (
    "Writing every match costs the same either way; runs that were merged pay for finding theirs in chains."
)


def _speed(found: ReportTables, query: str, title: str = FIRST) -> float:
    return float(found.value(title, "events/s", query=query))


def _same(found: ReportTables, one: str, other: str, most: float) -> Judged:
    ratio = over(_speed(found, one), _speed(found, other))
    return Judged(1 / most <= ratio <= most, f"{one} has {times(ratio)} the speed of {other}")


def _about(column: str, query: str, said: float, most: float = EQUAL) -> Judge:
    def judge(found: ReportTables) -> Judged:
        value = float(found.value(FIRST, column, query=query))
        return Judged(said / most <= value <= said * most, f"{value:g} {column}")

    return judge


def _slower(found: ReportTables) -> Judged:
    ratio = over(_speed(found, "p2s2"), _speed(found, "p2s3"))
    return Judged(ratio >= 10, f"p2s2 has {times(ratio)} the speed of p2s3")


def _close(found: ReportTables) -> Judged:
    ratios = [over(_speed(found, f"p3min{way}"), _speed(found, f"p1{way}")) for way in ("s2", "s3")]
    between = over(_speed(found, "p3mins2"), _speed(found, "p3mins3"))
    holds = all(1 / NEAR <= each <= NEAR for each in (*ratios, between))
    return Judged(holds, f"p3 to p1 {spread(ratios)}; s2 to s3 {times(between)}")


def _matching(found: ReportTables) -> Judged:
    shares = [row["matching"] for row in found.rows(FIRST) if row["matching"] != "–"]
    least = min((int(share.rstrip("%")) for share in shares), default=0)
    most = max((int(share.rstrip("%")) for share in shares), default=0)
    return Judged(least >= 60, f"{least}% to {most}% of the time")


def _by_window(found: ReportTables, query: str) -> float:
    """How many times slower the largest window is than the smallest."""
    rows = sorted(found.rows(WINDOWS, query=query), key=lambda row: row["W"])
    return over(float(rows[0]["events/s"]), float(rows[-1]["events/s"]))


def _grown(found: ReportTables) -> float:
    windows = found.values(WINDOWS, "W")
    return float(max(windows) / min(windows))


def _flat(found: ReportTables) -> Judged:
    ratio = _by_window(found, "p2s2")
    return Judged(ratio <= EQUAL, f"{times(ratio)} slower for {_grown(found):g} times the window")


def _quadratic(found: ReportTables) -> Judged:
    ratios = [_by_window(found, query) for query in ("p1s3", "p3mins3")]
    square = _grown(found) ** 2
    holds = all(square / NEAR <= each <= square * NEAR for each in ratios)
    return Judged(holds, f"{spread(ratios)} slower for {_grown(found):g} times the window")


def _linear(found: ReportTables) -> Judged:
    figure = found.figure("cost against output")
    fits = figure.note.count(";") + 1 if figure.met is not None else 0
    return Judged(figure.met is True, f"{figure.value} in {fits} queries")


def _rows_of(found: ReportTables, title: str, column: str, but: tuple[str, ...] = ()) -> list[float]:
    return [float(row[column]) for row in found.rows(title) if row["query"] not in but]


def _hundreds(found: ReportTables) -> Judged:
    ratios = _rows_of(found, ALL, BACK, ("p2s2",))
    return Judged(min(ratios) >= 200, spread(ratios))


def _short(found: ReportTables) -> Judged:
    ratio = float(found.value(ALL, BACK, query="p2s2"))
    return Judged(ratio >= 1.3, times(ratio))


def _read_again(found: ReportTables) -> Judged:
    shares = [float(row["re-read/event"]) for row in found.rows(ALL) if row["query"].endswith("s3")]
    return Judged(max(shares) > 0.3, f"{min(shares):g} to {max(shares):g} times an event")


def _alike(found: ReportTables) -> Judged:
    ratios = _rows_of(found, NON_OVERLAPPING, BACK, ("p3min*s2", "p3min*s3"))
    return Judged(min(ratios) >= 1 / NEAR, spread(ratios))


def _searching(found: ReportTables) -> Judged:
    ratio = float(found.value(NON_OVERLAPPING, BACK, query="p3min*s3"))
    return Judged(ratio >= 10, times(ratio))


def _gain(query: str, said: float) -> Judge:
    def judge(found: ReportTables) -> Judged:
        row = found.rows(MERGED, query=query)[0]
        whole, steps = float(row["merging/basic"]), float(row["steps gain"])
        return Judged(whole >= said, f"{times(whole)} end to end; {times(steps)} fewer steps of runs")

    return judge


def _expensive(found: ReportTables) -> Judged:
    least = min(float(row["all M/s"]) * float(row["merging/basic"]) for row in found.rows(MERGED)) * 1e6
    return Judged(least > 10_000, f"at least {least:,.0f} events/s")


def _matching_gain(found: ReportTables) -> Judged:
    gains = _rows_of(found, MERGED_WINDOWS, "matching gain")
    return Judged(min(gains) >= 1.4, spread(gains))


def _largest(found: ReportTables, query: str) -> float:
    rows = sorted(found.rows(MERGED_WINDOWS, query=query), key=lambda row: row["W"])
    return float(rows[-1]["matching gain"])


def _best_of_p2(found: ReportTables) -> Judged:
    p1, p2, p3 = (_largest(found, query) for query in ("p1s3", "p2s3", "p3mins3"))
    return Judged(p2 >= max(p1, p3), f"p1 {times(p1)}, p2 {times(p2)}, p3 {times(p3)}")


def _by_rise(found: ReportTables, query: str) -> float:
    rows = sorted(found.rows(RISES, query=query), key=lambda row: row["p"])
    return over(float(rows[0]["events/s"]), float(rows[-1]["events/s"]))


def _same_p1(found: ReportTables) -> Judged:
    ratio = _by_rise(found, "p1s3")
    return Judged(1 / EQUAL <= ratio <= EQUAL, f"{times(ratio)} the speed at the smallest p")


def _faster_p2_p3(found: ReportTables) -> Judged:
    ratios = [_by_rise(found, query) for query in ("p2s3", "p3mins3")]
    return Judged(min(ratios) > 1, f"{spread(ratios)} the speed at the smallest p")


def _merging_by_rise(found: ReportTables) -> Judged:
    ratios = []
    for query in dict.fromkeys(found.values(MERGED_RISES, "query")):
        rows = sorted(found.rows(MERGED_RISES, query=query), key=lambda row: row["p"])
        ratios.append(over(float(rows[0]["merging/basic"]), float(rows[-1]["merging/basic"])))
    return Judged(min(ratios) > 1, f"the gain is {spread(ratios)} that at p = 0.7")


def _smaller_margin(found: ReportTables) -> Judged:
    rows = sorted(found.rows("Backtracking, by how often"), key=lambda row: row["p"])
    least, most = float(rows[0][BACK]), float(rows[-1][BACK])
    return Judged(
        1 <= least <= most, f"{times(least)} at p = {rows[0]['p']}, {times(most)} at {rows[-1]['p']}"
    )


def _polynomial(found: ReportTables) -> Judged:
    """The exponents of the window in the time that each query takes."""
    queries = dict.fromkeys(found.values(WINDOWS, "query"))
    exponents = [math.log(_by_window(found, query)) / math.log(_grown(found)) for query in queries]
    return Judged(
        max(exponents) <= STATES, f"with the power {min(exponents):.1f} to {max(exponents):.1f} of the window"
    )


def _explodes(found: ReportTables) -> Judged:
    """The digits of a number that grows exponentially grow as the window does."""
    rows = sorted(found.rows(EXPLOSIVE), key=lambda row: row["events A"])
    grown = over(rows[-1]["digits of the count"], rows[0]["digits of the count"])
    wider = over(rows[-1]["events A"], rows[0]["events A"])
    return Judged(
        grown >= wider / NEAR,
        f"a count of {rows[-1]['digits of the count']} digits at {rows[-1]['events A']:,} events, "
        f"{times(grown)} as long for {times(wider)} the window",
    )


def _fewer_than_runs(found: ReportTables) -> Judged:
    row = max(found.rows(EXPLOSIVE), key=lambda row: row["events A"])
    return Judged(
        row["run steps"] <= 10 * row["events A"],
        f"{row['run steps']:,} steps of runs at {row['events A']:,} events, for matches whose number has "
        f"{row['digits of the count']} digits",
    )


def _writing(found: ReportTables) -> Judged:
    """What an event of a match costs outside of matching, at the largest window against the smallest."""
    ratios = []
    for query in dict.fromkeys(found.values(MERGED_WINDOWS, "query")):
        rows = sorted(found.rows(MERGED_WINDOWS, query=query), key=lambda row: row["W"])
        ratios.append(over(float(rows[-1]["rest ns"]), float(rows[0]["rest ns"])))
    return Judged(max(ratios) <= NEAR, f"{spread(ratios)} an event of a match at the largest window")


def _tens_of_thousands(found: ReportTables) -> Judged:
    speeds = [float(speed) for speed in found.values(FIRST, "events/s")]
    return Judged(min(speeds) >= 10_000, f"{min(speeds):,.0f} to {max(speeds):,.0f} events/s")


def _symbols(found: ReportTables) -> Judged:
    rows = sorted(found.rows(PARTITIONS), key=lambda row: row["keys"])
    ratio = over(float(rows[0]["events/s"]), float(rows[-1]["events/s"]))
    return Judged(
        ratio <= EQUAL, f"{times(ratio)} the time with {rows[-1]['keys']:,} for {rows[0]['keys']:,}"
    )


def _buffer(found: ReportTables) -> Judged:
    figure = found.figure("buffer against version numbers")
    return Judged(figure.met is True, figure.value)


CLAIMS = (
    Claim("4.2", "without skip till any match, the work grows with a power of the window",
          "at most the states", _polynomial, "Runs end with the window."),
    Claim("4.2", "under skip till any match, the matches may grow exponentially with the window",
          "exponential", _explodes, "Each event may be passed over or taken: 2^n - 1 matches of n."),
    Claim("4.2", "sharing takes far less than a run for each match", "less", _fewer_than_runs,
          "Runs that agree in what is still to come are one; EMIT COUNT lists none of the matches."),
    Claim("4.2", "the cost of writing matches is linear in their number and length", "linear", _writing,
          "Each event of each match is written once."),
    Claim("5.1", "one buffer for all runs costs less than what each of them would keep", "–", _buffer,
          "Measured in nodes and pointers, against the paper's buffer with version numbers."),
    Claim("6, set-up", "more symbols do not change the cost of an event", "none", _symbols,
          "A million partitions leave the processor's cache."),
    Claim("6, experiment 1", "p1 costs the same under s2 and s3", "the same",
          lambda found: _same(found, "p1s2", "p1s3", EQUAL), "Both take every event of a partition."),
    Claim("6, experiment 1", "matches of p1 are long", "250 events",
          _about("events/match", "p1s3", 250), "It follows from the window, starts and ends."),
    Claim("6, experiment 1", "two runs are live at a time under p1", "2",
          _about("run steps/event", "p1s3", 2), "It follows from the share of events that start a run."),
    Claim("6, experiment 1", "under p2, s3 is slower than s2 by an order of magnitude", "about 10×", _slower,
          "Reading the events is a larger share of p2s2 here, so that the two are nearer."),
    Claim("6, experiment 1", "matches of p2s2 are short", "4.5 events",
          _about("events/match", "p2s2", 4.5), "It follows from the probability that a price rises."),
    Claim("6, experiment 1", "few runs are live under p2s2", "0.01",
          _about("run steps/event", "p2s2", 0.01, 3.0), "A run ends as soon as a price does not rise."),
    Claim("6, experiment 1", "matches of p2s3 are long", "140 events",
          _about("events/match", "p2s3", 140), "It follows from the walk of prices."),
    Claim("6, experiment 1", "two runs are live at a time under p2s3", "2",
          _about("run steps/event", "p2s3", 2), "Runs that may skip live as long as the window."),
    Claim("6, experiment 1", "p3 is nearly as fast as p1, whatever the strategy", "close", _close,
          "p3 lets nearly every event in, so its matches are as long."),
    Claim("6, experiment 1", "p3 with max is as fast as p2", "similar",
          lambda found: _same(found, "p3maxs3", "p2s3", EQUAL), "A largest price is the last one of a rise."),
    Claim("6, experiment 1", "p3 with avg is as fast as with min", "similar",
          lambda found: _same(found, "p3avgs3", "p3mins3", EQUAL), "The mean lets fewer in than the least."),
    Claim("6, experiment 1", "matching is most of the cost", "60% to 100%", _matching,
          "Matching is compiled here; writing the matches down is what is left."),
    Claim("6, experiment 2", "the window has little effect on p2s2", "small", _flat,
          "Its runs end long before their window."),
    Claim("6, experiment 2", "p1s3 and p3s3 slow down with the square of the window", "quadratic", _quadratic,
          "Runs are read event by event, and their matches are written: each grows with the window."),
    Claim("6, experiment 2", "the cost is linear in the output", "linear", _linear,
          "Each event of each match is written once."),
    Claim("6, experiment 3", "all runs at once beat backtracking by far, but for p2s2", "200× to 300×",
          _hundreds, COMPILED),
    Claim("6, experiment 3", "and for p2s2 by little", "1.3×", _short, COMPILED),
    Claim("6, experiment 3", "backtracking reads events again under s3", "0.6 times an event", _read_again,
          "Counted, not timed: once for each postponed run that comes by."),
    Claim("6, experiment 4", "without overlaps, the two are alike where a match comes soon", "comparable",
          _alike, "Neither has much to go back to."),
    Claim("6, experiment 4", "where few runs find a match, all runs at once are faster", "about 10×",
          _searching, COMPILED),
    Claim("6, experiment 5", "merging gains on p1s3", "1.5×", _gain("p1s3", 1.5), LISTING),
    Claim("6, experiment 5", "merging gains on p2s3", "1.4×", _gain("p2s3", 1.4), LISTING),
    Claim("6, experiment 5", "merging gains on p3s3", "1.5×", _gain("p3mins3", 1.5), LISTING),
    Claim("6, experiment 5", "merging runs every expensive query fast", "over 10,000 events/s", _expensive,
          "The paper's machine is of 2008."),
    Claim("6, experiment 6", "merging gains in matching alone, at all windows", "1.4× to 2.1×",
          _matching_gain,
          "A step of a run is some instructions here, so that looking for runs to merge weighs more."),
    Claim("6, experiment 6", "p2 gains most at large windows", "most", _best_of_p2,
          "p1 merges all runs here by their state alone, and pays little for it."),
    Claim("6, other streams", "p1 does not depend on how often prices rise", "the same", _same_p1,
          "It takes every event."),
    Claim("6, other streams", "p2 and p3 are faster where prices rise less often", "faster", _faster_p2_p3,
          "Fewer events are taken; but prices that stay give more starts."),
    Claim("6, other streams", "backtracking is nearer where prices rise less often", "a smaller margin",
          _smaller_margin, COMPILED),
    Claim("6, other streams", "merging gains more where prices rise less often", "more", _merging_by_rise,
          "Matches are shorter, and runs that stay at one price are alike."),
    Claim("7", "expensive queries run at tens of thousands of events a second", "tens of thousands",
          _tens_of_thousands, "Matching is compiled, and the machine is younger."),
)  # fmt: skip

PAPER = Paper("SASE+", "sase", CLAIMS)
