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

// Play a table to its end by CAREFUL; sealed answers are those of `settle` in pigpen/sim/playout.py.
static void play_out_table(const Game *game, const Setting *setting, Table *table, Chance *chance) {
    while (table->phase == PASS || table->phase == EXPOSE)
        act(game, setting, table, table->phase == PASS ? most(table->legal, game->danger) : DONE);
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
