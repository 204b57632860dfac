"""
The viewer of `pigpen replay`: a recorded match as text on a terminal.

`ReplayViewer` draws the moment at the cursor, and moves the cursor as keys are pressed. `screen` is one moment of a
deal as a screen full of text, with the seats around the trick; `help_screen` explains the keys. `match_text` is plain
text, for pipes and for reading at leisure.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from rich.console import Group
from rich.control import Control
from rich.text import Text

from ladder.cli.replay.replay_text import heading, places_text
from ladder.terminal import card_text as words
from ladder.terminal.keys import END_OF_INPUT, ESCAPE, SUSPEND, keyboard
from ladder.terminal.sanitize import folded
from ladder.terminal.table_fields import (
    CENTRE,
    FIELD_LINES,
    HEIGHT,
    NOTES,
    SCORES,
    WIDEST_FIELD,
    WIDTH,
    centre_field,
    joined,
    notes_field,
    place_of,
    scores_field,
    seat_field,
)
from referee.records.recorded import seats_of
from referee.replay.table_view import replayed_deal, view_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from referee.records.recorded import Recorded
    from referee.replay.deal_replay import Cursor
    from referee.replay.table_view import TableDeal, TableMoment

KEYS = "←→ card   ↑↓ trick   [ ] deal   Home End   f fault   v view   ? help   q quit"
HELP = """\
→  l  space        next card               ←  h      previous card
↓  j  PgDn         to the end of a trick   ↑  k  PgUp  previous trick
]  n               the next deal           [  p      the deal before
Home  g            the cards as dealt      End  G    the result
f                  the next fault of a bot
v                  look from the next seat, or from all
q  Esc             quit

▶ must decide now      › led the trick      * wins it
[Q] exposed face up, (Q) face down, as long as it is in the hand
underlined: just passed to this seat; dim: may not be played now
Below a hand: the cards taken that count; beside the name: what they are
worth so far.

Any key goes back to the table."""


def help_screen(height: int) -> list[Text]:
    """Say what the keys do, and what the signs mean."""
    return [Text(line) for line in HELP.splitlines()][:height]


def screen(cursor: Cursor, seat: int | None, width: int, height: int) -> list[Text]:
    """
    Draw where *cursor* is.

    Args:
        cursor: The place in the match.
        seat: The seat from which to look, at the bottom of the table; None: all hands are open.
        width: Columns of the terminal.
        height: Lines of the terminal; no more are drawn.
    """
    replay, seats = cursor.replay, None if seat is None else (seat,)
    deal = replayed_deal(replay, seat)
    now = view_table(replay, cursor.moment, seats)
    before = view_table(replay, cursor.moment - 1, seats) if cursor.moment else None
    if width < WIDTH or height < HEIGHT:
        small = Text(f"This needs {WIDTH} columns and {HEIGHT} lines; the terminal has {width} and {height}.")
        return [small, *_news(cursor, deal, now, before, width)][:height]
    field = min(width // 3, WIDEST_FIELD)
    fields = _fields(deal, now, field)
    space = [Text()] * min(2, (height - HEIGHT) // 3)
    lines = [_title(cursor, deal, 3 * field), Text()]
    for row in range(3):
        lines += [joined(parts, field) for parts in zip(*fields[3 * row : 3 * row + 3], strict=True)] + space
    lines += [*_news(cursor, deal, now, before, 3 * field), _bar(cursor, 3 * field), Text(KEYS, style="dim")]
    indent = " " * ((width - 3 * field) // 2)
    return [Text.assemble(indent, line) for line in lines]


def _title(cursor: Cursor, deal: TableDeal, width: int) -> Text:
    replay, deals = cursor.replay, len(cursor.recorded.deals)
    left = f" {replay.rules.title.split(',')[0]}   {heading(replay)}   ({cursor.deal + 1} of {deals}) "
    right = "all hands open " if deal.seat is None else f"as {words.who(deal, deal.seat)} "
    text = Text(left, style="reverse")
    text.truncate(width - len(right), overflow="ellipsis", pad=True)
    return text.append(right)


def _fields(deal: TableDeal, now: TableMoment, width: int) -> list[list[Text]]:
    """Make the nine fields, each of them as many lines."""
    fields, south = [[Text()] for _ in range(9)], deal.seat or 0
    fields[CENTRE] = [*centre_field(deal, now, width, south)]
    fields[NOTES] = [*notes_field(deal, now)]
    fields[SCORES] = [*scores_field(deal, now, width)]
    for seat in range(deal.players):
        fields[place_of(deal, seat, south)] = [*seat_field(deal, now, seat, width)]
    return [(lines + [Text()] * FIELD_LINES)[:FIELD_LINES] for lines in fields]


def _news(cursor: Cursor, deal: TableDeal, now: TableMoment, before: TableMoment | None, width: int) -> Iterator[Text]:
    """Yield two lines: what has just happened; what was wrong with it, or in the end who won."""
    faults = " ".join(words.fault_texts(deal, now))
    if now.scores is not None and cursor.deal == len(cursor.recorded.deals) - 1:
        faults = places_text(cursor.recorded)
    for text, style in ((words.happened(deal, now, before), ""), (faults, "bold red" * ("✗" in faults))):
        line = Text(text, style=style)
        line.truncate(width, overflow="ellipsis")
        yield line


def _bar(cursor: Cursor, width: int) -> Text:
    """Draw the progress of the deal."""
    done = (width - 1) * cursor.moment // (len(cursor.replay.moments) - 1)
    return Text.assemble("━" * done, "●", ("─" * (width - 1 - done), "dim"))


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
