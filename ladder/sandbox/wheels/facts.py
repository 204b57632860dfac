"""
Facts of an interpreter that wheels must know. Standard library only: its text is run inside the base image, too.

The kernel's version is left out on purpose: what a bot gets must not depend on the machine that fetched it.
"""

import json
import platform
from importlib import metadata

PROVIDED = ("pigpen-sdk", "grpcio", "protobuf", "typing-extensions")
"""The SDK and what it stands on: these are there already, in the version that the SDK was tried with."""
PROVIDED_MODULES = (
    ("pigpen",),
    ("grpc",),
    ("google", "__init__"),
    ("google", "protobuf"),
    ("google", "_upb"),
    ("typing_extensions",),
)
"""Paths of their modules, in parts; `google` is a namespace that packages share: it may have no file of its own."""


def facts() -> dict[str, dict[str, str]]:
    """Collect Python's version, the machine, glibc's version, and the provided packages that are installed."""
    library, glibc = platform.libc_ver()
    provided = {}
    for name in PROVIDED:
        try:
            provided[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    python = {"version": platform.python_version(), "machine": platform.machine(), library: glibc}
    return {"python": python, "provided": provided}


if __name__ == "__main__":
    print(json.dumps(facts()))
