"""The end of a deal, explained card by card, and the end of the match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ladder.people.commands.table_words import part_text, place_text, prompt
from ladder.people.seat.points_explained import points_explained
from ladder.terminal.card_text import points
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.people.commands.screen_state import ScreenState
    from pigpen.values.notices import DealResult
    from pigpen.values.view import Seen

GO_ON = "Enter: go on   t: score sheet   q: leave"
INDENT = 4


def deal_end(state: ScreenState, result: DealResult, width: int, height: int) -> list[Text]:
    """Draw how a deal ended: everybody's points, and what they are made of."""
    assert state.seen is not None
    lines = [Text(f" The end of deal {result.deal + 1} ", style="reverse"), Text()]
    lines += _explained(state.seen, result, width - 1)
    if len(lines) + 2 + len(state.sheet.rows) + 3 <= height:
        lines += [Text(), *state.sheet.lines(width - 1, height - len(lines) - 3)]
    return [*lines[: height - 2], Text(), Text(prompt(state) if state.page else GO_ON, style="bold")]


def match_end(state: ScreenState, width: int, height: int) -> list[Text]:
    """Draw how the match ended."""
    assert state.end is not None
    names = state.seen.names if state.seen else ()
    lines = [Text(f" {place_text(state.end.place, names, has_tables=state.has_tables)} ", style="reverse"), Text()]
    lines += [*state.sheet.lines(width - 1, height - 5)]
    return [*lines, Text(), Text("Any key ends.", style="bold")][:height]


def _explained(seen: Seen, result: DealResult, width: int) -> Iterator[Text]:
    view = seen.view
    parts = points_explained(view, result.scores)
    for place in range(view.rules.players):
        seat = (view.seat + place) % view.rules.players
        name = f"{seat} {sanitize(seen.names[seat])}{', you' if seat == view.seat else ''}"
        score = f"{points(result.scores[seat]):>7}   total {points(result.totals[seat])}"
        yield Text.assemble((f"{name:<30.30}", "bold"), score)
        texts = [text for part in parts[seat] if (text := part_text(view.rules, part))] or ["nothing that counts"]
        yield from _wrapped(texts, width)


def _wrapped(texts: list[str], width: int) -> Iterator[Text]:
    line = ""
    for text in texts:
        longer = f"{line}, {text}" if line else text
        if len(longer) > width - INDENT:
            yield Text(f"{'':{INDENT}}{line},")
            longer = text
        line = longer
    yield Text(f"{'':{INDENT}}{line}")
