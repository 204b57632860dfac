"""
Answers of workers: compared with their questions, read as outcomes, summed up, and written to the log.

A record that holds in itself may be that of another match: of other rules, fewer deals, other bots or another clock.
This is the one place where answers are compared with tasks, for matches of the ladder and of events, for calibration
matches, and for trials.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, TypeVar

import pydantic
import structlog

from ladder.entry.variants import ALL, chosen_variants, outdated
from ladder.errors import SandboxError
from ladder.registry.image_names import OWN, in_registry
from ladder.results.files import LOGS_BYTES
from ladder.results.summary import summarise
from ladder.runner.executor import AttemptFailure, Judgement, NotPlayed
from ladder.store.commands.results import WrongRecord
from ladder.trials.trial_tasks import SubmissionOutcome
from ladder.values.sandbox_kind import AUTO, GVISOR, SHARED, SandboxKind
from ladder.values.text import counted
from ladder.values.value import storable
from ladder.worker.match_tasks import MatchOutcome
from pigpen.rules.errors import PigpenError
from referee.match.match import first_line
from referee.records.difference import compare, expect
from referee.records.framing import RecordDiffers, RecordError
from referee.records.lines import MatchLine, to_json
from referee.records.recorded import BadRecord
from referee.records.rules_file import rules_from
from referee.replay.verify import checked_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from ladder.results.summary import MatchSummary
    from ladder.store.commands.results import Result
    from ladder.trials.trial_tasks import SubmissionTask, TriedProgram
    from ladder.worker.match_tasks import MatchTask
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine

_IDENTITY = re.compile("sha256:[0-9a-f]{64}")
_PINNED = re.compile("[^@]+@sha256:[0-9a-f]{64}")
_AGAIN = (["pigpen", "check"], ["pigpen", "play"])


class OtherAnswer(PigpenError):
    """An answer to another question than the one that was asked; the message says what differs, in a sentence."""


def check_first_line(found: MatchLine, spec: MatchSpec) -> None:
    """
    Compare the first line of a record with that of the match that was to be played.

    Rules, format, names and their order, clock, people, commitment and version must be the same. When it was played,
    and how the bots were run, may differ: see `check_run`.

    Raises:
        RecordDiffers: If they differ; the message says where first.
    """
    run = found.image_files, found.instances, found.runtime, found.machine
    compare(to_json(found).encode(), to_json(first_line(spec, found.started, *run)))


def check_run(found: MatchLine, task: MatchTask) -> None:
    """
    Compare what a record says of its sandbox with the one that was asked for.

    Raises:
        RecordDiffers: If the bots were run in another one: outside containers, by a runtime that isolates less, or
            forked where each instance was to have a container of its own.
    """
    if all(bot.sandbox != SandboxKind.DOCKER for bot in task.bots):
        for name in ("image_files", "instances", "runtime"):
            expect(name, getattr(found, name), None)
        return
    # A sandbox takes gVisor for an image that is too large to be kept in memory, whatever the setting.
    allowed = (GVISOR, SHARED) if task.runtime == AUTO else (GVISOR, task.runtime)
    if found.runtime not in allowed:
        expect("runtime", found.runtime, task.runtime)
    if task.instances == "fresh" and found.instances == "warm":
        expect("instances", found.instances, task.instances)


def check_outcome(task: MatchTask, outcome: MatchOutcome) -> None:
    """
    Compare what comes with a record, or in the place of one, with the match that was to be played.

    Raises:
        OtherAnswer: If it cannot belong to that match.
    """
    if (outcome.match, outcome.attempt) != (task.match, task.attempt):
        raise OtherAnswer("Its worker answered for another match.")
    if outcome.broke is not None and outcome.broke >= len(task.bots):
        raise OtherAnswer("Its worker names a bot that was not in the match.")
    if outcome.lost is not None and outcome.lost not in {bot.identity for bot in task.bots}:
        raise OtherAnswer("Its worker misses the program of a bot that was not in the match.")
    spec = task.spec()
    tables = spec.format.table_numbers(spec.rules)
    if not outcome.logs.keys() <= set(tables) or any(len(each) != len(task.bots) for each in outcome.logs.values()):
        raise OtherAnswer("Its worker gives the output of bots at tables that the match does not have.")
    if sum(len(text) for table in outcome.logs.values() for text in table) > LOGS_BYTES:
        raise OtherAnswer(f"Its worker gives more than {LOGS_BYTES:,} characters that bots have printed.")
    took = (outcome.starting_seconds or 0.0) + (outcome.playing_seconds or 0.0)
    if took > len(tables) * task.seconds:
        raise OtherAnswer(
            f"Its worker took {took:.3g} s for {counted(len(tables), 'table')} of {task.seconds:.3g} s at most."
        )


def check_times(summary: MatchSummary, task: MatchTask) -> None:
    """
    Compare the longest decision in a record with the time that the whole match could take.

    Raises:
        RecordDiffers: If one decision took longer.
    """
    for bot in summary.bots:
        if bot.worst_ms > 1000 * task.seconds:
            raise RecordDiffers(f"one decision took {bot.worst_ms / 1000:.3g} s, and the match {task.seconds:.3g} s")


def check_trial(task: SubmissionTask, outcome: SubmissionOutcome) -> None:
    """
    Compare the outcome of a trial with what was submitted.

    Raises:
        OtherAnswer: If it is that of another submission, or enters the bot where its owner did not want it.
    """
    if (outcome.submission, outcome.attempt) != (task.submission, task.attempt):
        raise OtherAnswer("Its worker answered for another submission.")
    if outcome.program is None:
        return
    _check_program(task, outcome.program)
    _check_variants(task, outcome)
    if outcome.again is not None and not _is_command(outcome.again):
        raise OtherAnswer(
            "Its worker gives a command for the bot's owner that is neither pigpen check nor pigpen play."
        )


def _check_program(task: SubmissionTask, program: TriedProgram) -> None:
    if not _IDENTITY.fullmatch(program.identity):
        raise OtherAnswer("Its worker tried something that has no identity.")
    if program.size > task.most_bytes:
        raise OtherAnswer(f"Its worker tried {program.size:,} bytes, and {task.most_bytes:,} are taken at most.")
    if program.pinned is not None and not _may_be_pinned(task, program.pinned):
        raise OtherAnswer("Its worker says that the image is where this submission cannot be.")


def _may_be_pinned(task: SubmissionTask, pinned: str) -> bool:
    """Tell whether an image may be there: in the ladder's registry only in the ladder's own names, or its own."""
    if task.sandbox != SandboxKind.DOCKER or not _PINNED.fullmatch(pinned):
        return False
    login = task.registry or (task.place and task.place.login)
    place = in_registry(pinned, login.address) if login else None
    if place is None:
        return task.registry is None
    asked = in_registry(task.image, login.address) if task.image and login else None
    return place.namespace == OWN or (asked is not None and asked.repository == place.repository)


def _check_variants(task: SubmissionTask, outcome: SubmissionOutcome) -> None:
    """Choose the variants as the trial has done, which alone has seen what an image offers: it may offer just these."""
    look = task.known.look()
    variants = [rules_from(plain) for plain in outcome.variants]
    try:
        may = chosen_variants(look, task.order.variants, [rules.name for rules in variants])
    except PigpenError:
        may = None
    if variants != may and (variants or ALL not in task.order.variants):
        raise OtherAnswer("Its worker enters the bot in variants that were not asked for.")
    if list(outcome.outdated) != outdated(look, variants):
        raise OtherAnswer("Its worker names other rules as outdated than those that are.")


def _is_command(text: str) -> bool:
    """Tell whether a shell takes *text* as one command of ours and its words, and as nothing else."""
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return words[:2] in _AGAIN and shlex.join(words) == text and text.isprintable()


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
