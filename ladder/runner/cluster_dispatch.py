"""Sends tasks to the workers of a cluster, by its scheduler, as the `Fleet` decides."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

import structlog

from ladder.cluster.failures import InvalidAnswer, SchedulerLost
from ladder.errors import SandboxError
from ladder.runner.calibration import CalibrationDiffers
from ladder.runner.executor import Judgement, NotPlayed
from ladder.runner.fleet_worker import pause_after
from ladder.runner.lost_claims import LostClaims
from ladder.runner.outage import in_one_line
from ladder.runner.waiting_tasks import PATIENCE, WaitingTasks
from ladder.worker.tasks import ProbeTask
from pigpen.rules.errors import PigpenError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from ladder.runner.calibration import Calibration
    from ladder.runner.fleet import Fleet, WorkerCheck
    from ladder.runner.fleet_worker import FleetWorker
    from ladder.store.commands.queue import MachineLoad
    from ladder.values.cluster import WorkerReport

    Start = Callable[[Callable[[WorkerReport], None]], Coroutine[None, None, "Scheduler"]]
    """Starts a scheduler, given who hears of workers."""
    Exchange = Callable[[Fleet], Awaitable[None]]
    """Writes down what is seen of the workers, and tells the fleet what is wanted of them."""
    Ship = Callable[[str, Callable[[str], Awaitable[str]]], Awaitable[str]]
    """Has a task played by a function that reaches a remote worker, and sends bots that the worker lacks."""

LOOK_SECONDS = 1.0
"""Seconds between two questions to the fleet about workers to check."""
EXCHANGE_SECONDS = 5.0
"""Seconds between two exchanges with the table of workers: it is written, and read."""
CHECK_SECONDS = 400.0
"""A check that takes longer has failed: more than a calibration match may take."""

log = structlog.get_logger()


class Scheduler(Protocol):
    """Transport of tasks: `ladder.cluster.scheduler_process.SchedulerProcess`."""

    address: str
    """The address at which workers reach it."""

    @property
    def has_ended(self) -> bool:
        """True if it takes no tasks any more."""

    async def play(self, worker: str, task: str) -> str:
        """Let a worker play a task; worker and errors are those of `SchedulerProcess`."""

    def turn_away(self, worker: str, sentence: str) -> None:
        """Let a worker end."""

    async def close(self) -> None:
        """End it."""


class ClusterDispatch:
    """A `TaskWorker` whose tasks are played on other machines. Only for the thread of one event loop."""

    def __init__(
        self,
        fleet: Fleet,
        start: Start,
        calibration: Calibration,
        probe: ProbeTask,
        exchange: Exchange,
        changed: Callable[[], None] = lambda: None,
        ship: Ship = lambda task, play: play(task),
        patience: float = PATIENCE,
        exchange_seconds: float = EXCHANGE_SECONDS,
    ) -> None:
        """
        Prepare; `begin` begins.

        Args:
            fleet: Decides.
            start: Starts a scheduler: the first one, and another one whenever it has ended.
            calibration: What workers play before anything counts.
            probe: What a worker is asked that has failed.
            exchange: Writes down what is seen of the workers, and reads what is wanted of them.
            changed: Called when there are more slots, or fewer.
            ship: Sends folders that are missing where a task is played.
            patience: Seconds that a task waits for a slot at most.
            exchange_seconds: Seconds between two calls of *exchange*.
        """
        self.fleet = fleet
        self._start = start
        self._calibration = calibration
        self._probe = probe.model_dump_json()
        self._exchange = exchange
        self._tell_changed = changed
        self._ship = ship
        self._scheduler: Scheduler
        self._logged_slots: int | None = None
        self._is_closing = False
        self._waiting = WaitingTasks(patience)
        self._exchange_seconds = exchange_seconds
        self._lost_claims = LostClaims()
        self._wake = asyncio.Event()
        self._minding: list[asyncio.Task[None]] = []
        self._checking: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """
        Let workers come.

        Raises:
            UserError: If the settings do not let a scheduler start.
            SandboxError: If none can be started.
            StoreError: If the database does not answer.
        """
        await self._exchange(self.fleet)
        self._scheduler = await self._start(self._take_report)
        self._minding = [asyncio.create_task(self._watch_scheduler()), asyncio.create_task(self._keep_table())]
        self._changed()

    async def play(self, task: str) -> str:
        """Play a task whose outcome is not judged."""
        return await self.play_as(task, task)

    async def play_as(self, task: str, key: str) -> str:
        """
        Let a worker play a task.

        Args:
            task: As JSON.
            key: Names it, until `judge` has taken the outcome.

        Raises:
            NotPlayed: If it is to go back into the queue.
            SandboxError: If its worker has gone, or cannot play it.
        """
        fields = json.loads(task)
        bots = [bot["identity"] for bot in fields.get("bots", ())]
        is_judged = True
        try:
            match, machine = fields.get("match"), fields.get("machine", "")
            choose = partial(self.fleet.place, key, bots, match, machine, fields.get("avoided", ()))
            worker = await self._waiting.place(choose, (machine, match) if machine else None)
            answer = await self._ship(task, partial(self._play_at, worker, bots))
            is_judged = False
            return answer
        except NotPlayed:
            raise
        except InvalidAnswer as error:
            self.fleet.judge(key, Judgement.INVALID, str(error))
            raise NotPlayed(f"Worker {worker.name} gave no true answer: {error}") from error
        except SchedulerLost as error:
            self._lose_workers()
            raise NotPlayed(str(error)) from error
        except SandboxError as error:
            is_judged = False
            raise SandboxError(f"Worker {worker.name}: {error}") from error
        finally:
            self.fleet.end(key, is_judged=is_judged)
            self._changed()

    async def machines(self) -> list[MachineLoad]:
        """Give what each machine has room for."""
        return self.fleet.machines(self._waiting.coming)

    def judge(self, key: str, judgement: Judgement, reason: str) -> None:
        """Count an answer for, or against, the worker that gave it."""
        self.fleet.judge(key, judgement, reason)
        self._changed()

    async def ready(self) -> None:
        """
        Check whether any worker plays.

        Raises:
            SandboxError: If none does.
        """
        if not self.fleet.slots:
            raise SandboxError(self.fleet.why_none)

    async def close(self) -> None:
        """End the scheduler, and with it what workers play."""
        self._is_closing = True
        for task in (*self._minding, *self._checking):
            task.cancel()
        await asyncio.gather(*self._minding, *self._checking, return_exceptions=True)
        if self._minding:
            self.fleet.lose_all("Its coordinator has ended.")
            await self._scheduler.close()
            await self._try_exchange()

    async def _play_at(self, worker: FleetWorker, bots: Sequence[str], task: str) -> str:
        answer = await self._scheduler.play(worker.connection, task)
        return self._lost_claims.weigh(answer, worker.name, bots, is_alone=self.fleet.connected == 1)

    def _take_report(self, report: WorkerReport) -> None:
        if self._is_closing:
            return
        if sentence := self.fleet.take_report(report):
            self._scheduler.turn_away(report.worker, sentence)
        self._wake.set()
        self._changed()

    def _changed(self) -> None:
        """Place what waits, and tell the runner if it can do more, or less."""
        self._waiting.serve()
        slots = self.fleet.slots
        if slots != self._logged_slots and not self._is_closing:
            if not slots:
                log.warning("cluster.waiting", reason=self.fleet.why_none)
            elif not self._logged_slots:
                log.info("cluster.playing", slots=slots)
            self._logged_slots = slots
            self._tell_changed()

    async def _watch_scheduler(self) -> None:
        """Restart the scheduler if it has ended, and check the workers that the fleet wants checked."""
        while True:
            if self._scheduler.has_ended:
                await self._start_again()
            for check in self.fleet.checks():
                task = asyncio.create_task(self._check(check))
                self._checking.add(task)
                task.add_done_callback(self._checking.discard)
            self._changed()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), LOOK_SECONDS)
            self._wake.clear()

    def _lose_workers(self) -> None:
        """Forget all workers if the scheduler has ended, and count no failure against them."""
        if self._scheduler.has_ended:
            self.fleet.lose_all("The cluster's scheduler has ended.")
            self._wake.set()

    async def _start_again(self) -> None:
        self._lose_workers()
        self._changed()
        failures = 0
        while self._scheduler.has_ended:
            try:
                self._scheduler = await self._start(self._take_report)
            except (PigpenError, OSError) as error:  # such as a certificate that has expired
                failures += 1
                log.error("scheduler.failed", reason=in_one_line(error))
                await asyncio.sleep(pause_after(failures + 1))

    async def _check(self, check: WorkerCheck) -> None:
        failure: str = "It was given up."
        speed: float | None = None
        play = partial(self._scheduler.play, check.connection)
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                if check.is_probe:
                    await play(self._probe)
                else:
                    speed = await self._calibration.speed(play)
            failure = ""
        except CalibrationDiffers as error:
            failure = str(error)
            self.fleet.drain(check.worker, failure)
        except InvalidAnswer as error:
            failure = str(error)
            self.fleet.lie(check.worker, failure)
        except TimeoutError:
            failure = f"It did not answer within {CHECK_SECONDS:g} seconds."
        except (SandboxError, OSError) as error:
            self._lose_workers()
            failure = in_one_line(error)
        finally:
            self.fleet.checked(check, failure, speed)
            self._wake.set()
            self._changed()

    async def _keep_table(self) -> None:
        while True:
            await asyncio.sleep(self._exchange_seconds)
            await self._try_exchange()
            self._changed()

    async def _try_exchange(self) -> None:
        try:
            await self._exchange(self.fleet)
        except Exception as error:  # it runs unattended for months: matches continue, and so does this
            log.warning("workers.unwritten", reason=str(error), exc_info=not isinstance(error, PigpenError))
