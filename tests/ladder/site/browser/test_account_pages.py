"""Accounts in a real browser: registering, logging in, confirming a command's log-in, tokens; without scripts, too."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import httpx
import pytest

from ladder.app.accounts import managing, registering
from ladder.app.ladder import Ladder
from ladder.store.commands.letters import post_notice
from ladder.values.accounts import LOCAL, Role
from ladder.values.mail import LetterKind
from tests.ladder.mail.outbox import link_in, sent
from tests.ladder.mail.servers import mail_settings
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind
from tests.ladder.site.person import quick_passwords
from tests.ladder.site.serving import served
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.ladder.site.browser.pages import Lending

pytestmark = pytest.mark.chromium
PASSWORD = "correct horse"
SHOTS = os.environ.get("PIGPEN_TEST_SHOTS", "")
"""A folder for pictures of the pages, to be looked at; empty: none are taken."""


@pytest.fixture
def ladder(sqlite_template: Path, tmp_path: Path) -> Iterator[Ladder]:
    """A ladder without bots, which sends e-mail."""
    shutil.copy(sqlite_template, tmp_path / "ladder.db")
    with Ladder.open(mail_settings(tmp_path, 25), create=True) as ladder:
        yield ladder


@pytest.fixture
def site(ladder: Ladder) -> Iterator[str]:
    with served(ladder) as port:
        yield f"http://127.0.0.1:{port}"


def look(page: Page, name: str, script: bool) -> None:
    """Make sure that everybody can use a page."""
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}-{page.viewport_size and page.viewport_size['width']}.png", full_page=True)
    if not script:  # nothing can be measured there
        return
    assert findings(page) == [], name
    assert overflow(page) <= 0, name
    small = page.evaluate(
        "[...document.querySelectorAll('main :is(input:not([type=checkbox]):not([type=hidden]), button)')]"
        ".filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 44)"
        ".map((each) => each.outerHTML)"
    )
    assert small == [], name


KINDS = [
    pytest.param(DESKTOP, True, False, "en", marks=pytest.mark.long),
    (PHONE, True, True, "zh-CN"),
    (DESKTOP, False, False, "en"),
]
"""Size, with scripts, dark, language."""


@pytest.mark.parametrize(("size", "script", "dark", "language"), KINDS)
def test_somebody_registers_and_confirms_a_log_in(
    ladder: Ladder, site: str, lending: Lending, size: tuple[int, int], script: bool, dark: bool, language: str
) -> None:
    page = lending.page(Kind(script, language=language), size, dark)
    secret = registering.invite(ladder, LOCAL, Role.ORGANISER).secret
    page.goto(f"{site}/register?invitation={secret}")
    look(page, f"register-{language}", script)
    page.fill("[name=name]", "Ada.Lovelace")
    page.fill("[name=password]", PASSWORD)
    page.click("main button.main")
    page.wait_for_url("**/me")
    login = httpx.post(f"{site}/api/v1/login/codes", json={"client": "pigpen on ada's laptop"}, timeout=PATIENCE).json()
    page.goto(f"{site}/login/code?code={login['user_code']}")
    assert "pigpen on ada's laptop" in page.inner_text("main")
    look(page, f"code-{language}", script)
    page.click("[value=confirm]")
    page.wait_for_selector(".good")
    look(page, f"confirmed-{language}", script)
    asked = {"device_code": login["device_code"]}
    assert httpx.post(f"{site}/api/v1/login/tokens", json=asked, timeout=PATIENCE).json()["name"] == "Ada.Lovelace"
    page.goto(f"{site}/me/account")
    page.click("details summary")
    page.fill("form[action='/me/account/tokens'] [name=name]", "CI")
    page.click("form[action='/me/account/tokens'] button")
    page.wait_for_selector("pre")
    assert page.inner_text("pre >> nth=0").startswith("pgp_")
    look(page, f"token-{language}", script)
    page.click("form[action='/logout'] button")
    page.wait_for_url("**/login")
    page.fill("[name=name]", "Ada.Lovelace")
    page.fill("[name=password]", "wrong horse")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    look(page, f"wrong-{language}", script)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/me")


LONG_ADDRESS = f"{'a' * 64}@{'b' * 59}.{'c' * 59}.{'d' * 59}.example"


@pytest.mark.parametrize(("size", "script", "dark", "language"), KINDS)
def test_somebody_confirms_an_address_ends_letters_and_forgets_the_password(
    ladder: Ladder, site: str, lending: Lending, size: tuple[int, int], script: bool, dark: bool, language: str
) -> None:
    managing.add_with_password(ladder, quick_passwords(), LOCAL, "ada", Role.CONTESTANT, PASSWORD)
    page = lending.page(Kind(script, language=language), size, dark)
    page.goto(f"{site}/login?next=/me/account")
    page.fill("[name=name]", "ada")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/me/account")
    page.fill("[name=address]", LONG_ADDRESS)
    page.fill("form[action='/me/account/mail'] [name=password]", PASSWORD)
    page.click("form[action='/me/account/mail'] button")
    page.wait_for_url("**/me/account#mail")
    (letter,) = sent(ladder)
    page.goto(site + link_in(letter, "mail/confirm"))
    look(page, f"mail-confirm-{language}", script)
    page.click("main button.main")
    page.wait_for_selector("main .good")
    look(page, f"mail-confirmed-{language}", script)
    page.goto(f"{site}/mail/confirm?link=x")
    look(page, f"mail-no-link-{language}", script)
    page.goto(f"{site}/me/account#mail")
    for summary in page.locator("#mail ~ details > summary").all():
        summary.click()
    assert LONG_ADDRESS in page.inner_text("main")
    look(page, f"mail-account-{language}", script)
    with ladder.database.write() as session:
        data = {"event": "cup", "title": "The Cup", "bots": "Trotter", "number": None}
        post_notice(session, LetterKind.EVENT, "1", ladder.clock(), None, data)
    (letter,) = sent(ladder)
    page.goto(site + link_in(letter, "mail/unsubscribe"))
    look(page, f"mail-unsubscribe-{language}", script)
    page.click("main button.main")
    page.wait_for_selector("main .good")
    look(page, f"mail-unsubscribed-{language}", script)
    page.context.clear_cookies()
    page.goto(f"{site}/login/forgotten")
    look(page, f"forgotten-{language}", script)
    page.fill("[name=asked]", LONG_ADDRESS)
    page.click("main button.main")
    page.wait_for_selector("main .good")
    look(page, f"forgotten-done-{language}", script)
    (letter,) = sent(ladder)
    assert letter["To"] == LONG_ADDRESS
