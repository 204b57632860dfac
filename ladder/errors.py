"""
Errors of the ladder's part of the house; the whole tree stands in `pigpen.rules.errors`.

Each branch knows the exit code of a command that ends with it.
"""

from __future__ import annotations

import math

from pigpen.rules.errors import PigpenError


class Worded(Exception):
    """Base of errors whose sentence is translated where a reader meets it; what stands in it is put in afterwards."""

    def __init__(self, sentence: str, **values: object) -> None:
        """
        Say it.

        Args:
            sentence: In English; with values, each ``{name}`` in it stands for one of them.
            values: None: the sentence may hold braces, and is taken as it is.
        """
        self.sentence, self.values = sentence, values
        super().__init__(sentence.format(**values) if values else sentence)


class UserError(PigpenError, Worded):
    """Something that was asked for makes no sense; the message names it and the way out."""

    exit_code = 2


class BotRejected(PigpenError):
    """The bot cannot be loaded (no Dockerfile, a build that fails, …). The message is for its author."""

    exit_code = 2


class LadderError(PigpenError, Worded):
    """Something that was asked of the ladder cannot be done; the message names it and the way out."""

    exit_code = 2


class NoLadder(LadderError):
    """There is no ladder on this machine; the message ends with the command that begins one."""

    def __init__(self, where: str) -> None:
        """Say where there is none."""
        super().__init__(f"{where}; begin one with: pigpen submit FOLDER")


class Unstorable(LadderError):
    """A text or a number that no database can hold; it is no failure of the database, and to try again is no help."""


class Forbidden(LadderError):
    """The caller may not do that; the message says what is missing."""


class Conflict(LadderError):
    """Something that was asked for does not fit the present state; the message names that state."""


class TooOften(LadderError):
    """It was asked for too often, or too much is asked for just now; the message says when to try again."""

    def __init__(self, sentence: str, seconds: float = 60.0, **values: object) -> None:
        """
        Say it.

        Args:
            sentence: ``{minutes}`` in it stands for the time to wait.
            seconds: Seconds after which another attempt may succeed.
            values: Of other names in the sentence.
        """
        self.seconds, self.minutes = seconds, str(max(1, math.ceil(seconds / 60)))
        super().__init__(sentence, minutes=self.minutes, **values)


class Busy(TooOften):
    """Too many requests at the moment, of all callers together."""


class SandboxError(PigpenError):
    """The sandbox itself failed. Never the bot's fault: the match is void and scheduled again."""

    exit_code = 3


class EngineApart(SandboxError):
    """Containers of the engine do not reach files and sockets of this machine: it is in a virtual machine or remote."""


class UnfitFolder(SandboxError):
    """A folder that is needed for temporary or kept files cannot be used; the message names it and the way out."""

    exit_code = 2


class NoControlGroup(SandboxError):
    """The control group of a container cannot be read, so its instances cannot be told apart: none is forked."""


class ContainerLost(SandboxError):
    """One bot's container was killed, and not through its engine, which still runs: the match is void, too."""

    def __init__(self, message: str, bot: int | None = None) -> None:
        """
        Say it.

        Args:
            message: In a sentence.
            bot: The bot's number in the match; None: not known, or the containers of others were lost as well.
        """
        super().__init__(message)
        self.bot = bot


class StoreError(PigpenError):
    """The ladder's database does not answer, is full, or is held by another program; nothing was written."""

    exit_code = 3


class RemoteError(PigpenError):
    """A remote ladder does not answer, fails, or does not answer as Pigpen does; the message names it."""

    exit_code = 3
