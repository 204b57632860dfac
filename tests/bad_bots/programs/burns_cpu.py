"""Starts twenty processes that do nothing but use up CPU time, and plays."""

from __future__ import annotations

import subprocess
import sys

from tests.bad_bots.honest import play_with


def burn() -> dict[str, object]:
    fires = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(20)]
    return {"fires": len(fires)}


play_with(burn)
