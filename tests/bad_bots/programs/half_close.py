"""Says Hello and then that it will say nothing more, and stays."""

from __future__ import annotations

import signal

from tests.bad_bots.honest import report
from tests.bad_bots.line import enter

line = enter()
line.close()
report({"the stream": line.refusal()})
signal.pause()
