"""Everything shown is run: the snippets of every document, in order, and every example.

- ```python blocks of a document run in one namespace; an ```output block after one is what it prints.
- ```console blocks run line by line (`$ …`) in the same folder; the lines below a command are its output.
- `…` in an output stands for anything.
- `<!-- not run -->` before a block is for installation only.

Each document and each example runs in an empty folder of its own: nothing is left behind in the checkout. A
document that shows Spark is marked `spark`.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "docs" / "llms.txt"])
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
BLOCK = re.compile(
    r"(?P<mark><!-- not run -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
INSTALLS = re.compile(r"pip install|git clone|make ")


LONG = [ROOT / "docs" / "tutorial" / "spark.md"]


def shows_spark(document: Path) -> bool:
    return "cepheid.spark" in document.read_text()


def shown(document: Path) -> Any:
    """A document as a parameter of a test."""
    text = document.read_text()
    marks = [pytest.mark.spark] if shows_spark(document) else []
    marks += [pytest.mark.slow] if "```console" in text else []  # a process for each command
    marks += [pytest.mark.long] if document in LONG else []
    return pytest.param(document, marks=marks, id=str(document.relative_to(ROOT)))


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    text: str
    line: int
    skipped: bool


def blocks(document: Path) -> list[Block]:
    content = document.read_text()
    return [
        Block(
            found["kind"], found["text"], content.count("\n", 0, found.start()) + 1, found["mark"] is not None
        )
        for found in BLOCK.finditer(content)
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with `cepheid` on the path."""
    command = tmp_path / "bin" / "cepheid"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cepheid "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.mark.parametrize("document", [*map(shown, DOCUMENTS)])
def test_document(document: Path, folder: Path) -> None:
    if not shows_spark(document):
        run_document(document)
        return
    # a Spark stays in the folder that it was started in, and there is one to a process
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_docs", str(document)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]


def run_document(document: Path) -> None:
    """Run what a document shows, in the folder at hand."""
    namespace: dict[str, object] = {"__name__": "snippet"}
    printed = ""
    for block in blocks(document):
        place = f"{document.relative_to(ROOT)}, line {block.line}"
        if block.skipped:
            assert INSTALLS.search(block.text), f"{place}: only installation may be left out"
        elif block.kind == "python":
            printed = run_python(block, namespace, place)
        elif block.kind == "output":
            check(block.text, printed, place)
        elif block.kind == "console":
            for command, expected in commands(block.text):
                run_command(command, expected, place)


def run_python(block: Block, namespace: dict[str, object], place: str) -> str:
    captured = io.StringIO()
    with contextlib.redirect_stdout(captured):
        exec(compile("\n" * block.line + block.text, place, "exec"), namespace)
    return captured.getvalue()


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block, its continued lines joined, with the output shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        length = 1
        while lines[length - 1].rstrip("\n").endswith("\\") or _open_quote("".join(lines[:length])):
            length += 1
        yield "".join(lines[:length]), "".join(lines[length:])


def _open_quote(command: str) -> bool:
    return command.count("'") % 2 == 1


def run_command(command: str, expected: str, place: str) -> None:
    done = subprocess.run(
        ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    output = "".join(
        line for line in done.stdout.splitlines(keepends=True) if "compiling kernels" not in line
    )
    if expected.strip():
        check(expected, output, f"{place}: $ {command}")
    else:
        assert done.returncode == 0, f"{place}: $ {command}\n{output}"


def check(expected: str, output: str, place: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    matches = doctest.OutputChecker().check_output(
        expected.replace("…", "..."), output.replace("…", "..."), flags
    )
    assert matches, f"{place}\nshown:\n{expected}\nis:\n{output}"


def tried(example: Path) -> Any:
    """An example as a parameter of a test."""
    return pytest.param(
        example,
        marks=[pytest.mark.spark, pytest.mark.long] if shows_spark(example) else [],
        id=str(example.relative_to(ROOT)),
    )


@pytest.mark.slow  # a process each
@pytest.mark.parametrize("example", [*map(tried, EXAMPLES)])
def test_example(example: Path, folder: Path) -> None:
    size = ["200000"] if "int, sys.argv" in example.read_text() else []  # fewer rows than it has by itself
    done = subprocess.run(
        [sys.executable, str(example), *size], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout, "an example shows something"


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)[^)]*\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.relative_to(ROOT)}: {target}"


if __name__ == "__main__":
    chosen = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
        run_document(chosen)
