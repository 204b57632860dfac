"""The tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=32), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_table(
        "computations",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("lane", sa.String(length=16), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("visitor", sa.String(length=128), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("answered", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
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

    op.create_table(
        "coordinators",
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("folder", sa.String(length=64), nullable=False),
        sa.Column("joined", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("holder", name=op.f("pk_coordinators")),
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=True),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("by", sa.String(length=64), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("used", sa.Double(), nullable=True),
        sa.Column("used_by", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("hash", name=op.f("uq_invitations_hash")),
    )
    op.create_table(
        "owners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("skeleton", sa.String(), nullable=True),
        sa.Column("added", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owners")),
        sa.UniqueConstraint("name", name=op.f("uq_owners_name")),
        sa.UniqueConstraint("skeleton", name=op.f("uq_owners_skeleton")),
    )
    op.create_table(
        "people_tables",
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("board", sa.String(length=64), nullable=False),
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("format", sa.String(length=32), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("practice", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("assisted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("take_back", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("pace", sa.Double(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=True),
        sa.Column("guest", sa.String(length=64), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("touched", sa.Double(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint("purpose IN ('free', 'today', 'board')", name=op.f("ck_people_tables_purpose")),
        sa.CheckConstraint(
            "status IN ('waiting', 'ready', 'playing', 'over', 'ended')", name=op.f("ck_people_tables_status")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people_tables")),
        sa.UniqueConstraint("name", name=op.f("uq_people_tables_name")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("people_tables", schema=None) as batch_op:
        batch_op.create_index(
            "ix_people_tables_board",
            ["board", "variant"],
            unique=False,
            sqlite_where=sa.text("board <> ''"),
            postgresql_where=sa.text("board <> ''"),
        )
        batch_op.create_index("ix_people_tables_finished", ["finished"], unique=False)
        batch_op.create_index(
            "ix_people_tables_guest",
            ["guest"],
            unique=False,
            sqlite_where=sa.text("guest <> ''"),
            postgresql_where=sa.text("guest <> ''"),
        )
        batch_op.create_index(
            "ix_people_tables_open",
            ["id"],
            unique=False,
            sqlite_where=sa.text("status IN ('waiting', 'ready', 'playing')"),
            postgresql_where=sa.text("status IN ('waiting', 'ready', 'playing')"),
        )

    op.create_table(
        "submissions",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("remote", sa.Boolean(), nullable=False),
        sa.Column("bot", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("image", sa.String(), nullable=True),
        sa.Column("folder", sa.String(length=64), nullable=True),
        sa.Column("word", sa.String(), nullable=False),
        sa.Column("variants", sa.JSON(), nullable=False),
        sa.Column("keep_old", sa.Boolean(), nullable=False),
        sa.Column("sandbox", sa.String(length=16), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("phase", sa.String(length=16), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("lost_containers", sa.Integer(), server_default="0", nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("trial_seconds", sa.Double(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint(
            "status IN ('queued', 'leased', 'entered', 'refused', 'failed', 'withdrawn')",
            name=op.f("ck_submissions_status"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.create_index(
            "ix_submissions_open",
            ["id"],
            unique=False,
            sqlite_where=sa.text("status IN ('queued', 'leased')"),
            postgresql_where=sa.text("status IN ('queued', 'leased')"),
        )
        batch_op.create_index("ix_submissions_owner", ["owner", "id"], unique=False)

    op.create_table(
        "variants",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("skeleton", sa.String(), nullable=True),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("shift", sa.Double(), server_default="0", nullable=False),
        sa.Column("season", sa.Integer(), server_default="1", nullable=False),
        sa.Column("season_name", sa.String(length=64), server_default="1", nullable=False),
        sa.Column("season_began", sa.Double(), nullable=True),
        sa.Column("season_start", sa.Integer(), server_default="0", nullable=False),
        sa.Column("clock", sa.JSON(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_variants")),
        sa.UniqueConstraint("skeleton", name=op.f("uq_variants_skeleton")),
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("coordinator", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("wanted", sa.String(length=16), nullable=False),
        sa.Column("wanted_reason", sa.String(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("busy", sa.Integer(), nullable=False),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("voids", sa.Integer(), nullable=False),
        sa.Column("lies", sa.Integer(), nullable=False),
        sa.Column("speed", sa.Double(), nullable=True),
        sa.Column("last_match", sa.Integer(), nullable=True),
        sa.Column("clock_skew", sa.Double(), nullable=False),
        sa.Column("joined", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.CheckConstraint("wanted IN ('active', 'drained')", name=op.f("ck_workers_wanted")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )
    op.create_table(
        "accounts",
        sa.Column("owner_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password", sa.String(), nullable=True),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("disabled", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("submissions_a_day", sa.Integer(), nullable=True),
        sa.Column("added", sa.Double(), nullable=False),
        sa.CheckConstraint("role IN ('contestant', 'organiser')", name=op.f("ck_accounts_role")),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_accounts_owner_id")),
        sa.PrimaryKeyConstraint("owner_id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("subject", name=op.f("uq_accounts_subject")),
    )
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("skeleton", sa.String(), nullable=True),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("tables", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_bots_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("name", name=op.f("uq_bots_name")),
        sa.UniqueConstraint("skeleton", name=op.f("uq_bots_skeleton")),
    )
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bots_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "estimates",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("fit", sa.LargeBinary(), nullable=False),
        sa.Column("margins", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_estimates_variant")),
        sa.PrimaryKeyConstraint("variant", name=op.f("pk_estimates")),
    )
    op.create_table(
        "puzzle_looks",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("newest", sa.Integer(), nullable=False),
        sa.Column("oldest", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_puzzle_looks_variant")),
        sa.PrimaryKeyConstraint("variant", name=op.f("pk_puzzle_looks")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seasons",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("began", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=False),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("clock", sa.JSON(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("standings", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_seasons_variant")),
        sa.PrimaryKeyConstraint("variant", "number", name=op.f("pk_seasons")),
        sa.UniqueConstraint("variant", "name", name=op.f("uq_seasons_variant_name")),
    )
    op.create_table(
        "credentials",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("used", sa.Double(), nullable=False),
        sa.Column("revoked", sa.Double(), nullable=True),
        sa.CheckConstraint("kind IN ('session', 'token')", name=op.f("ck_credentials_kind")),
        sa.ForeignKeyConstraint(["owner_id"], ["accounts.owner_id"], name=op.f("fk_credentials_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credentials")),
        sa.UniqueConstraint("hash", name=op.f("uq_credentials_hash")),
    )
    with op.batch_alter_table("credentials", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_credentials_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "login_codes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_hash", sa.String(length=64), nullable=False),
        sa.Column("user_code", sa.String(length=16), nullable=False),
        sa.Column("client", sa.String(length=200), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["accounts.owner_id"], name=op.f("fk_login_codes_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_codes")),
        sa.UniqueConstraint("device_hash", name=op.f("uq_login_codes_device_hash")),
        sa.UniqueConstraint("user_code", name=op.f("uq_login_codes_user_code")),
    )
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
        sa.Column("can_fork", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_versions_bot_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("bot_id", "identity", name=op.f("uq_versions_bot_id_identity")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_versions_bot_id_number")),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("entrants_hash", sa.String(length=64), nullable=True),
        sa.Column("stand_in_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("opened", sa.Double(), nullable=False),
        sa.Column("frozen", sa.Double(), nullable=True),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("announced", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("last_match", sa.Integer(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'frozen', 'running', 'paused', 'over')", name=op.f("ck_events_state")),
        sa.ForeignKeyConstraint(["stand_in_id"], ["versions.id"], name=op.f("fk_events_stand_in_id")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_events_variant")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("name", name=op.f("uq_events_name")),
    )
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_events_state"), ["state"], unique=False)

    op.create_table(
        "pair_stats",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("a", sa.Integer(), nullable=False),
        sa.Column("b", sa.Integer(), nullable=False),
        sa.Column("boards", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("a_then_b", sa.Integer(), nullable=False),
        sa.Column("b_then_a", sa.Integer(), nullable=False),
        sa.Column("boards_played", sa.Integer(), nullable=False),
        sa.Column("board_score", sa.Double(), nullable=False),
        sa.Column("points", sa.Double(), nullable=False),
        sa.Column("squares", sa.Double(), nullable=False),
        sa.Column("newest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["a"], ["versions.id"], name=op.f("fk_pair_stats_a")),
        sa.ForeignKeyConstraint(["b"], ["versions.id"], name=op.f("fk_pair_stats_b")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_pair_stats_variant")),
        sa.PrimaryKeyConstraint("variant", "a", "b", "boards", name=op.f("pk_pair_stats")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("pair_stats", schema=None) as batch_op:
        batch_op.create_index("ix_pair_stats_b", ["variant", "b"], unique=False)

    op.create_table(
        "people_chairs",
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("chair", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("account", sa.String(length=64), nullable=True),
        sa.Column("secret_hash", sa.String(length=64), nullable=True),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("joined", sa.Double(), nullable=True),
        sa.Column("points", sa.Integer(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("cost", sa.Double(), nullable=True),
        sa.CheckConstraint("kind IN ('person', 'house', 'bot')", name=op.f("ck_people_chairs_kind")),
        sa.ForeignKeyConstraint(["table_id"], ["people_tables.id"], name=op.f("fk_people_chairs_table_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_people_chairs_version_id")),
        sa.PrimaryKeyConstraint("table_id", "chair", name=op.f("pk_people_chairs")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("people_chairs", schema=None) as batch_op:
        batch_op.create_index("ix_people_chairs_account", ["account"], unique=False)

    op.create_table(
        "ratings",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("suspensions", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("boards", sa.Integer(), server_default="0", nullable=False),
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
        sa.Column("margin", sa.Double(), nullable=True),
        sa.Column("margin_error", sa.Double(), nullable=True),
        sa.Column("margin_rank_low", sa.Integer(), nullable=True),
        sa.Column("margin_rank_high", sa.Integer(), nullable=True),
        sa.Column("outplaced_by", sa.Integer(), nullable=True),
        sa.CheckConstraint("state IN ('active', 'suspended', 'retired')", name=op.f("ck_ratings_state")),
        sa.ForeignKeyConstraint(["outplaced_by"], ["versions.id"], name=op.f("fk_ratings_outplaced_by")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_ratings_variant")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_ratings_version_id")),
        sa.PrimaryKeyConstraint("variant", "version_id", name=op.f("pk_ratings")),
    )
    with op.batch_alter_table("ratings", schema=None) as batch_op:
        batch_op.create_index("ix_ratings_added", ["added"], unique=False)
        batch_op.create_index("ix_ratings_version", ["version_id"], unique=False)

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
    op.create_table(
        "event_entries",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("rating", sa.Double(), nullable=True),
        sa.Column("entered", sa.Double(), nullable=False),
        sa.Column("left_after", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_entries_event_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_event_entries_version_id")),
        sa.PrimaryKeyConstraint("event_id", "number", name=op.f("pk_event_entries")),
        sa.UniqueConstraint("event_id", "version_id", name=op.f("uq_event_entries_event_id_version_id")),
    )
    op.create_table(
        "event_rounds",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("boards", sa.Integer(), nullable=True),
        sa.Column("cost", sa.JSON(), nullable=False),
        sa.Column("bound", sa.JSON(), nullable=False),
        sa.Column("method", sa.String(length=16), nullable=False),
        sa.Column("drawn", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_rounds_event_id")),
        sa.PrimaryKeyConstraint("event_id", "number", name=op.f("pk_event_rounds")),
    )
    op.create_table(
        "matches",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("format", sa.String(length=32), nullable=False),
        sa.Column("boards", sa.Integer(), server_default="4", nullable=False),
        sa.Column("clock", sa.JSON(), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("event_id", sa.Integer(), nullable=True),
        sa.Column("priority", sa.Integer(), server_default="1", nullable=False),
        sa.Column("sealed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("deals", sa.Integer(), nullable=True),
        sa.Column("rated_by", sa.String(length=8), nullable=True),
        sa.Column("starting_seconds", sa.Double(), nullable=True),
        sa.Column("playing_seconds", sa.Double(), nullable=True),
        sa.Column("worker", sa.String(), nullable=True),
        sa.Column("record_kept", sa.Boolean(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint("status IN ('queued', 'leased', 'done', 'quarantined')", name=op.f("ck_matches_status")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_matches_event_id")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_matches_variant")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("ordinal", name=op.f("uq_matches_ordinal")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index(
            "ix_matches_event",
            ["event_id"],
            unique=False,
            sqlite_where=sa.text("event_id IS NOT NULL"),
            postgresql_where=sa.text("event_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_matches_leased",
            ["id"],
            unique=False,
            sqlite_where=sa.text("status = 'leased'"),
            postgresql_where=sa.text("status = 'leased'"),
        )
        batch_op.create_index(
            "ix_matches_queued",
            ["priority", "id"],
            unique=False,
            sqlite_where=sa.text("status = 'queued'"),
            postgresql_where=sa.text("status = 'queued'"),
        )
        batch_op.create_index("ix_matches_variant", ["variant", "ordinal"], unique=False)

    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(length=2000), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=True),
        sa.Column("kinds", sa.JSON(), nullable=False),
        sa.Column("salt", sa.String(length=32), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("disabled", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("delivered", sa.Double(), nullable=True),
        sa.Column("given_up", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_webhooks_event_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "event_tables",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("entrants", sa.JSON(), nullable=False),
        sa.Column("boards", sa.JSON(), nullable=True),
        sa.Column("deals", sa.Integer(), nullable=True),
        sa.Column("rulings", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_tables_event_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_event_tables_match_id")),
        sa.PrimaryKeyConstraint("event_id", "round", "number", "turn", name=op.f("pk_event_tables")),
        sa.UniqueConstraint("match_id", name=op.f("uq_event_tables_match_id")),
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
        "puzzles",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("found", sa.JSON(), nullable=False),
        sa.Column("trick", sa.Integer(), nullable=False),
        sa.Column("bots", sa.Integer(), nullable=False),
        sa.Column("bots_right", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("people_right", sa.Integer(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_puzzles_match_id")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_puzzles_variant")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_puzzles")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("puzzles", schema=None) as batch_op:
        batch_op.create_index("ix_puzzles_variant", ["variant", "id"], unique=False)

    op.create_table(
        "rating_points",
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_rating_points_match_id")),
        sa.ForeignKeyConstraint(["variant"], ["variants.name"], name=op.f("fk_rating_points_variant")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_rating_points_version_id")),
        sa.PrimaryKeyConstraint("variant", "version_id", "matches", name=op.f("pk_rating_points")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seats",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("points_per_deal", sa.Double(), nullable=True),
        sa.Column("board_points", sa.JSON(), nullable=True),
        sa.Column("standard_error", sa.Double(), nullable=True),
        sa.Column("faults", sa.Integer(), nullable=True),
        sa.Column("taken_over", sa.Boolean(), nullable=True),
        sa.Column("timed", sa.String(length=8), nullable=True),
        sa.Column("median_ms", sa.Double(), nullable=True),
        sa.Column("worst_ms", sa.Double(), nullable=True),
        sa.Column("matches_before", sa.Integer(), nullable=True),
        sa.Column("boards_before", sa.Integer(), nullable=True),
        sa.Column("rating_before", sa.Double(), nullable=True),
        sa.Column("rating_after", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seats_match_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_seats_version_id")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seats")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index("ix_seats_version_match", ["version_id", "match_id"], unique=False)
        batch_op.create_index(
            "ix_seats_version_matches",
            ["version_id", "matches_before"],
            unique=False,
            sqlite_where=sa.text("matches_before IS NOT NULL"),
            postgresql_where=sa.text("matches_before IS NOT NULL"),
        )

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

    op.create_table(
        "webhook_messages",
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("due", sa.Double(), nullable=False),
        sa.Column("refusals", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint(
            "status IN ('queued', 'leased', 'delivered', 'given_up')", name=op.f("ck_webhook_messages_status")
        ),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name=op.f("fk_webhook_messages_webhook_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_messages")),
        sa.UniqueConstraint("key", name=op.f("uq_webhook_messages_key")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("webhook_messages", schema=None) as batch_op:
        batch_op.create_index("ix_webhook_messages_finished", ["finished"], unique=False)
        batch_op.create_index(
            "ix_webhook_messages_unsent",
            ["due", "id"],
            unique=False,
            sqlite_where=sa.text("status IN ('queued', 'leased')"),
            postgresql_where=sa.text("status IN ('queued', 'leased')"),
        )
        batch_op.create_index("ix_webhook_messages_webhook", ["webhook_id"], unique=False)

    op.create_table(
        "puzzle_answers",
        sa.Column("puzzle_id", sa.Integer(), nullable=False),
        sa.Column("visitor", sa.String(length=128), nullable=False),
        sa.Column("choice", sa.String(length=8), nullable=False),
        sa.Column("is_right", sa.Boolean(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["puzzle_id"], ["puzzles.id"], name=op.f("fk_puzzle_answers_puzzle_id")),
        sa.PrimaryKeyConstraint("puzzle_id", "visitor", name=op.f("pk_puzzle_answers")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("puzzle_answers", schema=None) as batch_op:
        batch_op.create_index("ix_puzzle_answers_at", ["at"], unique=False)
        batch_op.create_index("ix_puzzle_answers_visitor", ["visitor", "at"], unique=False)


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("puzzle_answers", schema=None) as batch_op:
        batch_op.drop_index("ix_puzzle_answers_visitor")
        batch_op.drop_index("ix_puzzle_answers_at")

    op.drop_table("puzzle_answers")
    with op.batch_alter_table("webhook_messages", schema=None) as batch_op:
        batch_op.drop_index("ix_webhook_messages_webhook")
        batch_op.drop_index(
            "ix_webhook_messages_unsent",
            sqlite_where=sa.text("status IN ('queued', 'leased')"),
            postgresql_where=sa.text("status IN ('queued', 'leased')"),
        )
        batch_op.drop_index("ix_webhook_messages_finished")

    op.drop_table("webhook_messages")
    with op.batch_alter_table("void_attempts", schema=None) as batch_op:
        batch_op.drop_index("ix_void_attempts_variant")

    op.drop_table("void_attempts")
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_seats_version_matches",
            sqlite_where=sa.text("matches_before IS NOT NULL"),
            postgresql_where=sa.text("matches_before IS NOT NULL"),
        )
        batch_op.drop_index("ix_seats_version_match")

    op.drop_table("seats")
    op.drop_table("rating_points")
    with op.batch_alter_table("puzzles", schema=None) as batch_op:
        batch_op.drop_index("ix_puzzles_variant")

    op.drop_table("puzzles")
    with op.batch_alter_table("faults", schema=None) as batch_op:
        batch_op.drop_index("ix_faults_version_match")
        batch_op.drop_index(batch_op.f("ix_faults_match_id"))

    op.drop_table("faults")
    op.drop_table("event_tables")
    op.drop_table("webhooks")
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
        batch_op.drop_index(
            "ix_matches_event",
            sqlite_where=sa.text("event_id IS NOT NULL"),
            postgresql_where=sa.text("event_id IS NOT NULL"),
        )

    op.drop_table("matches")
    op.drop_table("event_rounds")
    op.drop_table("event_entries")
    op.drop_table("think_times")
    with op.batch_alter_table("state_changes", schema=None) as batch_op:
        batch_op.drop_index("ix_state_changes_version")

    op.drop_table("state_changes")
    with op.batch_alter_table("ratings", schema=None) as batch_op:
        batch_op.drop_index("ix_ratings_version")
        batch_op.drop_index("ix_ratings_added")

    op.drop_table("ratings")
    with op.batch_alter_table("people_chairs", schema=None) as batch_op:
        batch_op.drop_index("ix_people_chairs_account")

    op.drop_table("people_chairs")
    with op.batch_alter_table("pair_stats", schema=None) as batch_op:
        batch_op.drop_index("ix_pair_stats_b")

    op.drop_table("pair_stats")
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_events_state"))

    op.drop_table("events")
    op.drop_table("versions")
    op.drop_table("login_codes")
    with op.batch_alter_table("credentials", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_credentials_owner_id"))

    op.drop_table("credentials")
    op.drop_table("seasons")
    op.drop_table("puzzle_looks")
    op.drop_table("estimates")
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bots_owner_id"))

    op.drop_table("bots")
    op.drop_table("accounts")
    op.drop_table("workers")
    op.drop_table("variants")
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.drop_index("ix_submissions_owner")
        batch_op.drop_index(
            "ix_submissions_open",
            sqlite_where=sa.text("status IN ('queued', 'leased')"),
            postgresql_where=sa.text("status IN ('queued', 'leased')"),
        )

    op.drop_table("submissions")
    with op.batch_alter_table("people_tables", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_people_tables_open",
            sqlite_where=sa.text("status IN ('waiting', 'ready', 'playing')"),
            postgresql_where=sa.text("status IN ('waiting', 'ready', 'playing')"),
        )
        batch_op.drop_index(
            "ix_people_tables_guest", sqlite_where=sa.text("guest <> ''"), postgresql_where=sa.text("guest <> ''")
        )
        batch_op.drop_index("ix_people_tables_finished")
        batch_op.drop_index(
            "ix_people_tables_board", sqlite_where=sa.text("board <> ''"), postgresql_where=sa.text("board <> ''")
        )

    op.drop_table("people_tables")
    op.drop_table("owners")
    op.drop_table("invitations")
    op.drop_table("coordinators")
    with op.batch_alter_table("computations", schema=None) as batch_op:
        batch_op.drop_index("ix_computations_visitor")
        batch_op.drop_index(
            "ix_computations_open",
            sqlite_where=sa.text("status IN ('queued', 'leased')"),
            postgresql_where=sa.text("status IN ('queued', 'leased')"),
        )
        batch_op.drop_index("ix_computations_finished")

    op.drop_table("computations")
    op.drop_table("audit")
