// Playing a deal to its end without much thought: the policies of pigpen/rules/playout.py.

enum { RANDOM = 0, CAREFUL = 1 };

static int any(Cards cards, Chance *chance) {
    uint64_t skip = below(chance, count(cards));
    for (; skip; skip--) cards &= cards - 1;
    return lowest(cards);
}

static int least(Cards cards, const int64_t *order) {
    int best = lowest(cards);
    int64_t value = order[best];
    for (cards &= cards - 1; cards; cards &= cards - 1) {
        int card = lowest(cards), is_better = order[card] < value;
        best = is_better ? card : best;
        value = is_better ? order[card] : value;
    }
    return best;
}

static int most(Cards cards, const int64_t *order) {
    int best = lowest(cards);
    int64_t value = order[best];
    for (cards &= cards - 1; cards; cards &= cards - 1) {
        int card = lowest(cards), is_better = order[card] > value;
        best = is_better ? card : best;
        value = is_better ? order[card] : value;
    }
    return best;
}

static int careful_follow(const Game *game, const Position *at, Cards options, int best) {
    Cards under = options & (((Cards)1 << best) - 1), over = options & ~under;
    if (over && at->on_table == game->players - 1) {
        int card = least(over, game->prize);
        int64_t harm = game->harm[card];
        for (int place = 0; place < at->on_table; place++) harm += game->harm[at->table[place]];
        if (!under || harm < 0) return card;
    }
    return under ? most(under, game->danger) : lowest(over);
}

static int careful(const Game *game, const Position *at, Cards options, Chance *chance) {
    if (word(chance) >> 61 == 0) return any(options, chance);
    if (!at->on_table) return least(options, game->meek);
    int place = winning(at);
    if (options & led(at)) return careful_follow(game, at, options, at->table[place]);
    int is_ours = game->partners && !((seat_after(game, at->leader, place) ^ at->turn) & 1);
    return is_ours ? least(options, game->danger) : most(options, game->danger);
}

static void play_out(const Game *game, Position *at, int policy, Chance *chance) {
    for (Cards options; (options = legal(game, at));) {
        if (!(options & (options - 1)))
            play(game, at, lowest(options));
        else
            play(game, at, policy == RANDOM ? any(options, chance) : careful(game, at, options, chance));
    }
}
