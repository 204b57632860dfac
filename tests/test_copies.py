"""Everything public can be copied and pickled, and a copy has the same future as the original and none of its state."""

from __future__ import annotations

import copy
import copyreg
import dataclasses
import enum
import gc
import importlib
import inspect
import pickle
import random
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import pigpen
import pigpen_arena as arena
from ladder.values.value import Computing
from pigpen import learn, rules, search
from pigpen.check import cases_of
from pigpen.rules import PRESETS, Deal, deal_hands
from pigpen.rules.errors import PigpenError
from pigpen.sim import native
from pigpen.sim.native import OTHER_ENGINE
from sample_bots.cautious.bot import Cautious
from tests.learn.test_tables import python_tables
from tests.test_error_tree import our_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACKAGES = (pigpen, arena)
HEARTS, SALE = PRESETS["hearts"], PRESETS["gongzhu-sale"]
CLOCK = pigpen.ClockSetting(60.0, 0.1, 1.0, start_up=10.0)


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """A package and all its modules but the generated ones."""
    for file in sorted((top := Path(package.__path__[0])).rglob("*.py")):
        name = ".".join((package.__name__, *file.relative_to(top).with_suffix("").parts)).removesuffix(".__init__")
        if not name.startswith("pigpen.v1."):
            yield importlib.import_module(name)


@cache
def public_classes() -> list[type]:
    """Every class that stands in an `__all__` of the packages from which users import."""
    named = [getattr(each, name) for package in PACKAGES for each in modules(package) for name in each_name(each)]
    return sorted({each for each in named if inspect.isclass(each)}, key=lambda each: each.__qualname__)


def each_name(module: ModuleType) -> list[str]:
    return getattr(module, "__all__", [])


def a_deal(variant: rules.Rules = HEARTS, plays: int = 9) -> Deal:
    """A deal in the middle of its third trick."""
    deal = Deal(variant, deal_hands(variant, bytes(32), 3), number=3)
    while len(deal.plays) < plays:
        seat = deal.to_act[0]
        deal.apply(seat, deal.default_action(seat))
    return deal


def a_half_sealed_deal() -> Deal:
    """A deal in which some seats have answered a sealed question and some have not."""
    deal = Deal(SALE, deal_hands(SALE, bytes(32), 0))
    deal.apply(deal.to_act[0], {deal.legal(deal.to_act[0])[0]: rules.Face.DOWN})
    return deal


def a_view() -> pigpen.View:
    """A view that has drawn random numbers and counted its deals."""
    deal = a_deal()
    view = pigpen.View(*deal.known_to(deal.turn), totals=(1, 2, 3, 4), seed=7)
    view.rng.random()
    view.sample(view.rng)
    return view


def a_tree() -> search.CardTree:
    tree = search.CardTree(a_view(), random.Random(1))
    tree.scores(20)
    return tree


def some_tables() -> learn.Tables:
    tables = learn.Tables("hearts", games=3, seed=7)
    forward(tables, 5)
    return tables


def some_steps() -> learn.Steps:
    deal = Deal(HEARTS, deal_hands(HEARTS, bytes(32), 0))
    steps = learn.Steps(HEARTS, deal.phase, deal.legal_mask(0))
    steps.take(steps.legal()[0])
    return steps


def a_game() -> rules.Game:
    game = rules.Game(PRESETS["gongzhu"])
    next_deal(game)
    return game


@cache
def a_match() -> arena.Match:
    return arena.play([Cautious, "random", "random", "random"], "hearts", deals=1, seed="7", progress=False)


@cache
def a_result() -> arena.Result[Any]:
    return arena.check("random", ["hearts-short"], case="follow suit", progress=False)


def learned() -> arena.LearnedDeal:
    words, actions = np.zeros((2, 23), np.uint64), np.arange(2)
    return arena.LearnedDeal(1, words, actions, actions, actions > 0, np.zeros(4, np.float32))


EXAMPLES: dict[type, Callable[[], object]] = {
    arena.LearnedDeal: learned,
    arena.Match: lambda: a_match(),
    arena.Result: lambda: a_result(),
    learn.BoardResult: lambda: learn.BoardResult(np.array([0.5, -0.25, 0.0])),
    learn.Encoding: lambda: learn.Encoding("hearts"),
    learn.Steps: some_steps,
    learn.SavedTables: lambda: some_tables().save(),
    learn.Tables: some_tables,
    pigpen.Bot: pigpen.Bot,
    pigpen.Card: lambda: pigpen.Card(49),
    pigpen.ClockSetting: lambda: CLOCK,
    pigpen.DealResult: lambda: pigpen.DealResult(0, 2, (6, 3, 13, 4), (6, 3, 13, 4)),
    pigpen.FaultNotice: lambda: pigpen.FaultNotice("timeout", "late", 3, takeover=True),
    pigpen.MatchResult: lambda: pigpen.MatchResult(1, 5.25),
    pigpen.Play: lambda: a_view().trick[0],
    pigpen.Tally: pigpen.Tally,
    pigpen.Solution: lambda: pigpen.solve(a_deal(plays=44)),
    pigpen.View: a_view,
    pigpen.Welcome: lambda: pigpen.Welcome(HEARTS, 0, "boards:16", CLOCK),
    rules.Deal: a_deal,
    rules.Doubler: lambda: SALE.scoring.doubler,
    rules.End: lambda: SALE.end,
    rules.Exposing: lambda: SALE.exposing,
    rules.Exposure: lambda: rules.Exposure(2, pigpen.Card(49), rules.Face.UP),
    rules.FirstTrick: lambda: HEARTS.first_trick,
    rules.Game: a_game,
    rules.Leading: lambda: HEARTS.leading,
    rules.Moon: lambda: HEARTS.moon,
    rules.Opening: lambda: HEARTS.opening,
    rules.Passing: lambda: HEARTS.passing,
    rules.Plan: lambda: SALE.plan,
    rules.Rules: lambda: dataclasses.replace(SALE, name="mine"),
    rules.Scoring: lambda: SALE.scoring,
    rules.SeatView: lambda: a_deal().view(0),
    search.CardTree: a_tree,
    search.Pace: lambda: search.Pace(pigpen.Welcome(HEARTS, 0, "boards:16", CLOCK)),
    search.SearchBot: lambda: seated(search.SearchBot()),
    search.TreeBot: lambda: seated(search.TreeBot()),
    importlib.import_module("pigpen.check").Case: lambda: cases_of(HEARTS)[5],
    importlib.import_module("pigpen.check").Outcome: lambda: pigpen_outcome(),
}
"""An object of each public class, in the middle of what it does."""


def seated(bot: pigpen.Bot) -> pigpen.Bot:
    bot.match_started(pigpen.Welcome(HEARTS, 0, "boards:16", CLOCK))
    return bot


def pigpen_outcome() -> object:
    return importlib.import_module("pigpen.check").check(Cautious, [HEARTS], limit=60.0)[0]


def agents(rules_name: str) -> Any:
    env = learn.aec(rules_name, render_mode="ansi")
    env.reset(seed=3)
    forward(env, 9)
    return env


def one_seat(*bots: object, seed: int = 3) -> Any:
    env: Any = arena.against(bots, "hearts", render_mode="ansi")  # type: ignore[arg-type]
    _, env.info = env.reset(seed=seed)
    forward(env, 3)
    return env


HELPED = """
import pigpen
from beside import Memory

class Helped(pigpen.Bot):
    def __init__(self):
        self.memory = Memory()

    def play(self, view):
        self.memory.plays += 1
        return view.legal[self.memory.plays % len(view.legal)]
"""


@pytest.fixture(scope="session")
def helped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot with a module beside it, of whose classes it holds an object."""
    folder = tmp_path_factory.mktemp("helped")
    (folder / "bot.py").write_text(HELPED)
    (folder / "beside.py").write_text("class Memory:\n    plays = 0\n")
    return folder


MORE: dict[str, Callable[[Path], object]] = {
    "pass": lambda _: Deal(HEARTS, deal_hands(HEARTS, bytes(32), 0)),
    "half sealed": lambda _: a_half_sealed_deal(),
    "aec": lambda _: agents("hearts"),
    "aec of gongzhu": lambda _: agents("gongzhu"),
    "against": lambda _: learn_env(),
    "against bots by name": lambda _: one_seat("random", "counting", "cautious"),
    "against a bot with files": lambda folder: one_seat(folder, "random", folder),
    "against the search": lambda _: one_seat(seated(search.SearchBot()), "random", Cautious()),
}
"""Further objects."""


def learn_env() -> Any:
    env: Any = learn.against([Cautious, Cautious(), Cautious], "hearts", seat=2)
    _, env.info = env.reset(seed=3)
    forward(env, 3)
    return env


def next_deal(game: rules.Game) -> None:
    deal = game.next_deal(deal_hands(game.rules, bytes(32), game.deals))
    while not deal.is_over:
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
    game.add(deal)


def forward(value: Any, times: int = 1) -> None:
    """Let *value* do what changes it."""
    for _ in range(times):
        if isinstance(value, Deal):
            value.apply(value.to_act[-1], value.default_action(value.to_act[-1]))
        elif isinstance(value, rules.Game):
            next_deal(value)
        elif isinstance(value, pigpen.View):
            value.sample(value.rng)
        elif isinstance(value, rules.SeatView):
            value.hand_mask ^= 1
        elif isinstance(value, learn.Steps):
            value.take(value.legal()[-1]) if value.legal() else None
        elif isinstance(value, learn.Tables):
            value.step(value.random_actions())
            value.playouts()
        elif isinstance(value, pigpen.Tally):
            value.add([1] * len(value.numbers))
        elif isinstance(value, search.CardTree):
            value.scores(20)
        elif hasattr(value, "agent_selection"):
            over = value.terminations[value.agent_selection]
            value.step(None if over else int(value.last()[0]["action_mask"].nonzero()[0][-1]))
        elif hasattr(value, "action_space"):
            *value.rewarded, value.info = value.step(int(value.info["action_mask"].nonzero()[0][-1]))
        else:
            assert not changes(value), f"the test does not know what changes {value!r}"


FIXED = (arena.Match, learn.Encoding, learn.SavedTables, pigpen.Bot, search.Pace)
"""Classes that could be changed by assignment alone, which a user does at his own risk."""


def changes(value: object) -> bool:
    frozen = getattr(value, "__dataclass_params__", None)
    return not (isinstance(value, (tuple, int, enum.Enum, Exception, *FIXED)) or (frozen and frozen.frozen))


def looks(value: Any, seen: tuple[int, ...] = ()) -> object:
    """Take an object apart, down to plain values that can be compared."""
    if id(value) in seen or isinstance(value, type | ModuleType) or callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    into = partial(looks, seen=(*seen, id(value)))
    if isinstance(value, random.Random):
        return value.getstate()
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if isinstance(value, list | tuple):
        return [into(each) for each in value]
    if isinstance(value, dict):
        return {str(name): into(each) for name, each in value.items() if name not in HIDDEN}
    if isinstance(value, learn.SavedTables):
        tables = learn.Tables(value.rules, games=len(value), seed=1)
        tables.restore(value)
        return into(tables)
    if isinstance(value, learn.Tables):
        shown = [each.tolist() for each in (value.observations, value.seats, value.rewards, value.over, value.unpack())]
        return shown, value._chance.tolist()
    if isinstance(value, Exception):
        return type(value).__qualname__, value.args, into(vars(value))
    attributes = {name: each for name, each in state_of(value).items() if name not in HIDDEN}
    if not attributes and " object at 0x" not in repr(value):
        return repr(value)
    return type(value).__qualname__, into(attributes)


HIDDEN = {"_folder", "path", "_plan", "plan", "_possible", "_tree", "_engine", "_state_bits", "_program", "_makers"}
"""Attributes that are made anew, or stand for a place on the disk; what a tree holds shows in its scores."""


def state_of(value: object) -> dict[str, object]:
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()) if name[:2] != "__"]
    return {name: getattr(value, name) for name in slots if hasattr(value, name)} | getattr(value, "__dict__", {})


def future(value: Any) -> list[object]:
    """Let *value* go on, and give all that shows of it meanwhile."""
    shown = [looks(value)]
    for _ in range(3):
        forward(value)
        shown.append(looks(value))
        if isinstance(value, search.CardTree):
            shown.append(value.scores(10))
    return shown


def example(name: str, folder: Path) -> Any:
    if name in MORE:
        return MORE[name](folder)
    kind = next(each for each in public_classes() if each.__qualname__ == name)
    if issubclass(kind, enum.Enum):
        return list(kind)[-1]
    return kind("It went wrong.") if issubclass(kind, PigpenError) else EXAMPLES[kind]()


NAMES = [each.__qualname__ for each in public_classes() if not getattr(each, "_is_protocol", False)] + [*MORE]
WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "oldest pickle that has all": lambda value: pickle.loads(pickle.dumps(value, protocol=2)),
    "pickle beside its arrays": lambda value: beside_arrays(value),
}


def beside_arrays(value: object) -> object:
    """Pickle as pools do that share memory: the arrays of the copy cannot be written to."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(each.raw()) for each in buffers])


def test_every_public_class_has_an_example() -> None:
    assert len(public_classes()) > 40
    known = [each for each in public_classes() if issubclass(each, enum.Enum | PigpenError) or each in EXAMPLES]
    assert [each for each in public_classes() if each not in known and not getattr(each, "_is_protocol", False)] == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_a_copy_has_the_same_future_and_shares_no_state(name: str, way: str, helped: Path) -> None:
    value = example(name, helped)
    twin, other = WAYS[way](value), WAYS[way](value)
    before = looks(value)
    assert looks(twin) == before
    expected = future(value)
    assert looks(twin) == before
    assert future(twin) == expected
    assert looks(other) == before
    if changes(value) and not isinstance(value, rules.SeatView):
        assert expected[-1] != before


def test_the_future_is_the_same_in_another_process(helped: Path) -> None:
    values = [example(name, helped) for name in NAMES]
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        remote = list(pool.map(future, values))
    for name, value, found in zip(NAMES, values, remote, strict=True):
        assert found == future(value), name


@pytest.mark.parametrize("name", NAMES)
def test_a_dataclass_becomes_a_dictionary(name: str, helped: Path) -> None:
    value = example(name, helped)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        assert {*dataclasses.asdict(value)} == {field.name for field in dataclasses.fields(value)}


MADE_OF: dict[str, tuple[object, ...]] = {
    "AtAnotherTable": ("amber-fox", "2 1/1"),
    "BadPosition": ("not legal", "3", "7C", "2S 3S"),
    "BeingComputed": (Computing(place=2, done=3, steps=40, is_served=True),),
    "Busy": ("Wait {minutes} minutes.", 300.0),
    "ContainerLost": ("A container was killed.", 2),
    "FolderMissing": ("sha256:1",),
    "FoldersMissing": (("sha256:1", "sha256:2"),),
    "NoLadder": ("There is no ladder here",),
    "ProgramLost": ("A bot does not exist any more.", "sha256:1"),
    "TooOften": ("Wait {minutes} minutes.", 300.0),
    "_FolderLost": ("A folder does not exist any more.", "sha256:1"),
}
"""Arguments of the errors whose constructors are their own: something else than the text of the error, or more."""


def an_error(kind: type[PigpenError]) -> PigpenError:
    """An error as it is raised, which something has noted an attribute on since."""
    error = kind(*MADE_OF.get(kind.__name__, ("It went wrong.",)))
    vars(error)["detail"] = 7
    return error


def has_own_constructor(kind: type[PigpenError]) -> bool:
    return any("__init__" in vars(each) for each in kind.__mro__ if issubclass(each, PigpenError))


def test_every_error_with_a_constructor_of_its_own_is_made_by_it() -> None:
    assert {name for name, kind in our_errors().items() if has_own_constructor(kind)} == {*MADE_OF}


@pytest.fixture
def _only_our_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what other packages register for the errors that they find (distributed does): users may lack them."""
    for kind in {*our_errors().values()} & {*copyreg.dispatch_table}:
        monkeypatch.delitem(copyreg.dispatch_table, kind)


@pytest.mark.usefixtures("_only_our_ways")
@pytest.mark.parametrize("name", sorted(our_errors()))
def test_every_error_is_copied_as_it_was_raised(name: str) -> None:
    error = an_error(our_errors()[name])
    for way in WAYS.values():
        twin = way(error)
        assert (str(twin), looks(twin)) == (str(error), looks(error))


def fail(name: str) -> None:
    kind = our_errors()[name]
    copyreg.dispatch_table.pop(kind, None)
    raise an_error(kind)


@pytest.mark.usefixtures("_only_our_ways")
def test_every_error_comes_out_of_a_pool_as_it_was_raised() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        futures = {name: pool.submit(fail, name) for name in our_errors()}
    for name, future_of_it in futures.items():
        found, error = future_of_it.exception(), an_error(our_errors()[name])
        assert found is not None
        assert (type(found), str(found), looks(vars(found))) == (type(error), str(error), looks(vars(error)))


def test_tables_without_the_accelerated_engine_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "engine", lambda: None)
    for way in WAYS.values():
        tables = some_tables()
        assert python_tables(tables)
        twin = way(tables)
        assert future(twin) == future(tables)


@pytest.mark.parametrize("here", [None, "another"])
def test_memory_of_an_engine_that_does_not_run_here_is_refused(
    here: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pickled = [pickle.dumps(each) for each in (some_tables(), a_tree())]
    other = copy.copy(native.engine()) if here else None
    if here and other:
        other.source = here
    monkeypatch.setattr(native, "engine", lambda: other)
    for each in pickled:
        with pytest.raises(ValueError, match=r"\w") as refused:
            pickle.loads(each)
        assert str(refused.value) == OTHER_ENGINE


def test_rules_stay_frozen_and_have_a_hash() -> None:
    twin = pickle.loads(pickle.dumps(SALE))
    assert (twin, hash(twin)) == (SALE, hash(SALE))
    assert len({*PRESETS.values(), twin}) == len(PRESETS)
    assert copy.deepcopy(SALE) is SALE
    assert pickle.loads(pickle.dumps(SALE)) is twin, "each process makes the plan of a variant once"
    assert SALE.exposing is not None
    points: Any = SALE.scoring.points
    changed = dict(points)
    for change in (
        lambda: points.update(QS=1), lambda: points.pop("QS"), lambda: points.__setitem__("QS", 1), points.clear,
        lambda: points.__delitem__("QS"), points.popitem, lambda: points.setdefault("2C", 1),
        lambda: points.__ior__({"2C": 1}),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="never changed"):
            change()
    assert points == changed


def test_pickles_are_small() -> None:
    """A pool that gets a view for each decision must not get all tables of the variant with it."""
    assert len(pickle.dumps(a_view())) < 6_000
    assert len(pickle.dumps(a_deal())) < 5_000


def test_a_match_brings_its_record(tmp_path: Path) -> None:
    match = arena.play([Cautious, "random", "random", "random"], "hearts", deals=1, seed="7", progress=False)
    pickled, twin = pickle.dumps(match), copy.copy(match)
    folder, record = match.path.parent, match.path.read_bytes()
    del match
    gc.collect()
    assert not folder.exists()
    for each in (pickle.loads(pickled), twin):
        assert each.path.read_bytes() == record
        assert each.verify().holds
    kept = arena.play(["random"] * 4, "hearts", deals=1, record=tmp_path / "kept.jsonl", progress=False)
    assert pickle.loads(pickle.dumps(kept)).path == kept.path
