"""The release of gVisor on this machine, and the platform by which it runs programs."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 5.0
"""Limit, in seconds, of a question to gVisor's program."""


def gvisor_version(path: str | None, arguments: Sequence[str]) -> str | None:
    """
    Name gVisor's release, and the platform by which it runs programs: what a start and a decision cost depends on both.

    Args:
        path: The program runsc, as the engine names it; None: the engine does not say.
        arguments: With which the engine starts it.

    Returns:
        Such as ``0.0~20221219.0, platform ptrace``; None where it cannot be asked, as on another machine.
    """
    if path is None or (program := shutil.which(path)) is None:
        return None
    try:
        version, flags = (_printed(program, word) for word in ("--version", "flags"))
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    release = re.search(r"version (\S+)", version)
    usual = re.search(r"-platform string\n.*\(default \"(\w+)\"\)", flags)
    chosen = [argument.removeprefix("--platform=") for argument in arguments if argument.startswith("--platform=")]
    platform = chosen[-1] if chosen else usual and usual[1]
    words = [release[1] if release else "", f"platform {platform}" if platform else ""]
    return ", ".join(filter(None, words)) or None


def _printed(program: str, word: str) -> str:
    """Run a program with one word; give what it prints, to whichever of both."""
    done = subprocess.run(
        [program, word], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=True
    )
    return done.stdout
