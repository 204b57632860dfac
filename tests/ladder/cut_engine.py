"""A proxy in front of the engine's socket that can be cut, closed, or made to hang."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

from tests.relay import Relay

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")


class CutEngine(Relay):
    """A wire to the engine: `hold` makes it take every call and answer none; `cut` is as if it was killed."""

    def __init__(self, path: Path) -> None:
        self.address = f"unix://{path}"
        """For DOCKER_HOST."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(64)
        super().__init__(listener, _engine)


def _engine() -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(ENGINE)
    return connection
