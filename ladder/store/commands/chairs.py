"""The chairs of a table with people: sitting down, and getting up. Each function needs a transaction that writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.store.commands.tables import start_if_full
from ladder.values.people import ChairKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.store.table_models import PeopleChair, PeopleTable


def sit_down(
    session: Session, table: PeopleTable, chair: PeopleChair, name: str, account: str | None, now: float
) -> bool:
    """
    Let a person take a chair, or change the name there; gives whether all have come, so that the table is ready.

    Args:
        session: A transaction that writes.
        table: The table.
        chair: The chair.
        name: As others see it.
        account: Whose account it is; None: a guest's.
        now: Unix time.
    """
    chair.name, chair.account = name, account
    chair.joined, table.touched = chair.joined or now, now
    return start_if_full(session, table)


def get_up(chair: PeopleChair) -> None:
    """Free a chair again, for any person who has its link."""
    chair.name, chair.account, chair.joined = "", None, None


def seat_house_bots(session: Session, table: PeopleTable, chairs: Sequence[PeopleChair], names: Sequence[str]) -> None:
    """Give the chairs of people who have not come to house bots, by the chairs' numbers, and let the table begin."""
    for chair in chairs:
        if chair.kind == ChairKind.PERSON and chair.joined is None:
            chair.kind, chair.secret_hash = ChairKind.HOUSE, None
            chair.name = names[chair.chair % len(names)]
    session.flush()
    start_if_full(session, table)
