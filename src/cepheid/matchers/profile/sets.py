"""Many profiles over one stream: most in a single step, the others beside it; what they tell is one table."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.events import END, EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.loose_columns import LooseReading, LooseStore
from cepheid.matchers.profile.beside import BesideProfile, BesideRow, hidden_rows
from cepheid.matchers.profile.matcher import ProfileMatcher
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.matcher import OneStepMatcher, Told
from cepheid.matchers.profile.one_step.stored import StoredEvents
from cepheid.matchers.profile.one_step.time_rows import TimeRows
from cepheid.matchers.profile.one_step.told_rows import ToldRows
from cepheid.matchers.profile.roster import Roster, roster_of
from cepheid.matchers.profile.saving import restore_step, save_step, saved_profile
from cepheid.matchers.profile.set_rows import SetPiece, SetRows
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.store import EventStore
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.sets import PlannedMember, ProfileSetPlan


class ProfileSetMatcher:
    """Tells the matches of the profiles that are there; they may change between any two batches."""

    engine = "profiles"

    def __init__(self, plan: ProfileSetPlan, allowance: Allowance) -> None:
        self.plan, self._allowance = plan, allowance
        self.roster: Roster = roster_of(plan)
        self.step = OneStepMatcher(self.roster.steps, allowance.part(), plan.method)
        self.beside = {
            name: BesideProfile(each, self._matcher(each)) for name, each in self.roster.beside_plans.items()
        }
        self.paused: set[str] = set()  # of those in the single step
        self.loose = None if plan.loose is None else LooseReading(plan.loose, plan.loose_columns)
        store = EventStore(plan.schema.columns) if self.loose is None else LooseStore(self.loose)
        self._stored: StoredEvents | None = StoredEvents(store)
        self._time_rows = TimeRows(plan.schema, store, self.loose)
        self._veils: dict[int, Counter[str]] = {}
        self.rows = SetRows(plan, lambda: self.roster, ToldRows(lambda: self.step.known))

    def defer(self) -> bool:
        """Keep no events: what is told is made into rows only when somebody asks, from the whole table. Time
        events are in no table, so where there may be any, nothing is deferred; whether it is."""
        if self.step.temporal is None:
            self._stored = None
        return self._stored is None

    def _matcher(self, plan: Any) -> ProfileMatcher:
        return ProfileMatcher(plan, self._allowance.part())

    @property
    def state_bytes(self) -> int:
        """How much all profiles hold."""
        return self.step.state_bytes + sum(each.matcher.state_bytes for each in self.beside.values())

    @property
    def peak_state_bytes(self) -> int:
        """The most that each of them has held, together."""
        beside = sum(each.matcher.peak_state_bytes for each in self.beside.values())
        return max(self.step.memory.peak, self.step.state_bytes) + beside

    @property
    def figures(self) -> dict[str, int | str]:
        """How many profiles there are, and what the single step has done."""
        paused = len(self.paused) + sum(each.is_paused for each in self.beside.values())
        count = {"profiles": len(self.roster), "paused": paused, "beside": len(self.beside)}
        return {"method": self.plan.method, **count, **self.step.figures}

    def begin(self, start: Ticks) -> None:
        """Time has come to here before any event."""
        self.step.begin(start)
        for each in self.beside.values():
            each.matcher.begin(start)

    # -- change ------------------------------------------------------------------------------------

    def add(self, name: str, profile: PlannedMember, watermark: Ticks, waiting: pa.Table) -> None:
        """A profile that sees the events accepted from now on, and not those that wait for the watermark."""
        unseen = Counter(map(repr, waiting.to_pylist()))
        self.roster = self.roster.own()
        if self.loose is not None:
            self.loose.add(profile.of.plan.loose)
        if profile.beside is not None:
            self.roster.add_beside(name)
            self.beside[name] = BesideProfile(profile.beside, self._matcher(profile.beside), unseen=unseen)
            if abs(watermark) != END:
                self.beside[name].matcher.begin(watermark)
            return
        number = self.step.add(profile.of.template, profile.of.plan, profile.constants)
        self.roster.add_step(name, number)
        self.step.veil(number, self._veil(unseen))
        self.step.begin(watermark, np.array([number]))

    def remove(self, name: str) -> None:
        """Drop a profile, with all that it knows."""
        self.roster = self.roster.own()
        if name in self.beside:
            del self.beside[name]
        else:
            self.step.remove(self.roster.number_of(name))
        self.roster.remove(name)
        self.paused.discard(name)

    def is_paused(self, name: str) -> bool:
        """Whether a profile sees nothing."""
        return self.beside[name].is_paused if name in self.beside else name in self.paused

    def pause(self, name: str) -> None:
        """Drop what is half matched, and see nothing."""
        if name in self.beside:
            each = self.beside[name]
            each.is_paused, each.matcher = True, each.matcher.anew(self._allowance.part())
            return
        self.paused.add(name)
        self.step.pause(self.roster.number_of(name))

    def resume(self, name: str, watermark: Ticks, waiting: pa.Table) -> None:
        """See the events accepted from now on; what was told is not forgotten."""
        unseen = Counter(map(repr, waiting.to_pylist()))
        if name in self.beside:
            each = self.beside[name]
            each.is_paused, each.unseen = False, unseen
            if abs(watermark) != END:
                each.matcher.begin(watermark)
            return
        self.paused.discard(name)
        number = self.roster.number_of(name)
        self.step.resume(number)
        self.step.veil(number, self._veil(unseen))
        self.step.begin(watermark, np.array([number]))

    def _veil(self, unseen: Counter[str]) -> int:
        """The number of a veil over just these events; -1 if there are none."""
        if not unseen:
            return -1
        for number, known in self._veils.items():
            if known == unseen:
                return number
        number = next(n for n in range(len(self._veils) + 1) if n not in self._veils)
        self._veils[number] = unseen
        return number

    # -- matching ----------------------------------------------------------------------------------

    def process(self, batch: EventBatch) -> Outputs:
        """What is told with this batch: by the time of completion, then in the order of the profiles."""
        piece = self.told(batch)
        return (piece,) if self._stored is None else (self.rows.table(piece),)

    def told(self, batch: EventBatch) -> SetPiece:
        """The same before it is made into rows. In a deferred run, events are places in the whole table."""
        wide = batch if self.loose is None else self.loose.wide(batch)
        beside: list[tuple[int, str, BesideRow]] = []
        for name, each in self.beside.items():
            try:
                beside += [(self.roster.ranks[name], name, row) for row in each.told(wide, batch)]
            except LimitError as error:
                error.profile = name
                raise
        try:
            return self._stepped(wide, self._hidden(batch)).with_beside(beside)
        except LimitError as error:
            error.profile = self._greediest()
            raise

    def _greediest(self) -> str | None:
        """The profile in the single step that has at least half of what is told, or of what is held."""
        memory = self.step.memory
        told = memory.state.told[: memory.cursor[at.TOLD], at.TOLD_PROFILE]
        held = memory.state.rows[:, at.PROFILE]
        for numbers in (told, held[held != at.NONE]):
            counts = np.bincount(numbers) if numbers.size else np.zeros(1, np.int64)
            if counts.max() > 1 and 2 * counts.max() >= numbers.size:
                return self.roster.names[int(counts.argmax())]
        return None

    def _stepped(self, batch: EventBatch, hidden: np.ndarray | None) -> SetPiece:
        stored = self._stored
        if stored is None or self.step.temporal is None:
            staged = self.step.staged(batch, hidden, None)
        else:
            stored.before(batch)
            staged = self.step.staged(batch, hidden, self._time_rows)
        if stored is not None:
            stored.know(step.plan.known_by for step in self.step.known.steps)
            held = stored.look_at(staged.batch, staged.alike)
        told = self.step.process(staged)
        if stored is None:
            places = np.append(self.step.events.place, -1)
            told = Told(told.profile, told.clock, told.flag, places[told.events])
            piece = SetPiece(told)
        else:
            piece = SetPiece(told, self.rows.step_columns(told, held) if told.profile.size else None)
        kept = self.step.settle()
        if stored is not None:
            stored.keep(kept)
        left = self.step.clear_out(batch.watermark)
        if left is not None and stored is not None:
            stored.keep_only(left)
        return piece

    def _hidden(self, batch: EventBatch) -> np.ndarray | None:
        """Which events each veil hides."""
        if not self._veils:
            return None
        found = np.zeros((max(self._veils) + 1, batch.count), np.uint8)
        for number, unseen in self._veils.items():
            found[number] = hidden_rows(batch, unseen)
        return found

    # -- snapshots ---------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The profiles that are there, and all that they know."""
        snapshot = Snapshot(self.plan.fingerprint)
        snapshot.values["members"] = [self._saved(name) for name in self.roster]
        snapshot.values["method"] = self.plan.method
        for name, each in self.beside.items():
            snapshot.merge(f"member {self.roster.ranks[name]}", each.matcher.snapshot())
        assert self._stored is not None
        save_step(self, snapshot)
        return snapshot

    def _saved(self, name: str) -> dict[str, Any]:
        """A profile as JSON can hold it."""
        if name in self.beside:
            each = self.beside[name]
            return saved_profile(name, each.plan, self.roster.ranks[name], each.is_paused, dict(each.unseen))
        number = self.roster.number_of(name)
        known = self.step.known
        template, plan = (
            known.templates[known.template.rows[number]],
            known.steps[known.template.rows[number]].plan,
        )
        veil = int(self.step.memory.members.profiles[number, at.VEIL])
        unseen = dict(self._veils.get(veil, {}))
        own = template.as_written.filled(known.constants[number])
        return saved_profile(name, plan, self.roster.ranks[name], name in self.paused, unseen, own)

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of a set with the same profiles."""
        for saved in snapshot.values["members"]:
            name, unseen = saved["name"], Counter(saved["unseen"])
            if name in self.beside:
                each = self.beside[name]
                each.is_paused, each.unseen = saved["paused"], unseen
                each.matcher.restore(snapshot.part(f"member {saved['rank']}"))
                continue
            if saved["paused"]:
                self.pause(name)
            self.step.veil(self.roster.number_of(name), self._veil(unseen))
        restore_step(self, snapshot)

    @property
    def stored(self) -> StoredEvents:
        """The events of a session."""
        assert self._stored is not None
        return self._stored
