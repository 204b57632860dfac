"""
The table of a person as a screen full of text: the others around the trick, the own hand at the bottom.

It is drawn with the fields that `pigpen replay` has, too, from a `TableView` of what the seat sees. `deal_end` and
`match_end` draw the end of a deal, explained card by card, and the end of the match.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from ladder.people.commands.screen_state import Page, faces_text, in_order
from ladder.people.seat.points_explained import Reason, points_explained
from ladder.terminal import card_text as words
from ladder.terminal.card_text import points
from ladder.terminal.sanitize import sanitize
from ladder.terminal.table_fields import (
    CENTRE,
    FIELD_LINES,
    HEIGHT,
    SUIT_STYLES,
    WIDEST_FIELD,
    WIDTH,
    centre_field,
    coloured,
    joined,
    middle,
    notes_field,
    place_of,
    scores_field,
    seat_field,
    taken_of,
)
from ladder.values.text import counted
from pigpen.rules import Face, MoonChoice, Phase, Suit
from referee.replay.table_view import seat_table, turn_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.people.commands.screen_state import CardChoice, ScreenState
    from ladder.people.seat.points_explained import PointsPart
    from pigpen.rules import Card, Play, Rules
    from pigpen.values.notices import DealResult
    from pigpen.values.view import Seen, View
    from referee.replay.table_view import TableView, ViewedSeat

KEYS = "←→↑↓ card   Enter play   l last trick   t scores   a away   ? help   q leave"
HELP = """\
←  →  ↑  ↓         go through your hand; c d h s jump to a suit
Enter              play the card, or answer; Space and Enter also skip a pause
Space              choose a card to pass or to expose, or take it back
n                  expose none
l                  the last trick
t                  the score sheet
a                  away: the default policy plays for you until b (back)
q  Esc             leave the match; you are asked once

▶ must decide now      › led the trick      * wins it
› before a card of yours: the keys are on it    + it is chosen
[Q] exposed face up, (Q) face down; underlined: just passed to you
dim: may not be played now; go there, and you are told why
Below a hand: the cards taken that count; beside the name: what they are
worth so far.

The only card that you may play is played for you. When your time is up, the
default is played, and you are told; after three times in a row you are away.

Any key goes back to the table."""


def prompt(state: ScreenState) -> str:
    """Say what is wanted now."""
    if state.page is Page.LEAVING:
        return "Leave the match? y: leave it; any other key: stay."
    if not state.is_connected:
        return "The connection is lost; trying again …"
    if state.seen is None:
        return "The cards are being dealt …"
    if state.seen.away:
        return "You are away, and the default policy plays for you.  b: I'm back"
    if state.choice is not None:
        return _question(state.choice, state.seen)
    turn = turn_of(state.seen.view)
    if turn is None or turn == state.seen.view.seat:
        return "…"
    return f"{turn} {state.seen.names[turn]} is to decide …"


def _question(choice: CardChoice, seen: Seen) -> str:
    view = choice.view
    if view.phase is Phase.PASS:
        if len(choice.cards) == view.pass_count:
            return f"Enter passes {words.cards(choice.cards)}. Space takes a card back."
        receiver = f"{view.pass_to} {seen.names[view.pass_to]}"
        return f"Choose {counted(view.pass_count, 'card')} for {receiver}: Enter or Space on each."
    if view.phase is Phase.EXPOSE:
        return "Expose? Space: choose a card; Enter: expose what is chosen; n: expose none."
    if view.phase is Phase.MOON:
        return "You have shot the moon. ←→ and Enter choose what it is worth."
    return "You lead." if not view.trick else "Your turn."


def moon_options(rules: Rules) -> dict[MoonChoice, str]:
    """Describe the two ways to count a shot moon."""
    assert rules.moon is not None
    return {
        MoonChoice.SUBTRACT: f"{words.points(rules.moon.instead or 0)} for you",
        MoonChoice.ADD: f"{words.points(rules.moon.others)} for everybody else",
    }


def part_text(rules: Rules, part: PointsPart) -> str:
    """Put a part of a seat's points into words; an empty text where it is worth no word."""
    score = words.points(part.points)
    name = words.card(part.card) if part.card is not None else ""
    times = f" (×{part.factor})" if part.factor != 1 else ""
    moon = " and ".join(words.spelled(each) for each in rules.moon.cards) if rules.moon else ""
    texts = {
        Reason.CARD: f"{name} {score}{times}" if part.points else "",
        Reason.ALONE: f"{name} alone {score}{times}" if part.points else "",
        Reason.DOUBLER: f"{name} ×{part.factor}: {score}",
        Reason.MOON_CARDS: f"moon: all {moon}, {score}",
        Reason.MOON_PIG: f"{name} with the moon {score}",
        Reason.MOON_INSTEAD: f"for the moon {score}",
        Reason.MOON_OTHERS: f"another's moon {score}{times}",
        Reason.PARTNER: f"partner {score}",
    }
    return texts[part.reason]


def place_text(place: int, names: Sequence[str], *, has_tables: bool) -> str:
    """Say how the match, or one of its tables, ended for the person."""
    ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")
    return f"The {'table' if has_tables else 'match'} is over: you are {ordinal} of {len(names)}."


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


OWN, LEFT, RIGHT, TOP_LEFT, TOP = 7, 6, 8, 0, 1
"""Numbers of fields: the own hand and those beside it; `TOP_LEFT` takes notes if no seat is there."""
HURRIED = 10.0
"""Seconds; when fewer are left, the clock is red."""


def table_screen(state: ScreenState, width: int, height: int) -> list[Text]:
    """Draw what *state* shows, in *width* columns and at most *height* lines."""
    if state.page is Page.HELP:
        return [Text(line) for line in HELP.splitlines()][:height]
    if state.page is Page.SHEET:
        return [Text("Score sheet", style="reverse"), Text(), *state.sheet.lines(width - 1, height - 2)][:height]
    is_open = state.page in (None, Page.LEAVING)
    if state.end is not None and is_open:
        return match_end(state, width, height)
    if state.result is not None and is_open:
        return deal_end(state, state.result, width, height)
    if state.seen is None:
        return [Text("The bots take their seats …"), Text(prompt(state))]
    if width < WIDTH or height < HEIGHT:
        return [*_small(state, state.seen, width, height)][:height]
    return _table(state, state.seen, width, height)


def _small(state: ScreenState, seen: Seen, width: int, height: int) -> Iterator[Text]:
    """Draw what is needed to continue in a terminal that is too small for the table."""
    yield Text(f"This needs {WIDTH} columns and {HEIGHT} lines; the terminal has {width} and {height}.")
    now = seat_table(seen.view, [sanitize(name) for name in seen.names])
    view = state.choice.view if state.choice is not None else seen.view
    yield from (Text.assemble(f"{play.seat}: ", *coloured([play.card])) for play in now.trick)
    yield from _own(state.choice, view, now.seats[view.seat], width)
    yield from (Text(state.key_text or state.fault_text, style="bold red"), Text(prompt(state), style="bold"))


def _table(state: ScreenState, seen: Seen, width: int, height: int) -> list[Text]:
    field = min(width // 3, WIDEST_FIELD)
    now = seat_table(seen.view, [sanitize(name) for name in seen.names])
    fields = _fields(state, seen, now, field)
    space = [Text()] * min(2, (height - HEIGHT) // 3)
    lines = [_title(state, seen, 3 * field), Text()]
    for row in range(2):
        lines += [joined(parts, field) for parts in zip(*fields[3 * row : 3 * row + 3], strict=True)] + space
    lines += [*_bottom(state, seen, now, fields, field), *space]
    lines += [*_lines_below(state, now, 3 * field), Text(KEYS, style="dim")]
    indent = " " * ((width - 3 * field) // 2)
    return [Text.assemble(indent, line) for line in lines]


def _title(state: ScreenState, seen: Seen, width: int) -> Text:
    view, rules = seen.view, seen.view.rules
    passing = (
        f", {counted(view.pass_count, 'card')} passed {rules.direction(view.deal)}"
        if rules.pass_offset(view.deal)
        else ""
    )
    text = Text(f" {sanitize(rules.title.split(',')[0])}   deal {view.deal + 1}{passing} ", style="reverse")
    left = state.seconds_left
    clock = "away" if seen.away else "" if left is None else f"{left:.0f} s"
    text.truncate(width - 8, overflow="ellipsis", pad=True)
    return text.append(f"{clock:>7} ", style="bold red" if seen.away or (left or HURRIED) < HURRIED else "bold")


def _fields(state: ScreenState, seen: Seen, now: TableView, width: int) -> list[list[Text]]:
    """Make the fields of the upper two rows, each as many lines; those of the bottom row that others sit in."""
    rules, south = seen.view.rules, seen.view.seat
    fields = [[Text()] for _ in range(9)]
    seats = {place_of(rules, viewed.seat, south): viewed for viewed in now.seats}
    notes = next((place for place in (TOP_LEFT, TOP) if place not in seats), None)
    if notes is not None:
        fields[notes] = [*notes_field(rules, now)]
    for place, viewed in seats.items():
        if place != OWN:
            fields[place] = [*seat_field(viewed, now, width)]
    if RIGHT not in seats:
        fields[RIGHT] = [*scores_field(now, width)]
    fields[CENTRE] = [*_middle(state, seen, now, width)]
    return [(lines + [Text()] * FIELD_LINES)[:FIELD_LINES] for lines in fields]


def _middle(state: ScreenState, seen: Seen, now: TableView, width: int) -> Iterator[Text]:
    """Yield the middle of the table: the trick, or what is being chosen."""
    rules, south = seen.view.rules, seen.view.seat
    if state.page is Page.LAST_TRICK and seen.view.tricks:
        yield from centre_field(rules, _last_trick(seen.view, now), width, south)
    elif state.choice is not None and state.choice.view.phase is not Phase.PLAY:
        yield from _choosing(state.choice, width)
    else:
        yield from centre_field(rules, now, width, south)


def _last_trick(view: View, now: TableView) -> TableView:
    number = len(view.tricks)
    trick, winner = view.tricks[-1], view.winner(number - 1)
    winning = next(play for play in trick if play.seat == winner)
    return replace(now, trick=trick, number=number, winner=winner, winning=winning, scores=None)


def _choosing(choice: CardChoice, width: int) -> Iterator[Text]:
    view = choice.view
    if view.phase is Phase.PASS:
        yield middle(f"pass {counted(view.pass_count, 'card')} {view.rules.direction(view.deal)}", width)
        slots = [f"[{words.card(card)}]" for card in choice.cards]
        yield Text()
        yield middle(" ".join(slots + ["[  ]"] * (view.pass_count - len(slots))), width)
    elif view.phase is Phase.EXPOSE:
        yield middle("expose", width)
        for line in faces_text(view, choice.faces):
            yield Text(f"    {line}")
    else:
        yield middle("the moon is worth", width)
        yield Text()
        for option, text in moon_options(view.rules).items():
            chosen = option is choice.moon
            yield middle(Text(f"{'›' if chosen else ' '} {text}", style="bold reverse" if chosen else ""), width)


def _bottom(state: ScreenState, seen: Seen, now: TableView, fields: list[list[Text]], width: int) -> list[Text]:
    """Make the bottom row: the own hand, as wide as the room beside it allows."""
    seats = {place_of(seen.view.rules, viewed.seat, seen.view.seat) for viewed in now.seats}
    view = state.choice.view if state.choice is not None else seen.view
    wide = LEFT not in seats
    own = [*_own(state.choice, view, now.seats[view.seat], 2 * width if wide else width)]
    own = (own + [Text()] * FIELD_LINES)[:FIELD_LINES]
    if wide:
        return [
            Text.assemble(joined([hand], 2 * width), joined([beside], width))
            for hand, beside in zip(own, fields[RIGHT], strict=True)
        ]
    return [joined(parts, width) for parts in zip(fields[LEFT], own, fields[RIGHT], strict=True)]


def _own(choice: CardChoice | None, view: View, viewed: ViewedSeat, width: int) -> Iterator[Text]:
    """Yield the own seat: its name and points, the hand suit by suit, the cards it took."""
    name = Text(f"{'▶' if choice else ' '} {words.who(viewed)}, you", style="bold reverse" if choice else "bold")
    score = words.points(viewed.points)
    name.truncate(width - len(score) - 3, overflow="ellipsis")
    yield Text.assemble(name, " ", score)
    fresh = view.received_mask if not view.plays or not any(play.seat == view.seat for play in _plays(view)) else 0
    order = in_order(view)
    for suit in reversed(Suit):
        line = Text(f"  {words.SIGNS[suit]}", style=SUIT_STYLES[suit])
        for card in (each for each in order if each.suit is suit):
            line.append_text(_card(choice, viewed, card, is_fresh=bool(fresh & card.mask)))
        yield line
    if viewed.taken:
        yield Text.assemble("  ", *(part for suit in reversed(Suit) for part in taken_of(suit, viewed.taken)))


def _plays(view: View) -> Iterator[Play]:
    for trick in (*view.tricks, view.trick):
        yield from trick


def _card(choice: CardChoice | None, viewed: ViewedSeat, card: Card, *, is_fresh: bool) -> Text:
    """Write a card in the own hand, with a sign before it."""
    shown = viewed.exposed.get(card) or (choice.faces.get(card) if choice else None)
    frame = "{}" if shown is None else "[{}]" if shown is Face.UP else "({})"
    on_it = choice is not None and choice.view.phase is not Phase.MOON and card == choice.cursor
    chosen = choice is not None and (card in choice.cards or card in choice.faces)
    style = "underline " * is_fresh + "bold " * chosen
    if choice is not None and choice.view.phase is not Phase.MOON and card not in choice.view.legal:
        style += "dim "
    elif choice is not None and choice.view.phase is Phase.PLAY:
        style += "bold "
    sign = "›" if on_it else "+" if chosen else " "
    return Text.assemble(sign, (frame.format(words.rank(card)), style + "reverse" * on_it))


def _lines_below(state: ScreenState, now: TableView, width: int) -> Iterator[Text]:
    """Yield three lines: what has just happened; what is wanted; what is wrong."""
    before = None
    if state.before is not None and state.seen is not None and state.before.view.deal == state.seen.view.deal:
        before = seat_table(state.before.view, [sanitize(name) for name in state.before.names])
    wrong = state.key_text or state.fault_text
    for text, style in ((_news(state, now, before), ""), (prompt(state), "bold"), (wrong, "bold red")):
        line = Text(text, style=style)
        line.truncate(width, overflow="ellipsis")
        yield line


def _news(state: ScreenState, now: TableView, before: TableView | None) -> str:
    assert state.seen is not None
    view = state.seen.view
    if not now.number:
        received = f" You were passed {words.cards(reversed(view.received))}." if view.received else ""
        return f"{words.happened(view.rules, now, before)}{received}"
    if before is None or state.before is None:
        return ""
    last = now.trick[-1] if now.trick else None
    forced = last is not None and last.seat == view.seat and state.before.view.legal == (last.card,)
    return words.happened(view.rules, now, before) + " You had no other card to play." * forced
