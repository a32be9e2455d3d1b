"""XML files that are packed, told by their ending."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import SourceError

DATA = b"<r>" + b"".join(b"<a i='%d'>text</a>" % number for number in range(100_000)) + b"</r>"


@pytest.mark.parametrize(
    ("ending", "codec"), [("gz", "gzip"), ("zst", "zstd"), ("GZ", "gzip"), ("bz2", "bz2")]
)
def test_the_ending_tells(tmp_path: Path, ending: str, codec: str) -> None:
    file = tmp_path / f"large.xml.{ending}"
    with pa.CompressedOutputStream(str(file), codec) as sink:
        sink.write(DATA)
    pattern = cepheid.xml("//a[@i > 99990]")
    packed = pattern.run(file)
    assert packed.table == pattern.run(DATA).table and len(packed) == 9
    assert packed.stats["bytes"] == len(DATA) > file.stat().st_size
    assert pattern.events(file, time="@i").num_rows == 9


def test_parts_that_were_packed_apart_are_one_document(tmp_path: Path) -> None:
    file = tmp_path / "two.xml.gz"
    file.write_bytes(gzip.compress(b"<r><a/>") + gzip.compress(b"<a/></r>"))
    assert len(cepheid.xml("//a").run(file)) == 2


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_what_is_cut_off_or_not_packed_is_said(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"plain.xml.{ending}"
    file.write_bytes(b"<r><a/></r>")
    with pytest.raises(SourceError, match="its ending says"):
        cepheid.xml("//a").run(file)
    codec = {"gz": "gzip", "zst": "zstd"}[ending]
    whole = pa.compress(DATA, codec, asbytes=True) if codec == "zstd" else gzip.compress(DATA)
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match="cannot read"):
        cepheid.xml("//a").run(file)
    with pytest.raises(SourceError, match="cannot read"):
        cepheid.xml("//a").run(tmp_path)
