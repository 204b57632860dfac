"""Addresses of guests who open tables"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the change."""
    with op.batch_alter_table("people_tables", schema=None) as batch_op:
        batch_op.add_column(sa.Column("network", sa.String(length=64), nullable=True))


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("people_tables", schema=None) as batch_op:
        batch_op.drop_column("network")
