"""
Permissions of users: one function, asked by every page, every route of the API, every stream and every command.

What it does not name is public: standings, bots, matches, records, what is seen of running matches.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from ladder.errors import Forbidden
from ladder.values.accounts import Scope

if TYPE_CHECKING:
    from ladder.values.accounts import Viewer


class Act(enum.StrEnum):
    """Something that not everybody may do."""

    READ_OUTPUT = "read output"
    """To read what a bot printed in a match, or in its trial."""
    READ_SUBMISSION = "read submission"
    """To see the submissions of an owner, and what became of them."""
    READ_ACCOUNT = "read account"
    """To see the tokens and sessions of an account."""
    CHANGE_ACCOUNT = "change account"
    """To create and revoke tokens, to change a password, to confirm a log-in."""
    SUBMIT = "submit"
    """To submit a bot, to withdraw that, to retire a bot, to push an image."""
    EDIT_STUDY = "edit study"
    """To make a study, to change it and its positions."""
    REMOVE_STUDY = "remove study"
    ADMINISTER = "administer"
    """
    The work of organisers: accounts, invitations, quotas, suspensions, quarantined matches, workers, the audit log.
    """


SCOPES = {
    Act.READ_OUTPUT: Scope.READ,
    Act.READ_SUBMISSION: Scope.READ,
    Act.READ_ACCOUNT: Scope.READ,
    Act.CHANGE_ACCOUNT: None,
    Act.SUBMIT: Scope.SUBMIT,
    Act.EDIT_STUDY: None,
    Act.REMOVE_STUDY: None,
    Act.ADMINISTER: Scope.ADMIN,
}
"""The scope that a token needs for each; None: no token is good for it, a session is."""
ORGANISERS_ONLY = (Act.ADMINISTER,)
OF_TEAMS = (Act.READ_OUTPUT, Act.READ_SUBMISSION, Act.SUBMIT)
"""Each member of a team may do these for it."""
OWNER_ONLY = (Act.CHANGE_ACCOUNT, Act.EDIT_STUDY)
"""An organiser disables an account, or removes a study; no account acts in another's name."""


def may(viewer: Viewer, act: Act, owner: str | None = None, *, public_output: bool = False) -> bool:
    """
    Decide whether a viewer may do something.

    Args:
        viewer: Who asks.
        act: What for.
        owner: Whose thing it is; None: no account's.
        public_output: The setting `public_logs`: everybody may read what bots print in matches.
    """
    if act is Act.READ_OUTPUT and public_output:
        return True
    if viewer.is_local:
        return True
    if viewer.name is None or not _has_scope(viewer, act):
        return False
    if act in ORGANISERS_ONLY:
        return viewer.is_organiser
    if owner is not None and (viewer.name == owner or (viewer.team == owner and act in OF_TEAMS)):
        return True
    return viewer.is_organiser and act not in OWNER_ONLY and Scope.ADMIN in viewer.scopes


def check(viewer: Viewer, act: Act, owner: str | None = None) -> None:
    """
    Check that a viewer may do something.

    Args:
        viewer: Who asks.
        act: What for.
        owner: Whose thing it is; None: no account's.

    Raises:
        Forbidden: If not.
    """
    if not may(viewer, act, owner):
        raise Forbidden("You may not do that. Log in with an account that may.")


def _has_scope(viewer: Viewer, act: Act) -> bool:
    wanted = SCOPES[act]
    return not viewer.by_token if wanted is None else wanted in viewer.scopes
