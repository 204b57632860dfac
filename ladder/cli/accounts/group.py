"""`pigpen account`: who may log in at the ladder's site, for its organiser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ladder.cli.accounts.accounts import add, disable, enable, list_accounts, quota, role
from ladder.cli.accounts.invitations import invitations, invite, password, uninvite
from ladder.cli.accounts.sessions import audit, revoke, sessions

if TYPE_CHECKING:
    from collections.abc import Callable

account = typer.Typer(
    name="account",
    help="Make accounts, invite, disable, set quotas, and see who did what.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_accounts,
    "add": add,
    "invite": invite,
    "invitations": invitations,
    "uninvite": uninvite,
    "disable": disable,
    "enable": enable,
    "role": role,
    "quota": quota,
    "password": password,
    "sessions": sessions,
    "revoke": revoke,
    "audit": audit,
}
for _name, _command in COMMANDS.items():
    account.command(_name)(_command)
