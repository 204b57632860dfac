"""A submitted bot from its folder or image to an outcome: loaded, chosen for variants, tried, and put by."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from ladder.entry.claims import check_possession
from ladder.entry.variants import chosen_variants, outdated
from ladder.errors import BotRejected, LadderError, SandboxError
from ladder.matches.preflight import preflight, steps
from ladder.sandbox.bots.bot_source import BotSource
from ladder.trials import image_facts as images
from ladder.trials.again import again
from ladder.trials.candidate import candidate
from ladder.trials.failures import failures
from ladder.trials.own_images import find_built
from ladder.trials.tasks import SubmissionOutcome, TriedProgram
from ladder.values.sandbox_kind import SandboxKind
from referee.records.rules_file import RulesFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from ladder.entry.look import SubmissionLook
    from ladder.matches.preflight import Preflight
    from ladder.registry.login import ImagePlace
    from ladder.sandbox.base import Sandbox
    from ladder.trials.candidate import Candidate
    from ladder.trials.tasks import SubmissionTask
    from pigpen.rules import Rules

    Progress = Callable[[str, int], AbstractContextManager[Callable[[str], None]]]

log = structlog.get_logger()


async def try_submission(sandbox: Sandbox, task: SubmissionTask, progress: Progress) -> SubmissionOutcome:
    """
    Try a submitted bot; whatever is wrong with it is in the outcome.

    Args:
        sandbox: Where it is to run.
        task: What was submitted, and what the ladder holds.
        progress: Shows how the trial goes.

    Raises:
        SandboxError: If the platform failed; that says nothing about the bot.
    """
    try:
        return await _try(sandbox, task, progress)
    except (BotRejected, LadderError, RulesFileError) as error:
        reason = _without_path(str(error), task)
        return SubmissionOutcome(submission=task.submission, attempt=task.attempt, refused=reason)
    finally:
        if sandbox.name is SandboxKind.DOCKER and task.folder:  # this folder is never built again
            await asyncio.to_thread(images.forget, Path(task.folder))


def _without_path(words: str, task: SubmissionTask) -> str:
    """Leave paths out: a stranger need not know where this ladder keeps its files."""
    return words.replace(task.folder, task.source) if task.folder else words


async def _try(sandbox: Sandbox, task: SubmissionTask, progress: Progress) -> SubmissionOutcome:
    look, data_dir = task.known.look(), Path(task.data_dir) if task.data_dir else None
    async with candidate(sandbox, _source(task), task.most_bytes, task.builds) as bot:
        variants = _variants(task, look, bot)
        untried = _untried(look, bot, variants)
        found = await _play(task, bot, untried, progress) if untried else None
        if found is None or found.passed:
            bot = replace(bot, pinned=await bot.keep(data_dir, task.place))
    failed = found is not None and not found.passed
    return SubmissionOutcome(
        submission=task.submission,
        attempt=task.attempt,
        program=_program(bot),
        variants=tuple(rules.to_plain() for rules in variants),
        outdated=tuple(outdated(look, variants)),
        failures=tuple(failures(found)) if found else (),
        again=again(task, found) if found and failed else None,
    )


def _source(task: SubmissionTask) -> BotSource:
    return BotSource(
        task.source,
        folder=Path(task.folder) if task.folder else None,
        image=task.image,
        find_built=partial(_find_built, task.place) if task.place else None,
    )


def _find_built(place: ImagePlace, key: str) -> str | None:
    """Find what another machine has built; where the registry does not answer, it is built once more."""
    try:
        return find_built(place, key)
    except SandboxError as error:
        log.warning("image.not_looked_for", repository=place.repository, reason=str(error))
        return None


def _variants(task: SubmissionTask, look: SubmissionLook, bot: Candidate) -> list[Rules]:
    registry = task.registry.address if task.registry else ""
    check_possession(look, task.owner, bot.program.identity, task.image, registry)
    return chosen_variants(look, task.variants, bot.offered)


def _untried(look: SubmissionLook, bot: Candidate, variants: Sequence[Rules]) -> list[Rules]:
    known = look.entered.get(bot.program.identity, frozenset())
    return [rules for rules in variants if rules.name not in known]


async def _play(task: SubmissionTask, bot: Candidate, variants: Sequence[Rules], progress: Progress) -> Preflight:
    with progress("cases", steps(variants, task.deals)) as advance:
        return await preflight(bot.program, task.bot, variants, task.clock_setting, task.deals, advance)


def _program(bot: Candidate) -> TriedProgram:
    return TriedProgram(
        identity=bot.program.identity,
        pinned=bot.pinned,
        size=bot.size,
        lock=bot.program.lock,
        can_fork=bot.program.can_fork,
    )
