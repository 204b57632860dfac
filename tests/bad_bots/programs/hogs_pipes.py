"""In seat 0: takes all the pipe memory that the kernel gives to one user. In other seats: reports how much is left."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys

import pigpen
from tests.bad_bots.honest import Honest, report

HOG = """
import fcntl, os, signal
for _ in range(120):
    reader, writer = os.pipe()
    try:
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
    except OSError:
        pass
print("ready", flush=True)
signal.pause()
"""
USUAL = 64 * 1024


class Hog(Honest):
    looked = False

    def match_started(self, welcome: pigpen.Welcome) -> None:
        for _ in range(20 if welcome.seat == 0 else 0):
            process = subprocess.Popen([sys.executable, "-c", HOG], stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            process.stdout.readline()

    def play(self, view: pigpen.View) -> pigpen.Card:
        if not self.looked:  # the seat at 0 has passed its cards by now, and so has hogged before
            self.looked = True
            _, writer = os.pipe()
            report({f"in seat {min(view.seat, 1)}": fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ) == USUAL})
        return super().play(view)


pigpen.run(Hog())
