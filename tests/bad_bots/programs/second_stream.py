"""Opens a second stream with its token while the first one lives, on the same connection; plays on the first."""

from __future__ import annotations

from tests.bad_bots.honest import report
from tests.bad_bots.line import Line, enter, hello

line = enter()
first = next(line.requests())
second = Line(line.channel)
second.send(hello())
report({"the second": second.refusal()})
line.send(line.honest(first))
line.play_on()
