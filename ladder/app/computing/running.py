"""Running the process that computes what visitors ask for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ladder.app.computing.asking import computing_files
from ladder.app.computing.puzzle_looks import look_for_puzzles
from ladder.app.event_log import event_log
from ladder.computing.computing_service import RETRY_SECONDS, ComputationRows, ComputingService
from ladder.values.questions import Lane
from ladder.worker.computer import Computer
from ladder.worker.computing_process import ComputingLimits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.app.ladder import Ladder
    from ladder.computing.computing_service import AnyComputer

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
    rows = ComputationRows(ladder.database, ladder.clock, partial(look_for_puzzles, ladder))
    with event_log(ladder, "computing", to_stderr=log_to_stderr):
        try:
            await ComputingService(rows, computing_files(ladder), computers, retry_seconds).run()
        finally:
            for computer in computers.values():
                await computer.close()
            rows.close()
