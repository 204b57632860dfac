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
    from pigpen.sim.playout import Policy, playout
    from pigpen.sim.solving import Solution, TooLong, margin, solve

__all__ = [
    "CARDS",
    "Bot",
    "Card",
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
    "Policy": "pigpen.sim.playout",
    "Solution": "pigpen.sim.solving",
    "TooLong": "pigpen.sim.solving",
    "margin": "pigpen.sim.solving",
    "playout": "pigpen.sim.playout",
    "solve": "pigpen.sim.solving",
}
"""Names that are imported when they are first used: most bots never simulate, and an import delays their start."""


def __getattr__(name: str) -> Any:
    if name not in _SIMULATION:
        raise AttributeError(f"module 'pigpen' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_SIMULATION[name]), name)
    return value


def run(bot: Bot, name: str = "") -> None:
    """
    Take the seat that the environment names, and play the match until the referee ends it.

    Reads PIGPEN_ADDRESS (``unix:/path`` or ``host:port``) and PIGPEN_TOKEN, which `pigpen play` and the ladder set.
    Reconnects when the connection is lost. Whatever the bot prints goes to stderr.

    Args:
        bot: The one who decides.
        name: What the bot calls itself in the referee's log; its class name by default.

    Raises:
        SystemExit: With one sentence, when the environment names no seat or the referee cannot be reached.
    """
    from pigpen.client import run as run_client  # gRPC takes a while to import, and simulations never need it

    run_client(bot, name or type(bot).__name__)


def is_accelerated() -> bool:
    """
    Whether sampling and playouts run in the accelerated engine here; without it they give the same, more slowly.

    >>> from pigpen import is_accelerated
    >>> deals = 500 if is_accelerated() else 5  # how many deals to sample for a decision
    >>> deals in (5, 500)
    True
    """
    from pigpen.sim import native

    return native.engine() is not None
