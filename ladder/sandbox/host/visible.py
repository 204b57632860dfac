"""
Files that a container must reach on this machine: their modes are set explicitly, whatever the umask of this process.

The users of containers are not ours, and none of them, the engine's root in a container neither, may pass over modes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.sandbox.host.scratch import disk_errors

if TYPE_CHECKING:
    import socket
    from pathlib import Path


def make_visible_folder(folder: Path) -> None:
    """
    Make a folder that every user may look into and only this one may write to.

    Raises:
        SandboxError: If it cannot be made.
    """
    with disk_errors(folder):
        folder.mkdir(mode=0o700)
        make_visible(folder)


def make_visible(folder: Path) -> None:
    """
    Let every user look into a folder of ours, and this one alone write to it.

    Raises:
        OSError: If it is gone, or not ours.
    """
    folder.chmod(0o755)


def bind_visible(listener: socket.socket, path: Path) -> None:
    """
    Make the socket *path*, to which every user may connect who comes to its folder.

    Raises:
        SandboxError: If it cannot be made.
    """
    with disk_errors(path):
        listener.bind(str(path))
        path.chmod(0o666)
