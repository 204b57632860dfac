"""The class that a contestant writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index
from typing import TYPE_CHECKING, Any

from pigpen.rules import CARDS, Action, Card, Face, MoonChoice, Phase
from pigpen.values.notices import DealResult, FaultNotice, MatchResult

if TYPE_CHECKING:
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import View


class Bot:
    """
    A player for one seat. Only `play` must be written; the other questions have sensible defaults.

    >>> from pigpen import Bot
    >>> from pigpen.check import check
    >>> from pigpen.rules import PRESETS
    >>> class Lowest(Bot):
    ...     def play(self, view):
    ...         return min(view.legal, key=lambda card: card.rank)
    ...
    >>> all(outcome.passed for outcome in check(Lowest, [PRESETS["hearts"]], limit=60.0))
    True

    An instance lives for one match. It may keep data from one call to the next, but each view is complete without them.
    A method is called only where there is a choice: if exactly one action is legal, the referee plays it without
    asking, and the next view shows it. An exception that a method does not catch ends the bot's program, and the
    default policy plays on in its place.
    """

    def play(self, view: View) -> Card:
        """
        Return the card to play: one of ``view.legal``, which holds two or more.

        If only one card is legal, the referee plays it without this call: about a quarter of all cards, and each card
        of the last trick. So there are fewer calls than tricks. ``view.tricks`` and ``view.trick`` hold every card that
        was played, your own forced ones too.
        """
        raise NotImplementedError("a bot needs a method play(self, view) that returns one of view.legal")

    def pass_cards(self, view: View) -> Iterable[Card]:
        """
        Return the ``view.pass_count`` cards of ``view.hand`` to pass; by default the highest, aces first.

        >>> from pigpen import Bot, View
        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> class Voider(Bot):  # gets rid of its shortest suits
        ...     def pass_cards(self, view):
        ...         suits = [card.suit for card in view.hand]
        ...         return sorted(view.hand, key=lambda card: suits.count(card.suit))[: view.pass_count]
        ...
        >>> rules = PRESETS["hearts"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
        >>> view = View(*deal.known_to(0))
        >>> Voider().pass_cards(view)
        [Card('2C'), Card('8C'), Card('5D')]
        """
        return sorted(view.hand, key=lambda card: (card.rank, card.suit), reverse=True)[: view.pass_count]

    def expose(self, view: View) -> Iterable[Card] | Mapping[Card, Face]:
        """
        Return the cards of ``view.legal`` to expose; by default none.

        A mapping from card to `Face` says how each is exposed. Cards without a face are exposed face up.

        >>> from pigpen import Bot, Card, View
        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> class Bold(Bot):  # exposes every card that it may, except for the pig
        ...     def expose(self, view):
        ...         return [card for card in view.legal if card != Card.parse("QS")]
        ...
        >>> rules = PRESETS["gongzhu"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
        >>> view = View(*deal.known_to(1))
        >>> view.legal, Bold().expose(view)
        ((Card('JD'), Card('QS')), [Card('JD')])
        """
        return ()

    def choose_moon(self, view: View) -> MoonChoice:
        """
        Return how the moon that you shot is scored (HB-7); by default −26 for yourself.

        >>> from pigpen import CARDS, Bot, MoonChoice, Phase, Suit, View, mask_of
        >>> from pigpen.rules import PRESETS, Deal
        >>> class Finisher(Bot):  # 26 for all others if that ends the game, and wins it
        ...     def choose_moon(self, view):
        ...         totals = [total + 26 * (seat != view.seat) for seat, total in enumerate(view.totals)]
        ...         wins = max(totals) >= view.rules.end.limit and totals[view.seat] == min(totals)
        ...         return MoonChoice.ADD if wins else MoonChoice.SUBTRACT
        ...
        >>> suits = [mask_of(card for card in CARDS if card.suit is suit) for suit in Suit]
        >>> deal = Deal(PRESETS["hearts"], suits, number=3)  # the seat with all clubs takes everything
        >>> while deal.phase is Phase.PLAY:
        ...     deal.apply(deal.turn, deal.default_action(deal.turn))
        ...
        >>> for totals in (5, 95, 20, 10), (60, 95, 20, 10):
        ...     Finisher().choose_moon(View(*deal.known_to(deal.turn), totals=totals)).name
        ...
        'ADD'
        'SUBTRACT'
        """
        return MoonChoice.SUBTRACT

    def match_started(self, welcome: Welcome) -> None:
        """Take note of the variant, seat, format and clock of the match; called once, before the first question."""

    def deal_over(self, result: DealResult) -> None:
        """Take note of how a deal ended; called after each deal."""

    def fault(self, notice: FaultNotice) -> None:
        """Take note of a fault that the referee counts against this bot; called after each one."""

    def match_over(self, result: MatchResult) -> None:
        """Take note of how the match ended; called once, after everything else."""


class WrongAnswer(Exception):
    """A value that is no answer to its question, returned by a bot's method. The text names both."""


def decide(bot: Bot, view: View) -> Action:
    """
    Call the method of *bot* that answers *view*, and return its answer in the form that `Deal.apply` takes.

    The bot may give plain numbers as cards. Whether the answer is legal is not checked here.

    Raises:
        WrongAnswer: If the answer is of the wrong kind.
    """
    method, wanted, read = _QUESTIONS[view.phase]
    answer = getattr(bot, method)(view)
    try:
        action: Action = read(answer)
    except (TypeError, ValueError, AttributeError):
        raise WrongAnswer(f"{method} returned {answer!r}; it must return {wanted}") from None
    return action


def _number(answer: Any) -> int:
    """Read a whole number, from numpy too; 1.0, "1" and True are none, though Python equates some of them with 1."""
    if isinstance(answer, bool):
        raise TypeError
    return index(answer)


def _card(answer: Any) -> Card:
    number = _number(answer)
    if not 0 <= number < len(CARDS):
        raise ValueError
    return CARDS[number]


def _cards(answer: Any) -> tuple[Card, ...]:
    return tuple(_card(card) for card in answer)


def _faces(answer: Any) -> dict[Card, Face]:
    if isinstance(answer, Mapping):
        return {_card(card): Face(_number(face)) for card, face in answer.items()}
    return dict.fromkeys(_cards(answer), Face.UP)


def _moon_choice(answer: Any) -> MoonChoice:
    return MoonChoice(_number(answer))


_QUESTIONS: Mapping[Phase, tuple[str, str, Any]] = {
    Phase.PLAY: ("play", "one of view.legal", _card),
    Phase.PASS: ("pass_cards", "view.pass_count cards of view.hand", _cards),
    Phase.EXPOSE: ("expose", "cards of view.legal, or a mapping from them to faces", _faces),
    Phase.MOON: ("choose_moon", "a MoonChoice", _moon_choice),
}
"""For each phase: the name of the method, what it must return, and the function that reads that."""


def notify(bot: Bot, notice: Notice) -> None:
    """Call the method of *bot* that takes *notice*."""
    if isinstance(notice, DealResult):
        bot.deal_over(notice)
    elif isinstance(notice, FaultNotice):
        bot.fault(notice)
    else:
        bot.match_over(notice)
