"""Matches are rated by their boards, and the time in which they started is kept"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

BOARDS = 4
"""Until now every match was rated as if it had four boards, whatever its length; so it stays."""
COUNTS = ("n", "a_then_b", "b_then_a")


def upgrade() -> None:
    """Make the change."""
    op.add_column("matches", sa.Column("boards", sa.Integer(), nullable=False, server_default=str(BOARDS)))
    op.add_column("matches", sa.Column("starting_seconds", sa.Double(), nullable=True))
    op.add_column("matches", sa.Column("playing_seconds", sa.Double(), nullable=True))
    op.add_column("ratings", sa.Column("boards", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("seats", sa.Column("boards_before", sa.Integer(), nullable=True))
    op.execute(f"UPDATE ratings SET boards = {BOARDS} * matches")
    op.execute(f"UPDATE seats SET boards_before = {BOARDS} * matches_before")
    _remake_pairs(f"a, b, {BOARDS}, score, n, a_then_b, b_then_a", "", "boards")


def downgrade() -> None:
    """Take the change back; matches of different lengths are counted together again."""
    sums = ", ".join(f"CAST(sum({name}) AS INTEGER) AS {name}" for name in COUNTS)
    _remake_pairs(f"a, b, sum(score) AS score, {sums}", "GROUP BY variant, a, b")
    for table, column in (
        ("seats", "boards_before"),
        ("ratings", "boards"),
        ("matches", "playing_seconds"),
        ("matches", "starting_seconds"),
        ("matches", "boards"),
    ):
        op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")  # SQLite can, and keeps AUTOINCREMENT and its indices


def _remake_pairs(columns: str, grouped: str, *length: str) -> None:
    """Make the table of pairs anew, with or without a column for the length of matches in its key."""
    op.execute(f"CREATE TEMPORARY TABLE kept_pairs AS SELECT variant, {columns} FROM pair_stats {grouped}")
    op.drop_table("pair_stats")
    op.create_table(
        "pair_stats",
        sa.Column("variant", sa.String(length=64), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("a", "b", *length)),
        sa.Column("score", sa.Double(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in COUNTS),
        sa.ForeignKeyConstraint(["a"], ["versions.id"], name=op.f("fk_pair_stats_a")),
        sa.ForeignKeyConstraint(["b"], ["versions.id"], name=op.f("fk_pair_stats_b")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_pair_stats_variant")),
        sa.PrimaryKeyConstraint("variant", "a", "b", *length, name=op.f("pk_pair_stats")),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO pair_stats SELECT * FROM kept_pairs")
    op.execute("DROP TABLE kept_pairs")
    op.create_index("ix_pair_stats_b", "pair_stats", ["variant", "b"], unique=False)
