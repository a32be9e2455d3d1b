"""What a worker tells in its log, which on one machine is standard error: compiling, and events not used."""

import logging

import pyarrow as pa

from cepheid.runners.stream.compiling import announce_compiling
from cepheid.views.unused import unused_lines

log = logging.getLogger("cepheid.spark")


def tell_of_compiling() -> None:
    """From now on, say when kernels are being compiled in this process."""
    announce_compiling(log.warning)


def tell_of_unused(*sides: tuple[str, int, pa.Table]) -> None:
    """How many events were late or bad, and the first reasons."""
    lines = [line for what, count, events in sides for line in unused_lines(what, count, events)]
    if lines:
        log.warning("cepheid: %s; match(…, side=True) returns them", "; ".join(lines))
