"""Forks, and so does every child, until nobody can any more; and that is all it does."""

from __future__ import annotations

import os
import signal

from tests.bad_bots.honest import report
from tests.ladder.sandbox.docker.system_calls import named

first = os.getpid()
while True:
    try:
        os.fork()
    except OSError as error:
        if os.getpid() == first:
            report({"in the end": named(error.errno or 0)})
        signal.pause()
