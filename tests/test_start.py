"""What a start imports: nothing heavy before it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cepheid

SOURCES = Path(cepheid.__file__).parent.parent
COMPILED = {"numba", "llvmlite"}
HEAVY = {"pandas", "polars", "pyspark", "scipy", "rich", "matplotlib"}
HEAVY |= {"fastapi", "pydantic", "sqlalchemy", "starlette", "uvicorn"}  # of the service
QUERY = "PATTERN SEQ(A a, B b) WHERE a.x < b.x WITHIN 5"

MAIN = "from cepheid.cli import main\ntry:\n    main({})\nexcept SystemExit:\n    pass"
REFUSED = (
    "import cepheid\ntry:\n    cepheid.{}\nexcept cepheid.CepheidError:\n    pass\n"
    "else:\n    raise SystemExit('it was not refused')"
)


def modules_after(program: str, folder: Path) -> set[str]:
    """The top-level modules that a new process has imported in the end."""
    told = (
        f"{program}\nimport sys\nprint('modules', *sorted(name for name in sys.modules if '.' not in name))"
    )
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        [sys.executable, "-c", told],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("modules ")]
    return set(line.split()[1:])


def test_the_package_alone(tmp_path: Path) -> None:
    heavy = COMPILED | HEAVY | {"lark", "numpy", "pyarrow", "typer"}
    assert not modules_after("import cepheid", tmp_path) & heavy
    assert not modules_after("from cepheid.errors import CepheidError", tmp_path) & heavy


@pytest.mark.parametrize(
    "program",
    [
        f"import cepheid\ncepheid.query({QUERY!r})",
        f"import cepheid\nstr(cepheid.query({QUERY!r}).explain())",
        f"import cepheid\nstr(cepheid.workload({{'one': {QUERY!r}}}))",
        REFUSED.format("query('PATTERN SEQ(A a, B')"),
        REFUSED.format("query('PATTERN ~A a')"),
        REFUSED.format(f"query({QUERY!r}).run([{{'time': 1, 'type': 'A'}}], time='time', type='type')"),
        REFUSED.format(f"query({QUERY!r}).session({{'time': 'int64'}}, time='ts')"),
        "from cepheid import pattern as p\np.seq(p.event('A', 'a'), p.event('B', 'b')).within('5 min')",
    ],
)
def test_a_query_that_is_not_run(program: str, tmp_path: Path) -> None:
    assert not modules_after(program, tmp_path) & (COMPILED | HEAVY - {"pandas"})


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["explain", QUERY],
        ["explain", QUERY, "--events", "few.csv"],
        ["explain", "PATTERN SEQ(A a"],
        ["run", "PATTERN SEQ(A a", "--events", "few.csv"],
        ["run", "PATTERN A a WHERE a.unknown > 1", "--events", "few.csv"],
        ["run", QUERY, "--events", "missing.csv"],
        ["xml", "//a(", "few.csv"],
        ["xml", "//a", "missing.xml"],
        ["xml", "//a", "few.csv", "--out", "a.doc"],
    ],
    ids=" ".join,
)
def test_a_command_that_runs_no_query(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("time,type,x\n1,A,1\n2,B,2\n")
    without = HEAVY - {"rich"} if arguments == ["--help"] else HEAVY
    assert not modules_after(MAIN.format(arguments), tmp_path) & (COMPILED | without)


@pytest.mark.parametrize("name", cepheid.__all__)
def test_public_names_are_there_on_demand(name: str) -> None:
    assert name in dir(cepheid)
    assert getattr(cepheid, name) is not None


def test_a_function_is_not_hidden_by_its_module(tmp_path: Path) -> None:
    program = (
        "import cepheid.workload, cepheid.query, cepheid.expand\n"
        "from cepheid import expand, query, workload\n"
        "assert cepheid.query is query and callable(query) and callable(workload) and callable(expand)\n"
        "assert cepheid.query('PATTERN A a').text == 'PATTERN A a'"
    )
    modules_after(program, tmp_path)


def test_no_such_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'qurey'"):
        _ = cepheid.qurey
