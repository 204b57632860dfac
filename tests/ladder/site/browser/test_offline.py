"""The site on the screen of a phone: its manifest, and the page that it shows without a connection."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import httpx
import pytest
from PIL import Image

from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import PHONE, Kind
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.ladder.site.browser.conftest import Served
    from tests.ladder.site.browser.pages import Lending

pytestmark = pytest.mark.chromium
KEPT = """async () => (await Promise.all((await caches.keys()).map(async (name) =>
  (await (await caches.open(name)).keys()).map((each) => new URL(each.url).pathname)))).flat().sort()"""


@pytest.fixture
def page(lending: Lending, site: Served) -> Page:
    """A page whose service worker is at work."""
    page = lending.page(Kind(offline=True), PHONE)
    page.goto(f"{site.url}/help")
    page.evaluate("() => navigator.serviceWorker.ready.then(() => null)")
    page.reload()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    return page


def test_without_a_connection_a_page_says_so_and_leads_back_and_nothing_else_is_kept(page: Page, site: Served) -> None:
    page.goto(f"{site.url}/v/gongzhu")
    page.context.set_offline(True)
    try:
        for path in ("/v/gongzhu", "/b/Trotter?v=gongzhu"):
            page.goto(site.url + path)
            assert page.inner_text("h1") == "No connection"
            assert page.evaluate("document.styleSheets[0].cssRules.length") > 10
            assert (findings(page), overflow(page)) == ([], 0)
    finally:
        page.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    page.wait_for_selector("h1:has-text('Trotter')")
    assert page.url == f"{site.url}/b/Trotter?v=gongzhu"
    style = page.evaluate("new URL(document.querySelector('link[rel=stylesheet]').href).pathname")
    assert page.evaluate(KEPT) == sorted(["/icon.svg", "/offline", style])


def test_the_manifest_names_icons_and_addresses_that_are_there(site: Served) -> None:
    with httpx.Client(base_url=site.url, timeout=PATIENCE) as client:
        for language, name in (("en", "Today's board"), ("zh", "今日牌局")):
            found = client.get("/site.webmanifest", headers={"Accept-Language": language}).json()
            assert found["shortcuts"][0]["name"] == name
            assert all(client.get(each["url"], follow_redirects=True).status_code == 200 for each in found["shortcuts"])
        purposes = {each.get("purpose", "any") for each in found["icons"]}
        assert purposes == {"any", "maskable"}
        for each in found["icons"]:
            answer = client.get(each["src"])
            assert answer.headers["content-type"] == each["type"]
            if each["type"] == "image/png":
                picture = Image.open(io.BytesIO(answer.content)).convert("RGB")
                assert f"{picture.width}x{picture.height}" == each["sizes"]
                if each.get("purpose") == "maskable":
                    edge = picture.crop((0, 0, picture.width, picture.height // 6))
                    assert len(edge.getcolors() or ()) == 1, "what is cut off is background"
