"""A recorded deal as plain text, for pipes and for reading at leisure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from ladder.terminal.card_text import card, cards, exposures, fault_texts, happened, points, suits, who
from ladder.values.text import counted
from pigpen.rules import Phase
from referee.records.recorded import seats_of
from referee.records.steps import BY_FORCED
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import view_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pigpen.rules import Rules
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.table_view import TableView, ViewedSeat


def match_text(recorded: Recorded, lines: Iterable[DealLine], bot: int | None = None) -> Iterator[str]:
    """
    Tell deals line by line.

    Args:
        recorded: The match.
        lines: The deals.
        bot: The number of the bot from whose seat to look; None: all hands are open.
    """
    first = recorded.first
    names = ", ".join(f"{number} {name}" for number, name in enumerate(first.bots))
    yield f"{recorded.rules.title} ({recorded.rules.name}), {first.format}: {names}"
    for line in lines:
        seats = None if bot is None else (seats_of(line).index(bot),)
        replay = DealReplay(recorded.rules, first, line)
        yield ""
        yield from _deal_text(replay, [view_table(replay, place, seats) for place in range(len(replay.moments))])
    if bot is None:
        yield ""
        yield places_text(recorded)


def places_text(recorded: Recorded) -> str:
    """Say how the match ended, or how much of it is there."""
    if recorded.result is None:
        return f"The match is not finished: {counted(len(recorded.deals), 'deal')} so far."
    rows = sorted(recorded.result.results, key=lambda row: (row.place, row.seat))
    return f"Points per deal: {', '.join(f'{row.place}. {row.bot} {row.points_per_deal:+.2f}' for row in rows)}."


def heading(replay: DealReplay) -> str:
    """Name a deal, and say how cards are passed in it."""
    line, rules = replay.line, replay.rules
    name = f"{line.name[0].upper()}{line.name[1:]}"
    if rules.passing is None:
        return name
    if not rules.pass_offset(line.deal):
        return f"{name}, no passing"
    return f"{name}, {counted(rules.plan.pass_count, 'card')} passed {rules.direction(line.deal)}"


def _deal_text(replay: DealReplay, table_views: list[TableView]) -> Iterator[str]:
    yield heading(replay)
    yield from _hands(table_views[0])
    holds, printed, forced = "", set[str](), list[int]()
    for before, now in pairwise(table_views):
        forced += [last.seat for last in now.last_actions if last.by == BY_FORCED and before.phase is Phase.PLAY]
        holds = _own_hand(before) or holds
        if now.scores is not None:
            yield from _scores(now, now.scores)
        elif before.phase is Phase.PASS:
            yield from _passes(now)
        elif before.phase is not Phase.PLAY:
            yield f"  {happened(replay.rules, now, before)}"
        elif now.winner is not None:
            yield from _trick(now, before, holds, forced)
            forced.clear()
        for text in (*_revealed(replay.rules, before, now), *fault_texts(now)):
            if text not in printed or text.startswith("✗"):  # that the default policy plays on is told once
                yield f"        {text}"
            printed.add(text)


def _hands(now: TableView) -> Iterator[str]:
    for viewed in now.seats:
        if viewed.open:
            yield f"  {_name(now, viewed)}  {suits(viewed.hand)}"


def _passes(now: TableView) -> Iterator[str]:
    for viewed in now.seats:
        if viewed.passed:
            yield f"  {_name(now, viewed)}  → {who(now.seats[viewed.pass_to])}: {cards(viewed.passed)}"


def _trick(now: TableView, before: TableView, holds: str, forced: Sequence[int]) -> Iterator[str]:
    """
    Give one row: the cards by seat, who took them, and what that was worth.

    From one seat also its hand then; and which seats were not asked, as far as is known from here.
    """
    if now.number == 1:
        yield f"        {''.join(f'{viewed.seat:<6}' for viewed in now.seats)}".rstrip()
    assert now.winner is not None
    played = {play.seat: card(play.card) for play in now.trick}
    played[now.trick[0].seat] = f"›{played[now.trick[0].seat]}"
    cells = [f"{played[viewed.seat]}{'*' * (viewed.seat == now.winner)}" for viewed in now.seats]
    gain = now.seats[now.winner].points - before.seats[now.winner].points
    row = f"  {now.number:>4}  {''.join(f'{cell:<6}' for cell in cells)}{_name(now, now.seats[now.winner])}"
    row += f"  {points(gain):>5}" + (f"   held {holds}" if holds else "")
    yield row + (f"   forced: {' '.join(map(str, sorted(forced)))}" if forced else "")


def _revealed(rules: Rules, before: TableView, now: TableView) -> Iterator[str]:
    """Say which card that is played now lay face down, unknown to the viewer."""
    for then, viewed in zip(before.seats, now.seats, strict=True):
        if before.phase is Phase.PLAY and viewed.hidden < then.hidden:
            yield f"{who(viewed)} had exposed: {', '.join(exposures(rules, viewed))}."


def _own_hand(now: TableView) -> str:
    """Give the hand of the seat whose view is shown, at its turn; nothing while others are to play."""
    opened = [viewed for viewed in now.seats if viewed.open]
    return suits(opened[0].hand) if len(opened) == 1 and opened[0].asked and now.phase is Phase.PLAY else ""


def _scores(now: TableView, scores: tuple[int, ...]) -> Iterator[str]:
    for viewed, score, total in zip(now.seats, scores, now.totals, strict=True):
        yield f"  {_name(now, viewed)}  {points(score):>5}, total {points(total)}"


def _name(now: TableView, viewed: ViewedSeat) -> str:
    """Give the seat's name, as wide as the widest of the table."""
    return set_cell_size(who(viewed), max(cell_len(who(each)) for each in now.seats))
