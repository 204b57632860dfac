"""Answers its first question with 100 MB; comes back, and plays on."""

from __future__ import annotations

from tests.bad_bots.honest import play_after
from tests.bad_bots.line import enter


def shout() -> dict[str, object]:
    line = enter()
    next(line.requests())
    line.send(bytes(100_000_000))
    broken = line.refusal() != "OK"
    line.leave()
    return {"broken": broken}


play_after(shout)
