"""
Counts cards and weighs every choice in points.

For each card it may play, the bot adds what this trick is then worth (`Trick`) to what the cards left in hand are
worth in the tricks to come (`Hand`). Both stand on one `Table`: who may hold what, and what each card is worth to
its taker. `Moon` watches for a shooter, itself included. Nothing is remembered between decisions, and no variant
is known by name: everything comes from `view.rules` and from the cards.

Values are points, turned so that more is always better for this seat: taking the pig is below zero everywhere.
The numbers below were found by playing thousands of deals against itself (benchmarks/duels.py).
"""

from __future__ import annotations

from functools import cached_property

import pigpen
from pigpen import Bot, Card, Face, MoonChoice, Phase, Suit, View, cards_in, mask_of
from pigpen.rules import ShooterCards
from pigpen.search import some_passes

WILLING = 0.1
"""Share of the worthless tricks that a player takes who can, but need not."""
FORCED = 0.08
"""Chance that the holder of a good card must give it to a trick that another wins."""
CAUGHT = 0.5
"""Chance that a good card falls to us, over the whole deal, when we can beat it."""
BLIND = 0.7
"""Share of a trick's content that we fail to foresee when we win it."""
STUCK_WITH = 1.5
"""Factor by which a bad card that we are left with is worse than its points: it must be guarded all the time."""
DISCARDS = 0.6
"""Number of discards that each round of a suit that we are out of gives."""
RELIEF = 0.8
"""Share of a card's danger that the chance of a discard takes away."""
GUARDED = 0.7
"""Chance, as we pass, that a card that we need not play is discarded on another suit."""
SPARE = 0.2
"""Number of rounds of a suit that are played beyond the average."""
STRANDED = 0.3
"""Chance that we must lead a suit that no other seat holds."""
ON_LEAD = 0.4
"""Cost of the lead: in shares of an average player's loss in a deal, times the part of the hand above `LEAD_TURNS`."""
LEAD_TURNS = 0.55
"""Part of the hand left below which the lead is an advantage."""
HUNT = 0.12
"""Value of a low lead that may draw a bad card, in shares of that card."""
THREAT = 1.5
"""Exponent with which the threat of a moon grows by the share of its cards taken."""
FED = 0.5
"""Share of that threat by which one of our cards brings a shooter nearer to the moon."""
SHOOT = 0.18
"""Least chance of our moon with which we try it; a failed attempt is often given up in time."""
SIDE_LOSER, MOON_LOSER = 0.65, 0.3
"""Factors on the chance of our moon for each card that loses a trick, outside its suit and in it."""
SAFE = 0.12
"""A bad card is exposed when we are less likely than this to take it ourselves,"""
OURS = 0.6
"""and a good one when we are more likely than this to take it."""
MAX_PASSES = 3_000
"""At most this many passes are weighed, which takes some 0.3 s; 3 of 26 cards can be passed in 2,600 ways."""


class Counting(Bot):
    """Chooses by the sum of `Trick.value` and `Hand.value`."""

    def play(self, view: View) -> Card:
        """Play the card with the best sum of this trick and of the hand it leaves, or shoot the moon."""
        table = Table(view)
        moon = Moon(table)
        if moon.is_ours:
            return moon.play()
        hand = Hand(table)
        trick = Trick(table, hand, moon)
        return max(view.legal, key=lambda card: trick.value(card) + hand.value(view.hand_mask & ~card.mask))

    def pass_cards(self, view: View) -> tuple[Card, ...]:
        """Pass the cards without which the hand is best."""
        hand = Hand(Table(view))

        def value_without(cards: tuple[Card, ...]) -> float:
            passed = mask_of(cards)
            return hand.value(view.hand_mask & ~passed, passed)

        return max(some_passes(view, MAX_PASSES), key=value_without)

    def expose(self, view: View) -> list[Card]:
        """Show the bad cards that others will take and the good ones that we will."""
        table = Table(view)
        hand = Hand(table)
        good = [card for card in view.legal if table.stake[card] > 0 and hand.taking(card) > OURS]
        bad = [card for card in view.legal if table.stake[card] <= 0 and hand.taking(card) < SAFE]
        return good + bad

    def choose_moon(self, view: View) -> MoonChoice:
        """Both choices gain as much on the others: the leader brings the end nearer, the others put it off."""
        sign = 1 if view.rules.low_is_better else -1
        ahead = not view.totals or sign * view.totals[view.seat] <= min(sign * total for total in view.totals)
        return MoonChoice.ADD if ahead else MoonChoice.SUBTRACT


class Table:
    """
    Knowledge and estimates of one seat at one decision.

    Attributes:
        stake: What each card is worth to its taker, exposures counted. Below zero: bad for the taker.
        times: What a seat's points are multiplied by, for having taken the doubler.
        doubling: What the doubler would be worth to each seat.
        density: Chance that a seat holds any given unseen card of a suit, by seat and suit.
        known: Cards that each other seat is known to hold.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.rules = view.rules
        self.plan = view.rules.plan
        self.me = view.seat
        self.seats = range(view.rules.players)
        self.others = [seat for seat in self.seats if seat != view.seat]
        self.mates = view.rules.teammates(view.seat)
        self.unseen = view.unseen_mask
        self.taken = [view.taken_mask(seat) for seat in self.seats]
        self.known = [view.held_by(seat) if seat != view.seat else 0 for seat in self.seats]
        self.known_to_any = mask_of(card for known in self.known for card in cards_in(known))
        self.density = self._densities()
        self.stake = self._stakes()
        self.times = [1.0] * len(self.seats)
        self.doubling = [0.0] * len(self.seats)
        if view.rules.scoring.doubler:
            self._reckon_doubler(Card.parse(view.rules.scoring.doubler.card), view.rules.scoring.doubler.factor)

    def share(self, seat: int) -> float:
        """Return the value to us of a point for *seat*: partners gain together, the others' gain is our loss."""
        if seat in self.mates:
            return 1.0
        return -len(self.mates) / (len(self.seats) - len(self.mates))

    def followers(self, suit: Suit) -> int:
        """Count the other seats that may still hold *suit*."""
        return sum(self.density[seat][suit] > 0 for seat in self.others)

    @property
    def usual_loss(self) -> float:
        """Points that an average player loses in a deal; zero or below."""
        return sum(min(stake, 0.0) for stake in self.stake) / len(self.seats)

    def _densities(self) -> list[list[float]]:
        size = self._cards_left()
        density = [[0.0] * len(Suit) for _ in self.seats]
        for suit in Suit:
            able = [seat for seat in self.others if suit not in self.view.voids(seat)]
            room = sum(size[seat] for seat in able)
            for seat in able:
                density[seat][suit] = size[seat] / room if room else 0.0
        return density

    def _cards_left(self) -> list[int]:
        on_table = [play.seat for play in self.view.trick]
        tricks = len(self.view.plays) // len(self.seats)
        return [self.rules.hand_size - tricks - (seat in on_table) for seat in self.seats]

    def _stakes(self) -> list[float]:
        sign = -1.0 if self.rules.low_is_better else 1.0
        stakes = [sign * points for points in self.plan.points]
        for name, multiplied in self.rules.exposing.cards.items() if self.rules.exposing else ():
            factor = self._exposure(Card.parse(name))
            for card in _named(multiplied) if factor != 1 else ():
                stakes[card] *= factor
        return stakes

    def _exposure(self, card: Card) -> float:
        """Return the factor of exposing on the effect of *card*; an average where it may be lying face down."""
        exposing = self.rules.exposing
        if exposing is None:
            return 1.0
        for shown in self.view.exposures:
            if shown.card == card:
                return exposing.face_up if shown.face is Face.UP else exposing.face_down
        hidden, candidates = sum(self.view.hidden), self.plan.exposable & self.unseen & ~self.known_to_any
        if not hidden or not candidates & card.mask:
            return 1.0
        return 1 + (exposing.face_down - 1) * min(1.0, hidden / candidates.bit_count())

    def _reckon_doubler(self, card: Card, factor: float) -> None:
        """The doubler multiplies what its taker has and an equal share of what is still to be taken."""
        factor *= self._exposure(card)
        own = [sum(self.stake[each] for each in cards_in(taken)) for taken in self.taken]
        rest = sum(self.stake) - sum(own)
        self.times = [factor if taken & card.mask else 1.0 for taken in self.taken]
        self.doubling = [(factor - 1) * (points + rest / len(self.seats)) for points in own]
        self.stake[card] = self.doubling[self.me]


class Hand:
    """The value of cards in hand in the tricks to come."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.stake = table.stake
        self.discarded = GUARDED if table.view.phase is Phase.PASS else 0.0
        self.bad = table.unseen & (table.plan.scoring | table.plan.doubler)
        self._suits: dict[tuple[int, int, int], list[float]] = {}
        self._dumps: dict[int, float] = {}

    def value(self, mine: int, passed: int = 0) -> float:
        """
        Estimate the value of the cards *mine* when *passed* are in other hands.

        The worst of them count less when there are suits that we are short of, for then we can discard them.
        """
        values: list[float] = []
        discards = 0.0
        bad = self.bad | passed & self.table.plan.scoring
        for suit in Suit:
            held, theirs = mine & suit.mask, (self.table.unseen | passed) & suit.mask
            values += self._suit(held, theirs, bad & ~suit.mask)
            discards += self._discards(held.bit_count(), theirs.bit_count(), suit)
        total = 0.0
        for value in sorted(values):
            if value < 0 < discards:
                value *= 1 - RELIEF * min(discards, 1.0)
                discards -= 1
            total += value
        return total

    def taking(self, card: Card) -> float:
        """Chance that we take the trick to which we play *card* of the whole hand."""
        held, theirs = (cards & card.suit.mask for cards in (self.table.view.hand_mask, self.table.unseen))
        guards = (held & (card.mask - 1)).bit_count()
        return self._played(card, guards, (held | theirs).bit_count()) * self._unbeaten(card, theirs)

    def falls(self, cards: int, density: float, good: float) -> float:
        """
        Estimate the addition of a player to a trick that another wins: the worst of *cards*.

        Args:
            cards: What the player may hold and throw, as a mask.
            density: Chance that the player holds any given one of them.
            good: How often a good card that the player holds comes along.
        """
        total, left = 0.0, 1.0
        for stake in sorted(self.stake[card] for card in cards_in(cards)):
            if stake < 0:
                total += stake * left * density
                left *= 1 - density
            else:
                total += stake * density * good
        return total

    def dump(self, bad: int) -> float:
        """Estimate the value that a player who cannot follow throws from the cards *bad*."""
        if bad not in self._dumps:
            self._dumps[bad] = self.falls(bad, 1 / len(self.table.others), 0.0)
        return self._dumps[bad]

    def _discards(self, held: int, theirs: int, suit: Suit) -> float:
        """Estimate the number of discards that the rounds of *suit* give us."""
        rounds = theirs / max(self.table.followers(suit), 1) + 0.5 if theirs else 0.0
        return DISCARDS * min(max(rounds - held, 0.0), 2.0)

    def _suit(self, held: int, theirs: int, bad: int) -> list[float]:
        """The value of each card *held* in one suit; remembered, for most choices leave most suits as they are."""
        key = held, theirs, bad
        if key not in self._suits:
            cards, dump = cards_in(held), self.dump(bad)
            if theirs:
                self._suits[key] = [self._card(place, cards, theirs, dump) for place in range(len(cards))]
            else:
                everything = len(self.table.others) * dump
                self._suits[key] = [STRANDED * (everything + self.stake[card]) for card in cards]
        return self._suits[key]

    def _card(self, place: int, held: tuple[Card, ...], theirs: int, dump: float) -> float:
        """The value of one card of a suit: what it brings us when it wins, and the others when it does not."""
        card, own, others = held[place], self.stake[held[place]], len(self.table.others)
        unbeaten = self._unbeaten(card, theirs)
        played = self._played(card, place, theirs.bit_count() + len(held))
        won = own * (STUCK_WITH if own < 0 else 1.0) + BLIND * self._caught(place, held, theirs, dump)
        lost = -own / others
        return played * (unbeaten * won + (1 - unbeaten) * lost) + (1 - played) * self.discarded * lost

    def _caught(self, place: int, held: tuple[Card, ...], theirs: int, dump: float) -> float:
        """Estimate the others' additions to a trick that we win; our high cards go first, while most can follow."""
        card, others = held[place], len(self.table.others)
        followers = self._followers(card.suit, theirs)
        higher = len(held) - 1 - place
        none = (1 - 1 / others) ** max(theirs.bit_count() - others * higher, 0)
        # A good card is caught once, so that only our highest card has the chance of it.
        under = self.falls(theirs & (card.mask - 1), 1 / followers, 0.0 if higher else CAUGHT)
        return followers * under + none * others * dump

    def _followers(self, suit: Suit, theirs: int) -> int:
        return min(self.table.followers(suit) or len(self.table.others), theirs.bit_count())

    def _unbeaten(self, card: Card, theirs: int) -> float:
        """Chance that no other seat beats *card* in its suit."""
        if not theirs:
            return 1.0
        lower = (theirs & (card.mask - 1)).bit_count()
        return float((lower / theirs.bit_count()) ** self._followers(card.suit, theirs))

    def _played(self, card: Card, guards: int, cards: int) -> float:
        """Chance that *card* comes out: good ones always; others when the suit's *cards* last longer than *guards*."""
        if self.stake[card] > 0:
            return 1.0
        return min(max(cards / len(self.table.seats) + SPARE - guards, 0.05), 1.0)


class Trick:
    """The trick on the table: who takes it, and what it holds then."""

    def __init__(self, table: Table, hand: Hand, moon: Moon) -> None:
        view = table.view
        self.table = table
        self.hand = hand
        self.moon = moon
        self.winning = view.winning
        self.on_table = mask_of(play.card for play in view.trick)
        players = len(table.seats)
        self.later = [(view.seat + step) % players for step in range(1, players - len(view.trick))]
        self.barred = self._barred()
        left = len(view.hand) / table.rules.hand_size
        self.lead = ON_LEAD * table.usual_loss * (left - LEAD_TURNS)

    def value(self, card: Card) -> float:
        """Estimate the value of this trick to us if we play *card*."""
        best, owner = card, self.table.me
        if self.winning and not (card.suit is self.winning.card.suit and card > self.winning.card):
            owner, best = self.winning
        cards = self.on_table | card.mask
        content = sum(self.table.stake[each] for each in cards_in(cards))
        coming = sum(self._coming(seat, best) for seat in self.later)
        value = 0.0 if self.winning else self._hunt(card)
        for seat, chance in self._takers(best, owner, content):
            value += chance * (self._worth(seat, cards, content + coming) + self.moon.worth(seat, cards, card))
        return value

    def _worth(self, seat: int, cards: int, content: float) -> float:
        """Return the value to us of *seat* taking *cards*, when all that it takes is worth *content* to a taker."""
        table = self.table
        if cards & table.plan.doubler:
            content += table.doubling[seat] - table.doubling[table.me]
        lead = self.lead if seat == table.me else 0.0
        return table.share(seat) * table.times[seat] * content + lead

    def _takers(self, best: Card, owner: int, content: float) -> list[tuple[int, float]]:
        """List the seats that may take the trick, each with its chance, when *owner* wins so far with *best*."""
        takers: list[tuple[int, float]] = []
        nobody_yet = 1.0
        for seat in self.later:
            beats = self._beats(seat, best, content)
            takers.append((seat, nobody_yet * beats))
            nobody_yet *= 1 - beats
        return [(owner, nobody_yet), *takers]

    def _beats(self, seat: int, best: Card, content: float) -> float:
        """Chance that *seat* beats *best*: a bad trick if it must, a good one if it can."""
        theirs = self.table.unseen & best.suit.mask
        density = self.table.density[seat][best.suit]
        higher = (theirs & ~(best.mask - 1)).bit_count()
        can = 1 - (1 - density) ** higher
        must = can * (1 - density) ** (theirs.bit_count() - higher)
        if content:
            return float(must if content < 0 else can)
        return float(must + WILLING * (can - must))

    def _coming(self, seat: int, best: Card) -> float:
        """Estimate the addition of *seat*, yet to play."""
        table, suit = self.table, best.suit
        density, lower = table.density[seat][suit], best.mask - 1
        theirs, known = table.unseen & suit.mask, table.known[seat] & suit.mask
        added = 0.0
        if not known:
            added += (1 - density) ** theirs.bit_count() * self._dumped(suit)
        if density:
            added += self.hand.falls(theirs & lower & ~table.known_to_any, density, FORCED)
        if known & lower & ~self.barred:
            added += min(0.0, *(table.stake[card] for card in cards_in(known & lower)))
        return added

    def _dumped(self, suit: Suit) -> float:
        """Estimate the addition of a player who is out of *suit*; the first trick may be closed to bad cards."""
        first = len(self.table.view.leaders) == 1
        return 0.0 if first and self.table.plan.barred_first else self.hand.dump(self.hand.bad & ~suit.mask)

    def _barred(self) -> int:
        """Cards exposed face up whose suit has not been led yet: they need not fear a higher card."""
        opened = {trick[0].card.suit for trick in self.table.view.tricks}
        exposed = self.table.view.exposures
        return mask_of(each.card for each in exposed if each.face is Face.UP and each.card.suit not in opened)

    def _hunt(self, card: Card) -> float:
        """Return the value of leading *card* below a bad one of its suit, for in time its holder must play it."""
        higher = self.table.unseen & card.suit.mask & ~(card.mask - 1)
        worst = min((self.table.stake[other] for other in cards_in(higher)), default=0.0)
        return -HUNT * worst if worst < self.table.stake[card] == 0 else 0.0


class Moon:
    """The seat that may be taking every card of the moon, and our play for or against it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.view = table.view
        self.cards = table.plan.moon
        takers = [seat for seat in table.seats if table.taken[seat] & self.cards]
        self.suspect = takers[0] if len(takers) == 1 else None
        self.is_open = bool(self.cards) and len(takers) <= 1

    @property
    def is_ours(self) -> bool:
        """True if we shoot."""
        return self.is_open and self.suspect in (None, self.table.me) and self.chance > SHOOT

    @cached_property
    def chance(self) -> float:
        """Chance of our own moon, by the losers in the hand."""
        chance = 1.0
        for suit in Suit:
            losers = self._losers(self.view.hand_mask & suit.mask, self.table.unseen & suit.mask)
            chance *= (MOON_LOSER if suit.mask & ~self.cards == 0 else SIDE_LOSER) ** losers
        return chance

    def play(self) -> Card:
        """The card to play when we shoot: win every trick that we can, and keep the winners."""
        view = self.view
        if view.winning is None:
            return max(view.legal, key=self._lead)
        if view.legal[0].suit is not view.led:
            return min(view.legal, key=self._worth_keeping)
        above = [card for card in view.legal if card > view.winning.card]
        if not above:
            return view.legal[0]
        return min(above) if view.is_last else max(above)

    def worth(self, seat: int, cards: int, card: Card) -> float:
        """Return the value, against the suspect's moon, of *seat* taking *cards*, to which we add *card*."""
        if seat != self.suspect:
            return self._damage if cards & self.cards else 0.0
        return -FED * self._damage if card.mask & self.cards else 0.0

    @cached_property
    def _damage(self) -> float:
        """Cost of the suspect's moon to us, times its likelihood by the cards that it has taken."""
        moon, suspect = self.table.rules.moon, self.suspect
        if moon is None or suspect is None or suspect in self.table.mates:
            return 0.0
        saved = -sum(self.table.stake[card] for card in cards_in(self.cards))
        swing = abs(moon.others) + saved * (2 if moon.shooter is ShooterCards.NEGATE else 1)
        part = (self.table.taken[suspect] & self.cards).bit_count() / self.cards.bit_count()
        return float(-self.table.share(suspect) * swing * part**THREAT)

    def _losers(self, held: int, theirs: int) -> int:
        """Count our cards of one suit that lose a trick, if the others' cards lie as usual."""
        mine, against = cards_in(held), cards_in(theirs)
        others, losers = len(self.table.others), 0
        for _ in range(len(against) // others + 1):
            if not mine or not against:
                break
            if mine[-1] > against[-1]:
                mine, against = mine[:-1], against[others:]
            else:
                mine, against = mine[1:], against[others - 1 : -1]
                losers += 1
        return losers

    def _is_boss(self, card: Card) -> bool:
        """True if no unseen card beats *card*."""
        return not self.table.unseen & card.suit.mask & ~(card.mask - 1)

    def _lead(self, card: Card) -> tuple[bool, int, int]:
        """Winners of the longest suit first; without a winner the lowest card, to give up the least."""
        boss = self._is_boss(card)
        length = (self.view.hand_mask & card.suit.mask).bit_count()
        return boss, length if boss else -card.rank, card.rank

    def _worth_keeping(self, card: Card) -> tuple[bool, bool, int]:
        return bool(card.mask & self.cards), self._is_boss(card), card.rank


def _named(names: tuple[str, ...]) -> tuple[Card, ...]:
    """The cards that names in the rules stand for: a card or a whole suit each."""
    cards: tuple[Card, ...] = ()
    for name in names:
        suit = Suit.__members__.get(name.upper())
        cards += cards_in(suit.mask) if suit is not None else (Card.parse(name),)
    return cards


if __name__ == "__main__":
    pigpen.run(Counting())
