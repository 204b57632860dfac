"""Never takes its seat."""

from __future__ import annotations

import signal

while True:
    signal.pause()
