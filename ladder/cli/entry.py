"""
Entry point of the command `pigpen`. It imports nothing of ours before Ctrl-C is taken care of.

As long as modules are imported and the commands are put together there is nothing to clean up, so Ctrl-C ends the
process at once. An exception would not do: raised in the middle of an import it can get lost, or show a traceback.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Run the command line."""
    from ladder.garbage import look_for_garbage_rarely, no_garbage

    look_for_garbage_rarely()
    with no_garbage():
        from ladder.cli.typer_app import run_app

    run_app()


def main_of_fork(command: Callable[[], object]) -> None:
    """
    Run a command in a process that was forked from one that runs a command.

    It reads no command line: what typer makes of one would change 8 MiB of the memory that the processes share.
    """
    from ladder.cli.typer_app import run_command

    _end_at_ctrl_c()
    run_command(command)


def _end(*_: object) -> None:
    os.write(2, b"pigpen: Interrupted.\n")
    os._exit(130)


def _end_at_ctrl_c() -> None:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else something ignores it, as nohup does
        signal.signal(signal.SIGINT, _end)


_end_at_ctrl_c()

if __name__ == "__main__":
    main()
