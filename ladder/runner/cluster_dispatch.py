"""
The dispatch of tasks to the workers of a cluster, by its scheduler, as the `Fleet` decides.

`WaitingTasks` holds the tasks that wait for a slot on some worker. `LostClaims` counts reports of workers about bots
that are missing, or whose containers were killed. Such a bot is suspended, so one worker's word is not enough: its own
registry, disk, or memory may be what is wrong.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from ladder.cluster.scheduler_process import InvalidAnswer, SchedulerLost
from ladder.errors import SandboxError
from ladder.runner.calibration import CalibrationDiffers
from ladder.runner.executor import Judgement, NotPlayed
from ladder.runner.fleet_roster import pause_after
from ladder.runner.run_log import in_one_line
from ladder.worker.match_tasks import ProbeTask
from pigpen.rules.errors import PigpenError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from ladder.runner.calibration import Calibration
    from ladder.runner.fleet import Fleet, WorkerCheck
    from ladder.runner.fleet_roster import FleetWorker
    from ladder.store.commands.queue import MachineLoad
    from ladder.values.cluster import WorkerReport

    Choose = Callable[[], FleetWorker | None]
    """Takes a slot of a worker; None if none is free."""
    """Starts a scheduler, given who hears of workers."""
    Exchange = Callable[[Fleet], Awaitable[None]]
    """Writes down what is seen of the workers, and tells the fleet what is wanted of them."""
    Ship = Callable[[str, Callable[[str], Awaitable[str]]], Awaitable[str]]
    """Has a task played by a function that reaches a remote worker, and sends bots that the worker lacks."""

MIN_REPORTS = 2
"""Workers that must report a version as lost before it is believed."""
SHORT = 64 * 1024
"""An outcome without a record has fewer characters."""
MAX_REMEMBERED = 1000
"""Reported versions that are remembered."""


class LostClaims:
    """The workers that have reported a version as lost, by version."""

    def __init__(self) -> None:
        self._claims: dict[str, set[str]] = {}
        self._broken: dict[str, Counter[str]] = {}
        """By bot: how many of its containers were killed at each worker."""

    def weigh(self, answer: str, worker: str, bots: Sequence[str] = (), *, is_alone: bool) -> str:
        """
        Leave out of an outcome what is not to be believed yet; the attempt is void all the same.

        Args:
            answer: What a worker has answered, as JSON, or anything else.
            worker: Its name.
            bots: The identities of the bots in the match, by number.
            is_alone: Whether no other worker could be asked.
        """
        if is_alone or len(answer) > SHORT:
            return answer
        try:
            plain: Any = json.loads(answer)
            identity, broke = plain.get("lost"), plain.get("broke")
            broken = bots[broke] if type(broke) is int and broke >= 0 else None
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return answer
        doubted: list[str] = []
        if isinstance(identity, str) and not self._believes_lost(identity, worker):
            doubted.append("lost")
        if broken is not None and not self._believes_broken(broken, worker):
            doubted.append("broke")
        return json.dumps(plain | dict.fromkeys(doubted)) if doubted else answer

    def _believes_lost(self, identity: str, worker: str) -> bool:
        reporters = self._claims.setdefault(identity, set())
        reporters.add(worker)
        _forget(self._claims)
        return len(reporters) >= MIN_REPORTS

    def _believes_broken(self, identity: str, worker: str) -> bool:
        """Believe of one worker at most as many reports as of all others: a bad bot fails at every worker."""
        count = self._broken.setdefault(identity, Counter())
        count[worker] += 1
        _forget(self._broken)
        return count.total() - count[worker] >= count[worker]


def _forget(claims: dict[str, Any]) -> None:
    if len(claims) > MAX_REMEMBERED:
        del claims[next(iter(claims))]


PATIENCE = 10.0
"""Seconds after which a task that has found no slot goes back into the queue: a worker has gone meanwhile."""


@dataclass(frozen=True, eq=False)
class _Waiting:
    """One of them."""

    choose: Choose
    place: asyncio.Future[FleetWorker]
    coming: tuple[str, int] | None


class WaitingTasks:
    """The waiting tasks of one cluster, served in the order of their arrival. Only for the thread of one event loop."""

    def __init__(self, patience: float = PATIENCE) -> None:
        """Begin; a task waits at most *patience* seconds for a slot."""
        self._patience = patience
        self._waiting: list[_Waiting] = []

    @property
    def coming(self) -> list[tuple[str, int]]:
        """Machine and number of each match that only one machine may play."""
        return [each.coming for each in self._waiting if each.coming and not each.place.done()]

    async def place(self, choose: Choose, coming: tuple[str, int] | None = None) -> FleetWorker:
        """
        Wait for a slot.

        Args:
            choose: Takes one.
            coming: The machine that must play it, and the number of the match; None: any may.

        Raises:
            NotPlayed: If none was free for long.
        """
        place: asyncio.Future[FleetWorker] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(choose, place, coming))
        self.serve()
        try:
            await asyncio.wait([place], timeout=self._patience)
        finally:
            place.cancel()
        if place.cancelled():
            raise NotPlayed("No worker had a slot for it.")
        return place.result()

    def serve(self) -> None:
        """Give free slots to waiting tasks."""
        for waiting in self._waiting:
            if not waiting.place.done() and (worker := waiting.choose()) is not None:
                waiting.place.set_result(worker)
        self._waiting = [each for each in self._waiting if not each.place.done()]


if TYPE_CHECKING:
    Start = Callable[[Callable[[WorkerReport], None]], Coroutine[None, None, "Scheduler"]]


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
