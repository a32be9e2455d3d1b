"""A folder with events, and the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.told import TRADES, Told


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trades.csv").write_text(TRADES)
    return tmp_path


@pytest.fixture
def cepheid(capsys: pytest.CaptureFixture[str]) -> Told:
    return Told(capsys)
