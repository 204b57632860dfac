"""Versions: whether instances can be forked"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the change."""
    with op.batch_alter_table("versions") as versions:
        versions.add_column(sa.Column("can_fork", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("versions") as versions:
        versions.drop_column("can_fork")
