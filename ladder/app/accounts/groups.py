"""Groups of accounts, such as those of a course: who is in which, and what each account of a group may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check
from ladder.errors import UserError
from ladder.store.account_names import find_account
from ladder.store.commands.accounts import write_audit
from ladder.store.commands.groups import find_group, group_owners, group_rows, put_into_group
from ladder.store.queries import account_lists

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import AccountRow, GroupRow, Viewer

NO_BOTS = "An account may have 1 bot or more. To let no one submit: pigpen ladder deadline set now"


def groups(ladder: Ladder) -> list[GroupRow]:
    """Read all groups, by name; they are public, as their standings are."""
    with ladder.database.read() as session:
        return group_rows(session)


def owners_in(ladder: Ladder, group: str) -> frozenset[str]:
    """
    Read the names of the accounts of a group.

    Raises:
        LadderError: If there is none of that name.
    """
    with ladder.database.read() as session:
        return group_owners(session, group)


def set_group(ladder: Ladder, viewer: Viewer, name: str, group: str | None) -> AccountRow:
    """
    Put an account into a group, out of the one in which it was.

    Args:
        ladder: The ladder.
        viewer: The caller.
        name: Whose account.
        group: A new one is made; None: into none.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such account, or the name of a new group cannot be.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        now = ladder.clock()
        put_into_group(session, find_account(session, name), group, now)
        write_audit(session, viewer, "account.group", name, now, group=group)
        (row,) = account_lists.accounts(session, name)
        return row


def set_group_quota(
    ladder: Ladder, viewer: Viewer, group: str, submissions_a_day: int | None, bots: int | None
) -> GroupRow:
    """
    Say how often each account of a group may submit, and how many bots it may have.

    Args:
        ladder: The ladder.
        viewer: The caller.
        group: The group.
        submissions_a_day: How often in 24 hours; None: as the settings say. An account's own quota comes first.
        bots: Number of bots of one account that may play; None: any.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such group.
        UserError: If accounts could have no bot at all.
    """
    check(viewer, Act.ADMINISTER)
    if bots == 0:
        raise UserError(NO_BOTS)
    with ladder.database.write() as session:
        found, now = find_group(session, group), ladder.clock()
        found.submissions_a_day, found.bots, found.changed = submissions_a_day, bots, now
        write_audit(session, viewer, "group.quota", group, now, submissions_a_day=submissions_a_day, bots=bots)
        (row,) = group_rows(session, group)
        return row
