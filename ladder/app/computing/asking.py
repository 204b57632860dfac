"""
Questions for the process that computes: each gets the answer that is kept, or a place in the queue.

Nothing is simulated here, so this may be called for a request of a visitor.
"""

from __future__ import annotations

import base64
import hashlib
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ladder.app.local.why import ANYWHERE
from ladder.errors import Busy, LadderError, UserError
from ladder.results.files import WakeFile
from ladder.store.commands.computations import TOO_MANY, NewQuestion, ask
from ladder.store.queries.computations import known_computation
from ladder.values.questions import FoundCostliest, HintQuestion, RecordDeals, WhyQuestion, lane_of
from ladder.values.value import Computing
from ladder.values.why import Costliest
from pigpen.version import __version__
from pigpen.wire.messages import request_message
from referee.records.lines import to_json

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.app.local.why import Source, Where
    from ladder.store.queries.computations import KnownComputation
    from ladder.values.questions import Question
    from pigpen.values.view import View
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded


def deals_of(ladder: Ladder, source: Source, commitment: str, where: Where = ANYWHERE) -> RecordDeals:
    """Name deals of a record for the process that computes."""
    record = str(source.path.relative_to(ladder.settings.data_dir))
    return RecordDeals(record=record, source=source.word, commitment=commitment, **where._asdict())


def why_question(recorded: Recorded, line: DealLine, step: int, source: str) -> WhyQuestion:
    """
    Ask what each choice of one decision was worth.

    Args:
        recorded: The match.
        line: One of its deals.
        step: The place of the decision among the steps of the deal, from 1.
        source: The match, as people name it.
    """
    return WhyQuestion(lines=(to_json(recorded.first), to_json(line)), step=step, source=source)


def hint_question(view: View) -> HintQuestion:
    """Ask what each choice of an open decision is worth, from what its seat knows."""
    # Without times, so that asked again it is the same question.
    timeless = replace(view, limit=0.0, bank=0.0, last_took=0.0, last_cpu=None)
    request = request_message(timeless).SerializeToString(deterministic=True)
    return HintQuestion(rules=view.rules.to_plain(), request=base64.b64encode(request).decode())


def costliest_in(answer: str, source: Source, bot: str) -> Costliest:
    """Read the answer to a question about one record."""
    found = FoundCostliest.model_validate_json(answer)
    return Costliest(
        source=source.word,
        bot=bot,
        decisions=found.decisions,
        not_estimated=found.not_estimated,
        costliest=found.costliest,
    )


BUSY_SECONDS = 5.0
"""Seconds that a request waits at most until others have put their questions into the queue."""
SENTENCE = "This is being computed; ask again in a moment."

_asking = threading.Lock()


class BeingComputed(LadderError):
    """There is no answer yet: it is being computed, or waits for its turn."""

    def __init__(self, computing: Computing) -> None:
        self.computing = computing
        super().__init__(SENTENCE)


class NoAnswer(UserError):
    """A question has no answer: what it asks for cannot be computed, or needs too much; the message says so."""


@dataclass(frozen=True)
class KnownAnswer:
    """The newest answer to a question, and the progress of the next one."""

    answer: str | None
    """The newest one; None: there is none yet."""
    computing: Computing | None
    """Progress of the answer about the current state; None: *answer* is that answer."""


def computing_files(ladder: Ladder) -> WakeFile:
    """Give the files that wake the process that computes."""
    return WakeFile(ladder.settings.data_dir / "computing")


def answer_to(ladder: Ladder, question: Question, asker: str = "") -> str:
    """
    Give the answer to a question; it is put into the queue if it is new.

    Args:
        ladder: The ladder.
        question: The question.
        asker: The account or address whose place in the queue it takes; empty: a user of the ladder's machine.

    Raises:
        BeingComputed: If it is not answered yet.
        TooOften: If too much waits, of this asker or of all.
        NoAnswer: If it has none.
    """
    found = known_answer(ladder, question, asker)
    if found.answer is None or found.computing is not None:
        assert found.computing
        raise BeingComputed(found.computing)
    return found.answer


def known_answer(ladder: Ladder, question: Question, asker: str = "", name: str = "") -> KnownAnswer:
    """
    Give what is known of a question; it is put into the queue if it is new.

    Args:
        ladder: The ladder.
        question: The question.
        asker: See `answer_to`.
        name: What the question is about, where that changes: an older answer is good as long as there is no newer one.

    Raises:
        TooOften: If too much waits, of this asker or of all.
        NoAnswer: If it has none.
    """
    new = new_question(question, asker, name)
    found = _look(ladder, new.key)
    if _must_ask(found, new):
        found = _ask(ladder, new)
    return _known(ladder, found, new)


def new_question(question: Question, asker: str = "", name: str = "") -> NewQuestion:
    """Make the row of a question; the arguments are those of `known_answer`."""
    text = question.model_dump_json()
    return NewQuestion(
        key=_digest(name or text),
        lane=lane_of(question),
        question=question.model_dump(mode="json"),
        state=_digest(f"{__version__} {text}"),
        visitor=asker,
    )


def _ask(ladder: Ladder, new: NewQuestion) -> KnownComputation | None:
    """Put a question into the queue, once for all requests that want it at the same time."""
    if not _asking.acquire(timeout=BUSY_SECONDS):
        raise Busy(TOO_MANY)
    try:
        if _must_ask(_look(ladder, new.key), new):
            with ladder.database.write() as session:
                ask(session, new, ladder.clock())
            computing_files(ladder).wake()
    finally:
        _asking.release()
    return _look(ladder, new.key)


def _known(ladder: Ladder, found: KnownComputation | None, new: NewQuestion) -> KnownAnswer:
    if found is not None and found.answered == new.state:
        return KnownAnswer(found.answer, None)
    if found is not None and found.state == new.state and found.reason:
        raise NoAnswer(found.reason)
    is_served = computing_files(ladder).is_alive(time.time())
    place, done, steps = (found.place, found.done, found.steps) if found else (None, 0, 0)
    return KnownAnswer(
        found.answer if found else None, Computing(place=place, done=done, steps=steps, is_served=is_served)
    )


def _must_ask(found: KnownComputation | None, new: NewQuestion) -> bool:
    """Tell whether to put it into the queue: it is new, or waits there for another visitor and may be moved forward."""
    if found is None:
        return True
    if found.answered == new.state:
        return False
    if found.status == "ended":
        return found.state != new.state or not found.reason
    return found.status == "queued" and (found.visitor != new.visitor or found.state != new.state)


def _look(ladder: Ladder, key: str) -> KnownComputation | None:
    with ladder.database.read() as session:
        return known_computation(session, key)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
