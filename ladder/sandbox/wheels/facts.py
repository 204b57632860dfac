"""
What wheels must know of an interpreter. Standard library only: its text is run inside the base image, too.

The kernel's version is left out on purpose: what a bot gets must not depend on the machine that fetched it.
"""

import json
import os
import platform
import sys
from importlib import metadata

PROVIDED = ("pigpen-sdk", "grpcio", "protobuf", "typing-extensions")
"""The SDK and what it stands on: these are there already, in the version that the SDK was tried with."""


def facts() -> dict[str, dict[str, str]]:
    """Environment of markers, glibc's version, and the provided packages that are installed."""
    version = platform.python_version()
    environment = {
        "implementation_name": sys.implementation.name,
        "implementation_version": version,
        "os_name": os.name,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": "",
        "platform_system": platform.system(),
        "platform_version": "",
        "python_full_version": version,
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "sys_platform": sys.platform,
    }
    library, glibc = platform.libc_ver()
    provided = {}
    for name in PROVIDED:
        try:
            provided[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {"environment": environment, "provided": provided, "libc": {library: glibc}}


if __name__ == "__main__":
    print(json.dumps(facts()))
