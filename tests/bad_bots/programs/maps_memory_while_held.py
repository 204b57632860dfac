"""Asks the kernel for memory again and again, all of it at once: it is held only when the kernel is done with that."""

from __future__ import annotations

import mmap
import time
from threading import Thread

import pigpen
from tests.bad_bots.honest import Honest, report
from tests.bad_bots.slow_honest import THINKS

SIZE = 128 << 20
MAP_POPULATE = 0x8000


def map_memory() -> None:
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    while True:
        try:
            mmap.mmap(-1, SIZE, flags=flags | MAP_POPULATE).close()
        except OSError:  # that is forbidden: have it filled by the kernel in another way
            bytearray(SIZE).find(1)


class Mapper(Honest):
    answered = most = 0.0

    def pass_cards(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        Thread(target=map_memory, daemon=True).start()
        self.answered = time.process_time()
        return view.hand[: view.pass_count]

    def play(self, view: pigpen.View) -> pigpen.Card:
        self.most = max(self.most, time.process_time() - self.answered)
        report({"stole half of a neighbour's time": self.most > THINKS / 2})  # the last report counts
        self.answered = time.process_time()
        return super().play(view)


pigpen.run(Mapper())
