"""Bots of a ladder that resemble each other: in programs, answers and sources; for organisers alone."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest

from ladder.app.computing.alike import ASKER, SourceLook, alike_bots
from ladder.app.computing.computing_run import run_computing
from ladder.errors import Forbidden, LadderError, UserError
from ladder.results.kept_sources import SourceFiles
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands import computations
from ladder.store.commands.computations import NewQuestion
from ladder.store.commands.results import record_summary
from ladder.store.turns import waiting_computations
from ladder.values.accounts import LOCAL, Viewer
from ladder.values.questions import Lane
from tests.ladder import ladders
from tests.ladder.computing_here import ComputerHere, compute_all, computing_here
from tests.ladder.matches.test_source_prints import OWN, renamed
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.app.ladder import Ladder
    from ladder.settings.settings import Settings

BOTS = {"Ada": 0, "Abe": 0, "Amy": 0, "Ben": 1, "Bob": 1, "Cora": 2, "Carl": 2}
"""By bot: its program, among those of `ladders.PLAYERS`. They sit at the numbers 0, 1, 2 and, a second one, 3."""
FORM = "boards:4"
MATCHES = 24


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    ladder = ladders.new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("ladder")))
    rng = random.Random(8)
    with ladder.database.write() as session:
        versions = {name: ladders.enter(session, name) for name in BOTS}
    for number in range(MATCHES):
        first, last = rng.sample([name for name, program in BOTS.items() if program == 0], 2)
        names = first, *(rng.choice([name for name in BOTS if BOTS[name] == program]) for program in (1, 2)), last
        play(ladder, [versions[name] for name in names], str(number % 8))
    yield ladder
    ladder.database.close()


@pytest.fixture
def ladder(settings: Settings) -> Iterator[Ladder]:
    ladder = ladders.new_ladder(settings)
    yield ladder
    ladder.database.close()


def play(ladder: Ladder, versions: list[int], seed: str) -> None:
    with ladder.database.write() as session:
        match = ladders.queue(session, versions, "hearts", seed, FORM)
        attempt = ladders.lease(session, match)
    ladder.files.keep(match, attempt, ladders.packed(ladders.played("hearts", seed, form=FORM)), {})
    with ladder.database.write() as session:
        summary = ladders.summary_of("hearts", seed, form=FORM)
        assert record_summary(session, match, attempt, summary, ladders.NOW)


def test_pairs_that_agree_more_than_others_are_listed_once_computed(played: Ladder) -> None:
    first = alike_bots(played, LOCAL)
    assert first.answers_computing is not None
    assert (first.answers, first.variant, first.variants) == ((), "hearts", ("hearts",))
    assert compute_all(played) == 1
    found = alike_bots(played, LOCAL, "hearts")
    assert found.answers_computing is None
    assert {(each.one.bot, each.other.bot) for each in found.answers} == {
        ("Abe", "Ada"),
        ("Abe", "Amy"),
        ("Ada", "Amy"),
    }
    assert all(each.equal == each.decisions for each in found.answers)
    assert all(each.chance < 0.5 for each in found.answers)
    assert (found.matches, found.unknown) == (MATCHES, len(BOTS))
    assert {each.one.owner for each in found.answers} == {"owner of Abe", "owner of Ada"}


def test_a_version_that_has_retired_since_is_left_out_and_nothing_is_done_to_a_bot(played: Ladder) -> None:
    alike_bots(played, LOCAL)
    compute_all(played)
    with played.database.write() as session:
        entries = session.query(models.Rating).all()
        assert {entry.state for entry in entries} == {models.State.ACTIVE}
        (amy,) = [each.id for each in session.query(models.Version).filter_by(source="Amy")]
        entry = session.get_one(models.Rating, ("hearts", amy))
        entry.state = models.State.RETIRED
    try:
        assert [(each.one.bot, each.other.bot) for each in alike_bots(played, LOCAL).answers] == [("Abe", "Ada")]
    finally:
        with played.database.write() as session:
            session.get_one(models.Rating, ("hearts", amy)).state = models.State.ACTIVE


def test_an_organiser_alone_may_ask(played: Ladder) -> None:
    for viewer in (Viewer(), Viewer(name="ada")):
        with pytest.raises(Forbidden):
            alike_bots(played, viewer)
    assert alike_bots(played, Viewer(name="olga", is_organiser=True)).variant == "hearts"


def test_a_ladder_without_bots_has_nothing_and_a_variant_that_is_not_there_is_named(ladder: Ladder) -> None:
    found = alike_bots(ladder, LOCAL)
    assert (found.variant, found.equal, found.answers, found.sources) == (None, (), (), ())
    assert (found.answers_computing, found.sources_computing) == (None, None)
    with pytest.raises(LadderError, match="bridge"):
        alike_bots(ladder, LOCAL, "bridge")


def test_bots_with_one_program_are_listed_together_also_of_one_owner(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        versions = [ladders.enter(session, name, owner="ada") for name in ("One", "Two")]
        versions += [ladders.enter(session, name) for name in ("Three", "Three", "Four", "Five")]
        for version, digit in zip(versions, "112134", strict=True):
            session.get_one(models.Version, version).identity = identity_of(digit)
        session.get_one(models.Rating, ("hearts", versions[-1])).state = models.State.RETIRED
        session.get_one(models.Version, versions[-1]).identity = identity_of("1")
    (found,) = alike_bots(ladder, LOCAL).equal
    assert found.identity == identity_of("1")
    assert [(each.bot, each.version, each.owner) for each in found.bots] == [
        ("One", 1, "ada"), ("Three", 2, "owner of Three"), ("Two", 1, "ada")
    ]  # fmt: skip


def identity_of(digit: str) -> str:
    return f"sha256:{digit * 64}"


def with_sources(ladder: Ladder, sources: dict[str, str]) -> list[str]:
    """Enter a bot for each of these sources, put by as at its entry; gives their identities."""
    identities = []
    with ladder.database.write() as session:
        for name, text in sources.items():
            version = session.get_one(models.Version, ladders.enter(session, name))
            SourceFiles(ladder.settings.data_dir).put_by(version.identity, {"bot.py": text})
            identities.append(version.identity)
    return identities


async def test_a_running_ladder_fingerprints_sources_by_itself_and_keeps_none_of_them(ladder: Ladder) -> None:
    with_sources(ladder, {"One": OWN, "Two": renamed(OWN), "Three": "import random\n"})
    assert alike_bots(ladder, LOCAL).waiting == 3
    async with computing_here(ladder), asyncio.timeout(PATIENCE):
        while not (found := alike_bots(ladder, LOCAL)).sources:
            await asyncio.sleep(0.05)
    (pair,) = found.sources
    assert {pair.one[0].bot, pair.other[0].bot} == {"One", "Two"}
    assert pair.shared <= min(pair.one_prints, pair.other_prints)
    files = SourceFiles(ladder.settings.data_dir)
    assert files.waiting() == []
    assert len(files.fingerprinted()) == 3


class FailsFor(ComputerHere):
    """Refuses what names a certain program, as the process does that takes too long; answers all else."""

    def __init__(self, ladder: Ladder, identity: str) -> None:
        super().__init__(ladder.settings.data_dir)
        self._identity = identity
        self.refused = 0

    async def compute(self, question: str, advance: Callable[[int, int], None]) -> str:
        """See `Computer`."""
        if self._identity in question and "prints" in question:
            self.refused += 1
            raise UserError("It takes too long.")
        return await super().compute(question, advance)


async def test_a_program_whose_fingerprints_take_too_long_is_tried_once_and_stops_no_other(ladder: Ladder) -> None:
    identities = sorted(with_sources(ladder, {name: f"{OWN}\n{name} = 1\n" for name in ("One", "Two", "Three")}))
    computers = {lane: FailsFor(ladder, identities[0]) for lane in Lane}
    running = asyncio.ensure_future(run_computing(ladder, computers=computers))
    files = SourceFiles(ladder.settings.data_dir)
    try:
        async with asyncio.timeout(PATIENCE):
            while len(files.fingerprinted()) < 2:
                await asyncio.sleep(0.05)
    finally:
        running.cancel()
        await asyncio.wait([running])
    assert files.waiting() == identities[:1]
    assert computers[Lane.LONG].refused == 1
    found = alike_bots(ladder, LOCAL)
    assert found.waiting == 1
    assert found.sources_computing is not None


def test_a_list_that_cannot_be_made_says_why_and_leaves_the_others(ladder: Ladder) -> None:
    for identity in with_sources(ladder, {"One": OWN, "Two": OWN}):
        SourceFiles(ladder.settings.data_dir).keep_prints(identity, [1])
    assert alike_bots(ladder, LOCAL).sources_computing is not None
    with ladder.database.write() as session:
        lease = computations.claim(session, Lane.LONG, "me", ladder.clock(), 60.0)
        assert lease is not None
        computations.refuse(session, lease, "It takes too long.", ladder.clock())
    found = alike_bots(ladder, LOCAL)
    assert (found.sources_refused, found.sources_computing, found.variant) == ("It takes too long.", None, "hearts")


def test_one_program_waits_at_a_time_and_a_full_queue_leaves_it_for_later(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_sources(ladder, {"One": OWN, "Two": OWN})
    look = SourceLook(ladder)
    with ladder.database.write() as session:
        monkeypatch.setattr(computations.ask, "__defaults__", (1,))
        computations.ask(session, NewQuestion("key", Lane.LONG, {"kind": "costliest"}, "now", "account ada"), 1.0)
        look.look(session, ladder.clock())
        assert [each.visitor for each in waiting_computations(session)] == ["account ada"]
        monkeypatch.undo()
        look.look(session, ladder.clock())
        look.look(session, ladder.clock())
        assert [each.visitor for each in waiting_computations(session)] == ["account ada", ASKER]
