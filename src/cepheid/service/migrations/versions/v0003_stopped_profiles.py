"""Profiles that the service has stopped."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Since when, and why."""
    op.add_column("profiles", sa.Column("stopped", sa.BigInteger))
    op.add_column("profiles", sa.Column("stopped_reason", sa.Text))
