"""Opens two connections, uses its token on both, and tries a third; plays on the one that was let in."""

from __future__ import annotations

import grpc

from tests.bad_bots.frames import begin
from tests.bad_bots.honest import report
from tests.bad_bots.line import Line, connect, hello
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named

channels = [connect(), connect()]
for channel in channels:
    grpc.channel_ready_future(channel).result()
line, second = map(Line, channels)
line.send(hello())
first = next(line.requests())
second.send(hello())
report({"the second": second.refusal(), "the third": named(attempt(begin))})
line.send(line.honest(first))
line.play_on()
