"""The tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "owners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owners")),
        sa.UniqueConstraint("name", name=op.f("uq_owners_name")),
    )
    op.create_table(
        "variants",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_variants")),
    )
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_bots_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("name", name=op.f("uq_bots_name")),
    )
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bots_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "estimates",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("fit", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_estimates_variant")),
        sa.PrimaryKeyConstraint("variant", name=op.f("pk_estimates")),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("format", sa.String(length=32), nullable=False),
        sa.Column("clock", sa.JSON(), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("deals", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("record_kept", sa.Boolean(), nullable=False),
        sa.CheckConstraint("status IN ('queued', 'leased', 'done', 'quarantined')", name=op.f("ck_matches_status")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_matches_variant")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("ordinal", name=op.f("uq_matches_ordinal")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index(
            "ix_matches_leased",
            ["id"],
            unique=False,
            sqlite_where=sa.text("status = 'leased'"),
            postgresql_where=sa.text("status = 'leased'"),
        )
        batch_op.create_index(
            "ix_matches_queued",
            ["id"],
            unique=False,
            sqlite_where=sa.text("status = 'queued'"),
            postgresql_where=sa.text("status = 'queued'"),
        )
        batch_op.create_index("ix_matches_variant", ["variant", "ordinal"], unique=False)

    op.create_table(
        "versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("sandbox", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("pinned", sa.String(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("lock", sa.String(), nullable=True),
        sa.Column("added", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_versions_bot_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("bot_id", "identity", name=op.f("uq_versions_bot_id_identity")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_versions_bot_id_number")),
    )
    op.create_table(
        "faults",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("decision", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("oom", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_faults_match_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_faults_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_faults")),
    )
    with op.batch_alter_table("faults", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_faults_match_id"), ["match_id"], unique=False)
        batch_op.create_index("ix_faults_version_match", ["version_id", "match_id"], unique=False)

    op.create_table(
        "pair_stats",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("a", sa.Integer(), nullable=False),
        sa.Column("b", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("a_then_b", sa.Integer(), nullable=False),
        sa.Column("b_then_a", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["a"], ["versions.id"], name=op.f("fk_pair_stats_a")),
        sa.ForeignKeyConstraint(["b"], ["versions.id"], name=op.f("fk_pair_stats_b")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_pair_stats_variant")),
        sa.PrimaryKeyConstraint("variant", "a", "b", name=op.f("pk_pair_stats")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("pair_stats", schema=None) as batch_op:
        batch_op.create_index("ix_pair_stats_b", ["variant", "b"], unique=False)

    op.create_table(
        "ratings",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("benchings", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("takeovers", sa.Integer(), nullable=False),
        sa.Column("recent", sa.String(length=64), nullable=False),
        sa.Column("history", sa.JSON(), nullable=False),
        sa.Column("error", sa.Double(), nullable=True),
        sa.Column("rank_low", sa.Integer(), nullable=True),
        sa.Column("rank_high", sa.Integer(), nullable=True),
        sa.CheckConstraint("state IN ('active', 'benched', 'retired')", name=op.f("ck_ratings_state")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_ratings_variant")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_ratings_version_id")),
        sa.PrimaryKeyConstraint("variant", "version_id", name=op.f("pk_ratings")),
    )
    op.create_table(
        "seats",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("points_per_deal", sa.Double(), nullable=True),
        sa.Column("standard_error", sa.Double(), nullable=True),
        sa.Column("faults", sa.Integer(), nullable=True),
        sa.Column("taken_over", sa.Boolean(), nullable=True),
        sa.Column("timed", sa.String(length=8), nullable=True),
        sa.Column("median_ms", sa.Double(), nullable=True),
        sa.Column("worst_ms", sa.Double(), nullable=True),
        sa.Column("matches_before", sa.Integer(), nullable=True),
        sa.Column("rating_before", sa.Double(), nullable=True),
        sa.Column("rating_after", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seats_match_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_seats_version_id")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seats")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index("ix_seats_version_match", ["version_id", "match_id"], unique=False)

    op.create_table(
        "state_changes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("by", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_state_changes_variant")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_state_changes_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_state_changes")),
    )
    with op.batch_alter_table("state_changes", schema=None) as batch_op:
        batch_op.create_index("ix_state_changes_version", ["version_id", "id"], unique=False)

    op.create_table(
        "think_times",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("histogram", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_think_times_variant")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_think_times_version_id")),
        sa.PrimaryKeyConstraint("variant", "version_id", name=op.f("pk_think_times")),
    )


def downgrade() -> None:
    """Take the change back."""
    op.drop_table("think_times")
    with op.batch_alter_table("state_changes", schema=None) as batch_op:
        batch_op.drop_index("ix_state_changes_version")

    op.drop_table("state_changes")
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.drop_index("ix_seats_version_match")

    op.drop_table("seats")
    op.drop_table("ratings")
    with op.batch_alter_table("pair_stats", schema=None) as batch_op:
        batch_op.drop_index("ix_pair_stats_b")

    op.drop_table("pair_stats")
    with op.batch_alter_table("faults", schema=None) as batch_op:
        batch_op.drop_index("ix_faults_version_match")
        batch_op.drop_index(batch_op.f("ix_faults_match_id"))

    op.drop_table("faults")
    op.drop_table("versions")
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_index("ix_matches_variant")
        batch_op.drop_index(
            "ix_matches_queued",
            sqlite_where=sa.text("status = 'queued'"),
            postgresql_where=sa.text("status = 'queued'"),
        )
        batch_op.drop_index(
            "ix_matches_leased",
            sqlite_where=sa.text("status = 'leased'"),
            postgresql_where=sa.text("status = 'leased'"),
        )

    op.drop_table("matches")
    op.drop_table("estimates")
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bots_owner_id"))

    op.drop_table("bots")
    op.drop_table("variants")
    op.drop_table("owners")
