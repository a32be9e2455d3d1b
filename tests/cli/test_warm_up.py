"""Warming up and packing kernels from the command line."""

from __future__ import annotations

import importlib
import sys
import zipfile
from pathlib import Path

import pytest

from cepheid.cache import READY_PACKAGE
from cepheid.matchers.ready.lookup import ReadyKernels
from cepheid.matchers.ready.manifest import Manifest
from cepheid.matchers.ready.surroundings import surroundings
from cepheid.warm_up import pack, run
from tests.cli.told import Told


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    return Told(capsys)


def test_warming_up_says_how_far_it_is(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    families = {"one": lambda: done.append("one"), "two": lambda: done.append("two")}
    monkeypatch.setattr(run, "FAMILIES", families)
    monkeypatch.setattr(run.warm_up, "__defaults__", (tuple(families),))
    status, out, err = told("warm-up", "--jobs", "1")
    assert (status, out, done) == (0, "", ["one", "two"])
    assert "[1/2] one: 0 loaded" in err and "[2/2] two" in err
    assert "all kernels are ready: nothing was compiled" in err


def test_the_installed_kernels_are_packed(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / READY_PACKAGE
    (package / "x86-64-v3").mkdir(parents=True)
    (package / "__init__.py").write_text("LEVELS = 1\n")
    (package / "x86-64-v3" / "some.kernel").write_bytes(b"code")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, READY_PACKAGE, raising=False)
    ready = ReadyKernels(package / "x86-64-v3", Manifest("x86-64-v3", surroundings("some"), {}))
    monkeypatch.setattr(pack, "ready_kernels", lambda stamp: ready)
    packed = []
    for name in ("k.zip", "again.zip"):
        status, _, err = told("kernels", "--out", str(tmp_path / name))
        assert status == 0 and "addArtifacts" in err
        packed.append((tmp_path / name).read_bytes())
    assert packed[0] == packed[1]
    with zipfile.ZipFile(tmp_path / "k.zip") as files:
        assert f"{READY_PACKAGE}/x86-64-v3/some.kernel" in files.namelist()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "k.zip")])
    sys.modules.pop(READY_PACKAGE, None)
    importlib.invalidate_caches()
    assert importlib.import_module(READY_PACKAGE).LEVELS == 1
    sys.modules.pop(READY_PACKAGE, None)
