"""Workers on other machines, and several coordinators"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "workers",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("coordinator", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("wanted", sa.String(length=16), nullable=False),
        sa.Column("wanted_reason", sa.String(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("busy", sa.Integer(), nullable=False),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("voids", sa.Integer(), nullable=False),
        sa.Column("lies", sa.Integer(), nullable=False),
        sa.Column("speed", sa.Double(), nullable=True),
        sa.Column("last_match", sa.Integer(), nullable=True),
        sa.Column("clock_skew", sa.Double(), nullable=False),
        sa.Column("joined", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.CheckConstraint("wanted IN ('active', 'drained')", name=op.f("ck_workers_wanted")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )

    op.create_table(
        "coordinators",
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("folder", sa.String(length=64), nullable=False),
        sa.Column("joined", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("holder", name=op.f("pk_coordinators")),
    )


def downgrade() -> None:
    """Take the change back."""
    op.drop_table("coordinators")
    op.drop_table("workers")
