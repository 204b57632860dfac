"""Accounts, invitations, sessions and codes, as the database keeps them, in each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError

from ladder.app.accounts import device, managing, registering
from ladder.app.accounts.registering import register
from ladder.app.accounts.sessions import Visit, hash_of, log_in, viewer_by
from ladder.app.ladder import Ladder
from ladder.errors import LadderError
from ladder.store.account_models import Credential, LoginCode
from ladder.store.account_names import find_account, has_organiser
from ladder.store.commands.accounts import KEPT_SECONDS, add_account, add_credential, revoke_all, write_audit
from ladder.store.queries.account_lists import audit, credentials, holder_of
from ladder.values.accounts import ANONYMOUS, LOCAL, Role, Scope, Viewer
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.ladders import NOW
from tests.ladder.site.person import PASSWORD, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.settings.settings import Settings
    from ladder.store.database import Database

HERE = Visit("192.0.2.7", "a test's")


@pytest.fixture
def ladder(settings: Settings) -> Iterator[Ladder]:
    with Ladder.open(settings) as ladder:
        yield ladder


def test_an_invitation_is_good_for_one_of_those_who_come_at_once(ladder: Ladder) -> None:
    secret = registering.invite(ladder, LOCAL, Role.CONTESTANT).secret

    def come(number: int) -> bool:
        try:
            register(ladder, quick_passwords(), f"person{number}", PASSWORD, secret, HERE)
        except LadderError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        came = list(threads.map(come, range(4)))
    assert sum(came) == 1
    (account,) = managing.accounts(ladder, LOCAL)
    (invitation,) = registering.invitations(ladder, LOCAL)
    assert invitation.used_by == account.name == f"person{came.index(True)}"


def test_a_name_is_for_one_of_those_who_want_it_at_once(ladder: Ladder) -> None:
    secrets = [registering.invite(ladder, LOCAL, Role.CONTESTANT).secret for _ in range(4)]

    def come(number: int) -> bool:
        try:
            register(ladder, quick_passwords(), ("ada", "Ada")[number % 2], PASSWORD, secrets[number], HERE)
        except LadderError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(come, range(4))) == 1
    assert len(managing.accounts(ladder, LOCAL)) == 1


def test_a_token_is_collected_once(ladder: Ladder) -> None:
    add_person(ladder, "ada")
    ada = viewer_by(ladder, session_of(ladder, "ada"), "")
    login = device.start(ladder, "a test's", "192.0.2.7", "http://site.test/")
    device.confirm(ladder, ada, login.user_code, [Scope.READ])

    def collect(_: int) -> str | None:
        try:
            return device.collect(ladder, login.device_code, "192.0.2.7").token
        except LadderError:
            return None

    with ThreadPoolExecutor(4) as threads:
        (token,) = [each for each in threads.map(collect, range(4)) if each]
    assert viewer_by(ladder, token, "").scopes == {Scope.READ}


def test_no_secret_is_in_the_database(ladder: Ladder) -> None:
    invitation = managing.add(ladder, LOCAL, "ada", Role.CONTESTANT).secret
    register(ladder, quick_passwords(), "", PASSWORD, invitation, HERE)
    session = log_in(ladder, quick_passwords(), "ada", PASSWORD, HERE).secret
    login = device.start(ladder, "a test's", "192.0.2.7", "http://site.test/")
    secrets = [invitation, session, token_of(ladder, "ada"), login.device_code, PASSWORD]
    with ladder.database.read() as transaction:
        for table in ("accounts", "invitations", "credentials", "login_codes", "audit", "owners"):
            rows = str(transaction.execute(text(f"SELECT * FROM {table}")).all())
            assert rows != "[]"
            assert [secret for secret in secrets if secret in rows or secret[4:] in rows] == []
        assert hash_of(session) in str(transaction.execute(text("SELECT hash FROM credentials")).all())


def test_what_has_long_ended_is_forgotten(database: Database) -> None:
    with database.write() as session:
        account = add_account(session, "ada", Role.CONTESTANT, NOW)
        for number, expires in enumerate((NOW + 1, NOW + KEPT_SECONDS + 2)):
            add_credential(session, account.owner_id, "session", str(number), "", Scope, NOW, expires)
        add_credential(session, account.owner_id, "token", "2", "", [Scope.READ], NOW + KEPT_SECONDS + 1.5, NOW * 2)
        assert session.scalars(select(Credential.hash).order_by(Credential.id)).all() == ["1", "2"]
        shown = [row.kind for row in credentials(session, account.owner_id, NOW + KEPT_SECONDS + 3)]
        assert shown == ["token"]


def test_codes_that_have_expired_are_forgotten_with_the_next_one(ladder: Ladder) -> None:
    moments = [NOW, NOW + 1, NOW + device.GOOD_SECONDS + 0.5]
    for moment in moments:
        device.start(Ladder(ladder.settings, ladder.database, lambda moment=moment: moment), "", "", "")  # type: ignore[misc]
    with ladder.database.read() as session:
        assert session.scalar(select(func.count()).select_from(LoginCode)) == 2


def test_revoking_spares_one_and_counts_the_others(database: Database) -> None:
    with database.write() as session:
        ada, bob = (add_account(session, name, Role.CONTESTANT, NOW).owner_id for name in ("ada", "bob"))
        kept = [
            add_credential(session, owner, kind, f"{owner} {kind}", "", Scope, NOW, NOW + 9).id
            for owner in (ada, bob)
            for kind in ("session", "token")
        ]  # fmt: skip
        assert revoke_all(session, ada, NOW + 1, kind="session", spared=kept[0]) == 0
        assert revoke_all(session, ada, NOW + 1, spared=kept[0]) == 1
        assert revoke_all(session, ada, NOW + 1, spared=kept[0]) == 0
        assert holder_of(session, f"{ada} session", "session", NOW + 2) is not None
        assert holder_of(session, f"{ada} token", "token", NOW + 2) is None
        assert holder_of(session, f"{bob} token", "token", NOW + 2) is not None
        assert holder_of(session, f"{bob} token", "session", NOW + 2) is None
        assert holder_of(session, f"{bob} token", "token", NOW + 9) is None


def test_a_disabled_account_is_not_opened_even_by_what_was_not_revoked(database: Database) -> None:
    with database.write() as session:
        account = add_account(session, "ada", Role.CONTESTANT, NOW)
        add_credential(session, account.owner_id, "token", "1", "", Scope, NOW, NOW + 9)
        assert holder_of(session, "1", "token", NOW) is not None
        account.disabled = NOW
        session.flush()
        assert holder_of(session, "1", "token", NOW) is None


def test_who_is_known_to_the_provider_is_known_once(database: Database) -> None:
    with database.write() as session:
        add_account(session, "ada", Role.CONTESTANT, NOW, subject="https://id.example 1")
        add_account(session, "bob", Role.CONTESTANT, NOW)
        add_account(session, "carl", Role.CONTESTANT, NOW)  # two without a subject are no contradiction
    with pytest.raises(IntegrityError), database.write() as session:
        add_account(session, "eve", Role.CONTESTANT, NOW, subject="https://id.example 1")


def test_an_organiser_who_cannot_log_in_is_none(database: Database) -> None:
    with database.write() as session:
        assert not has_organiser(session)
        account = add_account(session, "olga", Role.ORGANISER, NOW)
        assert not has_organiser(session)
        account.password = "x"
        assert has_organiser(session)
        account.disabled = NOW
        assert not has_organiser(session)


def test_what_is_undone_is_not_written_down(database: Database) -> None:
    def fail() -> None:
        with database.write() as session:
            write_audit(session, Viewer("ada"), "account.quota", "ada", NOW)
            find_account(session, "nobody")

    with pytest.raises(LadderError, match="no account 'nobody'"):
        fail()
    with database.read() as session:
        assert audit(session, 10) == []


def test_words_of_the_audit_log_are_no_longer_than_their_columns(database: Database) -> None:
    with database.write() as session:
        write_audit(session, Viewer("a" * 99, address="b" * 99), "x.y", "c" * 999, NOW, more="d" * 999, count=7)
    with database.read() as session:
        (row,) = audit(session, 10)
    assert (row.actor, row.address, row.subject) == ("a" * 64, "b" * 64, "c" * 200)
    assert row.details == {"more": "d" * 200, "count": 7}


def test_a_secret_of_another_kind_opens_nothing(ladder: Ladder) -> None:
    add_person(ladder, "ada")
    token, session = token_of(ladder, "ada"), session_of(ladder, "ada")
    for secret in (token.replace("pgp_", "pgs_"), session.replace("pgs_", "pgp_"), token[4:], hash_of(token), ""):
        assert viewer_by(ladder, secret, "") == ANONYMOUS
