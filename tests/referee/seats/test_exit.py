from __future__ import annotations

import pytest

from referee.seats.verdict import Exit


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (Exit(1), "its program ended with exit code 1"),
        (Exit(0), "its program ended with exit code 0; did it call pigpen.run?"),
        (Exit(137, oom=True), "it ran out of memory"),
        (Exit(0, oom=True), "it ran out of memory"),
    ],
)
def test_an_end_is_a_sentence_about_the_bot(end: Exit, words: str) -> None:
    assert str(end) == words
