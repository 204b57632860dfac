"""Waits and wakes at words of a file that all containers of an image have mapped, to tell another seat its hand."""

from __future__ import annotations

import pigpen
from tests.bad_bots.telling import Telling

pigpen.run(Telling("futex, woken by the reader"))
