"""
Interface of every sandbox. Nothing here knows Docker, and nothing in a sandbox knows cards.

A `Sandbox` loads a `BotSource` once into a `Program`; a program starts any number of independent
instances, each given the `SeatMount` of the one seat it may talk to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from referee.seats.verdict import Exit as Exit  # how an instance ended

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.sandbox_kind import SandboxKind
    from referee.records.lines import ImageFiles, Instances
    from referee.seats.process_controller import ProcessController

SOCKET_NAME = "seat.sock"
"""File name of the seat's Unix socket inside its folder."""

SAME_HASHES = {"PYTHONHASHSEED": "0"}
"""For every bot, however its instances start: a bot that goes through a set plays the same in every run."""

STDERR_TAIL = 16 * 1024
"""At most this many bytes, the last ones, are kept of what an instance wrote to stdout and stderr."""

STDERR_HEAD = 2 * 1024
"""Kept as well: the first bytes of all that it wrote, and the first ones since it was asked for the last time."""


WITNESS = ("-P", "-c", "import pigpen; pigpen.run(pigpen.Bot(), 'witness')")
"""Arguments of Python for a program that only takes its seat (`Program.witness`)."""


@dataclass(frozen=True)
class SeatMount:
    """The mount of one instance: the folder of its seat. The socket there may be removed and made again."""

    folder: Path
    """Host folder holding the socket file `SOCKET_NAME`; the instance sees this folder and nothing else of the host."""
    token: str = field(repr=False)
    """Seat token, handed over as the environment variable PIGPEN_TOKEN; never logged."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of the container, to find it again: for example match, seat, bot."""
    core: int | None = None
    """The core that the instance is limited to once it has taken its seat; None: any."""
    deals: str | None = None
    """
    Names the deals that the instance will see: two instances of one value never share a container, one after the other
    either. None: they are not known, and the instance is not forked.
    """


class Instance(Protocol):
    """One running copy of a bot."""

    async def wait(self) -> Exit:
        """Wait until the program has ended by itself or was stopped; may be called many times."""

    async def stop(self) -> None:
        """Kill it and remove everything that belongs to it; may be called again."""

    @property
    def controller(self) -> ProcessController:
        """The controller that freezes it and reads its CPU time."""

    async def log_tail(self) -> str:
        """
        Give the first and last bytes of its output (`STDERR_HEAD`, `STDERR_TAIL`); works after `stop` too.

        Each line begins with the decision at which it was written (`ProcessController.mark`): ``[12] Traceback …``.
        """

    async def peak_memory(self) -> int | None:
        """Give the most bytes of memory it has used so far; None where that cannot be read, or no longer."""


class Program(Protocol):
    """A bot that is ready to start."""

    @property
    def identity(self) -> str:
        """Identity of exactly that which would run: an image digest, or a content hash."""

    @property
    def image_files(self) -> ImageFiles | None:
        """Measure by which its instances find the files of its image alike; None where there is no image."""

    @property
    def instance_kind(self) -> Instances | None:
        """Kind of start of its instances; None where there are no containers."""

    @property
    def runtime(self) -> str | None:
        """The OCI runtime of its containers; None where there are none."""

    @property
    def witness(self) -> Program | None:
        """
        A program of ours that takes its seat and does nothing else, the same one for all programs of a sandbox.

        It starts as this program does when it is not forked. None: there is none, and all wall time of a start counts.
        """

    def never_fork(self, end: Exit) -> None:
        """Fork no further instance: one that was forked has come to this *end* before it could play."""

    async def start(self, mount: SeatMount) -> Instance:
        """
        Start one fresh instance; returns as soon as the program has been started.

        Raises:
            SandboxError: If the sandbox failed.
        """


class Loaded(Program, Protocol):
    """A program as a sandbox loads it: its packages are known."""

    @property
    def lock(self) -> str | None:
        """The packages that its requirements.txt has resolved to (`ladder.sandbox.wheels.requirements`); None: none."""

    @property
    def can_fork(self) -> bool:
        """True if its instances can be forked in warm containers, if the sandbox has any."""


class Sandbox(Protocol):
    """Runs programs of bots."""

    name: SandboxKind
    isolates: bool
    """True if a hostile bot is kept from the rest of the machine."""

    async def load(self, bot: BotSource) -> Loaded:
        """
        Make *bot* ready to start (build or find its image, find its main file).

        Raises:
            BotRejected: If the bot is at fault.
            SandboxError: If the sandbox is.
        """

    async def close(self) -> None:
        """Stop whatever is still running and release the sandbox."""
