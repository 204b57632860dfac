"""Lets a child take more memory than it may, and ends when the child has been killed."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.bad_bots.honest import play_with


def feed() -> dict[str, object]:
    child = subprocess.run([sys.executable, "-c", "bytearray(1 << 30)"], check=False)
    os._exit(0 if child.returncode == -9 else 1)


play_with(feed)
