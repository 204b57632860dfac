"""
Retiring, suspending and withdrawing, and what undoes it: one table of acts, states and callers, tried at every door.

The doors are the store, the use cases, the command on the ladder's machine, the API, and the forms of the site's pages.
Where an act is not offered at a door, or to a caller, nothing changes.
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
from ladder.site.server.viewer import PLAIN_COOKIE
from ladder.store import models
from ladder.store.account_models import AuditEntry, StoredSubmission, SubmissionStatus
from ladder.store.commands import entries, submission_queue, suspending
from ladder.store.commands.queue import withdraw as withdraw_matches
from ladder.store.lookup import find_version
from ladder.values.accounts import LOCAL, Role, Scope, Viewer
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.ladders import NOW, enter, lease, new_ladder, queue
from tests.ladder.site.person import Person
from tests.ladder.store.handed_in import hand_in
from tests.ladder.store.submitted import BETTER, TROTTER, submit
from tests.typed import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

pytestmark = pytest.mark.sqlite

Act = Literal["retire", "suspend", "resume", "withdraw"]
Who = Literal["machine", "organiser", "owner", "reader", "other", "anyone"]
AFTER: dict[Act, dict[str, str]] = {
    "retire": dict.fromkeys(("active", "in a match", "suspended", "suspended by the ladder"), "retired"),
    "suspend": dict.fromkeys(("active", "in a match", "suspended", "suspended by the ladder"), "suspended"),
    "resume": {"suspended": "active", "suspended by the ladder": "active"},
    "withdraw": {"queued": "withdrawn", "leased": "withdrawn"},
}
"""The state after an act, by the one before; in all others, and where there is nothing, the act is refused."""
BOTS = ("active", "in a match", "suspended", "suspended by the ladder", "retired", "missing")
SUBMISSIONS = ("queued", "leased", "entered", "refused", "failed", "withdrawn", "missing")
MAY: dict[Act, tuple[Who, ...]] = {
    "retire": ("machine", "organiser", "owner"),
    "suspend": ("machine", "organiser"),
    "resume": ("machine", "organiser"),
    "withdraw": ("machine", "organiser", "owner"),
}
"""Callers whom an act is offered; on pages, bots are for the organiser alone."""
BY = {"retire": {"machine": "owner", "owner": "owner", "organiser": "organiser"}}
"""By whom a change is noted; of the other acts, by the organiser."""
VIEWERS: dict[Who, Viewer] = {
    "machine": LOCAL,
    "organiser": Viewer("olga", is_organiser=True),
    "owner": Viewer("ada"),
    "reader": Viewer("ada"),
    "other": Viewer("ben"),
    "anyone": Viewer(),
}
DOORS: dict[str, tuple[Who, ...]] = {
    "store": ("machine",),
    "use case": ("machine", "organiser", "owner", "other", "anyone"),
    "command": ("machine",),
    "API": ("organiser", "owner", "reader", "other", "anyone"),
    "page": ("organiser", "owner", "other", "anyone"),
}
"""A reader has a token of the owner's, with which one may only read."""
PLAYED = 2
"""Of three matches of a bot, the one that is being played."""
IN_API = {"retire": "POST", "withdraw": "DELETE"}
"""Acts that the API offers, and their methods."""


class Refused(Exception):
    """A door does not do it; what it says instead, where a caller is not to learn what there is."""


def may(act: Act, door: str, who: Who) -> bool:
    """Tell whether a caller may do it there."""
    return who in MAY[act] and (door != "page" or act == "withdraw" or who == "organiser")


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
        elif state == "in a match":
            table = [entry.version_id, *(enter(session, name, "gongzhu") for name in ("Boar", "Gilt", "Farrow"))]
            for seed in "123":
                queue(session, table, "gongzhu", seed)
            lease(session, PLAYED)


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
        first = select(models.Rating).order_by(models.Rating.version_id)
        row = session.get(StoredSubmission, 1) if act == "withdraw" else session.scalars(first).first()
        changes = session.scalars(select(models.StateChange).order_by(models.StateChange.id))
        audit = session.scalars(select(AuditEntry).order_by(AuditEntry.id))
        state = "missing" if row is None else row.status if isinstance(row, StoredSubmission) else row.state
        return str(state), [(str(each.state), each.by, each.reason) for each in changes], [
            (each.action, each.actor, f"{each.subject}, {each.details.get('where')}") for each in audit
        ]  # fmt: skip


def matches(ladder: Ladder) -> list[tuple[int, str]]:
    """Take matches that cannot be played out of the queue, as the coordinator does; list those that are left."""
    with ladder.database.write() as session:
        withdraw_matches(session)
        left = session.scalars(select(models.StoredMatch).order_by(models.StoredMatch.id))
        return [(row.id, str(row.status)) for row in left]


def states_of(ladder: Ladder) -> dict[Entry, str]:
    """Read the state of every version of Trotter where it plays."""
    wanted = select(models.Version.number, models.Rating.variant, models.Rating.state).join(
        models.Rating, models.Rating.version_id == models.Version.id
    )
    wanted = wanted.join(models.StoredBot, models.StoredBot.id == models.Version.bot_id)
    with ladder.database.read() as session:
        return {
            (number, variant): str(state)
            for number, variant, state in session.execute(wanted.where(models.StoredBot.name == "Trotter"))
        }


def by_store(
    ladder: Ladder, act: Act, who: Who, bot: str = "Trotter", variant: str | None = None, reason: str = "why"
) -> None:
    with ladder.database.write() as session:
        try:
            if act == "retire":
                entries.retire(session, bot, (variant,) if variant else (), reason, NOW)
            elif act == "suspend":
                suspending.suspend_entries(session, find_version(session, bot, variant), variant, reason, NOW)
            elif act == "resume":
                suspending.resume_entries(session, find_version(session, bot, variant), variant, NOW)
            elif submission_queue.withdraw(session, 1, NOW) is False:
                raise Refused
        except LadderError as error:
            raise Refused from error


def by_use_case(
    ladder: Ladder, act: Act, who: Who, bot: str = "Trotter", variant: str | None = None, reason: str = "why"
) -> None:
    viewer = VIEWERS[who]
    try:
        if act == "retire":
            states.retire(ladder, viewer, bot, (variant,) if variant else (), reason)
        elif act == "suspend":
            states.suspend(ladder, viewer, bot, reason, variant)
        elif act == "resume":
            states.resume_bot(ladder, viewer, bot, variant)
        else:
            ordering.withdraw(ladder, viewer, 1)
    except (LadderError, UserError) as error:
        raise Refused from error


def by_command(
    ladder: Ladder, act: Act, who: Who, bot: str = "Trotter", variant: str | None = None, reason: str = "why"
) -> None:
    where = ("--variant", variant) if variant else ()
    words = {
        "retire": ("retire", bot, *where, "--reason", reason),
        "suspend": ("suspend", bot, *where, "--reason", reason),
        "resume": ("resume-bot", bot, *where),
        "withdraw": ("submissions", "1", "--withdraw"),
    }
    done = typed(*words[act], folder=ladder.settings.data_dir.parent)
    if done.code:
        assert done.is_one_sentence
        raise Refused
    assert (bot in done.out, done.err) == (True, "")
    assert variant is None or variant in done.out


def by_api(
    ladder: Ladder, act: Act, who: Who, bot: str = "Trotter", variant: str | None = None, reason: str = "why"
) -> None:
    name = VIEWERS[who].name
    scopes = (Scope.READ,) if who == "reader" else ()
    headers = {} if name is None else {"Authorization": f"Bearer {token_of(ladder, name, *scopes)}"}
    value = {"reason": reason, "variants": [variant] if variant else []}
    before = states_of(ladder)
    path, body = {"retire": (f"bots/{bot}/retirement", value), "withdraw": ("submissions/1", None)}[act]

    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(make_app(ladder), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
            return await client.request(IN_API[act], f"/api/v1/{path}", json=body, headers=headers)

    answer = asyncio.run(asked())
    if answer.status_code != 200:
        has_ended = act == "withdraw" and who in MAY[act] and seen(ladder, act)[0] != "missing"
        statuses = {"anyone": 401, "reader": 403}
        assert answer.status_code == statuses.get(who, 422 if has_ended else 404)
        raise Refused(answer.text.replace(bot, "BOT"))
    if act == "retire":
        changed = sorted(entry for entry, state in states_of(ladder).items() if before.get(entry) != state)
        assert answer.json() == [{"version": f"Trotter@{number}", "variant": variant} for number, variant in changed]


def by_page(
    ladder: Ladder, act: Act, who: Who, bot: str = "Trotter", variant: str | None = None, reason: str = "why"
) -> None:
    """Send a form with the token against forgery of a page that each caller with an account may see."""
    browser, name = Person(ladder), VIEWERS[who].name
    if name is not None:
        browser.cookies.set(PLAIN_COOKIE, session_of(ladder, name))
    form = "/me/submissions/1/withdrawal" if act == "withdraw" else f"/admin/bots/{bot}/{act}"
    answer = browser.send("/me", form, reason=reason, variant=variant or "")
    if answer.status_code != 303 or answer.headers["location"].startswith("/login"):
        assert answer.status_code in (303, 401, 403) if who == "anyone" else answer.status_code in (404, 422)
        raise Refused(answer.text.replace(bot, "BOT"))


WAYS: dict[str, Callable[..., None]] = {
    "store": by_store,
    "use case": by_use_case,
    "command": by_command,
    "API": by_api,
    "page": by_page,
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
    after = AFTER[act].get(state) if may(act, door, who) else None
    if after is None:
        with pytest.raises(Refused):
            WAYS[door](ladder, act, who)
        assert seen(ladder, act) == (before, changes, audit)
        assert state != "in a match" or matches(ladder) == [(1, "queued"), (PLAYED, "leased"), (3, "queued")]
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
    assert state != "in a match" or matches(ladder) == [(PLAYED, "leased")], "it is played to its end"


@pytest.mark.parametrize(("act", "door"), [*((act, "API") for act in IN_API), *((act, "page") for act in MAY)])
def test_to_who_may_not_what_is_there_looks_like_what_is_not(ladder: Ladder, act: Act, door: str) -> None:
    (hand_over if act == "withdraw" else bring)(ladder, "queued" if act == "withdraw" else "active")
    with pytest.raises(Refused) as of_another:
        WAYS[door](ladder, act, "other")
    with ladder.database.write() as session:
        for row in session.scalars(select(StoredSubmission)):
            session.delete(row)
    with pytest.raises(Refused) as missing:
        WAYS[door](ladder, act, "other", "Nobody")
    assert str(of_another.value) == str(missing.value)
    assert str(missing.value)


Entry = tuple[int, str]
OLD, OLD_HEARTS, NEW = (1, "gongzhu"), (1, "hearts"), (2, "gongzhu")
"""Entries of Trotter: version and variant."""
NAMED: dict[tuple[str, str | None], tuple[set[Entry], set[Entry]]] = {
    ("Trotter", None): ({OLD, OLD_HEARTS, NEW}, {NEW}),
    ("Trotter", "gongzhu"): ({OLD, NEW}, {NEW}),
    ("Trotter", "hearts"): ({OLD_HEARTS}, {OLD_HEARTS}),
    ("Trotter@1", None): ({OLD, OLD_HEARTS}, {OLD, OLD_HEARTS}),
    ("Trotter@1", "gongzhu"): ({OLD}, {OLD}),
    ("Trotter@1", "hearts"): ({OLD_HEARTS}, {OLD_HEARTS}),
    ("Trotter@2", None): ({NEW}, {NEW}),
    ("Trotter@2", "hearts"): (set(), set()),
    ("Trotter@7", None): (set(), set()),
    ("Trotter", "bridge"): (set(), set()),
    ("Troter", None): (set(), set()),
}
"""Entries that retire, and those that the other acts change, by the bot and the variant named; none: it is refused."""


@pytest.mark.parametrize(
    ("act", "door", "bot", "variant"),
    [
        (act, door, bot, variant)
        for act in ("retire", "suspend", "resume")
        for door in DOORS
        if door != "use case" and (door != "API" or act in IN_API)  # all but the store go through the use case
        for bot, variant in NAMED
    ],
)
def test_an_act_is_for_the_versions_and_variants_that_are_named(
    ladder: Ladder, act: Act, door: str, bot: str, variant: str | None
) -> None:
    submit(ladder.database, TROTTER, "gongzhu", "hearts")
    submit(ladder.database, BETTER, "gongzhu", keep_old=True)
    with ladder.database.write() as session:
        if act == "resume":
            for version in ("Trotter@1", "Trotter@2"):
                suspending.suspend_entries(session, find_version(session, version), None, "before", NOW)
    before = states_of(ladder)
    expected = NAMED[bot, variant][act != "retire"]
    who: Who = "machine" if "machine" in DOORS[door] else "organiser"
    if not expected:
        with pytest.raises(Refused):
            WAYS[door](ladder, act, who, bot, variant)
    else:
        WAYS[door](ladder, act, who, bot, variant)
    after = {"retire": "retired", "suspend": "suspended", "resume": "active"}[act]
    assert states_of(ladder) == before | dict.fromkeys(expected, after)


@pytest.mark.parametrize("door", ["use case", "command", "page"])
def test_a_bot_is_suspended_for_a_reason(ladder: Ladder, door: str) -> None:
    bring(ladder, "active")
    with pytest.raises(Refused):
        WAYS[door](ladder, "suspend", "machine" if door != "page" else "organiser", reason=" ")
    assert seen(ladder, "suspend")[0] == "active"


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
