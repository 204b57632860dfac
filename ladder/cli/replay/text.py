"""A recorded deal as plain text, for pipes and for reading at leisure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from ladder.cli.replay.words import card, cards, exposures, fault_texts, happened, points, suits, who
from pigpen.rules import Phase
from referee.records.by import BY_FORCED
from referee.records.recorded import seats_of
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import view_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pigpen.rules import Rules
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.table_view import Chair, TableView


def match_text(recorded: Recorded, lines: Iterable[DealLine], bot: int | None = None) -> Iterator[str]:
    """
    Tell deals line by line.

    Args:
        recorded: The match.
        lines: The deals.
        bot: The number of the bot from whose chair to look; None: all hands are open.
    """
    first = recorded.first
    names = ", ".join(f"{number} {name}" for number, name in enumerate(first.bots))
    yield f"{recorded.rules.title} ({recorded.rules.name}), {first.format}: {names}"
    for line in lines:
        chairs = None if bot is None else (seats_of(line).index(bot),)
        replay = DealReplay(recorded.rules, first, line)
        yield ""
        yield from _deal_text(replay, [view_table(replay, place, chairs) for place in range(len(replay.moments))])
    if bot is None:
        yield ""
        yield places_text(recorded)


def places_text(recorded: Recorded) -> str:
    """Say how the match ended, or how much of it is there."""
    if recorded.result is None:
        return f"The match is not finished: {len(recorded.deals)} deals so far."
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
    return f"{name}, {rules.plan.pass_count} cards passed {rules.direction(line.deal)}"


def _deal_text(replay: DealReplay, table_views: list[TableView]) -> Iterator[str]:
    yield heading(replay)
    yield from _hands(table_views[0])
    holds, told, forced = "", set[str](), list[int]()
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
            if text not in told or text.startswith("✗"):  # that the default policy plays on is told once
                yield f"        {text}"
            told.add(text)


def _hands(now: TableView) -> Iterator[str]:
    for chair in now.chairs:
        if chair.open:
            yield f"  {_name(now, chair)}  {suits(chair.hand)}"


def _passes(now: TableView) -> Iterator[str]:
    for chair in now.chairs:
        if chair.passed:
            yield f"  {_name(now, chair)}  → {who(now.chairs[chair.pass_to])}: {cards(chair.passed)}"


def _trick(now: TableView, before: TableView, holds: str, forced: Sequence[int]) -> Iterator[str]:
    """
    Give one row: the cards by seat, who took them, and what that was worth.

    From one chair also its hand then; and which seats were not asked, as far as is known from here.
    """
    if now.number == 1:
        yield f"        {''.join(f'{chair.seat:<6}' for chair in now.chairs)}".rstrip()
    assert now.winner is not None
    played = {play.seat: card(play.card) for play in now.trick}
    played[now.trick[0].seat] = f"›{played[now.trick[0].seat]}"
    cells = [f"{played[chair.seat]}{'*' * (chair.seat == now.winner)}" for chair in now.chairs]
    gain = now.chairs[now.winner].points - before.chairs[now.winner].points
    row = f"  {now.number:>4}  {''.join(f'{cell:<6}' for cell in cells)}{_name(now, now.chairs[now.winner])}"
    row += f"  {points(gain):>5}" + (f"   held {holds}" if holds else "")
    yield row + (f"   forced: {' '.join(map(str, sorted(forced)))}" if forced else "")


def _revealed(rules: Rules, before: TableView, now: TableView) -> Iterator[str]:
    """Say which card that is played now lay face down, and nobody who looks knew it."""
    for then, chair in zip(before.chairs, now.chairs, strict=True):
        if before.phase is Phase.PLAY and chair.hidden < then.hidden:
            yield f"{who(chair)} had exposed: {', '.join(exposures(rules, chair))}."


def _own_hand(now: TableView) -> str:
    """Give the hand of the seat whose view is shown, at its turn; nothing while others are to play."""
    opened = [chair for chair in now.chairs if chair.open]
    return suits(opened[0].hand) if len(opened) == 1 and opened[0].asked and now.phase is Phase.PLAY else ""


def _scores(now: TableView, scores: tuple[int, ...]) -> Iterator[str]:
    for chair, score, total in zip(now.chairs, scores, now.totals, strict=True):
        yield f"  {_name(now, chair)}  {points(score):>5}, total {points(total)}"


def _name(now: TableView, chair: Chair) -> str:
    """The seat's name, as wide as the widest of the table."""
    return set_cell_size(who(chair), max(cell_len(who(each)) for each in now.chairs))
