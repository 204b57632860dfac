"""
Settings of gRPC at both ends of the wire. Imported before gRPC, which reads its settings when it is imported.

gRPC 1.80 and later hands every message from one thread of a pool to another. The older way, one thread that waits
for all sockets, takes two thirds of the CPU time; docs/adr/0011-grpc-on-one-thread.md says more. Later
versions will not have it and would print an error, so it is switched on only in a version that is known to have it.
"""

from __future__ import annotations

import os
import sys

KNOWN = "1.85.1"
"""The version of grpcio that has the switches below."""

ONE_THREAD = "-event_engine_client,-event_engine_listener"


def _is_known() -> bool:
    """Tell whether that version is installed; asking `importlib.metadata` would take as long as importing gRPC."""
    return any(os.path.isdir(os.path.join(folder, f"grpcio-{KNOWN}.dist-info")) for folder in sys.path)


os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
if _is_known():
    os.environ.setdefault("GRPC_EXPERIMENTS", ONE_THREAD)
