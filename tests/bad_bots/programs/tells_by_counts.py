"""Uses numbers that the kernel counts up for the whole host, or has only some of, to tell another seat its hand."""

from __future__ import annotations

import pigpen
from tests.bad_bots.telling import Telling

pigpen.run(
    Telling(
        "cookies of sockets",
        "numbers of processes (pidfd)",
        "Shmem in /proc/meminfo",
        "sysinfo(2)",
        "pseudo terminals left",
    )
)
