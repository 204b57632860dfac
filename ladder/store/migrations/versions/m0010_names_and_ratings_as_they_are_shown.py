"""Names and ratings as they are shown"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the change."""
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.add_column(sa.Column("skeleton", sa.String(), nullable=True))
        batch_op.create_unique_constraint(batch_op.f("uq_bots_skeleton"), ["skeleton"])

    with op.batch_alter_table("owners", schema=None) as batch_op:
        batch_op.add_column(sa.Column("skeleton", sa.String(), nullable=True))
        batch_op.create_unique_constraint(batch_op.f("uq_owners_skeleton"), ["skeleton"])

    with op.batch_alter_table("variants", schema=None) as batch_op:
        batch_op.add_column(sa.Column("skeleton", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("shift", sa.Double(), server_default="0", nullable=False))
        batch_op.create_unique_constraint(batch_op.f("uq_variants_skeleton"), ["skeleton"])

    # What is shown stays as it is from now on.
    op.execute(
        "UPDATE variants SET shift = coalesce((SELECT 1500.0 - avg(rating) FROM ratings "
        "WHERE ratings.variant = variants.name AND ratings.state = 'active'), 0.0)"
    )


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("variants", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_variants_skeleton"), type_="unique")
        batch_op.drop_column("shift")
        batch_op.drop_column("skeleton")

    with op.batch_alter_table("owners", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_owners_skeleton"), type_="unique")
        batch_op.drop_column("skeleton")

    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_bots_skeleton"), type_="unique")
        batch_op.drop_column("skeleton")
