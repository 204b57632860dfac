"""
Plays tasks and answers with outcomes, whatever happens. A worker knows sandboxes and the referee, and no database.

What fails is a void match. A sandbox that has failed is closed, which removes what it left, and the next match gets a
fresh one: an engine that was gone and came back is found again.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import structlog

from ladder.errors import BotRejected, ContainerLost, SandboxError
from ladder.matches.kinds import open_sandbox
from ladder.matches.play import play_sandboxed
from ladder.sandbox.host.machine import this_machine
from ladder.sandbox.host.scratch import disk_errors, scratch_folder
from ladder.trials.trial_tasks import SubmissionTask
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from ladder.worker.bot_store import FoldersMissing
from ladder.worker.calibration_match import play_calibration_match
from ladder.worker.live_observer import LiveObserver, LiveSender
from ladder.worker.match_tasks import FolderOutcome, FolderTask, MatchOutcome, MatchTask, ProbeTask, ProgramLost
from ladder.worker.trials import try_task
from referee.records.file import PackedRecord

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from ladder.sandbox.base import Program, Sandbox
    from ladder.worker.bot_store import BotStore
    from ladder.worker.match_tasks import TaskBot
    from ladder.worker.trials import Tell
    from referee.match.observer import Observer

    Load = Callable[[Sandbox, TaskBot], Awaitable[Program]]
    Offer = Callable[[int, int, str], bool]
    """Takes events of a match and attempt, several lines of JSON; False if there is no room for them now."""

ROOM = 1 << 20
"""Bytes that must find room in the temporary folder before a match is begun after a failure."""

MAX_RECORD = 64 * 1024**2
"""Bytes of a packed record that comes from another machine."""

log = structlog.get_logger()


class Worker:
    """Plays any number of tasks at once, in one event loop."""

    def __init__(
        self,
        load: Load,
        open_kind: Callable[[SandboxSetup], Sandbox] = open_sandbox,
        offer: Offer | None = None,
        tell: Tell = lambda progress: None,
        store: BotStore | None = None,
        max_record: int = MAX_RECORD,
    ) -> None:
        """
        Prepare a worker; it opens its sandboxes when they are needed.

        Args:
            load: Makes a version of a bot ready to start.
            open_kind: Opens a sandbox.
            offer: Takes the events of matches that are shown live; None: they are not made.
            tell: Takes the progress of trials.
            store: Keeps bots of a ladder on another machine; None: the ladder is on this one.
            max_record: Bytes of a packed record that a ladder on another machine takes.
        """
        self._load = load
        self._open_sandbox = open_kind
        self._offer = offer
        self._tell = tell
        self._store = store
        self._max_record = max_record
        self._sandboxes: dict[SandboxSetup, _Sandboxes] = {}
        self._kinds: set[SandboxKind] = set()

    async def play(self, task: str) -> str:
        """
        Do what a task says, of whatever kind, and give its outcome; both as JSON.

        Raises:
            SandboxError: If a folder cannot be kept, a calibration match cannot be played, or no task of a kind can be.
        """
        kind = json.loads(task)["kind"]
        if kind == "folder":
            return await self._keep(FolderTask.model_validate_json(task))
        if kind == "probe":
            self._kinds.add(ProbeTask.model_validate_json(task).sandbox)
            await self.ready()
            return ""
        if kind == "calibration":
            return MatchOutcome(match=0, attempt=0, record=await play_calibration_match()).model_dump_json()
        if kind == "submission":
            submission = SubmissionTask.model_validate_json(task)
            self._kinds.add(submission.sandbox)
            return (await try_task(submission, self._open_sandbox, self._tell, self._store)).model_dump_json()
        outcome = await self._play(MatchTask.model_validate_json(task))
        return outcome.model_dump_json()

    async def ready(self) -> None:
        """
        Try whether matches like those so far could be played now.

        Raises:
            SandboxError: If not; the message says what is missing.
        """
        await asyncio.to_thread(_find_room)
        if SandboxKind.DOCKER in self._kinds:
            await asyncio.to_thread(_find_engine)

    async def close(self) -> None:
        """Remove whatever still runs."""
        sandboxes, self._sandboxes = list(self._sandboxes.values()), {}
        await asyncio.gather(*(each.sandbox.close() for each in sandboxes))
        if self._store is not None:
            self._store.close()

    async def _keep(self, task: FolderTask) -> str:
        if self._store is None:
            raise SandboxError("This worker is on the ladder's machine, and keeps no folders.")
        await self._store.take(task)
        return FolderOutcome(identity=task.identity).model_dump_json()

    async def _play(self, task: MatchTask) -> MatchOutcome:
        def void(reason: str, lost: str | None = None) -> MatchOutcome:
            return MatchOutcome(match=task.match, attempt=task.attempt, void=reason, lost=lost)

        try:
            async with asyncio.timeout(task.seconds) as limit:
                return await self._play_to_the_end(task)
        except ProgramLost as error:
            return void(str(error), error.identity)
        except FoldersMissing as error:
            return void(str(error)).model_copy(update={"missing": error.identities})
        except ContainerLost as error:
            return void(str(error)).model_copy(update={"broke": error.bot})
        except (SandboxError, BotRejected) as error:
            return void(str(error))
        except Exception as error:  # runs unattended for months: one match is void, the others continue
            if isinstance(error, TimeoutError) and limit.expired():
                return void(f"It was not over after {task.seconds:g} seconds.")
            log.exception("worker.failed", match=task.match, attempt=task.attempt)
            return void(f"The platform has a mistake: {type(error).__name__}: {error}")

    async def _play_to_the_end(self, task: MatchTask) -> MatchOutcome:
        record = PackedRecord()
        labels = {"match": str(task.match), "attempt": str(task.attempt)}
        async with AsyncExitStack() as stack:
            bots = await stack.enter_async_context(self._store.using(task.bots)) if self._store else task.bots
            setups = {bot.sandbox: task.setup(bot.sandbox) for bot in bots}
            sandboxes = {name: await stack.enter_async_context(self._leased(setup)) for name, setup in setups.items()}
            programs = [await sandboxes[bot.sandbox].program(bot, self._load) for bot in bots]
            observer = stack.enter_context(self._observer(task))
            played = await play_sandboxed(
                task.spec(), programs, record.write, labels=labels, observer=observer, machine=str(this_machine())
            )
        packed = bytes(record)
        if self._store is not None and len(packed) > self._max_record:
            raise SandboxError(
                f"Its record has {len(packed):,} bytes, packed, and {self._max_record:,} are the most that can come "
                "from another machine. Play fewer boards in a match (setting boards)."
            )
        return MatchOutcome(
            match=task.match,
            attempt=task.attempt,
            record=packed,
            logs=dict(sorted(played.logs.items())),
            starting_seconds=played.seconds.starting,
            playing_seconds=played.seconds.playing,
        )

    @contextmanager
    def _observer(self, task: MatchTask) -> Iterator[Observer | None]:
        """Give the observer that sends the events of the match; None if it is not shown live."""
        if self._offer is None or task.live == "off":
            yield None
            return

        def fail(error: Exception) -> None:
            log.warning(
                "live.failed", match=task.match, attempt=task.attempt, reason=f"{type(error).__name__}: {error}"
            )

        sender = LiveSender(partial(self._offer, task.match, task.attempt))
        try:
            yield LiveObserver(task.spec(), task.live, sender.send, fail)
        finally:
            sender.flush()

    @asynccontextmanager
    async def _leased(self, setup: SandboxSetup) -> AsyncIterator[_Sandboxes]:
        """Yield a sandbox for one match; closed after the last one if a match in it has failed."""
        self._kinds.add(setup.kind)
        if (sandboxes := self._sandboxes.get(setup)) is None:
            sandboxes = self._sandboxes[setup] = _Sandboxes(self._open_sandbox(setup))
        sandboxes.matches += 1
        try:
            yield sandboxes
        except ContainerLost:
            raise  # it was one container's end; the sandbox works
        except SandboxError:
            if self._sandboxes.get(setup) is sandboxes:
                del self._sandboxes[setup]
            raise
        finally:
            sandboxes.matches -= 1
            if not sandboxes.matches and self._sandboxes.get(setup) is not sandboxes:
                await sandboxes.sandbox.close()


class _Sandboxes:
    """A sandbox, and what has been loaded into it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.matches = 0
        self._programs: dict[str, Program] = {}

    async def program(self, bot: TaskBot, load: Load) -> Program:
        if bot.identity not in self._programs:
            self._programs[bot.identity] = await load(self.sandbox, bot)
        return self._programs[bot.identity]


def _find_room() -> None:
    with scratch_folder() as folder, disk_errors(folder):
        (folder / "room").write_bytes(bytes(ROOM))


def _find_engine() -> None:
    """Find it, and remove what processes left there that were killed: the next match must not meet their containers."""
    from ladder.sandbox.docker import containers
    from ladder.sandbox.docker.engine import connect

    client = connect()
    try:
        containers.sweep(client)
    finally:
        client.close()
