"""Submitting by the API: quotas, archives that are refused, streams; and the whole way, with a played worker."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.app.submit.ordering import TOO_LONG_TRIALS, TOO_MANY_A_DAY, WEAK, order
from ladder.app.uploads import NO_UPLOAD
from ladder.runner.submission_coordinator import SubmissionCoordinator
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site.api import submissions as submission_api
from ladder.site.api.submissions import MAX_STREAMS
from ladder.site.server.event_streams import event
from ladder.site.server.problems import NO_ROOM
from ladder.store.account_models import AuditEntry, StoredSubmission
from ladder.store.account_names import find_account
from ladder.store.commands.accounts import disable
from ladder.store.commands.submission_queue import SUBMISSIONS
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask, TrialProgress
from ladder.values.accounts import Role, Scope, Viewer
from ladder.values.submission import SubmissionOrder, SubmissionRow
from tests.ladder.accounts import add_person, token_of
from tests.ladder.app.submit.archives import archive_of, link_out, packed
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.store.handed_in import hand_in, stored
from tests.ladder.virtual import fit
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.types import Message

    from ladder.settings.settings import Settings
    from ladder.site.server.context import Site

__all__ = ["backend"]

API = "/api/v1"


@pytest.fixture
def ladder(settings: Settings) -> Iterator[Ladder]:
    """A ladder with people, in either database."""
    quotas = {"submissions_a_day": 4, "submissions_waiting": 2, "trial_minutes": 10, "upload_bytes": 100_000}
    with Ladder.open(settings.model_copy(update=quotas)) as made:
        for name, role in (("ada", Role.CONTESTANT), ("ben", Role.CONTESTANT), ("olga", Role.ORGANISER)):
            add_person(made, name, role)
        yield made


def quick_app(ladder: Ladder) -> Any:
    """A site whose streams look often."""
    return make_app(ladder, look_seconds=0.01)


@pytest.fixture
async def client(ladder: Ladder) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(quick_app(ladder), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
        yield client


@pytest.fixture
def submissions(ladder: Ladder) -> SubmissionCoordinator:
    """Give the coordinator that a runner asks."""
    return SubmissionCoordinator(ladder.database, ladder.settings, ladder.clock)


def by(ladder: Ladder, name: str, *scopes: Scope) -> dict[str, str]:
    return {"Authorization": f"Bearer {token_of(ladder, name, *scopes)}"}


async def sent(client: httpx.AsyncClient, who: dict[str, str], archive: bytes) -> str:
    """Upload an archive in two pieces; gives the upload's name."""
    answer = await client.post(f"{API}/uploads", json={"bytes": len(archive)}, headers=who)
    assert (answer.status_code, answer.json()["offset"], answer.headers["cache-control"]) == (201, 0, "no-store")
    name, half = str(answer.json()["id"]), len(archive) // 2
    for offset, piece in ((0, archive[:half]), (half, archive[half:])):
        answer = await client.patch(
            f"{API}/uploads/{name}", content=piece, headers=who | {"Upload-Offset": str(offset)}
        )
        assert answer.status_code == 200, answer.text
    assert (await client.get(f"{API}/uploads/{name}", headers=who)).json()["offset"] == len(archive)
    return name


async def submitted(
    client: httpx.AsyncClient, who: dict[str, str], name: str = "Trotter", archive: bytes = b"", **order: Any
) -> httpx.Response:
    upload = await sent(client, who, archive or packed())
    wanted = {"name": name, "upload": upload, "source": "mybot", "word": "./mybot"} | order
    return await client.post(f"{API}/submissions", json=wanted, headers=who)


def left(ladder: Ladder, folder: str) -> list[str]:
    root = ladder.settings.data_dir / folder
    return [path.name for path in root.iterdir()] if root.is_dir() else []


def rows(text: str) -> list[SubmissionRow]:
    """Read the rows of a stream, before its end."""
    messages = [message for message in text.split("\n\n") if message and not message.startswith(":")]
    assert messages.pop() == "event: stop\ndata: {}"
    return [SubmissionRow.model_validate_json(message.removeprefix("data: ")) for message in messages]


def site_of(app: Any) -> Site:
    """Give the object that the routes of an application share."""
    while not isinstance(app, FastAPI):
        app = app._app
    site: Site = app.state.site
    return site


async def begun(site: Site, reader: str, streams: int = 1) -> None:
    """Wait until an account reads *streams* streams, each of which has looked once."""
    async with asyncio.timeout(PATIENCE):
        while site.readers[reader] < streams:
            await asyncio.sleep(0.01)


async def test_the_whole_way_from_an_upload_to_the_ladder(
    client: httpx.AsyncClient, ladder: Ladder, submissions: SubmissionCoordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent_phases: list[str | None] = []

    def watched(data: str) -> str:
        sent_phases.append(SubmissionRow.model_validate_json(data).phase)
        return event(data)

    monkeypatch.setattr(submission_api, "event", watched)
    ada = by(ladder, "ada")
    answer = await submitted(client, ada, archive=packed(readme_md="hello"))
    assert answer.status_code == 202
    row = SubmissionRow.model_validate(answer.json())
    assert (row.status, row.phase, row.place, row.owner, row.bot, row.source) == (
        "queued", "received", 1, "ada", "Trotter", "mybot",
    )  # fmt: skip
    assert left(ladder, "uploads") == []
    reading = asyncio.create_task(client.get(f"{API}/submissions/{row.id}/stream", headers=ada))
    transport = client._transport
    assert isinstance(transport, httpx.ASGITransport)
    await begun(site_of(transport.app), "ada")
    (task,) = await asyncio.to_thread(submissions.take, 1)
    assert task.folder is not None
    assert task.folder.endswith("/mybot")
    progress = TrialProgress(submission=row.id, attempt=1, phase="trying", done=3, steps=9)
    await asyncio.to_thread(submissions.take_progress, progress.model_dump_json())
    await comes(lambda: "trying" in sent_phases)
    await asyncio.to_thread(submissions.record, fit(task))
    stream = await reading
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.headers["cache-control"] == "no-store"
    seen = [(each.status, each.phase) for each in rows(stream.text)]
    assert (seen[0], seen[-1]) == (("queued", "received"), ("entered", "ended"))
    assert ("leased", "trying") in seen
    last = rows(stream.text)[-1]
    assert last.result is not None
    assert last.result.version == "Trotter@1"
    assert left(ladder, "submissions") == []
    assert (await client.get(f"{API}/submissions/{row.id}", headers=ada)).json() == json.loads(last.model_dump_json())
    with ladder.database.read() as session:
        audit = session.scalars(select(AuditEntry)).all()
    assert [(each.actor, each.action, each.subject) for each in audit] == [("ada", "submission.order", "Trotter")]


async def test_what_a_stranger_packed_is_refused_at_once_and_nothing_is_left(
    client: httpx.AsyncClient, ladder: Ladder
) -> None:
    ada = by(ladder, "ada")
    for archive, words in ((link_out(), "holds a link"), (b"PK\x03\x04 zip", "gzip"), (packed()[:-9], "the middle")):
        answer = await submitted(client, ada, archive=archive)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
        assert words in answer.json()["detail"]
        assert str(ladder.settings.data_dir) not in answer.text
        assert (left(ladder, "submissions"), left(ladder, "uploads")) == ([], [])
    assert (await client.get(f"{API}/submissions", headers=ada)).json() == {"submissions": [], "next": None}


@pytest.mark.parametrize("inside", ["mybot", "another"])
async def test_a_packed_folder_is_taken_as_what_is_in_it(
    client: httpx.AsyncClient, ladder: Ladder, submissions: SubmissionCoordinator, inside: str
) -> None:
    """`tar czf bot.tar.gz mybot` packs the folder itself."""
    archive = archive_of({f"{inside}/bot.py": "pass", f"{inside}/data/table": "1"})
    answer = await submitted(client, by(ladder, "ada"), archive=archive)
    assert answer.status_code == 202, answer.text
    (task,) = await asyncio.to_thread(submissions.take, 1)
    assert task.folder is not None
    assert sorted(path.name for path in Path(task.folder).iterdir()) == ["bot.py", "data"]
    assert task.folder.endswith("/mybot")
    assert len(list(Path(task.folder).parent.iterdir())) == 1


@pytest.mark.parametrize("beside", ["README", "src/bot.py"])
async def test_a_folder_with_something_beside_it_is_no_bot(
    client: httpx.AsyncClient, ladder: Ladder, beside: str
) -> None:
    archive = archive_of({"mybot/bot.py": "pass", beside: ""})
    answer = await submitted(client, by(ladder, "ada"), archive=archive)
    assert (answer.status_code, "has no bot.py" in answer.json()["detail"]) == (422, True)
    assert left(ladder, "submissions") == []


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"name": "../x"}, "name"),
        ({"variants": ["no-such-game"]}, "no-such-game"),
        ({"upload": None}, "either an upload or an image"),
        ({"upload": None, "image": "alpine:3"}, "no registry of images"),
        ({"upload": "0" * 32}, "no such upload"),
    ],
)
async def test_an_order_that_makes_no_sense_is_refused_and_the_upload_stays(
    client: httpx.AsyncClient, ladder: Ladder, order: dict[str, Any], words: str
) -> None:
    answer = await submitted(client, by(ladder, "ada"), **order)
    assert (answer.status_code, words in answer.json()["detail"]) == (422, True), answer.text
    assert (len(left(ladder, "uploads")), left(ladder, "submissions")) == (1, [])


async def test_a_name_that_is_somebody_else_s_is_refused_before_anything_is_unpacked(
    client: httpx.AsyncClient, ladder: Ladder, submissions: SubmissionCoordinator
) -> None:
    assert (await submitted(client, by(ladder, "ada"))).status_code == 202
    (task,) = submissions.take(1)
    submissions.record(fit(task))
    answer = await submitted(client, by(ladder, "ben"))
    assert (answer.status_code, "a bot of ada's" in answer.json()["detail"]) == (422, True)
    assert left(ladder, "submissions") == []


async def test_more_may_not_wait_at_once_than_the_ladder_says(client: httpx.AsyncClient, ladder: Ladder) -> None:
    ada = by(ladder, "ada")
    assert [(await submitted(client, ada, f"Bot{n}")).status_code for n in range(2)] == [202, 202]
    answer = await submitted(client, ada)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")
    assert "2 of your submissions" in answer.json()["detail"]
    assert len(left(ladder, "uploads")) == 1  # it need not be sent again
    assert (await submitted(client, by(ladder, "ben"))).status_code == 202
    assert (await client.delete(f"{API}/submissions/1", headers=ada)).json()["status"] == "withdrawn"
    assert (await submitted(client, ada)).status_code == 202


async def test_a_folder_that_the_ladder_does_not_build_does_not_wait_in_the_queue(
    client: httpx.AsyncClient, ladder: Ladder
) -> None:
    """A client that does not judge it itself, such as a browser, has the answer at once, and no row."""
    answer = await submitted(client, by(ladder, "ada"), archive=packed(Dockerfile="FROM pigpen/bot\nRUN make\n"))
    assert answer.status_code == 422
    assert "mybot" in answer.json()["detail"]
    assert "'RUN make'" in answer.json()["detail"]
    assert (await client.get(f"{API}/submissions", headers=by(ladder, "ada"))).json()["submissions"] == []
    assert left(ladder, "submissions") == []


async def test_an_order_is_judged_before_its_bot_is_sent(client: httpx.AsyncClient, ladder: Ladder) -> None:
    """By what can be judged without the bot; nothing is taken."""
    ada, ben = by(ladder, "ada"), by(ladder, "ben")

    async def checked(who: dict[str, str], **fields: Any) -> tuple[int, Any]:
        answer = await client.post(f"{API}/submissions/check", json={"name": "Trotter"} | fields, headers=who)
        return answer.status_code, answer.json().get("detail", answer.json())

    languages = ladder.settings.languages.split()
    terms = {"builds": "base", "languages": languages, "images": "none", "image_bytes": ladder.settings.image_bytes}
    assert await checked(ada) == (200, terms)
    assert await checked(ada, variants=["gongzhu"], upload="0" * 32, keep_old=True) == (200, terms)
    for mistake in ({"name": "a/b"}, {"variants": ["bridge"]}, {"image": "mybot:1"}):
        assert (await checked(ada, **mistake))[0] == 422
    assert left(ladder, "submissions") == []
    for number in range(2):
        assert (await submitted(client, ada, f"Bot{number}")).status_code == 202
    refused = await submitted(client, ada)
    assert await checked(ada) == (429, refused.json()["detail"])
    assert await checked(ben) == (200, terms)
    waiting = (await client.get(f"{API}/submissions", headers=ada)).json()["submissions"]
    assert [row["bot"] for row in waiting] == ["Bot1", "Bot0"]


async def test_nor_may_more_be_submitted_in_a_day(client: httpx.AsyncClient, ladder: Ladder) -> None:
    ada = by(ladder, "ada")
    for _ in range(4):
        (number,) = hand_in(ladder.database, "ada", now=ladder.clock())
        with ladder.database.write() as session:
            SUBMISSIONS.end(session, session.get_one(StoredSubmission, number), "refused", ladder.clock())
    answer = await submitted(client, ada)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "3600")
    assert answer.json()["detail"] == TOO_MANY_A_DAY.format(limit=4)
    with ladder.database.write() as session:
        find_account(session, "ada").submissions_a_day = 5
    assert (await submitted(client, ada)).status_code == 202


async def test_nor_may_trials_take_longer_in_a_day(client: httpx.AsyncClient, ladder: Ladder) -> None:
    (number,) = hand_in(ladder.database, "ada", now=ladder.clock())
    with ladder.database.write() as session:
        row = session.get_one(StoredSubmission, number)
        row.trial_seconds = 600.0
        SUBMISSIONS.end(session, row, "entered", ladder.clock())
    answer = await submitted(client, by(ladder, "ada"))
    assert (answer.status_code, answer.json()["detail"]) == (429, TOO_LONG_TRIALS.format(limit=10))


async def test_of_one_upload_one_submission_is_made_however_often_it_is_asked_for(
    client: httpx.AsyncClient, ladder: Ladder
) -> None:
    ada = by(ladder, "ada")
    order = {"name": "Trotter", "upload": await sent(client, ada, packed())}
    answers = await asyncio.gather(*(client.post(f"{API}/submissions", json=order, headers=ada) for _ in range(6)))
    assert {answer.json()["id"] for answer in answers if answer.status_code == 202} == {1}
    assert {answer.status_code for answer in answers} <= {202, 409, 422}
    assert len((await client.get(f"{API}/submissions", headers=ada)).json()["submissions"]) == 1
    assert len(left(ladder, "submissions")) == 1


async def test_a_request_that_comes_just_before_the_other_has_used_up_the_upload_leaves_its_bot_alone(
    client: httpx.AsyncClient, ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, lock, first = by(ladder, "ada"), fcntl.flock, list[SubmissionRow]()
    wanted = SubmissionOrder(name="Trotter", upload=await sent(client, ada, packed()))

    def late(number: int, how: int) -> None:
        if not first:  # the upload is open by now
            monkeypatch.setattr(fcntl, "flock", lock)
            first.append(order(ladder, Viewer("ada"), wanted))
        lock(number, how)

    monkeypatch.setattr(fcntl, "flock", late)
    assert order(ladder, Viewer("ada"), wanted) == first[0]
    (folder,) = (ladder.settings.data_dir / "submissions").iterdir()
    assert [path.name for path in (folder / "Trotter").iterdir()] == ["bot.py"]


async def test_who_did_not_hear_the_answer_asks_again_and_gets_the_same_submission(
    client: httpx.AsyncClient, ladder: Ladder, submissions: SubmissionCoordinator
) -> None:
    ada, ben = by(ladder, "ada"), by(ladder, "ben")
    order = {"name": "Trotter", "upload": await sent(client, ada, packed())}
    first = await client.post(f"{API}/submissions", json=order, headers=ada)
    assert (await client.post(f"{API}/submissions", json=order, headers=ada)).json() == first.json()
    (task,) = submissions.take(1)
    submissions.record(fit(task))
    again = await client.post(f"{API}/submissions", json=order, headers=ada)
    assert (again.status_code, again.json()["id"], again.json()["status"]) == (202, first.json()["id"], "entered")
    theirs = await client.post(f"{API}/submissions", json=order | {"name": "Snout"}, headers=ben)
    assert (theirs.status_code, NO_UPLOAD in theirs.json()["detail"]) == (422, True)


async def test_an_owner_reads_page_by_page_and_an_organiser_reads_everybody_s(
    client: httpx.AsyncClient, ladder: Ladder
) -> None:
    hand_in(ladder.database, "ada", 3)
    hand_in(ladder.database, "ben", 2)

    async def numbers(who: str, query: str = "") -> tuple[list[int], int | None]:
        answer = (await client.get(f"{API}/submissions{query}", headers=by(ladder, who))).json()
        return [row["id"] for row in answer["submissions"]], answer["next"]

    assert await numbers("ada") == ([3, 2, 1], None)
    assert await numbers("ada", "?limit=2") == ([3, 2], 2)
    assert await numbers("ada", "?limit=2&before=2") == ([1], None)
    assert await numbers("ada", "?owner=ben") == ([3, 2, 1], None)
    assert await numbers("olga") == ([5, 4, 3, 2, 1], None)
    assert await numbers("olga", "?owner=ben") == ([5, 4], None)


async def test_of_what_is_withdrawn_no_folder_is_left(client: httpx.AsyncClient, ladder: Ladder) -> None:
    ada = by(ladder, "ada")
    await submitted(client, ada)
    assert (await client.delete(f"{API}/submissions/1", headers=ada)).json()["phase"] == "ended"
    assert left(ladder, "submissions") == []


async def test_a_worker_that_tries_what_was_withdrawn_enters_nothing(
    client: httpx.AsyncClient, ladder: Ladder, submissions: SubmissionCoordinator
) -> None:
    ada = by(ladder, "ada")
    await submitted(client, ada)
    (task,) = submissions.take(1)
    assert (await client.delete(f"{API}/submissions/1", headers=ada)).status_code == 200
    assert submissions.record(fit(task)) is None
    assert stored(ladder.database, 1).status == "withdrawn"


async def test_the_stream_of_what_has_ended_ends_at_once(client: httpx.AsyncClient, ladder: Ladder) -> None:
    ada = by(ladder, "ada")
    await submitted(client, ada)
    await client.delete(f"{API}/submissions/1", headers=ada)
    stream = await client.get(f"{API}/submissions/1/stream", headers=ada)
    assert [row.status for row in rows(stream.text)] == ["withdrawn"]


@pytest.mark.parametrize("how", ["disabled", "revoked", "the site ends"])
async def test_a_stream_ends_when_its_reader_may_not_read_on_or_the_site_ends(ladder: Ladder, how: str) -> None:
    hand_in(ladder.database, "ada")
    app = quick_app(ladder)
    site = site_of(app)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
        ada = by(ladder, "ada")
        reading = asyncio.create_task(client.get(f"{API}/submissions/1/stream", headers=ada))
        await begun(site, "ada")
        assert not reading.done()
        if how == "disabled":
            with ladder.database.write() as session:
                disable(session, find_account(session, "ada"), "cheats", ladder.clock())
        elif how == "revoked":
            await client.delete(f"{API}/me/token", headers=ada)
        else:
            await site.hub.close()
        stream = await asyncio.wait_for(reading, PATIENCE)
    assert [row.status for row in rows(stream.text)] == ["queued"]


async def test_an_account_reads_few_streams_at_a_time(ladder: Ladder) -> None:
    app = quick_app(ladder)
    hand_in(ladder.database, "ada")
    hand_in(ladder.database, "ben")
    ada, address = by(ladder, "ada"), f"{API}/submissions/1/stream"
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://site") as client, asyncio.timeout(PATIENCE):
        reading = [asyncio.create_task(client.get(address, headers=ada)) for _ in range(MAX_STREAMS)]
        await begun(site_of(app), "ada", MAX_STREAMS)
        refused = await client.get(address, headers=ada)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "10")
        for number in (1, 2):
            await client.delete(f"{API}/submissions/{number}", headers=by(ladder, "olga"))
        assert {answer.status_code for answer in await asyncio.gather(*reading)} == {200}
        assert (await client.get(address, headers=ada)).status_code == 200


async def test_a_stranger_s_stream_is_not_there(client: httpx.AsyncClient, ladder: Ladder) -> None:
    hand_in(ladder.database, "ada")
    ben = by(ladder, "ben")
    theirs, nobodys = [(await client.get(f"{API}/submissions/{number}/stream", headers=ben)) for number in (1, 2)]
    assert (theirs.status_code, theirs.text.replace("1 of", "2 of")) == (404, nobodys.text.replace("1 of", "2 of"))


@pytest.mark.parametrize("offset", ["-1", "one", "", None])
async def test_pieces_say_where_they_begin(client: httpx.AsyncClient, ladder: Ladder, offset: str | None) -> None:
    ada = by(ladder, "ada")
    name = (await client.post(f"{API}/uploads", json={"bytes": 3}, headers=ada)).json()["id"]
    headers = ada if offset is None else ada | {"Upload-Offset": offset}
    assert (await client.patch(f"{API}/uploads/{name}", content=b"abc", headers=headers)).status_code == 422
    late = await client.patch(f"{API}/uploads/{name}", content=b"c", headers=ada | {"Upload-Offset": "2"})
    assert (late.status_code, "0 bytes of this upload" in late.json()["detail"]) == (409, True)


async def test_an_upload_of_nothing_or_of_too_much_is_refused(client: httpx.AsyncClient, ladder: Ladder) -> None:
    ada = by(ladder, "ada")
    for size in (0, -1, 100_001, 10**30):
        answer = await client.post(f"{API}/uploads", json={"bytes": size}, headers=ada)
        assert answer.status_code == 422, size
    assert left(ladder, "uploads") == []


async def test_a_sender_that_is_gone_loses_nothing_and_is_no_failure_of_the_site(ladder: Ladder) -> None:
    ada = by(ladder, "ada")
    app = make_app(ladder)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://site") as client:
        name = (await client.post(f"{API}/uploads", json={"bytes": 6}, headers=ada)).json()["id"]
    messages: list[Message] = [
        {"type": "http.request", "body": b"abc", "more_body": True}, {"type": "http.disconnect"}
    ]  # fmt: skip
    sent_back: list[Message] = []

    async def receive() -> Message:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent_back.append(message)

    path = f"{API}/uploads/{name}"
    headers = {"host": "site", "upload-offset": "0", "content-length": "6"} | {
        key.lower(): value for key, value in ada.items()
    }
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "PATCH", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "client": ("192.0.2.7", 1),
        "server": ("site", 80), "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
    }  # fmt: skip
    await app(scope, receive, send)
    assert sent_back[0]["status"] == 400
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://site") as client:
        assert (await client.get(path, headers=ada)).json()["offset"] == 3


async def test_a_full_disk_is_a_sentence_without_paths(
    client: httpx.AsyncClient, ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    ada = by(ladder, "ada")
    name = (await client.post(f"{API}/uploads", json={"bytes": 3}, headers=ada)).json()["id"]
    monkeypatch.setattr("ladder.app.uploads.os", SimpleNamespace(**vars(os) | {"write": full}))
    answer = await client.patch(f"{API}/uploads/{name}", content=b"abc", headers=ada | {"Upload-Offset": "0"})
    assert (answer.status_code, NO_ROOM in answer.json()["detail"]) == (503, True)
    assert str(ladder.settings.data_dir) not in answer.text


@pytest.mark.parametrize("scopes", [[Scope.READ], [Scope.ADMIN]])
async def test_a_token_to_read_submits_nothing(client: httpx.AsyncClient, ladder: Ladder, scopes: list[Scope]) -> None:
    who = by(ladder, "ada", *scopes)
    cases: list[tuple[str, str, Any]] = [
        ("POST", "uploads", {"bytes": 3}),
        ("POST", "submissions", {"name": "Trotter"}),
        ("DELETE", "submissions/1", None),
    ]
    for method, path, body in cases:
        answer = await client.request(method, f"{API}/{path}", headers=who, json=body)
        assert (answer.status_code, "'submit'" in answer.json()["detail"]) == (403, True)
        assert (await client.request(method, f"{API}/{path}", json=body)).status_code == 401


async def test_a_ladder_without_containers_takes_none_over_the_network(tmp_path: Path) -> None:
    with Ladder.open(load_settings(data_dir=tmp_path, sandbox="process"), create=True) as ladder:
        add_person(ladder, "ada")
        transport = httpx.ASGITransport(make_app(ladder), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
            answer = await submitted(client, by(ladder, "ada"))
    assert (answer.status_code, WEAK in answer.json()["detail"]) == (422, True)


def test_an_outcome_is_one_thing(submissions: SubmissionCoordinator, ladder: Ladder) -> None:
    hand_in(ladder.database, "ada", now=NOW)
    (task,) = submissions.take(1)
    assert isinstance(task, SubmissionTask)
    with pytest.raises(ValueError, match="a program, refused, or void"):
        SubmissionOutcome(submission=1, attempt=1, refused="bad", void="gone")
