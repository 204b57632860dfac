"""The games that a person has played here, and the days on which it played the board of the day."""

from __future__ import annotations

import datetime

from ladder.values.people import TablePurpose
from ladder.values.value import Time, Value


class OwnGame(Value):
    """A table that a person has played to its end."""

    table: str
    """The table's name in its address."""
    purpose: TablePurpose
    day: datetime.date | None
    """The day whose board it was; None: no day's."""
    variant: str
    format: str
    finished: Time
    place: int
    players: int
    points: int
    others: tuple[str, ...]
    """The names of the other players."""
    assisted: bool
    """True if the person asked why before it played, or took cards back."""
    ahead: float | None
    """
    Points a deal by which the person did better than the mean of the bots `counting` at the table.

    More is better in every variant. None: there were none, or the number of deals is not known beforehand.
    """
    deals: int
    """0: the number is not known beforehand."""
    places: tuple[tuple[str, int], ...]
    """Names and places of all at the table, the person's name empty; none where the game counts for no rating."""
    cost: float | None
    """Of the person's costliest decision, in points, as far as its page was asked for them; None: not at all."""


class OwnRecord(Value):
    """A person's games in one variant."""

    variant: str
    games: int
    place: float
    """Mean."""
    compared: int
    """Games of which `ahead` is known, without those with help."""
    ahead: float | None
    """Mean of `OwnGame.ahead` over these; None if there are none."""
    ahead_error: float | None
    """± at 95 % of that; None for fewer than two games."""
    elo: float | None
    """The person's rating against house bots, `counting` having 1500 (`ladder.people.review.own_games`)."""
    elo_error: float | None
    """± at 95 % of that."""
    rated: int
    """Games that count for it."""


class DayGame(Value):
    """A person's first play of a day's board."""

    table: str
    """The table's name in its address."""
    variant: str


class CalendarDay(Value):
    """One day of the calendar."""

    day: datetime.date
    games: tuple[DayGame, ...]
    """The first play of each variant's board of that day."""
    is_future: bool


class OwnDays(Value):
    """A person's plays of the boards of the days."""

    streak: int
    """Days in a row on which a board was played, up to today, or up to yesterday as long as today's is open."""
    weeks: tuple[tuple[CalendarDay, ...], ...]
    """Each from Monday to Sunday, the newest last."""

    def games_on(self, day: datetime.date) -> tuple[DayGame, ...]:
        """Give the plays of the boards of one of these days."""
        return next((each.games for week in self.weeks for each in week if each.day == day), ())
