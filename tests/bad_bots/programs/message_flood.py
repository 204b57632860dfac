"""Answers questions that nobody asked, as fast as it can, and those that it is asked."""

from __future__ import annotations

import os
from threading import Thread

from pigpen.v1.referee_pb2 import Answer, BotMessage
from tests.bad_bots.line import enter

line = enter()


def flood() -> None:
    unasked = BotMessage(answer=Answer(decision=2**63, card=0)).SerializeToString()
    while True:
        if line.backlog < 100:
            line.send(unasked)


Thread(target=flood, daemon=True).start()
line.play_on()
os._exit(0)
