"""A moment of a recorded deal as a screen full of text: the seats around the trick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ladder.cli.replay.help import KEYS
from ladder.cli.replay.text import heading, places_text
from ladder.terminal import card_text as words
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
from referee.replay.table_view import view_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.replay.deal_replay import Cursor, DealReplay
    from referee.replay.table_view import TableView


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
    now = view_table(replay, cursor.moment, seats)
    before = view_table(replay, cursor.moment - 1, seats) if cursor.moment else None
    if width < WIDTH or height < HEIGHT:
        small = Text(f"This needs {WIDTH} columns and {HEIGHT} lines; the terminal has {width} and {height}.")
        return [small, *_news(cursor, now, before, width)][:height]
    field = min(width // 3, WIDEST_FIELD)
    fields = _fields(replay, now, field, seat or 0)
    space = [Text()] * min(2, (height - HEIGHT) // 3)
    lines = [_title(cursor, now, seat, 3 * field), Text()]
    for row in range(3):
        lines += [joined(parts, field) for parts in zip(*fields[3 * row : 3 * row + 3], strict=True)] + space
    lines += [*_news(cursor, now, before, 3 * field), _bar(cursor, 3 * field), Text(KEYS, style="dim")]
    indent = " " * ((width - 3 * field) // 2)
    return [Text.assemble(indent, line) for line in lines]


def _title(cursor: Cursor, now: TableView, seat: int | None, width: int) -> Text:
    replay, deals = cursor.replay, len(cursor.recorded.deals)
    left = f" {replay.rules.title.split(',')[0]}   {heading(replay)}   ({cursor.deal + 1} of {deals}) "
    right = "all hands open " if seat is None else f"as {words.who(now.seats[seat])} "
    text = Text(left, style="reverse")
    text.truncate(width - len(right), overflow="ellipsis", pad=True)
    return text.append(right)


def _fields(replay: DealReplay, now: TableView, width: int, south: int) -> list[list[Text]]:
    """Make the nine fields, each of them as many lines."""
    rules, fields = replay.rules, [[Text()] for _ in range(9)]
    fields[CENTRE] = [*centre_field(rules, now, width, south)]
    fields[NOTES] = [*notes_field(rules, now)]
    fields[SCORES] = [*scores_field(now, width)]
    for viewed in now.seats:
        fields[place_of(rules, viewed.seat, south)] = [*seat_field(viewed, now, width)]
    return [(lines + [Text()] * FIELD_LINES)[:FIELD_LINES] for lines in fields]


def _news(cursor: Cursor, now: TableView, before: TableView | None, width: int) -> Iterator[Text]:
    """Yield two lines: what has just happened; what was wrong with it, or in the end who won."""
    faults = " ".join(words.fault_texts(now))
    if now.scores is not None and cursor.deal == len(cursor.recorded.deals) - 1:
        faults = places_text(cursor.recorded)
    for text, style in ((words.happened(cursor.replay.rules, now, before), ""), (faults, "bold red" * ("✗" in faults))):
        line = Text(text, style=style)
        line.truncate(width, overflow="ellipsis")
        yield line


def _bar(cursor: Cursor, width: int) -> Text:
    """Draw the progress of the deal."""
    done = (width - 1) * cursor.moment // (len(cursor.replay.moments) - 1)
    return Text.assemble("━" * done, "●", ("─" * (width - 1 - done), "dim"))
