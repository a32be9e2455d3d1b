"""The one thread that owns the session of profiles and writes to the database.

It takes what waits, does all of it in one transaction, syncs once, and then answers everyone (group commit).
If a transaction fails, the session is ahead of the record: it is thrown away and made anew from the record.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cepheid.errors import CepheidError, LimitError
from cepheid.service.checkpoints import Checkpoints
from cepheid.service.clock import IdleClock
from cepheid.service.keeping import Keeping
from cepheid.service.ledger import Ledger
from cepheid.service.lull import Lull
from cepheid.service.metrics import ServiceMetrics
from cepheid.service.problems import Problem, busy
from cepheid.service.recovery import recovered
from cepheid.service.settings import Settings, microseconds
from cepheid.service.steps import ClockAdvanced, LatenessSet
from cepheid.service.store import Database, now
from cepheid.service.subscriptions import stop
from cepheid.service.turn import Turn

LOG = logging.getLogger("cepheid.service")

TICK = 0.5  # seconds between two looks at the clock while nothing comes
SAVED_EVERY = 10.0  # seconds: how much of an idle clock may be lost when the process is killed

UNHURRIED = 0.25  # seconds
WAITS = 0.1  # seconds

Act = Callable[[Turn], Any]
Told = Callable[[Sequence[Any], bool], None]
"""Hears of what was committed: rows of the outbox to deliver, and whether there may be more in it."""


@dataclass(slots=True)
class Order:
    """Something to be done by the writer, and who waits for it."""

    act: Act
    events: int
    size: int
    arrived: float
    answer: asyncio.Future[Any]


class ServiceEngine(threading.Thread):
    """Does orders one after the other, many in one transaction."""

    def __init__(
        self, store: Database, settings: Settings, metrics: ServiceMetrics, prepare: Callable[[], None]
    ) -> None:
        super().__init__(name="cepheid-engine", daemon=True)
        self._store, self._settings, self._metrics, self._prepare = store, settings, metrics, prepare
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told: Told = lambda due, has_more: None
        self._orders: deque[Order] = deque()
        self._more = threading.Condition()
        self._events = self._bytes = 0  # that wait
        self._stopping = False
        self._is_preparing = False
        self._may_begin = False  # all that has come in is read
        self._lull = Lull(settings.gather.total_seconds(), self._let_begin)
        self._clock = IdleClock(settings.idle)
        self._unsaved: int | None = (
            None  # how far an idle clock has come since the last step that was written
        )
        self._saved_at = 0.0
        self._accepted_at = 0
        self._keeping, self._checkpoints = Keeping(store.writer, settings), Checkpoints(store.writer)
        self.is_ready = False
        self.failure: str | None = None

    # -- for the event loop ------------------------------------------------------------------------

    def begin(self, loop: asyncio.AbstractEventLoop, told: Told) -> None:
        """Start; `told` is called in the loop whenever something was committed that others may want."""
        self._loop, self._told = loop, told
        self.start()

    async def do(self, act: Act, events: int = 0, size: int = 0, *, hurry: bool = True) -> Any:
        """Have something done, and wait until it is committed. What does not hurry goes with what comes next,
        or a little later by itself."""
        loop = asyncio.get_running_loop()
        answer = loop.create_future()
        with self._more:
            self._expect_room(events, size)
            self._orders.append(Order(act, events, size, time.monotonic(), answer))
            self._events += events
            self._bytes += size
            if hurry:
                self._may_begin = self._events >= self._settings.group
                if self._may_begin:
                    self._more.notify()
        if hurry:
            self._lull.stir(loop)
        else:
            loop.call_later(UNHURRIED, self._lull.stir, loop)
        return await answer

    def _let_begin(self) -> None:
        with self._more:
            self._may_begin = bool(self._orders)
            if self._may_begin:
                self._more.notify()

    def _expect_room(self, events: int, size: int) -> None:
        if not self.is_ready or self._stopping:
            raise busy("the service is stopping" if self._stopping else "the service is starting", 2)
        settings = self._settings
        too_many = self._events and self._events + events > settings.max_waiting
        if too_many or (self._bytes and self._bytes + size > settings.max_waiting_bytes):
            self._metrics.refused.labels("busy").inc(events)
            raise busy("too many events wait to be written: send them again a little later")

    def stop(self) -> None:
        """Do what waits, and end."""
        with self._more:
            self._stopping = True
            self._more.notify()

    def wait(self) -> None:
        """Until it has ended, but not until it has compiled: nothing was accepted yet."""
        while self.is_alive() and not self._is_preparing:
            self.join(WAITS)

    # -- the thread --------------------------------------------------------------------------------

    def run(self) -> None:
        """Come back to where the service was, and then do orders until told to stop."""
        try:
            self._recover()
            self._is_preparing = True
            self._prepare()
            if self._stopping:
                return
            self._is_preparing = False
            self._set_lateness()
            self._clock.start(self._matching.watermark, time.monotonic())
            self.is_ready = True
            LOG.info("ready")
            while self._once():
                pass
            self._save_clock()
            self._keeping.snapshot(self._matching, self._ledger)
        except Exception as error:
            LOG.exception("the engine has stopped")
            self.failure = type(error).__name__
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._told, (), True)
        finally:
            self.is_ready = False
            self._fail_all()

    def _recover(self) -> None:
        with self._store.writer.begin():
            self._matching, last = recovered(self._store.writer, microseconds(self._settings.lateness))
            self._ledger = Ledger(last)
            self._ledger.load(self._store.writer)
        self._unsaved = None
        self._clock.start(self._matching.watermark, time.monotonic())
        self._keeping.recovered(self._ledger.last_step)

    def _set_lateness(self) -> None:
        wanted = microseconds(self._settings.lateness)
        if wanted != self._matching.lateness:
            self._alone(lambda turn: turn.take(LatenessSet(wanted)))

    def _once(self) -> bool:
        orders = self._gathered()
        if orders:
            self._group(orders)
        else:
            if self._stopping:
                return False
            self._tick()
        self._keep()
        return True

    def _gathered(self) -> list[Order]:
        """What waits, once there is something: all that has come in, or as many events as go together."""
        with self._more:
            if not self._stopping and not (self._orders and self._may_begin):
                self._more.wait(TICK)
            while self._orders and not self._may_begin and not self._stopping:
                self._more.wait(TICK)
            return self._taken_off()

    def _taken_off(self) -> list[Order]:
        orders: list[Order] = []
        events = 0
        while self._orders and (not orders or events + self._orders[0].events <= self._settings.group):
            orders.append(self._orders.popleft())
            events += orders[-1].events
            self._bytes -= orders[-1].size
        self._events -= events
        self._may_begin = self._may_begin and bool(self._orders)
        self._metrics.waiting.set(self._events)
        return orders

    # -- a group -----------------------------------------------------------------------------------

    def _group(self, orders: list[Order]) -> None:
        """Do orders in one transaction; if that fails, one by one, so that only the culprit is refused."""
        started = time.perf_counter()
        try:
            turn, answers = self._transacted(orders)
        except Exception as error:
            self._metrics.failures.inc()
            if not isinstance(error, LimitError):
                LOG.exception("a group of %d orders failed and is taken back", len(orders))
            self._recover()
            if self._stopped_greedy(error):
                self._group(orders)
                return
            if len(orders) > 1:
                for order in orders:
                    self._group([order])
                return
            self._hand_over(None, orders, [_failed(error)])
            return
        self._metrics.commits.observe(time.perf_counter() - started)
        self._hand_over(turn, orders, answers)

    def _stopped_greedy(self, error: Exception) -> bool:
        """Whether one profile was to blame, and is stopped: its owner is told, and the others go on."""
        name = error.profile if isinstance(error, LimitError) else None
        if name is None:
            return False
        found: list[bool] = []
        self._alone(lambda turn: found.append(stop(turn, name, str(error))))
        if found[0]:
            self._metrics.stopped.inc()
            LOG.warning("the profile %s is stopped: %s", name, error)
        return found[0]

    def _alone(self, act: Act) -> None:
        """Do what nobody waits for in a transaction of its own."""
        turn, _ = self._transacted([], act)
        self._hand_over(turn, [], [])

    def _transacted(self, orders: list[Order], begin: Act | None = None) -> tuple[Turn, list[Any]]:
        self._accepted_at = max(now(), self._accepted_at)
        connection, answers = self._store.writer, []
        turn = Turn(connection, self._matching, self._ledger, self._settings, self._accepted_at)
        with connection.begin():
            (begin or self._move_clock)(turn)
            for order in orders:
                try:
                    answers.append(order.act(turn))
                except Problem as problem:
                    answers.append(problem)
            turn.flush()
            self._keeping.note(turn)
        self._checkpoints.note()
        if turn.steps:
            self._unsaved, self._saved_at = None, time.monotonic()
        if turn.accepted:
            self._clock.start(self._matching.watermark, time.monotonic())
        self._count(turn, orders)
        return turn, answers

    def _hand_over(self, turn: Turn | None, orders: list[Order], answers: list[Any]) -> None:
        """Let the event loop tell and answer, in one go: from here on both threads want the interpreter."""
        changes = [] if turn is None else turn.afterwards
        for afterwards in changes:
            afterwards()
        due, has_more = ((), False) if turn is None else (turn.due, turn.has_more_due or bool(changes))
        is_news = has_more or (turn is not None and turn.notified > 0)

        def tell_and_answer() -> None:
            if is_news:
                self._told(due, has_more)
            for order, answer in zip(orders, answers, strict=True):
                if order.answer.done():  # whoever asked has gone
                    continue
                if isinstance(answer, Problem):
                    order.answer.set_exception(answer)
                else:
                    order.answer.set_result(answer)

        if (is_news or orders) and self._loop is not None:
            self._loop.call_soon_threadsafe(tell_and_answer)

    def _count(self, turn: Turn, orders: list[Order]) -> None:
        metrics = self._metrics
        metrics.accepted.inc(turn.accepted)
        metrics.refused.labels("late").inc(turn.late)
        metrics.refused.labels("bad").inc(turn.bad)
        metrics.notifications.inc(turn.notified)
        metrics.profiles.set(len(self._ledger))
        metrics.watermark.set((self._matching.watermark or 0) / 1e6)
        if turn.notified:
            oldest = min((order.arrived for order in orders), default=time.monotonic())
            metrics.delay.observe(time.monotonic() - oldest)

    def _fail_all(self) -> None:
        with self._more:
            left, self._orders = list(self._orders), deque()
        if left:
            self._hand_over(None, left, [busy("the service is stopping", 2)] * len(left))

    # -- the clock ---------------------------------------------------------------------------------

    def _move_clock(self, turn: Turn) -> None:
        """Before anything else happens, time has passed as far as it has."""
        reading, reached = self._clock.reading(time.monotonic()), self._matching.watermark
        if reached is None or reading is None or reading <= reached:
            if self._unsaved is not None:
                turn.record(ClockAdvanced(self._unsaved))
            return
        turn.take(ClockAdvanced(reading))

    def _tick(self) -> None:
        """Time passes while nothing comes. What that tells is written at once, and the clock now and then."""
        reading, reached = self._clock.reading(time.monotonic()), self._matching.watermark
        if reached is None or reading is None or reading <= reached:
            return
        try:
            told = self._matching.apply(ClockAdvanced(reading))
        except Exception as error:
            LOG.exception("time could not pass; it is tried again when the service has been idle once more")
            self._recover()
            self._stopped_greedy(error)
            return
        self._unsaved = reading
        if told or time.monotonic() - self._saved_at >= SAVED_EVERY:
            self._group_of_clock(told)

    def _group_of_clock(self, told: list[Any]) -> None:
        def begin(turn: Turn) -> None:
            assert self._unsaved is not None
            turn.record(ClockAdvanced(self._unsaved))
            turn.notify(told)

        try:
            self._alone(begin)
        except Exception:
            LOG.exception("the clock could not be written")
            self._recover()

    def _save_clock(self) -> None:
        if self._unsaved is not None:
            self._group_of_clock([])

    # -- what is kept ------------------------------------------------------------------------------

    def _keep(self) -> None:
        if self._keeping.wants_snapshot():
            self._save_clock()
            self._keeping.snapshot(self._matching, self._ledger)
        self._keeping.forget()
        if not self._orders:
            self._checkpoints.move()


def _failed(error: Exception) -> Problem:
    if isinstance(error, LimitError):
        return Problem(
            422, f"these events complete too much, and nothing of the request was accepted: {error}"
        )
    if isinstance(error, CepheidError):
        return busy(f"the events cannot be matched now: {error}", 10)
    return Problem(500, "the request failed; nothing of it was accepted")
