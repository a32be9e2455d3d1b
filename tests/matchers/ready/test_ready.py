"""Ready kernels are loaded where all is as it was built; any doubt means compiling, and is told."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cepheid.cache import READY_PACKAGE, READY_SWITCH
from cepheid.matchers.ready import lookup
from cepheid.matchers.ready.levels import is_known_machine
from cepheid.matchers.ready.lookup import why_not
from cepheid.matchers.ready.manifest import MANIFEST
from tests.matchers.ready.toy_kernels import STAMP, change_manifest, compiled, double, triple, write_package

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(not is_known_machine(), reason="there are levels for x86-64 alone"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(READY_SWITCH, "0")
        write_package(folder)
    return folder


@pytest.fixture
def level(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of ready kernels on the path, as if it were installed: the folder of its level."""
    installed = tmp_path / "installed"
    shutil.copytree(built, installed, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.delitem(sys.modules, READY_PACKAGE, raising=False)
    monkeypatch.setattr(lookup, "_found", {})
    (found,) = (
        path for path in (installed / READY_PACKAGE).iterdir() if path.is_dir() and path.name[0] != "_"
    )
    yield found
    sys.modules.pop(READY_PACKAGE, None)


def outcome(kernel: Any) -> tuple[int, int]:
    """How many functions were loaded, and how many compiled."""
    return sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values())


def test_a_ready_kernel_is_loaded_and_nothing_is_written(level: Path, tmp_path: Path) -> None:
    kernel = compiled(double, tmp_path / "home" / "cache")
    assert (kernel(4), kernel(0.25)) == (8, 0.5)
    assert outcome(kernel) == (2, 0)
    assert not (tmp_path / "home").exists()
    assert why_not(STAMP) is None


def test_no_folder_is_needed(level: Path) -> None:
    kernel = compiled(double)
    assert kernel(4) == 8
    assert outcome(kernel) == (1, 0)


def test_what_is_compiled_here_comes_first(
    level: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv(READY_SWITCH, "0")
        compiled(double, tmp_path / "cache")(4)
    lookup._found.clear()
    kernel = compiled(double, tmp_path / "cache")
    kernel(4)
    assert outcome(kernel) == (1, 0)
    ready = lookup.ready_kernels(STAMP)
    assert ready is not None and not ready.used


def test_other_types_are_compiled_and_kept(level: Path, tmp_path: Path) -> None:
    for wanted in ((0, 1), (1, 0)):
        kernel = compiled(double, tmp_path / "cache")
        assert kernel(1 + 2j) == 2 + 4j
        assert outcome(kernel) == wanted


def test_kernels_in_a_zip(level: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tmp_path / "k.zip"
    with zipfile.ZipFile(packed, "w") as files:
        for path in sorted(level.parent.rglob("*")):
            files.write(path, path.relative_to(level.parent.parent))
    monkeypatch.setattr(sys, "path", [str(packed), *sys.path[1:]])
    sys.modules.pop(READY_PACKAGE, None)
    kernel = compiled(triple)
    assert kernel(4) == 12
    assert outcome(kernel) == (1, 0)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"built_stamp": "kernels-other"}, "other sources: kernels-other"),
        ({"built_numba": "0.1"}, "built by Numba 0.1"),
        ({"built_llvmlite": "0.1"}, "built by llvmlite 0.1"),
        ({"built_python": "cpython-27"}, "built for Python cpython-27"),
        ({"built_triple": "vax-dec-vms"}, "built for the system vax-dec-vms"),
        ({"built_settings": {"OPT": "0"}}, "Numba's settings"),
        ({"format": 99}, "the format 99"),
        ({"level": "z80"}, "not known: z80"),
        ({"level": "x86-64-v4"}, "the folder x86-64 holds kernels for x86-64-v4"),
        ({"kernels": {"k": {"file": "x"}}}, "cannot be read (TypeError"),
        ({"kernels": 5}, "cannot be read (AttributeError"),
        ({"built_size": 5}, "cannot be read (TypeError"),
    ],
)
def test_a_doubt_about_all(level: Path, changes: dict[str, Any], told: str) -> None:
    change_manifest(level, **changes)
    kernel = compiled(double)
    assert kernel(4) == 8
    assert outcome(kernel) == (0, 1)
    assert told in (why_not(STAMP) or "")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"kernels"'])
def test_a_manifest_that_is_none(level: Path, text: str) -> None:
    (level / MANIFEST).write_text(text)
    kernel = compiled(double)
    assert kernel(4) == 8
    assert outcome(kernel) == (0, 1)
    assert "cannot be read" in (why_not(STAMP) or "")


def test_a_processor_that_lacks_something(level: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "host_features", lambda: "+sse,-sse2,+mmx,+cmov,+cx8,+fxsr,+avx2")
    kernel = compiled(double)
    assert kernel(4) == 8
    assert outcome(kernel) == (0, 1)
    assert "they are for x86-64, and this processor lacks sse2" in (why_not(STAMP) or "")


def test_numba_told_to_compile_for_another_processor(level: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "chosen_cpu", lambda: "skylake")
    assert lookup.ready_kernels(STAMP) is None
    assert "told to compile for 'skylake'" in (why_not(STAMP) or "")


def test_ready_kernels_switched_off(level: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(READY_SWITCH, "0")
    assert lookup.ready_kernels(STAMP) is None
    assert why_not(STAMP) is None


class Trap:
    """Something that must never be unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(Path("trapped").absolute()), "w")


def files_of(level: Path, function: Any) -> list[Path]:
    return sorted(level.glob(f"{function.__name__}-*.kernel"))


@pytest.mark.parametrize("damage", ["trap", "cut off", "a bit", "empty", "missing", "another kernel"])
def test_a_damaged_file_is_never_unpickled(
    level: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.chdir(tmp_path)
    other = files_of(level, triple)[0].read_bytes()
    for file in files_of(level, double):
        content = file.read_bytes()
        changed = {
            "trap": pickle.dumps(Trap()),
            "cut off": content[:-20],
            "a bit": content[:100] + bytes([content[100] ^ 1]) + content[101:],
            "empty": b"",
            "missing": None,
            "another kernel": other,
        }[damage]
        file.unlink()
        if changed is not None:
            file.write_bytes(changed)
    damaged, whole = compiled(double), compiled(triple)
    assert (damaged(4), whole(4)) == (8, 12)
    assert (outcome(damaged), outcome(whole)) == ((0, 1), (1, 0))
    assert not Path("trapped").exists()
    assert "double is not used: its file" in (why_not(STAMP) or "")


def test_a_kernel_for_other_types_is_not_used(level: Path) -> None:
    """The manifest of a careless build: right hashes at the wrong keys."""
    kernels = json.loads((level / MANIFEST).read_text())["kernels"]
    keys = [key for key, kernel in kernels.items() if kernel["name"].endswith(".double")]
    kernels[keys[0]], kernels[keys[1]] = kernels[keys[1]], kernels[keys[0]]
    change_manifest(level, kernels=kernels)
    kernel = compiled(double)
    assert (kernel(4), kernel(0.25)) == (8, 0.5)
    assert outcome(kernel) == (0, 2)
    assert "it is for other types" in (why_not(STAMP) or "")


def test_a_kept_file_that_is_damaged_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(READY_SWITCH, "0")
    for ending in ("nbi", "nbc"):
        compiled(double, tmp_path)(4)
        (file,) = tmp_path.rglob(f"*.{ending}")
        file.write_bytes(file.read_bytes()[:-9])
        for wanted in ((0, 1), (1, 0)):
            kernel = compiled(double, tmp_path)
            assert kernel(4) == 8
            assert outcome(kernel) == wanted
