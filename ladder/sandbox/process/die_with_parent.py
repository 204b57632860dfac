"""
Run a program that dies with its parent: `python -I -S die_with_parent.py PARENT_PID PROGRAM ARGUMENT...`.

A launcher of its own, because the kernel's request for this is made by the child itself, and Python code run
between fork and exec (preexec_fn) can deadlock in a process with threads, as every process with gRPC is. The
request survives exec. It is bound to the *thread* that made the child: start bots from the event loop's thread,
never from a pool's. Imports as little as it can: this runs once for each bot that starts.
"""

import os
import sys


def main() -> None:
    """Ask the kernel for SIGKILL when the parent ends, then become the program."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig, sigkill = 1, 9
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, sigkill)
        if os.getppid() != int(sys.argv[1]):  # it ended before the request
            os._exit(1)
    # On other systems a bot ends when the stream to its referee breaks.
    os.execv(sys.argv[2], sys.argv[2:])


main()
