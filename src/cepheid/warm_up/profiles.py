"""What reaches the kernels that follow profiles in a single step."""

# mypy: allow-untyped-calls
import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, bind
from cepheid.matchers.profile.pool.index import PrimitiveIndex
from cepheid.matchers.profile.pool.kernel import find_all, insert_many
from cepheid.profiles import Profile, profile, profiles
from cepheid.query import resume
from cepheid.warm_up.stream import ENDLESS, EVENTS, ONE_STREAM, with_real_time


def follow() -> None:
    """Sets of profiles over whole times and real ones, in all variants, from tables and in sessions."""
    for events in (EVENTS, with_real_time(EVENTS)):
        for options in ({}, {"variant": "mark"}, {"variant": "reference"}, {"method": "two_step"}):
            profiles(members(), **options).run(events, **ONE_STREAM)
            profiles(timed(), **options).run(events, **ONE_STREAM)
        push(events)
    profiles(many()).run(EVENTS, **ONE_STREAM)
    profiles(members()).run(ENDLESS, **ONE_STREAM).table  # noqa: B018  made when it is asked for
    forgetful = profiles({"any": profile("PATTERN ANY a WITHIN 1", select="first")})
    forgetful.session(ENDLESS.schema, **ONE_STREAM).push(ENDLESS)
    look_up()


def members() -> dict[str, Profile]:
    """Profiles that need all kernels together."""
    return {
        "lone": profile("PATTERN A a WHERE a.n = 2 AND a.x < 5"),
        "pairs": profile("PATTERN SEQ(A a, B b) WHERE [p] AND a.x < b.x WITHIN 5", consume="unique"),
        "chosen": profile("PATTERN AND(A a, B b) WHERE a.n < 5 WITHIN 5", select="first", once=3),
        "absent": profile("PATTERN SEQ(A a, ~C c, B b) WITHIN 5", consume="reapply"),
        "like": profile("PATTERN A a WHERE a.k LIKE '%A%' OR a.n IN (1, 2)", once="ever"),
    }


def timed() -> dict[str, Profile]:
    """Profiles with time events."""
    return {
        "quiet": profile("PATTERN SEQ(A a, SILENCE OF B b FOR 1) WITHIN 5", once="ever"),
        "keyed": profile("PATTERN SILENCE OF A a FOR 1 WHERE [p] AND a.n > 0"),
        "ticks": profile("PATTERN SEQ(EVERY 2, B b) WITHIN 5"),
    }


def look_up() -> None:
    """A pool that does not change, by itself."""
    index = PrimitiveIndex(bind(EVENTS.schema, **ONE_STREAM), "us")
    lone = members()["lone"]
    ids = index.add(lone.template, [lone.constants])
    state = index.state()
    insert_many(index.tables, state, np.unique(ids))
    (data,) = EVENTS.combine_chunks().to_batches()
    events = index.read(EventBatch(data, np.arange(data.num_rows), data.num_rows))
    find_all(index.tables, state, events, 0, np.zeros((2, 2 * data.num_rows), np.int32))


def many() -> dict[str, str]:
    """So many constants that what they are looked up in grows, and pieces of texts."""
    equal = {f"n {n}": f"PATTERN A a WHERE a.n = {n}" for n in range(200)}
    ranges = {f"x {n}": f"PATTERN A a WHERE a.x > {n} AND a.x < {n + 2}.5" for n in range(40)}
    texts = {f"k {n}": f"PATTERN ANY a WHERE a.k = 'A{n}'" for n in range(200)}
    alike = {f"like {n}": f"PATTERN ANY a WHERE a.k LIKE '%some piece {n}%'" for n in range(100)}
    return equal | ranges | texts | alike | {"starts": "PATTERN ANY a WHERE a.k LIKE 'A%' AND a.n > 1"}


def push(events: pa.Table) -> None:
    """A session that changes, and goes on from a snapshot."""
    session = profiles(members() | timed()).session(events.schema, **ONE_STREAM)
    for row in range(events.num_rows):
        session.push(events.slice(row, 1))
    session.add("later", "PATTERN SEQ(A a, B b, C c) WHERE a.n < c.n WITHIN 50")
    session.pause("pairs")
    session.resume("pairs")
    session.remove("like")
    resume(profiles({}), session.snapshot()).close()
