"""The screen of `pigpen replay`: draws where the cursor is, and moves it as keys are pressed."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from rich.console import Group
from rich.control import Control

from ladder.cli.replay.help import help_screen
from ladder.cli.replay.screen import screen
from ladder.terminal.keys import END_OF_INPUT, ESCAPE, SUSPEND, keyboard
from ladder.terminal.sanitize import folded
from referee.records.recorded import seats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console
    from rich.text import Text

    from referee.records.recorded import Recorded
    from referee.replay.deal_replay import Cursor

QUIT = {"q", "Q", ESCAPE, END_OF_INPUT}
MOVES = {
    "forward": ("right", "l", " ", "\r", "\n"),
    "back": ("left", "h", "\x7f", "\b"),
    "next_trick": ("down", "page down", "j"),
    "previous_trick": ("up", "page up", "k"),
    "next_deal": ("]", "n"),
    "previous_deal": ("[", "p"),
    "first": ("home", "g"),
    "last": ("end", "G"),
}
"""The ways of a `Cursor` to move, and their keys."""
ONWARD = {"forward", "next_trick", "next_deal"}


class ReplayViewer:
    """Looks at a recorded match on a terminal."""

    def __init__(self, cursor: Cursor, console: Console, bot: int | None, read: Callable[[], Recorded]) -> None:
        """
        Prepare to look.

        Args:
            cursor: Where to begin.
            console: The terminal.
            bot: The number of the bot from whose seat to look; None: all hands are open.
            read: Reads the record again: while the match is played it grows.
        """
        self._cursor = cursor
        self._console = console
        self._bot = bot
        self._read = read
        self._helps = False
        self._ways = {key: way for way, keys in MOVES.items() for key in keys}

    def run(self, descriptor: int) -> None:
        """
        Look until a key ends it; the terminal is then as it was before.

        Args:
            descriptor: Where the terminal's keys are read.

        Raises:
            BadRecord: If a deal breaks the rules.
            Stopped: After Ctrl-C or SIGTERM.
        """
        while self._look(descriptor):
            os.kill(os.getpid(), signal.SIGTSTP)

    def _look(self, descriptor: int) -> bool:
        """Look until a key ends it; say whether to stop the program, and to look again when it is resumed."""
        with keyboard(descriptor) as keys, self._console.screen() as display:
            while True:
                with self._console:  # in one go
                    self._console.control(Control.home())
                    display.update(Group(*self._lines()))
                for key in keys.wait():
                    if key in QUIT and not self._helps:
                        return False
                    if key == SUSPEND:
                        return True
                    self._press(key)

    def _lines(self) -> Iterator[Text]:
        width, height = self._console.size
        seat = None if self._bot is None else seats_of(self._cursor.replay.line).index(self._bot)
        for line in help_screen(height) if self._helps else screen(self._cursor, seat, width, height):
            line.plain = folded(line.plain, self._console.encoding)
            line.no_wrap, line.overflow = True, "crop"
            yield line

    def _press(self, key: str) -> None:
        """Do what *key* means; nothing if it means nothing."""
        if self._helps or key == "?":
            self._helps = not self._helps
        elif key == "v":
            after = 0 if self._bot is None else self._bot + 1
            self._bot = after if after < len(self._cursor.recorded.first.bots) else None
        elif key == "f":
            self._cursor.next_fault(self._bot)
        elif key in self._ways:
            self._move(self._ways[key])

    def _move(self, way: str) -> None:
        """Move the cursor; at the end of what is there of a match that is still played, look whether there is more."""
        moved = getattr(self._cursor, way)()
        if not moved and way in ONWARD and self._cursor.recorded.result is None:
            self._cursor.renew(self._read())
            getattr(self._cursor, way)()
