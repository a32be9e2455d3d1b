"""`cepheid generate`: events and documents to try queries on."""

import difflib
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

import pyarrow as pa

from cepheid.cli.refuse import misuse
from cepheid.cli.say import progress, say
from cepheid.cli.show import counted
from cepheid.sources.generate import DOCUMENTS, GENERATORS, DocumentGenerator
from cepheid.sources.write import write_document, write_table

EVENTS = 1_000_000
"""How many, unless told."""

MEGABYTE = 1_000_000
UNITS = {"KB": 0.001, "MB": 1.0, "GB": 1000.0}
"""Sizes of documents, in megabytes."""

NUMBER = re.compile(r"([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?|[0-9]+\.)\s*([kmg]b)?", re.IGNORECASE)

Piece = TypeVar("Piece")


def generate_data(what: str, size: str | None, seed: int, out: str, **options: Any) -> None:
    """Write events or a document of a size to a file, piece by piece."""
    if what not in GENERATORS and what not in DOCUMENTS:
        _unknown(what)
    given = {name: value for name, value in options.items() if value is not None}
    taken = GENERATORS[what].options if what in GENERATORS else ()
    for name in given.keys() - set(taken):
        misuse(f"--{name} says nothing about {what}")
    if what in GENERATORS:
        _generate_events(what, _events_in(size, what), seed, out, given)
    else:
        _generate_document(what, _size_in(size, what, DOCUMENTS[what]), seed, out)


def _unknown(what: str) -> NoReturn:
    names = (*GENERATORS, *DOCUMENTS)
    near = difflib.get_close_matches(what, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(names)}"
    misuse(f"cannot generate '{what}'; {hint}")


def _generate_events(what: str, size: int, seed: int, out: str, options: dict[str, Any]) -> None:
    generator = GENERATORS[what]
    with progress(f"generating {what}", size) as show:
        batches = _shown(generator.batches(size, seed, **options), lambda batch: batch.num_rows, show)
        rows = write_table(pa.RecordBatchReader.from_batches(generator.schema, batches), out)
    say(f"{counted(rows, 'event')} written to {_place(out)}")


def _generate_document(what: str, size: float, seed: int, out: str) -> None:
    generator = DOCUMENTS[what]
    try:
        blocks = generator.blocks(size, seed)
    except ValueError as error:
        misuse(f"--{error}")
    with progress(f"generating {what}", round(size * generator.megabytes * MEGABYTE), in_bytes=True) as show:
        written = write_document(_shown(blocks, len, show), out)
    say(f"{counted(written, 'byte')} of XML written to {_place(out)}")


def _events_in(size: str | None, what: str) -> int:
    if size is None:
        return EVENTS
    if not size.isascii() or not size.replace("_", "").isdigit():
        misuse(f"--size of {what} is how many events, such as 1000, not '{size}'")
    return int(size.replace("_", ""))


def _size_in(size: str | None, what: str, generator: DocumentGenerator) -> float:
    if size is None:
        return generator.usual
    read = NUMBER.fullmatch(size.strip())
    if read is None:
        misuse(f"--size of {what} is {generator.meaning}, not '{size}'")
    unit = UNITS[read[2].upper()] / generator.megabytes if read[2] else 1.0
    return float(read[1]) * unit


def _place(out: str) -> str:
    return "standard output" if out == "-" else out


def _shown(
    pieces: Iterator[Piece], size: Callable[[Piece], int], show: Callable[[int], None]
) -> Iterator[Piece]:
    done = 0
    for piece in pieces:
        yield piece
        done += size(piece)
        show(done)
