"""Tree search with a net: what it is asked, what becomes of its answers, and a bot that plays by one."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pigpen import Card, View, margin
from pigpen.learn import Encoding
from pigpen.learn.net_bot import NetBot
from pigpen.learn.net_tree import NET_DEALS, NetTree, pack_table, softmax
from pigpen.rules import PRESETS, Deal, Phase, Rules, deal_hands
from pigpen.search import race
from pigpen.sim import native
from pigpen.sim.card_tree import MIN_BRANCHES
from pigpen.sim.native.binding import packed_rules
from pigpen.sim.possible_deals import PossibleDeals
from tests.learn.test_tables import here
from tests.rules.table import ODD, named
from tests.sim.test_card_tree import places
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from numpy.typing import NDArray

every_variant = pytest.mark.parametrize("rules", PRESETS.values(), ids=named)


def of_plane(encoding: Encoding, row: NDArray[np.uint8], name: str) -> int:
    start = 52 * encoding.planes.index(name)
    return sum(1 << card for card in range(52) if row[start + card])


class Flat:
    """A net that knows nothing, and notes what it is asked."""

    def __init__(self, rules: Rules) -> None:
        self.encoding = Encoding(rules)
        self.asked: list[NDArray[np.uint8]] = []

    def __call__(self, observations: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.asked.append(observations.copy())
        count = len(observations)
        return (
            np.zeros((count, self.encoding.actions), dtype=np.float32),
            np.zeros((count, self.encoding.players), dtype=np.float32),
        )


class Counts(Flat):
    """A net that expects each seat to end with the points that it has taken so far."""

    def __call__(self, observations: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        logits, values = super().__call__(observations)
        points = np.array(self.encoding.rules.plan.points, dtype=np.float32)
        for place in range(self.encoding.players):
            start = 52 * self.encoding.planes.index(f"taken_{place}")
            values[:, place] = -(observations[:, start : start + 52] @ points)
        return logits, values - values.mean(1, keepdims=True)


@here
@pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
def test_the_root_is_packed_as_the_seat_observes_it(rules: Rules) -> None:
    engine, encoding = native.engine(), Encoding(rules)
    assert engine
    observe = engine.library.pigpen_tables_observe
    observe.argtypes = (ctypes.c_char_p, ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)
    for deal in places(rules, 25, seed=41):
        view = bot_view(deal, deal.turn)
        possible = PossibleDeals(view)
        root = pack_table(encoding, view, possible.known_position())
        found, seat = np.zeros(encoding.words, dtype=np.uint64), np.zeros(1, dtype=np.int64)
        assert len(root) == engine.library.pigpen_table_size()
        observe(packed_rules(rules), 1, root, found.ctypes.data, seat.ctypes.data)
        wanted = encoding.observe(view)
        for name, one, other in zip(encoding.planes, found.tolist(), wanted, strict=False):
            assert one == other, name
        assert found[-2] & ~np.uint64(0xFF << 16) == np.uint64(wanted[-2] & ~(0xFF << 16))  # but for the first leader
        assert seat[0] == view.seat


@here
@every_variant
def test_a_net_is_asked_about_positions_that_fit_the_view(rules: Rules) -> None:
    """Every observation has the cards played so far; the root's seat, where it decides, has its own hand."""
    encoding = Encoding(rules)
    for deal in places(rules, 6, seed=42):
        view, net = bot_view(deal, deal.turn), Flat(rules)
        tree = NetTree(view, Random(1), net)
        if not tree.is_tree:
            continue
        values = [tree.trial(view.legal) for _ in range(4)]
        assert {len(row) for row in values} == {len(view.legal)}
        before = sum(1 << card for card in view.plays)
        for rows in net.asked:
            assert len(rows) <= NET_DEALS * len(view.legal)
            for row in rows:
                played = 0
                for place in range(rules.players):
                    assert not played & of_plane(encoding, row, f"played_{place}")
                    played |= of_plane(encoding, row, f"played_{place}")
                assert played & before == before
                assert played.bit_count() > len(view.plays)
                assert not of_plane(encoding, row, "hand") & played
                legal = of_plane(encoding, row, "legal")
                assert legal & ~of_plane(encoding, row, "hand") == 0
                assert legal & (legal - 1)  # what is forced is played before the net is asked


@here
def test_the_net_decides_what_a_trial_finds() -> None:
    """Cards that take points at once are worse for a net that counts what was taken."""
    rules, rng, better, seen = PRESETS["hearts"], Random(4), 0, 0
    for deal in places(rules, 400, seed=43):
        view = bot_view(deal, deal.turn)
        led = view.trick
        if len(led) != rules.players - 1 or not any(play.card.suit.name == "HEARTS" for play in led):
            continue
        winning = view.winning
        assert winning
        low = [card for card in view.legal if card.suit is led[0].card.suit and card.rank < winning.card.rank]
        high = [card for card in view.legal if card.suit is led[0].card.suit and card.rank > winning.card.rank]
        if not low or not high or len(view.hand) < 4:
            continue
        tree = NetTree(view, rng, Counts(rules))
        found = np.mean([tree.trial([low[0], high[-1]]) for _ in range(3)], axis=0)
        seen += 1
        better += found[0] > found[1]
    assert seen > 1
    assert better == seen


@here
@every_variant
def test_the_same_seed_gives_the_same_values_and_hidden_cards_change_nothing(rules: Rules) -> None:
    for deal in places(rules, 4, seed=44):
        view = bot_view(deal, deal.turn)
        other = bot_view(view.sample(Random(3)), deal.turn)
        trees = [NetTree(each, Random(7), Counts(rules)) for each in (view, other)]
        one, two = ([tree.trial(view.legal) for _ in range(5)] for tree in trees)
        assert one == two
        assert NetTree(view, Random(7), Counts(rules)).trial(view.legal[::-1]) == one[0][::-1]


@here
def test_a_deal_that_ends_within_the_tree_counts_as_it_ended() -> None:
    """The last but one trick is full after this card, and the last one is forced."""
    rules = PRESETS["hearts"]
    ended = 0
    for deal in places(rules, 500, seed=45):
        view = bot_view(deal, deal.turn)
        if len(view.hand) != 2 or len(view.legal) != 2 or len(view.trick) != 3 or PossibleDeals(view).unseen.ways() > 1:
            continue
        net = Flat(rules)
        values, ends = NetTree(view, Random(1), net).trial(view.legal), []
        for card in view.legal:
            after = deal.copy()
            after.play(card)
            while not after.is_over:
                after.apply(after.turn, after.default_action(after.turn))
            ends.append(margin(rules, after.scores(), view.seat))
        assert values == ends
        assert not net.asked
        ended += 1
    assert ended > 1


@here
@pytest.mark.parametrize("branches", [MIN_BRANCHES, 300])
def test_a_tree_keeps_within_its_memory(branches: int) -> None:
    rules = PRESETS["gongzhu"]
    view = bot_view(deal := next(places(rules, 1, seed=46)), deal.turn)
    tree = NetTree(view, Random(1), Counts(rules), branches)
    for _ in range(30):
        tree.trial(view.legal)
    assert tree._tree
    used = int.from_bytes(ctypes.string_at(tree._tree.address, 40)[24:32], "little")
    assert len(view.legal) < used <= branches


@here
@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (lambda n: (np.zeros((n, 53)), np.zeros((n, 4))), "shape"),
        (lambda n: (np.zeros((n, 54)), np.zeros(n)), "shape"),
        (lambda n: (np.full((n, 54), np.nan), np.zeros((n, 4))), "finite"),
        (lambda n: (np.zeros((n, 54)), np.full((n, 4), np.inf)), "finite"),
    ],
)
def test_a_wrong_answer_of_a_net_is_named(answer: Any, word: str) -> None:
    view = bot_view(deal := next(places(PRESETS["hearts"], 1, seed=47)), deal.turn)
    with pytest.raises(ValueError, match=word):
        NetTree(view, Random(1), lambda seen: answer(len(seen))).trial(view.legal)


def test_without_the_engine_a_trial_is_made_by_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "engine", lambda: None)
    rules = PRESETS["hearts"]
    view, net = bot_view(deal := next(places(rules, 1, seed=48)), deal.turn), Flat(rules)
    tree = NetTree(view, Random(1), net)
    assert not tree.is_tree
    assert race(view.legal, tree.trial, 0.0, 1) in view.legal
    assert not net.asked


def test_probabilities_are_of_what_is_allowed() -> None:
    found = softmax(
        np.array([[0.0, 1000.0, 0.0], [5.0, 5.0, -5000.0]]), np.array([[1, 0, 1], [1, 1, 1]], dtype=np.bool_)
    )
    assert found.tolist() == [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]


@every_variant
@pytest.mark.parametrize("trials", [0, 2])
def test_a_bot_plays_whole_deals_by_a_net(rules: Rules, trials: int) -> None:
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    bot = NetBot(Counts(rules))
    bot.trials = trials
    while not deal.is_over:
        seat = deal.to_act[0]
        view = bot_view(deal, seat)
        ask: Any = {Phase.PASS: bot.pass_cards, Phase.EXPOSE: bot.expose, Phase.MOON: bot.choose_moon}
        deal.apply(seat, ask.get(deal.phase, bot.play)(view))
    assert len(deal.plays) == len(rules.plan.deck)


def test_a_bot_takes_what_its_net_likes_best() -> None:
    rules = PRESETS["hearts"]
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    liked = sorted(map(int, deal.legal(0)))[4:7]

    def net(observations: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        logits = np.zeros((len(observations), 54), dtype=np.float32)
        logits[:, liked] = 1
        return logits, np.zeros((len(observations), 4), dtype=np.float32)

    assert sorted(map(int, NetBot(net).pass_cards(View(*deal.known_to(0), seed=1)))) == liked
    assert all(isinstance(card, Card) for card in NetBot(net).pass_cards(View(*deal.known_to(0), seed=1)))


def test_without_onnx_runtime_one_sentence_says_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['onnxruntime'] = None\nfrom pigpen.learn.onnx_net import OnnxNet\n"
        "try:\n    OnnxNet('net.onnx')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install onnxruntime" in done.stdout
