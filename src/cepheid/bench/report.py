"""A report as files: one HTML page with inline pictures, and the numbers as JSON and as Parquet."""

import html
import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from cepheid.bench.pictures import MISSING, can_draw, svg
from cepheid.bench.results import Figure, Report, Row, Section
from cepheid.bench.terminal import cell

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #222; }}
body {{ max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
h1, h2 {{ line-height: 1.2; }} h2 {{ margin-top: 2.5rem; }}
table {{ border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; }}
th, td {{ border-bottom: 1px solid #ddd; }}
td.number, th.number {{ text-align: right; }}
.met {{ color: #176b2c; font-weight: 600; }} .not-met {{ color: #a31515; font-weight: 600; }}
.quiet {{ color: #666; }} .wide {{ overflow-x: auto; }} svg {{ max-width: 100%; height: auto; }}
</style></head><body>
{body}
</body></html>
"""

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


def write_contents(names: Iterable[str], folder: Path) -> Path:
    """Write a page that leads to the report of each name, which has a folder of its own; the page's path."""
    links = "".join(f'<li><a href="{name}/index.html">{_text(name)}</a></li>' for name in names)
    page = folder / "index.html"
    title = "cepheid bench"
    page.write_text(PAGE.format(title=title, body=f"<h1>{title}</h1><ul>{links}</ul>"), encoding="utf-8")
    return page


def page_of(report: Report) -> str:
    drawing = can_draw()
    title = f"cepheid bench: {report.title} ({report.mode})"
    machine = " · ".join(f"{name} {value}" for name, value in report.machine.items())
    parts = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="quiet">{_text(machine)} · measured in {report.seconds:.0f} s</p>',
        "" if drawing else f'<p class="quiet">{_text(MISSING)}</p>',
        _figures(report.figures),
        *(_section(section, drawing) for section in report.sections),
    ]
    return PAGE.format(title=_text(title), body="\n".join(filter(None, parts)))


def _section(section: Section, drawing: bool) -> str:
    charts = (
        "".join(f"<div>{svg(chart, section.chart_rows)}</div>" for chart in section.charts) if drawing else ""
    )
    return f"<h2>{_text(section.title)}</h2><p>{_text(section.text)}</p>{charts}{_table(section.rows)}"


def _figures(figures: tuple[Figure, ...]) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("figure", "bar", "measured", "", "note"))
    body = "".join(_figure(figure) for figure in figures)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _figure(figure: Figure) -> str:
    plain = "".join(f"<td>{_text(text)}</td>" for text in (figure.name, figure.bar, figure.value))
    verdict = f'<td class="{figure.verdict.replace(" ", "-")}">{figure.verdict}</td>'
    return f'<tr>{plain}{verdict}<td class="quiet">{_text(figure.note)}</td></tr>'


def _table(rows: tuple[Row, ...]) -> str:
    if not rows:
        return ""
    numbers = {name for name, value in rows[0].items() if isinstance(value, int | float)}
    kind = {name: ' class="number"' if name in numbers else "" for name in rows[0]}
    head = "".join(f"<th{kind[name]}>{_text(name)}</th>" for name in rows[0])
    body = "".join(
        f"<tr>{''.join(f'<td{kind[name]}>{_text(cell(value))}</td>' for name, value in row.items())}</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _text(value: str) -> str:
    return html.escape(value, quote=False)
