"""A match: n seats, one variant, one format, one clock, one seed."""

from __future__ import annotations

import asyncio
import datetime
import statistics
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from pigpen.notices import ClockSetting, MatchResult, Welcome
from pigpen.rules import deal_hands, new_seed
from pigpen.rules.shuffle import commitment
from referee.formats import Format
from referee.player import Player
from referee.record import BotResult, ClockLine, DealLine, MatchLine, ResultLine
from referee.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pigpen.rules import Game, Rules
    from referee.seat import Seat

DEFAULT_CLOCK = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)


@dataclass(frozen=True)
class MatchSpec:
    """What is to be played."""

    rules: Rules
    bots: tuple[str, ...]
    """A name for each seat of the first deal; the same bot may sit in several."""
    format: Format
    clock: ClockSetting = DEFAULT_CLOCK
    seed: bytes = field(default_factory=new_seed)
    """256 bits; everything random in the match comes from it."""


async def play_match(
    spec: MatchSpec, seats: Sequence[Seat], write: Callable[[MatchLine | DealLine | ResultLine], None]
) -> ResultLine:
    """
    Play a whole match and hand each line of its record to *write* as soon as it is complete.

    Args:
        spec: What is to be played.
        seats: Where each bot of *spec* answers, in the same order.
        write: Takes the record's lines in order.
    """
    players = [Player(seat, spec.clock) for seat in seats]
    write(_first_line(spec))
    await asyncio.gather(
        *(
            player.take_seat(Welcome(spec.rules, seat, str(spec.format), spec.clock))
            for seat, player in enumerate(players)
        )
    )
    table = Table(players, spec.seed)
    game = spec.format.start(spec.rules)
    while not game.is_over:
        write(await table.play_deal(game.next_deal(deal_hands(spec.rules, spec.seed, game.deals)), game))
    result = _result(spec, players, game)
    write(result)
    await asyncio.gather(*map(_part, players, result.results))
    return result


async def _part(player: Player, result: BotResult) -> None:
    await player.tell(MatchResult(result.place, result.points_per_deal))
    await player.close()


def _first_line(spec: MatchSpec) -> MatchLine:
    return MatchLine(
        rules=spec.rules.to_plain(),
        format=str(spec.format),
        bots=spec.bots,
        clock=ClockLine(**asdict(spec.clock)),
        commitment=commitment(spec.seed),
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


def _result(spec: MatchSpec, players: Sequence[Player], game: Game) -> ResultLine:
    places = _places(spec.rules, players, game)
    return ResultLine(
        seed=spec.seed.hex(),
        deals=game.deals,
        results=tuple(
            BotResult(
                bot=spec.bots[seat],
                seat=seat,
                place=places[seat],
                total=game.totals[seat],
                points_per_deal=game.totals[seat] / game.deals,
                faults=len(player.faults),
                taken_over=player.taken_over,
                timed=player.timed,
                think_ms=_think_ms(player),
            )
            for seat, player in enumerate(players)
        ),
    )


def _places(rules: Rules, players: Sequence[Player], game: Game) -> tuple[int, ...]:
    """Places by total; whoever was taken over comes last, with its partner if it has one."""
    offends = [any(players[mate].taken_over for mate in rules.teammates(seat)) for seat in range(rules.players)]
    sign = 1 if rules.low_is_better else -1
    keys = [(offender, sign * total) for offender, total in zip(offends, game.totals, strict=True)]
    return tuple(1 + sum(other < key for other in keys) for key in keys)


def _think_ms(player: Player) -> dict[str, float]:
    times = player.times or [0.0]
    return {"median": round(statistics.median(times) * 1000, 3), "worst": round(max(times) * 1000, 3)}
