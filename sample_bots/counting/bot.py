"""
Counts cards and weighs every choice in points.

For each card it may play, the bot adds what this trick is then worth (`Trick`) to what the cards left in hand are
worth in the tricks to come (`Hand`). Both stand on one `Table`: who may hold what, and what each card is worth to
its taker. `Moon` watches for a shooter, itself included. Nothing is remembered between decisions, and no variant
is known by name: everything comes from `view.rules` and from the cards.

Values are points, turned so that more is always better for this seat: taking the pig is below zero everywhere.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

import pigpen
from pigpen import Bot, Card, Face, MoonChoice, Suit, View, cards_in, mask_of
from pigpen.rules import ShooterCards

UNDECIDED = 0.5
"""How often a player who may take a worthless trick does."""
CATCH = 0.3
"""How often a good card falls to a player who can beat it."""
RELIEF = 0.6
"""How many discards a round of a suit that we no longer hold gives, and"""
RELIEVED = 0.8
"""how much of a card's danger a discard takes away."""
SPARE = 0.2
"""How many rounds of a suit are played beyond the average."""
STRANDED = 0.3
"""How often we must lead a suit that nobody else holds."""
HUNT = 0.12
"""What a low lead that may draw a bad card is worth, in shares of that card."""
THREAT = 2.0
"""How fast the threat of a moon grows with the share of its cards taken: an exponent."""
SHOOT = 0.25
"""How likely the moon must be before we try it."""
SIDE_LOSER = 0.65
MOON_LOSER = 0.3
SAFE = 0.12
"""A bad card is exposed when we are less likely than this to take it ourselves."""
OURS = 0.6
"""A good card is exposed when we are at least as likely as this to take it."""


class Counting(Bot):
    """Chooses by the sum of `Trick.value` and `Hand.value`."""

    def play(self, view: View) -> Card:
        """Play the card with the best sum of this trick and of the hand it leaves."""
        if len(view.legal) == 1:
            return view.legal[0]
        table = Table(view)
        moon = Moon(table)
        if moon.is_on:
            return moon.play()
        trick, hand = Trick(table, moon), Hand(table)
        return max(view.legal, key=lambda card: trick.value(card) + hand.value(view.hand_mask & ~card.mask))

    def pass_cards(self, view: View) -> tuple[Card, ...]:
        """Pass the cards whose absence makes the best hand."""
        hand = Hand(Table(view))

        def left(cards: tuple[Card, ...]) -> float:
            passed = mask_of(cards)
            return hand.value(view.hand_mask & ~passed, passed)

        return max(combinations(view.hand, view.pass_count), key=left)

    def expose(self, view: View) -> tuple[Card, ...]:
        """Show the bad cards that others will take and the good ones that we will."""
        table = Table(view)
        hand = Hand(table)
        return tuple(card for card in view.legal if self._pays(table, hand, card))

    def choose_moon(self, view: View) -> MoonChoice:
        """Giving to each of the others gains more than taking once, unless there is only one other."""
        return MoonChoice.ADD

    def _pays(self, table: Table, hand: Hand, card: Card) -> bool:
        ours = hand.taking(card)
        return ours > OURS if table.stake[card] > 0 else ours < SAFE


class Table:
    """What can be known or reckoned from one seat at one decision."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.rules = view.rules
        self.me = view.seat
        self.seats = range(view.rules.players)
        self.others = [seat for seat in self.seats if seat != view.seat]
        self.mates = view.rules.teammates(view.seat)
        self.unseen = view.unseen_mask
        self.taken = [view.taken_mask(seat) for seat in self.seats]
        self.void = [view.voids(seat) for seat in self.seats]
        self.known = [view.held_by(seat) if seat != view.seat else 0 for seat in self.seats]
        self.known_to_any = mask_of(card for known in self.known for card in cards_in(known))
        self.size = self._cards_left()
        self.density = self._densities()
        self.stake = self._stakes()
        self.doubling = self._doubling()

    def share(self, seat: int) -> float:
        """What a point for *seat* is worth to us: partners gain together, the others' gain is our loss."""
        if seat in self.mates:
            return 1.0
        return -len(self.mates) / (len(self.seats) - len(self.mates))

    def followers(self, suit: Suit) -> int:
        """How many others may still hold *suit*."""
        return sum(self.density[seat][suit] > 0 for seat in self.others)

    def _cards_left(self) -> list[int]:
        played = [play.seat for play in self.view.trick]
        left = self.rules.hand_size - len(self.view.plays) // self.rules.players
        return [left - (seat in played) for seat in self.seats]

    def _densities(self) -> list[list[float]]:
        """Chance that a seat holds any given unseen card of a suit, by seat and suit."""
        density = [[0.0] * len(Suit) for _ in self.seats]
        for suit in Suit:
            able = [seat for seat in self.others if suit not in self.void[seat]]
            room = sum(self.size[seat] for seat in able)
            for seat in able:
                density[seat][suit] = self.size[seat] / room if room else 0.0
        return density

    def _stakes(self) -> list[float]:
        """What each card is worth to its taker, exposures counted; the doubler apart."""
        sign = -1.0 if self.rules.low_is_better else 1.0
        stakes = [sign * points for points in self.rules.plan.points]
        for name, multiplied in self.rules.exposing.cards.items() if self.rules.exposing else ():
            factor = self.exposure(Card.parse(name))
            for card in _named(multiplied) if factor != 1 else ():
                stakes[card] *= factor
        return stakes

    def exposure(self, card: Card) -> float:
        """What exposing has made of *card*'s effect, on average when it may be lying face down."""
        exposing = self.rules.exposing
        if exposing is None:
            return 1.0
        for shown in self.view.exposures:
            if shown.card == card:
                return exposing.face_up if shown.face is Face.UP else exposing.face_down
        candidates = self.rules.plan.exposable & self.unseen
        hidden = sum(self.view.hidden)
        if not hidden or not candidates & card.mask:
            return 1.0
        return 1 + (exposing.face_down - 1) * min(1.0, hidden / candidates.bit_count())

    def _doubling(self) -> list[float]:
        """What the doubler is worth to each seat; sets `times`, what a seat's points are multiplied by now."""
        self.times = [1.0] * len(self.seats)
        doubler = self.rules.scoring.doubler
        if doubler is None:
            return [0.0] * len(self.seats)
        card = Card.parse(doubler.card)
        factor = doubler.factor * self.exposure(card)
        own = [sum(self.stake[card] for card in cards_in(taken)) for taken in self.taken]
        rest = sum(self.stake) - sum(own)
        self.times = [factor if taken & card.mask else 1.0 for taken in self.taken]
        doubling = [(factor - 1) * (points + rest / len(self.seats)) for points in own]
        self.stake[card] = doubling[self.me]
        return doubling


class Hand:
    """What a hand is worth in the tricks to come."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.stake = table.stake
        self._suits: dict[tuple[int, int], list[float]] = {}
        self._dumps: dict[Suit, float] = {}

    def value(self, mine: int, passed: int = 0) -> float:
        """What the cards *mine* are worth when the worst of them can be discarded in suits that we are short of."""
        values: list[float] = []
        relief = 0.0
        for suit in Suit:
            held, theirs = mine & suit.mask, (self.table.unseen | passed) & suit.mask
            values += self._suit(held, theirs, suit)
            relief += self._discards(held.bit_count(), theirs.bit_count(), suit)
        total = 0.0
        for value in sorted(values):
            if value < 0 < relief:
                value *= 1 - RELIEVED * min(relief, 1.0)
                relief -= 1
            total += value
        return total

    def taking(self, card: Card) -> float:
        """Chance that we take the trick to which we play *card* of the whole hand."""
        suit = card.suit
        held, theirs = self.table.view.hand_mask & suit.mask, self.table.unseen & suit.mask
        place = (held & (card.mask - 1)).bit_count()
        rounds = (held | theirs).bit_count() / len(self.table.seats)
        reach = 1.0 if self.stake[card] > 0 else self._reach(rounds, place)
        return reach * self._stuck(card, theirs, suit)

    def _discards(self, held: int, theirs: int, suit: Suit) -> float:
        """How many discards rounds of *suit* are likely to give."""
        rounds = theirs / max(self.table.followers(suit), 1) + 0.5 if theirs else 0.0
        return RELIEF * min(max(rounds - held, 0.0), 2.0)

    def _suit(self, held: int, theirs: int, suit: Suit) -> list[float]:
        key = held, theirs
        if key not in self._suits:
            self._suits[key] = self._reckon(cards_in(held), theirs, suit)
        return self._suits[key]

    def _reckon(self, held: tuple[Card, ...], theirs: int, suit: Suit) -> list[float]:
        """The value of each card in *held*, all of one suit."""
        others = len(self.table.others)
        count = theirs.bit_count()
        if not count:
            return [STRANDED * (others * self.dump(suit) + self.stake[card]) for card in held]
        rounds = (count + len(held)) / len(self.table.seats)
        followers = min(self.table.followers(suit) or others, count)
        values = []
        for place, card in enumerate(held):
            stuck = self._stuck(card, theirs, suit)
            reach = 1.0 if self.stake[card] > 0 else self._reach(rounds, place)
            empty = self._empty(count - others * (len(held) - 1 - place))
            lower = theirs & (card.mask - 1)
            content = self.stake[card] + empty * others * self.dump(suit) + followers * self.falls(lower, 1 / followers)
            values.append(reach * (stuck * content - (1 - stuck) * self.stake[card] / others))
        return values

    def _stuck(self, card: Card, theirs: int, suit: Suit) -> float:
        """Chance that nobody beats *card* in its suit."""
        count = theirs.bit_count()
        lower = (theirs & (card.mask - 1)).bit_count()
        followers = min(self.table.followers(suit) or len(self.table.others), count)
        return float((lower / count) ** followers) if count else 1.0

    def _reach(self, rounds: float, place: int) -> float:
        """Chance that *place* smaller cards of the suit are not enough to keep from playing a card."""
        return min(max(rounds - place + SPARE, 0.05), 1.0)

    def _empty(self, count: float) -> float:
        """Chance that a player has none of *count* unseen cards."""
        return float((1 - 1 / len(self.table.others)) ** max(count, 0))

    def falls(self, cards: int, density: float) -> float:
        """What a player who does not win throws from *cards*, holding each with the chance *density*."""
        total, left = 0.0, 1.0
        for stake in sorted(self.stake[card] for card in cards_in(cards)):
            if stake < 0:
                total += stake * left * density
                left *= 1 - density
            else:
                total += stake * CATCH * density
        return total

    def dump(self, suit: Suit) -> float:
        """What a player who is out of *suit* discards."""
        if suit not in self._dumps:
            bad = self.table.unseen & (self.table.rules.plan.scoring | self.table.rules.plan.doubler) & ~suit.mask
            self._dumps[suit] = self.falls(bad, 1 / len(self.table.others))
        return self._dumps[suit]


class Trick:
    """The trick on the table, and what becomes of it."""

    def __init__(self, table: Table, moon: Moon) -> None:
        view = table.view
        self.table = table
        self.moon = moon
        self.hand = Hand(table)
        self.winning = view.winning
        self.on_table = mask_of(play.card for play in view.trick)
        players = len(table.seats)
        self.later = [(view.seat + step) % players for step in range(1, players - len(view.trick))]
        self.barred = self._barred()

    def value(self, card: Card) -> float:
        """What this trick is worth to us if we play *card*."""
        best, owner = card, self.table.me
        if self.winning and not (card.suit is self.winning.card.suit and card > self.winning.card):
            owner, best = self.winning
        cards = self.on_table | card.mask
        bonus = 0.0 if self.winning else self._hunt(card)
        content = self._content(cards)
        coming = sum(self._coming(seat, best) for seat in self.later)
        for seat, chance in self._takers(best, owner, content):
            bonus += chance * self._worth(seat, cards, content + coming)
        return bonus

    def _worth(self, seat: int, cards: int, content: float) -> float:
        """What it is worth to us that *seat* takes *cards*, which with those still to come hold *content*."""
        table = self.table
        if cards & table.rules.plan.doubler:
            content += table.doubling[seat] - table.doubling[table.me]
        return table.share(seat) * table.times[seat] * content + self.moon.stopped(seat, cards)

    def _content(self, cards: int) -> float:
        return sum(self.table.stake[card] for card in cards_in(cards))

    def _takers(self, best: Card, owner: int, content: float) -> list[tuple[int, float]]:
        """Who takes the trick, with what chance, when *owner* wins so far with *best*."""
        takers, open_ = [], 1.0
        for seat in self.later:
            beats = self._beats(seat, best, content)
            takers.append((seat, open_ * beats))
            open_ *= 1 - beats
        return [(owner, open_), *takers]

    def _beats(self, seat: int, best: Card, content: float) -> float:
        """Chance that *seat* beats *best*: if it must when the trick is bad, if it can when the trick is good."""
        theirs = self.table.unseen & best.suit.mask
        density = self.table.density[seat][best.suit]
        higher = (theirs & ~(best.mask - 1)).bit_count()
        lower = theirs.bit_count() - higher
        can = 1 - (1 - density) ** higher
        must = can * (1 - density) ** lower
        if content:
            return float(must if content < 0 else can)
        return float(must + UNDECIDED * (can - must))

    def _coming(self, seat: int, best: Card) -> float:
        """What *seat*, yet to play, is likely to add to the trick."""
        table, suit = self.table, best.suit
        known = table.known[seat] & suit.mask
        density = table.density[seat][suit]
        theirs = table.unseen & suit.mask
        empty = 0.0 if known else (1 - density) ** theirs.bit_count()
        added = empty * self._dumped(suit)
        lower = theirs & (best.mask - 1) & ~table.known_to_any
        if density:
            added += self.hand.falls(lower, density)
        if known & ~self.barred & (best.mask - 1):
            added += min(table.stake[card] for card in cards_in(known))
        return added

    def _dumped(self, suit: Suit) -> float:
        """What a player who is out of *suit* adds; the first trick is often closed to bad cards."""
        if len(self.table.view.leaders) <= 1 and self.table.rules.plan.barred_first:
            return 0.0
        return self.hand.dump(suit)

    def _barred(self) -> int:
        """Cards exposed face up that may not follow yet."""
        plays, players = self.table.view.plays, self.table.rules.players
        opened = {plays[index] // 13 for index in range(0, len(plays) - players + 1, players)}
        shown = self.table.view.exposures
        return mask_of(each.card for each in shown if each.face is Face.UP and each.card.suit not in opened)

    def _hunt(self, card: Card) -> float:
        """What leading *card* below a bad one of its suit is worth, for its holder may have to play it."""
        higher = self.table.unseen & card.suit.mask & ~(card.mask - 1)
        worst = min((self.table.stake[other] for other in cards_in(higher)), default=0.0)
        return -HUNT * worst if worst < self.table.stake[card] == 0 else 0.0


class Moon:
    """Who may be taking every card of the moon, and what to do about it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.view = table.view
        self.cards = table.rules.plan.moon
        takers = [seat for seat in table.seats if table.taken[seat] & self.cards]
        self.suspect = takers[0] if len(takers) == 1 else None
        self.dead = len(takers) > 1 or not self.cards

    @property
    def is_on(self) -> bool:
        """Whether we shoot."""
        if self.dead or self.suspect not in (None, self.table.me):
            return False
        return self.chance > SHOOT

    @cached_property
    def chance(self) -> float:
        """How likely our own moon is, by the losers in the hand."""
        chance = 1.0
        for suit in Suit:
            held, theirs = self.view.hand_mask & suit.mask, self.table.unseen & suit.mask
            base = MOON_LOSER if self.cards & suit.mask == suit.mask else SIDE_LOSER
            chance *= base ** self._losers(held, theirs)
        return chance

    def _losers(self, held: int, theirs: int) -> int:
        """How many of our cards in one suit lose a trick, if the others' cards lie as usual."""
        mine, against = list(cards_in(held)), list(cards_in(theirs))
        others = len(self.table.others)
        rounds = len(against) / others + 1
        losers = 0
        while mine and against and rounds >= 1:
            if mine[-1] > against[-1]:
                mine.pop()
            else:
                losers += 1
                mine.pop(0)
                against.pop()
            rounds -= 1
            against = against[others - 1 :]
        return losers

    def play(self) -> Card:
        """The card to play when we shoot."""
        view = self.view
        if view.winning is None:
            return max(view.legal, key=self._lead_strength)
        if view.legal[0].suit is not view.led:
            return min(view.legal, key=self._keep)
        above = [card for card in view.legal if card > view.winning.card]
        if not above:
            return min(view.legal)
        if view.is_last:
            return min(above) if self._wanted() else min(above)
        return max(above)

    def _wanted(self) -> bool:
        return True

    def _lead_strength(self, card: Card) -> tuple[bool, int, int]:
        theirs = self.table.unseen & card.suit.mask
        boss = not theirs & ~(card.mask - 1)
        length = (self.view.hand_mask & card.suit.mask).bit_count()
        return boss, length if boss else -card.rank, card.rank

    def _keep(self, card: Card) -> tuple[bool, bool, int]:
        theirs = self.table.unseen & card.suit.mask
        boss = not theirs & ~(card.mask - 1)
        return bool(card.mask & self.cards), boss, card.rank

    @cached_property
    def _damage(self) -> float:
        """What a moon of the suspect costs us at its present likelihood."""
        moon, suspect = self.table.rules.moon, self.suspect
        if moon is None or suspect is None or suspect in self.table.mates:
            return 0.0
        total = -sum(self.table.stake[card] for card in cards_in(self.cards))
        swing = moon.others + total * (2 if moon.shooter is ShooterCards.NEGATE else 1)
        taken = (self.table.taken[suspect] & self.cards).bit_count() / self.cards.bit_count()
        return float(-self.table.share(suspect) * swing * taken**THREAT)

    def stopped(self, seat: int, cards: int) -> float:
        """What it is worth that *seat* takes *cards*, for having stopped the suspect's moon."""
        return self._damage if cards & self.cards and seat != self.suspect else 0.0


def _named(names: tuple[str, ...]) -> tuple[Card, ...]:
    """The cards that names in the rules stand for: a card or a whole suit each."""
    cards: tuple[Card, ...] = ()
    for name in names:
        suit = Suit.__members__.get(name.upper())
        cards += cards_in(suit.mask) if suit is not None else (Card.parse(name),)
    return cards


if __name__ == "__main__":
    pigpen.run(Counting())
