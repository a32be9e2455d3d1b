"""Frequent starts: many runs overlap, and merging makes few of them."""

from dataclasses import dataclass

from cepheid.bench.results import Figure, Row, Section, at_least
from cepheid.bench.sase.queries import SEED, SESSION_ROWS, QueryTemplate
from cepheid.bench.sase.sharing import AUTO, BASIC, MERGING, SharingTimes, compared_fed, ratio
from cepheid.bench.sase.sizes import SaseSizes
from cepheid.matchers.nfa.sharing import FIRST_LOOK, STRETCH
from cepheid.sources.generate import stocks

FREQUENT = "a[1].volume > 950"  # one event in twenty
RARE, USUAL = "b.volume < 2", "b.volume < 150"
FASTER_BAR = 2.0
FEWER = 10
"""Queries that go through the whole buffer at each completing event run over a tenth of the events."""


@dataclass(frozen=True, slots=True)
class StartsCase:
    """A query, and what its time is spent on."""

    predicate: str
    end: str
    emit: str
    bound: str
    fewer: bool = False

    @property
    def template(self) -> QueryTemplate:
        return QueryTemplate(self.predicate, "s3", emit=self.emit, start=FREQUENT, end=self.end)


CASES = (
    StartsCase("p1", RARE, "ALL", "steps of runs; merged, reading"),
    StartsCase("p2", RARE, "ALL", "steps of runs; merged, reading"),
    StartsCase("p3max", RARE, "ALL", "steps of runs; merged, reading"),
    StartsCase(
        "p3min", RARE, "ALL", "steps of runs, few of which agree on their least price; deferred, output"
    ),
    StartsCase("p1", "b.volume < 10", "ALL", "listing of matches"),
    StartsCase("p1", USUAL, "COUNT", "going through the buffer for each b", fewer=True),
    StartsCase("p1", USUAL, "COMPRESSED", "writing a graph for each b", fewer=True),
    StartsCase("p1", USUAL, "NON OVERLAPPING", "reading: a match ends all runs soon"),
)


def frequent_starts(sizes: SaseSizes) -> Section:
    """Merging where twenty runs and more overlap."""
    found = {case: _compared(case, sizes) for case in CASES}
    rare = {case: comparison for case, comparison in found.items() if case.end == RARE}
    return Section(
        "Frequent starts",
        f"The template with {FREQUENT} in place of the condition on a[1].price, which holds for one event in "
        f"twenty: {CASES[0].template.text}; {sizes.start_events:,} events in batches of {SESSION_ROWS:,}. "
        "With a rare b the matches are few, and what runs do decides. Where many matches are asked for one "
        "by one, their listing does, and merging cannot shorten it. Runs under p3min start from different "
        "prices and keep their own least one, so that hardly any two become alike; there auto defers what "
        f"runs can only take until a b comes. It reads its first {STRETCH:,} events apart, to see what "
        f"merging would save, and after {FIRST_LOOK:,} of them it first sees what deferring does.",
        tuple(_row(case, comparison) for case, comparison in found.items()),
        figures=tuple(each for case, comparison in rare.items() for each in _figures(case, comparison)),
    )


def _compared(case: StartsCase, sizes: SaseSizes) -> SharingTimes:
    events = stocks(sizes.start_events // (FEWER if case.fewer else 1), SEED)
    return compared_fed(case.template, (BASIC, MERGING, AUTO), events, sizes)


def _row(case: StartsCase, found: SharingTimes) -> Row:
    steps = {name: round(each.steps / found.events, 2) for name, each in found.found.items()}
    return {
        "query": f"{case.template.name}, {case.end}",
        "EMIT": case.emit,
        "rows": len(found.found[BASIC].rows),
        "most runs": found.found[BASIC].figure("most_runs"),
        "steps/event": steps[BASIC],
        "merged": steps[MERGING],
        "auto steps": steps[AUTO],
        "deferred": round(found.found[AUTO].figure("events_deferred") / found.events, 2),
        "basic events/s": found.speed(BASIC),
        "merging": found.speed(MERGING),
        "auto": found.speed(AUTO),
        "merging/basic": ratio(found.faster(MERGING)),
        "auto/basic": ratio(found.faster(AUTO)),
        "bound by": case.bound,
    }


def _figures(case: StartsCase, found: SharingTimes) -> tuple[Figure, ...]:
    """The same bar for auto and for merging."""
    steps = {name: each.steps / found.events for name, each in found.found.items()}
    note = (
        f"end to end; {found.found[BASIC].figure('most_runs')} runs overlap at most; run steps an event: "
        f"{steps[BASIC]:.1f} apart, {steps[MERGING]:.1f} merged, {steps[AUTO]:.1f} auto"
    )
    return tuple(
        at_least(
            f"frequent starts, {case.template.name}: {sharing} against basic",
            FASTER_BAR,
            found.faster(sharing),
            note,
        )
        for sharing in (AUTO, MERGING)
    )
