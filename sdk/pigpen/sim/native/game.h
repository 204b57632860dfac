// One deal as numbers: the trick-taking rules and the scores, as pigpen/rules/tricks.py and scoring.py have them. Sets of
// cards are 52-bit masks. What a variant is comes from Rules.plan; nothing here knows a variant.

#include <stdint.h>

typedef uint64_t Cards;

enum { SEATS = 8, DECK = 52, UP = 1, DOWN = 2 };

// A variant. Filled by pigpen/rules/native/__init__.py, field by field.
typedef struct {
    int64_t players, partners, low_is_better;
    Cards barred_first, restricted, breakers, alone, forced;
    Cards scoring, doubler, moon, pig;
    int64_t doubler_factor, doubler_alone;
    int64_t shooter_negates, pig_sign, others, others_doubled, may_subtract, instead;
    int64_t face_up, face_down;
    int64_t points[DECK];
    Cards multiplied[DECK];
    int64_t harm[DECK], danger[DECK], prize[DECK], meek[DECK];
} Game;

// Where a deal is. The cards on the table are in the order in which they were played.
typedef struct {
    Cards hands[SEATS], taken[SEATS];
    Cards barred, face_up, face_down;
    int64_t leader, turn, on_table, is_first_trick, is_broken;
    uint8_t table[SEATS];
} Position;

static Cards suit_of(int card) { return (Cards)0x1FFF << card / 13 * 13; }

static int lowest(Cards cards) { return __builtin_ctzll(cards); }

static int count(Cards cards) {
    cards -= cards >> 1 & 0x5555555555555555;
    cards = (cards & 0x3333333333333333) + (cards >> 2 & 0x3333333333333333);
    return ((cards + (cards >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56;
}

// C-5: a restriction that would leave nothing is lifted.
static Cards unless_none(Cards restricted, Cards legal) { return restricted ? restricted : legal; }

static Cards led(const Position *at) { return at->on_table ? suit_of(at->table[0]) : 0; }

static Cards legal_to_lead(const Game *game, const Position *at) {
    Cards hand = at->hands[at->turn], legal = hand;
    if (!at->is_broken && hand & ~game->alone) legal = unless_none(hand & ~game->restricted, hand);
    for (int first = 0; at->barred && first < DECK; first += 13) {
        Cards held = legal & suit_of(first);
        if (held & ~at->barred) legal &= ~(held & at->barred);
    }
    if (at->is_first_trick) {
        legal = unless_none(legal & ~game->barred_first, legal);
        legal = unless_none(hand & game->forced, legal);
    }
    return legal;
}

static Cards legal_to_follow(const Game *game, const Position *at) {
    Cards hand = at->hands[at->turn], suit = led(at), legal = unless_none(hand & suit, hand);
    if (at->is_first_trick) legal = unless_none(legal & ~game->barred_first, legal);
    if (legal & suit) legal = unless_none(legal & ~at->barred, legal);
    return legal;
}

static Cards legal(const Game *game, const Position *at) {
    return at->on_table ? legal_to_follow(game, at) : legal_to_lead(game, at);
}

// The place on the table, 0 for the leader, of the card that wins so far.
static int winning(const Position *at) {
    Cards suit = led(at);
    int best = 0;
    for (int place = 1; place < at->on_table; place++)
        if (suit >> at->table[place] & 1 && at->table[place] > at->table[best]) best = place;
    return best;
}

static int seat_after(const Game *game, int64_t seat, int64_t steps) {
    int64_t next = seat + steps;
    return next < game->players ? next : next - game->players;
}

static void end_trick(const Game *game, Position *at) {
    Cards trick = 0, suit = led(at);
    int winner = seat_after(game, at->leader, winning(at));
    for (int place = 0; place < game->players; place++) trick |= (Cards)1 << at->table[place];
    at->taken[winner] |= trick;
    at->barred &= ~suit;
    if (trick & game->breakers) at->is_broken = 1;
    at->on_table = at->is_first_trick = 0;
    at->leader = at->turn = winner;
}

static void play(const Game *game, Position *at, int card) {
    at->hands[at->turn] ^= (Cards)1 << card;
    at->table[at->on_table++] = card;
    if (at->on_table == game->players)
        end_trick(game, at);
    else
        at->turn = seat_after(game, at->turn, 1);
}

// What each card counts, exposures included; `times` is what a card's points are multiplied by.
typedef struct {
    int64_t times[DECK], points[DECK];
} Values;

static void multiply(const Game *game, Values *values, Cards exposed, int64_t factor) {
    for (; exposed; exposed &= exposed - 1)
        for (Cards cards = game->multiplied[lowest(exposed)]; cards; cards &= cards - 1)
            values->times[lowest(cards)] *= factor;
}

static void value_cards(const Game *game, Cards face_up, Cards face_down, Values *values) {
    for (int card = 0; card < DECK; card++) values->times[card] = 1;
    multiply(game, values, face_up, game->face_up);
    multiply(game, values, face_down, game->face_down);
    for (int card = 0; card < DECK; card++) values->points[card] = game->points[card] * values->times[card];
}

static int64_t total(const Values *values, Cards cards) {
    int64_t sum = 0;
    for (; cards; cards &= cards - 1) sum += values->points[lowest(cards)];
    return sum;
}

static int64_t multiplier(const Game *game, const Values *values, Cards taken) {
    return taken & game->doubler ? game->doubler_factor * values->times[lowest(game->doubler)] : 1;
}

static int64_t own_points(const Game *game, const Values *values, Cards taken) {
    Cards scoring = taken & game->scoring;
    if (taken & game->doubler && !scoring) return game->doubler_alone * values->times[lowest(game->doubler)];
    return total(values, scoring) * multiplier(game, values, taken);
}

static int64_t shot_points(const Game *game, const Values *values, Cards taken) {
    int64_t sum = total(values, taken & game->scoring & ~game->moon & ~game->pig);
    sum += game->pig_sign * total(values, taken & game->pig);
    if (game->shooter_negates) sum -= total(values, game->moon);
    return sum * multiplier(game, values, taken);
}

static int shooter(const Game *game, const Cards *taken) {
    for (int seat = 0; game->moon && seat < game->players; seat++)
        if ((taken[seat] & game->moon) == game->moon) return seat;
    return -1;
}

static void add_partners(const Game *game, int64_t *scores) {
    if (!game->partners) return;
    for (int seat = 0; seat < 2; seat++) scores[seat] = scores[seat + 2] = scores[seat] + scores[seat + 2];
}

// The scores of a finished deal; the shooter who may choose subtracts, unless `adds`.
static void score(const Game *game, const Values *values, const Cards *taken, int adds, int64_t *scores) {
    int moon = shooter(game, taken);
    for (int seat = 0; seat < game->players; seat++)
        scores[seat] = (seat == moon ? shot_points : own_points)(game, values, taken[seat]);
    if (moon >= 0 && game->may_subtract && !adds) {
        scores[moon] += game->instead;
    } else if (moon >= 0) {
        int64_t flat = game->others * (game->others_doubled ? multiplier(game, values, taken[moon]) : 1);
        for (int seat = 0; seat < game->players; seat++) scores[seat] += seat == moon ? 0 : flat;
    }
    add_partners(game, scores);
}
