"""A report as files: one HTML page with inline pictures, and the numbers as JSON and as Parquet."""

import html
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from cepheid.bench.pictures import MISSING, can_draw, svg
from cepheid.bench.results import Figure, Report, Row, Section
from cepheid.bench.terminal import cell

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title><style>
:root {{ --ink: #1d1f23; --quiet: #5d636b; --line: #dcdfe3; --page: #fff; --good: #176b2c; --bad: #a31515; }}
:root {{ --link: #0b57a4; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6e8ea; --quiet: #a2a9b1; --line: #3a4047;
  --page: #16181b; --good: #6fce86; --bad: #ff8f85; --link: #7db8f5; }} }}
* {{ box-sizing: border-box; }}
body {{ font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); }}
body {{ max-width: 68rem; margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: anywhere; }}
a {{ color: var(--link); }} h1, h2, h3 {{ line-height: 1.2; }} h2 {{ margin-top: 2.5rem; }}
table {{ border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; }}
th, td {{ border-bottom: 1px solid var(--line); }}
.wide {{ overflow-x: auto; }} .wide td, .wide th {{ overflow-wrap: normal; }}
td.number, th.number {{ text-align: right; white-space: nowrap; }}
.met {{ color: var(--good); font-weight: 600; }} .not-met {{ color: var(--bad); font-weight: 600; }}
.met, .not-met {{ white-space: nowrap; }} .quiet {{ color: var(--quiet); }}
.chart {{ display: inline-block; max-width: 100%; background: #fff; border-radius: 6px; }}
.chart {{ margin: .5rem .5rem .5rem 0; }}
svg {{ display: block; max-width: 100%; height: auto; }} summary {{ cursor: pointer; padding: .5rem 0; }}
table.cards {{ width: 100%; }} table.cards th {{ white-space: nowrap; }}
table.cards td {{ min-width: 6rem; max-width: 24rem; }} table.cards td.quiet {{ min-width: 22rem; }}
@media (max-width: 46rem) {{
  table.cards thead {{ display: none; }} table.cards tr {{ display: block; padding: .6rem 0; }}
  table.cards tr {{ border-bottom: 1px solid var(--line); }}
  table.cards td {{ display: grid; grid-template-columns: 4.2rem 1fr; gap: .5rem; }}
  table.cards td {{ border: 0; padding: .1rem 0; }}
  table.cards td, table.cards td.quiet {{ min-width: 0; max-width: none; white-space: normal; }}
  table.cards td::before {{ content: attr(data-label); color: var(--quiet); font-weight: 400; }}
  table.cards td:first-child {{ display: block; font-weight: 600; }}
  table.cards td:first-child::before {{ content: none; }}
}}
</style></head><body>
{body}
</body></html>
"""

CLASSES = {"yes": "met", "no": "not-met", "met": "met", "not met": "not-met"}

CELLS = pa.schema(
    [
        ("section", pa.string()),
        ("row", pa.int64()),
        ("column", pa.string()),
        ("number", pa.float64()),
        ("text", pa.string()),
    ]
)


def write_report(report: Report, folder: Path) -> Path:
    """Write index.html, results.json and results.parquet into a folder; the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n")
    pq.write_table(cells_of(report), folder / "results.parquet")
    page = folder / "index.html"
    page.write_text(page_of(report), encoding="utf-8")
    return page


def cells_of(report: Report) -> pa.Table:
    """All tables as one: a row for each cell, since every table has columns of its own."""
    cells = [
        {"section": section.title, "row": number, "column": name, **_value(value)}
        for section in report.sections
        for number, row in enumerate(section.rows)
        for name, value in row.items()
    ]
    return pa.Table.from_pylist(cells, CELLS)


def _value(value: object) -> dict[str, object]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"number": float(value) if is_number else None, "text": cell(value)}  # type: ignore[arg-type]


def page_of(report: Report) -> str:
    drawing = can_draw()
    title = f"cepheid bench: {report.title} ({report.mode})"
    machine = " · ".join(f"{name} {value}" for name, value in report.machine.items())
    parts = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="quiet">{_text(machine)} · measured in {report.seconds:.0f} s</p>',
        "" if drawing else f'<p class="quiet">{_text(MISSING)}</p>',
        figure_cards(report.figures),
        *(section_html(section, drawing) for section in report.sections),
    ]
    return PAGE.format(title=_text(title), body="\n".join(filter(None, parts)))


def section_html(section: Section, drawing: bool) -> str:
    """A heading, what was asked, pictures and the table."""
    charts = (
        "".join(f'<div class="chart">{svg(chart, section.chart_rows)}</div>' for chart in section.charts)
        if drawing
        else ""
    )
    return f"<h3>{_text(section.title)}</h3><p>{_prose(section.text)}</p>{charts}{_table(section.rows)}"


def figure_cards(figures: Iterable[Figure]) -> str:
    """Figures beside their bars."""
    return cards(
        {
            "figure": figure.name,
            "bar": figure.bar,
            "here": figure.value,
            "verdict": figure.verdict,
            "note": figure.note,
        }
        for figure in figures
    )


def cards(rows: Iterable[dict[str, str]]) -> str:
    """A table, whose rows are cards where the screen is narrow."""
    told = list(rows)
    if not told:
        return ""
    head = "".join(f"<th>{_text(name)}</th>" for name in told[0])
    body = "".join("<tr>" + "".join(_card_line(*each) for each in row.items()) + "</tr>" for row in told)
    return f'<table class="cards"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _card_line(name: str, value: str) -> str:
    kind = CLASSES.get(value, "quiet" if name in ("why", "note") else "")
    return f'<td class="{kind}" data-label="{_text(name)}"><span>{_prose(value)}</span></td>'


def _table(rows: tuple[Row, ...]) -> str:
    if not rows:
        return ""
    numbers = {name for name, value in rows[0].items() if isinstance(value, int | float)}
    kind = {name: ' class="number"' if name in numbers else "" for name in rows[0]}
    head = "".join(f"<th{kind[name]}>{_text(name)}</th>" for name in rows[0])
    body = "".join(
        f"<tr>{''.join(f'<td{kind[name]}>{_prose(cell(value))}</td>' for name, value in row.items())}</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _prose(value: str) -> str:
    """Text in which commands stand in backquotes."""
    return _COMMAND.sub(r"<code>\1</code>", _text(value))


_COMMAND = re.compile("`([^`]+)`")


def _text(value: str) -> str:
    return html.escape(value, quote=True)
