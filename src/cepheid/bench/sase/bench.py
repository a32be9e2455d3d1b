"""`cepheid bench sase`: the experiments of the SASE+ paper, and what Cepheid promises beside them.

J. Agrawal, Y. Diao, D. Gyllstrom, N. Immerman: Efficient Pattern Matching over Event Streams,
SIGMOD 2008, section 6. The template is

    PATTERN SEQ(stock+ a[], stock b)
    WHERE <strategy> { [symbol] AND a[1].price % 500 = 0 AND <predicate> AND b.volume < 150 }
    WITHIN W EVENTS

over generated stock events. A benchmark reports and never fails for being slow; it fails if the
engine's matches differ from those of the loop written by hand. What is compared is measured side by
side in one run, after a discarded run that compiles or loads the kernels: on a shared machine only
ratios mean much. Times are processor time unless they say otherwise; Arrow is held to one thread.

Ways of sharing work between runs (`sharing=`: basic, merging, backtracking, auto) are compared on the same
events, and must find the same match ids in the same order, or the benchmark fails.
"""

from pathlib import Path

from cepheid.bench.course import Experiments, measured_on_one_core, publish
from cepheid.bench.results import Report
from cepheid.bench.sase import merging
from cepheid.bench.sase.backtracking import all_results, by_rise, non_overlapping
from cepheid.bench.sase.buffer import buffers
from cepheid.bench.sase.experiments import by_hand, predicates, rises, windows
from cepheid.bench.sase.many_matches import explosive, growing
from cepheid.bench.sase.queries import PREDICATES, STRATEGIES, QueryTemplate, whole_run
from cepheid.bench.sase.scale import first_answer, memory, partitions
from cepheid.bench.sase.sizes import FULL, QUICK, SaseSizes
from cepheid.bench.sase.starts import frequent_starts
from cepheid.sources.generate import stocks

EXPERIMENTS: Experiments[SaseSizes] = (
    ("p2s3 and the loop by hand", by_hand),
    ("experiment 1: predicates and strategies", predicates),
    ("experiment 2: windows and the cost of output", windows),
    ("other streams", rises),
    ("experiment 3: backtracking, all results", all_results),
    ("experiment 4: backtracking, non-overlapping results", non_overlapping),
    ("backtracking on other streams", by_rise),
    ("experiment 5: merging", merging.predicates),
    ("experiment 6: merging by window", merging.windows),
    ("merging on other streams", merging.rises),
    ("frequent starts", frequent_starts),
    ("the shared buffer", buffers),
    ("explosive: 2^60 matches", explosive),
    ("explosive: larger windows", growing),
    ("many partitions", partitions),
    ("memory of a long stream", memory),
    ("the first answer", first_answer),
)

WARM_UP_EVENTS = 2_000
EMITS = {
    "basic": ("ALL", "NON OVERLAPPING", "COUNT", "COMPRESSED"),
    "merging": ("ALL", "NON OVERLAPPING", "COUNT", "COMPRESSED"),
    "backtracking": ("ALL", "NON OVERLAPPING"),
}


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    publish(run(QUICK if quick else FULL), out)


def run(sizes: SaseSizes) -> Report:
    """All experiments, one after the other."""
    return measured_on_one_core("SASE+", sizes.mode, EXPERIMENTS, sizes, _warm_up)


def _warm_up() -> None:
    events = stocks(WARM_UP_EVENTS, 1)
    for predicate in PREDICATES:
        for strategy in STRATEGIES:
            whole_run(QueryTemplate(predicate, strategy, 50).parsed(), events)()
    for sharing, emits in EMITS.items():
        for emit in emits:
            whole_run(QueryTemplate("p1", "s3", 50, emit).parsed(sharing), events)()
