// Deals decision by decision, for learning: what pigpen/learn/single_table.py does, with the same numbers. A deal stops wherever
// a seat has a choice; a pass and an exposure are made card by card.

enum { PASS = 1, EXPOSE, PLAY, MOON, OVER };
enum { DONE = 52, ADD = 53, FACE_DOWN = 54 };
enum { MAX_DEALS = 1000 };

// What of a variant comes before the tricks. Filled by pigpen/learn/native_tables.py.
typedef struct {
    int64_t hand_size, pass_count, has_faces, directions;
    Cards deck, exposable, opening;
    int64_t offset[];
} Setting;

typedef struct {
    uint64_t chance[2];
    Position at;
    Cards legal;
    Cards passed[SEATS], received[SEATS], played[SEATS];
    Cards chosen[SEATS], down[SEATS];  // of sealed answers; later what is exposed, and what of that face down
    uint64_t voids, waiting;
    int64_t seat, phase, offset, adds, plays;
    uint8_t card[DECK], player[DECK];  // of the plays so far, in order
} Table;

static void begin_exposing(const Game *game, const Setting *setting, Table *table) {
    table->phase = EXPOSE;
    table->waiting = 0;
    for (int seat = 0; seat < game->players; seat++) {
        table->chosen[seat] = table->down[seat] = 0;
        if (table->at.hands[seat] & setting->exposable) table->waiting |= 1 << seat;
    }
}

static void exchange(const Game *game, Table *table) {
    for (int seat = 0; seat < game->players; seat++) {
        int to = seat_after(game, seat, table->offset);
        table->passed[seat] = table->received[to] = table->chosen[seat];
    }
    for (int seat = 0; seat < game->players; seat++)
        table->at.hands[seat] = (table->at.hands[seat] & ~table->passed[seat]) | table->received[seat];
}

static void begin_play(const Game *game, const Setting *setting, Table *table) {
    Position *at = &table->at;
    int leader = 0;
    for (int seat = 0; seat < game->players; seat++) {
        at->face_up |= table->chosen[seat] & ~table->down[seat];
        at->face_down |= table->down[seat];
        if (at->hands[seat] & setting->opening) leader = seat;
    }
    at->barred = at->face_up;
    at->leader = at->turn = leader;
    at->is_first_trick = 1;
    at->is_broken = !game->restricted;
    table->phase = PLAY;
}

static void deal_cards(const Game *game, const Setting *setting, Table *table) {
    Chance chance = seeded(table->chance);
    uint8_t deck[DECK];
    int size = 0;
    *table = (Table){0};
    table->offset = setting->offset[below(&chance, setting->directions)];
    for (Cards left = setting->deck; left; left &= left - 1) deck[size++] = lowest(left);
    for (int last = size - 1; last > 0; last--) {
        int other = below(&chance, last + 1), card = deck[last];
        deck[last] = deck[other];
        deck[other] = card;
    }
    for (int seat = 0, next = 0; seat < game->players; seat++)
        for (int card = 0; card < setting->hand_size; card++) table->at.hands[seat] |= (Cards)1 << deck[next++];
    table->chance[0] = (uint64_t)chance.state;
    table->chance[1] = chance.state >> 64;
    if (table->offset) {
        table->phase = PASS;
        table->waiting = (1 << game->players) - 1;
    } else {
        begin_exposing(game, setting, table);
    }
}

static void play_at(const Game *game, Table *table, int card) {
    Position *at = &table->at;
    int seat = at->turn;
    if (at->on_table && !(led(at) >> card & 1)) table->voids |= (uint64_t)1 << (4 * seat + at->table[0] / 13);
    table->played[seat] |= (Cards)1 << card;
    table->card[table->plays] = card;
    table->player[table->plays++] = seat;
    play(game, at, card);
}

static void settle_pass(const Game *game, const Setting *setting, Table *table) {
    if (table->waiting && setting->pass_count == setting->hand_size) {
        for (int seat = 0; seat < game->players; seat++) table->chosen[seat] = table->at.hands[seat];
        table->waiting = 0;
    }
    if (table->waiting) {
        table->seat = lowest(table->waiting);
        table->legal = table->at.hands[table->seat] & ~table->chosen[table->seat];
    } else {
        exchange(game, table);
        begin_exposing(game, setting, table);
    }
}

static void settle_exposing(const Game *game, const Setting *setting, Table *table) {
    for (; table->waiting; table->waiting &= table->waiting - 1) {
        int seat = lowest(table->waiting);
        table->seat = seat;
        table->legal = table->at.hands[seat] & setting->exposable & ~table->chosen[seat];
        if (table->legal) return;
    }
    begin_play(game, setting, table);
}

static void settle_play(const Game *game, Table *table) {
    Cards options;
    while ((options = legal(game, &table->at))) {
        if (options & (options - 1)) {
            table->seat = table->at.turn;
            table->legal = options;
            return;
        }
        play_at(game, table, lowest(options));
    }
    int moon = game->may_subtract ? shooter(game, table->at.taken) : -1;
    table->phase = moon < 0 ? OVER : MOON;
    table->seat = moon;
    table->legal = 0;
}

// Play what is forced, until a seat has a choice or the deal is over.
static void settle(const Game *game, const Setting *setting, Table *table) {
    if (table->phase == PASS) settle_pass(game, setting, table);
    if (table->phase == EXPOSE) settle_exposing(game, setting, table);
    if (table->phase == PLAY) settle_play(game, table);
}

static int deal_anew(const Game *game, const Setting *setting, Table *table) {
    for (int deals = 0; deals < MAX_DEALS; deals++) {
        deal_cards(game, setting, table);
        settle(game, setting, table);
        if (table->phase != OVER) return 1;
    }
    return 0;
}

static int is_legal(const Setting *setting, const Table *table, int64_t action) {
    if (action < 0) return 0;
    if (action < DECK) return table->legal >> action & 1;
    if (action == DONE) return table->phase == EXPOSE || table->phase == MOON;
    if (action == ADD) return table->phase == MOON;
    if (action >= FACE_DOWN + DECK || !setting->has_faces) return 0;
    return table->phase == EXPOSE && table->legal >> (action - FACE_DOWN) & 1;
}

static void act(const Game *game, const Setting *setting, Table *table, int64_t action) {
    int seat = table->seat;
    if (table->phase == PLAY) {
        play_at(game, table, action);
    } else if (table->phase == MOON) {
        table->adds = action == ADD;
        table->phase = OVER;
    } else if (action == DONE) {
        table->waiting &= table->waiting - 1;
    } else {
        Cards card = (Cards)1 << (action < FACE_DOWN ? action : action - FACE_DOWN);
        table->chosen[seat] |= card;
        if (action >= FACE_DOWN) table->down[seat] |= card;
        if (table->phase == PASS && count(table->chosen[seat]) == setting->pass_count)
            table->waiting &= table->waiting - 1;
    }
    settle(game, setting, table);
}

static void reward(const Game *game, const Table *table, float *rewards) {
    int64_t scores[SEATS], sum = 0;
    Values values;
    value_cards(game, table->at.face_up, table->at.face_down, &values);
    score(game, &values, table->at.taken, table->adds, scores);
    for (int seat = 0; seat < game->players; seat++) sum += scores[seat];
    for (int seat = 0; seat < game->players; seat++) {
        int64_t ahead = game->players * scores[seat] - sum;
        rewards[seat] = (double)(game->low_is_better ? -ahead : ahead) / game->players;
    }
}
