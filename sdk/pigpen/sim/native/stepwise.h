// Many deals at once, decision by decision, for learning: what pigpen/learn/table.py and encoding.py do, with the same
// numbers. A deal stops wherever a seat has a choice; a pass and an exposure are made card by card.

enum { PASS = 1, EXPOSE, PLAY, MOON, OVER };
enum { DONE = 52, ADD = 53, FACE_DOWN = 54 };
enum { HAND, LEGAL, CHOSEN, PASSED, RECEIVED, TABLE, LED, WINNING, FACE_DOWN_PLANE, OWN_PLANES };
enum { PASS_TO_BIT = 8, VOIDS_BIT = 32, MAX_DEALS = 1000 };

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
    int64_t seat, phase, offset, adds;
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

int64_t pigpen_table_size(void) { return sizeof(Table); }

// Begin `tables` tables, whose `chance` is set. Returns whether a deal was found for each in which a seat has a choice.
int64_t pigpen_tables_begin(const Game *game, const Setting *setting, int64_t tables, Table *table, Cards *observations,
                            int64_t *seats) {
    for (; tables; tables--, table++, observations += words_of(game)) {
        if (!deal_anew(game, setting, table)) return 0;
        observe(game, table, observations);
        *seats++ = table->seat;
    }
    return 1;
}

// Show what the seats to decide know.
void pigpen_tables_observe(const Game *game, int64_t tables, const Table *table, Cards *observations) {
    for (; tables; tables--, table++, observations += words_of(game)) observe(game, table, observations);
}

// Take an action at each table. Returns -1; or the number of the first table at which it is not legal, and nothing has
// changed; or -2: no deal with a choice was found. A deal that is over gives rewards, and the next one begins.
int64_t pigpen_tables_step(const Game *game, const Setting *setting, int64_t tables, Table *table, const int64_t *actions,
                           Cards *observations, int64_t *seats, float *rewards, uint8_t *over) {
    for (int64_t number = 0; number < tables; number++)
        if (!is_legal(setting, &table[number], actions[number])) return number;
    for (; tables; tables--, table++, observations += words_of(game), rewards += game->players) {
        for (int seat = 0; seat < game->players; seat++) rewards[seat] = 0;
        act(game, setting, table, *actions++);
        *over = table->phase == OVER;
        if (*over++) {
            reward(game, table, rewards);
            if (!deal_anew(game, setting, table)) return -2;
        }
        observe(game, table, observations);
        *seats++ = table->seat;
    }
    return -1;
}

// Draw a legal action for each table; all are equally likely. `chance` goes on.
void pigpen_tables_random(const Setting *setting, int64_t tables, const Table *table, uint64_t *state, int64_t *actions) {
    Chance chance = seeded(state);
    for (; tables; tables--, table++) {
        int cards = count(table->legal), is_exposing = table->phase == EXPOSE;
        int options = table->phase == MOON ? 2 : cards + is_exposing * (1 + setting->has_faces * cards);
        int drawn = below(&chance, options);
        Cards left = table->legal;
        if (table->phase == MOON || drawn == cards) {
            *actions++ = DONE + (table->phase == MOON ? drawn : 0);
            continue;
        }
        int is_down = drawn > cards;
        for (int skip = is_down ? drawn - cards - 1 : drawn; skip; skip--) left &= left - 1;
        *actions++ = lowest(left) + (is_down ? FACE_DOWN : 0);
    }
    state[0] = (uint64_t)chance.state;
    state[1] = chance.state >> 64;
}
