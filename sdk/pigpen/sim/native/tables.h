// Many tables at once: pigpen/learn/tables.py.

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

// Show what the seats to decide know, and which seats they are.
void pigpen_tables_observe(const Game *game, int64_t tables, const Table *table, Cards *observations, int64_t *seats) {
    for (; tables; tables--, table++, observations += words_of(game)) {
        observe(game, table, observations);
        *seats++ = table->seat;
    }
}

// Show all plays so far in order, DECK numbers for each table: the relative seat times DECK plus the card; -1: none yet.
void pigpen_tables_plays(const Game *game, int64_t tables, const Table *table, int16_t *to) {
    for (; tables; tables--, table++) {
        for (int64_t number = 0; number < DECK; number++) {
            int place = number < table->plays ? seat_after(game, game->players - table->seat, table->player[number]) : 0;
            *to++ = number < table->plays ? place * DECK + table->card[number] : -1;
        }
    }
}

// Show the hands of all seats, that of the seat to decide first: DECK bytes of 0 and 1 for each seat.
void pigpen_tables_hands(const Game *game, int64_t tables, const Table *table, uint8_t *to) {
    for (; tables; tables--, table++)
        for (int place = 0; place < game->players; place++, to += DECK)
            put_cards(to, table->at.hands[seat_after(game, table->seat, place)]);
}

// Take an action at each table, or at those that `where` marks. Returns -1; or the number of the first table at which it is
// not legal, and nothing has changed; or -2: no deal with a choice was found. A deal that is over gives rewards, and the next
// one begins.
int64_t pigpen_tables_step(const Game *game, const Setting *setting, int64_t tables, Table *table, const int64_t *actions,
                           const uint8_t *where, Cards *observations, int64_t *seats, float *rewards, uint8_t *over) {
    for (int64_t number = 0; number < tables; number++)
        if ((!where || where[number]) && !is_legal(setting, &table[number], actions[number])) return number;
    for (int64_t number = 0; number < tables; number++, table++, observations += words_of(game), rewards += game->players) {
        for (int seat = 0; seat < game->players; seat++) rewards[seat] = 0;
        over[number] = 0;
        if (where && !where[number]) continue;
        act(game, setting, table, actions[number]);
        if (table->phase == OVER) {
            over[number] = 1;
            reward(game, table, rewards);
            if (!deal_anew(game, setting, table)) return -2;
        }
        observe(game, table, observations);
        seats[number] = table->seat;
    }
    return -1;
}

// Draw a legal action for each table; all are equally likely. `state` is advanced.
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

// The next action by a policy; it exposes no card, and a shooter who has a choice subtracts.
static int64_t action_by(const Game *game, const Table *table, int64_t policy, Chance *chance) {
    if (table->phase == EXPOSE || table->phase == MOON) return DONE;
    if (policy == RANDOM) return any(table->legal, chance);
    return table->phase == PASS ? most(table->legal, game->danger) : careful(game, &table->at, table->legal, chance);
}

// Choose an action by a policy for each table, or for those that `where` marks. `state` is advanced.
void pigpen_tables_choose(const Game *game, int64_t tables, const Table *table, const uint8_t *where, int64_t policy,
                          uint64_t *state, int64_t *actions) {
    Chance chance = seeded(state);
    for (int64_t number = 0; number < tables; number++)
        if (!where || where[number]) actions[number] = action_by(game, &table[number], policy, &chance);
    state[0] = (uint64_t)chance.state;
    state[1] = chance.state >> 64;
}

// Play a table to its end by CAREFUL; sealed answers are those of `settle` in pigpen/sim/playout.py.
static void play_out_table(const Game *game, const Setting *setting, Table *table, Chance *chance) {
    while (table->phase == PASS || table->phase == EXPOSE)
        act(game, setting, table, action_by(game, table, CAREFUL, chance));
    if (table->phase == PLAY) play_out(game, &table->at, CAREFUL, chance);
}

// Play on from each legal action of each table, `times` times. `values` has `actions` numbers for each table: the mean
// reward of the seat to decide; those of actions that are not legal stay as they are. `state` is advanced.
void pigpen_tables_playouts(const Game *game, const Setting *setting, int64_t tables, const Table *table, int64_t actions,
                            int64_t times, uint64_t *state, float *values) {
    Chance chance = seeded(state);
    for (; tables; tables--, table++, values += actions) {
        for (int64_t action = 0; action < actions; action++) {
            if (!is_legal(setting, table, action)) continue;
            double sum = 0;
            for (int64_t time = 0; time < times; time++) {
                Table after = *table;
                float rewards[SEATS];
                act(game, setting, &after, action);
                play_out_table(game, setting, &after, &chance);
                reward(game, &after, rewards);
                sum += rewards[table->seat];
            }
            values[action] = sum / times;
        }
    }
    state[0] = (uint64_t)chance.state;
    state[1] = chance.state >> 64;
}
