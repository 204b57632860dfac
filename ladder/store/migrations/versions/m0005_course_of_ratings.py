"""Seats are found by how many matches the version had had before"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

WHERE = sa.text("matches_before IS NOT NULL")


def upgrade() -> None:
    """Make the change."""
    op.create_index(
        "ix_seats_version_matches",
        "seats",
        ["version_id", "matches_before"],
        unique=False,
        sqlite_where=WHERE,
        postgresql_where=WHERE,
    )


def downgrade() -> None:
    """Take the change back."""
    op.drop_index("ix_seats_version_matches", table_name="seats")
