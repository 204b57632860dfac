"""
One coordinator among those of its ladder: it says that it lives, and finds out who does not any more.

No other coordinator may end a lease of one that lives, whatever the clocks of the machines say. A coordinator has
ended if its process has, where that can be seen from here, or if it has long been silent while this one has not.
"""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.errors import LadderError
from ladder.sandbox.host import scratch
from ladder.store.commands.coordinators import (
    LEFT,
    SILENT_SECONDS,
    all_are_here,
    coordinators,
    database_time,
    forget,
    note_alive,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ladder.store.database import Session

BEAT_SECONDS = 20.0
"""Seconds after which a coordinator says again that it lives; a minute at most, while it waits for something."""
GAP_SECONDS = 120.0
"""Seconds of its own silence after which a coordinator watches the others anew: it has seen nothing meanwhile."""
MARK = "folder-id"
ID_LENGTH = 32


class CoordinatorPresence:
    """The heartbeat of one coordinator, and what it knows of the others."""

    def __init__(self, data_dir: Path, clock: Callable[[Session], float] = database_time) -> None:
        """
        Speak for the coordinator that is this process.

        Args:
            data_dir: Where it keeps its records.
            clock: The one that all coordinators share.
        """
        self.holder = scratch.this_process()
        self.others: frozenset[str] = frozenset()
        """The coordinators that ran at the last heartbeat; `pigpen submit`, which leases too, sends none."""
        self._data_dir = data_dir
        self._clock = clock
        self._folder = ""
        self._are_all_here = True
        self._since = self._spoke = 0.0
        """Since when it has spoken without a gap, and when last; by the database's clock."""

    def join(self, session: Session) -> None:
        """
        Send the first heartbeat of this coordinator.

        Raises:
            LadderError: If another one that lives keeps its records in another folder, or there is no folder.
        """
        self._folder = folder_id(self._data_dir)
        now = self._clock(session)
        self._are_all_here = all_are_here(session)
        known = [each for each in coordinators(session) if each.holder != self.holder]
        forget(session, [each.holder for each in known if self._has_surely_ended(each.holder)])
        living = [
            each for each in known if now - each.seen < SILENT_SECONDS and not self._has_surely_ended(each.holder)
        ]
        for each in living:
            if each.folder != self._folder:
                machine = each.holder.partition(" ")[0]
                raise LadderError(
                    f"A coordinator on {machine} keeps this ladder's records in another folder than "
                    f"{str(self._data_dir)!r}. Let data_dir be the same folder for both, such as one on NFS; if the "
                    f"other one has ended, try again in {SILENT_SECONDS / 60:.0f} minutes."
                )
        note_alive(session, self.holder, self._folder, now)
        self._since = self._spoke = now
        self.others = frozenset(each.holder for each in living)

    def beat(self, session: Session) -> frozenset[str]:
        """Report that this coordinator runs; give those that have ended since, whose leases others may take."""
        now = self._clock(session)
        note_alive(session, self.holder, self._folder, now)
        if not 0 <= now - self._spoke <= GAP_SECONDS:
            self._since = now
        self._spoke = now
        known = [each for each in coordinators(session) if each.holder != self.holder]
        ended = frozenset(
            each.holder
            for each in known
            if self._has_surely_ended(each.holder) or now - max(each.seen, self._since) > SILENT_SECONDS
        )
        forget(session, ended)
        self.others = frozenset(each.holder for each in known) - ended
        return ended

    def leave(self, session: Session) -> None:
        """Say that this coordinator ends."""
        forget(session, [self.holder])
        note_alive(session, LEFT, self._folder, self._clock(session))

    def has_ended(self, holder: str) -> bool:
        """Tell whether a holder of leases has surely ended."""
        return self._has_surely_ended(holder) if holder in self.others else has_ended(holder)

    def _has_surely_ended(self, holder: str) -> bool:
        """Tell whether a coordinator has ended, as `has_surely_ended` finds out."""
        return has_surely_ended(holder, self._are_all_here)


def has_ended(holder: str) -> bool:
    """Tell whether a holder of leases is a process that has ended."""
    try:
        return scratch.is_dead(holder)
    except ValueError:  # no name of ours: its lease will run out
        return False


def has_surely_ended(holder: str, are_all_here: bool) -> bool:
    """
    Tell whether a holder of leases has ended, though another machine may have the name of this one.

    Args:
        holder: The process.
        are_all_here: Whether there is only this machine (`all_are_here`); another one has a boot of its own.
    """
    return has_ended(holder) and (are_all_here or scratch.is_of_this_boot(holder))


def folder_id(data_dir: Path) -> str:
    """
    Read the name that a ladder's folder has for those who share it; the first one gives it.

    Raises:
        LadderError: If the folder cannot be read or written.
    """
    path = data_dir / MARK
    draft = data_dir / f".{MARK}.{uuid.uuid4().hex}"
    try:
        if not path.exists():
            draft.write_text(uuid.uuid4().hex)
            with suppress(FileExistsError):
                os.link(draft, path)
        return path.read_text()[:ID_LENGTH]
    except OSError as error:
        raise LadderError(f"The folder {str(data_dir)!r} cannot be used: {error.strerror}.") from None
    except ValueError:
        raise LadderError(f"{str(path)!r} is not what a coordinator wrote there; remove it.") from None
    finally:
        draft.unlink(missing_ok=True)
