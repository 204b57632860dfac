// Information-set tree search with one observer (P. I. Cowling, E. J. Powley, D. Whitehouse, 2012). The root's cards are all
// tried in the same deals, which takes most of the luck out of their differences. Below the root a seat takes the card that
// looks most promising: its mean margin so far, and an exploration term (PUCT) that follows the learned policy. The same
// policy plays the rest of the deal, and the last tricks are solved.

enum { CANDIDATES = 3, SOLVED = 2, SOLVED_FROM = 6 };

static const double EXPLORATION = 0.5;

// How far the policy may be wrong about a player: this part of its cards counts as chosen by chance.
static const double DOUBT = 0.05;

// A card, played after all the cards on the way from the root to it.
typedef struct {
    int64_t sum;  // of the margins of the seat that plays the card
    uint32_t visits;
    uint32_t child, sibling;  // numbers of branches; 0: none
    uint16_t card;
    uint16_t prior;  // of a net, 65535 for certain; 0: none was given
} Branch;

// What is kept from call to call, in memory of the caller, which is zeroed at first. It never has more than `capacity`
// branches; when all are in use, the search continues with those.
typedef struct {
    uint64_t chance[2];
    int64_t capacity, branches, ended;
    double mean, squares;  // of the margins of the root's seat, summed up as B. P. Welford does
    Branch branch[];
} Tree;

// The cards played before the root, in their order; who led the first; which cards were face up before that.
typedef struct {
    int64_t cards, leader;
    Cards barred;
    uint8_t card[DECK];
} History;

typedef struct {
    const Game *game;
    const Position *start;
    const Unseen *unseen;
    const History *history;
    Tree *tree;
    Model model;
    Solver solver;
    Chance chance;
    int has_net;
    uint8_t player[DECK];  // of the cards of the history
} Search;

static void find_players(Search *search) {
    const History *history = search->history;
    int64_t players = search->game->players, leader = history->leader;
    Position trick = {.leader = leader};
    for (int64_t number = 0; number < history->cards; number++) {
        search->player[number] = seat_after(search->game, leader, trick.on_table);
        trick.table[trick.on_table++] = history->card[number];
        if (trick.on_table == players) {
            leader = seat_after(search->game, leader, winning(&trick));
            trick.on_table = 0;
        }
    }
}

// Derive the rest of a search from what it was given.
static void begin_search(Search *search) {
    search->chance = seeded(search->tree->chance);
    search->solver = solver_of(search->game, search->start, 0, INT64_MAX);
    find_model(search->game, &search->solver.values, &search->model);
    find_players(search);
    if (!search->tree->branches) search->tree->branches = 1;
}

// The deal `at` before the first card was played.
static Position before(const Search *search, const Position *at) {
    const History *history = search->history;
    Position first = {.barred = history->barred, .leader = history->leader, .turn = history->leader};
    first.is_first_trick = 1;
    first.is_broken = !search->game->restricted;
    for (int seat = 0; seat < search->game->players; seat++) first.hands[seat] = at->hands[seat];
    for (int64_t number = 0; number < history->cards; number++)
        first.hands[search->player[number]] |= (Cards)1 << history->card[number];
    return first;
}

// How much more likely the policy plays the card than chance does.
static double surprise(const Search *search, const Position *at, Cards options, int card) {
    float weights[DECK], sum = weigh(search->game, &search->model, at, options, weights);
    float weight = weights[count(options & (((Cards)1 << card) - 1))];
    return DOUBT + (1 - DOUBT) * count(options) * weight / sum;
}

// How likely a deal is, by what the other seats have played.
static double plausibility(const Search *search, const Position *deal) {
    const History *history = search->history;
    Position at = before(search, deal);
    double found = 1;
    for (int64_t number = 0; number < history->cards; number++) {
        Cards options = at.turn == search->start->turn ? 0 : legal(search->game, &at);
        if (options & (options - 1)) found *= surprise(search, &at, options, history->card[number]);
        play(search->game, &at, history->card[number]);
    }
    return found;
}

// One of a few deals that fit: the likelier, the more often. A choice among more deals would rely more on the policy.
static Position likely_deal(Search *search) {
    Position likely = *search->start;
    double sum = 0;
    for (int number = 0; number < CANDIDATES; number++) {
        Position deal = *search->start;
        draw_hands(search->unseen, &search->chance, &deal);
        double weight = plausibility(search, &deal);
        sum += weight;
        if ((word(&search->chance) >> 11) * 0x1p-53 * sum < weight) likely = deal;
    }
    return likely;
}

// The branch of a card, a new one if need be; 0 if there is no memory left for it.
static uint32_t branch_of(Tree *tree, uint32_t parent, int card) {
    for (uint32_t child = tree->branch[parent].child; child; child = tree->branch[child].sibling)
        if (tree->branch[child].card == card) return child;
    if (tree->branches >= tree->capacity) return 0;
    uint32_t number = tree->branches++;
    tree->branch[number] = (Branch){.card = card, .sibling = tree->branch[parent].child};
    tree->branch[parent].child = number;
    return number;
}

// What the net has said of the options, lowest first, where it has: the others count as they do on average. Returns the sum;
// 0: it has said nothing.
static float by_net(const Tree *tree, uint32_t parent, Cards options, float *weights) {
    uint16_t prior[DECK] = {0};
    float sum = 0, total = 0;
    int said = 0;
    for (uint32_t child = tree->branch[parent].child; child; child = tree->branch[child].sibling) {
        const Branch *branch = &tree->branch[child];
        if (!(options >> branch->card & 1) || !branch->prior) continue;
        prior[branch->card] = branch->prior;
        sum += branch->prior;
        said++;
    }
    if (!said) return 0;
    for (; options; options &= options - 1) {
        uint16_t found = prior[lowest(options)];
        total += *weights++ = found ? found : sum / said;
    }
    return total;
}

// Which card to look at next. One that was not looked at yet counts as the others do on average.
static int promising(const Search *search, uint32_t parent, const Position *at, Cards options) {
    const Tree *tree = search->tree;
    const Branch *known[DECK] = {0};
    int64_t visits = 0, sum = 0;
    for (uint32_t child = tree->branch[parent].child; child; child = tree->branch[child].sibling) {
        const Branch *branch = &tree->branch[child];
        if (!(options >> branch->card & 1) || !branch->visits) continue;
        known[branch->card] = branch;
        visits += branch->visits;
        sum += branch->sum;
    }
    float weights[DECK], *weight = weights, total = search->has_net ? by_net(tree, parent, options, weights) : 0;
    if (!total) total = weigh(search->game, &search->model, at, options, weights);
    double mean = visits ? (double)sum / visits : 0, best_value = 0, spread = tree->ended ? tree->squares / tree->ended : 0;
    double scale = EXPLORATION * __builtin_sqrt(spread * (visits + 1)) / total;
    int best = -1;
    for (; options; options &= options - 1) {
        const Branch *branch = known[lowest(options)];
        double value = branch ? (double)branch->sum / branch->visits : mean;
        value += scale * *weight++ / (1 + (branch ? branch->visits : 0));
        if (best < 0 || value > best_value) {
            best = lowest(options);
            best_value = value;
        }
    }
    return best;
}

// Play the line of `scores`, which the solver has found: each seat plays its first card that leads to them.
static void play_solved(Solver *solver, Position *at, const int64_t *bounds, const int64_t *scores) {
    const Game *game = solver->game;
    for (Cards options; (options = different(solver, at, legal(game, at)));) {
        Position next = *at;
        for (int differ = 1; differ && options; options &= options - 1) {
            int64_t found[SEATS] = {0};
            next = *at;
            play(game, &next, lowest(options));
            solve(solver, &next, bounds, found);
            differ = 0;
            for (int seat = 0; seat < game->players; seat++) differ |= found[seat] != scores[seat];
        }
        *at = next;
    }
}

// Play to the end. `at` is left there if the deal is to be counted.
static void play_on(Search *search, Position *at, int64_t *scores, int is_counted) {
    const Game *game = search->game;
    int is_ending = count(search->start->hands[search->start->turn]) <= SOLVED_FROM;
    for (Cards options; (options = legal(game, at));) {
        if (is_ending && !at->on_table && count(at->hands[at->turn]) <= SOLVED) {
            int64_t bounds[SEATS];
            for (int seat = 0; seat < SEATS; seat++) bounds[seat] = INT64_MAX;
            best_of(&search->solver, at, bounds, scores);
            if (is_counted) play_solved(&search->solver, at, bounds, scores);
            return;
        }
        play(game, at, chosen(game, &search->model, at, options, &search->chance));
    }
    final_scores(&search->solver, at->taken, scores);
}

static void note_margin(Tree *tree, int64_t margin) {
    double off = margin - tree->mean;
    tree->mean += off / ++tree->ended;
    tree->squares += off * (margin - tree->mean);
}

// The way from the root into one new branch. The last card has no branch if there was no memory left for it.
typedef struct {
    uint32_t branch[DECK];
    uint8_t mover[DECK], card[DECK];
    int64_t branches, cards;
} Way;

static void follow(Search *search, Position *at, int card, Way *way) {
    Tree *tree = search->tree;
    uint32_t parent = 0;
    way->branches = way->cards = 0;
    for (;;) {
        uint32_t branch = branch_of(tree, parent, card);
        if (branch) {
            way->mover[way->branches] = at->turn;
            way->branch[way->branches++] = branch;
        }
        way->card[way->cards++] = card;
        play(search->game, at, card);
        Cards options = legal(search->game, at);
        if (!branch || !tree->branch[branch].visits || !options) break;
        parent = branch;
        card = options & (options - 1) ? promising(search, parent, at, options) : lowest(options);
    }
}

// Play a deal from a card of the root to its end: through the tree, into one new branch, and on without it. `tally` counts it,
// or is 0.
static void descend(Search *search, const Position *deal, int card, int64_t *scores, Tally *tally) {
    Tree *tree = search->tree;
    const Game *game = search->game;
    Position at = *deal;
    Way way;
    follow(search, &at, card, &way);
    if (deal->face_down) value_cards(game, at.face_up, at.face_down, &search->solver.values);
    play_on(search, &at, scores, !!tally);
    if (tally) note(game, &search->solver.values, at.taken, scores, deal->turn, card, tally);
    for (int step = 0; step < way.branches; step++) {
        tree->branch[way.branch[step]].visits++;
        tree->branch[way.branch[step]].sum += margin(game, scores, way.mover[step]);
    }
    note_margin(tree, margin(game, scores, deal->turn));
}
