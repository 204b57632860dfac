"""
Messages to and from a worker that tries a submitted bot; both as JSON, like matches.

A task is one attempt at a submission. Its outcome says that the bot is fit, or why the ladder does not take it, or
that the platform failed, which says nothing about the bot.

They are messages of their own, beside `SubmissionOrder` and `SubmissionRow`, which owners see. A task carries the
order, and what no owner may see: paths of the machine, a login to the registry, the clocks and limits of the ladder. An
outcome carries what is not known before the ladder enters the bot, and which failures are the platform's.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, PositiveFloat, field_validator, model_validator

from ladder.entry.claims import SubmissionLook
from ladder.registry.login import ImagePlace, RegistryLogin
from ladder.values.names import LANGUAGES, Builds
from ladder.values.sandbox_kind import LOCKED_BYTES, WARM_BYTES, LadderSandbox, SandboxSetup
from ladder.values.submission import Failure, SubmissionOrder
from ladder.values.value import Message, Sentence
from pigpen import ClockSetting
from referee.records.lines import Instances
from referee.records.rules_file import rules_from


class KnownToLadder(Message):
    """The state of the ladder that decides about the bot (`ladder.entry.claims`)."""

    rules: dict[str, dict[str, Any]]
    """The variants that the ladder plays, field for field as in a rules file."""
    plays: tuple[str, ...]
    entered: dict[str, tuple[str, ...]]
    holders: dict[str, tuple[str, ...]]
    members: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, look: SubmissionLook) -> KnownToLadder:
        """Take from a look what a trial needs."""
        return cls(
            rules={name: rules.to_plain() for name, rules in look.rules.items()},
            plays=tuple(look.plays),
            entered={identity: tuple(sorted(variants)) for identity, variants in look.entered.items()},
            holders={identity: tuple(owners) for identity, owners in look.holders.items()},
            members={team: tuple(names) for team, names in look.members.items()},
        )

    def look(self) -> SubmissionLook:
        """Give it as the functions of `ladder.entry` take it."""
        return SubmissionLook(
            rules={name: rules_from(plain) for name, plain in self.rules.items()},
            plays=self.plays,
            entered={identity: frozenset(variants) for identity, variants in self.entered.items()},
            holders=self.holders,
            members=self.members,
        )


class SubmissionTask(Message):
    """One attempt at a submission."""

    kind: Literal["submission"] = "submission"
    submission: int
    attempt: int
    order: SubmissionOrder
    owner: str
    source: str
    """The submitted bot, in the owner's words."""
    image: str | None
    """An image reference; None: it is a folder."""
    folder: str | None
    """Absolute path of the folder."""
    content: str | None = None
    """Identity of the folder, for a worker of another machine, which keeps a copy: then there is no path."""
    registry: RegistryLogin | None = None
    """Lets the worker into the ladder's registry, if the image is there."""
    place: ImagePlace | None = None
    """The place for an image that only the worker's engine has, so that others can play it; None: nowhere."""
    known: KnownToLadder
    sandbox: LadderSandbox
    runtime: str = "runc"
    locked_bytes: int = LOCKED_BYTES
    instances: Instances = "fresh"
    warm_bytes: int = WARM_BYTES
    most_bytes: int
    """The largest image, or folder, that is taken."""
    builds: Builds = "base"
    languages: tuple[str, ...] = LANGUAGES
    """Languages other than Python in which a folder is built."""
    clock: dict[str, Any]
    """`pigpen.ClockSetting`, field for field."""
    deals: int
    """Number of deals that it plays against itself in each variant."""
    data_dir: str | None
    """The ladder's folder, where folders are kept that are entered; None: it is on another machine."""
    seconds: PositiveFloat
    """A trial that takes longer has failed."""

    @property
    def bot(self) -> str:
        """Name of the bot."""
        return self.order.name

    @property
    def word(self) -> str:
        """The bot as its owner typed it, to be repeated in commands."""
        return self.order.word or self.source

    @property
    def id(self) -> int:
        """Number of its row, as in `AnyLease`."""
        return self.submission

    @property
    def key(self) -> str:
        """Names the attempt wherever it is worked at."""
        return f"submission-{self.submission}-{self.attempt}"

    @property
    def clock_setting(self) -> ClockSetting:
        """The bot's time limits."""
        return ClockSetting(**self.clock)

    def setup(self) -> SandboxSetup:
        """Say how the sandbox is opened in which it is tried: that of the ladder's matches."""
        return SandboxSetup(self.sandbox, self.runtime, self.locked_bytes, self.instances, self.warm_bytes)


class TrialProgress(Message):
    """The progress of an attempt."""

    submission: int
    attempt: int
    phase: Literal["building", "trying"]
    done: int
    """Cases and deals that are over."""
    steps: int
    """Number of cases and deals in all."""


class TriedProgram(Message):
    """A bot that could be loaded."""

    identity: str
    """Image id, or hash of a folder's content."""
    pinned: str | None
    """The image reference by digest; None: only this engine has it."""
    size: int = Field(ge=0, lt=2**63)
    """Bytes."""
    lock: str | None
    """The packages that it got; None: none."""
    can_fork: bool


class SubmissionOutcome(Message):
    """The outcome of an attempt: exactly one of refused, void and program is set."""

    submission: int
    attempt: int
    refused: Sentence | None = None
    """The reason that the ladder does not even try it, in a sentence for its owner."""
    void: Sentence | None = None
    """The reason that there is no outcome, in a sentence; never the bot's fault."""
    lost_container: bool = False
    """True if it is void because a container of the bot was killed, and not through its engine."""
    missing: tuple[str, ...] = ()
    """Identities of folders that the worker's machine lacks, where that is why it is void: it can have them sent."""
    program: TriedProgram | None = None
    """The bot that was tried."""
    variants: tuple[dict[str, Any], ...] = ()
    """The variants in which it is to be entered, field for field as in a rules file."""
    outdated: tuple[str, ...] = ()
    """Variants that the ladder plays by rules that a preset had once."""
    failures: tuple[Failure, ...] = ()
    """The bot's failures; nothing: it is fit to be entered."""
    again: str | None = None
    """The command that shows the same failure."""

    @property
    def id(self) -> int:
        """Number of its row, as in `AnyLease`."""
        return self.submission

    @property
    def broke(self) -> int | None:
        """The number of the bot whose container was lost, where that is why it is void: a trial has one bot."""
        return 0 if self.lost_container else None

    @model_validator(mode="after")
    def _is_one_of_them(self) -> SubmissionOutcome:
        if sum(part is not None for part in (self.refused, self.void, self.program)) != 1:
            raise ValueError("an outcome is a program, refused, or void")
        return self

    @field_validator("variants")
    @classmethod
    def _can_be_read(cls, variants: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        for plain in variants:
            rules_from(plain)
        return variants
