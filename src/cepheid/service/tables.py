"""The tables of the service. Times are whole microseconds since 1970 UTC."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()

BIG_ID = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only as INTEGER

STEPS = Table(
    "steps",
    METADATA,
    Column("seq", BIG_ID, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("count", Integer, nullable=False),  # of events
    Column("newest", BigInteger),  # time of events
    Column("body", LargeBinary, nullable=False),
    Column("accepted", BigInteger, nullable=False),
    Index("steps_accepted", "accepted"),
)
"""The write-ahead record: all that was done to the profiles' session, in its order."""

SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    Column("seq", BIG_ID, primary_key=True, autoincrement=False),  # the last step that it has in it
    Column("taken", BigInteger, nullable=False),
    Column("clock", BigInteger),  # the watermark
    Column("body", LargeBinary, nullable=False),
)

PROFILES = Table(
    "profiles",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("name", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("terms", Text, nullable=False),  # JSON: select, consume, once, timezone
    Column("feed", Boolean, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("silence_until", BigInteger),
    Column("silence_reason", Text),
    Column("created", BigInteger, nullable=False),
    Column("stopped", BigInteger),  # by the service, since it took too much
    Column("stopped_reason", Text),
)

ENDPOINTS = Table(
    "endpoints",
    METADATA,
    Column("id", BIG_ID, primary_key=True, autoincrement=True),
    Column("profile", String(32), ForeignKey("profiles.id", ondelete="CASCADE"), nullable=False),
    Column("url", Text, nullable=False),
    Column("secret", Text, nullable=False),
    Column("old_secret", Text),  # signs too, until a day after it was replaced
    Column("old_until", BigInteger),
    Column("disabled", BigInteger),
    Column("disabled_reason", Text),
    Column("channel", String(64)),  # instead of an address
    Index("endpoints_profile", "profile"),
    sqlite_autoincrement=True,
)

CHANNELS = Table(
    "channels",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("url", Text, nullable=False),  # holds secrets
    Column("labels", Text, nullable=False),  # JSON
    Column("made", BigInteger, nullable=False),
)
"""Ways to be told that an admin defines."""

NOTIFICATIONS = Table(
    "notifications",
    METADATA,
    Column("id", BIG_ID, primary_key=True, autoincrement=False),
    Column("profile", String(32), ForeignKey("profiles.id", ondelete="CASCADE"), nullable=False),
    Column("match_id", String(64), nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("match", Text, nullable=False),
    Column("told", BigInteger, nullable=False),
    Column("feed", Boolean, nullable=False),
    Column("silenced", Boolean, nullable=False),
    UniqueConstraint("profile", "match_id", name="notifications_once"),
    Index("notifications_profile", "profile", "id"),
    Index("notifications_told", "told"),
)
"""History, feed and webhooks are three ways to read this one table."""

DELIVERIES = Table(
    "deliveries",
    METADATA,
    Column("id", BIG_ID, primary_key=True, autoincrement=True),
    Column("notification", BIG_ID, ForeignKey("notifications.id", ondelete="CASCADE"), nullable=False),
    Column("endpoint", BIG_ID, ForeignKey("endpoints.id", ondelete="CASCADE"), nullable=False),
    Column("status", String(16), nullable=False),  # pending, delivered, failed
    Column("attempts", Integer, nullable=False),
    Column("due", BigInteger, nullable=False),
    Column("outcome", Text),  # of the last attempt
    Index("deliveries_due", "status", "due"),
    Index("deliveries_notification", "notification"),
    Index("deliveries_endpoint", "endpoint"),
    sqlite_autoincrement=True,
)
"""The outbox of webhooks and channels."""

ANSWERS = Table(
    "answers",
    METADATA,
    Column("token", String(32), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("made", BigInteger, nullable=False),
    Index("answers_made", "made"),
)
"""What requests with an Idempotency-Key were answered."""

SEEN = Table(
    "seen",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("made", BigInteger, nullable=False),
    Index("seen_made", "made"),
)
"""The source and id of CloudEvents that were accepted."""

TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),  # with blanks between
    Column("digest", String(64), nullable=False, unique=True),
    Column("given", Boolean, nullable=False),  # by the environment
    Column("made", BigInteger, nullable=False),
)

FACTS = Table(
    "facts",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("value", BigInteger, nullable=False),
)
"""Single numbers: the last id that was given to a notification."""
