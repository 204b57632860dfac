"""Contents of link previews: a match, one deal of a match, a day's board, the site."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from ladder.site.pictures.canvas import HEIGHT, MARGIN, WIDTH, Canvas
from ladder.site.rendering.translations import day, match_format, number, variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ladder.values.matches import DealReplayed, MatchPage, SeatRow
    from ladder.values.people import TodaysBoard

RANKS, ORDER = "AKQJT98765432", "SHDC"
TOP = 200
"""Pixels from the top to where what is below the heading begins."""
INSIDE = WIDTH - 2 * MARGIN
LANGUAGE = "en"
"""Programs that fetch pictures for previews do not say which language their reader has."""


def of_site() -> bytes:
    """Draw what stands for pages without a picture of their own."""
    canvas = Canvas()
    _heading(canvas, "Pigpen", "Bots play Hearts, Gong Zhu and Chinese Hearts")
    for place, card in enumerate(("QS", "JD", "TC", "AH")):
        canvas.card(MARGIN + place * 200, TOP + 20, card, 250)
    canvas.text(MARGIN, HEIGHT - MARGIN, "Every deal can be verified.", 34, "soft")
    return canvas.png()


def of_match(match: MatchPage) -> bytes:
    """Draw the result of a match, and who was ahead and behind on each board; before its end, who plays."""
    canvas = Canvas()
    about = [variant(match.variant, LANGUAGE), match_format(match.format, LANGUAGE)]
    if match.finished is not None:
        about.append(day(match.finished.date(), LANGUAGE))
    _heading(canvas, f"Match {match.id}", " · ".join(about))
    seats = sorted(match.seats, key=lambda seat: (seat.place or 0, seat.seat))
    row = min(84.0, (HEIGHT - TOP - MARGIN) / len(seats))
    ahead = _ahead(seats)
    for line, seat in enumerate(seats):
        y = TOP + line * row
        canvas.box(MARGIN, y, INSIDE, row - 10, "sheet")
        below = y + row * 0.56
        canvas.text(MARGIN + 24, below, str(seat.place or "–"), 38, "accent" if seat.place == 1 else "soft")
        canvas.text(MARGIN + 80, below, _named(seat), 38, "ink", 330)
        if seat.points_per_deal is not None:
            canvas.text(MARGIN + 580, below, number(seat.points_per_deal, 2), 34, "soft", 160, "rs")
        if seat.seat in ahead:
            _strip(canvas, ahead[seat.seat], MARGIN + 620, y + 14, INSIDE - 644, row - 38, _max_ahead(ahead.values()))
    return canvas.png()


def of_deal(deal: DealReplayed) -> bytes:
    """Draw the cards that were dealt, and what each seat scored."""
    canvas = Canvas()
    place = deal.place
    where = f"board {place.board}, rotation {place.rotation}" if deal.boards else f"deal {place.board}"
    _heading(canvas, f"Match {deal.match}: {where}", variant(deal.variant, LANGUAGE))
    row = min(104.0, (HEIGHT - TOP - 30) / deal.players)
    canvas.box(MARGIN - 20, TOP - 16, INSIDE + 40, row * deal.players + 22, "felt", 16)
    for seat, hand in enumerate(deal.hands):
        y = TOP + seat * row
        cards = sorted(hand.split(), key=lambda card: (ORDER.index(card[1]), RANKS.index(card[0])))
        canvas.text(MARGIN, y + row * 0.56, deal.bots[seat], 30, "card", 190)
        canvas.text(WIDTH - MARGIN, y + row * 0.56, number(deal.scores[seat]), 30, "card", 120, "rs")
        height = int(min(row - 14, 84))
        step = min(height * 5 / 7 + 6, (INSIDE - 330) / max(len(cards), 1))
        for index, card in enumerate(cards):
            canvas.card(MARGIN + 205 + index * step, y, card, height)
    return canvas.png()


def of_day(board: TodaysBoard) -> bytes:
    """Draw what may be known of a day's board: its day, and how many have played it, but no card."""
    canvas = Canvas()
    _heading(canvas, "Today's board", f"{variant(board.variant, LANGUAGE)} · {day(board.day, LANGUAGE)}")
    for place in range(board.players):
        canvas.back(MARGIN + place * 200, TOP + 20, 250)
    people = "1 person has played it" if board.played == 1 else f"{number(board.played)} people have played it"
    canvas.text(MARGIN, HEIGHT - MARGIN, f"The same cards for everybody · {people}", 34, "soft", INSIDE)
    return canvas.png()


def _heading(canvas: Canvas, title: str, about: str) -> None:
    canvas.text(MARGIN, 108, title, 68, "ink", INSIDE - 90)
    canvas.text(MARGIN, 160, about, 34, "soft", INSIDE)


def _named(seat: SeatRow) -> str:
    return seat.bot if seat.version == 1 else f"{seat.bot} @{seat.version}"


def _ahead(seats: Sequence[SeatRow]) -> dict[int, tuple[float, ...]]:
    """Compute by how many points a deal each seat leads the mean of all on each board; nothing before the end."""
    points = [seat.board_points for seat in seats]
    if not all(points):
        return {}
    means = [fmean(board) for board in zip(*(each or () for each in points), strict=True)]
    return {
        seat.seat: tuple(mine - mean for mine, mean in zip(each or (), means, strict=True))
        for seat, each in zip(seats, points, strict=True)
    }


def _max_ahead(ahead: Iterable[Sequence[float]]) -> float:
    return max((abs(each) for row in ahead for each in row), default=0.0) or 1.0


def _strip(
    canvas: Canvas, ahead: Sequence[float], x: float, y: float, width: float, height: float, max_ahead: float
) -> None:
    """Draw one cell for each board, in the colours of the page of the match."""
    step = width / len(ahead)
    for place, each in enumerate(ahead):
        colour = "good" if each > 0 else "bad"
        canvas.shade(x + place * step, y, max(1.0, step - 2), height, colour, 0.08 + 0.8 * abs(each) / max_ahead)
