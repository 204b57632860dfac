"""Breaks its stream when it is asked for the first time, and stays away."""

from __future__ import annotations

import signal

from tests.bad_bots.line import enter

line = enter()
next(line.requests())
line.leave()
signal.pause()
