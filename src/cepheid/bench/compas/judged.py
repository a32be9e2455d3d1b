"""The claims of the CompAS paper, as the report's own section judges them."""

from cepheid.bench.claims import Claim, Judged, Paper, ReportTables
from cepheid.bench.compas.claims import CLAIMS

TITLE = "Claims of section 5.1"
WHY = {
    "all pairs are faster than unique pairs, since removal costs": "Removal is cheap, and saves matches.",
    "with removal, one step is faster than two": "What is removed is no longer tested.",
    "without removal, one step is faster than two": "Both test few, by an index; inserting costs.",
    "in one step, fewer profiles are in the pool": "A part is in the pool only while someone waits for it.",
    "composing takes less time in one step": "Inserting what remains is part of composing.",
}
USUAL = "By the methods that the paper describes, both compiled here over the same pool."


def _claim(figure: str, sentence: str) -> Claim:
    def judge(found: ReportTables) -> Judged:
        (row,) = found.rows(TITLE, figure=figure, claim=sentence)
        return Judged(row["holds"] == "yes", row["measured"])

    return Claim(f"5.1, figure {figure}", sentence, "in words", judge, WHY.get(sentence, USUAL))


def _as_primitive(found: ReportTables) -> Judged:
    figure = found.figure("completing a composite: its time to that of a primitive match, in one set")
    return Judged(figure.met is True, f"{figure.value} the time of a primitive event")


def _as_few_tests(found: ReportTables) -> Judged:
    figure = found.figure("completing a composite: tested and looked up as for a primitive")
    return Judged(figure.met is True, figure.value)


SUMMARY = (
    Claim("6", "a composite event is detected as fast as a primitive one", "as fast", _as_primitive,
          "What completes it is one profile of the pool; its match has one event more to tell."),
    Claim("abstract", "one step does no unnecessary filtering for a composite", "none", _as_few_tests,
          "Only what has begun is in the pool, and is found by its value."),
)  # fmt: skip

PAPER = Paper("CompAS", "compas", (*(_claim(figure, sentence) for figure, sentence, _ in CLAIMS), *SUMMARY))
