"""`cepheid why`: why a query has no match, or no other one, on the terminal or in a file."""

import json
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from cepheid.cli.asked import asked_for, names_of
from cepheid.cli.columns import Binding
from cepheid.cli.params import value_of
from cepheid.cli.refuse import misuse
from cepheid.cli.say import say

FORMS: dict[str, Callable[[Any], str]] = {
    ".html": lambda why: str(why.html()),
    ".svg": lambda why: str(why.svg()),
    ".json": lambda why: json.dumps(why.as_dict(), ensure_ascii=False, indent=1) + "\n",
    ".txt": lambda why: f"{why}\n",
}
STANDARD = "-"


def why_query(
    query: str,
    paths: list[str],
    binding: Binding,
    params: list[str],
    around: str | None,
    out: str | None,
    max_events: int | None,
) -> None:
    """Print the answer, or write it to a file of the form that its ending says."""
    form = _form(out)
    asked = asked_for(query, params=params)
    if len(names_of(asked)) > 1 or not hasattr(asked, "why"):
        misuse("why is about one query, and the file has several: give the text of one")
    from cepheid.sources.files import open_events  # what reads files takes as long to import as all else

    files = open_events(paths)
    columns = binding.filled(files.schema)
    moment = None if around is None else value_of(around)
    answer = asked.why(files, around=moment, max_events=max_events, **columns)
    if out is None or out == STANDARD:
        print(answer)
        return
    from cepheid.sources.write import write_text

    write_text(form(answer), out)
    say(f"{answer.summary}; written to {out}")


def _form(out: str | None) -> Callable[[Any], str]:
    ending = ".txt" if out in (None, STANDARD) else PurePath(out or "").suffix.lower()
    if ending not in FORMS:
        misuse(f"--out {out}: its ending is one of {', '.join(FORMS)}")
    return FORMS[ending]
