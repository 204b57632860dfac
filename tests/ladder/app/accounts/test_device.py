"""Log-ins of the command: what ends one that is confirmed, and how visitors share the places of those that wait."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.accounts import device, managing, registering, sessions
from ladder.app.accounts.passwords import BUSY
from ladder.app.accounts.registering import register
from ladder.app.accounts.sessions import viewer_by
from ladder.app.ladder import Ladder
from ladder.errors import Busy, LadderError
from ladder.values.accounts import LOCAL, Role, Scope, Viewer
from tests.ladder.accounts import session_of
from tests.ladder.databases import later_backend as backend
from tests.ladder.site.person import PASSWORD, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.settings.settings import Settings
    from ladder.values.accounts import LoginStarted

__all__ = ["backend"]

ADA, BOB = Viewer("ada"), Viewer("bob")
OTHER = "another horse"


@pytest.fixture
def ladder(settings: Settings) -> Iterator[Ladder]:
    """A ladder with two contestants who have the same password, on each database."""
    with Ladder.open(settings) as ladder:
        for name in ("ada", "bob"):
            managing.add_with_password(ladder, quick_passwords(), LOCAL, name, Role.CONTESTANT, PASSWORD)
        yield ladder


def started(ladder: Ladder, address: str = "192.0.2.7") -> LoginStarted:
    return device.start(ladder, "a test's", address, "http://site.test/")


def confirmed(ladder: Ladder, viewer: Viewer, address: str = "192.0.2.7") -> LoginStarted:
    """Begin a log-in and confirm it; the command has not asked for its token."""
    login = started(ladder, address)
    device.confirm(ladder, viewer, login.user_code, [Scope.READ])
    return login


def token(ladder: Ladder, login: LoginStarted) -> str | None:
    return device.collect(ladder, login.device_code, "192.0.2.7").token


def has_ended(ladder: Ladder, login: LoginStarted) -> bool:
    try:
        token(ladder, login)
    except LadderError:
        return True
    return False


def by_link(ladder: Ladder) -> None:
    """Set a new password with a link."""
    link = registering.new_password(ladder, LOCAL, "ada").secret
    register(ladder, quick_passwords(), "", OTHER, link, sessions.Visit("", ""))


def revoked_but_for_one(ladder: Ladder) -> None:
    """Revoke all, but for the session that asks."""
    sessions.revoke_every(ladder, viewer_by(ladder, session_of(ladder, "ada"), ""), "ada")


ENDS: dict[str, Callable[[Ladder], Any]] = {
    "all revoked": lambda ladder: sessions.revoke_every(ladder, LOCAL, "ada"),
    "all others revoked": revoked_but_for_one,
    "a new password by a link": by_link,
    "a new password": lambda ladder: sessions.change_password(ladder, quick_passwords(), ADA, PASSWORD, OTHER),
    "disabled": lambda ladder: managing.disable(ladder, LOCAL, "ada", "It cheats."),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_log_in_that_was_confirmed_before_gives_no_token_after(ladder: Ladder, end: Callable[[Ladder], Any]) -> None:
    adas, bobs, waiting = confirmed(ladder, ADA), confirmed(ladder, BOB), started(ladder)
    end(ladder)
    assert has_ended(ladder, adas)
    assert token(ladder, bobs) is not None
    assert token(ladder, waiting) is None, "no account has confirmed it"


def test_one_sender_with_many_addresses_keeps_no_one_else_from_logging_in(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "MAX_WAITING", 5)
    visitor = started(ladder, "198.51.100.1")
    senders = [started(ladder, f"2001:db8:0:{number}::1") for number in range(4)]
    with pytest.raises(Busy, match=re.escape(BUSY)):
        started(ladder, "2001:db8:0:ffff::1")
    others = [started(ladder, address) for address in ("2001:db8:1::1", "203.0.113.9")]
    assert [has_ended(ladder, each) for each in senders] == [True, True, False, False], "the oldest ones"
    for login in (visitor, *others):
        device.confirm(ladder, ADA, login.user_code, [Scope.READ])
        assert token(ladder, login) is not None


def test_one_who_has_as_many_log_ins_as_any_other_ends_no_others(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "MAX_WAITING", 4)
    logins = [started(ladder, address) for address in ("192.0.2.7", "192.0.2.8", "198.51.100.1", "198.51.100.2")]
    with pytest.raises(Busy, match=re.escape(BUSY)):
        started(ladder, "192.0.2.9")
    assert not any(has_ended(ladder, each) for each in logins)


def test_a_log_in_that_is_confirmed_keeps_its_place(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "MAX_WAITING", 3)
    kept = [confirmed(ladder, ADA) for _ in range(2)]
    given_up = started(ladder)
    kept.append(confirmed(ladder, BOB, "198.51.100.1"))
    with pytest.raises(Busy, match=re.escape(BUSY)):
        started(ladder, "203.0.113.9")
    assert has_ended(ladder, given_up)
    assert all(token(ladder, each) for each in kept)
