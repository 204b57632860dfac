// A policy learned from games: how often a player who simulates plays each of its legal cards. A card's weight is a product
// of one number from each of four tables, by what its player sees. The tables hold for every variant; benchmarks/learning.py
// makes them.

#include "weights.h"

enum { FACTORS = 4, TRIED = 0, PILE = 800, KIND = 1880, TRICK = 2456 };

enum { NEUTRAL, LOW_HARM, MEDIUM_HARM, HIGH_HARM, GOOD, DOUBLER, KINDS };

typedef struct {
    int64_t harm[DECK], most;
    Cards bad, good;
    uint8_t kind[DECK];
} Model;

static int kind_of(const Game *game, const Model *model, int card) {
    int64_t harm = model->harm[card];
    if (game->doubler >> card & 1) return DOUBLER;
    if (harm <= 0) return harm ? GOOD : NEUTRAL;
    return 4 * harm <= model->most ? LOW_HARM : 5 * harm <= 3 * model->most ? MEDIUM_HARM : HIGH_HARM;
}

static void find_model(const Game *game, const Values *values, Model *model) {
    *model = (Model){.most = 1};
    for (int card = 0; card < DECK; card++)
        if (game->harm[card] > model->most) model->most = game->harm[card];
    for (int card = 0; card < DECK; card++) {
        model->harm[card] = game->harm[card] * values->times[card];
        int kind = model->kind[card] = kind_of(game, model, card);
        if (kind == MEDIUM_HARM || kind == HIGH_HARM || kind == DOUBLER) model->bad |= (Cards)1 << card;
        if (kind == GOOD) model->good |= (Cards)1 << card;
    }
}

// What the player whose turn it is sees, whichever card it plays. `place`: how many seats play after it, `harm`: what the
// trick is worth so far, `mate`: whose card wins so far, `phase`: how late it is, `moon`: who has all cards of a moon that
// were taken.
typedef struct {
    Cards hand, others, options, suit;
    int best, place, harm, mate, phase, moon;
} Sight;

static int level(const Model *model, int64_t harm) { return harm < 0 ? 0 : !harm ? 1 : 4 * harm <= model->most ? 2 : 3; }

static void see_trick(const Game *game, const Model *model, const Position *at, Sight *seen) {
    int place = winning(at);
    int64_t harm = 0;
    for (int each = 0; each < at->on_table; each++) harm += model->harm[at->table[each]];
    seen->harm = level(model, harm);
    seen->best = at->table[place];
    if (game->partners) seen->mate = (seat_after(game, at->leader, place) ^ at->turn) & 1 ? 2 : 1;
}

static Sight sight(const Game *game, const Model *model, const Position *at, Cards options) {
    Sight seen = {.hand = at->hands[at->turn], .options = options, .harm = 1, .suit = led(at)};
    int held = count(seen.hand), left = game->players - 1 - at->on_table, holder = 0, holders = 0;
    seen.phase = held > 9 ? 0 : held > 4 ? 1 : 2;
    seen.place = left < 2 ? left : 2;
    for (int seat = 0; seat < game->players; seat++) {
        seen.others |= at->hands[seat];
        if (!(at->taken[seat] & game->moon)) continue;
        holder = seat;
        holders++;
    }
    seen.others &= ~seen.hand;
    if (at->on_table) see_trick(game, model, at, &seen);
    if (holders == 1 && count(at->taken[holder] & game->moon) > 3) seen.moon = holder == at->turn ? 1 : 2;
    return seen;
}

// What it sees of a suit. `theirs` is cards of the others, 13 bits; `telling`: those of them to catch or to avoid, `near` what
// they are; `task`: to lead, to follow, to discard.
typedef struct {
    Cards options, held, theirs, telling, lower;
    int shift, own, total, near, task;
} Pile;

static const uint8_t BITS[128] = {
    0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5,
    1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5, 2, 3, 3, 4, 3, 4, 4, 5, 3, 4, 4, 5, 4, 5, 5, 6,
    1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5, 2, 3, 3, 4, 3, 4, 4, 5, 3, 4, 4, 5, 4, 5, 5, 6,
    2, 3, 3, 4, 3, 4, 4, 5, 3, 4, 4, 5, 4, 5, 5, 6, 3, 4, 4, 5, 4, 5, 5, 6, 4, 5, 5, 6, 5, 6, 6, 7,
};

// The same as `count`, for cards of one suit.
static int count_suit(Cards cards) { return BITS[cards & 127] + BITS[cards >> 7]; }

// By the number of cards: 0, 1, 2, 3 or 4, 5 or more.
static const uint8_t FEW[14] = {0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4};

static Pile pile_of(const Model *model, const Sight *seen, int card) {
    int shift = card / 13 * 13;
    Cards suit = (Cards)0x1FFF << shift;
    Pile pile = {.options = seen->options & suit, .held = seen->hand & suit, .shift = shift};
    Cards theirs = seen->others & suit, bad = theirs & model->bad, good = theirs & model->good;
    int own = count_suit(pile.held >> shift);
    pile.own = own < 4 ? own - 1 : 3;
    pile.theirs = theirs >> shift;
    pile.total = count_suit(pile.theirs);
    pile.near = bad ? 1 : good ? 3 : 0;
    pile.telling = bad ? bad : good;
    pile.task = !seen->suit ? 0 : suit == seen->suit ? 1 : 2;
    pile.lower = pile.task == 1 ? ((Cards)1 << seen->best) - 1 : 0;
    return pile;
}

// The places in the tables of a card's numbers.
static void features(const Model *model, const Sight *seen, const Pile *pile, int card, int32_t *found) {
    Cards bit = (Cards)1 << card, below = bit - 1, rivals = pile->options & ~bit;
    int kind = model->kind[card], role = pile->task == 2 ? 7 : 0;
    if (pile->task == 1) {
        role = (bit & pile->lower ? 1 : 4) + seen->place;
        rivals &= bit & pile->lower ? pile->lower : ~pile->lower;
    }
    int near = pile->near + !!(pile->telling & below), spot = !(rivals & ~below) + 2 * !(rivals & below);
    int under = count_suit(pile->theirs & below >> pile->shift);
    found[0] = TRIED + ((role * 5 + FEW[under]) * 5 + FEW[pile->total - under]) * 4 + pile->own;
    found[1] = PILE + (((pile->task * 4 + pile->own) * 5 + near) * KINDS + kind) * 3 + seen->phase;
    found[2] = KIND + ((seen->phase * 8 + role) * KINDS + kind) * 4 + spot;
    found[3] = TRICK + (((seen->mate * 3 + seen->moon) * 8 + role) * 4 + seen->harm) * KINDS + kind;
}

// The weight of each option, lowest first; returns their sum.
static float weigh(const Game *game, const Model *model, const Position *at, Cards options, float *weights) {
    Sight seen = sight(game, model, at, options);
    float sum = 0;
    while (options) {
        Pile pile = pile_of(model, &seen, lowest(options));
        options &= ~pile.options;
        for (Cards left = pile.options; left; left &= left - 1) {
            int32_t found[FACTORS];
            features(model, &seen, &pile, lowest(left), found);
            sum += *weights++ = WEIGHT[found[0]] * WEIGHT[found[1]] * (WEIGHT[found[2]] * WEIGHT[found[3]]);
        }
    }
    return sum;
}

// One of the options, drawn by its weight.
static int chosen(const Game *game, const Model *model, const Position *at, Cards options, Chance *chance) {
    if (!(options & (options - 1))) return lowest(options);
    float weights[DECK], *weight = weights, sum = weigh(game, model, at, options, weights);
    float left = (word(chance) >> 40) * 0x1p-24f * sum;
    for (; options & (options - 1); options &= options - 1)
        if ((left -= *weight++) < 0) break;
    return lowest(options);
}
