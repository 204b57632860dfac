"""Answers with bytes that are no message."""

from __future__ import annotations

from tests.bad_bots.line import enter

line = enter()
for _ in line.requests():
    line.send(b"\x0a\xff\xff\xff\xff\x0f")
