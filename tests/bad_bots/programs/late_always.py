"""Hears every question and answers none."""

from __future__ import annotations

from tests.bad_bots.line import enter

for _ in enter().requests():
    pass
