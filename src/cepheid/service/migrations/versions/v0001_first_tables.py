"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make them."""
    _record()
    _profiles()
    _notifications()
    _requests()


def _record() -> None:
    op.create_table(
        "steps",
        sa.Column("seq", BIG_ID, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("newest", sa.BigInteger),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("accepted", sa.BigInteger, nullable=False),
    )
    op.create_index("steps_accepted", "steps", ["accepted"])
    op.create_table(
        "snapshots",
        sa.Column("seq", BIG_ID, primary_key=True, autoincrement=False),
        sa.Column("taken", sa.BigInteger, nullable=False),
        sa.Column("clock", sa.BigInteger),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "facts",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )


def _profiles() -> None:
    op.create_table(
        "profiles",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("terms", sa.Text, nullable=False),
        sa.Column("feed", sa.Boolean, nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("silence_until", sa.BigInteger),
        sa.Column("silence_reason", sa.Text),
        sa.Column("created", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "endpoints",
        sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
        sa.Column("profile", sa.String(32), sa.ForeignKey("profiles.id", ondelete="CASCADE"), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("old_secret", sa.Text),
        sa.Column("old_until", sa.BigInteger),
        sa.Column("disabled", sa.BigInteger),
        sa.Column("disabled_reason", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("endpoints_profile", "endpoints", ["profile"])


def _notifications() -> None:
    op.create_table(
        "notifications",
        sa.Column("id", BIG_ID, primary_key=True, autoincrement=False),
        sa.Column("profile", sa.String(32), sa.ForeignKey("profiles.id", ondelete="CASCADE"), nullable=False),
        sa.Column("match_id", sa.String(64), nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("match", sa.Text, nullable=False),
        sa.Column("told", sa.BigInteger, nullable=False),
        sa.Column("feed", sa.Boolean, nullable=False),
        sa.Column("silenced", sa.Boolean, nullable=False),
        sa.UniqueConstraint("profile", "match_id", name="notifications_once"),
    )
    op.create_index("notifications_profile", "notifications", ["profile", "id"])
    op.create_index("notifications_told", "notifications", ["told"])
    op.create_table(
        "deliveries",
        sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
        sa.Column(
            "notification", BIG_ID, sa.ForeignKey("notifications.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("endpoint", BIG_ID, sa.ForeignKey("endpoints.id", ondelete="CASCADE"), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("deliveries_due", "deliveries", ["status", "due"])
    op.create_index("deliveries_notification", "deliveries", ["notification"])
    op.create_index("deliveries_endpoint", "deliveries", ["endpoint"])


def _requests() -> None:
    op.create_table(
        "answers",
        sa.Column("token", sa.String(32), primary_key=True),
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("made", sa.BigInteger, nullable=False),
    )
    op.create_index("answers_made", "answers", ["made"])
    op.create_table(
        "seen",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("made", sa.BigInteger, nullable=False),
    )
    op.create_index("seen_made", "seen", ["made"])
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("given", sa.Boolean, nullable=False),
        sa.Column("made", sa.BigInteger, nullable=False),
    )
