"""Tables with people"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "people_tables",
        sa.Column("id", sa.Integer(), nullable=False),
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
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=True),
        sa.Column("guest", sa.String(length=64), nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("touched", sa.Double(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=True),
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
            "ix_people_tables_open",
            ["id"],
            unique=False,
            sqlite_where=sa.text("status IN ('waiting', 'ready', 'playing')"),
            postgresql_where=sa.text("status IN ('waiting', 'ready', 'playing')"),
        )

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
        sa.CheckConstraint("kind IN ('person', 'house', 'bot')", name=op.f("ck_people_chairs_kind")),
        sa.ForeignKeyConstraint(["table_id"], ["people_tables.id"], name=op.f("fk_people_chairs_table_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_people_chairs_version_id")),
        sa.PrimaryKeyConstraint("table_id", "chair", name=op.f("pk_people_chairs")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("people_chairs", schema=None) as batch_op:
        batch_op.create_index("ix_people_chairs_account", ["account"], unique=False)

    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.add_column(sa.Column("tables", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Take the change back."""
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.drop_column("tables")

    with op.batch_alter_table("people_chairs", schema=None) as batch_op:
        batch_op.drop_index("ix_people_chairs_account")

    op.drop_table("people_chairs")
    with op.batch_alter_table("people_tables", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_people_tables_open",
            sqlite_where=sa.text("status IN ('waiting', 'ready', 'playing')"),
            postgresql_where=sa.text("status IN ('waiting', 'ready', 'playing')"),
        )
        batch_op.drop_index("ix_people_tables_finished")
        batch_op.drop_index(
            "ix_people_tables_board", sqlite_where=sa.text("board <> ''"), postgresql_where=sa.text("board <> ''")
        )

    op.drop_table("people_tables")
