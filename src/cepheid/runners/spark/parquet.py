"""Parquet files and folders, as the driver sees them: columns, row groups and their statistics."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs as fs

from cepheid.errors import SourceError
from cepheid.runners.stream.storable import storable_schema
from cepheid.sources.paths import is_data, locations


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A part of a file that is read by itself."""

    fragment: ds.ParquetFileFragment
    rows: int
    statistics: dict[str, Any]  # of each column, its least and greatest value where the file tells them


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """Files of one schema; folders named like `day=2026-01-31` add a column."""

    paths: tuple[str, ...]
    plain: ds.Dataset  # with texts as texts: Arrow tests no codes against statistics
    dataset: ds.Dataset  # as they are read

    @property
    def schema(self) -> pa.Schema:
        """The columns, as a plan takes them."""
        return storable_schema(self.dataset.schema)

    def coded(self, columns: Sequence[str]) -> ParquetFiles:
        """The same files, whose texts in these columns are read as the codes that the files have them in."""
        texts = {
            name
            for name in columns
            if pa.types.is_string(self.plain.schema.field(name).type)
            and all(name in fragment.physical_schema.names for fragment in self.plain.get_fragments())
        }
        return replace(self, dataset=_dataset(self.paths, texts)) if texts else self

    def row_groups(self, wanted: ds.Expression | None) -> list[RowGroup]:
        """What is to be read; a row group that its statistics rule out is not."""
        as_read = {fragment.path: fragment for fragment in self.dataset.get_fragments()}
        groups = []
        for fragment in self.plain.get_fragments(wanted):
            for part in fragment.split_by_row_group(wanted, self.plain.schema):
                (info,) = part.row_groups
                if info.num_rows == 0:
                    continue
                reading = as_read[fragment.path].subset(row_group_ids=[info.id])
                groups.append(RowGroup(reading, info.num_rows, info.statistics or {}))
        return groups


def open_parquet(paths: str | Path | Sequence[str | Path]) -> ParquetFiles:
    """The Parquet files that paths, folders, globs or addresses such as s3://bucket/folder mean."""
    given = [paths] if isinstance(paths, str | Path) else list(paths) if isinstance(paths, Sequence) else []
    if not given:
        raise SourceError("no file was given" if isinstance(paths, Sequence) else f"{paths!r} is no path")
    if odd := [path for path in given if not isinstance(path, str | Path)]:
        raise SourceError(f"{odd[0]!r} is no path")
    full = [path for path in given if not (os.path.isfile(path) and os.path.getsize(path) == 0)]
    found = tuple(place for path in full or given for place in _places(os.fspath(path)))
    plain = _dataset(found, set())
    return ParquetFiles(found, plain, plain)


def _places(path: str) -> list[str]:
    if "://" in path or os.path.isdir(path):
        return [path]
    places = [place for place in locations([path]) if place.ending == ".parquet"]
    if not places:
        raise SourceError(f"{path} is not Parquet: match_files reads Parquet, match() whatever Spark reads")
    return sorted(os.path.abspath(place.path) for place in places) if glob.has_magic(path) else [path]


def _dataset(places: Sequence[str], coded: set[str]) -> ds.Dataset:
    reading = ds.ParquetFileFormat(read_options=ds.ParquetReadOptions(dictionary_columns=coded))
    try:
        parts = [_part(place, reading) for place in places]
        parts = [part for part in parts if part.count_rows()] or parts
        fragments = [fragment for part in parts for fragment in part.get_fragments()]
        if not fragments:
            raise SourceError(f"there is no Parquet file in {', '.join(places)}")
        schemas = [*(fragment.physical_schema for fragment in fragments), *_of_folders(parts, fragments)]
        whole = pa.unify_schemas(schemas, promote_options="permissive")
        same = [part.replace_schema(whole) for part in parts]
        return same[0] if len(same) == 1 else ds.dataset(same)
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0]
        raise SourceError(f"{', '.join(places)} cannot be read as Parquet: {first}") from None


def _part(place: str, reading: ds.ParquetFileFormat) -> ds.Dataset:
    """A file, an address or a folder; of several files, those with rows, if any has: what wrote the others
    may not have known the types."""
    part = _opened(_with_bytes(place), place, reading)
    fragments = list(part.get_fragments())
    full = [fragment.path for fragment in fragments if fragment.metadata.num_rows]
    if not full or len(full) == len(fragments):
        return part
    base = fs.FileSystem.from_uri(place)[1] if "://" in place else place
    return _opened(full, base, reading, filesystem=part.filesystem)


def _opened(source: str | list[str], base: str, reading: ds.ParquetFileFormat, **options: Any) -> ds.Dataset:
    folder = {} if isinstance(source, str) else {"partition_base_dir": base}
    return ds.dataset(source, format=reading, partitioning="hive", **folder, **options)


def _with_bytes(place: str) -> str | list[str]:
    """The files in a folder that are not empty, if some are; else the place itself."""
    if not os.path.isdir(place):
        return place
    found = sorted(file for file in Path(place).rglob("*") if is_data(file, place))
    full = [str(file) for file in found if file.stat().st_size]
    return place if len(full) in (0, len(found)) else full


def _of_folders(parts: list[ds.Dataset], fragments: list[ds.ParquetFileFragment]) -> list[pa.Schema]:
    """The columns in the names of folders."""
    in_files = {name for fragment in fragments for name in fragment.physical_schema.names}
    return [pa.schema([field for field in part.schema if field.name not in in_files]) for part in parts]
