"""Where compiled kernels and the parser are kept."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from cepheid.cache import cache_folder


@pytest.fixture(autouse=True)
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home that cannot be: below a file."""
    (tmp_path / "file").touch()
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("CEPHEID_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_folder_that_is_made_later_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CEPHEID_CACHE_DIR", str(tmp_path / "some" / "where"))
    assert cache_folder("stamp", made=False) == tmp_path / "some" / "where" / "stamp"
    assert not (tmp_path / "some").exists()
    assert cache_folder("stamp") == tmp_path / "some" / "where" / "stamp"
    assert (tmp_path / "some" / "where" / "stamp").is_dir()


@pytest.mark.parametrize("made", [True, False])
def test_where_there_is_no_home_the_folder_of_temporary_files_is_used(tmp_path: Path, made: bool) -> None:
    assert cache_folder("stamp", made=made) == tmp_path / f"cepheid-{os.getuid()}" / "stamp"


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path, made: bool) -> None:
    shared = tmp_path / f"cepheid-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)
    assert cache_folder("stamp", made=made) is None
    shared.chmod(0o700)
    assert cache_folder("stamp", made=made) == shared / "stamp"


def test_a_link_to_elsewhere_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"cepheid-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    assert cache_folder("stamp") is None
