"""Requirements of a run before it begins: other machines, and images that must be in the ladder's registry."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docker
import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from ladder.app.ladder import Ladder
from ladder.app.ladder_run import check_cluster, demands_of, push_images
from ladder.app.registry_maintenance import sweep
from ladder.errors import SandboxError, UserError
from ladder.matches.kinds import open_sandbox
from ladder.registry.program import RegistryPlan
from ladder.runner.cluster_executor import play_remotely
from ladder.runner.leased_tasks import RegistryLogins
from ladder.runner.submission_coordinator import SubmissionCoordinator
from ladder.sandbox.docker.bot_images import find_image
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.limits import Limits
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.models import State
from ladder.store.submission_look import look_at
from ladder.trials.trial import NOWHERE
from ladder.trials.trial_tasks import SubmissionOutcome
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import SubmissionOrder, SubmissionRow, VariantFile
from ladder.worker.bot_store import BotStore, StorePlan
from ladder.worker.match_tasks import TaskBot, load_version
from ladder.worker.pulled_images import PulledImages
from ladder.worker.trials import try_task
from ladder.worker.worker import Worker
from pigpen.rules import PRESETS
from pigpen.version import __version__
from tests.for_two import FOR_TWO
from tests.ladder import ladders
from tests.ladder.ladders import NOW
from tests.ladder.registries import guarded_registry
from tests.ladder.store.submitted import Fit
from tests.ladder.trials.tiny import load_tiny
from tests.ports import free_port


def with_bots(folder: Path, *pinned: str | None, registry: str = "", sandbox: str = "docker") -> UserError | None:
    """Give the error by which a ladder of such bots cannot be played on other machines."""
    settings = load_settings(data_dir=folder, registry=registry, sandbox=sandbox)
    with Ladder.open(settings, create=True) as ladder:
        with ladder.database.write() as session:
            for number, place in enumerate(pinned):
                identity = f"sha256:{number:064}"
                bot = Fit(f"Bot{number}", f"owner{number}", identity, sandbox, "bot", 7, pinned=place)
                bot.enter(session, [PRESETS["hearts"]], NOW)
        try:
            check_cluster(ladder)
        except UserError as error:
            return error
    return None


PINNED = f"registry.example/bot@sha256:{7:064}"


def test_images_that_are_in_no_registry_cannot_be_played_elsewhere(tmp_path: Path) -> None:
    sentence = str(with_bots(tmp_path, PINNED, None, None))
    assert "image of Bot1@1 and 1" in sentence
    assert "(pigpen up --registry PORT " in sentence


@pytest.mark.parametrize(
    ("pinned", "registry", "sandbox"),
    [(PINNED, "", "docker"), (None, "arena.example:5000", "docker"), (None, "", "process")],
)
def test_others_can(tmp_path: Path, pinned: str | None, registry: str, sandbox: str) -> None:
    assert with_bots(tmp_path, pinned, registry=registry, sandbox=sandbox) is None


def test_a_ladder_of_containers_asks_for_its_runtime_and_for_machines_like_this_one(tmp_path: Path) -> None:
    demands = demands_of(load_settings(data_dir=tmp_path, runtime="runsc"))
    assert (demands.version, demands.runtime, demands.architecture) == (__version__, "runsc", platform.machine())
    assert demands.slot_memory >= 4 * Limits().memory
    assert demands_of(load_settings(data_dir=tmp_path, sandbox="process")).runtime is None


def test_the_coordinator_s_process_knows_no_dask() -> None:
    check = "import sys, ladder.app.ladder_run; sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)


REALM = "http://127.0.0.1:1/"
SOON = 0.5
"""A registry that does not run is not waited for longer; seconds."""


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    """A ladder whose registry does not run yet."""
    settings = load_settings(
        data_dir=tmp_path / "ladder", registry=f"127.0.0.1:{free_port()}", clock="600+1", limit=60.0, preflight_deals=1
    )
    with Ladder.open(settings, create=True) as ladder:
        yield ladder


@pytest.fixture
def running(ladder: Ladder) -> Iterator[None]:
    """Its registry."""
    with guarded_registry(ladder.settings.data_dir, REALM, address=ladder.settings.registry):
        yield


@pytest.fixture
def image(client: docker.DockerClient, name: str) -> Iterator[str]:
    """The id of an image that only this engine has."""
    identity = load_tiny(client, f"pigpen-test/{name}:1", mark=name)
    yield identity
    if find_image(client, identity) is not None:
        client.api.remove_image(identity, force=True)


def enter(ladder: Ladder, identity: str, bot: str = "Trotter", state: State = State.ACTIVE) -> None:
    """Enter a version whose image is in no registry."""
    with ladder.database.write() as session:
        version = session.get_one(models.Version, ladders.enter(session, bot, "gongzhu", state=state))
        version.identity, version.sandbox, version.pinned = identity, "docker", None


def pinned(ladder: Ladder) -> str | None:
    with ladder.database.read() as session:
        return session.scalars(select(models.Version.pinned).order_by(models.Version.id)).first()


@pytest.mark.docker
@pytest.mark.registry
async def test_what_only_this_engine_has_is_pushed_once_and_can_be_pulled(
    ladder: Ladder, running: None, image: str, client: docker.DockerClient
) -> None:
    enter(ladder, image)
    assert [push_images(ladder), push_images(ladder)] == [1, 0]
    place = pinned(ladder)
    assert place is not None
    assert place.startswith(f"{ladder.settings.registry}/pigpen/{image[7:47]}@sha256:")
    client.api.remove_image(image, force=True)
    login = RegistryLogins(ladder.settings).login([place], ladder.clock())
    bot = TaskBot(name="Trotter", identity=image, sandbox=SandboxKind.DOCKER, pinned=place, registry=login)
    sandbox = DockerSandbox()
    try:
        assert (await load_version(sandbox, bot)).identity == image
    finally:
        await sandbox.close()


@pytest.mark.docker
@pytest.mark.registry
def test_what_cannot_be_pushed_now_is_pushed_the_next_time(ladder: Ladder, image: str) -> None:
    enter(ladder, image)
    with capture_logs() as logged:
        assert push_images(ladder, SOON) == 0
    assert [(event["event"], event["bots"]) for event in logged] == [("image.not_pushed", ("Trotter@1",))]
    with guarded_registry(ladder.settings.data_dir, REALM, address=ladder.settings.registry):
        assert push_images(ladder) == 1


@pytest.mark.docker
def test_an_image_that_this_engine_has_not_is_named(ladder: Ladder) -> None:
    enter(ladder, f"sha256:{'0' * 64}")
    with capture_logs() as logged:
        assert push_images(ladder, SOON) == 0
    assert [(event["event"], event["bots"]) for event in logged] == [("image.missing", ("Trotter@1",))]


def test_a_ladder_without_a_registry_says_whom_only_its_machine_can_play(ladder: Ladder) -> None:
    enter(ladder, f"sha256:{'0' * 64}")
    alone = replace(ladder, settings=ladder.settings.model_copy(update={"registry": ""}))
    with capture_logs() as logged:
        assert push_images(alone) == 0
    assert [(event["event"], event["bots"]) for event in logged] == [("image.no_registry", ["Trotter@1"])]


@pytest.mark.docker
@pytest.mark.registry
def test_what_the_ladder_has_pushed_stays_when_its_version_retires(ladder: Ladder, image: str) -> None:
    enter(ladder, image)
    address = ladder.settings.registry
    with guarded_registry(ladder.settings.data_dir, REALM, address=address):
        push_images(ladder)
    with ladder.database.write() as session:
        for entry in session.scalars(select(models.Rating)):
            entry.state = State.RETIRED
    plan = RegistryPlan(ladder.settings.data_dir, address, REALM)
    before = sorted(plan.images.rglob("data"))
    assert (sweep(ladder, address, plan), sorted(plan.images.rglob("data"))) == (0, before)


async def tried(ladder: Ladder, folder: Path, store: BotStore | None = None) -> tuple[SubmissionOutcome, SubmissionRow]:
    """Submit a folder, and have this machine try it, or, with a *store*, one that has nothing of the ladder's disk."""
    submissions = SubmissionCoordinator(ladder.database, ladder.settings, ladder.clock)
    kept = submissions.folders.make()
    folder.rename(submissions.folders.bot(kept, "mybot"))
    variants = (VariantFile(file="two.toml", rules=FOR_TWO.to_plain()),)
    with ladder.database.read() as session:
        look = look_at(session, "Trotter")
    order = SubmissionOrder(name="Trotter", source="mybot", variants=variants)
    task = submissions.begin(order, look, owner="ada", sandbox=SandboxKind.DOCKER, folder=kept)
    if store is None:
        outcome = await try_task(task, open_sandbox, print)
    else:
        worker = Worker(load_version, store=store)
        answer = await play_remotely(task.model_dump_json(), worker.play, ladder.settings.data_dir)
        outcome = SubmissionOutcome.model_validate_json(answer)
        await worker.close()
    row = submissions.record(outcome)
    assert row is not None
    return outcome, row


@pytest.mark.docker
@pytest.mark.registry
async def test_what_a_machine_elsewhere_has_built_is_entered_from_the_registry_and_does_not_stay_there(
    ladder: Ladder, running: None, bot: Callable[..., Path], name: str, client: docker.DockerClient, tmp_path: Path
) -> None:
    folder = bot(name)
    (folder / "note").write_text(f"remote {name}")
    outcome, row = await tried(ladder, folder, BotStore(StorePlan(data_dir=tmp_path / "remote")))
    assert (row.status, row.reason) == ("entered", "")
    assert outcome.program is not None
    assert pinned(ladder) == outcome.program.pinned
    assert find_image(client, outcome.program.identity) is None
    images = PulledImages(tmp_path / "remote", 10**12)
    login = RegistryLogins(ladder.settings).login([outcome.program.pinned], ladder.clock())
    task = TaskBot(
        name="Trotter", identity=outcome.program.identity, sandbox=SandboxKind.DOCKER, pinned=outcome.program.pinned,
        registry=login,
    )  # fmt: skip
    async with images.using(task):
        assert find_image(client, outcome.program.identity) is not None
    images.close()
    client.api.remove_image(outcome.program.identity, force=True)


@pytest.mark.docker
async def test_what_a_machine_elsewhere_has_built_is_void_without_a_registry(
    ladder: Ladder, bot: Callable[..., Path], name: str, tmp_path: Path
) -> None:
    alone = replace(ladder, settings=ladder.settings.model_copy(update={"registry": ""}))
    with pytest.raises(SandboxError, match=re.escape(NOWHERE)):
        await tried(alone, bot(name), BotStore(StorePlan(data_dir=tmp_path / "remote")))


@pytest.mark.docker
@pytest.mark.registry
async def test_a_folder_that_is_submitted_again_is_the_image_that_was_built_the_first_time(
    ladder: Ladder, running: None, bot: Callable[..., Path], name: str, client: docker.DockerClient
) -> None:
    def folder() -> Path:
        written = bot(name)
        (written / "note").write_text(name)
        return written

    outcome, row = await tried(ladder, folder())
    assert (row.status, row.reason) == ("entered", "")
    assert outcome.program is not None
    identity, place = outcome.program.identity, pinned(ladder)
    assert place is not None
    client.api.remove_image(identity, force=True)  # as on a machine that never built it
    again, row = await tried(ladder, folder())
    assert again.program is not None
    assert (again.program.identity, again.program.pinned, again.program.can_fork) == (identity, place, True)
    assert (row.result and row.result.new, row.result and row.result.version) == (False, "Trotter@1")
    client.api.remove_image(identity, force=True)
    login = RegistryLogins(ladder.settings).login([place], ladder.clock())
    sandbox = DockerSandbox(instances="warm")
    try:
        for can_fork in (False, True):
            task = TaskBot(
                name="Trotter",
                identity=identity,
                sandbox=SandboxKind.DOCKER,
                pinned=place,
                registry=login,
                can_fork=can_fork,
            )
            assert (await load_version(sandbox, task)).instance_kind == ("warm" if can_fork else "fresh")
    finally:
        await sandbox.close()
        client.api.remove_image(identity, force=True)
