"""Suspended bots: what was called benched is called suspended"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the change."""
    _rename("benchings", "suspensions", "benched", "suspended")


def downgrade() -> None:
    """Take the change back."""
    _rename("suspensions", "benchings", "suspended", "benched")


def _rename(column: str, new_column: str, state: str, new_state: str) -> None:
    """Rename a column of the ratings, and a state in both tables that have one."""
    with op.batch_alter_table("ratings") as ratings:
        ratings.drop_constraint(op.f("ck_ratings_state"), type_="check")
        ratings.alter_column(column, new_column_name=new_column)
    for table in ("ratings", "state_changes"):
        states = sa.table(table, sa.column("state"))
        op.execute(states.update().where(states.c.state == state).values(state=new_state))
    with op.batch_alter_table("ratings") as ratings:
        ratings.create_check_constraint(op.f("ck_ratings_state"), f"state IN ('active', '{new_state}', 'retired')")
