"""What a worker tells in its log, which on one machine is standard error: compiling, and events not used."""

import logging
from functools import cache
from typing import Any

import pyarrow as pa

from cepheid.matchers import jit
from cepheid.matchers.ready.lookup import why_not
from cepheid.views.unused import unused_lines

log = logging.getLogger("cepheid.spark")


@cache
def tell_of_compiling() -> None:
    """From now on, say so when a kernel is compiled in this process: once, since more may follow."""
    from numba.core import event

    class FirstOfOurs(event.Listener):
        is_told = False

        def on_start(self, compiling: Any) -> None:
            module = compiling.data["dispatcher"].py_func.__module__
            if not self.is_told and module.startswith("cepheid."):
                self.is_told = True
                kept = "nowhere" if jit.CACHE is None else f"in {jit.CACHE}"
                text = "cepheid: compiling kernels, once per machine: one or two minutes; they are kept %s%s"
                doubt = why_not(jit.STAMP)
                log.warning(text, kept, f"; {doubt}" if doubt else "")

        def on_end(self, compiled: Any) -> None:
            pass

    event.register("numba:compile", FirstOfOurs())  # type: ignore[no-untyped-call]


def tell_of_unused(*sides: tuple[str, int, pa.Table]) -> None:
    """How many events were late or bad, and the first reasons."""
    lines = [line for what, count, events in sides for line in unused_lines(what, count, events)]
    if lines:
        log.warning("cepheid: %s; match(…, side=True) returns them", "; ".join(lines))
