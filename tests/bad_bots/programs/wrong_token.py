"""Tries to take its seat with tokens that it makes up, again and again."""

from __future__ import annotations

import secrets

from tests.bad_bots.honest import report
from tests.bad_bots.line import Line, hello


def guess() -> str:
    line = Line()
    line.send(hello(secrets.token_hex(16)))
    status = line.refusal()
    line.leave()
    return status


report({"the first": guess()})
while True:
    guess()
