"""
The run of the process that computes what visitors ask for.

It looks for puzzles in the ladder's own records, too, and makes fingerprints of sources: it asks itself, one match or
program after the other.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.app.computing.alike import SourceLook
from ladder.app.computing.asking import computing_files, deals_of, new_question
from ladder.app.event_log import event_log
from ladder.app.local.why import Source
from ladder.computing.computation_work import RETRY_SECONDS, ComputationRows, Computations
from ladder.errors import TooOften
from ladder.runner.lease_loop import LeaseLoop
from ladder.runner.leased_rows import LONGEST_PAUSE
from ladder.store.commands.computations import ask
from ladder.store.commands.puzzles import next_look, note_look, tidy_answers
from ladder.store.queries.computations import does_wait
from ladder.values.people import GUEST_DAYS
from ladder.values.questions import Lane, PuzzlesQuestion
from ladder.worker.computer import Computer
from ladder.worker.computing_process import ComputingLimits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.app.ladder import Ladder
    from ladder.computing.computation_work import AnyComputer
    from ladder.store.database import Session

ASKER = "puzzles"
"""The place in the queue that it takes: it has one of its own, so that it waits for its turn like a visitor."""
MAX_PUZZLES = 2
"""Puzzles of one match."""


def look_for_puzzles(ladder: Ladder, session: Session, now: float) -> None:
    """Put the next match into the queue, unless one waits there; remove old answers of guests."""
    tidy_answers(session, now - GUEST_DAYS * 86_400.0)
    if does_wait(session, ASKER):
        return
    match = next_look(session, now)
    if match is None:
        return
    source = Source.of(ladder.files.record(match.id, match.attempt), str(match.id))
    question = PuzzlesQuestion(match=match.id, deals=deals_of(ladder, source, match.commitment), most=MAX_PUZZLES)
    with suppress(TooOften):  # then a later look finds the same match
        ask(session, new_question(question, ASKER), now)
        note_look(session, match, now)


MEMORY_BYTES = 1024**3
LIMITS = {
    Lane.SHORT: ComputingLimits(cpu_seconds=10, memory_bytes=MEMORY_BYTES, niceness=10),
    Lane.LONG: ComputingLimits(cpu_seconds=120, memory_bytes=MEMORY_BYTES, niceness=19),
}
"""
Limits of one computation. A decision takes 0.05 to 0.4 s, a house bot's board 0.1 s, an inbox half a minute.
Matches go first.
"""


async def run_computing(
    ladder: Ladder,
    *,
    log_to_stderr: bool = False,
    computers: Mapping[Lane, AnyComputer] | None = None,
    retry_seconds: float = RETRY_SECONDS,
) -> None:
    """
    Compute what is asked for until cancelled; what is under way then is computed by the next run.

    Args:
        ladder: The ladder.
        log_to_stderr: Write each event to stderr, too.
        computers: What computes in each part of the queue; None: a process of its own.
        retry_seconds: How long a part of the queue waits after a failure of the platform.

    Raises:
        SandboxError: If the log cannot be written.
    """
    folder = ladder.settings.data_dir
    if computers is None:
        computers = {lane: Computer(folder, limits) for lane, limits in LIMITS.items()}
    sources = SourceLook(ladder)

    def add_own(session: Session, now: float) -> None:
        look_for_puzzles(ladder, session, now)
        sources.look(session, now)

    rows = ComputationRows(ladder.database, ladder.clock, add_own)
    with event_log(ladder, "computing", to_stderr=log_to_stderr):
        try:
            work = Computations(rows, computing_files(ladder), computers, retry_seconds)
            await LeaseLoop([work], LONGEST_PAUSE).run()
        finally:
            for computer in computers.values():
                await computer.close()
            rows.close()
