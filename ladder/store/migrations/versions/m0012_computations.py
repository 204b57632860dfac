"""Computations"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "computations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("lane", sa.String(length=16), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("visitor", sa.String(length=128), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("answered", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.CheckConstraint("lane IN ('short', 'long')", name=op.f("ck_computations_lane")),
        sa.CheckConstraint("status IN ('queued', 'leased', 'ended')", name=op.f("ck_computations_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_computations")),
        sa.UniqueConstraint("key", name=op.f("uq_computations_key")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("computations", schema=None) as batch_op:
        batch_op.create_index("ix_computations_finished", ["finished"], unique=False)
        batch_op.create_index(
            "ix_computations_open",
            ["id"],
            unique=False,
            sqlite_where=sa.text("status IN ('queued', 'leased')"),
            postgresql_where=sa.text("status IN ('queued', 'leased')"),
        )
        batch_op.create_index("ix_computations_visitor", ["visitor", "started"], unique=False)


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("computations", schema=None) as batch_op:
        batch_op.drop_index("ix_computations_visitor")
        batch_op.drop_index(
            "ix_computations_open",
            sqlite_where=sa.text("status IN ('queued', 'leased')"),
            postgresql_where=sa.text("status IN ('queued', 'leased')"),
        )
        batch_op.drop_index("ix_computations_finished")

    op.drop_table("computations")
