// The unseen cards dealt at random, from the tables that pigpen/rules/sampling.py has counted.

enum { PLACES = 16 };

// Cards that may go to the same groups of places.
typedef struct {
    int64_t first_card, cards, groups;
    uint8_t group[PLACES];
} Class;

// What room the groups have left before a class is dealt: which options there are then.
typedef struct {
    int64_t first_option, options;
} Node;

// One way to split the class: how many cards each group gets, and the node for the class after it.
typedef struct {
    uint64_t limit;
    int64_t node;
    uint8_t split[PLACES];
} Option;

// Places that the same cards may go to.
typedef struct {
    int64_t places;
    uint8_t place[PLACES];
} Group;

typedef struct {
    int64_t classes, groups, places;
    uint8_t seat[PLACES], is_face_down[PLACES], size[PLACES];
    const Class *class;
    const uint8_t *card;
    const Node *node;
    const Option *option;
    const Group *group;
} Unseen;

// Give each of the places its part of the pile; the last of them takes what is left, which needs no chance.
static void spread(uint8_t *pile, int64_t cards, const uint8_t *places, int64_t count, const uint8_t *split,
                   Chance *chance, Cards *lie) {
    int64_t begin = 0, last = cards - 1;
    for (int64_t index = 0; index + 1 < count; index++) {
        int place = places[index];
        for (int64_t end = begin + split[place]; begin < end; begin++) {
            int64_t other = begin + below(chance, last + 1 - begin);
            lie[place] |= (Cards)1 << pile[other];
            pile[other] = pile[begin];
        }
    }
    for (; begin <= last; begin++) lie[places[count - 1]] |= (Cards)1 << pile[begin];
}

static const Option *drawn(const Unseen *unseen, const Node *node, Chance *chance) {
    const Option *option = unseen->option + node->first_option, *last = option + node->options - 1;
    if (option == last) return option;
    for (uint64_t number = word(chance); option < last && number >= option->limit;) option++;
    return option;
}

// What each group of places gets.
static void draw_groups(const Unseen *unseen, Chance *chance, Cards *held) {
    uint8_t pile[DECK];
    int64_t at = 0;
    for (int64_t level = 0; level < unseen->classes; level++) {
        const Class *class = &unseen->class[level];
        const Option *option = drawn(unseen, &unseen->node[at], chance);
        for (int64_t card = 0; card < class->cards; card++) pile[card] = unseen->card[class->first_card + card];
        spread(pile, class->cards, class->group, class->groups, option->split, chance, held);
        at = option->node;
    }
}

// Deal: `lie` gets the cards of each place.
static void draw(const Unseen *unseen, Chance *chance, Cards *lie) {
    Cards held[PLACES] = {0};
    for (int place = 0; place < PLACES; place++) lie[place] = 0;
    draw_groups(unseen, chance, held);
    for (int64_t number = 0; number < unseen->groups; number++) {
        const Group *group = &unseen->group[number];
        uint8_t pile[DECK];
        int cards = 0;
        for (; held[number]; held[number] &= held[number] - 1) pile[cards++] = lowest(held[number]);
        spread(pile, cards, group->place, group->places, unseen->size, chance, lie);
    }
}

// Deal into a position whose other hands are empty.
static void draw_hands(const Unseen *unseen, Chance *chance, Position *at) {
    Cards lie[PLACES];
    draw(unseen, chance, lie);
    for (int place = 0; place < unseen->places; place++) {
        at->hands[unseen->seat[place]] |= lie[place];
        if (unseen->is_face_down[place]) at->face_down |= lie[place];
    }
}
