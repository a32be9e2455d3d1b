"""Tables as HTML, for notebooks."""

import html

import pyarrow as pa

from cepheid.matchers.shown import readable_rows

_SHOWN = 20
_IDENTITY = "match_id"  # for programs: people see how it begins


def table_html(table: pa.Table, above: str = "") -> str:
    """The first rows of a table below lines that say what it is, and how many more there are."""
    names = sorted(table.column_names, key=lambda name: name == _IDENTITY)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(_cell_html(name, row[name]) for name in names)}</tr>"
        for row in readable_rows(table.slice(0, _SHOWN))
    )
    more = table.num_rows - _SHOWN
    foot = f"<p>… and {more:,} more</p>" if more > 0 else ""
    lines = "<br>".join(map(html.escape, above.splitlines()))
    first = f"<p>{lines}</p>" if lines else ""
    return f"{first}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


def _cell_html(name: str, value: object) -> str:
    text = html.escape(cell_text(value))
    if name == _IDENTITY:
        return f'<td title="{text}"><small>{text[:6]}…</small></td>'
    return f"<td>{text}</td>"


def cell_text(value: object, limit: int = 80) -> str:
    """A value as people read it: structs as name=value, long lists cut."""
    if value is None:
        return ""
    if isinstance(value, dict):
        text = ", ".join(f"{name}={cell_text(item)}" for name, item in value.items())
    elif isinstance(value, list):
        shown = "; ".join(cell_text(item, 30) for item in value[:3])
        text = f"{len(value)} × [{shown}{'; …' if len(value) > 3 else ''}]"
    else:
        text = str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
