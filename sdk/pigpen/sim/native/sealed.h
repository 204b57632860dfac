// Passes and exposures, all tried in the same deals with the same random numbers: pigpen/sim/sealed.py.

// What a seat is asked before the tricks, and what it holds. `pass_count` 0: which cards it exposes. `leader` −1: the holder
// of the opening card.
typedef struct {
    int64_t seat, pass_count, offset, leader;
    Cards hand, opening;
} Sealed;

// An answer: the cards passed or exposed, and which of them are put face down.
typedef struct {
    Cards cards, face_down;
} SealedChoice;

// The random numbers of one deal: for the cards, for the answers of the other seats, for the play.
typedef struct {
    uint64_t cards[2], answers[2], play[2];
} SealedSeeds;

static Cards pass_by(const Game *game, const Sealed *sealed, Cards hand, int policy, Chance *chance) {
    Cards left = hand;
    for (int64_t number = 0; number < sealed->pass_count; number++)
        left &= ~((Cards)1 << (policy == RANDOM ? any(left, chance) : most(left, game->danger)));
    return hand & ~left;
}

// The deal after an answer, at the first trick. `passed` has the passes of all other seats.
static Position answered(const Game *game, const Sealed *sealed, const Position *dealt, Cards *passed,
                         const SealedChoice *choice) {
    Position at = *dealt;
    if (sealed->pass_count) {
        passed[sealed->seat] = choice->cards;
        for (int seat = 0; seat < game->players; seat++) at.hands[seat] &= ~passed[seat];
        for (int seat = 0; seat < game->players; seat++)
            at.hands[seat_after(game, seat, sealed->offset)] |= passed[seat];
    } else {
        at.face_down = choice->face_down;
        at.barred = at.face_up = choice->cards & ~choice->face_down;
    }
    at.leader = sealed->leader;
    for (int seat = 0; at.leader < 0; seat++)
        if (at.hands[seat] & sealed->opening) at.leader = seat;
    at.turn = at.leader;
    at.is_first_trick = 1;
    at.is_broken = !game->restricted;
    return at;
}

// Add the margin of the seat after each of the choices, in one deal.
static void try_sealed(const Game *game, const Unseen *unseen, const Sealed *sealed, const SealedSeeds *seeds, int policy,
                       int64_t choices, const SealedChoice *choice, int64_t *sums) {
    Chance cards = seeded(seeds->cards), answers = seeded(seeds->answers);
    Position dealt = {0};
    Cards passed[SEATS] = {0};
    Values values;
    dealt.hands[sealed->seat] = sealed->hand;
    draw_hands(unseen, &cards, &dealt);
    for (int seat = 0; seat < game->players; seat++)
        if (seat != sealed->seat) passed[seat] = pass_by(game, sealed, dealt.hands[seat], policy, &answers);
    value_cards(game, 0, 0, &values);
    for (; choices; choices--, choice++) {
        Chance play = seeded(seeds->play);
        int64_t scores[SEATS];
        Position at = answered(game, sealed, &dealt, passed, choice);
        play_out(game, &at, policy, &play);
        if (!sealed->pass_count) value_cards(game, at.face_up, at.face_down, &values);
        score(game, &values, at.taken, 0, scores);
        *sums++ += margin(game, scores, sealed->seat);
    }
}
