"""
Submission of a bot: its order, its progress and its result.

Here too is access to the ladder's registry of images, for those who push to it.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ladder.values.names import Builds, Images
from ladder.values.value import Time, Value


class RegistryPlace(Value):
    """Address and namespace for an account's images."""

    address: str
    """Host and port."""
    namespace: str
    """With what the names of one's images begin: `ada` in `ada/trotter`."""


class RegistryToken(Value):
    """Token for a registry, by the distribution specification."""

    token: str
    access_token: str
    """The same: programs ask for it by either name."""
    expires_in: int
    """Seconds."""
    issued_at: Time


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
    missing_owners: int = 0
    """Number of further owners who must have an active bot there before a match can be played; 0: it can play."""


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
    rotation: int | None = None
    """From 1."""
    decision: int | None = None


class SubmissionResult(Value):
    """Result of a submission."""

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
    """True if these bits were not submitted under this name before."""
    changed: bool
    """True if the submission has changed the ladder."""
    moved_from: str | None
    """Identity that the image reference named before, if that was another one."""
    moved_plays: bool = False
    """True if the version of that identity still plays."""
    outdated: tuple[str, ...]
    """Variants that the ladder plays by rules that a preset had once."""
    variants: tuple[EnteredVariant, ...]
    reasons: tuple[Failure, ...]
    """Failures for which it was not accepted."""
    again: str | None
    """The command that shows the same failure; None if it was accepted."""


class Upload(Value):
    """A bot's folder on its way to the ladder: a tar archive packed with gzip."""

    id: str
    bytes: int
    """Size of the archive in bytes."""
    offset: int
    """Number of bytes that have arrived; the next piece begins there."""


class UploadOrder(Value):
    """The announcement of an upload."""

    bytes: int = Field(ge=1)


class VariantFile(Value):
    """A variant that stands in a file of the contestant's."""

    file: str = Field(max_length=500)
    """File name as it was typed, to be repeated in commands; the ladder opens no file of that name."""
    rules: dict[str, Any]
    """Field for field as in a rules file."""


class SubmissionOrder(Value):
    """Request for a submission by an owner; the same for this machine's ladder and for a remote one."""

    name: str = Field(max_length=64)
    """The bot's name on the ladder."""
    upload: str | None = Field(default=None, max_length=64)
    """The upload that holds its folder; either this or the image."""
    image: str | None = Field(default=None, max_length=300)
    """An image: in the registry of a remote ladder `owner/name:tag`, or by digest; else as the engine names it."""
    source: str = Field(default="", max_length=200)
    """The folder's name on its owner's machine."""
    word: str = Field(default="", max_length=500)
    """The bot as its owner typed it, to be repeated in commands."""
    variants: tuple[str | VariantFile, ...] = Field(default=(), max_length=50)
    """Names of variants, `all`, and variants of the owner's; none: the default ones."""
    keep_old: bool = False
    """True if the bot's other versions play on."""


class SubmissionTerms(Value):
    """The terms of a ladder: what can be submitted to it."""

    builds: Builds
    """Dockerfiles of folders that it builds: `base` (those that only add files to `pigpen/bot`), or `allowed` (any)."""
    languages: tuple[str, ...]
    """Languages other than Python in which it builds folders: `go`, `cpp`, `javascript`."""
    images: Images
    """Images that it takes: `registry` (those pushed to its registry), or `none`."""
    image_bytes: int
    """The largest folder or image, in bytes."""


class SubmissionRow(Value):
    """A submission: how far it has come, and its result, if it was tried."""

    id: int
    owner: str
    bot: str
    source: str
    """Folder or image that was submitted, in the owner's words."""
    status: str
    """`queued`, `leased`, `entered`, `refused`, `failed` or `withdrawn`; the first two are not the end."""
    phase: str
    """`received`, `building`, `trying` or `ended`."""
    place: int | None
    """Number of submissions that are tried before it, plus 1; None if it does not wait."""
    done: int
    """Cases and deals of its trial that are over."""
    steps: int
    """Number of cases and deals of the trial; 0: not known yet."""
    attempt: int
    added: Time
    started: Time | None
    finished: Time | None
    reason: str
    """Reason that the ladder does not take it, or the failure; empty where `result` says it."""
    result: SubmissionResult | None
    """Result, once it has been tried."""


class SubmissionList(Value):
    """Submissions, the newest first."""

    submissions: tuple[SubmissionRow, ...]
    next: int | None
    """Read on with this as `before`; None: these were the last."""
