"""Answers that are kept: until the ladder changes, within a bound, made once for all who wait."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from starlette.requests import Request

from ladder.site.rendering.cache import AnswerCache
from tests.ladder.site.visitor import small_site
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.ladder.site.visitor import Visitor

TEXT = "text/plain"


class Ladder:
    """Something with a revision, and a count of how often it was asked."""

    def __init__(self) -> None:
        self.number = 0
        self.asked = 0

    def revision(self) -> str:
        self.asked += 1
        return str(self.number)


@pytest.fixture
def ladder() -> Ladder:
    return Ladder()


def request(**headers: str) -> Request:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": named})


def ask(cache: AnswerCache, key: str, make: Callable[[], bytes]) -> bytes:
    return bytes(cache.respond(request(), key, lambda: (make(), TEXT)).body)


def test_an_answer_is_made_once_until_the_ladder_changes(ladder: Ladder) -> None:
    cache, made = AnswerCache(ladder.revision, seconds=-1), iter(range(100))
    assert [ask(cache, "a", lambda: b"%d" % next(made)) for _ in range(3)] == [b"0"] * 3
    assert ask(cache, "b", lambda: b"%d" % next(made)) == b"1"
    ladder.number += 1
    assert ask(cache, "a", lambda: b"%d" % next(made)) == b"2"
    assert ask(cache, "a", lambda: b"%d" % next(made)) == b"2"


def test_the_ladder_is_asked_only_now_and_then(ladder: Ladder) -> None:
    cache = AnswerCache(ladder.revision, seconds=1e9)
    for _ in range(5):
        ask(cache, "a", lambda: b"")
    assert ladder.asked == 1
    ladder.number += 1
    assert cache.revision() == "0"


def test_an_answer_from_before_a_change_is_not_kept_after_it(ladder: Ladder) -> None:
    cache = AnswerCache(ladder.revision, seconds=-1)

    def make() -> bytes:
        ladder.number += 1
        cache.revision()
        return b"old"

    assert ask(cache, "a", make) == b"old"
    assert ask(cache, "a", lambda: b"new") == b"new"
    assert ask(cache, "a", lambda: b"newer") == b"new"


def test_all_answers_together_stay_within_the_bound(ladder: Ladder) -> None:
    cache = AnswerCache(ladder.revision, max_bytes=10_000)
    for number in range(100):
        ask(cache, f"{number}", lambda: b"x" * 900)
        assert cache.size <= 10_000
    assert ask(cache, "99", lambda: b"again") == b"x" * 900
    assert ask(cache, "0", lambda: b"again") == b"again"


def test_those_that_were_not_asked_for_longest_go_first(ladder: Ladder) -> None:
    cache = AnswerCache(ladder.revision, max_bytes=3 * 1500)
    for key in "abc":
        ask(cache, key, lambda: b"x" * 900)
    ask(cache, "a", lambda: b"again")
    ask(cache, "d", lambda: b"x" * 900)
    assert ask(cache, "a", lambda: b"again") == b"x" * 900
    assert ask(cache, "b", lambda: b"again") == b"again"


def test_long_addresses_count_as_well(ladder: Ladder) -> None:
    cache = AnswerCache(ladder.revision, max_bytes=100_000)
    for number in range(50):
        ask(cache, f"{number}" * 10_000, lambda: b"")
        assert cache.size <= 100_000


def test_an_answer_that_is_too_large_is_not_kept(ladder: Ladder) -> None:
    cache = AnswerCache(ladder.revision, max_bytes=1000)
    assert ask(cache, "a", lambda: b"x" * 2000) == b"x" * 2000
    assert cache.size == 0
    assert ask(cache, "a", lambda: b"y") == b"y"


def test_many_who_ask_at_once_wait_for_one_answer(ladder: Ladder) -> None:
    cache, made = AnswerCache(ladder.revision), []
    begun, go_on = threading.Event(), threading.Event()

    def make() -> bytes:
        made.append(1)
        begun.set()
        assert go_on.wait(PATIENCE)
        return b"one"

    with ThreadPoolExecutor(8) as threads:
        first = threads.submit(ask, cache, "a", make)
        assert begun.wait(PATIENCE)
        others = [threads.submit(ask, cache, "a", make) for _ in range(7)]
        assert ask(cache, "b", lambda: b"two") == b"two"  # nobody else waits
        go_on.set()
        assert {each.result() for each in (first, *others)} == {b"one"}
    assert made == [1]


def test_a_failure_is_told_to_all_who_wait_and_not_kept(ladder: Ladder) -> None:
    cache = AnswerCache(ladder.revision)

    def fail() -> bytes:
        raise LookupError("nothing")

    for _ in range(2):
        with pytest.raises(LookupError, match="nothing"):
            ask(cache, "a", fail)
    assert ask(cache, "a", lambda: b"now") == b"now"
    assert not cache._making


def test_if_the_revision_cannot_be_read_the_next_one_tries_again(ladder: Ladder) -> None:
    fails = iter([True, False])

    def revision() -> str:
        if next(fails):
            raise LookupError("gone")
        return "1"

    cache = AnswerCache(revision, seconds=1e9)
    with pytest.raises(LookupError):
        cache.revision()
    assert cache.revision() == "1"


def test_it_can_be_used_by_many_threads(ladder: Ladder) -> None:
    cache = AnswerCache(ladder.revision, max_bytes=20_000, seconds=-1)

    def work(number: int) -> None:
        for step in range(200):
            if not step % 50:
                ladder.number += 1
            key = f"{(number * 7 + step) % 30}"
            assert ask(cache, key, lambda: key.encode() * 500).startswith(key.encode())  # noqa: B023

    with ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(work, number) for number in range(8)]:
            done.result()
    assert 0 <= cache.size <= 20_000
    assert not cache._making


def size_after(site: Visitor, *paths: str) -> int:
    """Bytes of all answers that the site keeps when these pages were asked for."""
    for path in paths:
        assert site.get(path).status_code == 200, path
    answers: AnswerCache = site.app._app._app.state.site.answers  # type: ignore[attr-defined]
    return answers.size


def test_neither_unknown_parameters_nor_other_spellings_have_an_answer_made_anew(tmp_path: Path) -> None:
    with small_site(tmp_path) as site:
        site.app._app._app.state.site.answers._seconds = 1e9  # type: ignore[attr-defined]
        kept = size_after(site, "/api/v1/standings?first=5", "/api/v1/bots", "/m", "/v/gongzhu", "/b?q=a")
        assert kept > 0
        again = (
            *(f"/api/v1/standings?{query}" for query in ("first=05", "first=5&utm=1", "x=2&first=5", "first=5&all=no")),
            *(f"/api/v1/bots?{query}" for query in ("limit=100", "limit=00100", "nothing", "x=" + "y" * 100)),
            *(f"/m?{query}" for query in ("utm_source=feed", "variant=", "bot=&x=<script>")),
            *(f"/v/gongzhu?{query}" for query in ("page=1", "page=01", "all=0", "all=false&x=1", "lang=en")),
            "/b?x=1&q=a",
        )
        assert size_after(site, *again) == kept
        assert "utm_source" not in site.page("/m?utm_source=feed"), "the answer is for all"
        assert size_after(site, "/api/v1/standings?first=4", "/v/gongzhu?all=1") > kept
