"""Tasks of contestants and organisers in a real browser, with scripts and without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from ladder.app.accounts import managing
from ladder.settings.settings import load_settings
from ladder.site.pages import admin
from ladder.site.server.viewer import PLAIN_COOKIE
from ladder.store.account_models import SubmissionStatus
from ladder.store.commands import submission_queue as submissions
from ladder.store.commands.submission_queue import SUBMISSIONS
from ladder.store.leases import Lease
from ladder.trials.trial_tasks import TrialProgress
from ladder.values.accounts import LOCAL
from ladder.values.submission import SubmissionOrder
from tests.ladder.accounts import session_of
from tests.ladder.cli.organise.test_alike import FOUND as ALIKE
from tests.ladder.site.browser.looking import COLOURS, findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind, without_loop
from tests.ladder.site.ladder_with_people import PeopleLadder, a_folder, ladder_with_people
from tests.ladder.site.person import PASSWORD
from tests.ladder.site.serving import served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from tests.ladder.site.browser.pages import Lending

    Come = Callable[..., Page]

pytestmark = pytest.mark.chromium

MINE = (
    "/me", "/me/account", "/me/team", "/me/submissions/{leased}", "/me/submissions/{refused}",
    "/me/logs?bot=Trotter", "/me/logs/{match}/0", "/me/submissions/{entered}",
)  # fmt: skip
OF_ALL = (
    "/admin", "/admin/invitations", "/admin/announcements", "/admin/deadlines", "/admin/groups",
    "/admin/bots", "/admin/alike", "/admin/matches", "/admin/workers",
    "/admin/submissions", "/admin/audit",
)  # fmt: skip
LIKE_ANOTHER = {
    "/me/submissions/{leased}", "/me/submissions/{entered}", "/me/logs?bot=Trotter", "/admin/bots", "/admin/matches",
}  # fmt: skip
"""Pages whose parts others have, too: in each push axe does not look at them."""
IN_THE_DARK = (("/me", "/me/submissions/{refused}"), ("/admin", "/admin/workers", "/admin/submissions"))
"""Pages that have all colours."""


@dataclass(frozen=True)
class Place:
    """The ladder, and where its site is."""

    here: PeopleLadder
    url: str

    def path(self, path: str) -> str:
        return path.format(match=self.here.match, **{name: getattr(self.here, name) for name in STATES})


SCRIPTS = [True, pytest.param(False, marks=pytest.mark.long)]
"""Forms without scripts are those of `test_account_pages.py`, and pages that come anew are looked at below."""
STATES = ("queued", "leased", "entered", "refused")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The site of people; tests change it, each something else."""
    here = without_loop(
        ladder_with_people, load_settings(data_dir=tmp_path_factory.mktemp("people"), submissions_waiting=20)
    )
    with served(here.ladder) as port, mock.patch.object(admin, "alike_bots", return_value=ALIKE):
        yield Place(here, f"http://127.0.0.1:{port}")
    here.ladder.database.close()


@pytest.fixture
def come(place: Place, lending: Lending) -> Come:
    """A person with a browser of their own, logged in if there is a name."""

    def come(name: str, size: tuple[int, int] = DESKTOP, script: bool = True, dark: bool = False) -> Page:
        page = lending.page(Kind(script), size, dark)
        if name:
            secret = session_of(place.here.ladder, name)
            page.context.add_cookies([{"name": PLAIN_COOKIE, "value": secret, "url": place.url}])
            page.goto(f"{place.url}/me")
        return page

    return come


SCREENS = {
    "desktop": (DESKTOP, False, (MINE, OF_ALL)),
    "all dark": (DESKTOP, True, (MINE, OF_ALL)),
    "dark desktop": (DESKTOP, True, IN_THE_DARK),
    "phone": (PHONE, False, (MINE, OF_ALL)),
}
IN_FULL = ("desktop", "all dark")
LATER = [pytest.param(screen, marks=pytest.mark.long) for screen in IN_FULL]
"""The light colours are looked at on the phone, and the wide layout and the dark ones together."""


@pytest.mark.parametrize("screen", [*LATER, "dark desktop", "phone"])
def test_everybody_can_read_it(come: Come, place: Place, screen: str) -> None:
    size, dark, seen = SCREENS[screen]
    wrong: dict[str, object] = {}
    for name, paths in zip(("ada", "olga"), seen, strict=True):
        page = come(name, size, dark=dark)
        for path in paths:
            page.goto(place.url + place.path(path))
            page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
            part = "body" if path == paths[0] else "main"  # what is around it is the same on all
            rule = COLOURS if screen == "dark desktop" else ""
            found = [
                *(findings(page, part, rule) if screen in IN_FULL or path not in LIKE_ANOTHER else []),
                *(["it is too wide"] if overflow(page) > 0 else []),
            ]
            if found or page.locator("h1").count() != 1:
                wrong[path] = found
    assert wrong == {}


@pytest.mark.parametrize("script", SCRIPTS)
def test_who_is_led_to_the_log_in_comes_back_to_where_it_went(come: Come, place: Place, script: bool) -> None:
    page = come("", PHONE, script)
    page.goto(f"{place.url}/me/submissions/{place.here.refused}")
    page.fill("input[name=name]", "ada")
    page.fill("input[name=password]", PASSWORD)
    page.click("main button.main")
    page.wait_for_url(f"{place.url}/me/submissions/{place.here.refused}")
    page.goto(f"{place.url}/me")
    page.click("button >> text=Log out")
    page.wait_for_url("**/login")


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_token_is_made_shown_once_and_revoked(come: Come, script: bool) -> None:
    page = come("ada", script=script)
    page.click("nav.tabs >> text=Account")
    page.wait_for_selector("summary >> text=Make a token")  # the page before may still be there
    if page.locator("details[open] input[name=name]").count() == 0:
        page.click("summary >> text=Make a token")
    page.fill("form.fields input[name=name]", f"laptop {script}")
    page.click("button >> text=Make a token")
    assert page.inner_text("section[role=status] pre >> nth=0").startswith("pgp_")
    page.goto(page.url.removesuffix("/tokens"))
    assert "pgp_" not in page.content()
    page.click(f"[aria-label='Revoke laptop {script}']")
    page.wait_for_selector(f"[aria-label='Revoke laptop {script}']", state="detached")


@pytest.mark.parametrize("script", [True, False])
def test_a_bot_is_submitted_and_withdrawn(come: Come, script: bool) -> None:
    page = come("bob", PHONE, script=script)
    page.fill("input[name=name]", f"Farrow{script}")
    folder = {"name": "farrow.tar.gz", "mimeType": "application/gzip", "buffer": a_folder()}
    page.set_input_files("input[type=file]", folder)  # type: ignore[arg-type]
    page.click("main button.main")
    page.wait_for_url("**/me/submissions/*")
    assert "waits in place" in page.inner_text("submission-progress")
    page.click("button >> text=Withdraw it")
    page.wait_for_selector("submission-progress >> text=withdrawn")


def test_a_submission_is_followed_to_its_end(come: Come, place: Place) -> None:
    number = begun(place)
    page = come("ada")
    page.goto(f"{place.url}/me/submissions/{number}")
    page.evaluate("window.stays = true")
    tell(place, number, tried(number, 7))
    page.wait_for_selector("submission-progress >> text=is being tried: 7 of 20")
    assert page.evaluate("document.querySelector('progress').value") == 7
    assert page.evaluate("window.stays") is True  # the page was not loaded again
    ended(place, number)
    page.wait_for_selector("submission-progress >> text=refused")
    page.wait_for_selector("text=It was no good.")


def test_where_streams_do_not_get_through_it_is_asked_for(come: Come, place: Place) -> None:
    number = begun(place)
    page = come("ada")
    page.route("**/stream", lambda route: route.fulfill(status=502))
    page.goto(f"{place.url}/me/submissions/{number}")
    tell(place, number, tried(number, 8))
    page.wait_for_selector("submission-progress >> text=is being tried: 8 of 20")
    ended(place, number)
    page.wait_for_selector("text=It was no good.")


def test_without_scripts_the_page_comes_anew(come: Come, place: Place) -> None:
    number = begun(place)
    page = come("ada", script=False)
    page.goto(f"{place.url}/me/submissions/{number}")
    assert "is being built" in page.inner_text("submission-progress")
    ended(place, number)
    page.wait_for_selector("text=It was no good.")


@pytest.mark.parametrize("script", SCRIPTS)
def test_who_is_disabled_is_logged_out_in_an_open_tab(come: Come, place: Place, script: bool) -> None:
    number = begun(place)
    ada, olga = come("ada", script=script), come("olga", script=script)
    ada.goto(f"{place.url}/me/submissions/{number}")
    olga.goto(f"{place.url}/admin")
    row = olga.locator("tr", has=olga.locator("th >> text=ada"))
    row.locator("summary").click()
    row.locator("input[name=reason]").fill("It shares its token.")
    row.locator("button >> text=Disable").click()
    olga.wait_for_selector("tr >> text=It shares its token.")
    ada.wait_for_url("**/login?next=**")
    managing.enable(place.here.ladder, LOCAL, "ada")


def begun(place: Place) -> int:
    """A new submission of ada's, which is being built."""
    ladder = place.here.ladder
    order = SubmissionOrder(name="Boar", source="boar")
    with ladder.database.write() as session:
        row = submissions.add(session, order, ladder.clock(), owner="ada", sandbox="docker", remote=True, size=1000)
        return submissions.lease(session, row, "host:1", ladder.clock(), 3600.0).id


def tried(number: int, done: int) -> TrialProgress:
    return TrialProgress(submission=number, attempt=1, phase="trying", done=done, steps=20)


def tell(place: Place, number: int, progress: TrialProgress) -> None:
    with place.here.ladder.database.write() as session:
        submissions.note_progress(session, progress)


def ended(place: Place, number: int) -> None:
    ladder = place.here.ladder
    with ladder.database.write() as session:
        row = SUBMISSIONS.held(session, Lease(number, 1))
        assert row is not None
        SUBMISSIONS.end(session, row, SubmissionStatus.REFUSED, ladder.clock(), "It was no good.")
