"""Uses numbers that the kernel counts up for the whole host, or has only some of, to send another seat its hand."""

from __future__ import annotations

import pigpen
from tests.bad_bots.signalling import Signalling

pigpen.run(
    Signalling(
        "cookies of sockets",
        "numbers of processes (pidfd)",
        "Shmem in /proc/meminfo",
        "sysinfo(2)",
        "pseudo terminals left",
    )
)
