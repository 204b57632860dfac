// Tree search with a net of the caller's: the tree is followed to new branches of many deals, the net values them all at once,
// and the values go back up the tree. See pigpen/learn/net_tree.py.

// Where the tree was left. `margins` are those of each seat: of the deal if it is over, else the caller's net writes them.
typedef struct {
    Way way;
    int64_t seat, is_over, is_branch;  // is_branch: the seat decides right behind the last branch
    int64_t margins[SEATS];
} Leaf;

int64_t pigpen_leaf_size(void) { return sizeof(Leaf); }

// The root's table in a deal: hands, and cards face down that the root's seat does not know.
static Table table_of(const Game *game, const Table *root, const Position *deal) {
    Table table = *root;
    Cards found = deal->face_down & ~root->at.face_down;
    table.at = *deal;
    for (int seat = 0; seat < game->players; seat++) {
        Cards own = found & deal->hands[seat];
        table.chosen[seat] |= own;
        table.down[seat] |= own;
    }
    return table;
}

static void show_leaf(Search *search, const Table *root, const Position *deal, Leaf *leaf, Cards *words) {
    const Game *game = search->game;
    Table table = table_of(game, root, deal);
    for (int number = 0; number < leaf->way.cards; number++) play_at(game, &table, leaf->way.card[number]);
    int64_t played = table.plays;
    settle_play(game, &table);
    leaf->is_over = table.phase != PLAY;
    leaf->is_branch = table.plays == played && leaf->way.branches == leaf->way.cards;
    leaf->seat = leaf->is_over ? 0 : table.seat;
    for (int64_t word = 0; word < words_of(game); word++) words[word] = 0;
    if (!leaf->is_over) {
        observe(game, &table, words);
        return;
    }
    int64_t scores[SEATS];
    value_cards(game, table.at.face_up, table.at.face_down, &search->solver.values);
    final_scores(&search->solver, table.at.taken, scores);
    for (int seat = 0; seat < game->players; seat++) leaf->margins[seat] = margin(game, scores, seat);
}

// Follow the tree from each of the cards `options` in `deals` deals: a leaf and an observation for each, deal by deal. Each
// branch on the way counts as visited, so that the next deals look at others, too.
void pigpen_tree_leaves(const Game *game, const Position *start, const Unseen *unseen, const History *history, Tree *tree,
                        int64_t deals, Cards options, const Table *root, Leaf *leaf, Cards *observations) {
    Search search = {.game = game, .start = start, .unseen = unseen, .history = history, .tree = tree, .has_net = 1};
    begin_search(&search);
    while (deals-- > 0) {
        const Position deal = likely_deal(&search);
        for (Cards left = options; left; left &= left - 1, leaf++, observations += words_of(game)) {
            Position at = deal;
            follow(&search, &at, lowest(left), &leaf->way);
            for (int step = 0; step < leaf->way.branches; step++) tree->branch[leaf->way.branch[step]].visits++;
            show_leaf(&search, root, &deal, leaf, observations);
        }
    }
    tree->chance[0] = (uint64_t)search.chance.state;
    tree->chance[1] = search.chance.state >> 64;
}

// Take the margins of leaves up the tree, and what the net says of the cards at them: DECK numbers from 0 to 1 for each.
void pigpen_tree_learn(Tree *tree, int64_t leaves, const Leaf *leaf, const float *priors, const Cards *legal, int64_t seat) {
    for (; leaves; leaves--, leaf++, priors += DECK, legal++) {
        const Way *way = &leaf->way;
        for (int step = 0; step < way->branches; step++)
            tree->branch[way->branch[step]].sum += leaf->margins[way->mover[step]];
        note_margin(tree, leaf->margins[seat]);
        if (leaf->is_over || !leaf->is_branch || !way->branches) continue;
        for (Cards cards = *legal; cards; cards &= cards - 1) {
            uint32_t branch = branch_of(tree, way->branch[way->branches - 1], lowest(cards));
            if (branch) tree->branch[branch].prior = 1 + (uint16_t)(priors[lowest(cards)] * 65534);
        }
    }
}
