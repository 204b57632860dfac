// An ending with all hands open, solved: what pigpen/rules/solving.py does, with four short cuts that change nothing.
// Positions between tricks are remembered by what still matters of the cards taken; of cards in a hand that are worth the
// same and that nothing lies between, only the lowest is tried; who has found the most that there can be looks no
// further; and once no card that counts is left, nothing is tried.

enum { SLOTS = 1 << 16, NEARBY = 4 };

typedef struct {
    Cards left;
    uint64_t flags;
    int64_t points[SEATS];
} Key;

typedef struct {
    uint64_t run;  // in which the slot was filled: those of earlier runs are free, and need not be cleared
    Key key;
    int64_t scores[SEATS];
} Slot;

typedef struct {
    uint64_t runs;
    Slot slots[SLOTS];
} Memory;

typedef struct {
    const Game *game;
    Values values;
    Cards counting;
    Memory *memory;
    int64_t budget;
    int64_t kind[DECK];
} Solver;

static Cards all_hands(const Position *at) {
    Cards cards = 0;
    for (int seat = 0; seat < SEATS; seat++) cards |= at->hands[seat];
    return cards;
}

// By how much a seat is ahead of the mean of all, times the number of seats.
static int64_t margin(const Game *game, const int64_t *scores, int seat) {
    int64_t sum = game->players * scores[seat];
    for (int other = 0; other < game->players; other++) sum -= scores[other];
    return game->low_is_better ? -sum : sum;
}

static void copy_scores(const int64_t *from, int64_t *to) {
    for (int seat = 0; seat < SEATS; seat++) to[seat] = from[seat];
}

static void final_scores(const Solver *solver, const Cards *taken, int64_t *scores) {
    const Game *game = solver->game;
    int64_t other[SEATS] = {0};
    int moon = shooter(game, taken);
    score(game, &solver->values, taken, 0, scores);
    if (moon < 0 || !game->may_subtract) return;
    score(game, &solver->values, taken, 1, other);
    if (margin(game, other, moon) > margin(game, scores, moon)) copy_scores(other, scores);
}

// Who has what that may still count: points, any scoring card, the doubler, the pig, any card of the moon.
static Key key_of(const Solver *solver, const Position *at) {
    const Game *game = solver->game;
    Key key = {.left = all_hands(at), .flags = at->leader | at->is_broken << 3};
    for (int suit = 0; suit < 4; suit++) key.flags |= (uint64_t)!!(at->barred & suit_of(suit * 13)) << (4 + suit);
    for (int seat = 0; seat < game->players; seat++) {
        Cards taken = at->taken[seat];
        key.points[seat] = total(&solver->values, taken & game->scoring);
        Cards parts[] = {game->scoring, game->doubler, game->pig, game->moon};
        for (int part = 0; part < 4; part++)
            if (taken & parts[part]) key.flags |= (uint64_t)1 << (8 + 4 * seat + part);
    }
    return key;
}

static int same(const Key *one, const Key *other) {
    int differ = one->left != other->left || one->flags != other->flags;
    for (int seat = 0; seat < SEATS; seat++) differ |= one->points[seat] != other->points[seat];
    return !differ;
}

// The slot that holds the position, or the one to use for it.
static Slot *remembered(const Solver *solver, const Key *key) {
    uint64_t hash = key->left * 0x9E3779B97F4A7C15 ^ key->flags * 0xDA942042E4DD58B5;
    for (int seat = 0; seat < SEATS; seat++) hash = (hash ^ hash >> 29 ^ (uint64_t)key->points[seat]) * 0xBF58476D1CE4E5B9;
    Slot *slot = 0;
    for (int step = 0; step < NEARBY; step++) {
        slot = &solver->memory->slots[(hash >> 40 ^ step) % SLOTS];
        if (slot->run != solver->memory->runs || same(&slot->key, key)) return slot;
    }
    slot->run = 0;
    return slot;
}

// Number the cards so that two with the same number are worth the same in every respect, but for bars.
static void find_kinds(Solver *solver) {
    const Game *game = solver->game;
    Cards sets[] = {game->scoring, game->doubler, game->moon, game->pig, game->breakers, game->alone, game->forced,
                    game->barred_first};
    for (int card = 0; card < DECK; card++) {
        solver->kind[card] = solver->values.points[card] * 256;
        for (int index = 0; index < 8; index++) solver->kind[card] |= (int64_t)(sets[index] >> card & 1) << index;
    }
}

static int same_kind(const Solver *solver, const Position *at, int one, int other) {
    return solver->kind[one] == solver->kind[other] && suit_of(one) == suit_of(other) &&
           (at->barred >> one & 1) == (at->barred >> other & 1);
}

// The options, less each that is as good as the one before it.
static Cards different(const Solver *solver, const Position *at, Cards options) {
    Cards others = all_hands(at) & ~at->hands[at->turn], kept = 0;
    for (int place = 0; place < at->on_table; place++) others |= (Cards)1 << at->table[place];
    int before = -1;
    for (; options; options &= options - 1) {
        int card = lowest(options);
        Cards between = before < 0 ? 0 : ((Cards)1 << card) - ((Cards)2 << before);
        if (before < 0 || between & others || !same_kind(solver, at, before, card)) kept |= (Cards)1 << card;
        before = card;
    }
    return kept;
}

static int are_mates(const Game *game, int one, int other) {
    return one == other || (game->partners && !((one ^ other) & 1));
}

static int64_t larger(int64_t one, int64_t other) { return one > other ? one : other; }

static int moon_is_off(const Game *game, const Position *at) {
    int holders = 0;
    for (int seat = 0; seat < game->players; seat++) holders += !!(at->taken[seat] & game->moon);
    return !game->moon || holders > 1;
}

// What a point for `taker` adds to the margin of `seat`.
static int64_t share(const Game *game, int seat, int taker) {
    int64_t team = game->partners ? 2 : 1, added = are_mates(game, seat, taker) ? game->players - team : -team;
    return game->low_is_better ? -added : added;
}

// How much can come of the cards that are left: their points above and below zero, and what the doubler does.
typedef struct {
    int64_t good, bad, factor, alone;
    int is_open;  // whether the doubler may still be taken
} Prospect;

static Prospect prospect(const Solver *solver, Cards left) {
    const Game *game = solver->game;
    int64_t times = game->doubler ? solver->values.times[lowest(game->doubler)] : 1;
    Prospect ahead = {.factor = game->doubler_factor * times, .alone = game->doubler_alone * times};
    ahead.is_open = !!(left & game->doubler);
    for (Cards cards = left & game->scoring; cards; cards &= cards - 1) {
        int64_t points = solver->values.points[lowest(cards)];
        *(points > 0 ? &ahead.good : &ahead.bad) += points;
    }
    return ahead;
}

// The largest margin that a seat can still have, or more, when it has `margin` now and there will be no moon: every card
// goes to whom it likes best.
static int64_t bound(const Solver *solver, const Position *at, const Prospect *ahead, int seat, int64_t margin) {
    const Game *game = solver->game;
    int64_t most = INT64_MIN, least = INT64_MAX, doubled = 0, lone = 0;
    for (int taker = 0; taker < game->players; taker++) {
        Cards taken = at->taken[taker] & game->scoring;
        int64_t one = share(game, seat, taker), now = one * multiplier(game, &solver->values, at->taken[taker]);
        int64_t then = ahead->is_open ? one * ahead->factor : now;
        most = larger(most, larger(now, then));
        least = -larger(-least, larger(-now, -then));
        if (ahead->is_open) doubled = larger(doubled, (then - one) * total(&solver->values, taken));
        if (!taken && ahead->is_open) lone = larger(lone, one * ahead->alone);
        if (!taken && at->taken[taker] & game->doubler) lone = larger(0, -one * ahead->alone);
    }
    return margin + doubled + lone + ahead->good * most + ahead->bad * least;
}

static void find_bounds(const Solver *solver, const Position *at, int64_t *bounds) {
    const Game *game = solver->game;
    int64_t scores[SEATS] = {0};
    Prospect ahead = prospect(solver, all_hands(at));
    int is_off = moon_is_off(game, at);
    if (is_off) score(game, &solver->values, at->taken, 0, scores);
    for (int seat = 0; seat < game->players; seat++)
        bounds[seat] = is_off ? bound(solver, at, &ahead, seat, margin(game, scores, seat)) : INT64_MAX;
}

static void solve(Solver *solver, const Position *at, const int64_t *bounds, int64_t *scores);

// `bounds` are those of the start of the trick.
static void best_of(Solver *solver, const Position *at, const int64_t *bounds, int64_t *scores) {
    Cards options = different(solver, at, legal(solver->game, at));
    for (int first = 1; options; options &= options - 1, first = 0) {
        Position next = *at;
        int64_t found[SEATS] = {0};
        play(solver->game, &next, lowest(options));
        solve(solver, &next, bounds, found);
        if (first || margin(solver->game, found, at->turn) > margin(solver->game, scores, at->turn))
            copy_scores(found, scores);
        if (margin(solver->game, scores, at->turn) >= bounds[at->turn]) return;
    }
}

static void solve_tricks(Solver *solver, const Position *at, int64_t *scores) {
    Key key = key_of(solver, at);
    Slot *slot = remembered(solver, &key);
    if (slot->run == solver->memory->runs) {
        copy_scores(slot->scores, scores);
        return;
    }
    int64_t bounds[SEATS];
    find_bounds(solver, at, bounds);
    solver->budget--;
    best_of(solver, at, bounds, scores);
    slot = remembered(solver, &key);
    slot->key = key;
    slot->run = solver->memory->runs;
    copy_scores(scores, slot->scores);
}

static void solve(Solver *solver, const Position *at, const int64_t *bounds, int64_t *scores) {
    Cards hand = at->hands[at->turn];
    if (solver->budget < 0) return;
    if (!at->on_table && !(all_hands(at) & solver->counting))
        final_scores(solver, at->taken, scores);
    else if (at->on_table || !(hand & (hand - 1)))  // the last trick is quicker played than looked up
        best_of(solver, at, bounds, scores);
    else
        solve_tricks(solver, at, scores);
}

static Solver solver_of(const Game *game, const Position *start, Memory *memory, int64_t budget) {
    Solver solver = {.game = game, .memory = memory, .budget = budget};
    solver.counting = game->scoring | game->doubler | game->moon | game->pig;
    value_cards(game, start->face_up, start->face_down, &solver.values);
    find_kinds(&solver);
    return solver;
}
