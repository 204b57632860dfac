"""Addresses of ladders as people type them."""

from __future__ import annotations

import pytest

from ladder.app.remote.login import ladder_address, origin_of
from ladder.errors import UserError


@pytest.mark.parametrize(
    ("word", "address"),
    [
        ("https://arena.example", "https://arena.example"),
        (" HTTPS://Arena.Example:443/ ", "https://arena.example"),
        ("https://arena.example:8443", "https://arena.example:8443"),
        ("http://127.0.0.1:8020/", "http://127.0.0.1:8020"),
        ("http://localhost:80", "http://localhost"),
        ("http://a.localhost:8020", "http://a.localhost:8020"),
        ("http://[::1]:8020", "http://[::1]:8020"),
    ],
)
def test_an_address_is_written_in_one_way(word: str, address: str) -> None:
    assert ladder_address(word) == address


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("arena.example", "Write it as https://arena.example"),
        ("", "Write it as https"),
        ("ftp://arena.example", "Write it as https"),
        ("https://", "Write it as https"),
        ("https://arena.example/pigpen", "Write only scheme, host and port"),
        ("https://arena.example/?a=b", "Write only scheme, host and port"),
        ("http://[::1]:8020/pigpen", r"host and port: http://\[::1\]:8020$"),
        ("https://arena.example:x", "is not an address"),
        ("https://arena.example:99999", "is not an address"),
        ("https://[::1", "is not an address"),
        ("https://arena example", "Write it as https"),
        ("https://arena\u202e.example", "Write it as https"),
        ("https://a\\b.example", "Write it as https"),
        ("http://arena.example", "is not encrypted"),
        ("http://10.0.0.1:8020", "is not encrypted"),
        ("http://localhost.example", "is not encrypted"),
        ("http://127.0.0.1.example", "is not encrypted"),
    ],
)
def test_what_is_no_address_is_refused_with_what_would_be_one(word: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        ladder_address(word)


def test_without_encryption_only_if_somebody_says_so() -> None:
    assert ladder_address("http://10.0.0.1:8020", plain_http=True) == "http://10.0.0.1:8020"


def test_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(UserError) as refused:
        ladder_address("https://ada:secret@arena.example/?token=secret")
    assert "secret" not in str(refused.value)


def test_an_origin_is_scheme_host_and_port() -> None:
    assert origin_of("https://arena.example/a?b") == origin_of("https://ARENA.example:443") != ""
    others = {
        "http://arena.example",
        "https://arena.example:8443",
        "https://arena.example.evil",
        "//x",
        "https://[",
        "x",
    }
    assert origin_of("https://arena.example") not in map(origin_of, others)
