"""
Runs `pigpen` as if this were not Linux: `python tests/without_linux.py macos|nowhere|windows WORD... [, WORD...]`.

Commands that a comma stands between run one after the other, in this process; a form feed is printed after each.

On ``macos`` the names are missing that macOS does not have. ``nowhere`` has no module either that is not on every
platform; they are hidden from our code only, since the standard library of this machine needs them itself. On
``windows`` the names of other modules are missing as well that Windows does not have: signals, sockets, `os.fork`.
"""

from __future__ import annotations

import builtins
import os
import select
import signal
import socket
import sys
import time
from functools import partial
from typing import Any

HIDDEN = {"fcntl", "grp", "pwd", "resource", "termios", "tty"}
"""Modules that are not on every platform."""
LINUX_ONLY = {
    os: ("sched_", "pidfd_", "memfd_", "eventfd", "epoll", "splice", "setns", "unshare", "posix_fadvise", "O_TMPFILE",
         "O_PATH", "getrandom", "copy_file_range", "getxattr", "setxattr", "getresuid", "accept4", "pipe2"),
    select: ("epoll",),
    signal: ("SIGRT", "SIGSTKFLT", "SIGPWR", "SIGPOLL", "pidfd_", "sigtimedwait", "sigwaitinfo"),
    socket: ("SO_PEERCRED", "SO_PASSCRED", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "AF_NETLINK", "MSG_CMSG_CLOEXEC"),
    time: ("CLOCK_BOOTTIME", "CLOCK_TAI"),
}  # fmt: skip
"""Beginnings of names that only Linux has."""
NOT_ON_WINDOWS = {
    os: ("fork", "geteuid", "getuid", "getegid", "getgid", "getgroups", "setsid", "setuid", "setgid", "killpg",
         "getpgid", "chown", "fchown", "lchown", "mkfifo", "sysconf", "statvfs", "fstatvfs", "pread", "pwrite",
         "fchdir", "fchmod", "wait3", "wait4", "waitid", "WNOHANG", "WIFEXITED", "WIFSIGNALED", "getloadavg",
         "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "O_NONBLOCK", "ST_NOEXEC", "openpty", "posix_spawn", "nice",
         "getpriority", "setpriority", "register_at_fork", "chroot", "ttyname", "tcgetpgrp"),
    signal: ("SIGKILL", "SIGHUP", "SIGQUIT", "SIGSTOP", "SIGTSTP", "SIGCONT", "SIGUSR", "SIGCHLD", "SIGPIPE", "SIGALRM",
             "SIGWINCH", "SIGTTIN", "SIGTTOU", "pthread_", "setitimer", "alarm", "sigpending", "sigwait"),
    socket: ("AF_UNIX", "SOCK_SEQPACKET", "CMSG_", "sendmsg", "recvmsg"),
}  # fmt: skip
"""Beginnings of names that Windows does not have."""
OURS = {"pigpen", "pigpen_arena", "referee", "ladder", "sample_bots"}
_import = builtins.__import__


def hide(system: str) -> None:
    """Take it all away, before anything of ours is imported."""
    for module, beginnings in LINUX_ONLY.items():
        for name in [name for name in dir(module) if name.startswith(beginnings)]:
            delattr(module, name)
    _settle()
    sys.platform = "darwin"
    if system == "windows":
        socket.socketpair = partial(socket.socketpair, socket.AF_UNIX)  # Windows has one of another family
        for module, beginnings in NOT_ON_WINDOWS.items():
            for name in [name for name in dir(module) if name.startswith(beginnings)]:
                delattr(module, name)
    if system != "macos":
        setattr(builtins, "__import__", _without_hidden)  # noqa: B010


def _settle() -> None:
    """Let the standard library find out what platform it runs on, as long as that is true."""
    import asyncio  # noqa: F401
    import concurrent.futures.process  # noqa: F401
    import multiprocessing.connection  # noqa: F401
    import pathlib  # noqa: F401
    import shutil  # noqa: F401
    import subprocess  # noqa: F401
    import sysconfig
    import tempfile  # noqa: F401
    import urllib.request  # noqa: F401
    from importlib import import_module
    from importlib.util import find_spec

    if find_spec("psutil"):  # its files for another system are not here
        import_module("psutil")
    sysconfig.get_config_vars()


def _without_hidden(name: str, namespace: Any = None, *rest: Any, **named: Any) -> Any:
    if name in HIDDEN and (namespace or {}).get("__name__", "").partition(".")[0] in OURS:
        raise ModuleNotFoundError(f"{namespace['__name__']} wants {name}, which is hidden", name=name)
    return _import(name, namespace, *rest, **named)


if __name__ == "__main__":
    hide(sys.argv.pop(1))
    from ladder.cli.entry import main

    program, *words = sys.argv
    while words:
        end = words.index(",") if "," in words else len(words)
        sys.argv = [program, *words[:end]]
        words = words[end + 1 :]
        try:
            main()
        except SystemExit:
            if not words:
                raise
        print(end="\f")
