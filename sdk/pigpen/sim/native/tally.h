// Where the points of one seat's side come from in finished deals: `Tally` of pigpen/sim/tally.py, number by number.

typedef struct {
    int64_t deals, tricks, own_moons, other_moons;
    int64_t doubled, own_moon, other_moon;  // margins
    int64_t taken[DECK], points[DECK];
} Tally;

static int64_t team_margin(const Game *game, int64_t *scores, int seat) {
    add_partners(game, scores);
    return margin(game, scores, seat);
}

// Add a finished deal. `card` is the one that the seat played to the current trick; -1: none.
static void note(const Game *game, const Values *values, const Cards *taken, const int64_t *scores, int seat, int card,
                 Tally *tally) {
    int64_t plain[SEATS], doubled[SEATS], whole = margin(game, scores, seat);
    int moon = shooter(game, taken);
    Cards own = 0;
    for (int each = 0; each < game->players; each++) {
        plain[each] = total(values, taken[each] & game->scoring);
        doubled[each] = own_points(game, values, taken[each]);
        if (are_mates(game, seat, each)) own |= taken[each];
    }
    int64_t without_moon = team_margin(game, doubled, seat);
    tally->deals++;
    tally->tricks += card >= 0 && taken[seat] >> card & 1;
    tally->doubled += without_moon - team_margin(game, plain, seat);
    if (moon >= 0) {
        int is_own = are_mates(game, seat, moon);
        *(is_own ? &tally->own_moons : &tally->other_moons) += 1;
        *(is_own ? &tally->own_moon : &tally->other_moon) += whole - without_moon;
    }
    for (own &= game->scoring | game->doubler; own; own &= own - 1) {
        tally->taken[lowest(own)]++;
        tally->points[lowest(own)] += values->points[lowest(own)];
    }
}
