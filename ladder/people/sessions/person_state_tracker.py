"""
The events of one person's seat, made into what its browsers show: the listener of its `PersonClient`.

The parts of a `PersonState` are made from what the person's seat sees, and from nothing else (C-9).
"""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TYPE_CHECKING, Literal

from ladder.people.seat.illegal_cards import why_barred
from ladder.people.seat.points_explained import no_points_remain, points_explained
from ladder.values.opponents import shown_players
from ladder.values.person_state import (
    PersonBar,
    PersonNotice,
    PersonOver,
    PersonQuestion,
    PersonResult,
    PersonState,
    SheetRow,
)
from ladder.values.text import sanitize
from pigpen.rules import Phase
from pigpen.rules.scoring import shooter_of
from pigpen.values.notices import DealResult, FaultNotice
from pigpen.values.view import Seen
from referee.records.steps import NAMES, names_of
from referee.replay.table_view import TableDeal, deal_fields, last_trick, seat_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ladder.people.seat.seat_client import Question, SeatActions
    from ladder.people.sessions.table_info import ShownStatus, TableInfo
    from ladder.values.person_state import Phrase
    from pigpen.rules import Action, Rules
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import View


def shown_deal(
    rules: Rules, number: int, names: Sequence[str], kinds: Mapping[str, str], seat: int | None
) -> TableDeal:
    """
    Make what stays for a deal of a table with people.

    Args:
        rules: The variant.
        number: Of the deal, from 0.
        names: Of the players, by seat, as in the record.
        kinds: What sits behind these names; a house bot if it is not there, which is shown as an opponent.
        seat: The seat from which the table is looked at; None: a spectator's view.
    """
    kind_of = [kinds.get(name, "house") for name in names]
    shown = (sanitize(each.name) for each in shown_players(names, kind_of))
    return TableDeal(**deal_fields(rules, number, shown, kind_of, seat))


def shown_question(question: Question, left: float) -> PersonQuestion:
    """Make what is asked, with *left* seconds to answer it; infinite: as long as the person likes."""
    view, phase = question.view, question.view.phase
    return PersonQuestion.model_validate(
        {
            "decision": view.decision,
            "kind": phase.name.lower(),
            "limit": view.limit,
            "left": None if math.isinf(left) else round(max(0.0, left), 1),
            "legal": view.legal if phase is not Phase.MOON else (),
            "count": view.pass_count if phase is Phase.PASS else 0,
            "pass_to": view.pass_to if phase is Phase.PASS else None,
            "faces": tuple(_faces(view)) if phase is Phase.EXPOSE else (),
            "why": _why(view) if phase is Phase.PLAY else {},
            "claim": phase is Phase.PLAY and no_points_remain(view),
        }
    )


def shown_result(view: View, result: DealResult) -> PersonResult:
    """Make the end of a deal from the view that a seat has of it then."""
    taken = [view.taken_mask(seat) for seat in range(view.rules.players)]
    return PersonResult(
        deal=result.deal,
        scores=result.scores,
        totals=result.totals,
        parts=points_explained(view, result.scores),
        shooter=shooter_of(view.rules, taken),
    )


def done_between(view: View, after: View) -> str:
    """Say what the seat has answered to the question of *view*, as *after* shows it; empty if it shows nothing."""
    if view.phase is Phase.PASS:
        return names_of(after.passed_mask)
    if view.phase is Phase.EXPOSE:
        own = sorted(each for each in after.exposures if each.seat == view.seat)
        return " ".join(f"{NAMES[each.card]}{'*' * (each.face.name == 'DOWN')}" for each in own)
    if view.phase is Phase.PLAY:
        plays = [play for trick in (*after.tricks, after.trick) for play in trick if play.seat == view.seat]
        done = view.rules.hand_size - view.hand_mask.bit_count()
        return NAMES[plays[done].card] if done < len(plays) else ""
    return ""


def _faces(view: View) -> Iterator[str]:
    yield "up"
    if view.rules.exposing and view.rules.exposing.face_down:
        yield "down"


def _why(view: View) -> dict[str, PersonBar]:
    barred = {card: why_barred(view, card) for card in view.hand}
    return {NAMES[card]: found for card, found in barred.items() if found}


MAX_NOTICES = 5
"""Notices that are kept."""


class PersonStateTracker:
    """
    Makes a `PersonState` of everything that its client hears.

    The end of a deal stays until the person continues: what happens in the next deal meanwhile is held back, and comes
    then, moment by moment.

    Attributes:
        seat: Receives what the person does.
        info: What is shown besides the game; call `show` after a change.
        connections: How often its client has found the seat.
    """

    def __init__(
        self,
        changed: Callable[[PersonState], None],
        info: TableInfo,
        now: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """
        Begin before the first card.

        Args:
            changed: Is given each new state.
            info: What is shown besides the game.
            now: The clock of the client.
            clock: Where the numbers of states begin, in Unix seconds, so that they rise after a new start, too.
        """
        self.seat: SeatActions | None = None
        self.info = info
        self.connections = 0
        self._changed = changed
        self._now = now
        self._number = int(clock() * 1000)
        self._seen: Seen | None = None
        self._deal: tuple[object, TableDeal] | None = None
        self._by = ""
        self._question: Question | None = None
        self._answered: dict[int, Action] = {}
        self._fault: tuple[FaultNotice, Question | None] | None = None
        self._result: PersonResult | None = None
        self._ended: DealResult | None = None
        self._looked_at = -1
        self._held: deque[Seen] = deque()
        self._sheet: list[SheetRow] = []
        self._notices: deque[PersonNotice] = deque(maxlen=MAX_NOTICES)
        self._noticed = self._number  # a page outlives this, and shows only notices of greater numbers
        self._place: int | None = None
        self._is_connected = False

    # Called by the client.

    def welcomed(self, welcome: Welcome) -> None:
        """See `SeatListener`."""

    def saw(self, seen: Seen) -> None:
        """See `SeatListener`."""
        if self._result is not None and seen.view.deal > self._result.deal and not seen.away:
            self._held.append(seen)
        else:
            self._flush()
            self._see(seen)

    def asked(self, question: Question) -> None:
        """See `SeatListener`. A question of the next deal ends the pause after the last one."""
        self._flush()
        self._question = question
        self._answered.pop(question.view.decision, None)  # put again: the answer is lost
        self.show()

    def notified(self, notice: Notice) -> None:
        """See `SeatListener`; a result that is sent again after a lost connection is known."""
        if isinstance(notice, DealResult):
            if not self._sheet or notice.deal > self._sheet[-1].deal:
                self._deal_over(notice)
        elif isinstance(notice, FaultNotice):
            self._fault, self._question = (notice, self._question), None
            self.show()
        else:
            self._place, self._question = notice.place, None
            self.show()

    def connected(self, *, is_there: bool) -> None:
        """See `SeatListener`."""
        self.connections += is_there
        if self._is_connected is not is_there:
            self._is_connected = is_there
            self.show()

    # Called by the session, which knows what the person does and what becomes of the table.

    @property
    def is_connected(self) -> bool:
        """True while connected."""
        return self._is_connected

    @property
    def question(self) -> Question | None:
        """The question that is open now; None: none is."""
        return self._question

    def answered(self, decision: int) -> Action | None:
        """Give the answer to the question of that number."""
        return self._answered.get(decision)

    def answer(self, decision: int, action: Action) -> bool:
        """Answer the question of that number, and say whether that is, or was, its answer."""
        if self._answered.get(decision) == action:
            return True
        if self._question is None or self._question.view.decision != decision or self.seat is None:
            return False
        if not self.seat.answer(decision, action):
            return False
        is_sealed = self._question.view.phase is not Phase.PLAY
        self._answered[decision], self._question = action, None
        if is_sealed:  # nothing is seen of it before all have answered
            self.show()
        return True

    def go_on(self, deal: int) -> None:
        """Note that the person has looked at the end of that deal."""
        if self._result is None or self._result.deal != deal:
            return
        self._looked_at = deal
        if self.seat is not None:
            self.seat.go_on(deal)
        self._flush()
        self.show()

    def read_help(self, *, is_open: bool) -> None:
        """Note that the person has opened the help, or closed it."""
        if self.seat is not None:
            self.seat.read_help(is_open=is_open)

    def notice(self, kind: Literal["resumed", "taken_back"]) -> None:
        """Tell the person that something has happened to the table."""
        self._note(kind)
        self.show()

    @property
    def may_say(self) -> bool:
        """True if the person may send a phrase: it looks at the end of a deal, so it cannot speak of cards in play."""
        return self._result is not None or self._status() == "over"

    def show_phrase(self, who: str, phrase: Phrase) -> None:
        """Show a phrase of a person at the table."""
        self._note("phrase", who=sanitize(who), phrase=phrase)
        self.show()

    def seat_is_gone(self) -> None:
        """Note that the seat has ended, and that another one may come, which puts the open question again."""
        self.seat = self._question = None
        self._is_connected = False
        self.show()

    def show(self) -> None:
        """Make the next state."""
        self._number += 1
        self._changed(self.state())

    def state(self) -> PersonState:
        """Make the state as it is now; with the same number only the seconds left differ."""
        seen, info, ended = self._seen, self.info, self._ended
        view = seen.view if seen else None
        is_end = seen is not None and ended is not None and self._is_end(seen, ended)
        return PersonState(
            number=self._number,
            status=self._status(),
            reason=info.reason,
            delay=0.0,
            connected=self._is_connected,
            away=self._status() == "paused" or (seen is not None and seen.away),
            waits=info.waits,
            practice=info.practice,
            assisted=info.assisted,
            deal=self._shown_deal(seen) if seen else None,
            moment=seat_table(view, ended if is_end else None, self._by) if view else None,
            last_trick=last_trick(view) if view else None,
            question=shown_question(self._question, self._question.until - self._now()) if self._question else None,
            result=self._result,
            sheet=tuple(self._sheet),
            notices=tuple(self._notices),
            over=self._over(),
        )

    def _shown_deal(self, seen: Seen) -> TableDeal:
        """Make what stays for a deal, once."""
        view, kinds = seen.view, dict(self.info.kinds)
        key = view.deal, view.seat, seen.names, kinds
        if self._deal is None or self._deal[0] != key:
            self._deal = key, shown_deal(view.rules, view.deal, seen.names, kinds, view.seat)
        return self._deal[1]

    def _see(self, seen: Seen) -> None:
        is_new = self._seen is None or seen.view != self._seen.view
        if is_new:
            self._by = f"default:{self._fault[0].verdict}" if self._fault else "away" if seen.away else ""
        self._seen = seen
        if seen.away or (is_new and self._question is not None and self._question.view != seen.view):
            self._question = None
        if self._fault is not None:
            self._note_fault(*self._fault, seen)
        if self._ended is not None and seen.view.deal > self._ended.deal > self._looked_at and self.seat is not None:
            self._looked_at = self._ended.deal
            self.seat.go_on(self._ended.deal)  # there is nothing of that deal to look at: this tracker was not there
        self._try_result()
        self.show()

    def _deal_over(self, result: DealResult) -> None:
        self._ended, self._question = result, None
        self._sheet.append(SheetRow(deal=result.deal, scores=result.scores, totals=result.totals))
        if self._try_result():
            self.show()

    def _try_result(self) -> bool:
        """Show the end of a deal if there is one, and say whether there is."""
        seen, result = self._seen, self._ended
        if seen is None or result is None or result.deal <= self._looked_at or not self._is_end(seen, result):
            return False
        self._result = self._result or shown_result(seen.view, result)
        return True

    @staticmethod
    def _is_end(seen: Seen, result: DealResult) -> bool:
        """Tell whether what is seen is the end of the deal that has this result."""
        return seen.view.deal == result.deal and seen.view.phase is Phase.OVER

    def _flush(self) -> None:
        """Show what was held back, if there is anything."""
        self._result = None
        while self._held:
            self._see(self._held.popleft())

    def _note_fault(self, fault: FaultNotice, question: Question | None, seen: Seen) -> None:
        self._fault = None
        action = done_between(question.view, seen.view) if question and question.view.deal == seen.view.deal else ""
        self._note("default", fault.verdict, action, fault.message)

    def _note(
        self,
        kind: Literal["default", "resumed", "taken_back", "phrase"],
        verdict: str = "",
        action: str = "",
        text: str = "",
        who: str = "",
        phrase: Phrase | None = None,
    ) -> None:
        self._noticed += 1
        self._notices.append(
            PersonNotice(
                number=self._noticed,
                kind=kind,
                verdict=verdict,
                action=action,
                text=sanitize(text)[:500],
                who=who,
                phrase=phrase,
            )
        )

    def _status(self) -> ShownStatus:
        if self.info.status in ("over", "ended"):
            return self.info.status
        if self._place is not None:
            return "over"
        if self._is_connected:
            return "playing"
        return "resuming" if self.info.status == "starting" and self.connections else self.info.status

    def _over(self) -> PersonOver | None:
        place = self.info.place if self._place is None else self._place
        if place is None:
            return None
        totals = self._sheet[-1].totals if self._sheet else self.info.totals
        return PersonOver(place=place, totals=totals, verify=self.info.verify, compare=self.info.compare)
