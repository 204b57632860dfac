"""
The tables at which people play, and their chairs. Nothing of them is rated, and they are no matches.

Together with its status `people_tables` is a queue: the process that plays tables leases the rows that are ready.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, false
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.account_models import HASH_LENGTH
from ladder.store.models import Base, LeasedRow
from ladder.values.names import NAME_LENGTH

OPEN = "status IN ('waiting', 'ready', 'playing', 'paused')"
"""Tables that have not ended."""


class PeopleTable(LeasedRow, Base):
    """A table at which people play, or are to play, or have played; failures and losses count since its last deal."""

    __tablename__ = "people_tables"
    __table_args__ = (
        CheckConstraint("status IN ('waiting', 'ready', 'playing', 'paused', 'over', 'ended')", name="status"),
        CheckConstraint("purpose IN ('free', 'today', 'board')", name="purpose"),
        Index("ix_people_tables_finished", "finished"),
        {"sqlite_autoincrement": True},  # its number is that of a folder, too
    )

    name: Mapped[str] = mapped_column(String(16), unique=True)
    """In its address; it cannot be guessed."""
    purpose: Mapped[str] = mapped_column(String(16))
    board: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    """The board that is played (`ladder.values.people.TableOrder.board`); empty: one of its own."""
    variant: Mapped[str] = mapped_column(String(NAME_LENGTH))
    """The name in its rules; the ladder need not play such a variant."""
    rules: Mapped[dict[str, Any]]
    format: Mapped[str] = mapped_column(String(32))
    seed: Mapped[str] = mapped_column(String(64))
    """Hex; secret until the table is over."""
    commitment: Mapped[str] = mapped_column(String(64))
    practice: Mapped[bool] = mapped_column(server_default=false())
    assisted: Mapped[bool] = mapped_column(default=False, server_default=false())
    """True if cards were taken back."""
    take_back: Mapped[int | None]
    """The chair whose last card is to be taken back before the table resumes; None: nothing is."""
    begun: Mapped[bool] = mapped_column(default=False, server_default=false())
    """True if a person has decided something there; before that nothing is used up or counted."""
    seconds: Mapped[float]
    """Seconds that a person has for each decision; 0: there is no clock."""
    pace: Mapped[float]
    owner: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    """The account that opened it; None: a guest, or a person on the ladder's machine."""
    guest: Mapped[str] = mapped_column(String(HASH_LENGTH), default="")
    """Hash of what tells the guest who opened it from others; empty: no guest did."""
    network: Mapped[str | None] = mapped_column(String(64))
    """Address (IPv6: /64) of the guest who opened it, until it has ended; None: no guest did."""
    created: Mapped[float]
    touched: Mapped[float]
    """Unix time at which a person was last seen there."""
    finished: Mapped[float | None]


class PeopleChair(Base):
    """The player in one chair of such a table, by the numbers of its record."""

    __tablename__ = "people_chairs"
    __table_args__ = (
        CheckConstraint("kind IN ('person', 'house', 'bot')", name="kind"),
        Index("ix_people_chairs_account", "account"),
        {"sqlite_with_rowid": False},
    )

    table_id: Mapped[int] = mapped_column(ForeignKey("people_tables.id"), primary_key=True)
    chair: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(2 * NAME_LENGTH), default="")
    """Shown; a house bot's is that of the sample bot. Empty: a person who has not come yet."""
    version_id: Mapped[int | None] = mapped_column(ForeignKey("versions.id"))
    """Of a bot of the ladder."""
    account: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    """Of a person who has one."""
    secret_hash: Mapped[str | None] = mapped_column(String(HASH_LENGTH))
    """Of what lets a person sit there."""
    address: Mapped[str] = mapped_column(default="")
    """Address at which a person's seat listens now; empty: none."""
    token: Mapped[str] = mapped_column(default="")
    """Secret that the seat expects from the one who connects; good for one attempt."""
    joined: Mapped[float | None]
    """Unix time at which the person sat down."""
    points: Mapped[int | None]
    place: Mapped[int | None]
    absent: Mapped[bool] = mapped_column(default=False, server_default=false())
    """True if the policy has played most of the game in the person's name: it is not the person's."""
    cost: Mapped[float | None]
    """Of a person's costliest decision in the deals of which that has been asked, in points; None: not asked yet."""
