"""Accounts and submissions"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

OPEN = sa.text("status IN ('queued', 'leased')")


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
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
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
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("added", sa.Double(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("trial_seconds", sa.Double(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.CheckConstraint(
            "status IN ('queued', 'leased', 'entered', 'refused', 'failed', 'withdrawn')",
            name=op.f("ck_submissions_status"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_submissions_open", "submissions", ["id"], sqlite_where=OPEN, postgresql_where=OPEN)
    op.create_index("ix_submissions_owner", "submissions", ["owner", "id"])
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
    op.create_index(op.f("ix_credentials_owner_id"), "credentials", ["owner_id"])
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


def downgrade() -> None:
    """Take the change back; indices go with their tables."""
    for table in ("login_codes", "credentials", "submissions", "accounts", "invitations", "audit"):
        op.drop_table(table)
