"""Lost attempts"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make the change."""
    with op.batch_alter_table("computations", schema=None) as batch_op:
        batch_op.add_column(sa.Column("losses", sa.Integer(), server_default="0", nullable=False))

    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.add_column(sa.Column("losses", sa.Integer(), server_default="0", nullable=False))

    with op.batch_alter_table("people_tables", schema=None) as batch_op:
        batch_op.add_column(sa.Column("losses", sa.Integer(), server_default="0", nullable=False))

    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("losses", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.drop_column("losses")

    with op.batch_alter_table("people_tables", schema=None) as batch_op:
        batch_op.drop_column("losses")

    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_column("losses")

    with op.batch_alter_table("computations", schema=None) as batch_op:
        batch_op.drop_column("losses")
