"""Bots with one flaw each, and the one case of `pigpen check` that must find it."""

from __future__ import annotations

from typing import NamedTuple

GOOD = """
import os, sys, time
import pigpen
from pigpen.client import BlockingClient

class Test(pigpen.Bot):
    def play(self, view):
        return view.legal[0]
"""
RUN = """
if __name__ == "__main__":
    pigpen.run(Test())
"""


class Flaw(NamedTuple):
    """One flaw."""

    rules: str
    group: str
    case: str
    verdict: str
    text: str
    """Part of the reason."""
    method: str = ""
    """Code that it has beside, or in the place of, a good bot's methods."""
    run: str = RUN

    @property
    def program(self) -> str:
        """The whole bot.py."""
        return GOOD + self.method + self.run


FLAWS = {
    "plays an illegal card": Flaw(
        "hearts-short", "hearts-short", "QS, a club and hearts, unbroken: no heart may be led",
        "illegal", "legal: KC QS",
        method="""
    def play(self, view):
        hearts = [card for card in view.hand if str(card)[1] == "H"]
        others = {str(card) for card in view.hand} - {str(card) for card in hearts}
        return hearts[0] if view.led is None and others == {"KC", "QS"} else view.legal[0]
""",
    ),
    "passes too few cards": Flaw(
        "hearts-short", "hearts-short", "pass 2 cards right", "illegal", "1 different cards passed, 2 wanted",
        method="""
    def pass_cards(self, view):
        return view.hand[: 1 if view.pass_to == (view.seat - 1) % 4 else 2]
""",
    ),
    "exposes a card that it does not hold": Flaw(
        "gongzhu", "gongzhu", "expose one card face up", "illegal", "is not in the hand",
        method="""
    def expose(self, view):
        return [view.unseen[0]] if len(view.legal) == 1 and view.deal == 0 else []
""",
    ),
    "thinks for ever about one question": Flaw(
        "hearts", "hearts", "choose what the moon is worth", "timeout", "no answer within 3.000 s",
        method="""
    def choose_moon(self, view):
        time.sleep(1000)
""",
    ),
    "crashes at one question": Flaw(
        "hearts", "hearts", "choose what the moon is worth", "gone", "its program ended with exit code 1",
        method="""
    def choose_moon(self, view):
        raise KeyError("ouch")
""",
    ),
    "crashes at a notice": Flaw(
        "hearts", "wire", "continues after late notices", "gone", "its program ended with exit code 1",
        method="""
    def fault(self, notice):
        raise KeyError("ouch")
""",
    ),
    "cannot bear what it does not know": Flaw(
        "hearts", "wire", "passes over fields and messages of later versions", "gone",
        "its program ended with exit code 1",
        run="""
handle = BlockingClient._handle
def strict(client, message):
    assert message.WhichOneof("body")
    return handle(client, message)
BlockingClient._handle = strict
pigpen.run(Test())
""",
    ),
    "never reconnects": Flaw(
        "hearts", "wire", "comes back when the stream breaks, and answers the open question", "gone",
        "its program ended with exit code 0",
        run="""
again = BlockingClient._play_stream
def once(client):
    try:
        again(client)
    except Exception as error:
        if client._connected:
            sys.exit(0)
        raise
BlockingClient._play_stream = once
pigpen.run(Test())
""",
    ),
    "takes a refusal for a good end": Flaw(
        "hearts", "wire", "ends with an error when the referee speaks another version", "exit",
        "its program ended with exit code 0, as if nothing were wrong",
        run="""
try:
    pigpen.run(Test())
except SystemExit:
    pass
""",
    ),
    "exits with 1 at the end": Flaw(
        "hearts", "wire", "ends with exit code 0 after the match", "exit", "its program ended with exit code 1",
        run="""
pigpen.run(Test())
sys.exit(1)
""",
    ),
}  # fmt: skip
"""Each flaw and the case that finds it; all other cases pass."""

NEVER_ENDS = (
    GOOD
    + """
try:
    pigpen.run(Test())
finally:
    time.sleep(1000)
"""
)
NEVER_CONNECTS = "import time; time.sleep(1000)"
ENDS_AT_ONCE = "print('good night')"
CRASHES_ALWAYS = (
    GOOD
    + """
class Worse(Test):
    def match_started(self, welcome):
        if welcome.rules.name == "hearts":
            raise KeyError("ouch")
pigpen.run(Worse())
"""
)
