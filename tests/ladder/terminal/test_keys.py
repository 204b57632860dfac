"""Keys as terminals send them."""

from __future__ import annotations

import pytest

from ladder.terminal.keys import names

SENT = {
    "q": ["q"],
    "\x1b[A\x1b[B\x1b[C\x1b[D": ["up", "down", "right", "left"],
    "\x1bOA\x1bOD": ["up", "left"],
    "\x1b[H\x1b[F\x1bOH\x1bOF": ["home", "end", "home", "end"],
    "\x1b[1~\x1b[4~\x1b[7~\x1b[8~": ["home", "end", "home", "end"],
    "\x1b[5~\x1b[6~": ["page up", "page down"],
    "\x1b": ["escape"],
    "\x1bq": ["escape", "q"],
    "\x1b\x1b[A": ["escape", "up"],
    "\x1a": ["suspend"],
    "\x1b[1;5C": [""],
    "\x1b[24~": [""],
    "né\n": ["n", "é", "\n"],
    "": [],
}


@pytest.mark.parametrize(("sent", "expected"), SENT.items(), ids=map(repr, SENT))
def test_keys_are_named(sent: str, expected: list[str]) -> None:
    assert names(sent) == expected
