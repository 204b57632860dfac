"""The states of workers on other machines, and the organisers' orders which of them may play."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check
from ladder.errors import LadderError
from ladder.store.commands import coordinators as commands
from ladder.store.commands.accounts import write_audit
from ladder.store.queries import workers as queries
from ladder.values.cluster import WantedState, WorkerState

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer
    from ladder.values.cluster import WorkerRow

MAX_REASON = 200
MAX_NAMES = 20
"""Greatest number of workers that a message names."""


def workers(ladder: Ladder, viewer: Viewer) -> list[WorkerRow]:
    """
    Read all workers, by name.

    Raises:
        Forbidden: If the viewer is not an organiser.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return queries.workers(session, ladder.clock())


def worker(ladder: Ladder, viewer: Viewer, name: str) -> WorkerRow:
    """
    Read one worker.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such worker.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return _find(session, name, ladder.clock())


def drain(ladder: Ladder, viewer: Viewer, name: str, reason: str = "") -> WorkerRow:
    """
    Let a worker finish its tasks and get no more of them, until `resume`.

    Args:
        ladder: The ladder.
        viewer: The caller.
        name: The worker's.
        reason: Why, in a sentence.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such worker, or the reason is too long.
    """
    if len(reason) > MAX_REASON:
        raise LadderError(f"A reason has {MAX_REASON} characters at most; this one has {len(reason)}.")
    return _want(ladder, viewer, name, WantedState.DRAINED, reason)


def resume(ladder: Ladder, viewer: Viewer, name: str) -> WorkerRow:
    """
    Let a worker play again, no matter whether an organiser or the fleet has drained it.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such worker.
    """
    return _want(ladder, viewer, name, WantedState.ACTIVE, "")


def forget(ladder: Ladder, viewer: Viewer, name: str) -> None:
    """
    Remove a worker that has gone from the list.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such worker, or it is connected.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        state = queries.worker_state(session, name, ladder.clock())
        if state is None:
            raise _unknown(session, name)
        if state is not WorkerState.GONE:
            raise LadderError(f"The worker {name} is connected; stop it first, on its machine.")
        commands.forget_worker(session, name)
        write_audit(session, viewer, "worker.forget", name, ladder.clock())


def _want(ladder: Ladder, viewer: Viewer, name: str, wanted: WantedState, reason: str) -> WorkerRow:
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        if not commands.set_wanted(session, name, wanted, reason):
            raise _unknown(session, name)
        action = "worker.drain" if wanted is WantedState.DRAINED else "worker.resume"
        write_audit(session, viewer, action, name, ladder.clock(), **({"reason": reason} if reason else {}))
        return _find(session, name, ladder.clock())


def _find(session: Session, name: str, now: float) -> WorkerRow:
    if (found := queries.worker(session, name, now)) is None:
        raise _unknown(session, name)
    return found


def _unknown(session: Session, name: str) -> LadderError:
    there = queries.worker_names(session)
    names = ", ".join(there[:MAX_NAMES]) + (", …" if len(there) > MAX_NAMES else "")
    return LadderError(
        f"There is no worker {name!r}. " + (f"There is {names}." if there else "No worker has ever connected.")
    )
