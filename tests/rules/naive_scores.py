"""The scores of the rule sheets, line by line, from sets of captured card names."""

from __future__ import annotations

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
