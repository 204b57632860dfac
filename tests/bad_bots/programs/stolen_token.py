"""Looks for other seats, tries a token as another seat's would be, and one digit off its own; then plays."""

from __future__ import annotations

import os
import secrets
import sys

from tests.bad_bots.honest import play_after
from tests.bad_bots.line import Line, hello


def status_of(token: str) -> str:
    line = Line()
    line.send(hello(token))
    return line.refusal()


def steal() -> dict[str, object]:
    own = os.environ["PIGPEN_TOKEN"]
    tokens = {
        "another": secrets.token_hex(16),
        "one off": own[:-1] + ("1" if own[-1] == "0" else "0"),
        "longer": own + "0",
    }
    sockets = sorted(
        name for name in os.listdir(os.path.dirname(sys.argv[0])) if name.endswith(".sock") and name != "log.sock"
    )
    return {"sockets": sockets, **{kind: status_of(token) for kind, token in tokens.items()}}


play_after(steal)
