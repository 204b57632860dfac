"""Takes its seat and leaves it again, as fast as it can."""

from __future__ import annotations

import contextlib

import grpc

from tests.bad_bots.line import enter

while True:
    line = enter()
    with contextlib.suppress(grpc.RpcError):
        line.hear()
    line.leave()
