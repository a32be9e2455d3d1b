"""Columns in the names of folders, as Hive writes them: `day=2024-01-31/a.parquet` has a column `day`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from cepheid.sources.opened import BadRow, Location, OpenFile
from cepheid.sources.text_types import fits


def with_folder_columns(files: Sequence[OpenFile], places: Sequence[Location]) -> tuple[OpenFile, ...]:
    """The files, each with the columns that the names of its folders hold."""
    divided = [place.path for place in places if _is_divided(place)]
    if not divided:
        return tuple(files)
    columns, values = _read_names(divided)
    return tuple(
        _with(file, columns, values[place.path]) if place.path in values else file
        for file, place in zip(files, places, strict=True)
    )


def _is_divided(place: Location) -> bool:
    return place.ending == ".parquet" and bool(_names(place.path))


def _names(path: str) -> list[str]:
    return [folder.partition("=")[0] for folder in Path(path).parts[:-1] if "=" in folder]


def _read_names(paths: list[str]) -> tuple[pa.Schema, dict[str, dict[str, Any]]]:
    """The columns with their types, and the values for each file."""
    import pyarrow.dataset as ds

    names = dict.fromkeys(name for path in paths for name in _names(path))
    naming = ds.HivePartitioning(pa.schema([(name, pa.string()) for name in names]))
    values = {path: ds.get_partition_keys(naming.parse(path)) for path in paths}
    texts = {name: [own[name] for own in values.values() if name in own] for name in names}
    kinds = {name: _kind(pa.array(own, pa.string())) for name, own in texts.items()}
    typed = {
        path: {name: pa.scalar(value, pa.string()).cast(kinds[name]) for name, value in own.items()}
        for path, own in values.items()
    }
    return pa.schema(list(kinds.items())), typed


def _kind(texts: pa.Array) -> pa.DataType:
    """Whole numbers or texts, as Arrow's own datasets have them."""
    return pa.int32() if texts.null_count < len(texts) and fits(texts, pa.int32()) else pa.string()


def _with(file: OpenFile, columns: pa.Schema, values: dict[str, Any]) -> OpenFile:
    added = [field for field in columns if field.name in values and field.name not in file.schema.names]
    schema = pa.schema([*file.schema, *added])
    names = {field.name for field in added}

    def batches(wanted: list[str], bad: list[BadRow]) -> Iterator[pa.RecordBatch]:
        chosen = pa.schema([schema.field(name) for name in wanted])
        kept = [name for name in wanted if name not in names]
        for batch in file.batches(kept, bad):
            arrays = [
                pa.repeat(values[field.name], batch.num_rows)
                if field.name in names
                else batch.column(field.name)
                for field in chosen
            ]
            yield pa.RecordBatch.from_arrays(
                arrays, schema=pa.schema([schema.field(name) for name in wanted])
            )

    return replace(file, schema=schema, batches=batches)
