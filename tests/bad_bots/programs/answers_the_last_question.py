"""Answers the question before the one that it is asked, wrongly, and then the one that it is asked."""

from __future__ import annotations

from pigpen.v1.referee_pb2 import Answer, BotMessage
from tests.bad_bots.line import enter

line = enter()
for request in line.requests():
    line.send(BotMessage(answer=Answer(decision=request.decision - 1, card=99)))
    line.send(line.honest(request))
