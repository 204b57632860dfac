"""Containers for tests of the machine, as those of the ladder have them."""

from __future__ import annotations

from tests.ladder.conftest import (
    client,
    mount,
    name,
    no_leftovers,
    program,
    python_image,
    sandbox,
    shared_sandbox,
    write,
)

__all__ = [
    "client",
    "mount",
    "name",
    "no_leftovers",
    "program",
    "python_image",
    "sandbox",
    "shared_sandbox",
    "write",
]
