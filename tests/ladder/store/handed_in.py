"""Submissions for tests, in the queue and on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.store.account_models import StoredSubmission
from ladder.store.commands.submission_queue import add
from ladder.values.submission import SubmissionOrder
from tests.ladder.ladders import NOW

if TYPE_CHECKING:
    from ladder.store.database import Database


def an_order(bot: str) -> SubmissionOrder:
    """Give an order for a submission: the folder `mybot`."""
    return SubmissionOrder(name=bot, source="mybot", word="./mybot")


def hand_in(
    database: Database,
    owner: str = "ada",
    count: int = 1,
    now: float = NOW,
    *,
    bot: str = "",
    sandbox: str = "docker",
    folder: str | None = None,
    remote: bool = True,
) -> list[int]:
    """Put *count* submissions of one owner into the queue; gives their numbers."""
    names = [f"{owner}{n}" for n in range(count)] if count > 1 else [bot or f"{owner}s"]
    with database.write() as session:
        return [
            add(session, an_order(name), now, owner=owner, sandbox=sandbox, folder=folder, remote=remote).id
            for name in names
        ]


def stored(database: Database, number: int) -> StoredSubmission:
    """A submission as it stands in the database."""
    with database.read() as session:
        return session.get_one(StoredSubmission, number)
