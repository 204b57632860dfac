"""The games of `pigpen.learn.openspiel`: OpenSpiel has no types, so none of their classes is public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ImportError("This Python has no OpenSpiel. Install it: pip install open-spiel") from error

from pigpen.learn.action_numbers import ADD, DONE, FACE_DOWN
from pigpen.learn.encoding import Encoding
from pigpen.learn.single_table import Table
from pigpen.rules import CARDS, Deal, MoonChoice, cards_in, mask_of
from pigpen.rules.cards import parse_cards

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pigpen.rules import Rules

NAME = "python_pigpen"
"""The name for `pyspiel.load_game`."""

GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Hearts, Gong Zhu and Chinese Hearts by Pigpen",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=8,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "hearts"},
)


class PigpenGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A variant as OpenSpiel has games."""

    def __init__(self, params: dict[str, Any] | None = None, rules: Rules | None = None) -> None:
        """
        Make the game.

        Args:
            params: ``rules``: the name of a preset; ``hearts`` by default.
            rules: A variant that is no preset. Such a game cannot be loaded by its name, nor read from a text.

        Raises:
            ValueError: If no preset has that name.
        """
        wanted = (params or {}).get("rules", "hearts")
        self.encoding = Encoding(rules or wanted)
        super().__init__(GAME_TYPE, _game_info(self.encoding), params or {})

    def new_initial_state(self) -> PigpenState:
        """Begin a deal, of which nothing is dealt."""
        return PigpenState(self)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> PigpenObserver:
        """Make an observer; by default it sees what a seat sees at this moment."""
        return PigpenObserver(self.encoding, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class PigpenState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """A deal: first dealt by chance, then played."""

    def __init__(self, game: PigpenGame) -> None:
        super().__init__(game)
        self._rules = game.encoding.rules
        self._number: int | None = None
        self._dealt: list[int] = []
        self.table: Table | None = None
        """The deal and who decides there; None while chance deals."""
        self.own_actions: list[list[int]] = [[] for _ in range(self._rules.players)]
        """The actions of each seat, in order."""

    def current_player(self) -> int:
        """Return the seat that decides, or that chance does, or that the deal is over."""
        if self.table is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.table.deal.is_over else self.table.seat

    def _legal_actions(self, player: int) -> list[int]:
        assert self.table
        return list(self.table.steps.legal()) if player == self.table.seat else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """List the directions of passing, or the cards that are still to be dealt; all are equally likely."""
        if self._number is None:
            left = list(range(len(self._rules.plan.pass_offsets)))
        else:
            left = [
                int(card)
                for card in cards_in(self._rules.plan.deck_mask & ~mask_of(map(CARDS.__getitem__, self._dealt)))
            ]
        return [(each, 1 / len(left)) for each in left]

    def _apply_action(self, action: int) -> None:
        if self.table is not None:
            self.own_actions[self.table.seat].append(action)
            self.table.act(action)
        elif self._number is None:
            self._number = action
        else:
            self._dealt.append(action)
            if len(self._dealt) == self._rules.players * self._rules.plan.hand_size:
                self._begin(self._number)

    def _begin(self, number: int) -> None:
        size = self._rules.plan.hand_size
        hands = [
            mask_of(CARDS[card] for card in self._dealt[seat * size : (seat + 1) * size])
            for seat in range(self._rules.players)
        ]
        self.table = Table.of(Deal(self._rules, hands, number=number))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"direction {action}" if self._number is None else f"deal {CARDS[action]}"
        if action in (DONE, ADD):
            is_moon = self.table is not None and self.table.steps.legal() == (DONE, ADD)
            return (MoonChoice.ADD if action == ADD else MoonChoice.SUBTRACT).name.lower() if is_moon else "done"
        return f"{CARDS[action - FACE_DOWN]} face down" if action >= FACE_DOWN else str(CARDS[action])

    def is_terminal(self) -> bool:
        """Tell whether the deal is over."""
        return self.table is not None and self.table.deal.is_over

    def returns(self) -> list[float]:
        """Return by how many points each seat is better than the mean of the table; 0 before the end."""
        return list(self.table.rewards()) if self.table and self.is_terminal() else [0.0] * self._rules.players

    def __str__(self) -> str:
        if self.table is None:
            return f"{self._rules.name}: direction {self._number}, dealt {self._dealt}"
        deal = self.table.deal
        hands = " ".join(f"{seat}:{hand:x}" for seat, hand in enumerate(deal.hands))
        return f"{self._rules.name}: {hands} plays {list(deal.plays)} actions {self.own_actions}"


class PigpenObserver:
    """An observer of states, as a tensor and as a text."""

    def __init__(self, encoding: Encoding, kind: pyspiel.IIGObservationType) -> None:
        """
        Make an observer.

        Args:
            encoding: That of the variant.
            kind: With perfect recall the order of all plays is there, too; the private information of one seat, of
                all seats (all hands, for critics), or of none.
        """
        self._encoding, self._kind = encoding, kind
        shapes: list[tuple[str, tuple[int, ...]]] = []
        self._is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._is_oracle = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        if self._is_private:
            shapes.append(("observation", (encoding.size,)))
        if self._is_oracle:
            shapes.append(("hands", (encoding.players, len(CARDS))))
        if kind.public_info and (kind.perfect_recall or not self._is_private):
            shapes += [("players", (len(CARDS), encoding.players)), ("plays", (len(CARDS), len(CARDS)))]
        self.tensor: NDArray[np.float32] = np.zeros(sum(int(np.prod(shape)) for _, shape in shapes), dtype=np.float32)
        """All parts, one after the other."""
        self.dict: dict[str, NDArray[np.float32]] = {}
        """The parts by name: views of `tensor`."""
        start = 0
        for name, shape in shapes:
            self.dict[name] = self.tensor[start : start + int(np.prod(shape))].reshape(shape)
            start += int(np.prod(shape))

    def set_from(self, state: PigpenState, player: int) -> None:
        """Write what a seat sees; zeros while chance deals."""
        self.tensor.fill(0)
        table = state.table
        if table is None:
            return
        is_asked = not table.deal.is_over and table.seat == player
        view = table.view if is_asked else table.deal.view(player)
        if "observation" in self.dict:
            packed = np.array(self._encoding.observe(view, table.steps if is_asked else None), dtype=np.uint64)
            self.dict["observation"][:] = self._encoding.unpack(packed)
        if "hands" in self.dict:
            for seat, hand in enumerate(table.deal.hands):
                self.dict["hands"][(seat - player) % self._encoding.players, [int(card) for card in cards_in(hand)]] = 1
        if "plays" in self.dict:
            for number, play in enumerate(self._encoding.plays(view)):
                if play >= 0:
                    self.dict["players"][number, play // len(CARDS)] = 1
                    self.dict["plays"][number, play % len(CARDS)] = 1

    def string_from(self, state: PigpenState, player: int) -> str:
        """Describe what a seat sees; with perfect recall its own actions, too, in their order."""
        table = state.table
        if table is None:
            return "dealing"
        is_asked = not table.deal.is_over and table.seat == player
        view = table.view if is_asked else table.deal.view(player)
        parts = [f"seat {player}"] if self._is_private or self._is_oracle else []
        if self._is_private:
            packed = self._encoding.observe(view, table.steps if is_asked else None)
            parts.append(" ".join(f"{word:x}" for word in packed))
        if self._is_oracle:
            parts.append(" ".join(f"{hand:x}" for hand in table.deal.hands))
        if self._kind.perfect_recall and self._is_private:
            parts.append(f"own {state.own_actions[player]}")
        if self._kind.public_info and (self._kind.perfect_recall or not self._is_private):
            parts.append(f"plays {list(view.plays)}")
        return ", ".join(parts)


def _game_info(encoding: Encoding) -> pyspiel.GameInfo:
    rules, plan = encoding.rules, encoding.rules.plan
    exposures = encoding.players * (plan.exposable.bit_count() + 1) if rules.exposing else 0
    most = _largest_reward(rules)
    return pyspiel.GameInfo(
        num_distinct_actions=encoding.actions,
        max_chance_outcomes=len(CARDS),
        num_players=encoding.players,
        min_utility=-most,
        max_utility=most,
        utility_sum=0.0,
        max_game_length=encoding.players * plan.pass_count + exposures + len(plan.deck) + 1,
    )


def _largest_reward(rules: Rules) -> float:
    """Return a bound of rewards: all cards' points, each multiplied as often as it can be, by one seat."""
    plan, doubler, exposing, moon = rules.plan, rules.scoring.doubler, rules.exposing, rules.moon
    times = max(exposing.face_up, exposing.face_down) if exposing else 1
    counts = [0] * len(CARDS)
    for cards in exposing.cards.values() if exposing else ():
        for card in cards_in(parse_cards(cards)):
            counts[card] += 1
    points = sum(abs(each) * times ** counts[card] for card, each in enumerate(plan.points))
    doubled = max(abs(doubler.factor), abs(doubler.alone)) * times**2 if doubler else 1
    flat = abs(moon.others) * rules.players + abs(moon.instead or 0) if moon else 0
    return float(rules.players * (points + flat) * max(doubled, 1))


pyspiel.register_game(GAME_TYPE, PigpenGame)
