"""The API's uploads and submissions: for contestants who have logged in."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from fastapi import Header, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from ladder.app import uploads
from ladder.app.submit import ordering
from ladder.entry.policy import Act
from ladder.errors import BotRejected, Conflict, Forbidden, LadderError, TooOften
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.event_streams import STOP, event, event_stream
from ladder.site.server.headers import fresh
from ladder.site.server.routing import Router, in_turn
from ladder.site.server.viewer import FOR_PEOPLE, demand, still_may
from ladder.values.submission import (
    SubmissionList,
    SubmissionOrder,
    SubmissionRow,
    SubmissionTerms,
    Upload,
    UploadOrder,
)
from referee.records.rules_file import RulesFileError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from ladder.site.server.context import Site
    from ladder.values.accounts import Viewer

router = Router(dependencies=FOR_PEOPLE)
LOOK_SECONDS = 1.0
"""Seconds between two looks of a stream at a submission's progress."""
MAX_STREAMS = 10
"""Streams that one account may read at a time: each of them asks the database again and again."""
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
UploadId = Annotated[str, Path(max_length=64)]
Offset = Annotated[int, Header(alias="Upload-Offset", ge=0)]
Before = Annotated[int | None, Query(ge=1, le=MAX_NUMBER)]


@router.post("/uploads", response_model=Upload, status_code=201)
def begin_upload(request: Request, order: UploadOrder) -> Response:
    """Begin the upload of a folder: a tar archive packed with gzip, and its size in bytes."""
    site, viewer = _submitter(request)
    return fresh(uploads.begin_upload(site.ladder, viewer, order.bytes), 201)


@router.get("/uploads/{upload}", response_model=Upload)
def one_upload(request: Request, upload: UploadId) -> Response:
    """Give how much of an upload has arrived."""
    site, viewer = _submitter(request)
    return fresh(uploads.upload(site.ladder, viewer, upload))


@router.patch("/uploads/{upload}", response_model=Upload)
async def go_on(request: Request, upload: UploadId, offset: Offset) -> Response:
    """Take more of an upload, from the byte that the header `Upload-Offset` names."""
    site, viewer = await in_turn(request, _submitter, request)
    try:
        return fresh(await uploads.go_on(site.ladder, viewer, upload, offset, request.stream()))
    except ClientDisconnect:  # what has come stays; no client gets this answer
        return Response(status_code=400)


@router.delete("/uploads/{upload}", status_code=204)
def give_up(request: Request, upload: UploadId) -> Response:
    """Remove an upload."""
    site, viewer = _submitter(request)
    uploads.give_up(site.ladder, viewer, upload)
    return Response(status_code=204)


@router.post("/submissions", response_model=SubmissionRow, status_code=202)
def submit(request: Request, order: SubmissionOrder) -> Response:
    """Submit a bot; a worker tries it when its turn comes."""
    site, viewer = _submitter(request)
    with not_taken():
        return fresh(ordering.order(site.ladder, viewer, order), 202)


@router.post("/submissions/check", response_model=SubmissionTerms)
def check(request: Request, order: SubmissionOrder) -> Response:
    """
    Judge an order before its folder or image is sent, without taking it: what would be refused is refused now.

    The answer says what the ladder takes, by which the folder itself can be judged.
    """
    site, viewer = _submitter(request)
    with not_taken():
        return fresh(ordering.check(site.ladder, viewer, order))


@router.get("/submissions", response_model=SubmissionList)
def submissions(
    request: Request,
    before: Before = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
    owner: Annotated[str | None, Query(max_length=64)] = None,
) -> Response:
    """Give one's own submissions, the newest first; an organiser gets an owner's, or all. Read on with `next`."""
    viewer = demand(request, Act.READ_SUBMISSION)
    site: Site = request.app.state.site
    return fresh(ordering.submissions(site.ladder, viewer, before, limit, owner))


@router.get("/submissions/{number}", response_model=SubmissionRow)
def submission(request: Request, number: Number) -> Response:
    """Give a submission, and how far it has come."""
    viewer = demand(request, Act.READ_SUBMISSION)
    site: Site = request.app.state.site
    return fresh(ordering.submission(site.ladder, viewer, number))


@router.delete("/submissions/{number}", response_model=SubmissionRow)
def withdraw(request: Request, number: Number) -> Response:
    """Take a submission back that has not ended."""
    site, viewer = _submitter(request)
    return fresh(ordering.withdraw(site.ladder, viewer, number))


@router.get(
    "/submissions/{number}/stream",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Events"}},
)
async def stream(request: Request, number: Number) -> Response:
    """Send a submission each time that it has come further, until it has ended (server-sent events)."""
    viewer = await in_turn(request, demand, request, Act.READ_SUBMISSION)
    site: Site = request.app.state.site
    first = await in_turn(request, ordering.submission, site.ladder, viewer, number)
    if site.readers[viewer.name] >= MAX_STREAMS:
        raise TooOften(f"You already follow {MAX_STREAMS} submissions at the same time, which is the limit.", 10.0)
    return event_stream(request, _messages(request, viewer, first))


async def _messages(request: Request, viewer: Viewer, row: SubmissionRow) -> AsyncGenerator[str]:
    site: Site = request.app.state.site
    site.readers[viewer.name] += 1
    try:
        yield event(row.model_dump_json())
        while row.finished is None and not site.hub.is_closed:
            await asyncio.sleep(site.look_seconds)
            if not await asyncio.to_thread(still_may, request, Act.READ_SUBMISSION, row.owner):
                break
            last, row = row, await asyncio.to_thread(ordering.submission, site.ladder, viewer, row.id)
            if row != last:
                yield event(row.model_dump_json())
        yield STOP
    finally:
        site.readers[viewer.name] -= 1
        if not site.readers[viewer.name]:
            del site.readers[viewer.name]


@contextmanager
def not_taken() -> Iterator[None]:
    """Say of a bot that the ladder does not take that the request, not the address, is wrong."""
    try:
        yield
    except (Conflict, Forbidden, TooOften):
        raise
    except (BotRejected, LadderError, RulesFileError) as error:
        raise HTTPException(422, str(error)) from None


def _submitter(request: Request) -> tuple[Site, Viewer]:
    return request.app.state.site, demand(request, Act.SUBMIT)
