"""The program of `pigpen worker`: it connects to a coordinator's scheduler, plays its tasks, and reconnects."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from ladder.cluster.certificates import SchedulerUnreachable, probe_scheduler, read_identity
from ladder.cluster.dask_setup import set_up_worker
from ladder.cluster.worker_facts import Facts
from ladder.cluster.worker_session import WorkerSession
from ladder.errors import SandboxError, UserError
from ladder.sandbox.host.scratch import scratch_folder
from ladder.values.text import counted
from ladder.worker.bot_store import BotStore
from ladder.worker.channel import MessageKind, live_body
from ladder.worker.process import log_to
from ladder.worker.worker_pool import WorkerPool, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ladder.worker.bot_store import StorePlan

FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0
"""Seconds between two attempts to reach the coordinator: twice as long each time."""
GOOD_SECONDS = 60.0
"""Seconds that a connection must last for the next wait to be the first, short one again."""
KEPT_LINES = 1000
"""Lines of the log that are kept while there is no connection to send them by."""


class WorkerRejected(UserError):
    """The coordinator has refused the worker, which does not connect again."""


class WorkerProgram:
    """Connects again and again. Only for the thread of one event loop."""

    def __init__(
        self,
        address: str,
        certificate: Path,
        name: str,
        slots: int,
        processes: int,
        store: StorePlan,
        say: Callable[[str], None],
    ) -> None:
        """
        Prepare a worker.

        Args:
            address: Where its scheduler is: ``tls://HOST:PORT``.
            certificate: The file that `certificates.make_worker` has made.
            name: Of this worker; no other worker of the cluster has it.
            slots: Tasks that it takes at once.
            processes: Processes among which the tasks are divided.
            store: Where bots are kept, and how much of them.
            say: Prints what happens, in a sentence, where the worker was started.
        """
        self._address = address
        self._certificate = certificate
        self._say = say
        self._facts = Facts(name, slots, BotStore(store).counts)
        start = partial(
            WorkerProcess.start, take_events=self._take_events, take_progress=self._take_progress, store=store
        )
        self._worker = WorkerPool(processes, start)
        self._session: WorkerSession | None = None
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._stops = 0
        self._stopping = asyncio.Event()
        self._giving_up = asyncio.Event()
        self._is_first = True
        self._refusal = ""
        """The last sentence about a coordinator that does not let it in any more."""
        self._loop: asyncio.AbstractEventLoop | None = None

    def stop(self) -> None:
        """End when what is played here is finished; called a second time, give it up. For signal handlers, too."""
        if self._loop is None:
            self._stop()
        else:
            with suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(self._stop)

    async def run(self) -> None:
        """
        Work until `stop` is called.

        Raises:
            UserError: If this worker cannot connect, or is refused.
        """
        set_up_worker()
        loop = self._loop = asyncio.get_running_loop()
        log_to(lambda line: loop.call_soon_threadsafe(self._take_line, line))
        wait = FIRST_WAIT
        try:
            while not self._stopping.is_set():
                began = time.monotonic()
                await self._once()
                wait = FIRST_WAIT if time.monotonic() - began > GOOD_SECONDS else wait
                with suppress(TimeoutError):
                    # Not all workers at the same moment.
                    await asyncio.wait_for(self._stopping.wait(), wait * random.uniform(0.5, 1.0))
                wait = min(2 * wait, LONGEST_WAIT)
        finally:
            await self._worker.close()

    def _stop(self) -> None:
        self._stops += 1
        (self._stopping if self._stops == 1 else self._giving_up).set()

    async def _once(self) -> None:
        """Come once, and play until the connection ends."""
        try:
            identity = read_identity(self._certificate)
            self._facts.certificate_ends = identity.ends.timestamp()
            await probe_scheduler(self._address, identity)
            with scratch_folder() as folder:
                await self._play(WorkerSession(self._address, identity, folder, self._worker, self._facts))
        # Dask raises the last three.
        except (SchedulerUnreachable, SandboxError, OSError, RuntimeError, ValueError) as error:
            if self._is_first:
                why = str(error) or type(error).__name__
                self._say(f"No coordinator lets this worker in at {self._address} ({why}); it is tried again.")
        except UserError as error:
            if self._is_first or isinstance(error, WorkerRejected):
                raise
            # It was let in before: the coordinator's machine may be being set up again.
            self._say_once(f"{self._facts.name} is not let in any more: {error} It is tried again.")
        self._is_first = False

    def _say_once(self, refusal: str) -> None:
        if refusal != self._refusal:
            self._refusal = refusal
            self._say(refusal)

    async def _play(self, session: WorkerSession) -> None:
        await session.join()
        self._refusal = ""
        self._session = session
        self._is_first = False
        self._say(f"{self._facts.name} has joined {self._address}, with {counted(self._facts.slots, 'slot')}.")
        for line in list(self._lines):
            session.tell(MessageKind.LOG, line)
        self._lines.clear()
        leaving = asyncio.create_task(self._leave(session))
        try:
            await session.run()
        finally:
            self._session = None
            leaving.cancel()
            with suppress(asyncio.CancelledError):
                await leaving
        if session.turned_away is not None:
            raise WorkerRejected(f"The coordinator turned this worker away: {session.turned_away}")
        if not self._stops:
            self._say(f"The connection to {self._address} has ended; {self._facts.name} reconnects.")

    async def _leave(self, session: WorkerSession) -> None:
        await self._stopping.wait()
        if session.playing:
            self._say(
                f"Finishing {counted(session.playing, 'task')}; a second time, and what is not finished is given up."
            )
        finishing = asyncio.create_task(session.leave())
        giving_up = asyncio.create_task(self._giving_up.wait())
        try:
            done, _ = await asyncio.wait([finishing, giving_up], return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()
        finally:
            finishing.cancel()
            giving_up.cancel()
            await session.close()

    def _take_line(self, line: str) -> None:
        if self._session is None or not self._session.tell(MessageKind.LOG, line):
            self._lines.append(line)

    def _take_events(self, match: int, attempt: int, batch: str) -> None:
        if self._session is not None:
            self._session.tell(MessageKind.LIVE, live_body(match, attempt, batch))

    def _take_progress(self, progress: str) -> None:
        """Pass it on; a thread calls this."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._tell_progress, progress)

    def _tell_progress(self, progress: str) -> None:
        if self._session is not None:
            self._session.tell(MessageKind.TRIAL, progress)
