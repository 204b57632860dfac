"""Forms in which a bot is given in Python, and the places where bots run."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal, TypeAlias

from ladder.app.local.match_plan import HUMAN
from ladder.errors import UserError
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.values.sandbox_kind import SandboxKind
from pigpen import Bot

if TYPE_CHECKING:
    from collections.abc import Iterable

AnyBot: TypeAlias = "type[Bot] | Bot | str | PathLike[str]"
"""A class of bots, a bot, a folder's path, a sample bot's name, or an image."""
Sandbox: TypeAlias = Literal["inline", "process", "docker"]
"""
``inline``: in this process, without isolation, and without a clock that can stop a bot. ``process``: in processes of
their own, without isolation. ``docker``: in containers, as on a ladder.
"""


class NamedBots:
    """The bots of one call, each under a word that the functions of the commands take."""

    def __init__(self, sandbox: Sandbox) -> None:
        """
        Name none yet.

        Raises:
            UserError: If there is no such sandbox.
        """
        try:
            self.sandbox = SandboxKind(sandbox)
        except ValueError:
            known = ", ".join(repr(str(each)) for each in SandboxKind)
            raise UserError(f"There is no sandbox {sandbox!r}. Choose one of {known}.") from None
        self._made: dict[str, BotSource] = {}

    def word(self, bot: AnyBot) -> str:
        """
        Give the word for a bot.

        Raises:
            UserError: If it is no bot, or cannot run in the sandbox.
        """
        if isinstance(bot, Bot):
            return self._here(type(bot).__name__, BotSource(type(bot).__name__, make=lambda: bot))
        if isinstance(bot, type) and issubclass(bot, Bot):
            return self._here(bot.__name__, BotSource(bot.__name__, make=bot))
        if isinstance(bot, str | PathLike):
            if (text := fspath(bot)) != HUMAN:
                return text
            raise UserError("A person plays at a terminal: pigpen play human random cautious counting")
        raise UserError(f"{bot!r} is no bot. Give a class of pigpen.Bot, one made of it, a folder, a name or an image.")

    def words(self, bots: Iterable[AnyBot]) -> tuple[str, ...]:
        """
        Give the word for each bot.

        Raises:
            UserError: As `word`; or if the bots are one text, which would be read letter by letter.
        """
        if isinstance(bots, str):
            raise UserError(f"bots={bots!r} is one text. Give a list, with one bot for each seat.")
        return tuple([self.word(bot) for bot in bots])

    def find(self, word: str) -> BotSource:
        """
        Find the bot of a word.

        Raises:
            UnknownBot: If there is none.
        """
        return self._made.get(word) or find_bot(word)

    def _here(self, name: str, source: BotSource) -> str:
        if self.sandbox is not SandboxKind.INLINE:
            raise UserError(
                f"{name} is a class of this process and plays only here. For sandbox={str(self.sandbox)!r} give the "
                "folder that holds its bot.py."
            )
        word = f"{len(self._made)} {name}"  # no bot's folder, name or image
        self._made[word] = source
        return word
