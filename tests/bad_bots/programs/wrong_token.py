"""Tries to take its seat with tokens that it makes up, again and again."""

from __future__ import annotations

import secrets

from tests.bad_bots.honest import report
from tests.bad_bots.line import Line, hello

seen: set[str] = set()
while True:
    line = Line()
    line.say(hello(secrets.token_hex(16)))
    if (status := line.refusal()) not in seen:
        seen.add(status)
        report({status: True})
    line.leave()
