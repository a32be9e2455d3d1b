"""One report of all benchmarks: its claims, its page and its Parquet file, over small tables."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cepheid.bench.claims import NOTHING, Claim, Judged, Paper, ReportTables, judged
from cepheid.bench.every.bench import main, run, whole_of, write
from cepheid.bench.every.page import page_of
from cepheid.bench.every.papers import PAPERS
from cepheid.bench.every.saved import TITLES, read
from cepheid.bench.every.saved import main as put_together
from cepheid.bench.every.whole import Whole
from cepheid.bench.report import figure_cards, write_report
from cepheid.bench.results import Chart, Figure, Report, Section, at_least
from cepheid.cli.bench import BENCHES
from cepheid.errors import CepheidError, MissingExtraError

VOID = {"meta", "br", "img", "path", "line", "rect", "circle"}


class OpenTags(HTMLParser):
    """Fails where a tag is closed that is not open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def small_report() -> Report:
    rows = ({"query": "a <b>", "events/s": 1_000}, {"query": "c", "events/s": 2_000})
    chart = Chart("query", "events/s", kind="bar", title="speed")
    figures = (at_least("c against a", 1.5, 2.0, "best to best"),)
    return Report("small", "tiny", (Section("Speeds", "Two queries.", rows, (chart,), figures),), 1.0)


def _twice(found: ReportTables) -> Judged:
    slow, fast = (found.value("Speeds", "events/s", query=query) for query in ("a <b>", "c"))
    return Judged(fast >= 2 * slow, f"{fast / slow:g}×")


SMALL = Paper("Small", "small", (Claim("1", "c is twice as fast", "2×", _twice, "It is."),))


def whole() -> Whole:
    report = small_report()
    return Whole("tiny", {"small": report}, {}, tuple(judged(SMALL, report)))


def test_a_claim_is_judged_by_the_rows_of_a_report() -> None:
    (row,) = judged(SMALL, small_report())
    assert (row["holds"], row["here"], row["paper"]) == ("yes", "2×", "Small, 1")
    (row,) = judged(SMALL, None)
    assert (row["holds"], row["here"]) == ("–", NOTHING)


def test_the_page_is_well_formed_and_asks_no_one() -> None:
    page = page_of(whole())
    tags = OpenTags()
    tags.feed(page)
    assert tags.open == []
    assert all(address.startswith("#") for address in tags.addresses)
    assert not re.search(r"(src|href)=\"(https?:)?//|url\(|@import", page)
    assert "a &lt;b&gt;" in page
    assert "c is twice as fast" in page


def test_commands_in_notes_are_set_as_code() -> None:
    page = figure_cards([Figure("a", "none", "–", None, "run `make <b>` first")])
    assert "run <code>make &lt;b&gt;</code> first" in page


def test_every_row_is_in_the_parquet_file(tmp_path: Path) -> None:
    assert write(whole(), tmp_path / "deep" / "report") == tmp_path / "deep" / "report" / "index.html"
    rows = pq.read_table(tmp_path / "deep" / "report" / "results.parquet").to_pylist()
    (claim,) = [row for row in rows if row["kind"] == "claim"]
    assert (claim["claim"], claim["here"], claim["holds"]) == ("c is twice as fast", "2×", "yes")
    assert {row["kind"] for row in rows} == {"claim", "figure", "cell"}


def test_papers_name_their_benchmarks_and_claim_each_thing_once() -> None:
    assert {paper.bench for paper in PAPERS} <= BENCHES.keys()
    for paper in PAPERS:
        assert len({(claim.where, claim.sentence) for claim in paper.claims}) == len(paper.claims)


def test_what_is_not_installed_is_skipped_and_what_fails_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(module: str, mode: str) -> Report:
        if module == "missing":
            raise MissingExtraError("cepheid bench spark", "spark")
        raise CepheidError("two sides differ")

    monkeypatch.setattr("cepheid.bench.every.bench._report", fails)
    found = run({"spark": "missing", "sase": "wrong"}, "tiny")
    assert set(found.skipped) == {"spark", "sase"}
    assert found.failed == ("sase",)
    assert all(row["here"] == NOTHING for row in found.claims)
    with pytest.raises(CepheidError, match="failed: sase"):
        main({"sase": "wrong"}, True, tmp_path)
    assert "two sides differ" in (tmp_path / "index.html").read_text()


def test_single_runs_are_put_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, later = (
        replace(small_report(), title="peers", machine={"date": date, "system": "here"}, seconds=seconds)
        for date, seconds in (("2026-01-01 10:00 UTC", 1.0), ("2026-01-02 10:00 UTC", 2.0))
    )
    for name, report in (("a/later", later), ("b", first)):
        write_report(report, tmp_path / name)
    (found,) = read(tmp_path / "b")
    assert found == first
    put_together([tmp_path / "a", tmp_path / "b"], tmp_path / "whole")
    page = (tmp_path / "whole" / "index.html").read_text()
    assert "2026-01-02 10:00 UTC" in page
    assert "2026-01-01 10:00 UTC" not in page
    assert "sase</h2><p>Skipped: no results of it were given" in page
    rows = pq.read_table(tmp_path / "whole" / "results.parquet").to_pylist()
    assert {row["bench"] for row in rows if row["kind"] == "figure"} == {"peers"}
    assert "c against a" in capsys.readouterr().out


def test_every_benchmark_is_known_by_the_title_of_its_report() -> None:
    for name, module in BENCHES.items():
        (title,) = (title for title, known in TITLES.items() if known == name)
        assert f'"{title}"' in Path(str(importlib.util.find_spec(module).origin)).read_text()  # type: ignore[union-attr]
    assert len(TITLES) == len(BENCHES)


def test_what_is_no_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CepheidError, match=r"there is no results\.json in"):
        list(read(tmp_path))
    (tmp_path / "results.json").write_text('{"title": "peers"}')
    with pytest.raises(CepheidError, match="is no report of a benchmark"):
        list(read(tmp_path))
    write_report(small_report(), tmp_path)
    with pytest.raises(CepheidError, match="is of 'small', which is no benchmark"):
        list(read(tmp_path))


@pytest.mark.long
def test_every_claim_of_the_papers_has_a_figure() -> None:
    names = dict.fromkeys(paper.bench for paper in PAPERS)
    tiny = run({name: BENCHES[name] for name in names}, "tiny")
    assert not tiny.skipped
    assert len(tiny.claims) == sum(len(paper.claims) for paper in PAPERS)
    for row in tiny.claims:
        assert row["holds"] in ("yes", "no"), row
        assert re.search(r"\d", row["here"]), row
    assert whole_of("tiny", tiny.reports, {}).claims == tiny.claims
