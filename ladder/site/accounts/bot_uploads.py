"""A bot that is submitted by a form of the site: the file goes where uploads of the command go."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from ladder.app.submit import ordering, uploads
from ladder.errors import BotRejected, Conflict, LadderError, TooOften, UserError
from ladder.site.rendering.words import to_translate
from ladder.site.server.forms import FOREIGN_PAGE
from ladder.site.server.origin import has_csrf, is_same_origin
from ladder.values.submission import SubmissionOrder
from pigpen.rules import PRESETS
from referee.records.rules_file import RulesFileError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from starlette.requests import Request

    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer
    from ladder.values.submission import SubmissionRow

VARIANTS = tuple(PRESETS)
MAX_FIELDS = len(VARIANTS) + 10
MAX_FIELD_BYTES = 1000
PIECE = 64 * 1024
ENDINGS = (".tar.gz", ".tgz")
NO_FILE = to_translate("Choose a file: the bot's folder, packed with tar and gzip.")
NO_NAME = to_translate("A bot has a name of 1 to 64 characters.")
NOT_TAKEN = (BotRejected, Conflict, LadderError, RulesFileError, TooOften, UserError)
"""Errors for which a bot is not taken; the form says it."""


@asynccontextmanager
async def form_of(request: Request) -> AsyncIterator[Mapping[str, UploadFile | str]]:
    """
    Read a form with a file. The caller has checked who sends it.

    Raises:
        HTTPException: 403 if it does not come from a page of this site, or not from this session; 400 if it is no form.
    """
    if not is_same_origin(request):
        raise HTTPException(403, FOREIGN_PAGE)
    async with request.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES) as form:
        if not has_csrf(request, str(form.get("csrf", ""))):
            raise HTTPException(403, FOREIGN_PAGE)
        yield form


async def submit(ladder: Ladder, viewer: Viewer, form: Mapping[str, UploadFile | str]) -> SubmissionRow:
    """
    Take a bot from a form, and put it into the queue.

    Raises:
        UserError: If something is missing; else whatever `ladder.app.submit` raises.
    """
    file, name = form.get("bot"), str(form.get("name", "")).strip()
    if not isinstance(file, UploadFile) or not file.size:
        raise UserError(NO_FILE)
    if not 1 <= len(name) <= 64:
        raise UserError(NO_NAME)
    variants = tuple(each for each in VARIANTS if f"variant_{each}" in form)
    upload = await to_thread.run_sync(uploads.begin_upload, ladder, viewer, file.size)
    try:
        await uploads.go_on(ladder, viewer, upload.id, 0, _pieces(file))
        source = _folder(file.filename or name)
        wanted = SubmissionOrder(
            name=name,
            upload=upload.id,
            image=None,
            source=source,
            word=source,
            variants=variants,
            keep_old="keep_old" in form,
        )
        return await to_thread.run_sync(partial(ordering.order, ladder, viewer, wanted))
    except BaseException:
        with suppress(LadderError):  # it is gone already, if what was in it is not taken
            uploads.give_up(ladder, viewer, upload.id)
        raise


def sentence_of(error: Exception) -> str:
    """Say why a bot is not taken."""
    return error.sentence.replace("{minutes}", error.minutes) if isinstance(error, TooOften) else str(error)


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(PIECE):
        yield piece


def _folder(file: str) -> str:
    r"""
    Say what the folder in a packed file is called.

    >>> _folder("trotter.tar.gz"), _folder("C:\\bots\\mine.tgz"), _folder("x")
    ('trotter', 'mine', 'x')
    """
    name = file.replace("\\", "/").rpartition("/")[2]
    ending = next((each for each in ENDINGS if name.lower().endswith(each)), "")
    return name[: len(name) - len(ending)][:200] or name[:200]
