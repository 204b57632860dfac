"""
The fields of a table on the screen: seats, the trick, notes, scores.

The table is a grid of three by three fields, six lines high; it fits 80×24 and grows with the terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import set_cell_size
from rich.text import Text

from ladder.terminal import card_text as words
from ladder.values.text import counted
from pigpen.rules import Face, Suit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pigpen.rules import Card, Play
    from referee.replay.table_view import TableDeal, TableMoment, TableSeat

WIDTH, HEIGHT = 80, 24
"""The smallest terminal that shows everything."""
FIELD_LINES = 6
WIDEST_FIELD = 38
CENTRE, NOTES, SCORES = 4, 6, 8
"""Fields by number: the trick; what was passed or exposed, and the scores, unless a seat needs the field."""
FIELDS = {
    2: (7, 1),
    3: (7, 3, 5),
    4: (7, 3, 1, 5),
    5: (7, 3, 0, 2, 5),
    6: (7, 3, 0, 1, 2, 5),
    7: (7, 6, 3, 0, 2, 5, 8),
    8: (7, 6, 3, 0, 1, 2, 5, 8),
}
"""For each number of players where they sit, clockwise, from the bottom."""
SUIT_STYLES = ("green", "bright_cyan", "bright_red", "default")


def place_of(deal: TableDeal, seat: int, south: int) -> int:
    """Give the number of the field where a seat is drawn if *south* sits at the bottom."""
    return FIELDS[deal.players][(seat - south) % deal.players]


def joined(parts: Iterable[Text], width: int) -> Text:
    """Put parts side by side, each of the same width."""
    line = Text()
    for part in parts:
        cell = part.copy()
        cell.truncate(width, pad=True)
        line.append_text(cell)
    return line


def seat_field(deal: TableDeal, now: TableMoment, seat: int, width: int) -> Iterator[Text]:
    """Yield a seat: its name and points, its cards suit by suit, the cards it took."""
    viewed = now.seats[seat]
    name = Text(
        f"{'▶' if viewed.asked else ' '} {words.who(deal, seat)}", style="bold reverse" if viewed.asked else "bold"
    )
    score = words.scored(viewed.points, deal)
    name.truncate(width - len(score) - 3, overflow="ellipsis")
    yield Text.assemble(name, " ", score)
    yield from (Text("  ").append_text(line) for line in (_hand(viewed, now) if deal.is_open(seat) else _guess(viewed)))
    if viewed.taken:
        yield Text.assemble("  ", *(part for suit in reversed(Suit) for part in taken_of(suit, viewed.taken)))


def _hand(viewed: TableSeat, now: TableMoment) -> Iterator[Text]:
    """Yield the cards, a line for each suit."""
    fresh = viewed.received if now.steps and now.steps[0].kind == "pass" else ()
    plays = viewed.asked and now.phase == "play"
    for suit in reversed(Suit):
        line = Text(words.SIGNS[suit], style=SUIT_STYLES[suit])
        for card in sorted(viewed.hand, reverse=True):
            if card.suit is suit:
                style = "underline " * (card in fresh) + "dim" * (plays and card not in viewed.legal)
                line.append(" ").append(_in_hand(card, viewed), style=style)
        yield line


def _in_hand(card: Card, viewed: TableSeat) -> str:
    shown = viewed.exposed.get(card)
    frame = "{}" if shown is None else "[{}]" if shown is Face.UP else "({})"
    return frame.format(words.rank(card))


def _guess(viewed: TableSeat) -> Iterator[Text]:
    """Draw what is known of unseen cards."""
    yield Text(counted(viewed.unknown, "unknown card") if viewed.unknown else "", style="dim")
    yield Text.assemble(*(["holds "] if viewed.hand else []), *coloured(viewed.hand))
    voids = [Text(words.SIGNS[suit], style=SUIT_STYLES[suit]) for suit in sorted(viewed.voids)]
    yield Text.assemble(*(["out of "] if voids else []), *voids)
    yield Text(f"{viewed.hidden} face down" if viewed.hidden else "")


def taken_of(suit: Suit, taken: Collection[Card]) -> Iterator[Text]:
    """Yield the cards of a suit among those that a seat took."""
    if ranks := words.ranks_of(suit, taken):
        yield Text(f"{words.SIGNS[suit]}{ranks} ", style=SUIT_STYLES[suit])


def coloured(cards: Iterable[Card]) -> Iterator[Text]:
    """Yield each card in the colour of its suit."""
    for card in cards:
        yield Text(f"{words.card(card)} ", style=SUIT_STYLES[card.suit])


def centre_field(deal: TableDeal, now: TableMoment, width: int, south: int) -> Iterator[Text]:
    """Yield the trick on the table, each card on its player's side; in the end the result."""
    if now.scores is not None:
        yield middle("result", width)
        for seat, score in enumerate(now.scores):
            yield middle(f"{set_cell_size(words.who(deal, seat), 15)} {words.scored(score, deal):>6}", width)
        return
    yield middle(f"trick {now.trick} of {deal.hand_size}" if now.trick else _WAITING[now.phase], width)
    cell = (width - 4) // 3
    cells = [Text(" " * cell)] * 9
    for play in now.plays:
        cells[place_of(deal, play.seat, south)] = _on_table(play, now, cell)
    edge = "─" * (3 * cell)
    yield middle(f"╭{edge}╮", width)
    for row in range(3):
        yield middle(Text.assemble("│", *cells[3 * row : 3 * row + 3], "│"), width)
    yield middle(f"╰{edge}╯", width)


_WAITING = {"pass": "before the pass", "expose": "before exposing", "play": "before the first lead"}


def _on_table(play: Play, now: TableMoment, width: int) -> Text:
    led, wins = play.seat == now.leader, play.seat == now.winning
    style = SUIT_STYLES[play.card.suit] + " bold" * wins + " reverse" * (wins and now.winner is not None)
    text = Text.assemble("›" if led else " ", (words.card(play.card), style), "*" if wins else " ")
    text.align("center", width)
    return text


def middle(what: str | Text, width: int) -> Text:
    """Put a line into the middle."""
    text = Text(what) if isinstance(what, str) else what
    text.align("center", width)
    return text


def notes_field(deal: TableDeal, now: TableMoment) -> Iterator[Text]:
    """Draw the exposed cards, or else the passed ones."""
    shown = [(seat, text) for seat, viewed in enumerate(now.seats) for text in words.exposures(deal, viewed)]
    if shown:
        yield Text("  exposed", style="dim")
        yield from (Text(f"  {seat}: {text}") for seat, text in shown)
    elif any(viewed.passed for viewed in now.seats):
        yield Text("  passed", style="dim")
        for seat, viewed in enumerate(now.seats):
            if viewed.passed:
                yield Text.assemble(f"  {seat} → {deal.receiver(seat)}: ", *coloured(viewed.passed))


def scores_field(deal: TableDeal, now: TableMoment, width: int) -> Iterator[Text]:
    """Yield the totals, before the deal or after it, with what each bot has got so far."""
    yield Text(f"{'deal':>{width - 8}}{'total':>7}", style="dim")
    room = width - 16
    for seat, (viewed, total) in enumerate(zip(now.seats, now.totals, strict=True)):
        score = now.scores[seat] if now.scores else viewed.points
        figures = f"{words.scored(score, deal):>6}{words.scored(total, deal):>7}"
        yield Text(f"  {set_cell_size(words.who(deal, seat), room)}{figures}")
