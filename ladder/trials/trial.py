"""
The trial of a submitted bot, from its folder or image to an outcome: loaded, chosen for variants, tried, and put by.

A candidate is a bot between its submission and the ladder: loaded in its sandbox, pinned, and not yet tried. Its
failures in the trial are values for its owner, who gets the command by which to see the same failure again if the bot
was not accepted.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from ladder.entry.claims import check_possession
from ladder.entry.variants import chosen_variants, outdated
from ladder.errors import BotRejected, LadderError, SandboxError
from ladder.matches.check import WIRE_GROUP
from ladder.matches.preflight import preflight, steps
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import Content, is_content, keep_folder
from ladder.sandbox.host.scratch import scratch_folder
from ladder.sandbox.wheels.packages import with_lock
from ladder.trials import trial_images as images
from ladder.trials.trial_images import find_built, push
from ladder.trials.trial_tasks import SubmissionOutcome, TriedProgram
from ladder.values.sandbox_kind import AUTO, SHARED, SandboxKind
from ladder.values.submission import Failure, VariantFile
from pigpen.check.run import UNTRIED
from referee.match.formats import DEFAULT_CLOCK
from referee.records.rules_file import RulesFileError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ladder.entry.claims import SubmissionLook
    from ladder.matches.preflight import Preflight, SelfPlay
    from ladder.registry.login import ImagePlace
    from ladder.sandbox.base import Loaded, Sandbox
    from ladder.trials.trial_tasks import SubmissionTask
    from ladder.values.names import Builds
    from pigpen.rules import Rules
    from referee.match.formats import MatchSpec

    Progress = Callable[[str, int], AbstractContextManager[Callable[[str], None]]]


def failures(found: Preflight) -> Iterator[Failure]:
    """Give each case that failed, and each fault in matches against itself."""
    for outcome in found.report.outcomes:
        if not outcome.passed and outcome.verdict != UNTRIED:
            yield Failure(
                variant=outcome.group,
                where=outcome.name,
                verdict=outcome.verdict,
                why=outcome.reason,
                output=outcome.output,
            )
    for match in found.matches:
        yield from _faults(match)


def _faults(match: SelfPlay) -> Iterator[Failure]:
    for fault in match.faults.reports:
        logs = match.played.logs.get(fault.rotation - 1)
        yield Failure(
            variant=match.spec.rules.name,
            where=f"{fault.place}, decision {fault.decision}",
            verdict=fault.verdict,
            why=fault.why,
            output=_until(logs[fault.seat], fault.decision) if logs else "",
            format=str(match.spec.format),
            rotation=fault.rotation,
            decision=fault.decision,
        )


def _until(log: str, decision: int) -> str:
    """Give what stands in a bot's output up to a decision; each line begins with its own: ``[12] Traceback …``."""
    lines = log.splitlines(keepends=True)
    late = (number for number, line in enumerate(lines) if _decision(line) > decision)
    return "".join(lines[: next(late, None)])


def _decision(line: str) -> int:
    found = re.match(r"\[(\d+)\] ", line)
    return int(found[1]) if found else 0


def again(task: SubmissionTask, found: Preflight) -> str:
    """Give the command that shows the failure that *found* tells of, on the owner's machine."""
    if not found.report.passed:
        groups = dict.fromkeys(outcome.group for outcome in found.report.outcomes)
        rules = "".join(f" --rules {_rules(task.order.variants, group)}" for group in groups if group != WIRE_GROUP)
        return f"pigpen check {shlex.quote(task.word)}{rules} --sandbox {task.sandbox}{_runtime(task)}"
    failed = next(match for match in found.matches if match.faults.reports)
    return _play(task, failed.spec)


def _play(task: SubmissionTask, spec: MatchSpec) -> str:
    bots = " ".join([shlex.quote(task.word)] * (2 if spec.rules.partners else spec.rules.players))
    clock = spec.clock
    time = f" --clock {clock.bank:g}+{clock.increment:g} --limit {clock.limit:g}" if clock != DEFAULT_CLOCK else ""
    rules = _rules(task.order.variants, spec.rules.name)
    match = f"--rules {rules} --deals {spec.format.deals} --seed {spec.seed.hex()}"
    return f"pigpen play {bots} {match} --sandbox {task.sandbox}{_runtime(task)}{time}"


def _runtime(task: SubmissionTask) -> str:
    """Say which runtime shows the failure: gVisor as on the ladder, if the owner's machine has it."""
    return f" --runtime {AUTO}" if task.sandbox == SandboxKind.DOCKER and task.runtime != SHARED else ""


def _rules(wanted: Sequence[str | VariantFile], variant: str) -> str:
    """Say what to type for a variant: its name, or the file in which its rules stand."""
    files = (each for each in wanted if isinstance(each, VariantFile))
    return shlex.quote(next((file.file for file in files if file.rules.get("name") == variant), variant))


NEEDS_MORE = (
    "needs installed packages (node_modules), which the ladder does not keep of a folder. "
    "Give it a Dockerfile, and enter it in the docker sandbox."
)


NOWHERE = (
    "What is built on one machine of a cluster can be played on none of the others: the ladder has no registry of "
    "images (setting registry)."
)

log = structlog.get_logger()


@dataclass(frozen=True)
class Candidate:
    """A bot that can be tried."""

    program: Loaded
    size: int
    """Bytes."""
    pinned: str | None = None
    """The reference of its image in a registry: ``registry/name@sha256:…``."""
    offered: tuple[str, ...] = ()
    """The variants that it says it plays; empty: it does not say."""
    copy: Path | None = None
    """The copy of its folder from which it is tried, in the process sandbox."""
    content: Content | None = None
    """The content of its folder when it was read; None for an image."""

    async def keep(self, data_dir: Path | None, place: ImagePlace | None = None) -> str | None:
        """
        Put by what the ladder is to play from.

        Args:
            data_dir: The ladder's folder; None: it is on another machine, which keeps the folder of a bot itself, and
                pulls its image from where it is put.
            place: Where in the ladder's registry to put an image that is in none.

        Returns:
            Where a registry has its image; None: none has it, or it is a folder.

        Raises:
            BotRejected: If the bot has changed its folder.
            SandboxError: If the engine fails, or there is no room.
        """
        identity = self.program.identity
        if self.copy is None:
            if data_dir is None:
                return self.pinned or await asyncio.to_thread(push, _place(place), identity)
            await asyncio.to_thread(images.keep, identity)
            return self.pinned or (await asyncio.to_thread(_pushed, place, identity) if place else None)
        assert self.content is not None
        if not is_content(self.copy, identity):
            raise BotRejected(
                "The bot wrote into its own folder while it played, and the ladder plays what was submitted. "
                "Let it write where $HOME or $TMPDIR says."
            )
        if data_dir is not None:
            keep_folder(self.content, data_dir)
        return None


@asynccontextmanager
async def candidate(
    sandbox: Sandbox, source: BotSource, max_bytes: int, builds: Builds = "base"
) -> AsyncIterator[Candidate]:
    """
    Build, pull or copy what was submitted, and look at it; nothing of it runs, unless any build is allowed.

    Args:
        sandbox: Where it is to run.
        source: What was submitted.
        max_bytes: The largest image, or folder, that is taken.
        builds: Which Dockerfiles are built.

    Raises:
        BotRejected: If the ladder does not take it.
        SandboxError: If the sandbox failed.
    """
    if source.folder is not None:
        source = replace(source, content=Content.read(source.folder, max_bytes), builds=builds)
    if sandbox.name is SandboxKind.DOCKER:
        yield await _from_image(sandbox, source, max_bytes)
        return
    try:
        program = await sandbox.load(source)  # what it cannot run, it names by the contestant's own word
    except BotRejected as error:
        if source.content is None or source.content.file("package.json") is None:
            raise
        raise BotRejected(f"{source.name} {NEEDS_MORE}") from error
    assert source.content is not None
    content = with_lock(source.content, program.lock)
    with scratch_folder() as scratch:
        content.write(scratch / "bot")
        yield await _from_copy(sandbox, source.name, content, scratch / "bot")


def _place(place: ImagePlace | None) -> ImagePlace:
    if place is None:
        raise SandboxError(NOWHERE)
    return place


def _pushed(place: ImagePlace, identity: str) -> str | None:
    """Push what was built here; if that fails, the runner of a cluster does it later."""
    try:
        return push(place, identity)
    except SandboxError as error:
        log.warning("image.not_pushed", identity=identity, reason=str(error))
        return None


async def _from_image(sandbox: Sandbox, source: BotSource, max_bytes: int) -> Candidate:
    if source.image is not None:
        await asyncio.to_thread(images.refresh, source.image)
    program = await sandbox.load(source)
    name = source.image or source.name
    facts = await asyncio.to_thread(images.examine, program.identity, name, source.image, max_bytes)
    return Candidate(program, facts.size, facts.pinned, facts.variants, content=source.content)


async def _from_copy(sandbox: Sandbox, name: str, content: Content, copy: Path) -> Candidate:
    try:
        program = await sandbox.load(BotSource(name, folder=copy, content=content))
    except BotRejected as error:
        raise BotRejected(f"{name} {NEEDS_MORE}") from error
    return Candidate(program, content.size, copy=copy, content=content)


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
        found = await _play_trial(task, bot, untried, progress) if untried else None
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
        languages=task.languages,
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
    return chosen_variants(look, task.order.variants, bot.offered)


def _untried(look: SubmissionLook, bot: Candidate, variants: Sequence[Rules]) -> list[Rules]:
    known = look.entered.get(bot.program.identity, frozenset())
    return [rules for rules in variants if rules.name not in known]


async def _play_trial(task: SubmissionTask, bot: Candidate, variants: Sequence[Rules], progress: Progress) -> Preflight:
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
