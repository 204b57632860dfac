from __future__ import annotations

import pickle

import pytest

from pigpen.rules import CARDS, Card, Suit, cards_in, mask_of
from pigpen.rules.cards import FULL_DECK, parse_cards
from tests.rules.table import mask, names


def test_C_1_there_are_52_cards_in_canonical_order() -> None:
    spelled = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
    assert [str(card) for card in CARDS] == spelled
    assert [int(card) for card in CARDS] == list(range(52))
    assert sorted(map(Card.parse, reversed(spelled))) == list(CARDS)


@pytest.mark.parametrize(
    ("name", "suit", "rank"),
    [
        ("QS", Suit.SPADES, 12),
        ("TC", Suit.CLUBS, 10),
        ("2C", Suit.CLUBS, 2),
        ("AH", Suit.HEARTS, 14),
        ("jd", Suit.DIAMONDS, 11),
    ],
)
def test_C_1_a_card_is_written_rank_then_suit(name: str, suit: Suit, rank: int) -> None:
    card = Card.parse(name)
    assert (card.suit, card.rank) == (suit, rank)
    assert str(card) == name.upper()
    assert repr(card) == f"Card('{name.upper()}')"


@pytest.mark.parametrize("text", ["", "Q", "SQ", "10C", "1C", "QX", "QSS", "Q S"])
def test_what_names_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        Card.parse(text)


@pytest.mark.parametrize("card", CARDS, ids=str)
def test_a_card_survives_its_name_its_mask_and_pickling(card: Card) -> None:
    assert Card.parse(str(card)) is card
    assert cards_in(card.mask) == (card,)
    assert type(pickle.loads(pickle.dumps(card))) is Card
    assert pickle.loads(pickle.dumps(card)) == card


def test_a_set_is_listed_in_canonical_order() -> None:
    assert names(mask("AS 2C QS AH 3D TC")) == "2C TC 3D AH QS AS"
    assert cards_in(FULL_DECK) == CARDS
    assert cards_in(0) == ()
    assert mask_of(CARDS) == FULL_DECK


def test_a_suit_is_spelled_by_its_name() -> None:
    assert parse_cards(["hearts", "QS"]) == Suit.HEARTS.mask | Card.parse("QS").mask
    assert [len(cards_in(suit.mask)) for suit in Suit] == [13, 13, 13, 13]


@pytest.mark.parametrize("number", [-1, 52, 2**40])
def test_C_1_there_is_no_card_beyond_the_52(number: int) -> None:
    with pytest.raises(ValueError, match="cards are numbered 0 to 51"):
        Card(number)
