"""
Actions of organisers and owners on a ladder's events.

Each action can be given as one value, an `EventAct`, as commands, the API and pages all do. `ladder.app.event.reading`
shows events.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check, may
from ladder.errors import LadderError, UserError
from ladder.events.advice import Pace, checked
from ladder.events.event_file import parse_event
from ladder.events.held import Redo
from ladder.sandbox.bots.bot_source import sample_names
from ladder.store.commands import event_entries, event_rounds
from ladder.store.commands import held_events as commands
from ladder.store.commands.accounts import write_audit
from ladder.store.commands.event_news import announce_event
from ladder.store.event_rows import find_event, visible_count
from ladder.store.lookup import code_of, find_stored_bot, name_of
from ladder.values.accounts import LOCAL
from ladder.values.held_events import EventDone
from ladder.values.names import NAME_LENGTH
from ladder.values.text import why_odd
from pigpen.rules import new_seed
from pigpen.rules.shuffle import commitment as commitment_of
from referee.records.framing import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.store.models import StoredEvent
    from ladder.values.accounts import Viewer
    from ladder.values.held_events import EventAct
    from pigpen.rules import Rules

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", re.ASCII)


def open_event(ladder: Ladder, viewer: Viewer, name: str, file: str, rules: Rules) -> None:
    """
    Open the registration of an event; its seed is chosen, and its hash becomes public.

    Args:
        ladder: The ladder.
        viewer: Who does it.
        name: In its address: small letters, digits and hyphens.
        file: Its TOML file.
        rules: Of its variant.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is one of that name, or the ladder does not play its variant.
        UserError: If the file or the name is wrong.
    """
    check(viewer, Act.ADMINISTER)
    if not NAME.fullmatch(name) or len(name) > NAME_LENGTH:
        raise UserError(
            f"{shortened(name)!r} cannot be an event's name: use small letters, digits and hyphens, at most "
            f"{NAME_LENGTH}, with --name."
        )
    event = parse_event(file)
    if wrong := checked(event, rules, sample_names(), Pace()).wrong:
        raise UserError(wrong[0])
    if event.rated:
        raise UserError("The matches of events change no ratings; leave out rated, or set it to false.")
    with ladder.database.write() as session:
        now = ladder.clock()
        opened = commands.open_event(session, name, file, rules, new_seed(), now)
        announce_event(session, opened, now)
        write_audit(session, viewer, "event.open", name, ladder.clock())


def enter(ladder: Ladder, viewer: Viewer, name: str, bot: str, commitment: str = "") -> str:
    """
    Enter a bot's newest version, or the named one; it replaces a version that has entered.

    Args:
        ladder: The ladder.
        viewer: Who does it.
        name: The event's.
        bot: The bot's.
        commitment: SHA-256 of a nonce of the entrant's own, in hex; empty: the ladder makes the nonce, so that its
            organiser could know it.

    Returns:
        The bot's name.

    Raises:
        LadderError: If there is no such event or bot, it is not the viewer's, or it cannot enter.
    """
    with ladder.database.write() as session:
        by = _own(session, viewer, bot)
        made = None if commitment else new_seed()
        event, now = find_event(session, name), ladder.clock()
        entry = event_entries.enter_event(
            session, event, bot, now, by=by,
            commitment=commitment_of(made) if made else commitment, nonce=made.hex() if made else None,
        )  # fmt: skip
        announce_event(session, event, now, by)
        write_audit(session, viewer, "event.enter", name, now, bot=bot)
        return entry.name


def check_in(ladder: Ladder, viewer: Viewer, name: str, bot: str) -> str:
    """
    Check in a bot that has entered, between `check_in` and `freezes` of the event's file.

    An organiser may do so for an owner; it is public who has done it.

    Returns:
        The bot's name.

    Raises:
        LadderError: If there is no such event or entry, the bot is not the viewer's, or it is too early or too late.
    """
    with ladder.database.write() as session:
        by = _own(session, viewer, bot)
        event, now = find_event(session, name), ladder.clock()
        entry = event_entries.check_in(session, event, bot, now, by)
        announce_event(session, event, now, by)
        write_audit(session, viewer, "event.check-in", name, now, bot=entry.name)
        return entry.name


def reveal(ladder: Ladder, viewer: Viewer, name: str, nonce: str) -> str:
    """
    Reveal the nonce of an entrant once the list is final; anyone may who knows it.

    Returns:
        The name of the bot whose nonce it is.

    Raises:
        Forbidden: If the viewer has no account here.
        LadderError: If there is no such event, the nonce is no one's, or it is too early or too late.
    """
    check(viewer, Act.SUBMIT, viewer.name)
    with ladder.database.write() as session:
        event = find_event(session, name)
        entry = commands.reveal(session, event, nonce, ladder.clock())
        write_audit(session, viewer, "event.reveal", name, ladder.clock(), bot=entry.name)
        return entry.name


def beacon(ladder: Ladder, viewer: Viewer, name: str, value: str) -> None:
    """
    Take the value of an event's beacon from its organiser, where no runner can fetch it.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event, it has no beacon, it is too early, or the value is there already.
        UserError: If it cannot be the value of that beacon.
    """
    with ladder.database.write() as session:
        event = _organised(session, viewer, name)
        if not commands.take_beacon(session, event, value, ladder.clock()):
            raise LadderError(f"The value of the beacon of {name!r} is there already; it stays as it is.")
        write_audit(session, viewer, "event.beacon", name, ladder.clock())


def withdraw(ladder: Ladder, viewer: Viewer, name: str, bot: str) -> int | None:
    """
    Withdraw a bot from an event.

    Returns:
        None: its entry is gone. Else the number of rounds that it plays, as far as the viewer may know of them; then a
        stand-in replaces it.

    Raises:
        LadderError: If there is no such event, the bot has not entered it, or is not the viewer's.
    """
    with ladder.database.write() as session:
        by = _own(session, viewer, bot)
        event = find_event(session, name)
        entry = event_entries.withdraw_from_event(session, event, bot, by)
        announce_event(session, event, ladder.clock(), by)
        write_audit(session, viewer, "event.withdraw", name, ladder.clock(), bot=bot)
        if entry.left_after is None or may(viewer, Act.ADMINISTER):
            return entry.left_after
        return min(entry.left_after, visible_count(session, entry.event_id))


def freeze(ladder: Ladder, viewer: Viewer, name: str) -> None:
    """
    Make the list of entrants final; from then on the draw of the first round is determined.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event, it is not open, or has too few entrants.
    """
    with ladder.database.write() as session:
        event = _organised(session, viewer, name)
        commands.freeze_event(session, event, ladder.clock())
        announce_event(session, event, ladder.clock())
        write_audit(session, viewer, "event.freeze", name, ladder.clock(), entrants=event.entrants_hash)


def start(ladder: Ladder, viewer: Viewer, name: str) -> None:
    """
    Start an event, or resume it: rounds are drawn as soon as the round before is over.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event, or it cannot start.
    """
    with ladder.database.write() as session:
        event = _organised(session, viewer, name)
        commands.start_event(session, event, ladder.clock())
        announce_event(session, event, ladder.clock())
        write_audit(session, viewer, "event.start", name, ladder.clock())
    event_rounds.advance_events(ladder.database, ladder.clock())


def pause(ladder: Ladder, viewer: Viewer, name: str, reason: str = "") -> None:
    """
    Draw no further round until `start`; matches that have been drawn are played.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event, or it does not run.
        UserError: If the reason cannot be shown.
    """
    if reason:
        _reason(reason)
    with ladder.database.write() as session:
        event = _organised(session, viewer, name)
        commands.pause_event(session, event, reason)
        announce_event(session, event, ladder.clock())
        write_audit(session, viewer, "event.pause", name, ladder.clock(), reason=reason)


def hold(ladder: Ladder, viewer: Viewer, name: str, reason: str = "") -> None:
    """
    Let the times of an event's file do nothing, until its organiser freezes or starts it.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event, or it has started.
        UserError: If the reason cannot be shown.
    """
    if reason:
        _reason(reason)
    with ladder.database.write() as session:
        event = _organised(session, viewer, name)
        commands.hold_event(session, event, reason)
        announce_event(session, event, ladder.clock(), code_of(session, viewer.name or ""))
        write_audit(session, viewer, "event.hold", name, ladder.clock(), reason=reason)


def draw(ladder: Ladder, viewer: Viewer, name: str) -> int | None:
    """
    Draw the next round now, even if the event is paused, or the round's time has not come.

    Returns:
        Its number within the event; None: the event is over.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event, or its last round is not over.
    """
    with ladder.database.write() as session:
        event = _organised(session, viewer, name).id
        write_audit(session, viewer, "event.draw", name, ladder.clock())
    drawn = event_rounds.draw_next(ladder.database, event, ladder.clock())
    return drawn[1] if drawn else None


def redo(ladder: Ladder, viewer: Viewer, name: str, number: int, table: int, reason: str) -> int:
    """
    Let a table of the last round be played again, with other cards.

    Returns:
        The number of its new match.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event or table, the event is over, or the round is not the last one, or the
            table not over.
        UserError: If there is no reason.
    """
    _reason(reason)
    with ladder.database.write() as session:
        event = _organised(session, viewer, name)
        why = Redo(reason, code_of(session, viewer.name or ""), ladder.clock())
        match = event_rounds.redo(session, event, number, table, why)
        announce_event(session, event, ladder.clock())
        write_audit(session, viewer, "event.redo", name, ladder.clock(), round=number, table=table, reason=reason)
        return match


def rule(ladder: Ladder, viewer: Viewer, name: str, number: int, table: int, last: Sequence[str], reason: str) -> None:
    """
    Decide that bots are last on every board of a table; later standings follow, drawn tables stay.

    Args:
        ladder: The ladder.
        viewer: Who does it.
        name: The event's.
        number: The round's, from 1 within the event.
        table: Its number.
        last: The bots, by name.
        reason: Why; it is public.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event, table or bot, or the table has no result yet.
        UserError: If there is no reason, or others would have advanced to a round that has been drawn.
    """
    _reason(reason)
    with ladder.database.write() as session:
        event = _organised(session, viewer, name)
        by = code_of(session, viewer.name or "")
        commands.rule(session, event, number, table, last, reason, by, ladder.clock())
        announce_event(session, event, ladder.clock())
        write_audit(
            session, viewer, "event.rule", name, ladder.clock(), round=number, table=table, last=", ".join(last),
            reason=reason,
        )  # fmt: skip
    event_rounds.advance_events(ladder.database, ladder.clock())


def release(ladder: Ladder, viewer: Viewer, name: str, only: tuple[int, int] | None = None) -> tuple[int, int] | None:
    """
    Show the result of the next table of an event whose results are sealed.

    Args:
        ladder: The ladder.
        viewer: An organiser.
        name: Name of the event.
        only: Round and number of the table that is meant: nothing is shown if another one is next.

    Returns:
        Its round, within the event, and its number; None: nothing was shown.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event.
    """
    with ladder.database.write() as session:
        event = _organised(session, viewer, name)
        shown = commands.release(session, event, only)
        if shown:
            announce_event(session, event, ladder.clock())
            write_audit(session, viewer, "event.release", name, ladder.clock(), round=shown[0], table=shown[1])
        return shown


def _reason(reason: str) -> None:
    if not reason.strip():
        raise UserError("A reason is needed, for those who look at the result: --reason TEXT")
    if odd := why_odd(reason):
        raise UserError(f"The reason cannot be shown: {odd}. Write one line: --reason TEXT")


def _organised(session: Session, viewer: Viewer, name: str) -> StoredEvent:
    check(viewer, Act.ADMINISTER)
    return find_event(session, name)


def _own(session: Session, viewer: Viewer, bot: str) -> str:
    """
    Refuse a bot of another owner, as if it were missing.

    Returns:
        The code under which it is public who acts: the owner's, also for a member of a team; an organiser's own.
    """
    if viewer == LOCAL:
        return code_of(session, "")
    owner = name_of(session, find_stored_bot(session, bot.partition("@")[0]).owner_id)
    if not may(viewer, Act.SUBMIT, owner):
        raise LadderError(f"You have no bot {bot!r} on this ladder. To see yours: pigpen whoami")
    return code_of(session, owner if owner in viewer.owners else viewer.name or "")


def act(ladder: Ladder, viewer: Viewer, name: str, wanted: EventAct) -> EventDone:
    """
    Do something with an event; each act is the function of that name in `ladder.app.event.holding`.

    Raises:
        Forbidden: If the viewer may not.
        LadderError: If it cannot be done now, or something that it names is missing.
        UserError: If the act makes no sense.
    """
    bot, round_number, table, played = wanted.bot, None, None, None
    match wanted.act:
        case "enter":
            bot = enter(ladder, viewer, name, bot, wanted.commitment)
        case "check-in":
            bot = check_in(ladder, viewer, name, bot)
        case "reveal":
            bot = reveal(ladder, viewer, name, wanted.nonce)
        case "beacon":
            beacon(ladder, viewer, name, wanted.value)
        case "withdraw":
            round_number = withdraw(ladder, viewer, name, bot)
        case "freeze":
            freeze(ladder, viewer, name)
        case "start":
            start(ladder, viewer, name)
        case "pause":
            pause(ladder, viewer, name, wanted.reason)
        case "hold":
            hold(ladder, viewer, name, wanted.reason)
        case "draw":
            round_number = draw(ladder, viewer, name)
        case "redo":
            played = redo(ladder, viewer, name, wanted.round, wanted.table, wanted.reason)
        case "rule":
            rule(ladder, viewer, name, wanted.round, wanted.table, wanted.last, wanted.reason)
        case "release":
            round_number, table = release(ladder, viewer, name) or (None, None)
    return EventDone(act=wanted.act, bot=bot, round=round_number, table=table, match=played)
