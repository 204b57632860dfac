"""
The ladder on this machine, as commands ask it.

Each method imports its use case: a command needs one of them, and together they take longer to import than a table of
standings takes to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.values.held_events import EventAct

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.bots import BotPage, BotRow, PeopleAllowed, Retired
    from ladder.values.held_events import EventDone, EventPage, EventRow
    from ladder.values.local_results import SeatLog
    from ladder.values.matches import Explanation, MatchPage, MatchRow
    from ladder.values.order import Order
    from ladder.values.standings import Standings
    from ladder.values.submission import SubmissionList, SubmissionRow
    from pigpen.rules import Rules


@dataclass(frozen=True)
class LocalLadder:
    """An `AnyLadder`: who has its files may do everything."""

    ladder: Ladder

    def standings(
        self,
        variant: str | None,
        everyone: bool,
        first: int | None,
        by: Order | None,
        season: str | None = None,
        group: str | None = None,
    ) -> list[Standings]:
        """See `AnyLadder`."""
        from ladder.app import bots

        return bots.standings(self.ladder, variant, everyone, first, by, season, group=group)

    def bots(self) -> list[BotRow]:
        """See `AnyLadder`."""
        from ladder.app import bots

        return bots.bots(self.ladder)

    def bot_page(self, bot: str, variant: str | None, opponents: int) -> BotPage:
        """See `AnyLadder`."""
        from ladder.app import bots

        return bots.bot_page(self.ladder, bot, variant, opponents)

    def matches(self, variant: str | None, bot: str | None, statuses: Sequence[str], limit: int) -> list[MatchRow]:
        """See `AnyLadder`."""
        from ladder.app import matches

        return matches.matches(self.ladder, variant, bot, map(matches.MatchStatus, statuses), limit)

    def why_nothing_plays(self) -> str:
        """See `AnyLadder`."""
        from ladder.app import health
        from ladder.app.missing_runner import START_HERE, why_nothing_plays

        return why_nothing_plays(health.health(self.ladder), START_HERE)

    def match(self, number: int) -> MatchPage:
        """See `AnyLadder`."""
        from ladder.app import matches

        return matches.match(self.ladder, number)

    def explanation(self, number: int) -> Explanation:
        """See `AnyLadder`."""
        from ladder.app import matches

        return matches.explanation(self.ladder, number)

    def record_of(self, number: int) -> Path:
        """See `AnyLadder`."""
        from ladder.app import matches

        return matches.record_of(self.ladder, number)

    def logs(self, match: int, seat: str, rotation: int | None) -> list[SeatLog]:
        """See `AnyLadder`."""
        from ladder.app import bot_logs
        from ladder.values.accounts import LOCAL

        return bot_logs.logs(self.ladder, LOCAL, match, seat, rotation)

    def retire(self, bot: str, variants: Sequence[str], reason: str) -> list[Retired]:
        """See `AnyLadder`."""
        from ladder.app import states
        from ladder.values.accounts import LOCAL

        return states.retire(self.ladder, LOCAL, bot, variants, reason)

    def allow_people(self, bot: str, allowed: bool) -> PeopleAllowed:
        """See `AnyLadder`."""
        from ladder.app import states
        from ladder.values.accounts import LOCAL

        return states.allow_people(self.ladder, LOCAL, bot, allowed)

    def submissions(self, before: int | None, limit: int) -> SubmissionList:
        """See `AnyLadder`."""
        from ladder.app.submit import ordering
        from ladder.values.accounts import LOCAL

        return ordering.submissions(self.ladder, LOCAL, before, limit)

    def events(self) -> Sequence[EventRow]:
        """See `AnyLadder`."""
        from ladder.app.event import reading

        return reading.events(self.ladder)

    def event(self, name: str, *, everything: bool) -> EventPage:
        """See `AnyLadder`."""
        from ladder.app.event import reading
        from ladder.values.accounts import LOCAL

        return reading.event(self.ladder, LOCAL, name, everything=everything)

    def open_event(self, name: str, file: str, rules: Rules) -> EventPage:
        """See `AnyLadder`."""
        from ladder.app.event import holding, reading
        from ladder.values.accounts import LOCAL

        holding.open_event(self.ladder, LOCAL, name, file, rules)
        return reading.event(self.ladder, LOCAL, name)

    def act_on_event(self, name: str, wanted: EventAct) -> EventDone:
        """See `AnyLadder`."""
        from ladder.app.event import holding
        from ladder.values.accounts import LOCAL

        return holding.act(self.ladder, LOCAL, name, wanted)

    def enter_event(self, name: str, bot: str, *, ladder_nonce: bool) -> EventDone:
        """See `AnyLadder`: on its own machine the ladder makes the nonce, since its organiser could read it there."""
        return self.act_on_event(name, EventAct.model_construct(act="enter", bot=bot))

    def reveal_nonces(self, name: str) -> Sequence[str]:
        """See `AnyLadder`."""
        raise UserError(
            "Bots that were entered on the ladder's own machine have nonces that the ladder reveals. To reveal yours, "
            "log in to its ladder: pigpen login URL"
        )

    def export_event(self, name: str, path: Path) -> None:
        """See `AnyLadder`."""
        from ladder.app.event.export_file import export_event

        export_event(self.ladder, name, path)

    def submission(self, number: int) -> SubmissionRow:
        """See `AnyLadder`."""
        from ladder.app.submit import ordering
        from ladder.values.accounts import LOCAL

        return ordering.submission(self.ladder, LOCAL, number)

    def withdraw(self, number: int) -> SubmissionRow:
        """See `AnyLadder`."""
        from ladder.app.submit import ordering
        from ladder.values.accounts import LOCAL

        return ordering.withdraw(self.ladder, LOCAL, number)
