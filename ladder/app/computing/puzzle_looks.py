"""Looking for puzzles in the ladder's own records: the process that computes asks itself, one match after the other."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.app.computing.asking import new_question
from ladder.app.computing.questions import deals_of
from ladder.app.local.reading import Source
from ladder.errors import TooOften
from ladder.store.commands.computations import ask
from ladder.store.commands.puzzles import next_look, note_look, tidy_answers
from ladder.store.queries.computations import does_wait
from ladder.values.questions import PuzzlesQuestion

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.database import Session

ASKER = "puzzles"
"""The place in the queue that it takes: it has one of its own, so that it waits for its turn like a visitor."""
MAX_PUZZLES = 2
"""Puzzles of one match."""
GUEST_SECONDS = 30 * 24 * 3600.0
"""Seconds for which the answers of guests are kept."""


def look_for_puzzles(ladder: Ladder, session: Session, now: float) -> None:
    """Put the next match into the queue, unless one waits there; remove old answers of guests."""
    tidy_answers(session, now - GUEST_SECONDS)
    if does_wait(session, ASKER):
        return
    match = next_look(session, now)
    if match is None:
        return
    source = Source.of(ladder.files.record(match.id, match.attempt), str(match.id))
    question = PuzzlesQuestion(match=match.id, deals=deals_of(ladder, source, match.commitment), most=MAX_PUZZLES)
    with suppress(TooOften):  # then a later look finds the same match
        ask(session, new_question(question, ASKER), now)
        note_look(session, match, now)
