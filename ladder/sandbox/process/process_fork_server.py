"""
Forks bots as plain processes: `python -P -m ladder.sandbox.process.process_fork_server SOCKET`, with that socket.

It has imported what every bot imports, and nothing of a bot: to fork that takes a fraction of the time of a new start.
The process that started it sends one message for each bot: JSON, with the pipe for the bot's output beside it. It
answers each one with ``{"pid": ...}`` or ``{"error": ...}``, in their order. Whenever a bot has ended, it sends
``{"ended": PID, "status": ...}`` with the bot's wait status. It ends when the socket is closed, and its bots with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys

from ladder.sandbox.fork_server import import_what_bots_import, run_as_program

MESSAGE_BYTES = 1024 * 1024
"""More than the kernel takes in one message."""
PR_SET_PDEATHSIG = 1


def serve(control: socket.socket) -> None:
    """Fork a bot for each message until the other end is closed."""
    woken, wake = socket.socketpair()
    for end in (woken, wake):
        end.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        with contextlib.suppress(BlockingIOError):
            woken.recv(4096)
        if control in ready:
            message, descriptors, _, _ = socket.recv_fds(control, MESSAGE_BYTES, 1)
            if not message:
                return
            _answer(control, _fork(message, descriptors[0]))
            os.close(descriptors[0])
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                _answer(control, {"ended": ended[0], "status": ended[1]})


def _answer(control: socket.socket, answer: dict[str, int | str]) -> None:
    control.sendall(json.dumps(answer).encode())


def _fork(message: bytes, output: int) -> dict[str, int | str]:
    server = os.getpid()
    begun, begins = os.pipe()
    try:
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                os.write(begins, b".")
                _become_bot(server, output, **json.loads(message))
            except OSError as error:
                print(f"python: {error}", file=sys.stderr)  # its folder is gone, for example
            finally:
                os._exit(1)
        os.close(begins)
        begins = -1
        os.read(begun, 1)  # from here on a signal for its group reaches it
    except OSError as error:
        return {"error": str(error)}
    finally:
        os.close(begun)
        if begins >= 0:
            os.close(begins)
    return {"pid": pid}


def _become_bot(
    server: int, output: int, folder: str, file: str, environment: dict[str, str], limits: dict[str, int] | None
) -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != server:  # it ended before the request
        return
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if limits:
        _limit(**limits)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    run_as_program([file], [])


def _limit(memory_bytes: int, niceness: int) -> None:
    """See `ladder.sandbox.process.forked.ProcessLimits`."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(niceness)
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("500")  # for want of memory the kernel ends a bot before the server


def main() -> None:
    """Serve."""
    with socket.socket(fileno=int(sys.argv[1])) as control:
        import_what_bots_import()
        for name in [name for name in sys.modules if name.partition(".")[0] == "ladder"]:
            del sys.modules[name]  # a bot may have a module of that name
        with contextlib.suppress(ConnectionError):
            serve(control)


if __name__ == "__main__":
    main()
