"""A folder in any language goes to a remote ladder as it is, and is built there: the contestant has no compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from ladder.sandbox.bots.languages import LANGUAGES
from tests.e2e.test_starter_kits import MAIN
from tests.e2e.whole_ladder import PATIENCE, whole_ladder
from tests.ladder.remote_site import log_in
from tests.typed import Typed, typed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.docker, pytest.mark.long, pytest.mark.timeout(PATIENCE)]
COMPILED = [name for name, language in LANGUAGES.items() if language.build]


@dataclass(frozen=True)
class Contestant:
    """A person with a log-in to a remote ladder, on a machine without an engine."""

    folder: Path
    login: dict[str, str]

    def __call__(self, *words: str) -> Typed:
        """Run ``pigpen WORDS`` in the contestant's folder."""
        return typed(*words, folder=self.folder, DOCKER_HOST="unix:///nonexistent/docker.sock", **self.login)


@pytest.fixture(scope="module")
def contestant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Contestant]:
    home, organiser = tmp_path_factory.mktemp("contestant"), tmp_path_factory.mktemp("organiser")
    with whole_ladder(organiser, {}) as (address, token):
        yield Contestant(home, log_in(home / "config", address, "ada", token))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_folder_is_built_tried_and_entered_by_a_remote_ladder(contestant: Contestant, language: str) -> None:
    assert contestant("new", language, "--lang", language).code == 0
    done = contestant("submit", f"./{language}", "--name", language.title(), "--variant", "hearts")
    assert done.code == 0, done.out + done.err
    lines = done.out.splitlines()
    assert lines[0].startswith(f"{language.title()}@1 of ada: sha256:")
    assert "  hearts: entered, Elo 1500" in lines


@pytest.mark.parametrize("language", COMPILED)
def test_a_folder_that_does_not_compile_is_refused_with_the_compilers_words(
    contestant: Contestant, language: str
) -> None:
    assert contestant("new", f"{language}-broken", "--lang", language).code == 0
    main = contestant.folder / f"{language}-broken" / MAIN[language]
    main.write_text(main.read_text() + "\nthis is no code\n")
    done = contestant("submit", f"./{language}-broken", "--name", f"Broken-{language}", "--variant", "hearts")
    assert done.code == 2, done.out + done.err
    assert "does not compile" in done.err
    assert MAIN[language] in done.err
