"""Submissions for tests, in the queue and on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.store.account_models import StoredSubmission
from ladder.store.commands.submission_queue import NewSubmission, add
from tests.ladder.ladders import NOW

if TYPE_CHECKING:
    from ladder.store.database import Database

TROTTER = NewSubmission(
    owner="ada", remote=True, bot="Trotter", source="mybot", image=None, folder=None, word="./mybot", variants=[],
    keep_old=False, sandbox="docker",
)  # fmt: skip


def hand_in(database: Database, owner: str = "ada", count: int = 1, now: float = NOW, **fields: object) -> list[int]:
    """Put *count* submissions of one owner into the queue; give their numbers."""
    with database.write() as session:
        new = [replace(TROTTER, owner=owner, bot=f"{owner}{n}" if count > 1 else f"{owner}s") for n in range(count)]
        return [add(session, replace(each, **fields), now).id for each in new]  # type: ignore[arg-type]


def stored(database: Database, number: int) -> StoredSubmission:
    """A submission as it stands in the database."""
    with database.read() as session:
        return session.get_one(StoredSubmission, number)
