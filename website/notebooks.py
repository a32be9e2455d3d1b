"""Six of the examples explain themselves: each is a script, a notebook and a page, from one source.

The source is the script, in jupytext's percent format. `python -m website.notebooks FOLDER` writes the
notebooks without outputs; the pages have the outputs of a run.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SIX = {
    "stock_trend": "Stock trends",
    "shoplifting": "Shoplifting, seen by RFID",
    "click_funnel": "A click funnel",
    "building": "A building that is watched",
    "failed_logins": "Attacks on log-ins",
    "xml_sensors": "A feed in XML",
}
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def notebook_of(source: Path) -> Any:
    """The notebook of a script, without outputs."""
    import jupytext

    notebook = jupytext.read(source, fmt="py:percent")
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{source.stem}-{number}"
        cell.metadata = {}
    return notebook


def write_notebook(source: Path, target: Path) -> None:
    """As a file that Jupyter opens."""
    import nbformat

    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook_of(source), target)


@functools.cache
def executed(source: Path) -> Any:
    """The notebook with what each cell gives; a cell that fails raises."""
    from nbclient import NotebookClient

    notebook = notebook_of(source)
    os.environ["CEPHEID_QUIET"] = "1"  # no progress in a page
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=600,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=40"],  # it talks to nobody else
        )
        client.execute()
    return notebook


def page_of(source: Path) -> str:
    """The notebook as a page, with the outputs of a run."""
    return "\n".join(_parts(executed(source), source))


def _parts(notebook: Any, source: Path) -> Iterator[str]:
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            yield cell.source + "\n"
            if place == 0:
                yield f"[The notebook]({source.stem}.ipynb) · [the script]({source.name})\n"
            continue
        yield f"```python\n{cell.source}\n```\n"
        for output in cell.outputs:
            yield _shown(output)


def _shown(output: Any) -> str:
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```\n" if output.name == "stdout" else ""
    data = output.get("data", {})
    if "text/html" in data:
        return f'<div class="notebook-output">{_in_one_block(data["text/html"])}</div>\n'
    return f"<pre>{escape(data['text/plain'])}</pre>\n" if "text/plain" in data else ""


def _in_one_block(html: str) -> str:
    """Without empty lines, at which Markdown would begin a paragraph."""
    return re.sub(r"\n\s*\n+", "\n", html)


def index_page() -> str:
    """What there is, in a sentence each."""
    lines = ["# Examples", "", "Each is a script, a notebook and a page. The first lines of each:", ""]
    for stem, title in SIX.items():
        first = notebook_of(ROOT / "examples" / f"{stem}.py").cells[0].source
        told = " ".join(line for line in first.splitlines() if not line.startswith("#")).strip()
        lines.append(f"- [{title}]({stem}.md): {told}")
    others = sorted(source for source in (ROOT / "examples").glob("*.py") if source.stem not in SIX)
    lines += ["", "Scripts beside them:", ""]
    lines += [f"- [{source.name}]({source.name}): {_first_line(source)}" for source in others]
    return "\n".join(lines) + "\n"


def _first_line(source: Path) -> str:
    found = re.match(r'"""(.*?)(?:\n\n|""")', source.read_text(), re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def main(folder: Path) -> None:
    for stem in SIX:
        write_notebook(ROOT / "examples" / f"{stem}.py", folder / f"{stem}.ipynb")
    print(f"{len(SIX)} notebooks in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/notebooks"))
