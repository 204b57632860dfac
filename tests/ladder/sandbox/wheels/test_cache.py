"""What was fetched once: kept by hash and by question, and not for ever."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ladder.sandbox.wheels import cache

if TYPE_CHECKING:
    from pathlib import Path


def test_an_answer_is_remembered(tmp_path: Path) -> None:
    store = cache.Store(tmp_path)
    store.keep_answer("a", "3.11")
    assert (store.answer("a"), store.answer("b")) == (b"3.11", None)


def test_the_oldest_answers_go(tmp_path: Path) -> None:
    store = cache.Store(tmp_path, most_answers=3)
    for number in range(5):
        store.keep_answer(str(number), "x")
        os.utime(tmp_path / "answers" / str(number), (number, number))
    assert [name for name in "01234" if store.answer(name)] == ["2", "3", "4"]
