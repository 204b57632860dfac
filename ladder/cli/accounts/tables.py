"""Accounts, invitations, sessions and the audit log as terminal output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from ladder.terminal.ladder_words import NOTHING, cell, plain_table, say, when

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from ladder.values.accounts import AccountRow, AuditRow, CredentialRow, InvitationRow


def print_accounts(rows: Sequence[AccountRow], console: Console) -> None:
    """Print a row for each account; below, why one is disabled."""
    table = plain_table("account", "role", "logs in by", "bots", "a day", "since", right=("bots", "a day"))
    for row in rows:
        quota = NOTHING if row.submissions_a_day is None else str(row.submissions_a_day)
        by = "disabled" if row.disabled else row.signs_in_by
        table.add_row(cell(console, row.name), row.role, by, str(row.bots), quota, when(row.added))
    console.print(table)
    for row in rows:
        if row.disabled:
            say(console, f"{row.name} is disabled since {when(row.disabled)}: {row.reason}")


def print_invitations(rows: Sequence[InvitationRow], console: Console) -> None:
    """Print a row for each invitation."""
    table = plain_table("number", "role", "name", "note", "until", "used", right=("number",), wrapped=("note",))
    for row in rows:
        used = f"{when(row.used)} by {row.used_by}" if row.used else NOTHING
        texts = (str(row.id), row.role, row.name or NOTHING, row.note or NOTHING, when(row.expires), used)
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def print_credentials(rows: Sequence[CredentialRow], console: Console) -> None:
    """Print a row for each session and token."""
    table = plain_table("number", "kind", "good for", "used", "until", "name", right=("number",), wrapped=("name",))
    for row in rows:
        scopes = "everything" if row.kind == "session" else ", ".join(row.scopes)
        texts = (str(row.id), row.kind, scopes, when(row.used), when(row.expires), row.name or NOTHING)
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def print_audit(rows: Sequence[AuditRow], console: Console) -> None:
    """Print a line for each entry of the audit log; cut to the width of a terminal, whole in a file."""
    lines = [("when", "who", "from", "what", "to", "more"), *map(_entry, rows)]
    widths = [max(cell_len(line[place]) for line in lines) for place in range(len(lines[0]))]
    for line in lines:
        text = "  ".join(set_cell_size(part, width) for part, width in zip(line, widths, strict=True)).rstrip()
        shown = cell(console, text, "" if line is not lines[0] else "bold")
        if console.is_terminal:
            shown.truncate(console.width, overflow="ellipsis")
        console.print(shown, soft_wrap=True)


def _entry(row: AuditRow) -> tuple[str, ...]:
    more = ", ".join(f"{name}: {value}" for name, value in row.details.items() if value not in (None, ""))
    return when(row.at), row.actor or "this machine", row.address or NOTHING, row.action, row.subject, more
