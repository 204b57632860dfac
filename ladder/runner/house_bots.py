"""House bots that fill seats are submitted by the runner itself, and tried like every other bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.house_bots import HOUSE_BOTS
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.bots.content import Content
from ladder.store.commands import submission_queue as queue
from ladder.store.open_submissions import open_submissions
from ladder.store.submission_look import look_at
from ladder.values.submission import SubmissionOrder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ladder.results.files import SubmissionFolders
    from ladder.settings.settings import Settings
    from ladder.store.database import Database


def submit_house_bots(
    database: Database,
    folders: SubmissionFolders,
    settings: Settings,
    lacking: Mapping[str, Sequence[str]],
    now: float,
) -> None:
    """
    Put house bots into the queue of submissions, unless they wait there.

    Args:
        database: The ladder.
        folders: Where the folders of submissions lie.
        settings: How large a folder may be.
        lacking: What `settle_house_bots` gave: names, each with the variants where it is to play.
        now: Unix time.

    Raises:
        OSError: If there is no room for a folder.
    """
    for name, variants in lacking.items():
        source = find_bot(HOUSE_BOTS[name])
        assert source.folder is not None
        content = Content.read(source.folder, settings.image_bytes)
        folder = folders.make()
        content.write(folders.bot(folder, source.name))
        with database.write() as session:
            is_new = all(row.bot != name for row in open_submissions(session))
            if is_new:
                order = SubmissionOrder(name=name, source=source.name, variants=tuple(variants))
                sandbox = look_at(session, name).sandbox or settings.sandbox
                queue.add(session, order, now, owner=name, sandbox=sandbox, folder=folder)
        if not is_new:
            folders.remove(folder)
