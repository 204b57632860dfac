"""Waits and wakes at words of a file that all containers of an image have mapped, to send another seat its hand."""

from __future__ import annotations

import pigpen
from tests.bad_bots.signalling import Signalling

pigpen.run(Signalling("futex, woken by the reader"))
