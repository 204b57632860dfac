"""`pigpen`, whose worker gets another signal in the middle of letting go of its connection."""

from __future__ import annotations

import asyncio
import os
import signal

from distributed.worker_state_machine import BaseWorker

from ladder.cli.entry import main

close = BaseWorker.close


async def signalled(self: BaseWorker, **settings: float) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(10):
        await asyncio.sleep(0)
    await close(self, **settings)


BaseWorker.close = signalled
main()
