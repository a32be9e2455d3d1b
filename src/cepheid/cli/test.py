"""`cepheid test`: users' own rules as scenarios, a line each, and what differs as a table."""

import glob
import time as clock
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cepheid.cli.failure import BAD_USAGE, FAILED
from cepheid.cli.refuse import misuse
from cepheid.cli.say import say, say_if_cold
from cepheid.testing.outcomes import ComparedLine, ScenarioOutcome, ScenarioVerdict, outcome_of
from cepheid.testing.scenarios import WrittenScenario, written_scenarios

STYLES = {
    ScenarioVerdict.HOLDS: "green",
    ScenarioVerdict.DIFFERS: "bold red",
    ScenarioVerdict.BROKEN: "bold magenta",
}
SIGNS = {
    " ": ("", "dim"),
    "-": ("missing", "red"),
    "+": ("not expected", "yellow"),
    "<": ("expected", "dim"),
    ">": ("found", "yellow"),
}
MOST_LINES = 40  # of a difference


def run_scenarios(paths: Sequence[str], junit: str | None) -> None:
    """Run every scenario of the files, tell what came of them, and leave with the exit status."""
    files = list(dict.fromkeys(file for path in paths for file in _files(path)))
    console = Console(highlight=False, soft_wrap=True)
    say_if_cold()
    started = clock.perf_counter()
    found: dict[str, list[ScenarioOutcome]] = {}
    for file in files:
        console.print(Text(file, "bold"))
        found[file] = list(_told(console, file))
    every = [outcome for outcomes in found.values() for outcome in outcomes]
    console.print(_summary(every, clock.perf_counter() - started))
    if junit is not None:
        from cepheid.cli.junit import junit_xml
        from cepheid.sources.write import write_text

        write_text(junit_xml(found), junit)
        say(f"written to {junit}")
    verdicts = {outcome.verdict for outcome in every}
    if ScenarioVerdict.BROKEN in verdicts:
        raise typer.Exit(BAD_USAGE)
    if ScenarioVerdict.DIFFERS in verdicts:
        raise typer.Exit(FAILED)


def _files(path: str) -> Iterator[str]:
    """A file, those of a folder and what is below it, or those that a pattern means."""
    if Path(path).is_dir():
        found = sorted(str(file) for file in Path(path).rglob("*.scn") if file.is_file())
        if not found:
            misuse(f"there is no file *.scn in {path}")
        yield from found
    elif Path(path).exists():
        yield path
    else:
        found = sorted(glob.glob(path, recursive=True))
        if not found:
            misuse(f"there is no file {path}")
        for one in found:
            yield from _files(one)


def _told(console: Console, file: str) -> Iterator[ScenarioOutcome]:
    """What came of each scenario of a file, told as soon as it is known."""
    for written in _written(file):
        outcome = written if isinstance(written, ScenarioOutcome) else outcome_of(written)
        _tell(console, file, outcome)
        yield outcome


def _written(file: str) -> Sequence[WrittenScenario | ScenarioOutcome]:
    """The scenarios of a file; or one outcome that says why there are none."""
    whole = WrittenScenario(file, "", file)
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return [ScenarioOutcome(whole, ScenarioVerdict.BROKEN, 0.0, "it is no text in UTF-8")]
    except OSError as error:
        return [
            ScenarioOutcome(
                whole, ScenarioVerdict.BROKEN, 0.0, f"it cannot be read: {error.strerror or error}"
            )
        ]
    found = written_scenarios(text, Path(file).name, Path(file).parent)
    says = "there is no scenario in it: one begins with a line such as '=== A title'"
    return found or [ScenarioOutcome(whole, ScenarioVerdict.BROKEN, 0.0, says)]


def _tell(console: Console, file: str, outcome: ScenarioOutcome) -> None:
    line = Text("  ")
    line.append(f"{outcome.verdict.value:<7}", STYLES[outcome.verdict])
    line.append(outcome.written.title or "(no title)")
    if outcome.seconds >= 1:
        line.append(f"  {outcome.seconds:.1f} s", "dim")
    console.print(line)
    if outcome.verdict is ScenarioVerdict.HOLDS:
        return
    where = f", {outcome.difference.where}" if outcome.difference is not None else ""
    console.print(Text(f"         {file}:{outcome.written.line}{where}", "dim"))
    for text in outcome.says.splitlines():
        console.print(Text(f"         {text}"))
    lines = outcome.lines()
    if lines:
        console.print(_table(lines))
    for note in outcome.notes:
        console.print(Text(f"         note: {note}", "dim"))


def _table(lines: Sequence[ComparedLine]) -> Table:
    """What is expected and what is found, a line each; rows by their columns."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    names = list(dict.fromkeys(name for line in lines if isinstance(line.found, dict) for name in line.found))
    if names:
        table.show_header, table.header_style = True, "bold"
    for name in ["         ", *(names or ["match"])]:
        table.add_column(name, overflow="fold")
    for line in lines[:MOST_LINES]:
        word, style = SIGNS[line.sign]
        cells = [_cell(line.found.get(name)) for name in names] if names else [str(line.found)]
        table.add_row(*(Text(text, style) for text in [f"         {word or 'as expected'}", *cells]))
    if len(lines) > MOST_LINES:
        table.add_row(Text(f"         … and {len(lines) - MOST_LINES:,} more", "dim"))
    return table


def _cell(value: object) -> str:
    return "null" if value is None else str(value)


def _summary(outcomes: Sequence[ScenarioOutcome], seconds: float) -> Text:
    verdicts = [outcome.verdict for outcome in outcomes]
    counts = [
        (_number(verdicts.count(each), each), STYLES[each]) for each in ScenarioVerdict if each in verdicts
    ]
    total = f"{len(verdicts):,} scenario{'s' * (len(verdicts) != 1)}: "
    return Text.assemble(total, *_joined(counts), f" in {seconds:.1f} s")


def _number(count: int, verdict: ScenarioVerdict) -> str:
    return f"{count:,} {verdict.value}{'s' * (verdict is ScenarioVerdict.BROKEN and count != 1)}"


def _joined(parts: Sequence[tuple[str, str]]) -> list[tuple[str, str] | str]:
    return [piece for place, part in enumerate(parts) for piece in ((", ", part) if place else (part,))]
