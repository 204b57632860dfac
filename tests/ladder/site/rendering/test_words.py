"""Texts for numbers, times and languages."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from ladder.site.rendering import words


def request(query: str = "", **headers: str) -> Request:
    named = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": query.encode(), "headers": named})


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0, 0, "0"),
        (-0.4, 0, "0"),
        (-0.5, 0, "0"),
        (-0.51, 0, "−1"),
        (1234567.891, 2, "1,234,567.89"),
        (-1234.5, 1, "−1,234.5"),
        (1e12, 0, "1,000,000,000,000"),
    ],
)
def test_a_number(value: float, digits: int, text: str) -> None:
    assert words.number(value, digits) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0, 1, "±0.0"), (-0.04, 1, "±0.0"), (0.05, 2, "+0.05"), (-12.3, 1, "−12.3"), (1234, 0, "+1,234")],
)
def test_a_difference(value: float, digits: int, text: str) -> None:
    assert words.signed(value, digits) == text


@settings(deadline=None)
@given(st.floats(-1e9, 1e9), st.integers(0, 4))
def test_a_difference_has_one_sign_and_no_hyphen(value: float, digits: int) -> None:
    text = words.signed(value, digits)
    assert text[0] in "+−±"
    assert not set("+−±-") & set(text[1:])


def test_numbers_that_were_written_are_not_kept_for_ever() -> None:
    for each in range(10_000):
        words.number(each / 7, 2)
    assert words.number.cache_info().currsize <= 4096


def test_a_time_is_in_utc() -> None:
    time = datetime.datetime(2026, 11, 22, 5, 7, tzinfo=datetime.UTC)
    written = {"en": "2026-11-22 05:07 UTC", "zh": "2026年11月22日 05:07 UTC"}
    assert {language: words.moment(time, language) for language in words.LANGUAGES} == written


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("zh", "zh"),
        ("zh-TW,zh;q=0.9", "zh"),
        ("ZH-hans", "zh"),
        ("de, fr", "en"),
        ("de, zh;q=0.1", "zh"),
        ("en;q=0.1, zh;q=0.2", "zh"),
        ("zh;q=, ;q=1, *", "zh"),
        (",,,;;;===", "en"),
        ("x" * 10_000 + ", zh", "en"),
    ],
)
def test_the_browser_s_list(header: str, language: str) -> None:
    assert words.language_of(request(accept_language=header)) == language


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=255)))
def test_any_list_gives_a_language(header: str) -> None:
    assert words.language_of(request(accept_language=header)) in words.LANGUAGES


def test_a_link_comes_before_a_cookie_before_the_browser() -> None:
    headers = {"cookie": "pigpen_lang=en", "accept_language": "zh"}
    assert words.language_of(request("lang=zh", **headers)) == "zh"
    assert words.language_of(request("lang=xx", **headers)) == "en"
    assert words.language_of(request("lang=xx", accept_language="zh")) == "zh"
