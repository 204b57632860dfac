"""Answers its first question only when it is told that it is too late, and plays on."""

from __future__ import annotations

from tests.bad_bots.line import enter

line = enter()
first = next(line.requests())
while not line.receive().HasField("fault"):
    pass
line.send(line.honest(first))
line.play_on()
