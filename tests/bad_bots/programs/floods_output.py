"""Writes to stdout and stderr as fast as it can, from two processes, beside playing."""

from __future__ import annotations

import os

import pigpen
from tests.bad_bots.honest import Honest


class Chatterbox(Honest):
    def match_started(self, welcome: pigpen.Welcome) -> None:
        for output in (1, 2):
            if os.fork() == 0:
                while True:
                    os.write(output, b"gigabytes " * 100_000)


pigpen.run(Chatterbox())
