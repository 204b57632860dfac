"""
Periods for which data about people is kept, and the part of a run that removes what is older.

Addresses in the audit log, entries of that log, and files of the processes' logs have each a setting. With them go
files of accounts that were deleted, when nothing needs those any more.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

import structlog

from ladder.app.personal_data import remove_all_leftovers
from ladder.runner.run_log import FILES, file_seconds
from ladder.store.commands.letters import tidy
from ladder.store.commands.personal_data import forget_old

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

DAY = 86_400.0
LOOK_SECONDS = 3600.0
"""Seconds between two looks for what is too old; the first is at the start."""
_ROTATED = re.compile(r".+\.\d+", re.ASCII)

log = structlog.get_logger()


def remove_old(ladder: Ladder) -> None:
    """Remove what is older than the settings say, what deleted accounts have left, and lines about letters."""
    now, settings = ladder.clock(), ladder.settings
    entries = now - settings.audit_days * DAY if settings.audit_days else None
    with ladder.database.erasing() as session:
        forget_old(session, now - settings.address_days * DAY, entries, now)
        tidy(session, now)
    remove_old_logs(settings.data_dir / "logs", now - file_seconds(settings.log_days) * (FILES - 2))
    remove_all_leftovers(ladder)


def remove_old_logs(folder: Path, before: float) -> None:
    """Remove log files to which nothing was written since a Unix time; those that processes have open are emptied."""
    for file in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError):
            if file.stat().st_mtime < before and file.is_file():
                if _ROTATED.fullmatch(file.name):
                    file.unlink()
                else:
                    os.truncate(file, 0)


@contextmanager
def removing_old(ladder: Ladder) -> Iterator[None]:
    """Remove it meanwhile, in a thread beside the matches."""
    ended = Event()

    def work() -> None:
        while True:
            try:
                remove_old(ladder)
            except Exception as error:  # it runs unattended for months
                log.exception("retention.failed", reason=f"{type(error).__name__}: {error}")
            if ended.wait(LOOK_SECONDS):
                return

    thread = Thread(target=work, name="retention", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
