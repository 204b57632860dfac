"""Images in a real registry on the loopback: pinned by digest, pulled by digest, and tags that move."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
import pytest
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.app.submit.ended import result_of
from ladder.app.submit.local_submission import submit
from ladder.entry.variants import choices
from ladder.errors import BotRejected, SandboxError
from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.bot_images import find_image
from ladder.sandbox.docker.built_images import prune
from ladder.sandbox.docker.containers import OWNER
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.host.scratch import this_process
from ladder.settings.settings import Settings
from ladder.store import models
from ladder.store.database import Database
from ladder.trials import trial_images as images
from ladder.trials.trial import Candidate, candidate
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import SubmissionOrder
from ladder.worker.match_tasks import TaskBot, load_version
from pigpen.rules import seed_from
from referee.match.formats import Format, MatchSpec
from tests.for_two import FOR_TWO, write_for_two
from tests.ladder.app.submit.observed import Observed
from tests.ladder.registries import running_registry
from tests.ladder.trials.tiny import load_tiny, push
from tests.waiting import PATIENT

pytestmark = [pytest.mark.docker, pytest.mark.registry]

ROOM = 1 << 40
NOWHERE = f"sha256:{'0' * 64}"


def trotter(identity: str, pinned: str | None = None) -> TaskBot:
    return TaskBot(name="Trotter", identity=identity, sandbox=SandboxKind.DOCKER, pinned=pinned)


@pytest.fixture
def repository(registry: str, client: docker.DockerClient) -> Iterator[str]:
    """A repository that no other test has; what this engine has of it in the end is removed."""
    repository = f"{registry}/ada/bot-{uuid.uuid4().hex[:12]}"
    yield repository
    forget(client, repository)


def forget(client: docker.DockerClient, repository: str) -> None:
    """Take every image that came from *repository* or went there off this engine."""
    for image in client.api.images(all=True):
        names = [*(image["RepoTags"] or ()), *(image["RepoDigests"] or ())]
        if any(name.startswith((f"{repository}:", f"{repository}@")) for name in names):
            mine = {"label": f"{OWNER}={this_process()}", "ancestor": image["Id"]}
            for locking in client.api.containers(filters=mine):  # an image that is kept in memory cannot be removed
                client.api.remove_container(locking, force=True)
            client.images.remove(image["Id"], force=True)


async def look(sandbox: DockerSandbox, reference: str) -> Candidate:
    async with candidate(sandbox, BotSource("trotter", image=reference), ROOM) as found:
        return found


async def test_a_bot_from_a_registry_is_entered_by_digest_and_plays_where_its_image_is_missing(
    sandbox: DockerSandbox,
    client: docker.DockerClient,
    repository: str,
    database: Database,
    settings: Settings,
    bot: Callable[..., Path],
    tmp_path: Path,
) -> None:
    folder = bot(repository.rpartition("/")[2])
    (folder / "Dockerfile").write_text('FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]\n')
    client.api.tag((await sandbox.load(BotSource("mine", folder=folder))).identity, repository, "1")
    digest = push(client, f"{repository}:1")
    order = SubmissionOrder(name="Trotter", image=f"{repository}:1", variants=choices((write_for_two(tmp_path),)))
    ladder = Ladder(settings, database)
    row = await submit(ladder, order, None, Observed(), owner="ada")
    outcome = result_of(row)
    assert (outcome.accepted, outcome.reasons) == (True, ())
    with database.read() as session:
        version = session.scalars(select(models.Version)).one()
        assert (version.pinned, version.source) == (f"{repository}@{digest}", f"{repository}:1")
    forget(client, repository)
    assert find_image(client, outcome.identity) is None
    program = await load_version(sandbox, trotter(outcome.identity, outcome.pinned))
    assert program.identity == outcome.identity
    spec = MatchSpec(FOR_TWO, ("a", "b"), Format(deals=1), PATIENT, seed_from("7"))
    played = await play_sandboxed(spec, [program] * 2, lambda line: None)
    assert [result.faults for result in played.result.results] == [0, 0]


async def test_a_tag_that_has_moved_names_another_bot_and_the_old_one_stays(
    sandbox: DockerSandbox, client: docker.DockerClient, repository: str, tmp_path: Path
) -> None:
    tag = f"{repository}:1"
    old = load_tiny(client, tag, mark=f"{repository} old")
    first = push(client, tag)
    entered = await look(sandbox, tag)
    await entered.keep(tmp_path)
    new = load_tiny(client, tag, mark=f"{repository} new")
    second = push(client, tag)
    client.images.remove(tag)
    client.api.tag(old, repository, "1")  # as on another machine, which knows nothing of the move
    assert find_image(client, new) is None
    found = await look(sandbox, tag)
    assert (entered.program.identity, entered.pinned) == (old, f"{repository}@{first}")
    assert (found.program.identity, found.pinned) == (new, f"{repository}@{second}")
    assert (await load_version(sandbox, trotter(old, entered.pinned))).identity == old
    await found.keep(tmp_path)
    prune(client, label=f"mark={repository} old")
    assert find_image(client, old) is not None


async def test_an_image_that_was_built_here_under_the_tag_again_is_taken_as_it_is(
    sandbox: DockerSandbox, client: docker.DockerClient, repository: str
) -> None:
    tag = f"{repository}:1"
    load_tiny(client, tag, mark=f"{repository} old")
    push(client, tag)
    new = load_tiny(client, tag, mark=f"{repository} new")
    found = await look(sandbox, tag)
    assert (found.program.identity, found.pinned) == (new, None)


async def test_a_digest_that_no_registry_has_is_refused(
    sandbox: DockerSandbox, client: docker.DockerClient, repository: str
) -> None:
    load_tiny(client, f"{repository}:1", mark=repository)
    push(client, f"{repository}:1")
    with pytest.raises(BotRejected, match=f"{repository}@{NOWHERE} could .*: manifest .* not found"):
        await look(sandbox, f"{repository}@{NOWHERE}")
    with pytest.raises(SandboxError, match=r"Trotter, .*: .* not found"):
        await load_version(sandbox, trotter(NOWHERE, f"{repository}@{NOWHERE}"))
    with pytest.raises(SandboxError, match="was in no registry"):
        await load_version(sandbox, trotter(NOWHERE))


async def test_another_image_is_not_what_was_entered(
    sandbox: DockerSandbox, client: docker.DockerClient, repository: str
) -> None:
    load_tiny(client, f"{repository}:1", mark=repository)
    digest = push(client, f"{repository}:1")
    with pytest.raises(SandboxError, match="was entered as Trotter"):
        await load_version(sandbox, trotter(NOWHERE, f"{repository}@{digest}"))


def test_nobody_can_say_what_a_tag_names_while_its_registry_is_gone(client: docker.DockerClient) -> None:
    with running_registry() as address:
        tag = f"{address}/ada/trotter:1"
        load_tiny(client, tag, mark=tag)
        push(client, tag)
        images.refresh(tag)
    with pytest.raises(SandboxError, match=r"be pulled: .*refused"):
        images.refresh(tag)
    images.refresh(str(client.images.get(tag).id))  # an id needs no registry
    client.images.remove(tag)
