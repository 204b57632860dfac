// What the seat to decide knows, packed: pigpen/learn/encoding.py, `Encoding.observe`.

enum { HAND, LEGAL, CHOSEN, PASSED, RECEIVED, TABLE, LED, WINNING, FACE_DOWN_PLANE, OWN_PLANES };
enum { PASS_TO_BIT = 8, VOIDS_BIT = 32 };

static uint64_t state_word(const Game *game, const Table *table) {
    int bits = 4 * game->players, own = 4 * table->seat;
    uint64_t voids = (table->voids >> own | table->voids << (bits - own)) & (((uint64_t)1 << bits) - 1);
    return (uint64_t)1 << (table->phase - 1) | (uint64_t)1 << (PASS_TO_BIT + table->offset) | voids << VOIDS_BIT;
}

static void observe_exposed(const Game *game, const Table *table, Cards *words, Cards *exposed) {
    Cards played = 0;
    uint64_t hidden = 0;
    for (int seat = 0; seat < game->players; seat++) played |= table->played[seat];
    for (int place = 0; place < game->players; place++) {
        int seat = seat_after(game, table->seat, place);
        Cards unknown = place ? table->down[seat] & ~played : 0;
        exposed[place] = table->chosen[seat] & ~unknown;
        words[FACE_DOWN_PLANE] |= table->down[seat] & ~unknown;
        hidden |= (uint64_t)count(unknown) << 8 * place;
    }
    exposed[game->players + 1] = hidden;
}

// All that the seat to decide knows: OWN_PLANES + 3 planes for each seat, and two words.
static void observe(const Game *game, const Table *table, Cards *words) {
    const Position *at = &table->at;
    int players = game->players, is_sealed = table->phase < PLAY;
    Cards *played = words + OWN_PLANES, *taken = played + players, *exposed = taken + players, on_table = 0;
    for (int place = 0; place < at->on_table; place++) on_table |= (Cards)1 << at->table[place];
    words[HAND] = at->hands[table->seat];
    words[LEGAL] = table->legal;
    words[CHOSEN] = is_sealed ? table->chosen[table->seat] : 0;
    words[PASSED] = table->passed[table->seat];
    words[RECEIVED] = table->received[table->seat];
    words[TABLE] = on_table;
    words[LED] = led(at);
    words[WINNING] = on_table ? (Cards)1 << at->table[winning(at)] : 0;
    words[FACE_DOWN_PLANE] = is_sealed ? table->down[table->seat] : 0;
    for (int place = 0; place < players; place++) {
        int seat = seat_after(game, table->seat, place);
        played[place] = table->played[seat];
        taken[place] = at->taken[seat];
        exposed[place] = 0;
    }
    exposed[players] = state_word(game, table);
    exposed[players + 1] = 0;
    if (!is_sealed && (at->face_up | at->face_down)) observe_exposed(game, table, words, exposed);
}

static int64_t words_of(const Game *game) { return OWN_PLANES + 3 * game->players + 2; }
