"""Asks which pages of its image's files are in memory, loads and drops them, by every call that can."""

from __future__ import annotations

import platform

from tests.bad_bots.honest import play_after
from tests.ladder.sandbox.docker.system_calls import ARGUMENTS, FORBIDDEN, call, named

CALLS = ["cachestat", "fadvise64", "mincore", "mlock", "preadv2", "process_madvise", "readahead", "sync_file_range"]
KINDS = ("madvise", "mmap", "openat", "fcntl(F_SETFL")


def call_all() -> dict[str, object]:
    column = ["x86_64", "aarch64"].index(platform.machine())
    answers = [call(FORBIDDEN[name][column], -1) for name in CALLS]
    answers += [call(both[column], *words) for name, (both, words) in ARGUMENTS.items() if name.startswith(KINDS)]
    return {"met": sorted(set(map(named, answers)))}


play_after(call_all)
