"""
Messages to and from a worker, as JSON: a worker needs no database, and no pickle of it must be trusted.

A task is one attempt at a match. Its outcome is either the match's record or one sentence on why there is none.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, model_validator

from ladder.registry.client import RegistryLogin
from ladder.results.files import Logs
from ladder.values.live_events import Public
from ladder.values.runtimes import LOCKED_BYTES, WARM_BYTES
from ladder.values.sandbox_kind import LadderSandbox, SandboxSetup
from ladder.values.task import Message, Sentence
from pigpen import ClockSetting
from referee.match.formats import Format, MatchSpec
from referee.records.lines import Instances
from referee.records.rules_file import rules_from

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
    """Its content (`ladder.sandbox.bots.packed`)."""


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
