"""`pigpen`, whose worker soon counts its scheduler as lost; after it has connected again, it waits as long as usual."""

from __future__ import annotations

from ladder.cli.entry import main
from ladder.cluster import worker_session
from ladder.cluster.worker_session import UNACKNOWLEDGED_SECONDS, WorkerSession

close = WorkerSession.close


async def close_and_be_patient(self: WorkerSession) -> None:
    worker_session.UNACKNOWLEDGED_SECONDS = UNACKNOWLEDGED_SECONDS
    await close(self)


worker_session.FACTS_SECONDS = 0.2
worker_session.UNACKNOWLEDGED_SECONDS = 5.0
WorkerSession.close = close_and_be_patient  # type: ignore[method-assign]
main()
