"""
Teams of contestants: founded by one who invites others by links, or made by the organiser.

A team is an owner of bots. Each of its members may submit, withdraw and retire them, and read their logs; what was done
by whom is in the audit log. A member submits for the team alone, so that a person never has two bots at one table.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from ladder.app.accounts.sessions import DAY, hash_of, new_secret
from ladder.entry.deadlines import EVERY
from ladder.entry.policy import Act, check
from ladder.errors import Forbidden, LadderError
from ladder.store.account_models import Account
from ladder.store.account_names import account_of, find_account
from ladder.store.commands import teams as store
from ladder.store.commands.accounts import revoke_invitations, write_audit
from ladder.store.commands.event_entries import open_entries
from ladder.store.models import Owner
from ladder.store.queries import account_lists
from ladder.store.queries.submissions import usage
from ladder.store.submission_look import deadlines_in
from ladder.store.turns import other_bots
from ladder.values.accounts import NewSecret
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import AccountRow, TeamInvitationRow, TeamRow, Viewer

JOINING = "pgj_"
"""Beginning of the secret of a link with which an account joins a team."""
LINK_DAYS = 7
"""Days for which such a link is valid."""
NO_TEAMS = "There are no teams on this ladder. Its organiser can allow them: setting team_size"
IN_NO_TEAM = "You are in no team."
TEAM_DISABLED = "Your team {team!r} is disabled. Ask the organiser of the ladder, or leave the team at /me/team."
LAST_DISABLED = (
    "You are the last member of {team!r}, which is disabled, and its bots play or are in events: {bots}. Ask the "
    "organiser of the ladder to take you out of it."
)
LAST_MEMBER = (
    "You are the last member of {team!r}, whose bots play or wait: {bots}. Invite another member, or retire them "
    "first: pigpen retire {first}"
)
LAST_IN_EVENTS = (
    "You are the last member of {team!r}, whose bots are in events that are not over: {bots}. Invite another member, "
    "or withdraw them first: pigpen event withdraw {first}"
)
CLOSED = (
    "Submissions closed on {when:%Y-%m-%d at %H:%M:%S} UTC, and teams stay as they were then. To change one, ask the "
    "organiser."
)
SUBMITTED_TODAY = (
    "You are the last member of {team!r}, which has submitted bots within 24 hours. Leave it a day after the last one."
)


def teams(ladder: Ladder) -> list[TeamRow]:
    """Read all teams, by name; they are public, as owners are."""
    with ladder.database.read() as session:
        return store.team_rows(session, ladder.settings.team_size)


def own_team(ladder: Ladder, viewer: Viewer) -> tuple[TeamRow | None, Sequence[TeamInvitationRow]]:
    """Read the viewer's team, and its open invitations; None: the viewer is in none."""
    check(viewer, Act.READ_ACCOUNT, viewer.name)
    if viewer.team is None:
        return None, ()
    with ladder.database.read() as session:
        row = store.team_row(session, viewer.team, ladder.settings.team_size)
        team = store.find_team(session, viewer.team).owner_id
        return row, store.open_team_invitations(session, team, ladder.clock())


def found_team(ladder: Ladder, viewer: Viewer, name: str) -> TeamRow:
    """
    Found a team, with the viewer as its first member; it comes into the group of the viewer's account.

    Raises:
        LadderError: If there are no teams here, the deadline of all variants has passed, the name cannot be or is
            taken, the viewer is in a team already, or has bots of its own that play or are in events.
    """
    check(viewer, Act.CHANGE_ACCOUNT, viewer.name)
    _check_teams(ladder)
    with ladder.database.write() as session:
        now, account = ladder.clock(), find_account(session, str(viewer.name))
        check_team(session, account)
        _check_in_time(session, now)
        team = store.make_team(session, name, account.group_name, now)
        store.join(session, account, team, ladder.settings.team_size, now)
        write_audit(session, viewer, "team.found", name, now)
        return store.team_row(session, name, ladder.settings.team_size)


def invite(ladder: Ladder, viewer: Viewer) -> NewSecret:
    """
    Make a link with which one account may join the viewer's team, once.

    Raises:
        LadderError: If the viewer is in no team, the team is full, or the deadline of all variants has passed.
    """
    with ladder.database.write() as session:
        team, now = _own(session, viewer), ladder.clock()
        _check_in_time(session, now)
        name, limit = str(viewer.team), ladder.settings.team_size
        if len(store.members(session, team.owner_id)) >= limit:
            raise LadderError(store.FULL_TEAM, team=name, limit=limit)
        secret, expires = new_secret(JOINING), now + LINK_DAYS * DAY
        made = store.invite_to_team(session, team, hash_of(secret), str(viewer.name), now, expires)
        write_audit(session, viewer, "team.invite", name, now, id=made.id)
        return NewSecret(id=made.id, secret=secret, expires=time_of(expires))


def revoke_invitation(ladder: Ladder, viewer: Viewer, number: int) -> None:
    """
    Revoke an open invitation of the viewer's team.

    Raises:
        LadderError: If the viewer is in no team, or no open invitation of the team has that number.
    """
    with ladder.database.write() as session:
        team, now = _own(session, viewer), ladder.clock()
        if not store.revoke_team_invitation(session, team, number, now):
            raise LadderError(store.NOT_OPEN)
        write_audit(session, viewer, "team.revoke", str(viewer.team), now, id=number)


def inviting_team(ladder: Ladder, invitation: str) -> str:
    """
    Give the name of the team that a link leads into.

    Raises:
        LadderError: If it is not valid any more.
    """
    with ladder.database.read() as session:
        found = store.open_team_invitation(session, hash_of(invitation), ladder.clock())
        return session.get_one(Owner, found.team_id).name


def join(ladder: Ladder, viewer: Viewer, invitation: str) -> TeamRow:
    """
    Join a team by a link, which is used up then.

    Raises:
        LadderError: If the link is not valid any more, the viewer is in another team or has bots of its own that play
            or are in events, the team is full, or the deadline of all variants has passed.
    """
    check(viewer, Act.CHANGE_ACCOUNT, viewer.name)
    _check_teams(ladder)
    with ladder.database.write() as session:
        now, account = ladder.clock(), find_account(session, str(viewer.name))
        check_team(session, account)
        _check_in_time(session, now)
        found = store.open_team_invitation(session, hash_of(invitation), now)
        name = session.get_one(Owner, found.team_id).name
        store.join(session, account, store.find_team(session, name), ladder.settings.team_size, now)
        found.used, found.used_by = now, viewer.name
        write_audit(session, viewer, "team.join", name, now, id=found.id)
        return store.team_row(session, name, ladder.settings.team_size)


def leave(ladder: Ladder, viewer: Viewer) -> None:
    """
    Leave one's team. Its bots stay the team's.

    The last member leaves no bots at play or in events, and no quota used today: one person with a team after another
    would have more of both than an account may have, and several bots at one table.

    Raises:
        LadderError: If the viewer is in no team, or is its last member and the team has bots that play, wait or are in
            events, or has submitted within a day.
    """
    with ladder.database.write() as session:
        team, now = _own(session, viewer, may_be_disabled=True), ladder.clock()
        name = session.get_one(Owner, team.owner_id).name
        if len(store.members(session, team.owner_id)) == 1:
            playing, entered = other_bots(session, name, ""), open_entries(session, team.owner_id)
            if team.disabled is not None and (bots := sorted({*playing, *(bot for _, bot in entered)})):
                raise LadderError(LAST_DISABLED, team=name, bots=", ".join(bots))
            if playing:
                raise LadderError(LAST_MEMBER, team=name, bots=", ".join(playing), first=playing[0])
            if entered:
                raise LadderError(LAST_IN_EVENTS, team=name, bots=store.in_words(entered), first=" ".join(entered[0]))
            if usage(session, (name,), now).today:
                raise LadderError(SUBMITTED_TODAY, team=name)
        store.leave(session, find_account(session, str(viewer.name)), now)
        write_audit(session, viewer, "team.leave", name, now)


def set_team(ladder: Ladder, viewer: Viewer, name: str, team: str | None) -> AccountRow:
    """
    Put an account into a team, out of the one in which it was.

    Args:
        ladder: The ladder.
        viewer: The caller, an organiser.
        name: Whose account.
        team: A new one is made, in the group of the account; None: into none.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such account, there are no teams here, the name of the team cannot be or is that of
            a person, the account has bots of its own that play, or the team is full.
    """
    check(viewer, Act.ADMINISTER)
    if team is not None:
        _check_teams(ladder)
    with ladder.database.write() as session:
        now, account = ladder.clock(), find_account(session, name)
        store.leave(session, account, now)
        if team is not None:
            found = account_of(session, team)
            if found is None:
                found = store.make_team(session, team, account.group_name, now, is_reserved=True)
                revoke_invitations(session, now, name=team)
            store.join(session, account, store.find_team(session, team), ladder.settings.team_size, now)
        write_audit(session, viewer, "account.team", name, now, team=team)
        (row,) = account_lists.accounts(session, name)
        return row


def _own(session: Session, viewer: Viewer, *, may_be_disabled: bool = False) -> Account:
    """Find the viewer's team as it is now: the viewer may have left since it was asked who that is."""
    check(viewer, Act.CHANGE_ACCOUNT, viewer.name)
    account = find_account(session, str(viewer.name))
    if account.team_id is None:
        raise LadderError(IN_NO_TEAM)
    team = session.get_one(Account, account.team_id)
    if team.disabled is not None and may_be_disabled:
        return team
    check_team(session, account)
    if session.get_one(Owner, team.owner_id).name != viewer.team:
        raise LadderError(IN_NO_TEAM)
    return team


def check_team(session: Session, account: Account) -> None:
    """
    Make sure that an account's team may act, if it is in one.

    Raises:
        Forbidden: If the team is disabled.
    """
    if account.team_id is not None and session.get_one(Account, account.team_id).disabled is not None:
        raise Forbidden(TEAM_DISABLED, team=session.get_one(Owner, account.team_id).name)


def disabled_team(ladder: Ladder, viewer: Viewer) -> str:
    """Give the name of the viewer's team if it is disabled; empty: it is not, or there is none."""
    check(viewer, Act.READ_ACCOUNT, viewer.name)
    with ladder.database.read() as session:
        team = find_account(session, str(viewer.name)).team_id
        is_disabled = team is not None and session.get_one(Account, team).disabled is not None
        return session.get_one(Owner, team).name if is_disabled else ""


def _check_teams(ladder: Ladder) -> None:
    if not ladder.settings.team_size:
        raise LadderError(NO_TEAMS)


def _check_in_time(session: Session, now: float) -> None:
    """After the deadline a new member would have the place of the team's bot without having worked on it."""
    at = deadlines_in(session).get(EVERY)
    if at is not None and now > at:
        raise LadderError(CLOSED, when=datetime.datetime.fromtimestamp(at, datetime.UTC))
