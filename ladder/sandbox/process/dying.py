"""Programs that end with the process that started them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

LAUNCHER = Path(__file__).with_name("die_with_parent.py")


def dying_with_us(command: list[str]) -> list[str]:
    """Make the command line by which *command* runs as a child that the kernel kills when this thread ends."""
    return [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), *command]
