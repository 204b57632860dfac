"""
`pigpen`, whose worker soon counts its scheduler as lost once it gets SIGUSR1.

After it has connected again, it waits as long as usual.
"""

from __future__ import annotations

import signal

from ladder.cli.entry import main
from ladder.cluster import worker_session
from ladder.cluster.worker_session import UNACKNOWLEDGED_SECONDS, WorkerSession

close = WorkerSession.close


def be_impatient(*_: object) -> None:
    worker_session.UNACKNOWLEDGED_SECONDS = 5.0


async def close_and_be_patient(self: WorkerSession) -> None:
    worker_session.UNACKNOWLEDGED_SECONDS = UNACKNOWLEDGED_SECONDS
    await close(self)


signal.signal(signal.SIGUSR1, be_impatient)
worker_session.FACTS_SECONDS = 0.2
WorkerSession.close = close_and_be_patient  # type: ignore[method-assign]
main()
