"""Compiling is over before the service is ready: all that profiles may need is gone through once."""

from __future__ import annotations

import contextlib
import logging

import numba

from cepheid.matchers.jit import CACHE, STAMP, is_cold
from cepheid.matchers.ready.lookup import ready_kernels
from cepheid.warm_up.profiles import push
from cepheid.warm_up.stream import EVENTS

LOG = logging.getLogger("cepheid.service")

FAMILIES = ("matching", "following profiles", "matching by trees", "condensing in trees", "matching later")
"""What profiles are matched by; a profile has no AGG, and EMIT ALL alone."""

MARK = "service-is-compiled"
"""A file beside the kernels: they were all there once, so a start need not go through them again."""


def compile_all() -> None:
    """Compile what is not kept on this machine, and load what every event needs into this process."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return
    if not are_kept():
        _go_through_all()
    push(EVENTS)


def _go_through_all() -> None:
    from cepheid.warm_up.run import exercised, warm_up  # knows every kernel: no usual start needs it

    if is_cold():
        warm_up(None, LOG.info, FAMILIES)
    for name in FAMILIES:
        found = exercised(name)
        LOG.info("%s: %d compiled, %d loaded, %.1f s", name, found.compiled, found.loaded, found.seconds)
    if CACHE is not None and CACHE.is_dir():
        with contextlib.suppress(OSError):
            (CACHE / MARK).touch()


def are_kept() -> bool:
    """Whether all that profiles need is compiled on this machine, or came ready."""
    return ready_kernels(STAMP) is not None or (CACHE is not None and (CACHE / MARK).exists())
