"""What section 5.1 of the CompAS paper claims, sentence by sentence, and whether it holds here."""

from collections.abc import Callable, Iterable
from statistics import median

from cepheid.bench.compas.completing import AFTER, composition_rows
from cepheid.bench.compas.figures import cardinality_cells, order_cells, profile_cells
from cepheid.bench.compas.filtering import FilterCell
from cepheid.bench.compas.sequences import ALL, ONE_STEP, TWO_STEPS, UNIQUE
from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.results import Section, no_bar

STEP = ONE_STEP[0]
EQUAL = 1.1
"""Times within this ratio are the same."""

Verdict = tuple[bool, str]
"""Whether a claim holds, and what was measured."""


def claims(sizes: CompasSizes) -> Section:
    """A row for each sentence that claims something."""
    rows = []
    for figure, sentence, judge in CLAIMS:
        holds, measured = judge(sizes)
        rows.append(
            {"figure": figure, "claim": sentence, "holds": "yes" if holds else "no", "measured": measured}
        )
    kept = sum(row["holds"] == "yes" for row in rows)
    return Section(
        "Claims of section 5.1",
        f"One step is the variant {STEP}. A method is faster if its median is less in every cell, or in most "
        "where the sentence says so.",
        tuple(rows),
        figures=(no_bar("claims of section 5.1 that hold", f"{kept} of {len(rows)}"),),
    )


def _time(each: FilterCell, method: str) -> float:
    """Processor time an event, in microseconds."""
    return max(median(each.seconds[method]), 1e-9) / each.events * 1e6


def _with(cells: Iterable[FilterCell], setting: str) -> list[FilterCell]:
    return [each for each in cells if each.where["setting"] == setting]


def _faster(cells: Iterable[FilterCell], one: str, other: str) -> Verdict:
    ratios = [_time(each, one) / _time(each, other) for each in cells]
    return max(ratios) < 1, f"{min(ratios):.2f} to {max(ratios):.2f} of its time"


def _grows_with_groups(sizes: CompasSizes) -> Verdict:
    found = []
    for setting in (ALL, UNIQUE):
        own = _with(order_cells(sizes), setting)
        found.append(_time(own[-1], TWO_STEPS) / _time(own[0], TWO_STEPS))
    return min(found) > EQUAL, f"two steps: {found[0]:.1f} times (all), {found[1]:.1f} times (unique)"


def _whole_list(sizes: CompasSizes) -> Verdict:
    cells = order_cells(sizes)
    expected = [sizes.sequences * (1 + each.where["groups"]) for each in cells]
    found = [each.counts[TWO_STEPS]["looked_up"] for each in cells]
    return found == expected, f"{found[-1]:,} looked up, {expected[-1]:,} are a list for each end"


def _only_begun(sizes: CompasSizes) -> Verdict:
    cells = [each for each in order_cells(sizes) if each.where["groups"] > 1]
    shares = [each.counts[STEP]["looked_up"] / each.counts[TWO_STEPS]["looked_up"] for each in cells]
    return max(shares) < 1, f"looked up {min(shares):.3f} to {max(shares):.3f} of two steps"


def _all_is_faster(sizes: CompasSizes) -> Verdict:
    cells = profile_cells(sizes, 1)
    pairs = zip(_with(cells, ALL), _with(cells, UNIQUE), strict=True)
    ratios = [_time(a, m) / _time(u, m) for a, u in pairs for m in (STEP, TWO_STEPS)]
    return max(ratios) < 1, f"{min(ratios):.2f} to {max(ratios):.2f} of the time of unique pairs"


def _with_removal(sizes: CompasSizes) -> Verdict:
    return _faster(_with(profile_cells(sizes, 1), UNIQUE), STEP, TWO_STEPS)


def _without_removal(sizes: CompasSizes) -> Verdict:
    return _faster(_with(profile_cells(sizes, 1), ALL), STEP, TWO_STEPS)


def _smaller_pool(sizes: CompasSizes) -> Verdict:
    cells = profile_cells(sizes, 1)
    pools = [(each.counts[STEP]["pool"], each.counts[TWO_STEPS]["pool"]) for each in cells]
    return all(one < other for one, other in pools), f"at the end {pools[-1][0]:,} and {pools[-1][1]:,}"


def _linear(sizes: CompasSizes) -> Verdict:
    found = []
    for setting in (ALL, UNIQUE):
        own = [e for e in _with(profile_cells(sizes, 1), setting) if e.where["profiles"] <= sizes.sequences]
        grown = own[-1].where["profiles"] / own[0].where["profiles"]
        found += [_time(own[-1], m) / _time(own[0], m) / grown for m in (STEP, TWO_STEPS)]
    text = f"per profile {min(found):.2f} to {max(found):.2f} of what it would be"
    return min(found) > 0.5 and max(found) < 2, text


def _flat(sizes: CompasSizes) -> Verdict:
    own = [e for e in _with(profile_cells(sizes, 1), ALL) if e.where["profiles"] >= sizes.sequences]
    grown = own[-1].where["profiles"] / own[0].where["profiles"]
    ratios = [_time(own[-1], m) / _time(own[0], m) for m in (STEP, TWO_STEPS)]
    return max(ratios) < grown, f"{max(ratios):.2f} times for {grown:g} times the profiles"


def _strongest_in_two(sizes: CompasSizes) -> Verdict:
    pairs = list(zip(profile_cells(sizes, 1), profile_cells(sizes, sizes.many_groups), strict=True))
    by_method = {m: [_time(many, m) / _time(one, m) for one, many in pairs] for m in (STEP, TWO_STEPS)}
    step, two = median(by_method[STEP]), median(by_method[TWO_STEPS])
    return two > step, f"two steps {two:.1f} times as long, one step {step:.1f} times"


def _mostly_less(sizes: CompasSizes) -> Verdict:
    ratios = [each.ratio(STEP) for each in cardinality_cells(sizes)]
    less = sum(ratio < 1 for ratio in ratios)
    return less > len(
        ratios
    ) / 2, f"less in {less} of {len(ratios)} cells ({min(ratios):.2f} to {max(ratios):.2f})"


def _equal_from_one(sizes: CompasSizes) -> Verdict:
    (one,) = (each.ratio(STEP) for each in cardinality_cells(sizes) if each.where["beginnings"] == 1)
    return 1 / EQUAL < one < EQUAL, f"{one:.2f} of its time"


def _composes_sooner(sizes: CompasSizes) -> Verdict:
    rows = composition_rows(sizes)
    spent = {m: [row["composing ms"] for row in rows if row["method"] == m] for m in (STEP, TWO_STEPS)}
    less = sum(one < two for one, two in zip(spent[STEP], spent[TWO_STEPS], strict=True))
    return less == len(spent[STEP]), f"less in {less} of {len(spent[STEP])} cells"


def _nothing_after(sizes: CompasSizes) -> Verdict:
    extra = [row[AFTER] for row in composition_rows(sizes) if row["method"] == STEP]
    return max(extra) <= 0, f"{min(extra)} to {max(extra)} ns a match more than a primitive profile"


CLAIMS: tuple[tuple[str, str, Callable[[CompasSizes], Verdict]], ...] = (
    ("6", "the response time depends on the number of groups", _grows_with_groups),
    ("6", "in two steps, the complete list of profiles is checked after each end", _whole_list),
    ("6", "in one step, an end refers only to profiles that have begun", _only_begun),
    ("7a", "all pairs are faster than unique pairs, since removal costs", _all_is_faster),
    ("7a", "with removal, one step is faster than two", _with_removal),
    ("7a", "without removal, one step is faster than two", _without_removal),
    ("7a", "in one step, fewer profiles are in the pool", _smaller_pool),
    ("7a", "the time grows linearly up to as many profiles as are matched", _linear),
    ("7a", "beyond, without removal, it grows like a logarithm", _flat),
    ("7b", "the influence of the groups is strongest in two steps", _strongest_in_two),
    ("8a", "one step takes less time in most cases", _mostly_less),
    ("8a", "where one event begins all sequences, the time is equal", _equal_from_one),
    ("8b", "composing takes less time in one step", _composes_sooner),
    ("8b", "composing adds nothing to the response time of a composite", _nothing_after),
)
