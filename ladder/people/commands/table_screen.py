"""
The table of a person as a screen full of text: the others around the trick, the own hand at the bottom.

It is drawn with the fields that `pigpen replay` has, too, from the state that a browser would be sent. `deal_end` and
`match_end` draw the end of a deal, explained card by card, and the end of the match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from ladder.people.commands.screen_state import Page, faces_text, in_order, sheet_lines
from ladder.people.seat.points_explained import Reason
from ladder.terminal import card_text as words
from ladder.terminal.card_text import scored
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
from pigpen.rules import Face, MoonChoice, Suit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.people.commands.screen_state import CardChoice, ScreenState
    from ladder.values.person_state import PersonOver, PersonPoints, PersonResult, PersonState
    from pigpen.rules import Card
    from referee.replay.table_view import TableDeal, TableMoment, TableSeat

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
    now = state.state
    if state.page is Page.LEAVING:
        return "Leave the match? y: leave it; any other key: stay."
    if now is not None and not state.tracker.is_connected:
        return "The connection is lost; trying again …"
    if now is None or now.deal is None or now.moment is None:
        return "The cards are being dealt …"
    if now.away:
        return "You are away, and the default policy plays for you.  b: I'm back"
    if state.choice is not None:
        return _question(state.choice, now.deal, now.moment)
    turn = next((seat for seat, viewed in enumerate(now.moment.seats) if viewed.asked), now.deal.seat)
    if turn is None or turn == now.deal.seat:
        return "…"
    return f"{words.who(now.deal, turn)} is to decide …"


def _question(choice: CardChoice, deal: TableDeal, now: TableMoment) -> str:
    question = choice.question
    if question.kind == "pass":
        if len(choice.cards) == question.count:
            return f"Enter passes {words.cards(choice.cards)}. Space takes a card back."
        receiver = words.who(deal, question.pass_to or 0)
        return f"Choose {counted(question.count, 'card')} for {receiver}: Enter or Space on each."
    if question.kind == "expose":
        return "Expose? Space: choose a card; Enter: expose what is chosen; n: expose none."
    if question.kind == "moon":
        return "You have shot the moon. ←→ and Enter choose what it is worth."
    return "You lead." if now.complete or not now.cards else "Your turn."


def moon_options(deal: TableDeal) -> dict[MoonChoice, str]:
    """Describe the two ways to count a shot moon."""
    return {
        MoonChoice.SUBTRACT: f"{scored(deal.moon_instead or 0, deal)} for you",
        MoonChoice.ADD: f"{scored(deal.moon_others, deal)} for everybody else",
    }


def part_text(part: PersonPoints, deal: TableDeal) -> str:
    """Put a part of a seat's points into words; an empty text where it is worth no word."""
    score = scored(part.points, deal)
    name = words.spelled(part.card) if part.card else ""
    times = f" (×{part.factor})" if part.factor != 1 else ""
    texts = {
        Reason.CARD: f"{name} {score}{times}" if part.points else "",
        Reason.ALONE: f"{name} alone {score}{times}" if part.points else "",
        Reason.DOUBLER: f"{name} ×{part.factor}: {score}",
        Reason.MOON_CARDS: f"all cards of the moon {score}",
        Reason.MOON_PIG: f"{name} with the moon {score}",
        Reason.MOON_INSTEAD: f"for the moon {score}",
        Reason.MOON_OTHERS: f"another's moon {score}{times}",
        Reason.PARTNER: f"partner {score}",
    }
    return texts[Reason(part.reason)]


def place_text(place: int, players: int, *, has_tables: bool) -> str:
    """Say how the match, or one of its tables, ended for the person."""
    ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")
    return f"The {'table' if has_tables else 'match'} is over: you are {ordinal} of {players}."


GO_ON = "Enter: go on   t: score sheet   q: leave"
INDENT = 4


def deal_end(state: ScreenState, now: PersonState, result: PersonResult, width: int, height: int) -> list[Text]:
    """Draw how a deal ended: everybody's points, and what they are made of."""
    assert now.deal is not None
    lines = [Text(f" The end of deal {result.deal + 1} ", style="reverse"), Text()]
    lines += _explained(now.deal, result, width - 1)
    if len(lines) + 2 + len(now.sheet) + 3 <= height:
        lines += [Text(), *sheet_lines(now.deal, now.sheet, width - 1, height - len(lines) - 3)]
    return [*lines[: height - 2], Text(), Text(prompt(state) if state.page else GO_ON, style="bold")]


def match_end(state: ScreenState, now: PersonState, over: PersonOver, width: int, height: int) -> list[Text]:
    """Draw how the match ended."""
    title = place_text(over.place, len(now.deal.bots if now.deal else ()), has_tables=state.has_tables)
    sheet = sheet_lines(now.deal, now.sheet, width - 1, height - 5) if now.deal else ()
    lines = [Text(f" {title} ", style="reverse"), Text(), *sheet]
    return [*lines, Text(), Text("Any key ends.", style="bold")][:height]


def _explained(deal: TableDeal, result: PersonResult, width: int) -> Iterator[Text]:
    for place in range(deal.players):
        seat = ((deal.seat or 0) + place) % deal.players
        name = f"{words.who(deal, seat)}{', you' if seat == deal.seat else ''}"
        score = f"{scored(result.scores[seat], deal):>7}   total {scored(result.totals[seat], deal)}"
        yield Text.assemble((f"{name:<30.30}", "bold"), score)
        texts = [text for part in result.parts[seat] if (text := part_text(part, deal))] or ["nothing that counts"]
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
    now = state.state
    if state.page is Page.HELP:
        return [Text(line) for line in HELP.splitlines()][:height]
    if now is None or now.deal is None or now.moment is None:
        return [Text("The bots take their seats …"), Text(prompt(state))]
    if state.page is Page.SHEET:
        lines = sheet_lines(now.deal, now.sheet, width - 1, height - 2)
        return [Text("Score sheet", style="reverse"), Text(), *lines][:height]
    is_open = state.page in (None, Page.LEAVING)
    if state.is_over and now.over is not None and is_open:
        return match_end(state, now, now.over, width, height)
    if state.result is not None and is_open:
        return deal_end(state, now, state.result, width, height)
    if width < WIDTH or height < HEIGHT:
        return [*_small(state, now.deal, now.moment, width, height)][:height]
    return _Table(state, now, now.deal, now.moment, min(width // 3, WIDEST_FIELD)).lines(width, height)


def _small(state: ScreenState, deal: TableDeal, now: TableMoment, width: int, height: int) -> Iterator[Text]:
    """Draw what is needed to continue in a terminal that is too small for the table."""
    yield Text(f"This needs {WIDTH} columns and {HEIGHT} lines; the terminal has {width} and {height}.")
    yield from (Text.assemble(f"{play.seat}: ", *coloured([play.card])) for play in now.plays)
    yield from _own(state.choice, deal, now, width)
    yield from (Text(state.key_text or state.fault_text, style="bold red"), Text(prompt(state), style="bold"))


@dataclass(frozen=True)
class _Table:
    """One drawing of the table, in fields of the same width."""

    state: ScreenState
    shown: PersonState
    deal: TableDeal
    now: TableMoment
    field: int

    def lines(self, width: int, height: int) -> list[Text]:
        """Draw it."""
        fields = self._fields()
        space = [Text()] * min(2, (height - HEIGHT) // 3)
        lines = [self._title(3 * self.field), Text()]
        for row in range(2):
            lines += [joined(parts, self.field) for parts in zip(*fields[3 * row : 3 * row + 3], strict=True)] + space
        lines += [*self._bottom(fields), *space]
        lines += [*self._lines_below(3 * self.field), Text(KEYS, style="dim")]
        indent = " " * ((width - 3 * self.field) // 2)
        return [Text.assemble(indent, line) for line in lines]

    def _title(self, width: int) -> Text:
        deal, left = self.deal, self.state.seconds_left
        passing = f", {counted(deal.pass_count, 'card')} passed {_direction(deal)}" if deal.pass_offset else ""
        text = Text(f" {sanitize(deal.title.split(',')[0])}   deal {deal.number + 1}{passing} ", style="reverse")
        is_urgent = self.shown.away or (left or HURRIED) < HURRIED
        clock = "away" if self.shown.away else "" if left is None else f"{left:.0f} s"
        text.truncate(width - 8, overflow="ellipsis", pad=True)
        return text.append(f"{clock:>7} ", style="bold red" if is_urgent else "bold")

    def _fields(self) -> list[list[Text]]:
        """Make the fields of the upper two rows, each as many lines; those of the bottom row that others sit in."""
        fields = [[Text()] for _ in range(9)]
        seats = self._places()
        notes = next((place for place in (TOP_LEFT, TOP) if place not in seats), None)
        if notes is not None:
            fields[notes] = [*notes_field(self.deal, self.now)]
        for place, seat in seats.items():
            if place != OWN:
                fields[place] = [*seat_field(self.deal, self.now, seat, self.field)]
        if RIGHT not in seats:
            fields[RIGHT] = [*scores_field(self.deal, self.now, self.field)]
        fields[CENTRE] = [*self._middle()]
        return [(lines + [Text()] * FIELD_LINES)[:FIELD_LINES] for lines in fields]

    def _places(self) -> dict[int, int]:
        """Give by field the seat that is drawn there."""
        return {place_of(self.deal, seat, self.deal.seat or 0): seat for seat in range(self.deal.players)}

    def _middle(self) -> Iterator[Text]:
        """Yield the middle of the table: the trick, or what is being chosen."""
        choice, last, south = self.state.choice, self.shown.last_trick, self.deal.seat or 0
        if self.state.page is Page.LAST_TRICK and last:
            trick = {"trick": last.number, "leader": last.leader, "cards": last.cards, "winning": last.winner}
            then = self.now.model_copy(update=trick | {"complete": True, "scores": None})
            yield from centre_field(self.deal, then, self.field, south)
        elif choice is not None and choice.question.kind != "play":
            yield from _choosing(choice, self.deal, self.field)
        else:
            yield from centre_field(self.deal, self.now, self.field, south)

    def _bottom(self, fields: list[list[Text]]) -> list[Text]:
        """Make the bottom row: the own hand, as wide as the room beside it allows."""
        width, wide = self.field, LEFT not in self._places()
        own = [*_own(self.state.choice, self.deal, self.now, 2 * width if wide else width)]
        own = (own + [Text()] * FIELD_LINES)[:FIELD_LINES]
        if wide:
            return [
                Text.assemble(joined([hand], 2 * width), joined([beside], width))
                for hand, beside in zip(own, fields[RIGHT], strict=True)
            ]
        return [joined(parts, width) for parts in zip(fields[LEFT], own, fields[RIGHT], strict=True)]

    def _lines_below(self, width: int) -> Iterator[Text]:
        """Yield three lines: what has just happened; what is wanted; what is wrong."""
        state = self.state
        wrong = state.key_text or state.fault_text
        for text, style in ((self._news(), ""), (prompt(state), "bold"), (wrong, "bold red")):
            line = Text(text, style=style)
            line.truncate(width, overflow="ellipsis")
            yield line

    def _news(self) -> str:
        before = self.state.before
        is_same = before is not None and before.deal is not None and before.deal.number == self.deal.number
        then = before.moment if before is not None and is_same else None
        text, own = words.happened(self.deal, self.now, then), self.deal.seat or 0
        if not self.now.trick:
            received = self.now.seats[own].received
            return text + (f" You were passed {words.cards(reversed(received))}." if received else "")
        if then is None:
            return ""
        last = self.now.plays[-1]
        forced = last.seat == own and not self.now.steps[0].by and then.seats[own].legal == (last.card,)
        return text + " You had no other card to play." * forced


def _direction(deal: TableDeal) -> str:
    """Say where the passed cards go."""
    return {1: "left", deal.players - 1: "right"}.get(deal.pass_offset, "across")


def _choosing(choice: CardChoice, deal: TableDeal, width: int) -> Iterator[Text]:
    question = choice.question
    if question.kind == "pass":
        yield middle(f"pass {counted(question.count, 'card')} {_direction(deal)}", width)
        slots = [f"[{words.card(card)}]" for card in choice.cards]
        yield Text()
        yield middle(" ".join(slots + ["[  ]"] * (question.count - len(slots))), width)
    elif question.kind == "expose":
        yield middle("expose", width)
        for line in faces_text(deal, question.legal, choice.faces):
            yield Text(f"    {line}")
    else:
        yield middle("the moon is worth", width)
        yield Text()
        for option, text in moon_options(deal).items():
            chosen = option is choice.moon
            yield middle(Text(f"{'›' if chosen else ' '} {text}", style="bold reverse" if chosen else ""), width)


def _own(choice: CardChoice | None, deal: TableDeal, now: TableMoment, width: int) -> Iterator[Text]:
    """Yield the own seat: its name and points, the hand suit by suit, the cards it took."""
    seat = deal.seat or 0
    viewed = now.seats[seat]
    name = f"{'▶' if choice else ' '} {words.who(deal, seat)}, you"
    title, score = Text(name, style="bold reverse" if choice else "bold"), scored(viewed.points, deal)
    title.truncate(width - len(score) - 3, overflow="ellipsis")
    yield Text.assemble(title, " ", score)
    fresh = viewed.received if len(viewed.hand) == deal.hand_size else ()
    order = in_order(viewed.hand)
    for suit in reversed(Suit):
        line = Text(f"  {words.SIGNS[suit]}", style=SUIT_STYLES[suit])
        for card in (each for each in order if each.suit is suit):
            line.append_text(_card(choice, viewed, card, is_fresh=card in fresh))
        yield line
    if viewed.taken:
        yield Text.assemble("  ", *(part for suit in reversed(Suit) for part in taken_of(suit, viewed.taken)))


def _card(choice: CardChoice | None, viewed: TableSeat, card: Card, *, is_fresh: bool) -> Text:
    """Write a card in the own hand, with a sign before it."""
    kind = choice.question.kind if choice else None
    shown = viewed.exposed.get(card) or (choice.faces.get(card) if choice else None)
    frame = "{}" if shown is None else "[{}]" if shown is Face.UP else "({})"
    on_it = choice is not None and kind != "moon" and card == choice.cursor
    chosen = choice is not None and (card in choice.cards or card in choice.faces)
    style = "underline " * is_fresh + "bold " * chosen
    if choice is not None and kind != "moon" and card not in choice.question.legal:
        style += "dim "
    elif kind == "play":
        style += "bold "
    sign = "›" if on_it else "+" if chosen else " "
    return Text.assemble(sign, (frame.format(words.rank(card)), style + "reverse" * on_it))
