"""
The public's view of a match while it is played: the referee reports everything, and this passes on what is public.

With `played`, an event holds only what all seats at the table can see (C-9): the cards played, and those exposed face
up. The program that decided a card and the time that it took are left out, because a forced card reveals a part of a
hand. Faults are left out too: only a seat that holds certain cards is asked to expose. All of that comes when the deal
is opened. A deal is opened when every table has played its cards: until then they are the hands of players who still
play.

`LiveSender` collects the events for the coordinator, and sends them together a few times a second.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING

from ladder.values.live_events import (
    LiveDeal,
    LiveExposed,
    LiveFault,
    LiveGap,
    LiveMatch,
    LiveMoon,
    LivePassed,
    LiveResult,
    LiveScored,
    to_line,
)
from pigpen.rules import Card, Face, MoonChoice
from referee.records.lines import to_json
from referee.records.steps import NAMES, names_of, words_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from pigpen.rules import Deal
    from referee.match.formats import MatchSpec
    from referee.match.observer import Steps
    from referee.records.lines import DealLine, MatchLine, ResultLine

FLUSH_SECONDS = 0.1
"""Seconds from the first event of a batch until it is sent."""
BUFFER_CHARACTERS = 1 << 20
"""The most that waits to be sent, of one match; what does not find room is lost, and a gap says so."""


class LiveSender:
    """
    Collects the events of one match. Only for the thread of an event loop.

    To collect one is to append to a list: no system call, no waiting.
    """

    def __init__(self, offer: Callable[[str], bool], flush_seconds: float = FLUSH_SECONDS) -> None:
        """
        Prepare to collect.

        Args:
            offer: Takes a batch, its events separated by line breaks, without waiting. False: there is no room for it
                now, and it is offered again.
            flush_seconds: Seconds from the first event of a batch until it is sent, and between two offers.
        """
        self._take = offer
        self._flush_seconds = flush_seconds
        self._lines: list[str] = []
        self._characters = 0
        self._missed = 0
        self._timer: asyncio.TimerHandle | None = None

    def send(self, line: str) -> None:
        """Take an event: a line of JSON without a line break."""
        if self._characters + len(line) > BUFFER_CHARACTERS:
            self._missed += 1
            return
        self._lines.append(line)
        self._characters += len(line)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._flush_seconds, self._send)

    def flush(self) -> None:
        """Send what is there, now or never."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._lines or self._missed:
            self._offer()

    def _send(self) -> None:
        self._timer = None
        if not self._offer():
            self._timer = asyncio.get_running_loop().call_later(self._flush_seconds, self._send)

    def _offer(self) -> bool:
        gap = [to_line(LiveGap(missed=self._missed))] if self._missed else []
        if not self._take("\n".join(self._lines + gap)):
            return False
        self._lines, self._characters, self._missed = [], 0, 0
        return True


HELD_CHARACTERS = 32 * 1024**2
"""
Limit of the characters of deals that wait to be opened; those that find no room are not opened before the record is
there.
"""


class LiveObserver:
    """An observer that gives each public event to a function, as a line of JSON."""

    def __init__(
        self,
        spec: MatchSpec,
        public: Literal["played", "open"],
        send: Callable[[str], None],
        on_failure: Callable[[Exception], None],
        max_held: int = HELD_CHARACTERS,
    ) -> None:
        """
        Prepare to observe a match.

        Args:
            spec: The match.
            public: What may be seen of a deal that has not been opened.
            send: Takes each event; it must not wait.
            on_failure: Called if this fails; then no more events come.
            max_held: Characters at most of deals that wait to be opened.
        """
        self._spec = spec
        self._public = public
        self._shows_all = public == "open"
        self._send = send
        self._on_failure = on_failure
        self._tables = spec.format.tables(spec.rules)
        self._held: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        self._finished: defaultdict[int, int] = defaultdict(int)
        self._held_characters = 0
        self._max_held = max_held

    def match_begins(self, first: MatchLine) -> None:
        """Send the event of the match: what is played, and by which bots."""
        self._send(to_line(LiveMatch(
            variant=self._spec.rules.name, format=first.format, bots=first.bots, tables=self._tables,
            deals=self._spec.format.count(self._spec.rules), commitment=first.commitment, started=first.started,
            public=self._public,
        )))  # fmt: skip

    def deal_begins(self, table: int, deal: Deal, seats: tuple[int, ...], totals: tuple[int, ...]) -> None:
        """Tell who sits where."""
        hands = tuple(map(names_of, deal.dealt)) if self._shows_all else None
        self._send(to_line(LiveDeal(table=table, deal=deal.number, seats=seats, totals=totals, hands=hands)))

    def decided(self, table: int, deal: Deal, steps: Steps) -> None:
        """Send what all seats can see of it."""
        seat, decision = steps[0]
        action = decision.action
        if isinstance(action, Card):
            # By hand, since this is done for every card; a test reads it as a `LivePlayed`.
            text = f'{{"type":"play","table":{table},"deal":{deal.number},"seat":{seat},"card":"{NAMES[action]}"'
            if self._shows_all:
                text += f',"by":"{decision.by}","ms":{round(decision.took * 1000, 3)}'
            elif any(shown.card == action and shown.face is Face.DOWN for shown in deal.exposures):
                text += ',"down":true'
            self._send(text + "}")
        elif isinstance(action, MoonChoice):
            _, choice = words_of(action)
            self._send(to_line(LiveMoon(table=table, deal=deal.number, seat=seat, choice=choice)))
        elif isinstance(action, tuple):
            cards = tuple(map(names_of, deal.passed)) if self._shows_all else None
            self._send(to_line(LivePassed(table=table, deal=deal.number, cards=cards)))
        else:
            self._tell_exposures(table, deal)
        if self._shows_all:
            self._tell_faults(table, deal.number, steps)

    def deal_over(self, table: int, line: DealLine) -> None:
        """Tell the scores, and open what no table has still to play."""
        self._send(to_line(LiveScored(table=table, deal=line.deal, scores=line.scores, totals=line.totals)))
        self._finished[line.deal] += 1
        if self._finished[line.deal] < self._tables:
            self._hold(table, line)
            return
        for other, text in self._held.pop(line.deal, ()):
            self._held_characters -= len(text)
            self._open(other, line.deal, text)
        self._open(table, line.deal, to_json(line))
        del self._finished[line.deal]

    def match_over(self, result: ResultLine) -> None:
        """Tell how it ended; the seed comes with the record."""
        places = tuple(each.place for each in result.results)
        self._send(to_line(LiveResult(places=places, totals=tuple(each.total for each in result.results))))

    def failed(self, error: Exception) -> None:
        """Pass it on."""
        self._on_failure(error)

    def _tell_exposures(self, table: int, deal: Deal) -> None:
        seats = range(len(deal.dealt))
        shown = [each for each in deal.exposures if self._shows_all or each.face is Face.UP]
        cards = tuple(words_of({each.card: each.face for each in shown if each.seat == seat})[1] for seat in seats)
        hidden = tuple(sum(each.seat == seat and each.face is Face.DOWN for each in deal.exposures) for seat in seats)
        self._send(to_line(LiveExposed(table=table, deal=deal.number, cards=cards, hidden=hidden)))

    def _tell_faults(self, table: int, deal: int, steps: Steps) -> None:
        for seat, decision in steps:
            if fault := decision.fault:
                self._send(to_line(LiveFault(
                    table=table, deal=deal, seat=seat, verdict=str(fault.verdict), why=fault.message
                )))  # fmt: skip

    def _hold(self, table: int, line: DealLine) -> None:
        text = to_json(line)
        if self._held_characters + len(text) <= self._max_held:
            self._held_characters += len(text)
            self._held[line.deal].append((table, text))

    def _open(self, table: int, deal: int, line: str) -> None:
        # By hand: the line is JSON already.
        self._send(f'{{"type":"opened","table":{table},"deal":{deal},"line":{line}}}')
