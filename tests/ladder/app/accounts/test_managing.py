"""Organisers' acts on accounts, which no other account may do."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.accounts import managing, registering, sessions
from ladder.app.accounts.registering import register
from ladder.app.accounts.sessions import DISABLED, Visit, viewer_by
from ladder.app.ladder import Ladder
from ladder.app.submit import ordering
from ladder.errors import Forbidden, LadderError, UserError
from ladder.results.files import SubmissionFolders
from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.commands.accounts import NOT_GOOD
from ladder.store.commands.submission_queue import SUBMISSIONS, claim
from ladder.store.leases import Lease
from ladder.values.accounts import ANONYMOUS, LOCAL, Role, Scope, Viewer
from ladder.values.submission import SubmissionOrder
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.site.person import PASSWORD, quick_passwords
from tests.ladder.store.handed_in import hand_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.settings.settings import Settings

__all__ = ["backend"]

ADA = Viewer("ada")
OLGA = Viewer("olga", is_organiser=True, address="192.0.2.7")
HERE = Visit("", "")


@pytest.fixture
def ladder(settings: Settings) -> Iterator[Ladder]:
    """A ladder with a contestant and an organiser, on each database."""
    with Ladder.open(settings) as ladder:
        add_person(ladder, "ada")
        add_person(ladder, "olga", Role.ORGANISER)
        yield ladder


ACTIONS: list[Callable[[Ladder, Viewer], Any]] = [
    lambda ladder, viewer: managing.accounts(ladder, viewer),
    lambda ladder, viewer: managing.add(ladder, viewer, "eve", Role.ORGANISER),
    lambda ladder, viewer: managing.add_with_password(
        ladder, quick_passwords(), viewer, "eve", Role.ORGANISER, PASSWORD
    ),
    lambda ladder, viewer: registering.invite(ladder, viewer, Role.ORGANISER),
    lambda ladder, viewer: registering.invitations(ladder, viewer),
    lambda ladder, viewer: registering.take_back(ladder, viewer, 1),
    lambda ladder, viewer: managing.disable(ladder, viewer, "olga", "x"),
    lambda ladder, viewer: managing.enable(ladder, viewer, "ada"),
    lambda ladder, viewer: managing.set_quota(ladder, viewer, "ada", 7),
    lambda ladder, viewer: managing.set_role(ladder, viewer, "ada", Role.ORGANISER),
    lambda ladder, viewer: registering.new_password(ladder, viewer, "olga"),
    lambda ladder, viewer: managing.audit(ladder, viewer),
]


@pytest.mark.parametrize("action", ACTIONS)
def test_nobody_else_does_what_organisers_do(ladder: Ladder, action: Callable[[Ladder, Viewer], Any]) -> None:
    reader = Viewer("olga", is_organiser=True, scopes=frozenset({Scope.READ, Scope.SUBMIT}), by_token=True)
    for viewer in (ANONYMOUS, ADA, reader):
        with pytest.raises(Forbidden):
            action(ladder, viewer)
    assert managing.audit(ladder, LOCAL) == []


def test_a_link_to_anothers_password_is_made_on_the_ladders_machine_alone(ladder: Ladder) -> None:
    with pytest.raises(Forbidden, match="on the ladder's machine"):
        registering.new_password(ladder, OLGA, "ada")
    with pytest.raises(LadderError, match="account 'ada' already"):
        registering.invite(ladder, OLGA, Role.CONTESTANT, "ada")
    registering.new_password(ladder, LOCAL, "ada")


def test_disabling_ends_sessions_tokens_and_links_at_once_and_enabling_brings_none_back(ladder: Ladder) -> None:
    secrets = [session_of(ladder, "ada"), token_of(ladder, "ada")]
    link = registering.new_password(ladder, LOCAL, "ada").secret
    row = managing.disable(ladder, OLGA, "ada", " It cheats. ")
    assert (row.disabled is not None, row.reason) == (True, "It cheats.")
    assert [viewer_by(ladder, secret, "") for secret in secrets] == [ANONYMOUS, ANONYMOUS]
    row = managing.enable(ladder, OLGA, "ada")
    assert (row.disabled, row.reason) == (None, "")
    assert [viewer_by(ladder, secret, "") for secret in secrets] == [ANONYMOUS, ANONYMOUS]
    with pytest.raises(LadderError, match=re.escape(NOT_GOOD)):
        register(ladder, quick_passwords(), "", PASSWORD, link, HERE)
    assert viewer_by(ladder, session_of(ladder, "ada"), "").name == "ada"


@pytest.mark.parametrize(
    "end",
    [
        lambda ladder: managing.disable(ladder, LOCAL, "olga", "She has left."),
        lambda ladder: managing.set_role(ladder, LOCAL, "olga", Role.CONTESTANT),
    ],
)
def test_invitations_of_a_former_organiser_are_revoked(ladder: Ladder, end: Callable[[Ladder], Any]) -> None:
    links = [
        registering.invite(ladder, OLGA, Role.ORGANISER).secret,
        registering.invite(ladder, OLGA, Role.CONTESTANT, "eve").secret,
        managing.add(ladder, OLGA, "bob", Role.CONTESTANT).secret,
    ]
    kept = registering.invite(ladder, LOCAL, Role.CONTESTANT)
    end(ladder)
    assert [row.id for row in registering.invitations(ladder, LOCAL)] == [kept.id]
    for link in links:
        with pytest.raises(LadderError, match=re.escape(NOT_GOOD)):
            register(ladder, quick_passwords(), "otto", PASSWORD, link, HERE)
    register(ladder, quick_passwords(), "otto", PASSWORD, kept.secret, HERE)


def test_invitations_of_an_organiser_who_stays_one_are_good(ladder: Ladder) -> None:
    link = registering.invite(ladder, OLGA, Role.CONTESTANT).secret
    managing.set_role(ladder, LOCAL, "olga", Role.ORGANISER)
    managing.set_role(ladder, LOCAL, "ada", Role.CONTESTANT)
    managing.disable(ladder, LOCAL, "ada", "It cheats.")
    register(ladder, quick_passwords(), "otto", PASSWORD, link, HERE)


def test_disabling_withdraws_what_has_not_ended_and_removes_what_was_sent(ladder: Ladder) -> None:
    folders = SubmissionFolders(ladder.settings.data_dir)
    waiting, tried, ended, local, bens = (folders.make() for _ in range(5))
    first, second, third = (hand_in(ladder.database, "ada", folder=name)[0] for name in (tried, waiting, ended))
    hand_in(ladder.database, "ada", folder=local, remote=False)
    hand_in(ladder.database, "ben", folder=bens)
    with ladder.database.write() as session:
        claim(session, "me", NOW, 60.0, 1)
        SUBMISSIONS.end(session, session.get_one(StoredSubmission, third), SubmissionStatus.REFUSED, NOW)
    managing.disable(ladder, OLGA, "ada", "It cheats.")
    rows = {row.id: (row.status, row.reason) for row in ordering.submissions(ladder, LOCAL).submissions}
    gone = ("withdrawn", "The account was disabled.")
    assert [rows[number] for number in range(1, 6)] == [gone, gone, ("refused", ""), ("queued", ""), ("queued", "")]
    assert {ended, local, bens} == set(folders.names())
    done = [(row.actor, row.action, row.details.get("submission")) for row in managing.audit(ladder, LOCAL)]
    assert [("olga", "submission.withdraw", number) for number in (second, first)] == done[:2]
    with ladder.database.read() as session:
        assert SUBMISSIONS.held(session, Lease(first, 1)) is None, "what its trial comes to does not count"


def test_nothing_is_taken_of_an_account_that_is_disabled_while_it_submits(ladder: Ladder) -> None:
    order = SubmissionOrder.model_validate({"name": "Trotter", "image": "ada/trotter:1"})
    settings = ladder.settings.model_copy(update={"sandbox": "docker", "registry": "registry.example"})
    managing.disable(ladder, OLGA, "ada", "It cheats.")
    with pytest.raises(Forbidden, match=re.escape(DISABLED)):
        ordering.order(replace(ladder, settings=settings), ADA, order)
    assert ordering.submissions(ladder, LOCAL).submissions == ()


def test_nobody_locks_themselves_out(ladder: Ladder) -> None:
    with pytest.raises(UserError, match="another organiser can"):
        managing.disable(ladder, OLGA, "olga", "x")
    with pytest.raises(UserError, match="another organiser can"):
        managing.set_role(ladder, OLGA, "olga", Role.CONTESTANT)


def test_who_is_no_organiser_any_more_is_none_at_once(ladder: Ladder) -> None:
    secret = token_of(ladder, "olga")
    managing.set_role(ladder, LOCAL, "olga", Role.CONTESTANT)
    with pytest.raises(Forbidden):
        managing.accounts(ladder, viewer_by(ladder, secret, ""))


def test_what_is_done_is_written_down_with_who_did_it_from_where(ladder: Ladder) -> None:
    managing.set_quota(ladder, OLGA, "ada", 7)
    managing.disable(ladder, LOCAL, "ada", "x" * 300)
    disabled, quota = managing.audit(ladder, OLGA)
    assert (quota.actor, quota.action, quota.subject, quota.address) == ("olga", "account.quota", "ada", "192.0.2.7")
    assert quota.details == {"submissions_a_day": 7}
    assert (disabled.actor, disabled.address, disabled.details) == ("", "", {"reason": "x" * 200})
    assert managing.audit(ladder, OLGA, before=disabled.id) == [quota]
    assert managing.audit(ladder, OLGA, limit=1) == [disabled]


def test_what_fails_is_not_written_down(ladder: Ladder) -> None:
    for action in (
        lambda: managing.disable(ladder, OLGA, "eve", "x"),
        lambda: managing.disable(ladder, OLGA, "ada", " "),
        lambda: managing.set_quota(ladder, OLGA, "eve", 7),
        lambda: managing.add(ladder, OLGA, "ada", Role.CONTESTANT),
        lambda: registering.take_back(ladder, OLGA, 7),
        lambda: registering.invite(ladder, OLGA, Role.CONTESTANT, days=366),
        lambda: sessions.revoke_one(ladder, OLGA, "olga", 7, "token"),
    ):
        with pytest.raises((LadderError, UserError)):
            action()
    assert managing.audit(ladder, OLGA) == []


def test_the_first_organiser_comes_by_the_newest_link(settings: Settings) -> None:
    with Ladder.open(settings) as ladder:
        old, new = registering.first_invitation(ladder), registering.first_invitation(ladder)
        assert old is not None
        assert new is not None
        managing.add(ladder, LOCAL, "olga", Role.ORGANISER)
        assert registering.first_invitation(ladder) is not None, "she has no password yet"
        new = registering.first_invitation(ladder)
        assert new is not None
        with pytest.raises(LadderError, match=re.escape(NOT_GOOD)):
            register(ladder, quick_passwords(), "otto", PASSWORD, old.secret, HERE)
        register(ladder, quick_passwords(), "otto", PASSWORD, new.secret, HERE)
        assert [row.role for row in managing.accounts(ladder, LOCAL) if row.name == "otto"] == [Role.ORGANISER]
        assert registering.first_invitation(ladder) is None
        with pytest.raises(LadderError, match=re.escape(NOT_GOOD)):
            register(ladder, quick_passwords(), "eve", PASSWORD, new.secret, HERE)


def test_an_invitation_of_an_organisers_is_not_taken_back_by_a_start(settings: Settings) -> None:
    with Ladder.open(settings) as ladder:
        mine = registering.invite(ladder, LOCAL, Role.CONTESTANT, note="for Graz")
        registering.first_invitation(ladder)
        registering.first_invitation(ladder)
        register(ladder, quick_passwords(), "graz", PASSWORD, mine.secret, HERE)
