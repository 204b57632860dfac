"""Actions on an event, as one value: commands, the API and pages all give an `EventAct`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.event import holding
from ladder.values.held_events import EventDone

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer
    from ladder.values.held_events import EventAct


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
            bot = holding.enter(ladder, viewer, name, bot)
        case "withdraw":
            round_number = holding.withdraw(ladder, viewer, name, bot)
        case "freeze":
            holding.freeze(ladder, viewer, name)
        case "start":
            holding.start(ladder, viewer, name)
        case "pause":
            holding.pause(ladder, viewer, name, wanted.reason)
        case "draw":
            round_number = holding.draw(ladder, viewer, name)
        case "redo":
            played = holding.redo(ladder, viewer, name, wanted.round, wanted.table, wanted.reason)
        case "rule":
            holding.rule(ladder, viewer, name, wanted.round, wanted.table, wanted.last, wanted.reason)
        case "release":
            round_number, table = holding.release(ladder, viewer, name) or (None, None)
    return EventDone(act=wanted.act, bot=bot, round=round_number, table=table, match=played)
