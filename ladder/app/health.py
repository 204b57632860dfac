"""The health of a ladder: whether it has a runner, its queue moves, and its disk has room."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ladder.app.ladder import Ladder
from ladder.app.missing_runner import START_HERE, no_runner
from ladder.entry.policy import Act, check, may
from ladder.errors import LadderError, StoreError
from ladder.runner.presence import has_surely_ended
from ladder.store.commands import letters as outbox
from ladder.store.commands.coordinators import all_are_here, coordinators, database_time, last_spoken
from ladder.store.queries.overview import count_webhooks, oldest_computation, oldest_queued, unfinished_tasks
from ladder.values.accounts import LOCAL
from ladder.values.reports import Finding, LadderHealth
from ladder.values.value import time_of

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.settings.settings import Settings
    from ladder.values.accounts import Viewer
    from ladder.values.mail import MailStatus

WAITS = "waiting matches and submissions: {}"
DOWN_SECONDS = 120.0
"""A coordinator speaks every 20 seconds, or every minute while it waits; one that is silent for longer is down."""
PUBLIC_UNIT = 1024**3
"""Bytes; all but organisers see the room in multiples of it: each result takes some, also one that is not shown yet."""
LATE_SECONDS = 1800.0
"""A letter that has waited for longer is late: a mail server that puts it off for the first time takes it sooner."""
MIN_FREE = 256 * 1024**2
"""Bytes below which a ladder's disk is nearly full."""


def health(ladder: Ladder, viewer: Viewer = LOCAL) -> LadderHealth:
    """
    Look at the coordinators, the queue and the disk.

    What follows from matches that are not public yet is for organisers alone: those that wait, the room to the byte.
    """
    is_organiser = may(viewer, Act.ADMINISTER)
    free = _free(ladder.settings.data_dir)
    letters = mail_status(ladder, viewer) if is_organiser and ladder.settings.sends_mail else None
    with ladder.database.read() as session:
        now, seen, are_here = database_time(session), last_spoken(session), all_are_here(session)
        running = [
            each
            for each in coordinators(session)
            if now - each.seen < DOWN_SECONDS and not has_surely_ended(each.holder, are_here)
        ]
        now_here, added, asked = ladder.clock(), oldest_queued(session), oldest_computation(session)
        return LadderHealth(
            runners=len(running),
            seen=None if seen is None else time_of(seen),
            silent_seconds=None if seen is None else max(0.0, now - seen),
            waiting=unfinished_tasks(session, everything=is_organiser),
            oldest_seconds=0.0 if added is None else max(0.0, now_here - added),
            oldest_computation_seconds=0.0 if asked is None else max(0.0, now_here - asked),
            oldest_letter_seconds=letters.oldest_seconds if letters else None,
            free_bytes=free if is_organiser or free is None else free // PUBLIC_UNIT * PUBLIC_UNIT,
        )


def ladder_findings(settings: Settings) -> list[Finding]:
    """Find what `pigpen doctor` says of the ladder itself; nothing where there is none yet."""
    if (file := settings.database_file) and not file.exists():
        return []
    try:
        with Ladder.open(settings) as ladder:
            found, webhooks, mail = health(ladder), _webhooks(ladder), _mail(ladder)
    except (LadderError, StoreError) as error:
        return [Finding("Ladder", False, "cannot be read", str(error))]
    runner = f"{found.runners}" if found.runners else no_runner(found)
    waits = WAITS.format(found.waiting)
    return [
        Finding(
            "Runner", bool(found.runners or not found.waiting), runner, f"Nothing plays, and {waits}. {START_HERE}"
        ),
        _room(found.free_bytes, settings.data_dir),
        *webhooks,
        *mail,
    ]


def _room(free: int | None, folder: Path) -> Finding:
    has_room = free is not None and free >= MIN_FREE
    found = "cannot be read" if free is None else f"{free / 1024**2:,.0f} MiB free in {str(folder)!r}"
    follows = "The database and the records need room there: make some, or keep fewer records (setting records)."
    return Finding("Room", has_room, found, follows)


def _webhooks(ladder: Ladder) -> list[Finding]:
    with ladder.database.read() as session:
        count, disabled = count_webhooks(session)
    if not count:
        return []
    found = f"{count}, of which {len(disabled)} are disabled" if disabled else f"{count}"
    follows = (
        f"Webhook {', '.join(map(str, disabled))} gets no messages. To see why: pigpen ladder webhook list. To enable "
        "it when its receiver works again: pigpen ladder webhook test NUMBER"
    )
    return [Finding("Webhooks", not disabled, found, follows)]


def mail_status(ladder: Ladder, viewer: Viewer) -> MailStatus:
    """
    Read how far the ladder's letters are.

    Raises:
        Forbidden: If the viewer is not an organiser.
    """
    check(viewer, Act.ADMINISTER)
    settings = ladder.settings
    server = f"{settings.mail_host}:{settings.mail_server_port}" if settings.sends_mail else ""
    with ladder.database.read() as session:
        return outbox.mail_status(session, server, ladder.clock())


def _mail(ladder: Ladder) -> list[Finding]:
    if not ladder.settings.sends_mail:
        return []
    found = mail_status(ladder, LOCAL)
    is_late = found.oldest_seconds > LATE_SECONDS
    given_up = f", {found.given_up} given up" if found.given_up else ""
    follows = (
        f"Letters wait for {found.oldest_seconds / 60:,.0f} min. {found.reason or START_HERE} To try the settings: "
        "pigpen ladder mail test ADDRESS"
    )
    return [Finding("E-mail", not is_late, f"{found.server}, {found.waiting} waiting{given_up}", follows)]


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
