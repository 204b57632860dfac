"""Ignores every signal that can be ignored, and stays when the match is over."""

from __future__ import annotations

import contextlib
import signal

import pigpen
from tests.bad_bots.honest import Honest

for number in signal.valid_signals():
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
pigpen.run(Honest())
while True:
    signal.pause()
