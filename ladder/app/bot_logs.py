"""Output of bots in the matches of a ladder."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ladder.app.matches import newest
from ladder.entry.policy import Act, may
from ladder.errors import LadderError, UserError
from ladder.store import lookup
from ladder.store.lookup import name_of
from ladder.store.queries.bot_page import faults_of
from ladder.store.queries.matches import match_row, seat_owners
from ladder.values.accounts import LOCAL
from ladder.values.local_results import RotationLog, SeatLog
from ladder.values.names import label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.app.ladder import Ladder
    from ladder.results.files import Logs
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer
    from ladder.values.local_results import FaultReport
    from ladder.values.matches import MatchList, MatchRow, SeatRow


def logs(ladder: Ladder, viewer: Viewer, match: int, seat: str, rotation: int | None = None) -> list[SeatLog]:
    """
    Read the end of what a bot printed in a match, with its faults.

    Args:
        ladder: The ladder.
        viewer: The caller.
        match: The number of the match.
        seat: The bot's number in it, or its name; with partners that means two seats.
        rotation: Only this one, counted from 1.

    Raises:
        LadderError: If there is no such match; or it is nothing that *viewer* may read, whether it is there or not.
        UserError: If there is no such seat or rotation, or the logs are not there.
    """
    with ladder.database.read() as session:
        row, seats = _readable(ladder, session, viewer, match, seat)
        faults = faults_of(session, row.id)
    printed = printed_in(ladder, viewer, row)
    if rotation is not None and rotation - 1 not in printed:
        raise UserError(
            f"Match {match} has no rotation {rotation}; its rotations are 1 to {max(printed, default=0) + 1}."
        )
    chosen = {number + 1: printed[number] for number in sorted(printed) if rotation in (None, number + 1)}
    return [_log(one, chosen, faults) for one in seats]


def matches_of(ladder: Ladder, viewer: Viewer, bot: str, before: int | None = None, limit: int = 20) -> MatchList:
    """
    Read the results of a bot whose output the viewer may read, the newest first.

    Args:
        ladder: The ladder.
        viewer: The caller.
        bot: Its name, or a version: `Trotter@2`.
        before: Only results older than this; the value of `MatchList.next`.
        limit: Number of results to give at most, from 1.

    Raises:
        LadderError: If there is no such bot, or it is nothing for this viewer, whether it is there or not.
    """
    unseen = LadderError(f"There is no bot {bot!r} whose output you may read.")
    with ladder.database.read() as session:
        try:
            owner = name_of(session, lookup.find_stored_bot(session, bot.partition("@")[0]).owner_id)
        except LadderError:
            raise unseen from None
    if not may(viewer, Act.READ_OUTPUT, owner, public_output=ladder.settings.public_logs):
        raise unseen
    return newest(ladder, None, bot, before, limit)


def readable_seats(ladder: Ladder, viewer: Viewer, match: int) -> frozenset[int]:
    """Give the seats of a match whose output the viewer may read; none if there is no such match."""
    with ladder.database.read() as session:
        owners = seat_owners(session, match)
    public = ladder.settings.public_logs
    return frozenset(
        seat for seat, owner in owners.items() if may(viewer, Act.READ_OUTPUT, owner, public_output=public)
    )


def _readable(
    ladder: Ladder, session: Session, viewer: Viewer, match: int, seat: str
) -> tuple[MatchRow, list[SeatRow]]:
    """Give the seats that are meant, if *viewer* may read their output; one who may read all gets the error."""
    public = ladder.settings.public_logs
    if _is_own(session, viewer, seat):  # says nothing of the match, not even whether there is one
        its = f"pigpen matches --bot {shlex.quote(seat)}"
        unseen = LadderError(f"{seat} did not play in match {match}. Its matches: {its}")
    else:
        unseen = LadderError(f"You cannot read what {seat!r} printed in match {match}: only its owner can.")
    try:
        row = match_row(session, lookup.find_match(session, match))
        seats = _seats(row, seat)
    except (LadderError, UserError):
        if may(viewer, Act.READ_OUTPUT, public_output=public):
            raise
        raise unseen from None
    owners = seat_owners(session, row.id)
    if not all(may(viewer, Act.READ_OUTPUT, owners[each.seat], public_output=public) for each in seats):
        raise unseen
    return row, seats


def _is_own(session: Session, viewer: Viewer, word: str) -> bool:
    """Tell whether a word names a bot of the viewer's own."""
    try:
        return name_of(session, lookup.find_stored_bot(session, word.partition("@")[0]).owner_id) in viewer.owners
    except LadderError:
        return False


def _log(seat: SeatRow, logs: Logs, faults: Iterable[FaultReport]) -> SeatLog:
    mine = [fault for fault in faults if fault.seat == seat.seat]
    rotations = (
        RotationLog(
            rotation=number,
            printed=tails[seat.seat],
            faults=tuple(fault for fault in mine if fault.rotation == number),
        )
        for number, tails in logs.items()
    )
    return SeatLog(seat=seat.seat, bot=label(seat.bot, seat.version), rotations=tuple(rotations))


def _seats(match: MatchRow, word: str) -> list[SeatRow]:
    """Find the seats that a number or a bot's name means."""
    found = [seat for seat in match.seats if word in (str(seat.seat), seat.bot, f"{seat.bot}@{seat.version}")]
    if not found:
        there = ", ".join(f"{seat.seat} {label(seat.bot, seat.version)}" for seat in match.seats)
        raise UserError(f"No bot {word!r} played in match {match.id}; its seats are: {there}.")
    return found


def printed_in(ladder: Ladder, viewer: Viewer, match: MatchRow) -> Logs:
    """
    Read the end of what each bot printed in each rotation, by its number from 0; only `LOCAL` gets names of files.

    Raises:
        UserError: If it is not there, or cannot be read.
    """
    if match.finished is None:
        raise UserError(f"Match {match.id} is not over yet; what its bots print is shown afterwards.")
    if not match.record_kept:
        raise UserError(
            f"What the bots of match {match.id} printed was removed with its record: the setting records keeps "
            f"the newest {ladder.settings.records} (see: pigpen config)."
        )
    try:
        printed = ladder.files.read_logs(match.id, match.attempt)
        if any(len(tails) != len(match.seats) for tails in printed.values()):
            raise ValueError("it does not have one text for each bot")
        return printed
    except (OSError, ValueError) as error:
        path, why = ladder.files.logs(match.id, match.attempt), getattr(error, "strerror", None) or error
        place = f" from {str(path)!r}" if viewer == LOCAL else ""
        raise UserError(f"What the bots of match {match.id} printed cannot be read{place}: {why}.") from None
