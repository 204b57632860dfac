"""The way of a bot into the ladder: pinned, tried where it has not been tried yet, kept, and entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.submit.candidate import candidate
from ladder.app.submit.variants import chosen_variants, outdated
from ladder.matches.preflight import preflight, steps
from ladder.sandbox.bots.bot_source import names_owner
from ladder.sandbox.bots.kept import check_not_kept
from ladder.store.commands.claims import check_claim, check_possession
from ladder.store.commands.submissions import Submission, add_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.app.local.progress import Progress
    from ladder.app.submit.candidate import Candidate
    from ladder.matches.kinds import SandboxKind
    from ladder.matches.preflight import Preflight
    from ladder.sandbox.base import Sandbox
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.settings.settings import Settings
    from ladder.store.commands.submissions import Added
    from ladder.store.submission_look import SubmissionLook
    from pigpen.rules import Rules


@dataclass(frozen=True)
class Request:
    """What an owner asks for."""

    source: BotSource
    name: str
    """The bot's name on the ladder."""
    owner: str
    variants: tuple[str, ...] = ()
    """Words for variants; none: what is usual (`chosen_variants`)."""
    keep_old: bool = False
    """Whether the bot's other versions play on."""
    sandbox: SandboxKind | None = None
    """Where it is to run; None: where the ladder's bots do."""
    word: str = ""
    """The bot as its owner named it."""


@dataclass(frozen=True)
class EntryOutcome:
    """What became of it."""

    added: Added | None
    """What the ladder holds now; None: the bot failed, and the ladder is as it was."""
    preflight: Preflight | None
    """How the bot did; None if it had been through all of that before."""
    identity: str
    pinned: str | None
    outdated: tuple[str, ...]
    """Variants that the ladder plays by rules that a preset had once."""


async def enter(
    ladder: Ladder, sandbox: Sandbox, request: Request, look: SubmissionLook, progress: Progress
) -> EntryOutcome:
    """
    Enter a bot, or find that it fails.

    What decides is looked at once, before the bot is built; the transaction that writes checks it again, for a trial
    takes minutes.

    Args:
        ladder: The ladder.
        sandbox: Where its bots run.
        request: What is asked for.
        look: What the ladder holds now.
        progress: Shows how the trial goes.

    Raises:
        BotRejected: If the ladder does not even try it.
        LadderError: If a name cannot be, or the image, or the folder, is somebody else's.
        RulesFileError: If a variant cannot be.
        SandboxError: If the platform failed; that says nothing about the bot.
    """
    settings, source = ladder.settings, request.source
    check_claim(look, request.name, request.owner, sandbox.name)
    if source.folder is not None:
        check_not_kept(source.folder, settings.data_dir)
    async with candidate(sandbox, source, settings.image_bytes, settings.builds) as bot:
        identity = bot.program.identity
        if source.image is not None:
            check_possession(look, request.owner, identity, source.image, names_owner(source.image))
        variants = chosen_variants(look, request.variants, bot.offered)
        old_rules = tuple(outdated(look, variants))
        known = look.entered.get(identity, frozenset())
        untried = [rules for rules in variants if rules.name not in known]
        found = await _try(bot, request.name, untried, settings, progress) if untried else None
        if found and not found.passed:
            return EntryOutcome(None, found, identity, bot.pinned, old_rules)
        await bot.keep(settings.data_dir)
    with ladder.database.write() as session:
        submission = _submission(request, bot, sandbox)
        added = add_version(session, submission, variants, ladder.clock(), request.keep_old)
    return EntryOutcome(added, found, identity, bot.pinned, old_rules)


async def _try(
    bot: Candidate, name: str, variants: Sequence[Rules], settings: Settings, progress: Progress
) -> Preflight:
    clock, deals = settings.clock_setting, settings.preflight_deals
    with progress("cases", steps(variants, deals)) as advance:
        return await preflight(bot.program, name, variants, clock, deals, advance)


def _submission(request: Request, bot: Candidate, sandbox: Sandbox) -> Submission:
    return Submission(
        bot=request.name,
        owner=request.owner,
        identity=bot.program.identity,
        sandbox=sandbox.name,
        source=request.source.image or request.source.name,
        size=bot.size,
        pinned=bot.pinned,
        reference=request.source.image,
        names_owner=request.source.image is None or names_owner(request.source.image),
        lock=bot.program.lock,
        can_fork=bot.program.can_fork,
    )
