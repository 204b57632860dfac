"""
Tasks of a worker and their outcomes, as JSON: a worker needs no database, and no pickle of it must be trusted.

A task is one attempt at a match. Its outcome is either the match's record or one sentence on why there is none.
`load_version` makes the program of what the ladder knows of a version: exactly what was entered, or none.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, model_validator

from ladder.errors import BotRejected, SandboxError
from ladder.registry.login import RegistryLogin
from ladder.results.files import Logs
from ladder.sandbox.bots.bot_source import BotSource
from ladder.values.names import Public
from ladder.values.sandbox_kind import LOCKED_BYTES, WARM_BYTES, LadderSandbox, SandboxSetup
from ladder.values.value import Message, Sentence
from pigpen import ClockSetting
from referee.match.formats import Format, MatchSpec
from referee.records.lines import Instances
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from ladder.sandbox.base import Program, Sandbox

Seconds = Annotated[NonNegativeFloat, Field(allow_inf_nan=False)]


class TaskBot(Message):
    """A version of a bot, and where to find exactly that."""

    name: str
    """The bot's name in the record."""
    identity: str
    """`Program.identity`: ``sha256:`` and 64 hex digits."""
    sandbox: LadderSandbox
    pinned: str | None = None
    """
    The reference by which an engine that lacks the image gets exactly this one: ``registry/name@sha256:…``; None:
    nowhere.
    """
    folder: str | None = None
    """Absolute path of the folder to run, in the process sandbox; None: the worker's own copy, by its identity."""
    registry: RegistryLogin | None = None
    """Lets the worker into the ladder's registry, if the image is there."""
    can_fork: bool = False
    """True if the ladder found, when it was entered, that its image is a base of ours and files."""


class MatchTask(Message):
    """One attempt at a match."""

    kind: Literal["match"] = "match"
    match: int
    attempt: int
    rules: dict[str, Any]
    """The variant, field for field as in a rules file."""
    format: str
    clock: dict[str, Any]
    """`pigpen.ClockSetting`, field for field."""
    seed: str = Field(repr=False)
    """64 hex digits; secret until the match is done."""
    bots: tuple[TaskBot, ...]
    """In the order of their numbers."""
    runtime: str = "runc"
    """The OCI runtime of the docker sandbox; auto: each worker takes gVisor where its engine knows it."""
    locked_bytes: int = LOCKED_BYTES
    """The largest image whose files are kept in memory while it plays; a larger one needs gVisor."""
    instances: Instances = "fresh"
    """Start of instances; warm: forked in warm containers where possible; fresh: each in a container of its own."""
    warm_bytes: int = WARM_BYTES
    """Memory that warm containers without an instance may have together."""
    live: Public = "off"
    """Public part of the match while it is played."""
    machine: str = ""
    """The machine on which it must be played (`MachineLoad`); empty: anywhere."""
    avoided: tuple[str, ...] = ()
    """Names of workers whose reports on a bot in it no other has confirmed: they get it only if no other is free."""
    seconds: PositiveFloat
    """A match that takes longer is void."""

    @property
    def id(self) -> int:
        """Number of its row, as in `AnyLease`."""
        return self.match

    @property
    def key(self) -> str:
        """Names the attempt wherever it is worked at."""
        return f"match-{self.match}-{self.attempt}"

    def setup(self, sandbox: LadderSandbox) -> SandboxSetup:
        """Give the setup of the sandbox of one of its bots."""
        return SandboxSetup(sandbox, self.runtime, self.locked_bytes, self.instances, self.warm_bytes)

    def spec(self) -> MatchSpec:
        """Give the match for the referee."""
        names = tuple(bot.name for bot in self.bots)
        clock = ClockSetting(**self.clock)
        return MatchSpec(rules_from(self.rules), names, Format.parse(self.format), clock, bytes.fromhex(self.seed))


class FolderTask(Message):
    """A bot's folder for a machine that lacks it."""

    kind: Literal["folder"] = "folder"
    identity: str
    """``sha256:`` and the hash of its content."""
    packed: bytes = Field(repr=False)
    """Its content (`ladder.sandbox.bots.content`)."""


class FolderOutcome(Message):
    """The folder is there."""

    identity: str


class ProbeTask(Message):
    """A question: can tasks of this kind be played now? The answer is empty."""

    kind: Literal["probe"] = "probe"
    sandbox: LadderSandbox


class CalibrationTask(Message):
    """Play the calibration match (`ladder.worker.calibration_match`); the answer is a `MatchOutcome` of match 0."""

    kind: Literal["calibration"] = "calibration"


class MatchOutcome(Message):
    """The outcome of an attempt: it has a record, or it is void."""

    match: int
    attempt: int
    record: bytes | None = None
    """The finished record, packed as in a file that ends in ``.jsonl.gz``."""
    void: Sentence | None = None
    """The reason that there is none, in a sentence; never a bot's fault."""
    lost: str | None = None
    """The identity of the bot's version that does not exist any more, where that is why."""
    broke: NonNegativeInt | None = None
    """The number of the one bot whose container was lost, where that is why."""
    missing: tuple[str, ...] = ()
    """Identities of folders that the worker's machine lacks, where that is why: once it has them, it can play."""
    logs: Logs = Field(default_factory=dict)
    starting_seconds: Seconds | None = None
    """Wall time in which the bots started and were cleared away, all tables added up; None: not measured."""
    playing_seconds: Seconds | None = None
    """Wall time of all deals."""

    @model_validator(mode="after")
    def _is_one_of_both(self) -> MatchOutcome:
        if (self.record is None) == (self.void is None):
            raise ValueError("an outcome is either a record or void")
        return self


class ProgramLost(SandboxError):
    """The version that was entered does not exist here any more, so that trying again is of no use."""

    def __init__(self, message: str, identity: str) -> None:
        super().__init__(message)
        self.identity = identity
        """Of the version that is lost."""


async def load_version(sandbox: Sandbox, bot: TaskBot) -> Program:
    """
    Make a version ready to start: its image, pulled by digest if this engine lacks it, or its kept folder.

    Raises:
        ProgramLost: If it does not exist any more, or is not what was entered; that is no fault of the bot.
        SandboxError: If the sandbox failed, or the image's registry cannot be reached.
    """
    if bot.folder is not None:
        program = await _load(sandbox, bot, BotSource(bot.name, folder=Path(bot.folder)))
    else:
        program = await _load_image(sandbox, bot)
    if program.identity != bot.identity:
        raise ProgramLost(
            f"{bot.folder or bot.pinned} is not what was entered as {bot.name}: it is {program.identity}, and not "
            f"{bot.identity}. Put back what was there, or submit the bot again.",
            bot.identity,
        )
    return program


async def _load_image(sandbox: Sandbox, bot: TaskBot) -> Program:
    try:
        return await sandbox.load(BotSource(bot.name, image=bot.identity, can_fork=bot.can_fork))
    except BotRejected as error:
        if bot.pinned is None:
            raise ProgramLost(
                f"The image of {bot.name} ({bot.identity}) is not on this engine, and was in no registry when it was "
                "entered. Build or load it again, or retire the bot.",
                bot.identity,
            ) from error
    if bot.registry is not None:
        await _pull(bot, bot.registry, bot.pinned)
    return await _load(sandbox, bot, BotSource(bot.name, image=bot.pinned, can_fork=bot.can_fork))


async def _pull(bot: TaskBot, registry: RegistryLogin, pinned: str) -> None:
    from ladder.trials.trial_images import pull  # an image that is here, or a folder, needs no registry

    try:
        await asyncio.to_thread(pull, registry, pinned)
    except BotRejected as error:
        raise _lost(bot, error) from error


async def _load(sandbox: Sandbox, bot: TaskBot, source: BotSource) -> Program:
    try:
        return await sandbox.load(source)
    except (BotRejected, OSError) as error:
        raise _lost(bot, error) from error


def _lost(bot: TaskBot, error: Exception) -> ProgramLost:
    return ProgramLost(f"{bot.name}, which was entered once, cannot be loaded any more: {error}", bot.identity)
