"""Images in the ladder's own registry: pushed by a real engine with an account's token, submitted, tried, entered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import docker
import pytest
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.app.submit.ordering import NO_REGISTRY, order, submission
from ladder.errors import LadderError, SandboxError, UserError
from ladder.matches.kinds import open_sandbox
from ladder.runner.leased_tasks import RegistryLogins
from ladder.runner.submission_coordinator import SubmissionCoordinator
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.bot_images import find_image
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.account_names import find_account
from ladder.trials.trial_tasks import SubmissionTask
from ladder.values.accounts import Viewer
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import SubmissionOrder, SubmissionRow, VariantFile
from ladder.worker.match_tasks import TaskBot, load_version
from ladder.worker.trials import try_task
from tests.for_two import FOR_TWO
from tests.ladder.accounts import add_person, token_of
from tests.ladder.registries import guarded_registry
from tests.ladder.registry.pushed import Pusher, layer
from tests.ladder.site.serving import served
from tests.ladder.trials.tiny import load_tiny
from tests.ports import free_port

pytestmark = [pytest.mark.docker, pytest.mark.registry]
RULES = VariantFile(file="two.toml", rules=FOR_TWO.to_plain())


def an_order(bot: str = "Trotter", **source: str) -> SubmissionOrder:
    """The submission of a bot that plays a game for two."""
    return SubmissionOrder.model_validate({"name": bot, "variants": (RULES,)} | source)


@dataclass
class Arena:
    """A ladder with a site and a registry, and an engine of a contestant who pushes."""

    ladder: Ladder
    client: docker.DockerClient
    address: str
    sent_tasks: list[str]
    """All tasks, as they went to the worker."""

    def push(self, image: str, repository: str, account: str, tag: str = "1") -> list[dict[str, Any]]:
        """Push an image of the engine's as `docker push` does, with an account's token; gives what the engine says."""
        self.client.api.tag(image, f"{self.address}/{repository}", tag)
        login = {"username": account, "password": token_of(self.ladder, account)}
        try:
            name = f"{self.address}/{repository}"
            return list(self.client.api.push(name, tag, stream=True, decode=True, auth_config=login))
        finally:
            self.client.api.remove_image(f"{self.address}/{repository}:{tag}")

    def order(self, image: str, owner: str = "ada", bot: str = "Trotter") -> SubmissionRow:
        """Submit an image."""
        return order(self.ladder, Viewer(name=owner, by_token=True), an_order(bot, image=image))

    async def try_next(self) -> SubmissionRow:
        """Have a worker try what waits."""
        submissions = SubmissionCoordinator(self.ladder.database, self.ladder.settings, self.ladder.clock)
        [task] = submissions.take(1)
        self.sent_tasks.append(task.model_dump_json())
        outcome = await try_task(SubmissionTask.model_validate_json(self.sent_tasks[-1]), open_sandbox, print)
        row = submissions.record(outcome)
        assert row is not None
        return row


@pytest.fixture
def arena(tmp_path: Path, client: docker.DockerClient) -> Iterator[Arena]:
    address = f"127.0.0.1:{free_port()}"
    settings = load_settings(
        data_dir=tmp_path / "ladder", registry=address, clock="600+1", limit=60.0, preflight_deals=1,
        image_bytes=400_000_000,
    )  # fmt: skip
    with Ladder.open(settings, create=True) as ladder, served(ladder) as port:
        for name in ("ada", "bob"):
            add_person(ladder, name)
        realm = f"http://127.0.0.1:{port}/api/v1/registry/token"
        with guarded_registry(settings.data_dir, realm, address=address):
            yield Arena(ladder, client, address, [])


@pytest.fixture
async def image(sandbox: DockerSandbox, bot: Callable[..., Path], name: str) -> str:
    """The id of an image that plays, and that only this engine has."""
    folder = bot(name)
    (folder / "Dockerfile").write_text(
        f'FROM pigpen/bot:latest\nCOPY bot.py .\nLABEL mark={name}\nCMD ["python", "bot.py"]\n'
    )
    return (await sandbox.load(BotSource(name, folder=folder))).identity


def error_of(lines: list[dict[str, Any]]) -> str:
    return " ".join(str(line["error"]) for line in lines if "error" in line)


async def test_an_image_that_was_pushed_with_a_token_is_tried_and_entered_by_its_digest(
    arena: Arena, image: str, sandbox: DockerSandbox
) -> None:
    lines = arena.push(image, "ada/trotter", "ada")
    digest = next(str(line["aux"]["Digest"]) for line in lines if "aux" in line)
    row = arena.order("ada/trotter:1")
    assert (row.source, row.status) == (f"{arena.address}/ada/trotter:1", "queued")
    row = await arena.try_next()
    assert (row.status, row.reason, row.result and row.result.reasons) == ("entered", "", ())
    pinned = f"{arena.address}/ada/trotter@{digest}"
    with arena.ladder.database.read() as session:
        version = session.scalars(select(models.Version)).one()
        assert (version.identity, version.pinned) == (image, pinned)
    await plays_where_it_is_missing(arena, sandbox, image, pinned)
    rows = [row.model_dump_json() for row in (submission(arena.ladder, Viewer(name="ada"), 1),)]
    token = json.loads(arena.sent_tasks[0])["registry"]["token"]
    logs = [path.read_text(errors="replace") for path in (arena.ladder.settings.data_dir / "registry").glob("log")]
    assert not any(
        token in text for text in (*rows, *logs, repr(SubmissionTask.model_validate_json(arena.sent_tasks[0])))
    )


async def plays_where_it_is_missing(arena: Arena, sandbox: DockerSandbox, image: str, pinned: str) -> None:
    """A match gets the image by its digest, with a login of the ladder's; without one it does not."""
    await sandbox.close()
    arena.client.api.remove_image(image, force=True)
    assert find_image(arena.client, image) is None
    lock = partial(TaskBot, name="Trotter", identity=image, sandbox=SandboxKind.DOCKER, pinned=pinned)
    login = RegistryLogins(arena.ladder.settings).login([pinned], arena.ladder.clock())
    fresh = DockerSandbox()
    try:
        with pytest.raises(SandboxError, match="unauthorized: authentication required"):
            await load_version(fresh, lock())
        assert (await load_version(fresh, lock(registry=login))).identity == image
    finally:
        await fresh.close()
        arena.client.api.remove_image(image, force=True)


def test_nobody_pushes_or_pulls_under_another_name(arena: Arena, name: str) -> None:
    tiny = load_tiny(arena.client, f"pigpen-test/{name}:1", mark=name)
    assert "aux" in str(arena.push(tiny, "bob/snout", "bob"))
    assert "denied" in error_of(arena.push(tiny, "bob/snout", "ada"))
    assert "denied" in error_of(arena.push(tiny, "ada", "ada"))
    login = {"username": "ada", "password": token_of(arena.ladder, "ada")}
    with pytest.raises(docker.errors.APIError, match="denied"):
        arena.client.api.pull(f"{arena.address}/bob/snout", "1", auth_config=login)
    arena.client.api.remove_image(f"pigpen-test/{name}:1")


def test_a_disabled_account_pushes_nothing(arena: Arena, name: str) -> None:
    tiny = load_tiny(arena.client, f"pigpen-test/{name}:1", mark=name)
    with arena.ladder.database.write() as session:
        find_account(session, "ada").disabled = arena.ladder.clock()
    login = {"username": "ada", "password": token_of(arena.ladder, "ada")}
    arena.client.api.tag(tiny, f"{arena.address}/ada/trotter", "1")
    lines = list(
        arena.client.api.push(f"{arena.address}/ada/trotter", "1", stream=True, decode=True, auth_config=login)
    )
    assert error_of(lines)
    for tag in (f"{arena.address}/ada/trotter:1", f"pigpen-test/{name}:1"):
        arena.client.api.remove_image(tag)


@pytest.mark.parametrize("word", ["evil.example/x", "127.0.0.1:2375/x", "ada@evil", "bob/snout:1", "localhost/ada/x"])
def test_nothing_elsewhere_is_asked_for(arena: Arena, word: str) -> None:
    with pytest.raises(UserError, match="one of your images"):
        arena.order(word)


async def test_an_image_that_unpacks_to_too_much_is_refused_and_not_pulled(arena: Arena) -> None:
    pusher = Pusher(arena.ladder.settings.data_dir, arena.address)
    digest = pusher.image(layer(401_000_000))
    arena.order("ada/trotter:1")
    row = await arena.try_next()
    assert row.status == "refused"
    assert "more than 400,000,000 bytes" in row.reason
    assert find_image(arena.client, f"{arena.address}/ada/trotter@{digest}") is None


async def test_an_image_that_is_refused_when_it_has_been_pulled_does_not_stay(arena: Arena, name: str) -> None:
    tiny = load_tiny(arena.client, f"pigpen-test/{name}:1", machine="s390x", mark=name)
    arena.push(tiny, "ada/trotter", "ada")
    arena.client.api.remove_image(f"pigpen-test/{name}:1")
    arena.order("ada/trotter")
    row = await arena.try_next()
    assert (row.status, "no image ada/trotter:latest" in row.reason) == ("refused", True)
    arena.order("ada/trotter:1")
    row = await arena.try_next()
    assert (row.status, "is made for 'linux/s390x'" in row.reason) == ("refused", True)
    assert find_image(arena.client, tiny) is None


def test_a_ladder_without_a_registry_takes_folders_only(tmp_path: Path) -> None:
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        add_person(ladder, "ada")
        with pytest.raises(LadderError, match=re.escape(NO_REGISTRY)):
            order(ladder, Viewer(name="ada", by_token=True), an_order(image="ada/trotter"))


def test_a_submission_is_a_folder_or_an_image(arena: Arena) -> None:
    for both in (an_order(), an_order(upload="x" * 32, image="ada/trotter")):
        with pytest.raises(UserError, match="upload or an image"):
            order(arena.ladder, Viewer(name="ada", by_token=True), both)
