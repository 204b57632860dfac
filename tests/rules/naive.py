"""
A second referee and its scores, written from docs/rules.md with sets of card names.

Slow and plain on purpose; it shares no code and no data with the engine that it checks.
"""

from __future__ import annotations

import copy
import itertools

HEARTS = {rank + "H" for rank in "23456789TJQKA"}
PIPS = {rank + "H": int(rank) for rank in "23456789"} | {"TH": 10, "JH": 20, "QH": 30, "KH": 40, "AH": 50}
"""CH-5."""
GONGZHU = {"AH": -50, "KH": -40, "QH": -30, "JH": -20} | dict.fromkeys(["TH", "9H", "8H", "7H", "6H", "5H"], -10)
"""GZ-6."""


def scores(variant: str, captured: list[set[str]], exposed: dict[str, str], choice: str) -> list[int]:
    if variant == "hearts-short":
        return _hearts(captured, jack=0, choice="add")
    if variant in {"hearts", "hearts-jack"}:
        return _hearts(captured, jack=-10 if variant == "hearts-jack" else 0, choice=choice)
    if variant == "chinese-hearts":
        return _chinese(captured)
    each = [_gongzhu(cards, exposed, sale=variant == "gongzhu-sale") for cards in captured]
    if variant == "gongzhu-partners":
        return [each[0] + each[2], each[1] + each[3]] * 2
    return each


def _hearts(captured: list[set[str]], jack: int, choice: str) -> list[int]:
    points = []
    for cards in captured:
        score = len(cards & HEARTS) + 13 * ("QS" in cards)
        if score == 26:
            score = 0 if choice == "add" else -26
        elif choice == "add" and any(HEARTS | {"QS"} <= other for other in captured):
            score = 26
        points.append(score + jack * ("JD" in cards))
    return points


def _gongzhu(cards: set[str], exposed: dict[str, str], *, sale: bool) -> int:
    times = {card: {"down": 2, "up": 4}[face] if sale else 2 for card, face in exposed.items()}
    hearts = sum(GONGZHU.get(card, 0) for card in cards) * times.get("AH", 1)
    pig = -100 * times.get("QS", 1) if "QS" in cards else 0
    sheep = 100 * times.get("JD", 1) if "JD" in cards else 0
    if cards >= HEARTS:
        hearts, pig = -hearts, -pig
    total = hearts + pig + sheep
    if "TC" not in cards:
        return total
    if not cards & (HEARTS | {"QS", "JD"}):
        return 50 * times.get("TC", 1)
    return total * 2 * times.get("TC", 1)


def _chinese(captured: list[set[str]]) -> list[int]:
    points = []
    for cards in captured:
        if cards >= HEARTS:
            score = -100 * ("QS" in cards) - 100 * ("JD" in cards)
        else:
            score = sum(PIPS.get(card, 0) for card in cards) + 100 * ("QS" in cards) - 100 * ("JD" in cards)
        points.append(score * (2 if "TC" in cards else 1))
    for shooter, cards in enumerate(captured):
        if cards >= HEARTS:
            flat = 400 if "TC" in cards else 200
            points = [score + (flat if seat != shooter else 0) for seat, score in enumerate(points)]
    return points


RANKS = "23456789TJQKA"
DECK = [rank + suit for suit in "CDHS" for rank in RANKS]
SHEET = {
    "hearts-short": "HA", "hearts": "HB", "hearts-jack": "HB", "chinese-hearts": "CH",
    "gongzhu": "GZ", "gongzhu-partners": "GZ", "gongzhu-five": "GZ", "gongzhu-sale": "GZ",
}  # fmt: skip
PASSED = {"HA": 2, "HB": 3, "CH": 3, "GZ": 0}
BARRED_FIRST = {"HB": {"QS"}, "CH": {"QS", "JD"}}
"""Besides the hearts."""
SHOWN = ("TC", "JD", "AH", "QS")

Move = tuple[str, ...]
"""One card to play; the cards to pass; ``QS up`` and ``JD down`` to expose; ``subtract`` or ``add``."""


def suit(cards: set[str], letter: str) -> set[str]:
    return {card for card in cards if card[1] == letter}


class NaiveDeal:
    """One deal; `asked` names the next seat to decide (sealed answers come one by one, lowest seat first)."""

    def __init__(self, variant: str, hands: list[set[str]], number: int, leader: int | None = None) -> None:
        self.variant, self.sheet = variant, SHEET[variant]
        self.hands, self.number = [set(hand) for hand in hands], number
        self.seats = range(len(hands))
        self.answers: dict[int, Move] = {}
        self.exposed: dict[str, str] = {}
        self.tricks: list[list[tuple[int, str]]] = []
        self.captured: list[set[str]] = [set() for _ in hands]
        self.leader, self.choice = leader, ""
        self.stage = "pass"
        if not PASSED[self.sheet] or number % 4 == 3:
            self._go_on_to_exposing()

    def asked(self) -> int | None:
        if self.stage == "over":
            return None
        if self.stage == "moon":
            return self._shooter()
        if self.stage == "play":
            return self._turn()
        return min(seat for seat in self._sealed() if seat not in self.answers)

    def options(self) -> list[Move]:
        """Everything that the seat asked may do."""
        seat = self.asked()
        assert seat is not None
        hand = self.hands[seat]
        if self.stage == "pass":
            return list(itertools.combinations(sorted(hand, key=DECK.index), PASSED[self.sheet]))
        if self.stage == "expose":
            faces = ["", "up", "down"] if self.variant == "gongzhu-sale" else ["", "up"]
            held = [[f"{card} {face}" if face else "" for face in faces] for card in SHOWN if card in hand]
            return [tuple(filter(None, shown)) for shown in itertools.product(*held)]
        if self.stage == "moon":
            return [("subtract",), ("add",)]
        return [(card,) for card in sorted(self._playable(hand), key=DECK.index)]

    def do(self, move: Move) -> None:
        seat = self.asked()
        assert seat is not None
        if self.stage == "moon":
            self.choice, self.stage = move[0], "over"
        elif self.stage == "play":
            self._play(seat, move[0])
        else:
            self.answers[seat] = move
            if set(self.answers) == set(self._sealed()):
                self._exchange() if self.stage == "pass" else self._show()

    def scores(self) -> list[int]:
        return scores(self.variant, self.captured, self.exposed, self.choice)

    def copy(self) -> NaiveDeal:
        twin = copy.copy(self)
        twin.hands, twin.captured = [set(hand) for hand in self.hands], [set(cards) for cards in self.captured]
        twin.tricks = [list(trick) for trick in self.tricks]
        twin.answers, twin.exposed = dict(self.answers), dict(self.exposed)
        return twin

    def _sealed(self) -> list[int]:
        """List the seats that are asked a sealed question now."""
        return [seat for seat in self.seats if self.stage == "pass" or self.hands[seat] & set(SHOWN)]

    def _exchange(self) -> None:
        step = {0: 1, 1: -1, 2: 2}[self.number % 4]
        for seat, cards in self.answers.items():
            self.hands[seat] -= set(cards)
            self.hands[(seat + step) % len(self.hands)] |= set(cards)
        self._go_on_to_exposing()

    def _go_on_to_exposing(self) -> None:
        self.stage, self.answers = "expose", {}
        if self.sheet != "GZ" or not self._sealed():
            self._show()

    def _show(self) -> None:
        for shown in itertools.chain(*self.answers.values()):
            card, face = shown.split()
            self.exposed[card] = face
        self.stage, self.answers = "play", {}
        opening = "2S" if self.sheet == "GZ" else "2C"
        if self.leader is None:
            self.leader = next(seat for seat in self.seats if opening in self.hands[seat])

    def _turn(self) -> int:
        assert self.leader is not None
        on_table = len(self.tricks[-1]) % len(self.hands) if self.tricks else 0
        return (self.leader + on_table) % len(self.hands)

    def _play(self, seat: int, card: str) -> None:
        self.hands[seat].remove(card)
        if not self.tricks or len(self.tricks[-1]) == len(self.hands):
            self.tricks.append([])
        trick = self.tricks[-1]
        trick.append((seat, card))
        if len(trick) < len(self.hands):
            return
        followed = [(RANKS.index(played[0]), who) for who, played in trick if played[1] == trick[0][1][1]]
        self.leader = max(followed)[1]
        self.captured[self.leader] |= {played for _, played in trick}
        if not any(self.hands):
            self.stage = "moon" if self.sheet == "HB" and self._shooter() is not None else "over"

    def _shooter(self) -> int | None:
        """Find the seat that took QS and all the hearts (HB-7)."""
        prize = {card for cards in self.captured for card in cards if card[1] == "H" or card == "QS"}
        return next((seat for seat in self.seats if prize <= self.captured[seat]), None)

    def _playable(self, hand: set[str]) -> set[str]:
        if not self.tricks or len(self.tricks[-1]) == len(self.hands):
            return self._leads(hand) or hand
        led = self.tricks[-1][0][1][1]
        followers = suit(hand, led)
        if followers:
            first = [trick[0][1][1] for trick in self.tricks].count(led) == 1
            face_up = {card for card in followers if first and self.exposed.get(card) == "up"}
            return followers - face_up or followers
        if len(self.tricks) == 1 and self.sheet in BARRED_FIRST:
            return hand - suit(hand, "H") - BARRED_FIRST[self.sheet] or hand
        return hand

    def _leads(self, hand: set[str]) -> set[str]:
        if self.sheet == "GZ":
            led = {trick[0][1][1] for trick in self.tricks}
            kept = [c for c in hand if self.exposed.get(c) == "up" and c[1] not in led and len(suit(hand, c[1])) > 1]
            return hand - set(kept)
        if not self.tricks:
            return {"2C"}
        breakers = [card for trick in self.tricks for _, card in trick]
        broken = any(card[1] == "H" or (card == "QS" and self.sheet == "HB") for card in breakers)
        if broken or (self.sheet == "HB" and hand <= suit(hand, "H") | {"QS"}):
            return hand
        return hand - suit(hand, "H")
