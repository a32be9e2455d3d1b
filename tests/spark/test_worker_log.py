"""What workers tell in their logs; no Spark runs here, only what a worker would."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import cepheid
from cepheid.events import bind
from cepheid.matchers import jit
from cepheid.matchers.ready.cache import KernelHome
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.share import share_rows
from cepheid.runners.spark.worker_log import tell_of_compiling
from cepheid.runners.stream import compiling
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.terms import Terms

KERNEL = "from cepheid.matchers.jit import kernel\n\n\n@kernel\ndef twice(x):\n    return 2 * x\n"


def test_bad_events_are_told_with_the_first_reasons(caplog: pytest.LogCaptureFixture) -> None:
    table = pa.table({"t": [None, 1, None, 2], "kind": list("ABAB")})
    plan = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5").plan(bind(table.schema, "t", "kind", [], None))
    list(share_rows(Assignment(plan, Terms(), side=False), table, None))
    (told,) = caplog.messages
    assert told == (
        "cepheid: 't' is no time (2 times); 2 bad events took no part; match(…, side=True) returns them"
    )


@pytest.mark.compiled
def test_compiling_is_told_in_the_log_alone(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "toy_kernel.py").write_text(KERNEL)
    spec = importlib.util.spec_from_file_location("cepheid.toy_kernel", tmp_path / "toy_kernel.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "cepheid.toy_kernel", module)
    monkeypatch.setattr(jit, "_HOME", KernelHome.of("toy", tmp_path / "kept"))
    spec.loader.exec_module(module)
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(
        compiling, "PAUSE", 0.02
    )  # it is looked four times as often, and this compiles quickly
    tell_of_compiling()
    announce_compiling()  # as every feed does
    assert (module.twice(1), module.twice(1.5)) == (2, 3.0)
    _until_told()
    first, *_, last = [text for text in caplog.messages if "compil" in text]
    assert first.startswith("cepheid: compiling kernels")
    assert last.startswith("cepheid: compiled 1 functions in ") and "kept in " in last
    assert "compil" not in capfd.readouterr().err


def _until_told() -> None:
    while compiling._announcer is not None and compiling._announcer._teller is not None:
        time.sleep(0.02)
