"""`pigpen ladder tables`: play the tables with people."""

from __future__ import annotations

from ladder.app.accounts.links import why_nobody_comes
from ladder.terminal.ladder import opened
from ladder.terminal.options import StderrOption, say
from ladder.terminal.running import run

OPENED = "people open their tables"
"""Text for the events on the site from which this process has work."""


def run_tables(log_to_stderr: StderrOption = True) -> None:
    """
    Play the tables with people, in the browser or in a terminal. Ctrl-C ends it.

    The site opens tables, and this process plays them; pigpen up runs both. As long as no site runs here, it says
    so and waits. When it is started again, it continues all tables at the same card.

    Examples:
        pigpen ladder tables
    """
    from ladder.people.playing.tables_process import play_tables

    with opened() as ladder:
        if reason := why_nobody_comes(ladder.settings, OPENED):
            say(reason)
        run(play_tables(ladder, log_to_stderr=log_to_stderr))
