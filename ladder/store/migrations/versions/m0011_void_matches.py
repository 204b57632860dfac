"""Void matches"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "void_attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_void_attempts_match_id")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_void_attempts_variant")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_void_attempts_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_void_attempts")),
    )
    with op.batch_alter_table("void_attempts", schema=None) as batch_op:
        batch_op.create_index("ix_void_attempts_variant", ["variant", "at"], unique=False)


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("void_attempts", schema=None) as batch_op:
        batch_op.drop_index("ix_void_attempts_variant")

    op.drop_table("void_attempts")
