"""Says Hello and then that it will say nothing more, but goes on listening."""

from __future__ import annotations

from tests.bad_bots.honest import report
from tests.bad_bots.line import enter

line = enter()
line.close()
report({"the stream": line.refusal()})
