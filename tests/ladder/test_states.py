"""
Retiring, suspending and withdrawing, and what undoes it: one table of acts, states and callers, tried at every door.

The doors are the store, the use cases, the command on the ladder's machine, and the API. Where an act is not offered
at a door, or to a caller, nothing changes.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import httpx
import pytest
from sqlalchemy import select

from ladder.app import states
from ladder.app.submit import ordering
from ladder.errors import LadderError, UserError
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.account_models import AuditEntry, StoredSubmission, SubmissionStatus
from ladder.store.commands import entries, submission_queue, suspending
from ladder.store.names import find_version
from ladder.values.accounts import LOCAL, Role, Viewer
from tests.ladder.accounts import add_person, token_of
from tests.ladder.ladders import NOW, new_ladder
from tests.ladder.store.handed_in import hand_in
from tests.ladder.store.submitted import TROTTER, submit
from tests.typed import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

pytestmark = pytest.mark.sqlite

Act = Literal["retire", "suspend", "resume", "withdraw"]
Who = Literal["machine", "organiser", "owner", "other", "anyone"]
AFTER: dict[Act, dict[str, str]] = {
    "retire": {"active": "retired", "suspended": "retired", "suspended by the ladder": "retired"},
    "suspend": {"active": "suspended", "suspended": "suspended", "suspended by the ladder": "suspended"},
    "resume": {"suspended": "active", "suspended by the ladder": "active"},
    "withdraw": {"queued": "withdrawn", "leased": "withdrawn"},
}
"""The state after an act, by the one before; in all others, and where there is nothing, the act is refused."""
BOTS = ("active", "suspended", "suspended by the ladder", "retired", "missing")
SUBMISSIONS = ("queued", "leased", "entered", "refused", "failed", "withdrawn", "missing")
MAY: dict[Act, tuple[Who, ...]] = {
    "retire": ("machine", "organiser", "owner"),
    "suspend": ("machine", "organiser"),
    "resume": ("machine", "organiser"),
    "withdraw": ("machine", "organiser", "owner"),
}
BY = {"retire": {"machine": "owner", "owner": "owner", "organiser": "organiser"}}
"""By whom a change is noted; of the other acts, by the organiser."""
VIEWERS: dict[Who, Viewer] = {
    "machine": LOCAL,
    "organiser": Viewer("olga", is_organiser=True),
    "owner": Viewer("ada"),
    "other": Viewer("ben"),
    "anyone": Viewer(),
}
DOORS: dict[str, tuple[Who, ...]] = {
    "store": ("machine",),
    "use case": ("machine", "organiser", "owner", "other", "anyone"),
    "command": ("machine",),
    "API": ("organiser", "owner", "other", "anyone"),
}
IN_API = {"retire": "POST", "withdraw": "DELETE"}
"""Acts that the API offers, and their methods."""


class Refused(Exception):
    """A door does not do it."""


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    """Two owners with accounts, and an organiser."""
    (tmp_path / "data").mkdir()
    made = new_ladder(load_settings(data_dir=tmp_path / "data"))
    for name in ("ada", "ben"):
        add_person(made, name)
    add_person(made, "olga", Role.ORGANISER)
    yield made
    made.database.close()


def bring(ladder: Ladder, state: str) -> None:
    """Make the bot Trotter of ada's, in a state."""
    if state == "missing":
        return
    submit(ladder.database, TROTTER)
    with ladder.database.write() as session:
        entry = session.scalars(select(models.Rating)).one()
        if state == "retired":
            entries.retire(session, "Trotter", (), "before", NOW)
        elif state == "suspended":
            suspending.suspend_entries(session, find_version(session, "Trotter"), None, "before", NOW)
        elif state == "suspended by the ladder":
            suspending.set_state(session, entry, models.State.SUSPENDED, suspending.LADDER, "before", NOW)


def hand_over(ladder: Ladder, status: str) -> None:
    """Make the submission 1 of ada's, in a state."""
    if status == "missing":
        return
    (number,) = hand_in(ladder.database, "ada", bot="Trotter")
    with ladder.database.write() as session:
        row = session.get_one(StoredSubmission, number)
        if status == "leased":
            assert submission_queue.claim(session, "tester", NOW, 60.0, 1, ())
        elif status != "queued":
            submission_queue.SUBMISSIONS.end(session, row, SubmissionStatus(status), NOW)


Seen = tuple[str, list[tuple[str, str, str]], list[tuple[str, str, str]]]


def seen(ladder: Ladder, act: Act) -> Seen:
    """Read the state, the changes of states, and what is written down of people's acts."""
    with ladder.database.read() as session:
        row = session.get(StoredSubmission, 1) if act == "withdraw" else session.scalars(select(models.Rating)).first()
        changes = session.scalars(select(models.StateChange).order_by(models.StateChange.id))
        audit = session.scalars(select(AuditEntry).order_by(AuditEntry.id))
        state = "missing" if row is None else row.status if isinstance(row, StoredSubmission) else row.state
        return str(state), [(str(each.state), each.by, each.reason) for each in changes], [
            (each.action, each.actor, f"{each.subject}, {each.details.get('where')}") for each in audit
        ]  # fmt: skip


def by_store(ladder: Ladder, act: Act, who: Who) -> None:
    with ladder.database.write() as session:
        try:
            if act == "retire":
                entries.retire(session, "Trotter", (), "why", NOW)
            elif act == "suspend":
                suspending.suspend_entries(session, find_version(session, "Trotter"), None, "why", NOW)
            elif act == "resume":
                suspending.resume_entries(session, find_version(session, "Trotter"), None, NOW)
            elif submission_queue.withdraw(session, 1, NOW) is False:
                raise Refused
        except LadderError as error:
            raise Refused from error


def by_use_case(ladder: Ladder, act: Act, who: Who) -> None:
    viewer = VIEWERS[who]
    try:
        if act == "retire":
            states.retire(ladder, viewer, "Trotter", (), "why")
        elif act == "suspend":
            states.suspend(ladder, viewer, "Trotter", "why")
        elif act == "resume":
            states.resume_bot(ladder, viewer, "Trotter")
        else:
            ordering.withdraw(ladder, viewer, 1)
    except (LadderError, UserError) as error:
        raise Refused from error


def by_command(ladder: Ladder, act: Act, who: Who) -> None:
    words = {
        "retire": ("retire", "Trotter", "--reason", "why"),
        "suspend": ("suspend", "Trotter", "--reason", "why"),
        "resume": ("resume-bot", "Trotter"),
        "withdraw": ("submissions", "1", "--withdraw"),
    }
    done = typed(*words[act], folder=ladder.settings.data_dir.parent)
    if done.code:
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        raise Refused
    assert (done.out != "", done.err) == (True, "")


def by_api(ladder: Ladder, act: Act, who: Who) -> None:
    name = VIEWERS[who].name
    headers = {} if name is None else {"Authorization": f"Bearer {token_of(ladder, name)}"}
    path, body = {"retire": ("bots/Trotter/retirement", {"reason": "why"}), "withdraw": ("submissions/1", None)}[act]

    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(make_app(ladder), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
            return await client.request(IN_API[act], f"/api/v1/{path}", json=body, headers=headers)

    answer = asyncio.run(asked())
    if answer.status_code != 200:
        has_ended = act == "withdraw" and who in MAY[act] and seen(ladder, act)[0] != "missing"
        assert answer.status_code == (401 if who == "anyone" else 422 if has_ended else 404)
        raise Refused
    assert act == "withdraw" or answer.json() == [{"version": "Trotter@1", "variant": "gongzhu"}]


WAYS: dict[str, Callable[[Ladder, Act, Who], None]] = {
    "store": by_store,
    "use case": by_use_case,
    "command": by_command,
    "API": by_api,
}
TABLE = [
    (act, state, door, who)
    for act in AFTER
    for state in (SUBMISSIONS if act == "withdraw" else BOTS)
    for door, callers in DOORS.items()
    if door != "API" or act in IN_API
    for who in callers
]


@pytest.mark.parametrize(("act", "state", "door", "who"), TABLE)
def test_an_act_is_done_where_it_can_be_and_by_whom_it_may_be(
    ladder: Ladder, act: Act, state: str, door: str, who: Who
) -> None:
    (hand_over if act == "withdraw" else bring)(ladder, state)
    before, changes, audit = seen(ladder, act)
    after = AFTER[act].get(state) if who in MAY[act] else None
    if after is None:
        with pytest.raises(Refused):
            WAYS[door](ladder, act, who)
        assert seen(ladder, act) == (before, changes, audit)
        return
    WAYS[door](ladder, act, who)
    found = seen(ladder, act)
    assert found[0] == after
    if act != "withdraw":
        (state_, by, reason) = found[1][len(changes)]
        assert (state_, by) == (after, BY.get(act, {}).get(who, "organiser"))
        assert act == "resume" or reason == "why"
    assert len(found[1]) == len(changes) + (act != "withdraw")
    written = "submission.withdraw" if act == "withdraw" else f"bot.{act}"
    where = {"retire": "Trotter@1 gongzhu", "withdraw": None}.get(act, "gongzhu")
    assert found[2][len(audit) :] == [(written, VIEWERS[who].name or "", f"Trotter, {where}")] * (door != "store")


@pytest.mark.parametrize(
    ("state", "after"),
    [(state, "suspended" if state.startswith("suspended") else "active") for state in BOTS]
    + [("suspended, then retired", "suspended")],
)
def test_submitting_a_bot_again_undoes_its_retiring_and_no_suspension(ladder: Ladder, state: str, after: str) -> None:
    bring(ladder, state.partition(",")[0])
    if "then retired" in state:
        by_store(ladder, "retire", "machine")
    news = submit(ladder.database, TROTTER).variants[0].news
    assert (seen(ladder, "retire")[0], news == "back again") == (after, state.endswith("retired"))
