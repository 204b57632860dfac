"""What became of a submission."""

from __future__ import annotations

from ladder.values.value import Value


class EnteredVariant(Value):
    """The bot in one variant."""

    variant: str
    state: str
    """`active`, or `suspended` if it was that when it left."""
    news: str
    """`entered`, `back again` (it had retired), or `there already`."""
    elo: float
    """As the standings show it."""
    retired: tuple[str, ...]
    """The versions that made room for it: `Trotter@1`."""


class Failure(Value):
    """One thing that the bot did wrong when it was tried."""

    variant: str
    """The variant, or `wire` for a case of the wire."""
    where: str
    """The case; or in a match against itself the deal and the bot's decision."""
    verdict: str
    why: str
    output: str
    """The end of what the bot had printed by then."""
    format: str | None = None
    """Of the match; None for a case."""
    table: int | None = None
    decision: int | None = None


class SubmissionResult(Value):
    """What became of a submission."""

    accepted: bool
    bot: str
    owner: str
    identity: str
    """Image id, or hash of a folder's content."""
    pinned: str | None
    """The image reference by digest; None: only this engine has it."""
    version: str | None
    """As people name it: `Trotter@2`; None if it was not accepted."""
    new: bool
    """Whether nobody had submitted these bits under this name before."""
    changed: bool
    """Whether the ladder is another one now."""
    moved_from: str | None
    """What the image reference named before, if that was something else."""
    outdated: tuple[str, ...]
    """Variants that the ladder plays by rules that a preset had once."""
    variants: tuple[EnteredVariant, ...]
    reasons: tuple[Failure, ...]
    """Why it was not accepted."""
    again: str | None
    """The command that shows the same failure; None if it was accepted."""
