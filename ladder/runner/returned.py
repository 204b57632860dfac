"""Results that an executor returns, the summary of the record, and the log of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pydantic
import structlog

from ladder.errors import SandboxError
from ladder.results.summary import summarise
from ladder.runner.asked import OtherAnswer, check_first_line, check_outcome, check_run, check_times, check_trial
from ladder.runner.executor import AttemptFailure, Judgement, NotPlayed
from ladder.store.commands.results import WrongRecord
from ladder.trials.trial_tasks import SubmissionOutcome
from ladder.values.task import storable
from ladder.worker.match_tasks import MatchOutcome
from referee.records.framing import RecordError
from referee.records.lines import MatchLine
from referee.records.recorded import BadRecord
from referee.replay.verify import checked_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from ladder.results.summary import MatchSummary
    from ladder.store.commands.results import Result
    from ladder.trials.trial_tasks import SubmissionTask
    from ladder.worker.match_tasks import MatchTask
    from referee.records.lines import AnyLine

Task = TypeVar("Task")
AnyOutcome = TypeVar("AnyOutcome", MatchOutcome, SubmissionOutcome)

log = structlog.get_logger()


def match_outcome(task: MatchTask, answer: str | Exception) -> MatchOutcome | AttemptFailure:
    """Read the answer to a match, or why there is none."""
    return _outcome(MatchOutcome, check_outcome, task, answer)


def trial_outcome(task: SubmissionTask, answer: str | Exception) -> SubmissionOutcome | AttemptFailure:
    """Read the answer to a submission's trial, or why there is none."""
    return _outcome(SubmissionOutcome, check_trial, task, answer)


def _outcome(
    form: type[AnyOutcome], check: Callable[[Task, AnyOutcome], None], task: Task, answer: str | Exception
) -> AnyOutcome | AttemptFailure:
    if isinstance(answer, Exception):
        return _failure_of(answer)
    try:
        outcome = form.model_validate_json(answer)
        check(task, outcome)
    except pydantic.ValidationError as error:
        reason = storable(error.errors()[0]["msg"])
        return AttemptFailure(Judgement.INVALID, f"Its worker's answer cannot be understood: {reason}.")
    except OtherAnswer as error:
        return AttemptFailure(Judgement.INVALID, str(error))
    except Exception as error:
        return _failure_of(error)
    if outcome.void is None:
        return outcome
    lost = outcome.lost if isinstance(outcome, MatchOutcome) else None
    return AttemptFailure(Judgement.VOID, outcome.void, lost, outcome.broke)


def _failure_of(error: Exception) -> AttemptFailure:
    """Say what it means that there is no answer."""
    if isinstance(error, NotPlayed):
        return AttemptFailure(None, storable(str(error)))
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
