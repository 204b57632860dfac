"""Exposes a card twice."""

from __future__ import annotations

from pigpen.v1.referee_pb2 import Answer, BotMessage, ExposeAction
from pigpen.v1.view_pb2 import PHASE_EXPOSE, Exposure
from tests.bad_bots.line import enter

line = enter()
for request in line.requests():
    answer = line.honest(request)
    if request.view.phase == PHASE_EXPOSE:
        twice = [Exposure(card=request.view.hand[0])] * 2
        answer = BotMessage(answer=Answer(decision=request.decision, expose=ExposeAction(cards=twice)))
    line.send(answer)
