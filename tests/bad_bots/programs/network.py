"""Tries sockets of every kind, a name server, and connections to the host and to the world."""

from __future__ import annotations

import socket

from tests.bad_bots.honest import play_after
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import FAMILIES, named, open_socket


def resolve() -> str:
    try:
        return str(socket.getaddrinfo("example.org", 80))
    except socket.gaierror as error:
        return "no address" if error.errno in {socket.EAI_AGAIN, socket.EAI_NONAME} else str(error)


def try_all() -> dict[str, object]:
    families = {named(open_socket(getattr(socket, name))) for name in FAMILIES}
    return {
        "sockets": sorted(families),
        "DNS": resolve(),
        "gateway": named(attempt(lambda: socket.create_connection(("172.17.0.1", 2375), 1))),
        "metadata service": named(attempt(lambda: socket.create_connection(("169.254.169.254", 80), 1))),
    }


play_after(try_all)
