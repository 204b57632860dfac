"""Results that an executor returns, the summary of the record, and the log of a result."""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import pydantic
import structlog

from ladder.errors import SandboxError
from ladder.results.summary import summarise
from ladder.runner.asked import OtherAnswer, check_first_line, check_outcome, check_run, check_times, check_trial
from ladder.runner.executor import Judgement, NotPlayed
from ladder.store.commands.results import WrongRecord
from ladder.trials.trial_tasks import SubmissionOutcome
from ladder.values.task import storable
from ladder.worker.match_tasks import MatchOutcome
from referee.records.framing import RecordError
from referee.records.lines import MatchLine
from referee.records.recorded import BadRecord
from referee.replay.verify import checked_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from ladder.results.summary import MatchSummary
    from ladder.store.commands.results import Result
    from ladder.trials.trial_tasks import SubmissionTask
    from ladder.worker.match_tasks import MatchTask
    from referee.records.lines import AnyLine

Form = TypeVar("Form", bound=pydantic.BaseModel)

log = structlog.get_logger()


@dataclass(frozen=True)
class AttemptFailure:
    """The reason that an attempt has no result that counts."""

    judgement: Judgement | None
    """None: it was not played, for no reason that lies in it."""
    reason: str
    """In a sentence."""
    lost: str | None = None
    """The identity of the bot's version whose program is missing, if that is the reason."""
    broke: int | None = None
    """The number of the one bot whose container was lost, where that is why; 0 in a trial, which has one bot."""


def outcome_of(task: MatchTask, future: Future[str]) -> MatchOutcome | AttemptFailure | None:
    """Give what the future of a match says; None if it was given up."""
    outcome = _answer(MatchOutcome, future)
    if not isinstance(outcome, MatchOutcome):
        return outcome
    try:
        check_outcome(task, outcome)
    except OtherAnswer as error:
        return AttemptFailure(Judgement.INVALID, str(error))
    if outcome.void is None:
        return outcome
    return AttemptFailure(Judgement.VOID, outcome.void, outcome.lost, outcome.broke)


def trial_outcome_of(task: SubmissionTask, future: Future[str]) -> SubmissionOutcome | AttemptFailure | None:
    """Give what the future of a submission's trial says; None if it was given up."""
    outcome = _answer(SubmissionOutcome, future)
    if not isinstance(outcome, SubmissionOutcome):
        return outcome
    try:
        check_trial(task, outcome)
    except OtherAnswer as error:
        return AttemptFailure(Judgement.INVALID, str(error))
    if outcome.void is None:
        return outcome
    return AttemptFailure(Judgement.VOID, outcome.void, broke=0 if outcome.lost_container else None)


def _answer(form: type[Form], future: Future[str]) -> Form | AttemptFailure | None:
    try:
        return form.model_validate_json(future.result())
    except CancelledError:
        return None
    except Exception as error:
        return _failure_of(error)


def _failure_of(error: Exception) -> AttemptFailure:
    """Say what it means that there is no answer, or none that can be read."""
    if isinstance(error, NotPlayed):
        return AttemptFailure(None, storable(str(error)))
    if isinstance(error, pydantic.ValidationError):
        return AttemptFailure(
            Judgement.INVALID, f"Its worker's answer cannot be understood: {storable(error.errors()[0]['msg'])}."
        )
    if isinstance(error, SandboxError):
        return AttemptFailure(Judgement.VOID, storable(str(error)))
    return AttemptFailure(Judgement.VOID, f"Its worker was lost: {type(error).__name__}: {storable(str(error))}")


def summary_of(path: Path, task: MatchTask) -> MatchSummary:
    """
    Verify a record by playing it again, and give what it says.

    Raises:
        WrongRecord: If it does not hold, or is not of the match that was to be played.
    """
    try:
        summary = summarise(_lines_of(path, task))
        check_times(summary, task)
        return summary
    except (RecordError, BadRecord) as error:
        raise WrongRecord(f"A worker's record is wrong: {error}") from error


def _lines_of(path: Path, task: MatchTask) -> Iterator[AnyLine]:
    """Read the lines of a record, the first of which says that it is of the task's match."""
    for line in checked_lines(path):
        if isinstance(line, MatchLine):
            check_first_line(line, task.spec())
            check_run(line, task)
        yield line


def log_result(result: Result) -> None:
    """Write a result to the log, and who was suspended for it; of a match of an event only that it is over."""
    if result.ordinal is None:
        about = {"match": result.match, "variant": result.variant, "deals": result.deals}
        log.info("match.finished", **about, seconds=round(result.seconds, 3), bots=[], places=[], moves=[])
        return
    log.info(
        "match.finished",
        match=result.match,
        variant=result.variant,
        ordinal=result.ordinal,
        deals=result.deals,
        seconds=round(result.seconds, 3),
        bots=[move.name for move in result.moves],
        places=[move.place for move in result.moves],
        moves=[round(move.after - move.before, 2) for move in result.moves],
    )
    log_suspended((bot, result.variant, reason) for bot, reason in result.suspended)


def log_suspended(suspended: Iterable[tuple[str, str, str]]) -> None:
    """Write to the log which bots were suspended, where and why."""
    for bot, variant, reason in suspended:
        log.warning("bot.suspended", bot=bot, variant=variant, reason=reason)
