"""Reports of a worker on another machine about itself, and the view that the organiser has of it."""

from __future__ import annotations

import enum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from ladder.values.names import NAME_LENGTH
from ladder.values.text import counted
from ladder.values.value import LAST_SECOND, Message, Time, Value

MAX_COUNT = 2**53
"""No machine has more bytes, cores, slots or images; every reader of JSON can read that number."""
Words = Annotated[str, Field(max_length=200)]
"""A few words; workers are believed, but nothing they say may fill a page."""
WorkerName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=NAME_LENGTH)]
UnixTime = Annotated[NonNegativeFloat, Field(le=LAST_SECOND, allow_inf_nan=False)]
"""Seconds since 1970, of a moment that `Time` can give."""
Count = Annotated[NonNegativeInt, Field(le=MAX_COUNT)]


class MachineClass(Message):
    """Machines of one class give bots the same time: they have the same processor."""

    architecture: Words
    """As the kernel calls it: ``x86_64``, ``aarch64``."""
    processor: Words
    """The processor's name; empty: the kernel does not say."""
    cores: PositiveInt

    def __str__(self) -> str:
        """Say it in words, as records do: ``Babbage 2, x86_64, 8 cores``."""
        cores = counted(self.cores, "core")
        return ", ".join(filter(None, (self.processor, self.architecture, cores)))


def _with_possible_cores(machine: MachineClass) -> MachineClass:
    if machine.cores > MAX_COUNT:
        raise ValueError(f"a machine has at most {MAX_COUNT} cores")
    return machine


class WorkerFacts(Message):
    """
    Report of a worker about itself, sent when it connects and every few seconds from then on.

    All numbers have bounds: whatever a worker reports, it can be stored beside the facts of other workers, and read.
    """

    name: WorkerName
    """Unique in the cluster."""
    process: Words
    """Tells one start of the worker from the next (`owners.this_process`)."""
    version: Words
    """Pigpen's."""
    machine: Annotated[MachineClass, AfterValidator(_with_possible_cores)]
    memory: Count
    """Bytes that the machine has."""
    engine: Words
    """The version of its Docker engine; empty: none answers."""
    runtimes: Annotated[tuple[Words, ...], Field(max_length=20)]
    """The OCI runtimes of that engine."""
    slots: Annotated[PositiveInt, Field(le=MAX_COUNT)]
    """Tasks that it takes at once."""
    leaving: bool = False
    """It is ending: it finishes what it plays, and takes nothing more."""
    images: Count = 0
    """Images and folders of bots that it keeps."""
    image_bytes: Count = 0
    certificate_ends: UnixTime | None = None
    """Time at which its certificate expires; None: it does not know."""
    clock: UnixTime
    """Its time, which only shows how far its clock is off."""


class WorkerReport(Message):
    """Report of a scheduler to the coordinator about a worker."""

    event: Literal["joined", "alive", "left"]
    worker: Words
    """Names this connection of the worker; the next connection has another name."""
    facts: WorkerFacts | None = None
    """None: it has left."""
    reason: Words = ""
    """Reason that it has left, in a sentence."""


class WorkerState(enum.StrEnum):
    """State of a worker in the cluster."""

    CALIBRATING = "calibrating"
    """It plays a match whose record is known, before it plays any that counts."""
    ACTIVE = "active"
    FAILING = "failing"
    """Its platform fails; it is asked now and then whether it can play again."""
    DRAINING = "draining"
    """It finishes what it plays, and gets no more."""
    DRAINED = "drained"
    TURNED_AWAY = "turned away"
    """It cannot work here, such as one of another version."""
    GONE = "gone"
    """It is not connected."""


class WantedState(enum.StrEnum):
    """State of a worker that the organiser, or three lies, have asked for."""

    ACTIVE = "active"
    DRAINED = "drained"


class WorkerSeen(Value):
    """One worker, as its coordinator writes it down every few seconds."""

    facts: WorkerFacts
    """Its last report."""
    coordinator: str
    """Coordinator whose tasks it takes (`owners.this_process`)."""
    address: str
    state: WorkerState
    reason: str = ""
    """Reason for that state, in a sentence; empty: nothing is wrong."""
    busy: int = 0
    tasks: int = 0
    voids: int = 0
    lies: int = 0
    speed: float | None = None
    last_match: int | None = None
    clock_skew: float = 0.0
    """Seconds by which its clock is ahead of the coordinator's."""
    joined: float
    seen: float
    """Unix time, by the coordinator's clock, as all others here."""


class WorkerOrder(Value):
    """An order that a worker is to play, or not, with its reason."""

    wanted: WantedState
    reason: str
    """In a sentence; empty: none was given."""


class WorkerRow(Value):
    """One worker, as the organiser sees it."""

    name: str
    state: WorkerState
    """`gone` also if its coordinator has not written of it for a while."""
    reason: str
    """Reason for that state, in a sentence; empty: nothing is wrong."""
    wanted: WantedState
    """The state that is asked for, such as `drained`; `state` is the one reached so far."""
    coordinator: str
    """The machine and process whose tasks it takes."""
    address: str
    version: str
    machine: MachineClass
    memory: int
    """Bytes."""
    engine: str
    runtimes: tuple[str, ...]
    slots: int
    busy: int
    """Tasks that it has now."""
    tasks: int
    """Outcomes that it has brought and that counted."""
    voids: int
    """Attempts that failed there, by no bot's fault."""
    lies: int
    """Answers that cannot be true: a record that does not hold, another match's, garbage."""
    speed: float | None
    """Decisions of the calibration match in a second, by the CPU time of its bots; None: not measured yet."""
    last_match: int | None
    images: int
    image_bytes: int
    clock_skew: float
    """Seconds by which its clock is ahead of the coordinator's, as far as the way there lets it be known."""
    certificate_ends: Time | None
    """Time at which its certificate expires; None: not reported."""
    joined: Time
    seen: Time
    """Time of its last message."""


class CoordinatorRow(Value):
    """A coordinator of the ladder, with workers on other machines or without."""

    process: str
    """As `owners.this_process` names it."""
    silent_seconds: float
    """Since its last heartbeat, which it writes every 20 seconds."""


class CertificateRow(Value):
    """A certificate of the cluster."""

    name: str
    """Of the worker; or ``scheduler``."""
    file: str
    """It holds the key, too."""
    expires: Time


class ClusterFigures(Value):
    """All workers in a few numbers, and, for organisers, each of them."""

    states: dict[str, int]
    """Workers by state."""
    busy: int | None
    """This, `tasks` and `voids` are None while the viewer may not know of all matches."""
    slots: int
    """Of those that are connected."""
    tasks: int | None
    voids: int | None
    lies: int
    workers: tuple[WorkerRow, ...]
    reasons: dict[str, int]
    """Number of matches that are not done, by the reason of their last failure, its variable parts left out."""
    now: Time
