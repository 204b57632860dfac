"""The requests that a command may make of a ladder, on this machine or remote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ladder.values.bots import BotPage, BotRow, PeopleAllowed, Retired
    from ladder.values.held_events import EventAct, EventDone, EventPage, EventRow
    from ladder.values.local_results import SeatLog
    from ladder.values.matches import Explanation, MatchPage, MatchRow
    from ladder.values.order import Order
    from ladder.values.standings import Standings
    from ladder.values.submission import SubmissionList, SubmissionRow
    from pigpen.rules import Rules


class AnyLadder(Protocol):
    """
    A ladder, on this machine or remote. Each method is the use case of that name in `ladder.app`, which says what it
    takes, gives and raises; both kinds give the same values, and refuse with the same sentences.
    """

    def standings(
        self,
        variant: str | None,
        everyone: bool,
        first: int | None,
        by: Order | None,
        season: str | None = None,
        group: str | None = None,
    ) -> list[Standings]:
        """Do as `ladder.app.bots.standings`."""

    def bots(self) -> list[BotRow]:
        """Do as `ladder.app.bots.bots`."""

    def bot_page(self, bot: str, variant: str | None, opponents: int) -> BotPage:
        """Do as `ladder.app.bots.bot_page`."""

    def matches(self, variant: str | None, bot: str | None, statuses: Sequence[str], limit: int) -> list[MatchRow]:
        """Do as `ladder.app.matches.matches`; *statuses* are the names of `MatchStatus`."""

    def why_nothing_plays(self) -> str:
        """Do as `ladder.app.missing_runner.why_nothing_plays`; empty also for a remote ladder that does not tell."""

    def match(self, number: int) -> MatchPage:
        """Do as `ladder.app.matches.match`; of a remote ladder the record is an address."""

    def explanation(self, number: int) -> Explanation:
        """Do as `ladder.app.matches.explanation`."""

    def record_of(self, number: int) -> Path:
        """Do as `ladder.app.matches.record_of`; of a remote ladder the record is fetched."""

    def logs(self, match: int, seat: str, rotation: int | None) -> list[SeatLog]:
        """Do as `ladder.app.bot_logs.logs`."""

    def retire(self, bot: str, variants: Sequence[str], reason: str) -> list[Retired]:
        """Do as `ladder.app.states.retire`."""

    def allow_people(self, bot: str, allowed: bool) -> PeopleAllowed:
        """Do as `ladder.app.states.allow_people`."""

    def submissions(self, before: int | None, limit: int) -> SubmissionList:
        """Do as `ladder.app.submit.ordering.submissions`."""

    def events(self) -> Sequence[EventRow]:
        """Do as `ladder.app.event.reading.events`."""

    def event(self, name: str, *, everything: bool) -> EventPage:
        """Do as `ladder.app.event.reading.event`."""

    def open_event(self, name: str, file: str, rules: Rules) -> EventPage:
        """Do as `ladder.app.event.holding.open_event`; give the event as it is then."""

    def act_on_event(self, name: str, wanted: EventAct) -> EventDone:
        """Do as `ladder.app.event.holding.act`."""

    def enter_event(self, name: str, bot: str, *, ladder_nonce: bool) -> EventDone:
        """Enter a bot; a remote ladder gets the SHA-256 of a nonce that is made and kept here, unless it makes one."""

    def reveal_nonces(self, name: str) -> Sequence[str]:
        """Reveal the nonces that are kept here for an event; give the names of the bots that they are of."""

    def export_event(self, name: str, path: Path) -> None:
        """Do as `ladder.app.event.export_file.export_event`."""

    def submission(self, number: int) -> SubmissionRow:
        """Do as `ladder.app.submit.ordering.submission`."""

    def withdraw(self, number: int) -> SubmissionRow:
        """Do as `ladder.app.submit.ordering.withdraw`."""
