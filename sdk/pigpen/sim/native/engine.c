// The accelerated engine: see docs/adr/0012-a-library-without-a-language.md. Compiled by sdk/hatch_build.py.

#include "memory.h"
#include "game.h"
#include "chance.h"
#include "dealing.h"
#include "playout.h"
#include "solve.h"
#include "sealed.h"
#include "tally.h"
#include "learned.h"
#include "tree.h"
#include "stepwise.h"
#include "observe.h"
#include "unpack.h"
#include "tables.h"
#include "leaves.h"

// Which sources this was compiled from.
const char pigpen_source[] = SOURCE;

// Deal the unseen cards once: `lie` has room for PLACES masks, and for the generator's state afterwards, two words.
void pigpen_sample(const Unseen *unseen, const uint64_t *seed, uint64_t *lie) {
    Chance chance = seeded(seed);
    draw(unseen, &chance, lie);
    lie[PLACES] = (uint64_t)chance.state;
    lie[PLACES + 1] = chance.state >> 64;
}

// Play to the end: `scores` has room for SEATS numbers. `tally` counts for `seat`; 0: nothing is counted.
void pigpen_playout(const Game *game, const Position *start, const uint64_t *seed, int64_t policy, int64_t *scores,
                    int64_t seat, Tally *tally) {
    Chance chance = seeded(seed);
    Position at = *start;
    Values values;
    play_out(game, &at, policy, &chance);
    value_cards(game, at.face_up, at.face_down, &values);
    score(game, &values, at.taken, 0, scores);
    if (tally) note(game, &values, at.taken, scores, seat, -1, tally);
}

// Deal the unseen cards `deals` times, and play each deal to its end once for each of the cards `options` that are
// legal at the start. `sums` has SEATS numbers for each option, lowest first. `tallies` has a tally for each, or is 0.
void pigpen_playouts(const Game *game, const Position *start, const Unseen *unseen, const uint64_t *seed, int64_t policy,
                     int64_t deals, Cards options, int64_t *sums, Tally *tallies) {
    Chance chance = seeded(seed);
    Values values;
    value_cards(game, start->face_up, start->face_down, &values);
    while (deals-- > 0) {
        Position dealt = *start;
        draw_hands(unseen, &chance, &dealt);
        if (dealt.face_down != start->face_down) value_cards(game, dealt.face_up, dealt.face_down, &values);
        int64_t *row = sums;
        Tally *tally = tallies;
        for (Cards left = options; left; left &= left - 1, row += SEATS) {
            Position at = dealt;
            int64_t scores[SEATS];
            play(game, &at, lowest(left));
            play_out(game, &at, policy, &chance);
            score(game, &values, at.taken, 0, scores);
            for (int seat = 0; seat < game->players; seat++) row[seat] += scores[seat];
            if (tally) note(game, &values, at.taken, scores, start->turn, lowest(left), tally++);
        }
    }
}

// Try all `choices` of a sealed question in each of `deals` deals. `sums` has a number for each, to which the margins of the
// seat are added.
void pigpen_sealed(const Game *game, const Unseen *unseen, const Sealed *sealed, int64_t deals, const SealedSeeds *seeds,
                   int64_t policy, int64_t choices, const SealedChoice *choice, int64_t *sums) {
    for (; deals > 0; deals--) try_sealed(game, unseen, sealed, seeds++, policy, choices, choice, sums);
}

// Solve the ending: `rows` has SEATS numbers for each legal card, lowest first. `memory` is zeroed, or
// that of an earlier call. Returns what is left of `budget`, the number of positions between tricks to look at; below
// zero: it was not enough.
int64_t pigpen_solve(const Game *game, const Position *start, Memory *memory, int64_t budget, int64_t *rows) {
    Solver solver = solver_of(game, start, memory, budget);
    memory->runs++;
    int64_t bounds[SEATS];
    for (int seat = 0; seat < SEATS; seat++) bounds[seat] = INT64_MAX;
    Cards options = legal(game, start), tried = different(&solver, start, options);
    for (int64_t *row = rows; options; options &= options - 1, row += SEATS) {
        if (tried & options & -options) {
            Position next = *start;
            play(game, &next, lowest(options));
            solve(&solver, &next, bounds, row);
        } else {
            copy_scores(row - SEATS, row);
        }
    }
    return solver.budget;
}

int64_t pigpen_memory_size(void) { return sizeof(Memory); }

// Search: try each of the cards `options`, legal at the start, in the same `deals` deals. Adds to `sums`, which has SEATS
// numbers for each option, lowest first, and to `tallies`, which has one for each or is 0. A new tree has zeros, but for
// `chance` and `capacity`.
void pigpen_tree(const Game *game, const Position *start, const Unseen *unseen, const History *history, Tree *tree,
                 int64_t deals, Cards options, int64_t *sums, Tally *tallies) {
    Search search = {.game = game, .start = start, .unseen = unseen, .history = history, .tree = tree};
    begin_search(&search);
    while (deals-- > 0) {
        const Position deal = likely_deal(&search);
        int64_t *row = sums;
        Tally *tally = tallies;
        for (Cards left = options; left; left &= left - 1, row += SEATS) {
            int64_t scores[SEATS] = {0};
            descend(&search, &deal, lowest(left), scores, tally);
            if (tally) tally++;
            for (int seat = 0; seat < game->players; seat++) row[seat] += scores[seat];
        }
    }
    tree->chance[0] = (uint64_t)search.chance.state;
    tree->chance[1] = search.chance.state >> 64;
}

int64_t pigpen_tree_size(int64_t capacity) { return sizeof(Tree) + capacity * sizeof(Branch); }

// Play to the end `times` times by the learned policy. Adds to `sums`, which has SEATS numbers. For benchmarks/choices.py.
void pigpen_learned_playouts(const Game *game, const Position *start, const uint64_t *seed, int64_t times, int64_t *sums) {
    Chance chance = seeded(seed);
    Solver solver = solver_of(game, start, 0, INT64_MAX);
    Model model;
    find_model(game, &solver.values, &model);
    while (times-- > 0) {
        Position at = *start;
        int64_t scores[SEATS] = {0};
        for (Cards options; (options = legal(game, &at));) play(game, &at, chosen(game, &model, &at, options, &chance));
        final_scores(&solver, at.taken, scores);
        for (int seat = 0; seat < game->players; seat++) sums[seat] += scores[seat];
    }
}

// What the learned policy looks at: FACTORS numbers for each legal card, lowest first. For benchmarks/learning.py.
void pigpen_features(const Game *game, const Position *at, int32_t *found) {
    Values values;
    Model model;
    value_cards(game, at->face_up, at->face_down, &values);
    find_model(game, &values, &model);
    Cards options = legal(game, at);
    Sight seen = sight(game, &model, at, options);
    for (; options; options &= options - 1, found += FACTORS) {
        Pile pile = pile_of(&model, &seen, lowest(options));
        features(&model, &seen, &pile, lowest(options), found);
    }
}
