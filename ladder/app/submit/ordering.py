"""
Submissions of bots through the site: queued here, tried by a worker when their turn comes.

Images are pushed into the ladder's registry before: its address, the namespace of an account, and tokens for it are
given here, too.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ladder.app.accounts.sessions import DISABLED, viewer_by
from ladder.app.accounts.teams import check_team
from ladder.app.uploads import finished_upload
from ladder.entry.folders import check_folder
from ladder.entry.policy import Act, may
from ladder.entry.variants import check_order
from ladder.errors import Conflict, Forbidden, LadderError, TooOften, UserError
from ladder.registry.image_names import namespace_of, own_image
from ladder.results.files import SubmissionFolders
from ladder.sandbox.bots.bot_archive import lift_only_folder, unpack
from ladder.sandbox.host.scratch import disk_errors
from ladder.store.account_names import find_account
from ladder.store.commands import submission_queue as queue
from ladder.store.commands.accounts import write_audit
from ladder.store.commands.groups import find_group
from ladder.store.commands.teams import members
from ladder.store.queries.account_lists import team_name
from ladder.store.queries.submissions import submission_in, submission_row, submission_rows, usage
from ladder.store.submission_look import look_at
from ladder.store.turns import versions_at_play, waiting_beside
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import RegistryPlace, RegistryToken, SubmissionList, SubmissionTerms
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer
    from ladder.values.names import Images
    from ladder.values.submission import SubmissionOrder, SubmissionRow

NO_REGISTRY = (
    "This ladder has no registry of images, so it takes only folders that it builds itself: with a bot.py, with source "
    "in a language that it compiles, or with a Dockerfile that adds files to pigpen/bot. For another image ask its "
    "organiser for a registry (setting registry)."
)


def registry_place(ladder: Ladder, viewer: Viewer) -> RegistryPlace:
    """
    Give the address and namespace where an account may push images.

    Raises:
        LadderError: If the ladder has no registry, or the name of the account is too long for it.
    """
    assert viewer.name is not None
    if not ladder.settings.registry:
        raise LadderError(NO_REGISTRY)
    return RegistryPlace(address=ladder.settings.registry, namespace=namespace_of(viewer.name))


def registry_token(
    ladder: Ladder, account: str, secret: str, service: str, scopes: Iterable[str], address: str
) -> RegistryToken | None:
    """
    Give a token for the registry.

    Args:
        ladder: The ladder.
        account: The name of an account.
        secret: A token of that account's that is good for submitting.
        service: For what the registry's token is to be good.
        scopes: What is wanted: ``repository:ada/trotter:pull,push``, or several of them with spaces between.
        address: From where it is asked.

    Returns:
        What is allowed of that, which may be nothing at all; None if the account and the secret open nothing.

    Raises:
        LadderError: If the ladder has no registry, or it is not this service.
        SandboxError: If the ladder's key cannot be read.
    """
    if not ladder.settings.registry:
        raise LadderError(NO_REGISTRY)
    from ladder.registry.tokens import (
        SERVICE,
        TOKEN_SECONDS,
        allowed,
        registry_key,  # most ladders have no registry, and it takes long
        sign,
    )

    if service != SERVICE:
        raise LadderError(f"Tokens are given for the service {SERVICE!r} only.")
    viewer = viewer_by(ladder, secret, address)
    if not viewer.by_token or viewer.name != account or not may(viewer, Act.SUBMIT, account):
        return None
    now = ladder.clock()
    token = sign(registry_key(ladder.settings.data_dir), account, allowed(scopes, namespace_of(account)), now)
    return RegistryToken(token=token, access_token=token, expires_in=int(TOKEN_SECONDS), issued_at=time_of(int(now)))


HOUR = 3600.0
TOO_MANY_BOTS = (
    "The limit of bots that an account of the group {group} may have is {limit}, and {bot} would come beside {bots}. "
    "Retire one of these first (pigpen retire {first}), or withdraw one that waits."
)
TOO_MANY_VERSIONS = (
    "The limit of bots that an account of the group {group} may have is {limit}, each version that is kept included, "
    "and this one of {bot} would come beside {bots}. Submit it without --keep-old, or withdraw one that waits."
)
TOO_MANY_WAIT = "{limit} of your submissions have not ended: the limit. Wait, or withdraw one."
TOO_MANY_A_DAY = "The limit of submissions in 24 hours is {limit}, and you have reached it. Try again later."
TOO_LONG_TRIALS = "Your trials have taken {limit} min in 24 hours: the limit. Try again later."
TEAM_CHANGED = "You have joined or left a team meanwhile. Submit the bot again."
WEAK = (
    "The bots of this ladder run without isolation, so it accepts none over the network. Its organiser can submit "
    "them, or begin a ladder with Docker."
)


def order(ladder: Ladder, viewer: Viewer, wanted: SubmissionOrder) -> SubmissionRow:
    """
    Put a submission into the queue. Nothing of the bot runs here.

    Of one upload one submission is made: a client that missed the answer asks again, and gets the same one. That is why
    its folder has the upload's name.

    Args:
        ladder: The ladder.
        viewer: Who submits it; it becomes a bot of that owner's, or of the viewer's team.
        wanted: What is submitted, and for what.

    Raises:
        BotRejected: If what was uploaded is not taken.
        Forbidden: If the account was disabled meanwhile.
        LadderError: If the ladder does not take such a bot.
        RulesFileError: If a variant cannot be.
        TooOften: If a quota is used up.
        UserError: If the order makes no sense.
    """
    owner, accepted = _owner_for(viewer), ladder.clock()
    if (wanted.image is None) == (wanted.upload is None):
        raise UserError("A submission names either an upload or an image.")
    if wanted.upload:
        with ladder.database.read() as session:
            before = submission_in(session, owner, wanted.upload)
        if before is not None:
            return before
    _judge(ladder, viewer, wanted, accepted)
    if wanted.image is not None:
        registry = ladder.settings.registry
        return _added(
            ladder, viewer, wanted, accepted, image=f"{registry}/{own_image(wanted.image, viewer.name or '', registry)}"
        )
    try:
        return _uploaded(ladder, viewer, wanted, accepted)
    except LadderError:
        with ladder.database.read() as session:  # the same request may have come twice, and the other one was quicker
            before = submission_in(session, owner, wanted.upload or "")
        if before is None:
            raise
        return before


def terms_of(ladder: Ladder) -> SubmissionTerms:
    """Say what can be submitted to a ladder through its site: Dockerfiles of strangers are never executed."""
    images: Images = "registry" if ladder.settings.registry else "none"
    its = ladder.settings
    languages = tuple(its.languages.split())
    return SubmissionTerms(builds="base", languages=languages, images=images, image_bytes=its.image_bytes)


def check(ladder: Ladder, viewer: Viewer, wanted: SubmissionOrder) -> SubmissionTerms:
    """
    Judge an order before its bot is sent, as far as that can be judged without the bot.

    Returns:
        What the ladder takes: by it, a folder can be judged where it is.

    Args:
        ladder: The ladder.
        viewer: Who is about to submit it.
        wanted: What is to be submitted; its upload, and whether its image has been pushed, are no matter yet.

    Raises:
        LadderError: If the ladder does not take such a bot.
        RulesFileError: If a variant cannot be.
        TooOften: If a quota is used up.
    """
    _judge(ladder, viewer, wanted, ladder.clock())
    return terms_of(ladder)


def _judge(ladder: Ladder, viewer: Viewer, wanted: SubmissionOrder, accepted: float) -> None:
    """Judge an order that is accepted at a Unix time: deadlines hold by that, however long its upload is unpacked."""
    owner = _owner_for(viewer)
    with ladder.database.read() as session:
        check_team(session, find_account(session, viewer.name or ""))
        look = look_at(session, wanted.name, accepted)
        _check_quota(session, ladder, owner, wanted)
    sandbox = look.sandbox or ladder.settings.sandbox
    if sandbox != SandboxKind.DOCKER:
        raise LadderError(WEAK)
    if wanted.image is not None and not ladder.settings.registry:
        raise LadderError(NO_REGISTRY)
    check_order(look, wanted, owner, sandbox)


def submission(ladder: Ladder, viewer: Viewer, number: int) -> SubmissionRow:
    """
    Read a submission.

    Raises:
        LadderError: If there is none of that number, or it is not for this viewer's eyes.
    """
    with ladder.database.read() as session:
        row = submission_row(session, number)
    if row is None or not may(viewer, Act.READ_SUBMISSION, row.owner):
        raise LadderError(f"There is no submission {number} of yours. To list all: pigpen submissions")
    return row


def own_submissions(ladder: Ladder, viewer: Viewer, before: int | None = None, limit: int = 20) -> SubmissionList:
    """Read one's own submissions and those of one's team, the newest first, as `submissions` does."""
    with ladder.database.read() as session:
        return _listed(submission_rows(session, viewer.owners, before, limit + 1), limit)


def submissions(
    ladder: Ladder, viewer: Viewer, before: int | None = None, limit: int = 20, owner: str | None = None
) -> SubmissionList:
    """
    Read submissions, the newest first: one's own; an organiser reads an owner's, or all.

    Args:
        ladder: The ladder.
        viewer: Who asks.
        before: Only those with lower numbers; what `SubmissionList.next` said.
        limit: The largest number of submissions to give, from 1.
        owner: Whose; None: one's own and those of one's team, or for an organiser everybody's.
    """
    whose: Collection[str] | None = viewer.owners
    if may(viewer, Act.READ_SUBMISSION, owner or ""):
        whose = None if owner is None else (owner,)
    with ladder.database.read() as session:
        return _listed(submission_rows(session, whose, before, limit + 1), limit)


def _listed(rows: list[SubmissionRow], limit: int) -> SubmissionList:
    return SubmissionList(submissions=tuple(rows[:limit]), next=rows[limit - 1].id if len(rows) > limit else None)


def withdraw(ladder: Ladder, viewer: Viewer, number: int) -> SubmissionRow:
    """
    Take a submission back that has not ended; a trial that is under way comes to nothing.

    Raises:
        LadderError: If there is none of that number, or it is not this viewer's.
        UserError: If it has ended.
    """
    row = submission(ladder, viewer, number)
    if not may(viewer, Act.SUBMIT, row.owner):
        raise LadderError(f"There is no submission {number} of yours. To list all: pigpen submissions")
    with ladder.database.write() as session:
        folder = queue.withdraw(session, number, ladder.clock())
        if folder is False:
            instead = f" To retire its bot: pigpen retire {shlex.quote(row.bot)}" if row.status == "entered" else ""
            raise UserError(f"Submission {number} has ended: {row.status}.{instead}")
        write_audit(session, viewer, "submission.withdraw", row.bot, ladder.clock(), submission=number)
        found = submission_row(session, number)
    if folder:
        SubmissionFolders(ladder.settings.data_dir).remove(folder)
    assert found is not None
    return found


def _owner_for(viewer: Viewer) -> str:
    """Give the owner of what a viewer submits: a member of a team submits for the team."""
    owner = viewer.team or viewer.name
    assert owner
    return owner


def _check_quota(session: Session, ladder: Ladder, owner: str, wanted: SubmissionOrder) -> None:
    """
    Refuse what goes beyond a quota.

    In a team, each member's own quota holds, too, and what members have submitted for themselves counts.
    """
    settings, account = ladder.settings, find_account(session, owner)
    people = members(session, account.owner_id)
    used = usage(session, (owner, *people), ladder.clock())
    group = find_group(session, account.group_name) if account.group_name else None
    quotas = (account.submissions_a_day, group.submissions_a_day if group else None, settings.submissions_a_day)
    own = (find_account(session, name).submissions_a_day for name in people)
    a_day = min([next(each for each in quotas if each is not None), *(each for each in own if each is not None)])
    if group is not None and group.bots is not None:
        _check_bots(session, group.name, group.bots, owner, wanted)
    if used.waiting >= settings.submissions_waiting:
        raise TooOften(TOO_MANY_WAIT, 60.0, limit=used.waiting)
    if used.today >= a_day:
        raise TooOften(TOO_MANY_A_DAY, HOUR, limit=a_day)
    if used.seconds >= 60 * settings.trial_minutes:
        raise TooOften(TOO_LONG_TRIALS, HOUR, limit=settings.trial_minutes)


def _check_bots(session: Session, group: str, limit: int, owner: str, wanted: SubmissionOrder) -> None:
    """Refuse more bots and versions than an account of a group may have; a new version takes the place of others."""
    bot, there = wanted.name, versions_at_play(session, owner)
    own = there.pop(bot, 0)
    beside = own if wanted.keep_old else waiting_beside(session, owner)[bot]
    if there.total() + beside < limit:
        return
    others = ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in sorted(there.items()))
    if there.total() >= limit:
        raise LadderError(TOO_MANY_BOTS, group=group, limit=limit, bot=bot, bots=others, first=min(there))
    mine = bot if beside == 1 else f"{bot} ×{beside}"
    raise LadderError(
        TOO_MANY_VERSIONS, group=group, limit=limit, bot=bot, bots=", ".join(filter(None, (mine, others)))
    )


def _added(
    ladder: Ladder, viewer: Viewer, wanted: SubmissionOrder, accepted: float, *, image: str | None = None,
    folder: str | None = None, size: int = 0,
) -> SubmissionRow:  # fmt: skip
    assert viewer.name
    owner = _owner_for(viewer)
    with ladder.database.write() as session:  # others may have come meanwhile, or the account been disabled
        account = find_account(session, viewer.name)
        if account.disabled is not None:
            raise Forbidden(DISABLED)
        check_team(session, account)
        team = None if account.team_id is None else team_name(session, account.team_id)
        if team != viewer.team:
            raise Conflict(TEAM_CHANGED)
        _check_quota(session, ladder, owner, wanted)
        row = queue.add(
            session, wanted, accepted, owner=owner, sandbox=SandboxKind.DOCKER, image=image, folder=folder,
            remote=True, size=size,
        )  # fmt: skip
        of_team = {"team": viewer.team} if viewer.team else {}
        write_audit(session, viewer, "submission.order", wanted.name, ladder.clock(), submission=row.id, **of_team)
        found = submission_row(session, row.id)
    assert found is not None
    return found


def _uploaded(ladder: Ladder, viewer: Viewer, wanted: SubmissionOrder, accepted: float) -> SubmissionRow:
    """Unpack what was uploaded, and put it into the queue; the upload is used up then."""
    assert wanted.upload is not None
    folders = SubmissionFolders(ladder.settings.data_dir)
    with finished_upload(ladder, viewer, wanted.upload) as file:
        folder = _unpacked(ladder, file, folders, wanted.upload, wanted.source or wanted.name)
        try:
            return _added(ladder, viewer, wanted, accepted, folder=folder, size=file.stat().st_size)
        except BaseException:
            folders.remove(folder)
            raise


def _unpacked(ladder: Ladder, file: Path, folders: SubmissionFolders, upload: str, source: str) -> str:
    """Give the name of the folder where it was unpacked, if the ladder builds what is in it."""
    with disk_errors(folders.root):
        name = folders.make(upload)
        try:
            with file.open("rb") as packed:
                unpack(packed, folders.bot(name, source))
            lift_only_folder(folders.bot(name, source))
            check_folder(folders.bot(name, source), source, terms_of(ladder))
        except BaseException:
            folders.remove(name)
            raise
        return name
