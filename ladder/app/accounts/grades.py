"""A sheet for grades: a line for each contestant, with the best of the contestant's bots in one variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.bots import standings
from ladder.entry.policy import Act, check
from ladder.store.commands.groups import group_owners
from ladder.store.queries.account_lists import accounts, invitations, submissions_by_owner
from ladder.values.accounts import GradeRow, Role
from ladder.values.order import Order
from ladder.values.value import time_of

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer
    from ladder.values.standings import StandingRow

COPIED = ("bot", "version", "state", "elo", "error", "margin", "matches", "faults")
"""Fields of a standing that a line of the sheet has, too."""


def grades(
    ladder: Ladder, viewer: Viewer, variant: str, season: str | None = None, group: str | None = None
) -> list[GradeRow]:
    """
    Give a row for each account of a contestant: those with a ranked bot by their places, then the others by name.

    Args:
        ladder: The ladder.
        viewer: Who asks, an organiser.
        variant: Whose standings count, in the order that the ladder shows them.
        season: As they were at the end of the season of that name; None: as they are now.
        group: Only contestants of this group, among whom the places are; None: all.

    Raises:
        LadderError: If the ladder does not play that variant, or has had no such season, or there is no such group.
    """
    check(viewer, Act.ADMINISTER)
    (found,) = standings(ladder, variant, everyone=True, season=season)
    best: dict[str, StandingRow] = {}
    for one in found.standings:
        best.setdefault(one.owner, one)
    with ladder.database.read() as session:
        among = group_owners(session, group) if group is not None else None
        rows = [each for each in accounts(session) if each.role is Role.CONTESTANT and not each.is_team]
        rows = [each for each in rows if among is None or each.name in among]
        notes = {(each.used_by, each.used): each.note for each in invitations(session, ladder.clock())}
        submitted = submissions_by_owner(session)

    for each in rows:
        if each.team in best:
            best[each.name] = best[each.team]
        if each.team in submitted:
            submitted[each.name] = _together(submitted.get(each.name), submitted[each.team])
    ranks = {name: _ranks(row, found.by) for name, row in best.items()}
    by_owner = {best[each.name].owner: ranks[each.name][0] for each in rows if each.name in best}
    taken = sorted(rank for rank in by_owner.values() if rank is not None)
    made = []
    for each in rows:
        count, last = submitted.get(each.name, (0, None))
        line = GradeRow(
            account=each.name,
            note=notes.get((each.name, each.added), ""),  # later ones are links for a new password
            group=each.group or "",
            team=each.team or "",
            submissions=count,
            last=None if last is None else time_of(last),
        )
        if row := best.get(each.name):
            rank, low, high = ranks[each.name]
            line = line.model_copy(
                update={
                    "place": None if rank is None else 1 + taken.index(rank),
                    "rank": rank,
                    "rank_low": low,
                    "rank_high": high,
                    **{name: getattr(row, name) for name in COPIED},
                }
            )
        made.append(line)
    return sorted(made, key=lambda each: (each.place is None, each.place or 0))


def _together(own: tuple[int, float] | None, of_team: tuple[int, float]) -> tuple[int, float]:
    count, last = own or (0, 0.0)
    return count + of_team[0], max(last, of_team[1])


def _ranks(row: StandingRow, by: Order) -> tuple[int | None, int | None, int | None]:
    """Give a bot's rank by what orders the standings, and the range that it may deserve."""
    if by is Order.ELO:
        return row.rank, row.rank_low, row.rank_high
    return row.margin_rank, row.margin_rank_low, row.margin_rank_high
