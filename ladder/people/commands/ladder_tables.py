"""`pigpen ladder tables`: play the tables with people."""

from __future__ import annotations

from ladder.terminal.ladder import opened
from ladder.terminal.options import StderrOption
from ladder.terminal.running import run


def run_tables(log_to_stderr: StderrOption = True) -> None:
    """
    Play the tables with people, in the browser or in a terminal. Ctrl-C ends it.

    The site opens tables, and this process plays them; pigpen up runs both. When it is started again,
    it continues all tables at the same card.

    Examples:
        pigpen ladder tables
    """
    from ladder.people.playing.tables_process import play_tables

    with opened(create=True) as ladder:
        run(play_tables(ladder, log_to_stderr=log_to_stderr))
