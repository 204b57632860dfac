"""Runs a program that is to run as root."""

from __future__ import annotations

import os
import subprocess

from tests.bad_bots.honest import play_after
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named


def rise() -> dict[str, object]:
    mode = os.stat("/usr/bin/id-of-root").st_mode
    done = subprocess.run(["/usr/bin/id-of-root", "-u"], capture_output=True, text=True, check=True)
    return {
        "setuid": bool(mode & 0o4000),
        "runs as root": done.stdout.strip() == "0",
        "setuid(0)": named(attempt(lambda: os.setuid(0))),
    }


play_after(rise)
