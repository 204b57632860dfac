// The random numbers of pigpen/rules/chance.py.

typedef struct {
    unsigned __int128 state;
} Chance;

static uint64_t word(Chance *chance) {
    chance->state *= 0xDA942042E4DD58B5;
    return chance->state >> 64;
}

static uint64_t below(Chance *chance, uint64_t count) { return (unsigned __int128)word(chance) * count >> 64; }

static Chance seeded(const uint64_t *seed) { return (Chance){(unsigned __int128)seed[1] << 64 | seed[0]}; }
