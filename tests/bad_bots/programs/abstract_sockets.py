"""Listens on an abstract Unix socket, and calls those that the same program has in other containers."""

from __future__ import annotations

import socket
from functools import partial

import pigpen
from tests.bad_bots.honest import Honest, report
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named


def name(seat: int) -> str:
    return f"\0pigpen-{seat}"


def call(seat: int) -> None:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(name(seat))


class Caller(Honest):
    asked = False

    def match_started(self, welcome: pigpen.Welcome) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(name(welcome.seat))
        self.listener.listen()

    def play(self, view: pigpen.View) -> pigpen.Card:
        if not self.asked:  # by now everybody has a seat, and listens
            self.asked = True
            met = {seat: named(attempt(partial(call, seat))) for seat in range(view.rules.players)}
            report({"own": met.pop(view.seat), "others": sorted(set(met.values()))})
        return super().play(view)


pigpen.run(Caller())
