"""Lost containers in trials"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Make the change."""
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("lost_containers", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.drop_column("lost_containers")
