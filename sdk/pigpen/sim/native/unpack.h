// Packed observations as bytes of 0 and 1: pigpen/learn/encoding.py, `Encoding.unpack` and `mask`.

// The bits of a byte as eight bytes, lowest first.
#define SPREAD_1(n) \
    ((uint64_t)((n) & 1) | (uint64_t)((n) >> 1 & 1) << 8 | (uint64_t)((n) >> 2 & 1) << 16 | (uint64_t)((n) >> 3 & 1) << 24 | \
     (uint64_t)((n) >> 4 & 1) << 32 | (uint64_t)((n) >> 5 & 1) << 40 | (uint64_t)((n) >> 6 & 1) << 48 | \
     (uint64_t)((n) >> 7 & 1) << 56)
#define SPREAD_4(n) SPREAD_1(n), SPREAD_1((n) + 1), SPREAD_1((n) + 2), SPREAD_1((n) + 3)
#define SPREAD_16(n) SPREAD_4(n), SPREAD_4((n) + 4), SPREAD_4((n) + 8), SPREAD_4((n) + 12)
#define SPREAD_64(n) SPREAD_16(n), SPREAD_16((n) + 16), SPREAD_16((n) + 32), SPREAD_16((n) + 48)
static const uint64_t spread_bits[256] = {SPREAD_64(0), SPREAD_64(64), SPREAD_64(128), SPREAD_64(192)};

static void put_8(uint8_t *to, uint64_t bytes) { __builtin_memcpy(to, &bytes, 8); }

static void put_4(uint8_t *to, uint32_t bytes) { __builtin_memcpy(to, &bytes, 4); }

static void put_cards(uint8_t *to, Cards cards) {
    for (int byte = 0; byte < 6; byte++) put_8(to + 8 * byte, spread_bits[cards >> 8 * byte & 255]);
    put_4(to + 48, spread_bits[cards >> 48 & 15]);
}

// Unpack observations: 52 bytes for each plane, then the features.
void pigpen_tables_unpack(const Game *game, int64_t tables, const Cards *words, uint8_t *to) {
    int players = game->players, planes = OWN_PLANES + 3 * players;
    for (; tables; tables--, words += 2) {
        for (int plane = 0; plane < planes; plane++, to += DECK) put_cards(to, *words++);
        uint64_t state = words[0], hidden = words[1];
        put_4(to, spread_bits[state & 15]);
        for (int seat = 0; seat < players; seat++) {
            to[4 + seat] = state >> (PASS_TO_BIT + seat) & 1;
            to[4 + players + seat] = state >> (2 * PASS_TO_BIT + seat) & 1;
            put_4(to + 4 + 2 * players + 4 * seat, spread_bits[state >> (VOIDS_BIT + 4 * seat) & 15]);
            to[4 + 6 * players + seat] = hidden >> 8 * seat;
        }
        to += 4 + 7 * players;
    }
}

// The legal actions of observations, a byte for each action.
void pigpen_tables_mask(const Game *game, const Setting *setting, int64_t tables, const Cards *words, uint8_t *to) {
    for (; tables; tables--, words += words_of(game)) {
        uint64_t state = words[words_of(game) - 2];
        int is_exposing = state >> (EXPOSE - 1) & 1, is_moon = state >> (MOON - 1) & 1;
        put_cards(to, words[LEGAL]);
        to[DONE] = is_exposing | is_moon;
        to[ADD] = is_moon;
        to += FACE_DOWN;
        if (!setting->has_faces) continue;
        put_cards(to, is_exposing ? words[LEGAL] : 0);
        to += DECK;
    }
}
