"""Passwords: which are taken, and how few are hashed at the same time."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher

from ladder.app.accounts.passwords import AT_ONCE, BUSY, Passwords, check_password
from ladder.errors import Busy, UserError
from tests.ladder.site.person import quick_passwords
from tests.waiting import PATIENCE

GOOD = "correct horse"


@pytest.mark.parametrize("password", ["", "123456789", "Maximilian"])
def test_a_password_that_cannot_be_is_refused(password: str) -> None:
    with pytest.raises(UserError):
        check_password(password, "maximilian")


@pytest.mark.parametrize("password", ["1234567890", "密码密码密码密码密码", "maximilian1"])
def test_others_are_taken(password: str) -> None:
    check_password(password, "maximilian")


def test_a_password_is_good_that_was_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = quick_passwords()
    stored = passwords.hash(GOOD)
    assert stored.startswith("$argon2id$")
    assert passwords.are_good(stored, GOOD)
    for stored_one, password in ((stored, "correct horsf"), (None, GOOD), (None, "no account's password"), ("x", GOOD)):
        assert not passwords.are_good(stored_one, password)


def test_letters_are_the_same_however_a_keyboard_composes_them() -> None:
    passwords = quick_passwords()
    assert passwords.are_good(passwords.hash("na\u00efve horses"), "nai\u0308ve horses")


def test_a_hash_of_other_parameters_is_outdated() -> None:
    stored = quick_passwords().hash(GOOD)
    assert not quick_passwords().is_outdated(stored)
    assert Passwords().is_outdated(stored)


class Held(PasswordHasher):
    """Hashes as soon as it may."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.go_on = threading.Event()
        self.inside = threading.Semaphore(0)
        self.most = self.now = 0
        self._lock = threading.Lock()

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        """See argon2."""
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.inside.release()
        assert self.go_on.wait(PATIENCE)
        with self._lock:
            self.now -= 1
        return super().hash(password, salt=salt)


def test_few_are_hashed_at_the_same_time_and_others_wait_their_turn() -> None:
    hasher = Held()
    passwords = Passwords(hasher, wait_seconds=60)
    with ThreadPoolExecutor(6) as threads:
        done = [threads.submit(passwords.hash, GOOD) for _ in range(6)]
        for _ in range(AT_ONCE):
            assert hasher.inside.acquire(timeout=PATIENCE)
        hasher.go_on.set()
        assert len({each.result(PATIENCE) for each in done}) == 6
    assert hasher.most == AT_ONCE


def test_who_waits_too_long_is_told_to_come_again() -> None:
    hasher = Held()
    passwords = Passwords(hasher, wait_seconds=0.01)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        done = [threads.submit(passwords.hash, GOOD) for _ in range(AT_ONCE)]
        for _ in range(AT_ONCE):
            assert hasher.inside.acquire(timeout=PATIENCE)
        with pytest.raises(Busy, match=re.escape(BUSY)):
            passwords.are_good(None, GOOD)
        hasher.go_on.set()
        for each in done:
            each.result(PATIENCE)
    assert not passwords.are_good(None, GOOD)
