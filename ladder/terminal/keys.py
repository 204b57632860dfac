"""
The keys of a terminal, one by one, as they are pressed.

The terminal hands over each key at once and shows none. Signals are looked at only while a key is waited for, and
Ctrl-Z arrives as a key, so that the screen can be put back in order first.
"""

from __future__ import annotations

import os
import re
import select
import signal
import termios
import tty
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ladder.terminal.interrupts import stopped

if TYPE_CHECKING:
    from collections.abc import Iterator

ESCAPE, SUSPEND, END_OF_INPUT = "escape", "suspend", "end of input"
_NAMES = {
    "A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end",
    "1~": "home", "4~": "end", "5~": "page up", "6~": "page down", "7~": "home", "8~": "end",
}  # fmt: skip
"""The ends of the sequences that a terminal sends for keys that are no characters; `xterm` and `vt` ways."""
_KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|\x1b(?![\[O])|[^\x1b]", flags=re.DOTALL)
_MORE_SECONDS = 0.05
"""A lone Esc and the beginning of a sequence look alike; the rest of a sequence comes within this time."""


@contextmanager
def keyboard(descriptor: int) -> Iterator[Keyboard]:
    """Open the keyboard of a terminal, and leave the terminal as it was, whatever happens."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    handlers = {number: signal.signal(number, _ignore) for number in _SIGNALS}
    try:
        with key_by_key(descriptor):
            yield Keyboard(descriptor, reading)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        os.close(reading)
        os.close(writing)


@contextmanager
def key_by_key(descriptor: int) -> Iterator[None]:
    """Let a terminal hand over each key at once, Ctrl-Z too, and leave it as it was."""
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        now = termios.tcgetattr(descriptor)
        now[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(descriptor, termios.TCSANOW, now)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


_SIGNALS = (signal.SIGWINCH, signal.SIGTSTP, signal.SIGINT, signal.SIGTERM)


def _ignore(number: int, frame: object) -> None:
    """Do nothing: the number goes into the pipe, and is looked at when nothing is half done."""


class Keyboard:
    """Waits for keys; `keyboard` makes one."""

    def __init__(self, descriptor: int, signals: int) -> None:
        self._descriptor = descriptor
        self._signals = signals

    def wait(self) -> list[str]:
        """
        Wait for keys, and name them; there are none when the size of the terminal may have changed.

        Raises:
            Stopped: After Ctrl-C or SIGTERM.
        """
        ready, _, _ = select.select([self._descriptor, self._signals], [], [])
        for number in os.read(self._signals, 1024) if self._signals in ready else b"":
            if number in (signal.SIGINT, signal.SIGTERM):
                raise stopped(number)
            if number == signal.SIGTSTP:
                return [SUSPEND]
        return read_keys(self._descriptor) if self._descriptor in ready else []


def read_keys(descriptor: int) -> list[str]:
    """Read the keys that have been pressed, at least one, and name them."""
    data = os.read(descriptor, 1024)
    if not data:
        return [END_OF_INPUT]
    while _is_open(data) and select.select([descriptor], [], [], _MORE_SECONDS)[0]:
        more = os.read(descriptor, 1024)
        data += more
        if not more:
            break
    return names(data.decode(errors="replace"))


def names(text: str) -> list[str]:
    """Name the keys that a terminal sends as *text*: a character by itself, others by a word, unknown ones by none."""
    return [_name(each) for each in _KEY.findall(text)]


def _name(sequence: str) -> str:
    if sequence == "\x1b":
        return ESCAPE
    if sequence == "\x1a":
        return SUSPEND
    return _NAMES.get(sequence[2:], "") if sequence.startswith("\x1b") else sequence


def _is_open(data: bytes) -> bool:
    """Tell whether the last key may not be complete."""
    return re.search(rb"\x1b(?:\[[0-9;]*|O)?\Z", data) is not None
