"""A command in a forked process: it is as if a program had been started, and shares our memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.app.supervisor import can_fork
from tests.processes import children, has_ended
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can fork safely")
ROOT = Path(__file__).parents[3]
FORKING = """
import os, signal, socket, sys
from ladder.app.supervisor import fork_command

def report():
    print("out")
    print("in", repr(sys.stdin.buffer.raw.read()), file=sys.stderr)
    print("words", sys.argv, file=sys.stderr)
    print("leads", os.getsid(0) == os.getpid(), file=sys.stderr)
    print("files", [number for number in range(3, 64) if is_open(number)] == [kept.fileno()], file=sys.stderr)
    print("term", signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, file=sys.stderr)
    print("int", signal.getsignal(signal.SIGINT) is signal.default_int_handler, file=sys.stderr)
    print("blocked", signal.pthread_sigmask(signal.SIG_BLOCK, []), file=sys.stderr)

def is_open(number):
    try:
        return bool(os.fstat(number))
    except OSError:
        return False

def quit(): sys.exit(7)
def fail(): raise ValueError("a mistake")
def wait(): signal.pause()

other, kept = socket.socket(), socket.socket()
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: None)
errors = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
process = fork_command(globals()[sys.argv[1]], ("pigpen", "a", "b"), errors, [kept.fileno()])
print("ours", flush=True)
if sys.argv[1] == "wait":
    input()
    process.send_signal(signal.SIGTERM)
while process.poll() is None:
    signal.sigtimedwait([signal.SIGCHLD], 0.05)
print(process.poll())
"""


@pytest.fixture
def errors(tmp_path: Path) -> Path:
    return tmp_path / "errors"


@pytest.fixture
def waiting(errors: Path) -> Iterator[subprocess.Popen[str]]:
    """A process with a forked one that waits."""
    with subprocess.Popen(
        [sys.executable, "-c", FORKING, "wait", errors],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        try:
            yield program
        finally:
            program.kill()


def output(name: str, errors: Path) -> list[str]:
    """Run the process that forks, and give its output."""
    command = [sys.executable, "-c", FORKING, name, str(errors)]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def test_it_has_words_a_session_and_files_of_its_own_and_no_signal_handler_of_ours(errors: Path) -> None:
    assert output("report", errors) == ["ours", "0"]
    assert errors.read_text().splitlines() == [
        "in b''", "words ['pigpen', 'a', 'b']", "leads True", "files True", "term True", "int True", "blocked set()",
    ]  # fmt: skip


def test_its_exit_code_is_that_of_the_command(errors: Path) -> None:
    assert output("quit", errors) == ["ours", "7"]
    assert errors.read_text() == ""


def test_a_mistake_is_a_traceback_in_its_file_and_exit_code_1(errors: Path) -> None:
    assert output("fail", errors) == ["ours", "1"]
    assert errors.read_text().endswith("ValueError: a mistake\n")


def test_it_shows_its_words_shares_our_memory_and_ends_by_a_signal(waiting: subprocess.Popen[str]) -> None:
    [child] = until(lambda: children(waiting.pid))
    until(lambda: Path(f"/proc/{child}/cmdline").read_bytes().rstrip(b"\0") == b"pigpen\0a\0b")
    ours, its = (Path(f"/proc/{pid}/auxv").read_bytes() for pid in (waiting.pid, child))
    assert ours == its, "a program that is started gets its own random addresses"
    assert waiting.communicate("\n")[0].split() == ["ours", str(-signal.SIGTERM)]


def test_the_kernel_ends_it_with_the_process_that_forked_it(waiting: subprocess.Popen[str]) -> None:
    [child] = until(lambda: children(waiting.pid))
    until(lambda: Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"pigpen"))
    os.kill(waiting.pid, signal.SIGKILL)
    until(lambda: has_ended(child))


def test_a_process_with_a_second_thread_is_not_forked() -> None:
    ending = threading.Event()
    thread = threading.Thread(target=ending.wait)
    thread.start()
    try:
        assert not can_fork()
    finally:
        ending.set()
        thread.join()
