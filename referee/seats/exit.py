"""The end of a bot's program, for machines and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exit:
    """The end of a program."""

    code: int
    """The exit code; 128 + the signal's number when killed."""
    oom: bool = False
    """The kernel killed it, or a child of it, for memory."""

    def __str__(self) -> str:
        """Give it as a sentence about the bot."""
        if self.oom:
            return "it ran out of memory"
        hint = "; did it call pigpen.run?" if self.code == 0 else ""
        return f"its program ended with exit code {self.code}{hint}"
