"""
Write a bot for Hearts, Gong Zhu or Chinese Hearts.

    import pigpen

    class MyBot(pigpen.Bot):
        def play(self, view):
            return view.legal[0]

    if __name__ == "__main__":
        pigpen.run(MyBot())
"""

import importlib
from typing import TYPE_CHECKING, Any

from pigpen.bot import Bot
from pigpen.rules import CARDS, Card, Face, MoonChoice, Phase, Play, Rules, Suit, cards_in, mask_of
from pigpen.values.notices import ClockSetting, DealResult, FaultNotice, MatchResult, Welcome
from pigpen.values.view import View
from pigpen.version import __version__

if TYPE_CHECKING:
    from pigpen.sim.playout import Chooser, Policy, playout
    from pigpen.sim.sim_random import Bits
    from pigpen.sim.solving import Solution, TooLong, margin, solve
    from pigpen.sim.tally import Tally

__all__ = [
    "CARDS",
    "Bits",
    "Bot",
    "Card",
    "Chooser",
    "ClockSetting",
    "DealResult",
    "Face",
    "FaultNotice",
    "MatchResult",
    "MoonChoice",
    "Phase",
    "Play",
    "Policy",
    "Rules",
    "Solution",
    "Suit",
    "Tally",
    "TooLong",
    "View",
    "Welcome",
    "__version__",
    "cards_in",
    "is_accelerated",
    "margin",
    "mask_of",
    "playout",
    "run",
    "solve",
]

_SIMULATION = {
    "Bits": "pigpen.sim.sim_random",
    "Chooser": "pigpen.sim.playout",
    "Policy": "pigpen.sim.playout",
    "Solution": "pigpen.sim.solving",
    "Tally": "pigpen.sim.tally",
    "TooLong": "pigpen.sim.solving",
    "margin": "pigpen.sim.solving",
    "playout": "pigpen.sim.playout",
    "solve": "pigpen.sim.solving",
}
"""Names that are imported when they are first used: most bots never simulate, and an import delays their start."""


if not TYPE_CHECKING:  # to a type checker, a module with `__getattr__` has every name

    def __getattr__(name: str) -> Any:
        if name not in _SIMULATION:
            raise AttributeError(f"module 'pigpen' has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(_SIMULATION[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


def run(bot: Bot, name: str = "") -> None:
    """
    Take the seat that the environment names, and play the match until the referee ends it.

    Reads PIGPEN_ADDRESS (``unix:/path`` or ``host:port``) and PIGPEN_TOKEN, which `pigpen play` and the ladder set.
    Reconnects when the connection is lost. Everything that the bot prints goes to stderr.

    Args:
        bot: The bot that answers the referee's questions.
        name: The bot's name in the referee's log; its class name by default.

    Raises:
        SystemExit: If the environment names no seat, or the referee cannot be reached; stderr says so in one sentence.
    """
    from pigpen.client import run as run_client  # gRPC takes a while to import, and simulations never need it

    run_client(bot, name or type(bot).__name__)


def is_accelerated() -> bool:
    """
    Return whether simulations run in the accelerated engine here.

    Without it they give the same results, about a hundred times more slowly.

    >>> from pigpen import is_accelerated
    >>> deals = 500 if is_accelerated() else 5  # deals to sample for a decision
    >>> deals in (5, 500)
    True
    """
    from pigpen.sim import native

    return native.engine() is not None
