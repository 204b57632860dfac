"""Opens and closes connections as fast as it can until there is no socket any more, beside playing."""

from __future__ import annotations

from threading import Thread

import pigpen
from tests.bad_bots.frames import PREFACE, connect
from tests.bad_bots.honest import Honest


def churn() -> None:
    while True:
        try:
            with connect() as connection:
                connection.send(PREFACE)
        except OSError:
            continue


Thread(target=churn, daemon=True).start()
pigpen.run(Honest())
