"""Starts 8 children that never rest, then 60, and plays; under gVisor each of them costs its kernel several threads."""

from __future__ import annotations

import os

import pigpen
from tests.bad_bots.honest import Honest, report

FEW, MANY = 8, 60
SPIN = ["sh", "-c", "while :; do :; done"]


class Parent(Honest):
    """Has more and more children, as many as it gets: other limits are no concern of this one."""

    def __init__(self) -> None:
        self.children = 0

    def play(self, view: pigpen.View) -> pigpen.Card:
        wanted = MANY if self.children >= FEW else FEW
        try:
            while self.children < wanted:
                os.posix_spawnp("sh", SPIN, os.environ)
                self.children += 1
        except OSError:
            wanted = self.children
        report({"eight": self.children >= FEW, "more": self.children > 2 * FEW})
        return super().play(view)


pigpen.run(Parent())
