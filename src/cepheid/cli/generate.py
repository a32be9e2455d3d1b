"""`cepheid generate`: events to try queries on."""

import difflib
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from cepheid.cli.refuse import misuse, refuse
from cepheid.cli.say import progress, say
from cepheid.cli.show import counted
from cepheid.sources.generate import GENERATORS, PLANNED
from cepheid.sources.write import write_table


def generate_events(what: str, size: int, seed: int, out: str, **options: Any) -> None:
    """Write `size` events of a kind to a file, batch by batch."""
    if what in PLANNED:
        refuse(f"generate {what}", f"what is: {', '.join(GENERATORS)}")
    if what not in GENERATORS:
        near = difflib.get_close_matches(what, GENERATORS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(GENERATORS)}"
        misuse(f"cannot generate '{what}'; {hint}")
    generator = GENERATORS[what]
    given = {name: value for name, value in options.items() if value is not None}
    for name in given.keys() - set(generator.options):
        misuse(f"--{name} says nothing about {what}")
    with progress(f"generating {what}", size) as show:
        batches = _shown(generator.batches(size, seed, **given), show)
        rows = write_table(pa.RecordBatchReader.from_batches(generator.schema, batches), out)
    say(f"{counted(rows, 'event')} written to {'standard output' if out == '-' else out}")


def _shown(batches: Iterator[pa.RecordBatch], show: Callable[[int], None]) -> Iterator[pa.RecordBatch]:
    done = 0
    for batch in batches:
        yield batch
        done += batch.num_rows
        show(done)
