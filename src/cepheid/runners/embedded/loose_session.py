"""A session of many profiles over events without a schema: the first event says what its times are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError, CepheidError, QueryError, TimeUnitError
from cepheid.events import END, FewEvents
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.loose.stream import Form, LooseStream
from cepheid.plan.profile.sets import ProfileSetPlan
from cepheid.runners.embedded.profile_session import Planned, ProfileSession
from cepheid.runners.stream.loose import LooseBinding, LooseEvents, loose_events, time_type
from cepheid.runners.stream.loose_values import as_moment, inexact_number
from cepheid.runners.stream.moments import Moment
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms

UNDECIDED = "undecided"
"""What the snapshot of a session holds that has not seen a time yet."""


class LooseProfileSession(ProfileSession):
    """Many profiles over a stream whose times are known, and nothing else of its events."""

    def __init__(self, plan: ProfileSetPlan, terms: Terms, planned: Planned) -> None:
        super().__init__(plan, terms, planned)
        assert plan.loose is not None
        self.stream, schema = plan.loose, plan.schema
        self.binding = LooseBinding(schema.time, schema.type, schema.order, schema.time_unit)

    def _admitted(self, batch: Any) -> tuple[pa.Table | FewEvents, Moment | None]:
        events = batch if isinstance(batch, LooseEvents) else loose_events(batch, self.binding)
        events = events.without_inexact(self._computed_numbers())
        if events.odd:
            self._bad.add(*events.bad_rows(self.stream))
        return super()._admitted(events.travelling(self.stream))

    def _computed_numbers(self) -> list[tuple[str, ...]]:
        """The attributes that some profile computes with as numbers."""
        reading = self._profiles.loose
        assert reading is not None
        return [column.path for column in reading.columns.values() if column.form is Form.NUMBER]

    def unfit(self, text: str) -> str | None:
        """Why an event, as JSON, cannot be used with the profiles that are there; None if it can."""
        return inexact_number(text, self._computed_numbers())

    def take_over(self, bad: SideOutput) -> None:
        """Go on with the bad events that came before any time was known."""
        rows = [{self.stream.event: text} for text in bad.table.column(0).to_pylist()]
        table = pa.Table.from_pylist(rows, schema=self.schema.columns)
        if rows:
            self._bad.add(table, bad.table.column("reason").to_pylist())
        self._bad.count = bad.count

    def snapshot(self) -> bytes:
        """Everything needed to go on elsewhere."""
        saved = Snapshot.from_bytes(super().snapshot())
        saved.values["loose"] = [self.stream.event, self.stream.moments]
        return saved.to_bytes()


Check = Callable[[LooseStream, Mapping[str, Any]], None]
"""Refuses profiles that a stream cannot be run with."""


@dataclass(frozen=True, slots=True)
class LooseOpening:
    """How a set of profiles opens sessions, once it is known what times are."""

    as_profile: Callable[[str, Any], Any]  # a profile, from its text too
    check: Check
    open: Callable[[LooseStream, Mapping[str, Any]], LooseProfileSession]
    saved: Callable[[str, Any], dict[str, Any]]  # a profile as JSON can hold it
    terms: Mapping[str, Any]  # as users give them


class LooseSession:
    """A session without a schema, as users hold it. Before the first event with a time it only keeps the
    profiles: whether they can be run may depend on what times are."""

    def __init__(
        self, binding: LooseBinding, profiles: Mapping[str, Any], opening: LooseOpening, checked: bool = False
    ) -> None:
        self.binding, self._opening = binding, opening
        if not checked:
            expect_likely(binding, opening.check, profiles)
        self._waiting = dict(profiles)
        self._paused: set[str] = set()
        self._own: LooseProfileSession | None = None
        self._early = SideOutput("bad", opening.terms["on_bad"], pa.schema([("event", pa.string())]))
        self._closed = False

    @staticmethod
    def around(session: LooseProfileSession, opening: LooseOpening) -> LooseSession:
        """A session that knows what its times are."""
        fresh = LooseSession(session.binding, {}, opening, checked=True)
        fresh._own = session
        return fresh

    # -- events ------------------------------------------------------------------------------------

    def push(self, batch: Any) -> pa.Table:
        """Events as they arrive, with the attributes that each of them has; what became certain.

        Events that are no good go to `bad`, with the reason, and all others of the push are taken; with
        `on_bad="fail"` none is.
        """
        if self._own is not None:
            return self._own.push(batch)
        self._check_open()
        events = loose_events(batch, self.binding)
        stream = events.stream()
        if stream is None:
            self._keep_early(events)
            return self._nothing()
        own = self._begun(stream)
        found = own.push(events)
        self._own = own
        return found

    def advance(self, watermark: Any) -> pa.Table:
        """Time passing without events: no event before `watermark` will come."""
        if self._own is None:
            self._check_open()
            kind = time_type(as_moment(watermark))
            if kind is None:
                raise BindingError(f"{watermark!r} is not a time: pass a number, a datetime or ISO 8601")
            own = self._begun(self.binding.stream(kind, [pa.float64()] * len(self.binding.order)))
            found = own.advance(watermark)
            self._own = own
            return found
        return self._own.advance(watermark)

    def close(self) -> pa.Table:
        """The end of the stream."""
        if self._own is not None:
            return self._own.close()
        self._check_open()
        self._closed = True
        return self._nothing()

    def _begun(self, stream: LooseStream) -> LooseProfileSession:
        """The session over a stream, with all that has happened here."""
        own = self._opening.open(stream, self._waiting)
        for name in self._paused:
            own.pause(name)
        own.take_over(self._early)
        return own

    def _keep_early(self, events: LooseEvents) -> None:
        time = self.binding.time
        odd = [*events.odd, *((text, f"'{time}' is no time") for text in events.texts)]
        rows = pa.table({"event": pa.array([text for text, _ in odd], pa.string())})
        self._early.add(rows, [why for _, why in odd])

    def _nothing(self) -> pa.Table:
        names = ("profile", "match_id", "time", "match")
        kinds = (pa.string(), pa.string(), pa.null(), pa.string())
        return pa.schema(list(zip(names, kinds, strict=True))).empty_table()

    # -- profiles ----------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The names of the profiles that are there."""
        return [*self._waiting] if self._own is None else self._own.names

    def add(self, name: str, profile: Any) -> None:
        """A profile that sees the events accepted from now on; it may name attributes that no event had."""
        if self._own is not None:
            return self._own.add(name, profile)
        self._check_open()
        if not isinstance(name, str):
            raise CepheidError(f"a profile has a text for a name, not {name!r}")
        if name in self._waiting:
            raise CepheidError(f"there is a profile '{name}' already: remove it first, or use another name")
        profile = self._opening.as_profile(name, profile)
        expect_likely(self.binding, self._opening.check, {name: profile})
        self._waiting[name] = profile
        return None

    def remove(self, name: str) -> None:
        """Drop a profile, with all that it knows."""
        if self._own is not None:
            return self._own.remove(name)
        self._expect(name)
        del self._waiting[name]
        self._paused.discard(name)
        return None

    def pause(self, name: str) -> None:
        """Let a profile see nothing; what is half matched is dropped."""
        if self._own is not None:
            return self._own.pause(name)
        self._expect(name)
        if name in self._paused:
            raise CepheidError(f"the profile '{name}' is paused already")
        self._paused.add(name)
        return None

    def resume(self, name: str) -> None:
        """Let a paused profile see the events accepted from now on."""
        if self._own is not None:
            return self._own.resume(name)
        self._expect(name)
        if name not in self._paused:
            raise CepheidError(f"the profile '{name}' is not paused")
        self._paused.discard(name)
        return None

    def _expect(self, name: str) -> None:
        self._check_open()
        if name not in self._waiting:
            raise CepheidError(f"there is no profile {name!r}")

    def _check_open(self) -> None:
        if self._closed:
            raise CepheidError("the session is closed: start another with f.session(…)")

    # -- what there is to see ----------------------------------------------------------------------

    @property
    def late(self) -> pa.Table:
        """The late events so far, each as JSON, with the reason."""
        return self._early.table.slice(0, 0) if self._own is None else self._shown(self._own.late)

    @property
    def bad(self) -> pa.Table:
        """The bad events so far, each as JSON, with the reason."""
        return self._early.table if self._own is None else self._shown(self._own.bad)

    def take_late(self) -> pa.Table:
        """The late events since they were last taken."""
        return self.late if self._own is None else self._shown(self._own.take_late())

    def take_bad(self) -> pa.Table:
        """The bad events since they were last taken."""
        return self._early.taken() if self._own is None else self._shown(self._own.take_bad())

    def _shown(self, table: pa.Table) -> pa.Table:
        assert self._own is not None
        return table.drop_columns([self._own.stream.moments])

    def unfit(self, text: str) -> str | None:
        """Why an event, as JSON, cannot be used with the profiles that are there; None if it can."""
        return None if self._own is None else self._own.unfit(text)

    @property
    def watermark(self) -> Moment:
        """How far time has come, in ticks; an event before it is late."""
        return -END if self._own is None else self._own.watermark

    @property
    def lateness(self) -> Moment | None:
        """How late events may be, in ticks; None as long as it is not known what a tick is."""
        return None if self._own is None else self._own.lateness

    @property
    def stats(self) -> dict[str, Any]:
        """Figures about the session so far."""
        if self._own is not None:
            return self._own.stats
        figures = {"events": 0, "matches": 0, "late": 0, "bad": self._early.count, "waiting": 0}
        return figures | {"profiles": len(self._waiting), "paused": len(self._paused), "watermark": -END}

    def snapshot(self) -> bytes:
        """Everything needed to go on elsewhere: `cepheid.resume(f, snapshot)`."""
        if self._own is not None:
            return self._own.snapshot()
        self._check_open()
        snapshot, roles = Snapshot(""), self.binding
        snapshot.tables["bad"] = self._early.table
        snapshot.values[UNDECIDED] = {
            "binding": [roles.time, roles.type, list(roles.order), roles.time_unit],
            "members": [self._opening.saved(name, each) for name, each in self._waiting.items()],
            "paused": sorted(self._paused),
            "terms": dict(self._opening.terms),
            "bad": self._early.count,
        }
        return snapshot.to_bytes()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from the snapshot of a session that had seen no time."""
        saved = snapshot.values[UNDECIDED]
        self._paused = set(saved["paused"])
        self._early.restore(snapshot.tables["bad"], saved["bad"])


def expect_likely(binding: LooseBinding, check: Check, profiles: Mapping[str, Any]) -> None:
    """Refuse what no stream could be run with, whether its times are numbers or timestamps. What is wrong
    with a profile either way is told, rather than that another does not suit the one or the other."""
    streams = binding.likely_streams()
    refused = _refused(check, streams, profiles)
    if refused is None:
        return
    likely = [each for each in streams if _refused(check, [each], {}) is None]
    ones: dict[Any, Mapping[str, Any]] = {}
    for name, each in profiles.items():
        ones.setdefault(each.template, {name: each})
    alone = (_refused(check, likely, one) for one in ones.values())
    raise next((error for error in alone if error is not None), refused)


def _refused(
    check: Check, streams: Sequence[LooseStream], profiles: Mapping[str, Any]
) -> CepheidError | None:
    """What is wrong with these profiles if they can be run over none of the streams: over the first, unless
    its times alone do not suit them."""
    found: CepheidError | None = None
    for stream in streams:
        try:
            check(stream, profiles)
        except (QueryError, BindingError) as error:
            suits = not isinstance(error, TimeUnitError)
            found = error if found is None or (suits and isinstance(found, TimeUnitError)) else found
        else:
            return None
    return found
