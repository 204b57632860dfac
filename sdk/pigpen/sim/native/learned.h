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

// 0, 1, 2, 3 or 4, 5 or more.
static int few(int number) { return number < 3 ? number : number < 5 ? 3 : 4; }

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

// The places in the tables of a card's numbers.
static void features(const Model *model, const Sight *seen, int card, int32_t *found) {
    Cards bit = (Cards)1 << card, below = bit - 1, suit = suit_of(card), held = seen->hand & suit;
    Cards theirs = seen->others & suit, rivals = seen->options & suit & ~bit;
    int kind = model->kind[card], own = count(held) < 4 ? count(held) - 1 : 3;
    int task = !seen->suit ? 0 : suit == seen->suit ? 1 : 2, role = task == 2 ? 7 : 0, near = 0;
    if (task == 1) {
        Cards lower = ((Cards)1 << seen->best) - 1;
        role = (bit & lower ? 1 : 4) + seen->place;
        rivals &= bit & lower ? lower : ~lower;
    }
    if (theirs & (model->bad | model->good)) {
        Cards telling = theirs & (theirs & model->bad ? model->bad : model->good);
        near = (theirs & model->bad ? 1 : 3) + !!(telling & below);
    }
    int spot = !(rivals & ~below) + 2 * !(rivals & below);
    found[0] = TRIED + ((role * 5 + few(count(theirs & below))) * 5 + few(count(theirs & ~below))) * 4 + own;
    found[1] = PILE + (((task * 4 + own) * 5 + near) * KINDS + kind) * 3 + seen->phase;
    found[2] = KIND + ((seen->phase * 8 + role) * KINDS + kind) * 4 + spot;
    found[3] = TRICK + (((seen->mate * 3 + seen->moon) * 8 + role) * 4 + seen->harm) * KINDS + kind;
}

// The weight of each option, lowest first; returns their sum.
static float weigh(const Game *game, const Model *model, const Position *at, Cards options, float *weights) {
    Sight seen = sight(game, model, at, options);
    float sum = 0;
    for (; options; options &= options - 1) {
        int32_t found[FACTORS];
        features(model, &seen, lowest(options), found);
        sum += *weights++ = WEIGHT[found[0]] * WEIGHT[found[1]] * (WEIGHT[found[2]] * WEIGHT[found[3]]);
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
