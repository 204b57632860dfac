"""`pigpen ladder requeue`: queues a quarantined match again."""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL


def requeue(
    match: Annotated[int, typer.Argument(help="The number of a match; see: pigpen matches --status quarantined")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the match as JSON.")] = False,
) -> None:
    """
    Queue a match again that was quarantined because the platform failed in it too often.

    Examples:
        pigpen ladder requeue 17
    """
    from ladder.app.quarantine import requeue as put_back

    with opened() as ladder:
        row = put_back(ladder, LOCAL, match)
    if as_json:
        print_json(row)
    else:
        typer.echo(sanitize(f"Match {row.id} is in the queue again."))
