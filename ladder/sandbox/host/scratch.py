"""
Temporary files and folders on a machine that several users share, and the process that owns each.

Folders do not outlive their process for long: the next start removes those of a process that was killed. Process
identity is a name for this process that no later process can have, by which containers know their owner. In folders
that several users share, others may have put anything under the same name; files there are read accordingly.

The modes of files that a container must reach on this machine are set explicitly, whatever the umask of this process:
the users of containers are not ours, and none of them, the engine's root in a container neither, may pass over modes.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError, UnfitFolder

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator


class NotOurs(OSError):
    """Error of a file that was not made by this user, or is not what it should be."""


def read_own(path: Path, max_bytes: int) -> str:
    """
    Read a small file that this user wrote, and nothing else: no link, pipe, device, or file of another user.

    Args:
        path: The file; its folder must be ours (`is_own_folder`).
        max_bytes: A larger one is not read.

    Raises:
        FileNotFoundError: If there is none.
        NotOurs: If something else stands there.
        OSError: If it cannot be read.
        UnicodeDecodeError: If it is no text.
    """
    # Without O_NONBLOCK, opening a named pipe waits for a writer.
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_size > max_bytes:
            raise NotOurs(f"{path} is not one of Pigpen's own files")
        return os.read(file, max_bytes).decode()
    finally:
        os.close(file)


def is_own_folder(path: Path) -> bool:
    """Tell whether *path* is a folder of this user, and no link to one."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


PROC = Path("/proc")
_OWNER = re.compile(r"[!-~]{0,255} [!-~]{1,64} pid:\[[0-9]{1,20}\] [0-9]{1,7} [0-9]{1,20}")
"""Machine, boot, pid namespace, pid, start time."""
_COORDINATOR: list[str] = []
"""At most one."""


def this_process() -> str:
    """
    Name this process by machine, boot, pid namespace, pid, and start time, so that a reused pid gives another name.

    On systems without /proc a name has neither boot nor start time.
    """
    pid = os.getpid()
    return f"{_where(PROC)} {pid} {_started(pid, PROC)}"


def work_for(coordinator: str) -> None:
    """Remember who started this process to work for it, as `this_process` named that one."""
    _COORDINATOR[:] = [coordinator]


def coordinator() -> str | None:
    """Name the coordinator that this process works for; None: itself."""
    return next(iter(_COORDINATOR), None)


def is_owner(text: str) -> bool:
    """Tell whether *text* has exactly the form of what `this_process` gives: any user can write labels and files."""
    return _OWNER.fullmatch(text) is not None


def is_dead(owner: str, proc: Path = PROC) -> bool:
    """
    Tell whether the process that `this_process` named *owner* has surely ended.

    One on another machine or in another pid namespace cannot be seen from here, so it counts as living.

    Args:
        owner: The name.
        proc: Where the kernel shows its processes.

    Raises:
        ValueError: If *owner* is no such name (`is_owner`).
    """
    if not is_owner(owner):
        raise ValueError(f"{owner[:80]!r} names no process")
    machine, boot, namespace, pid, started = owner.split(" ")
    here_machine, here_boot, here_namespace = _where(proc).split(" ")
    if machine != here_machine:
        return False
    if boot != here_boot:
        return True
    if namespace != here_namespace:
        return False
    try:
        return _started(int(pid), proc) != started
    except OSError:
        return not _is_hidden(int(pid), proc)


def is_of_this_boot(owner: str) -> bool:
    """
    Tell whether the process that `this_process` named *owner* is, or was, one of this machine since its last start.

    A name of a machine is no proof of that: two machines may have the same.
    """
    return is_owner(owner) and owner.split(" ")[:2] == _where(PROC).split(" ")[:2]


def _where(proc: Path) -> str:
    if not proc.exists():
        return f"{platform.node()} - pid:[0]"
    boot = (proc / "sys/kernel/random/boot_id").read_text().strip()
    return f"{platform.node()} {boot} {os.readlink(proc / 'self/ns/pid')}"


def _started(pid: int, proc: Path) -> str:
    """Give the start time in clock ticks since boot; a zombie has ended, whatever the process table says."""
    if not proc.exists():
        if sys.platform != "win32":  # where this call would end the process
            os.kill(pid, 0)
        return "0"
    # The command's name stands in brackets and may hold any bytes, brackets and blanks included.
    fields = (proc / str(pid) / "stat").read_bytes().rpartition(b")")[2].decode("ascii").split()
    if fields[0] in "ZX":
        raise ProcessLookupError(pid)
    return fields[19]


def _is_hidden(pid: int, proc: Path) -> bool:
    """Tell whether there is such a process, of another user, and /proc does not show those (mount option hidepid)."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return not (proc / str(pid)).exists()
    except OSError:
        return False
    return False


PREFIX = "pigpen-match-"
MARK_SECONDS = 60.0
"""Seconds without a whole mark after which a folder counts as one that will get none."""
MARK_BYTES = 1024
"""Bytes at most of a mark of ours."""
MAX_FOLDER_BYTES = 107 - 45
"""Bytes in the path of the folder for temporary files: a Unix socket's has 107, and what follows has at most 45."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of the system that mean that there is no room."""
OWNER = "owner"
"""File in the folder that names the process whose folder it is."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """
    Make a folder that is removed afterwards, and remove what killed processes left.

    Raises:
        UnfitFolder: If it would be where no sockets can be.
        SandboxError: If there is no room for it.
    """
    with disk_errors("A temporary folder"):
        check_socket_paths(tempfile.gettempdir())
        _sweep()
        holder = tempfile.TemporaryDirectory(prefix=PREFIX)
    with holder as name:
        folder = Path(name)
        with disk_errors(folder / OWNER):
            (folder / OWNER).write_text(this_process())
        yield folder


def check_socket_paths(folder: str) -> None:
    """
    Make sure that bots can be reached by Unix sockets below *folder*, the one for temporary files.

    Raises:
        UnfitFolder: If its path is too long for that.
    """
    if len(os.fsencode(folder)) > MAX_FOLDER_BYTES:
        raise UnfitFolder(
            f"Bots are reached by Unix sockets in the folder for temporary files. Its path may have {MAX_FOLDER_BYTES} "
            f"bytes and has {len(os.fsencode(folder))}: {folder}. Set TMPDIR to a folder with a shorter path."
        )


@contextmanager
def disk_errors(what: Path | str) -> Iterator[None]:
    """
    Turn what a full disk or a missing folder raises into a `SandboxError` that says *what* cannot be made.

    A text names something in the temporary folder; TMPDIR moves that, and what is in a `scratch_folder`, and no more.
    """
    try:
        yield
    except OSError as error:
        way_out = "Make room, or set TMPDIR to a folder on another disk"
        if isinstance(what, Path) and not any(part.startswith(PREFIX) for part in what.parts):
            way_out = "Make room on that disk" if error.errno in NO_ROOM else "Let this user write there"
        raise SandboxError(f"{what} cannot be made: {error.strerror or error}. {way_out}.") from error


def _sweep() -> None:
    """Remove what killed processes of this user left: in a shared folder, any user can make one of that name."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if is_own_folder(folder):
            _sweep_one(folder)


def _sweep_one(folder: Path) -> None:
    try:
        owner = read_own(folder / OWNER, MARK_BYTES)
        is_left = is_dead(owner)
    except (FileNotFoundError, ValueError):  # its maker was killed before its mark was whole
        _remove_unmarked(folder)
    except OSError:
        return
    else:
        if is_left:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_unmarked(folder: Path) -> None:
    """Remove a folder whose maker was killed before its mark was written: there is nothing else in it."""
    with suppress(OSError):
        is_old = time.time() - folder.stat().st_mtime > MARK_SECONDS
        if is_old and {path.name for path in folder.iterdir()} <= {OWNER}:
            shutil.rmtree(folder)


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
