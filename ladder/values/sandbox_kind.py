"""The kinds of sandboxes; `ladder.matches.kinds` opens them."""

from __future__ import annotations

import enum
from typing import Literal


class SandboxKind(enum.StrEnum):
    """Where bots run."""

    DOCKER = "docker"
    """Containers: for strangers' bots."""
    PROCESS = "process"
    """Processes of this user, without isolation."""
    INLINE = "inline"
    """This very process (`ladder.sandbox.inline`): nothing starts, and no clock can stop a bot."""

    def __repr__(self) -> str:
        """Show it as users write it: pydantic's messages name by it what there is to choose from."""
        return repr(self.value)


LadderSandbox = Literal[SandboxKind.DOCKER, SandboxKind.PROCESS]
"""Where the bots of a ladder may run."""
