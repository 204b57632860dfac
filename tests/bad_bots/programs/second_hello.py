"""Answers its first question with another Hello, and plays on."""

from __future__ import annotations

from tests.bad_bots.line import enter, hello

line = enter()
next(line.requests())
line.send(hello())
line.play_on()
