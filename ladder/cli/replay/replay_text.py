"""A recorded deal as plain text, for pipes and for reading at leisure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from ladder.terminal.card_text import card, cards, exposures, fault_texts, happened, scored, suits, who
from ladder.values.text import counted
from referee.records.recorded import seats_of
from referee.records.steps import BY_FORCED
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import replayed_deal, view_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.table_view import TableDeal, TableMoment


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
        moments = [view_table(replay, place, seats) for place in range(len(replay.moments))]
        yield from _deal_text(replay, replayed_deal(replay, None if seats is None else seats[0]), moments)
    if bot is None:
        yield ""
        yield places_text(recorded)


def places_text(recorded: Recorded) -> str:
    """Say how the match ended, or how much of it is there."""
    if recorded.result is None:
        return f"The match is not finished: {counted(len(recorded.deals), 'deal')} so far."
    rows = sorted(recorded.result.results, key=lambda row: (row.place, row.seat))
    return f"Points per deal: {', '.join(f'{row.place}. {row.bot} {row.points_per_deal:z.2f}' for row in rows)}."


def heading(replay: DealReplay) -> str:
    """Name a deal, and say how cards are passed in it."""
    line, rules = replay.line, replay.rules
    name = f"{line.name[0].upper()}{line.name[1:]}"
    if rules.passing is None:
        return name
    if not rules.pass_offset(line.deal):
        return f"{name}, no passing"
    return f"{name}, {counted(rules.plan.pass_count, 'card')} passed {rules.direction(line.deal)}"


def _deal_text(replay: DealReplay, deal: TableDeal, moments: list[TableMoment]) -> Iterator[str]:
    yield heading(replay)
    yield from _hands(deal, moments[0])
    holds, printed, forced = "", set[str](), list[int]()
    for before, now in pairwise(moments):
        forced += [last.seat for last in now.steps if last.by == BY_FORCED and before.phase == "play"]
        holds = _own_hand(deal, before) or holds
        if now.scores is not None:
            yield from _scores(deal, now, now.scores)
        elif before.phase == "pass":
            yield from _passes(deal, now)
        elif before.phase != "play":
            yield f"  {happened(deal, now, before)}"
        elif now.winner is not None:
            yield from _trick(deal, now, before, holds, forced)
            forced.clear()
        for text in (*_revealed(deal, before, now), *fault_texts(deal, now)):
            if text not in printed or text.startswith("✗"):  # that the default policy plays on is told once
                yield f"        {text}"
            printed.add(text)


def _hands(deal: TableDeal, now: TableMoment) -> Iterator[str]:
    for seat, viewed in enumerate(now.seats):
        if deal.is_open(seat):
            yield f"  {_name(deal, seat)}  {suits(viewed.hand)}"


def _passes(deal: TableDeal, now: TableMoment) -> Iterator[str]:
    for seat, viewed in enumerate(now.seats):
        if viewed.passed:
            yield f"  {_name(deal, seat)}  → {who(deal, deal.receiver(seat))}: {cards(viewed.passed)}"


def _trick(deal: TableDeal, now: TableMoment, before: TableMoment, holds: str, forced: Sequence[int]) -> Iterator[str]:
    """
    Give one row: the cards by seat, who took them, and what that was worth.

    From one seat also its hand then; and which seats were not asked, as far as is known from here.
    """
    seats = range(deal.players)
    if now.trick == 1:
        yield f"        {''.join(f'{seat:<6}' for seat in seats)}".rstrip()
    assert now.winner is not None
    played = {play.seat: f"{'›' * (play.seat == now.leader)}{card(play.card)}" for play in now.plays}
    cells = [f"{played[seat]}{'*' * (seat == now.winner)}" for seat in seats]
    gain = now.seats[now.winner].points - before.seats[now.winner].points
    row = f"  {now.trick:>4}  {''.join(f'{cell:<6}' for cell in cells)}{_name(deal, now.winner)}"
    row += f"  {scored(gain, deal):>5}" + (f"   held {holds}" if holds else "")
    yield row + (f"   forced: {' '.join(map(str, sorted(forced)))}" if forced else "")


def _revealed(deal: TableDeal, before: TableMoment, now: TableMoment) -> Iterator[str]:
    """Say which card that is played now lay face down, unknown to the viewer."""
    for seat, (then, viewed) in enumerate(zip(before.seats, now.seats, strict=True)):
        if before.phase == "play" and viewed.hidden < then.hidden:
            yield f"{who(deal, seat)} had exposed: {', '.join(exposures(deal, viewed))}."


def _own_hand(deal: TableDeal, now: TableMoment) -> str:
    """Give the hand of the seat whose view is shown, at its turn; nothing while others are to play."""
    own = None if deal.seat is None else now.seats[deal.seat]
    return suits(own.hand) if own and own.asked and now.phase == "play" else ""


def _scores(deal: TableDeal, now: TableMoment, scores: tuple[int, ...]) -> Iterator[str]:
    for seat, (score, total) in enumerate(zip(scores, now.totals, strict=True)):
        yield f"  {_name(deal, seat)}  {scored(score, deal):>5}, total {scored(total, deal)}"


def _name(deal: TableDeal, seat: int) -> str:
    """Give the seat's name, as wide as the widest of the table."""
    return set_cell_size(who(deal, seat), max(cell_len(who(deal, each)) for each in range(deal.players)))
