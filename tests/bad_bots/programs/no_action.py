"""Answers with messages that hold no action."""

from __future__ import annotations

from pigpen.v1.referee_pb2 import Answer, BotMessage
from tests.bad_bots.line import enter

line = enter()
for request in line.requests():
    line.send(BotMessage(answer=Answer(decision=request.decision)))
