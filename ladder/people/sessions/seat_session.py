"""
The web process's end of a person's chair: one client of its seat, however many tabs show it.

A session finds the seat, plays there, and finds it again when the table was started anew. It ends a while after its
last tab; the referee then says that the person is away. Answers from the person's browser are read (`answer_of`), and
compared with the rules before the referee receives them.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.errors import Busy, Conflict, LadderError, StoreError, TooOften, UserError
from ladder.people.seat.illegal_cards import why_not
from ladder.people.seat.seat_client import PersonClient
from ladder.people.sessions.person_state_tracker import PersonStateTracker
from ladder.people.sessions.table_info import Tab, info_of
from ladder.sandbox.bots.bot_source import seat_names
from ladder.values.people import ChairKind, TableStatus
from ladder.values.text import counted
from pigpen.client import Refused, Unreachable
from pigpen.rules import Card, Face, MoonChoice, Phase, cards_in, mask_of
from referee.records.steps import NAMES, parse_action, words_of
from referee.seats.person_seat import HELP_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ladder.people.sessions.table_info import FoundSeat, TablePhrases
    from ladder.values.people import SeatPlace
    from ladder.values.person_state import PersonState, Phrase
    from pigpen.rules import Action
    from pigpen.values.view import View

LONGEST_ANSWER = 200
"""Characters."""


def answer_of(view: View, words: str) -> Action:
    """
    Read the answer to the question of *view*.

    Args:
        view: What the person sees.
        words: As in a record: ``QS``, ``QS KH 2C``, ``JD*``, nothing at all, ``add``.

    Raises:
        UserError: If it is none, or not allowed; the sentence says why.
    """
    kind = view.phase.name.lower()
    try:
        action = parse_action(kind, words[: LONGEST_ANSWER + 1])
    except ValueError:
        raise UserError(f"{words[:40]!r} is no answer to this question; {_WANTED[kind]}.") from None
    if isinstance(action, Card):
        return _allowed(view, action)
    if isinstance(action, MoonChoice):
        return action
    return _passed(view, action) if isinstance(action, tuple) else _exposed(view, action)


def is_same_answer(action: Action | None, words: str) -> bool:
    """Tell whether *words* say what was answered."""
    if action is None:
        return False
    kind, wanted = words_of(action)
    try:
        return words_of(parse_action(kind, words[: LONGEST_ANSWER + 1]))[1] == wanted
    except ValueError:
        return False


def _allowed(view: View, card: Card) -> Card:
    if not view.hand_mask & card.mask:
        raise UserError(f"{card} is not in your hand.")
    if reason := why_not(view, card):
        raise UserError(reason)
    return card


def _passed(view: View, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    chosen = mask_of(cards)
    if chosen & ~view.hand_mask:
        raise UserError(f"{NAMES[cards_in(chosen & ~view.hand_mask)[0]]} is not in your hand.")
    if len(cards) != view.pass_count or chosen.bit_count() != view.pass_count:
        raise UserError(
            f"{counted(view.pass_count, 'card is', 'different cards are')} passed, not {chosen.bit_count()}."
        )
    return cards_in(chosen)


def _exposed(view: View, faces: Mapping[Card, Face]) -> Mapping[Card, Face]:
    for card, face in faces.items():
        if not view.legal_mask & card.mask:
            raise UserError(f"{card} may not be exposed.")
        if face is Face.DOWN and not (view.rules.exposing and view.rules.exposing.face_down):
            raise UserError(f"{card} may not be put face down in this variant.")
    return faces


_WANTED = {
    Phase.PASS.name.lower(): "cards are wanted, such as QS KH 2C",
    Phase.EXPOSE.name.lower(): "cards are wanted, such as QS JD*, or nothing",
    Phase.PLAY.name.lower(): "a card is wanted, such as QS",
    Phase.MOON.name.lower(): "subtract or add is wanted",
}


SESSION_SECONDS = 60.0
"""Seconds that a session stays after its last tab."""
WAITED_FOR_SECONDS = 10.0
"""The same where the table waits for its person: then it learns soon that the person has left."""
MAX_TABS = 10
"""Tabs that show one chair at the same time."""
FIND_SECONDS = (*(0.02,) * 20, *(0.1,) * 20, 0.5)
"""Seconds to wait before the seat of a table that is to play is looked for again; then always the last one."""
WAITING_SECONDS = 1.0
"""The same while people are still to come."""
PATIENCE_SECONDS = 1.0
"""Seconds for which a lost seat is looked for at its old address."""
QUESTION_SECONDS = 0.2
"""A seat that was found puts an open question again within a few milliseconds."""
MAX_MESSAGES, MESSAGE_SECONDS = 60, 60.0
"""Messages, besides answers, that a person may send in that many seconds; the referee limits their number too."""
STALE = "This question is no longer open; the page shows the table as it is now."
TOO_MANY_TABS = "This table is open in too many tabs; close some."
TOO_FAST = "That was too often; try again in {minutes} min."
MAX_PHRASES, PHRASES_SECONDS = 5, 30.0
"""Phrases that a person may say in that many seconds."""
LISTEN_SECONDS = 0.5
"""Seconds between two looks at what others say."""
FAREWELL_SECONDS = 120.0
"""Seconds that pages stay connected after the end of a game that several people have played."""
NOT_NOW = "You can say something at the end of a deal, before you go on."


class SeatSession:
    """The session of one chair."""

    def __init__(
        self,
        find: Callable[[], FoundSeat],
        first: FoundSeat,
        phrases: TablePhrases,
        gone: Callable[[], None],
        seconds: float,
        resume: Callable[[], None] = lambda: None,
    ) -> None:
        """
        Begin.

        Args:
            find: Looks for the seat; called in a thread.
            first: What it has found now.
            phrases: Those that people at the table send to each other.
            gone: Called when the session has ended.
            seconds: After how long without a tab it ends.
            resume: Lets a table be played on that waits for this person; called in a thread.
        """
        self._find = find
        self._gone = gone
        self._resume = resume
        self._is_back = True
        """True if the person has come back since the table began to wait for it."""
        self._refused = ""
        """Reason that a table cannot be played on now."""
        self._is_reading = False
        self._tabs: set[Tab[PersonState]] = set()
        self._client: PersonClient | None = None
        self._news = asyncio.Event()
        self._sent: deque[float] = deque(maxlen=MAX_MESSAGES)
        self._phrases = phrases
        self._own_phrases: deque[float] = deque(maxlen=MAX_PHRASES)
        self._chair = first.state.mine
        self._names = seat_names(chair.name for chair in first.state.chairs)
        self._is_shared = _is_shared(first)
        self._attempt: int | None = None
        self._is_taken_back = False
        self._is_old = False
        self._timer: asyncio.TimerHandle | None = None
        self.tracker = PersonStateTracker(self._changed, info_of(first))
        self._seconds = min(seconds, WAITED_FOR_SECONDS) if self.tracker.info.waits else seconds
        self._linger()
        self._task = asyncio.ensure_future(self._live(first))
        self._listening = asyncio.ensure_future(self._listen()) if self._is_shared else None

    def open_tab(self) -> Tab[PersonState]:
        """
        Show the chair in one more tab.

        Raises:
            TooOften: If there are too many.
        """
        if len(self._tabs) >= MAX_TABS:
            raise TooOften(TOO_MANY_TABS, 10.0)
        tab = Tab(self.leave, self.tracker.state())
        if self._task.done():
            tab.end()
        self._tabs.add(tab)
        self._is_back = True
        self._linger()
        return tab

    def leave(self, tab: Tab[PersonState]) -> None:
        """Note that there is one tab less."""
        self._tabs.discard(tab)
        self._linger()

    def answer(self, decision: int, words: str) -> None:
        """
        Answer a question; the same answer again changes nothing.

        Raises:
            Conflict: If that question is not open.
            UserError: If it is no answer that is allowed.
        """
        self._linger()
        question = self.tracker.question
        if question is not None and question.view.decision == decision:
            if not self.tracker.answer(decision, answer_of(question.view, words)):
                raise Conflict(STALE)
        elif not is_same_answer(self.tracker.answered(decision), words):
            raise Conflict(STALE)

    def say(self, state: str, deal: int | None = None) -> None:
        """
        Say that the person is `here`, `away`, `ready` for the next deal, or that it `reads` help, or `plays` again.

        Raises:
            TooOften: If too many messages were sent.
        """
        _count(self._sent, MESSAGE_SECONDS)
        self._linger()
        if state == "ready" and deal is not None:
            self.tracker.go_on(deal)
        elif state in ("reads", "plays"):
            self._is_reading = state == "reads"
            self.tracker.read_help(is_open=self._is_reading)
        elif state == "here" and self.tracker.info.status == "paused":
            self._is_back = True
        elif self._client is not None and state in ("here", "away"):
            (self._client.come_back if state == "here" else self._client.leave)()

    async def say_phrase(self, phrase: Phrase) -> None:
        """
        Say something to the other people at the table.

        Raises:
            Conflict: If the person does not look at the end of a deal or game.
            TooOften: If too many phrases were sent.
        """
        self._linger()
        if not self.tracker.may_say or not self._is_shared or self._chair is None:
            raise Conflict(NOT_NOW)
        _count(self._own_phrases, PHRASES_SECONDS)
        await asyncio.to_thread(self._phrases.send, self._chair, phrase)
        self._show_received()

    def taken_back(self) -> None:
        """Note that a decision was taken back: the table begins again before it."""
        self._is_taken_back = True
        self._linger()

    def assisted(self, decision: int) -> None:
        """Note that the person has asked before it played: the clock of that decision stops, if it is still open."""
        if self._client is not None:
            self._client.ask_why(decision)
        self.tracker.info = replace(self.tracker.info, assisted=True)
        self.tracker.show()

    async def settled(self, seconds: float) -> None:
        """
        Wait until the seat is there, or is not expected to be, and at most for the seconds given.

        A seat that was just found has a moment to put its question. Who asks how the table stands is there.
        """
        self._linger()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._is_settled():
                    self._news.clear()
                    await self._news.wait()
        if self.tracker.question is None and self.tracker.is_connected and not self._is_old:
            with suppress(TimeoutError):
                async with asyncio.timeout(QUESTION_SECONDS):
                    while self.tracker.question is None:
                        self._news.clear()
                        await self._news.wait()
            self._is_old = True

    async def close(self) -> None:
        """End it, and all its tabs."""
        if self._timer is not None:
            self._timer.cancel()
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def _is_settled(self) -> bool:
        return (
            self._task.done() or self.tracker.is_connected or self.tracker.info.status in ("waiting", "over", "ended")
        )

    def _changed(self, state: PersonState) -> None:
        self._news.set()
        for tab in self._tabs:
            tab.put(state)

    def _linger(self) -> None:
        """End after a while, unless a tab has been opened by then."""
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = None if self._tabs else loop.call_later(self._seconds, self._expire)

    def _expire(self) -> None:
        self._task.cancel()

    def _show_received(self) -> None:
        for chair, phrase in self._phrases.received():
            self.tracker.show_phrase(self._names[chair], phrase)

    async def _listen(self) -> None:
        while True:
            await asyncio.sleep(LISTEN_SECONDS)
            self._show_received()

    async def _live(self, found: FoundSeat) -> None:
        """Find the seat and play there, until the table has ended."""
        tries = 0
        try:
            while not self._take(found):
                if found.place.address:
                    tries = 0 if await self._play(found.place) else tries
                elif found.state.status is TableStatus.PAUSED and self._is_back:
                    await self._play_on()
                is_paused = found.state.status is TableStatus.PAUSED and not self._is_back
                is_waiting = is_paused or found.state.status is TableStatus.WAITING
                pause = FIND_SECONDS[min(tries, len(FIND_SECONDS) - 1)]
                await asyncio.sleep(WAITING_SECONDS if is_waiting else pause)
                tries += not is_waiting
                with suppress(StoreError):  # it will answer again, and the seat may be there all the time
                    found = await asyncio.to_thread(self._find)
            if self._is_shared and self.tracker.info.status == "over":
                await asyncio.sleep(FAREWELL_SECONDS)
        except LadderError:  # the table is gone
            self.tracker.info = replace(self.tracker.info, status="ended")
            self.tracker.show()
        finally:
            if self._listening is not None:
                self._listening.cancel()
            for tab in self._tabs:
                tab.end()
            self._gone()

    async def _play_on(self) -> None:
        """Let the table be played on: the person is back."""
        try:
            await asyncio.to_thread(self._resume)
        except Busy as error:
            self._is_back = False
            self._refused = str(error)
        else:
            self._refused = ""

    def _take(self, found: FoundSeat) -> bool:
        """Take over what is known of the table, and say whether it has ended."""
        info = info_of(found)
        info = replace(info, reason=self._refused) if info.status == "paused" else info
        self._names, self._is_shared = seat_names(chair.name for chair in found.state.chairs), _is_shared(found)
        if info != self.tracker.info:
            self.tracker.info = info
            self.tracker.show()
        return info.status in ("over", "ended")

    async def _play(self, place: SeatPlace) -> bool:
        """Play as long as the seat is there, and say whether it has been."""
        most = math.inf if self.tracker.info.waits else HELP_SECONDS
        client = PersonClient(self.tracker, place.address, place.token, PATIENCE_SECONDS, help_seconds=most)
        self._client = self.tracker.seat = client
        client.read_help(is_open=self._is_reading)
        if self._attempt not in (None, place.attempt):
            self.tracker.notice("taken_back" if self._is_taken_back else "resumed")
            self._is_taken_back = False
        self._attempt, self._is_old, before = place.attempt, False, self.tracker.connections
        try:
            with suppress(Refused, Unreachable):
                await self._client.play_match()
        finally:
            self._client = None
            self.tracker.seat_is_gone()
        has_been = self.tracker.connections > before
        self._is_back = self._is_back and not has_been
        return has_been


def _is_shared(found: FoundSeat) -> bool:
    """Tell whether several people play at a table."""
    return sum(chair.kind is ChairKind.PERSON for chair in found.state.chairs) > 1


def _count(sent: deque[float], seconds: float) -> None:
    """Count one more message; TooOften if as many as the deque holds were sent in these seconds."""
    now = asyncio.get_running_loop().time()
    if len(sent) == sent.maxlen and now - sent[0] < seconds:
        raise TooOften(TOO_FAST, seconds - (now - sent[0]))
    sent.append(now)
