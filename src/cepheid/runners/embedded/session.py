"""Events as they come: pushed batch by batch, put in order up to the watermark, resumable."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, cast

import pyarrow as pa

from cepheid.errors import CepheidError, SnapshotError, StepRefusedError
from cepheid.events import END, EventSchema, FewEvents, bind
from cepheid.matchers.protocol import Beginning
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.plan import Plan
from cepheid.plan.workload.plan import WorkloadPlan
from cepheid.runners.stream.diagnosis import warned_of_unused
from cepheid.runners.stream.feed import Feed, StreamStep
from cepheid.runners.stream.few import FewIntake
from cepheid.runners.stream.fit import fit_rows
from cepheid.runners.stream.moments import Moment, moment
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.undone import taken_or_undone
from cepheid.runners.stream.usable import UsableValues
from cepheid.runners.stream.watch import Watch

Found = TypeVar("Found")
"""What a session returns: a table for a query, a dict of name to table for a workload."""


class Session(Generic[Found]):
    """A query, or a workload, over one stream as it comes."""

    def __init__(self, plan: Plan, terms: Terms) -> None:
        self.plan = plan
        self.schema = plan.schema
        self.terms = terms
        self._late = SideOutput("late", terms.on_late, plan.schema.columns)
        self._bad = SideOutput("bad", terms.on_bad, plan.schema.columns)
        self._usable = UsableValues(plan)
        self._few = FewIntake(plan)
        self._feed = Feed(plan, terms)
        self._nothing = pa.Table.from_batches([], plan.schema.columns)
        self._closed = False
        self._warned = False
        self._watch = Watch(plan)

    @property
    def lateness(self) -> Moment:
        """How late events may be, in ticks of the time column."""
        return self.terms.lateness

    @property
    def late(self) -> pa.Table:
        """The late events so far, with the reason."""
        return self._late.table

    @property
    def bad(self) -> pa.Table:
        """The bad events so far, with the reason."""
        return self._bad.table

    @property
    def watermark(self) -> Moment:
        """How far time has come, in ticks of the time column; an event before it is late."""
        return self._feed.watermark

    @property
    def stats(self) -> dict[str, Any]:
        """Figures about the session so far; of a workload, a dict of them by query."""
        beside = {"waiting": len(self._feed.held_back), "watermark": self.watermark}
        figures = self._feed.stats(self._late, self._bad, self._feed.seconds)
        return cast(dict[str, Any], self._shown([{**each, **beside} for each in figures]))

    def take_late(self) -> pa.Table:
        """The late events since they were last taken; a long session's side output stays small."""
        return self._late.taken()

    def take_bad(self) -> pa.Table:
        """The bad events since they were last taken."""
        return self._bad.taken()

    def push(self, batch: Any) -> Found:
        """Events as they arrive; the matches that became certain."""
        self._check_open()
        late, bad = self._late.mark(), self._bad.mark()
        rows, newest = self._admitted(batch)
        try:
            found = self._taken(rows, self._feed.reached(newest))
        except StepRefusedError:
            self._late.go_back(late)
            self._bad.go_back(bad)
            raise
        self._watch.look(rows, self._feed.matches)
        if not self._warned and self._late.count + self._bad.count > self._feed.taken:
            self._warned = warned_of_unused(self._late, self._bad, self._feed.taken)
        return found

    def _admitted(self, batch: Any) -> tuple[pa.Table | FewEvents, Moment | None]:
        """The events that can be used, and the newest time of all. A few that are all good and in time stay
        Python values."""
        few = self._few.taken(batch)
        newest = None if few is None else self._feed.newest_of(few)
        if few is not None and newest is not None:
            return few, newest
        good = self._usable.good(fit_rows(batch, self.schema, self._bad), self._bad)
        return self._feed.admit(good, self._late)

    def advance(self, watermark: Any) -> Found:
        """Time passing without events: no event before `watermark` will come."""
        self._check_open()
        reached = max(self.watermark, moment(watermark, self.schema))
        found = self._taken(self._nothing, reached)
        if isinstance(self._feed.matcher, Beginning) and self._feed.taken == 0:
            self._feed.matcher.begin(reached)
        return found

    def close(self) -> Found:
        """The end of the stream."""
        self._check_open()
        found = self._taken(self._nothing, END)
        self._closed = True
        self._watch.close(self._feed.matches)
        return found

    def snapshot(self) -> bytes:
        """Everything needed to go on elsewhere: `cepheid.resume(q, snapshot)`."""
        self._check_open()
        schema, terms, feed = self.schema, self.terms, self._feed
        snapshot = feed.snapshot()
        snapshot.tables |= {"late": self.late, "bad": self.bad, "schema": schema.columns.empty_table()}
        snapshot.values |= {
            "stream": [schema.time, schema.type, list(schema.order), schema.time_unit],
            "terms": [terms.lateness, terms.on_late, terms.on_bad, terms.max_matches, terms.max_state],
            "counts": [self._late.count, self._bad.count, feed.events, feed.matches],
        }
        return snapshot.to_bytes()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of a session of the same query or workload."""
        self._feed.restore(snapshot)
        late, bad, self._feed.events, self._feed.matches = snapshot.values["counts"]
        self._late.restore(snapshot.tables["late"], late)
        self._bad.restore(snapshot.tables["bad"], bad)
        self._warned = late + bad > 0  # where it began
        self._watch.stop()

    def _check_open(self) -> None:
        if self._closed:
            raise CepheidError(
                "the session is closed, or an error has stopped it: start another with q.session(…), "
                "or go on from a snapshot with cepheid.resume(q, snapshot)"
            )

    def _taken(self, rows: pa.Table | FewEvents, watermark: Moment) -> Found:
        try:
            return cast(Found, self._shown(taken_or_undone(self._feed, StreamStep(rows, watermark))))
        except StepRefusedError:
            raise
        except BaseException:
            self._closed = True  # the matcher stopped in the middle of a batch
            raise

    def _shown(self, outputs: Sequence[Any]) -> Any:
        """What users see of something that there is for each output."""
        if isinstance(self.plan, WorkloadPlan):
            return dict(zip(self.plan.names, outputs, strict=True))
        (only,) = outputs
        return only


def saved_stream(snapshot: Snapshot) -> EventSchema:
    """The stream of the session that a snapshot is of."""
    if "stream" not in snapshot.values or "schema" not in snapshot.tables:
        raise SnapshotError("the snapshot is not of a session: pass the bytes of session.snapshot()")
    return bind(snapshot.tables["schema"].schema, *snapshot.values["stream"])


def resumed(plan: Plan, snapshot: Snapshot) -> Session[Any]:
    """A session that goes on where the snapshot was taken, on the terms that it had."""
    try:
        session: Session[Any] = Session(plan, Terms(*snapshot.values["terms"]))
        session.restore(snapshot)
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotError(f"the snapshot is not whole: {error}; take an earlier one") from error
    return session
