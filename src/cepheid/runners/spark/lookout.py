"""Tells users which events a match needs and never came, once Spark knows: at the end of their own action.

What is observed of a DataFrame is computed while an action runs that somebody else began. A thread waits
for it, so nothing is held up; few may wait at a time, since a result that nobody asks for keeps its thread.
"""

import atexit
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from weakref import ref

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, Observation

from cepheid.errors import UsersLine, users_line, warn
from cepheid.runners.spark.needed import Needed, in_python, unseen_text

WAITING = 8  # results at a time
PAUSE = 0.5  # seconds between two looks, on Connect, where nothing can be waited for
LINGER = 0.5  # seconds at the end of the program, for what its last action observed

SEEN = "seen"

_waiting: set[threading.Thread] = set()
_leaving = threading.Event()


def watched(events: DataFrame, needed: Sequence[Needed], seen: Column, frame: str) -> DataFrame:
    """The same rows; `seen` is computed as they pass, and what is needed and not in it is told."""
    if not needed or len(_waiting) >= WAITING:
        return events
    observation = Observation()
    try:
        observed = events.observe(observation, seen.alias(SEEN))
    except (PySparkException, AttributeError):  # a kind of session that has none: it does without
        return events
    about = ([observation], tuple(needed), frame, users_line())
    thread = threading.Thread(target=_wait, args=about, name="cepheid-lookout", daemon=True)
    _waiting.add(thread)
    thread.start()
    _linger_at_exit()
    return observed


def _wait(given: list[Observation], needed: Sequence[Needed], frame: str, line: UsersLine) -> None:
    seen = None
    with suppress(Exception):  # of Java, of the connection: the action has failed, which is told elsewhere
        seen = _observed(given)
    _waiting.discard(threading.current_thread())
    text = None if seen is None else unseen_text(needed, seen, in_python(frame))
    if text is not None:
        warn(text, line=line)


def _observed(given: list[Observation]) -> int | None:
    """What an action saw; None if there will be none.

    On Connect nothing waits: what is given is filled in when an action ends. The list hands over the only
    reference of ours, so that an observation lives there as long as somebody holds its DataFrame.
    """
    found = given[0].get
    held = ref(given.pop())
    is_last = False
    while not found and not is_last:
        is_last = _leaving.wait(PAUSE) or held() is None
    return found[SEEN] or 0 if found else None


@cache
def _linger_at_exit() -> None:
    atexit.register(_linger)


def _linger() -> None:
    _leaving.set()
    until = time.monotonic() + LINGER
    for thread in list(_waiting):
        thread.join(max(0.0, until - time.monotonic()))
