"""Makes every forbidden system call: mounts, namespaces, ptrace, io_uring, keyctl, bpf, perf, …"""

from __future__ import annotations

import platform

from tests.bad_bots.honest import play_after
from tests.ladder.sandbox.docker.system_calls import FORBIDDEN, call, named


def call_all() -> dict[str, object]:
    column = ["x86_64", "aarch64"].index(platform.machine())
    return {"met": sorted({named(call(numbers[column], -1)) for numbers in FORBIDDEN.values()})}


play_after(call_all)
