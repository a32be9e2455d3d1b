"""Tables as HTML, for notebooks."""

import html

import pyarrow as pa

_SHOWN = 20


def table_html(table: pa.Table) -> str:
    """The first rows of a table, and how many more there are."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.column_names)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell_text(value))}</td>' for value in row.values())}</tr>"
        for row in table.slice(0, _SHOWN).to_pylist()
    )
    more = table.num_rows - _SHOWN
    foot = f"<p>… and {more:,} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


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
