"""Texts of attackers on every page of the site, in a real browser: nothing of them runs, or becomes markup."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import pytest
from sqlalchemy import update

from ladder.app.event import holding
from ladder.serving.application import PAGES
from ladder.settings.settings import load_settings
from ladder.site.server.headers import POLICY
from ladder.site.server.viewer import PLAIN_COOKIE
from ladder.store import models
from ladder.store.all_tables import all_tables
from ladder.values.accounts import LOCAL
from pigpen.rules import PRESETS
from referee.records.lines import MatchLine
from tests.ladder import ladders
from tests.ladder.accounts import session_of
from tests.ladder.app.dataset.offers import offer
from tests.ladder.app.event_ladders import FILE
from tests.ladder.ladders import recorded_match
from tests.ladder.site.browser.pages import DESKTOP, Kind, without_loop
from tests.ladder.site.ladder_with_people import ladder_with_people
from tests.ladder.site.serving import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page, Response

    from ladder.app.ladder import Ladder
    from tests.ladder.site.browser.pages import Lending

pytestmark = [pytest.mark.chromium, pytest.mark.sqlite, pytest.mark.usefixtures("few_playouts")]

RUN = "window.__ran=1"
"""The script of each value; the attribute `data-evil` shows what has become an element."""
MARKUP = (
    f"<script data-evil>{RUN}</script>",
    f"\"'><img data-evil src=x onerror={RUN}>",
    f"</script></title></textarea></pre></svg><script data-evil>{RUN}</script>",
    f"<svg data-evil onload={RUN}><a xlink:href=javascript:{RUN}>x</a></svg>",
    "--><iframe data-evil srcdoc='<script>parent.__ran=1</script>'></iframe><!--",
    "<style data-evil>@import '//evil.test/x.css';</style><base data-evil href=//evil.test/>",
    f"<meta data-evil http-equiv=refresh content='0;url=//evil.test/'><a data-evil href=javascript:{RUN}>a</a>",
)
NO_MARKUP = (
    f"javascript:{RUN}",
    f"'-({RUN})-'`${{{RUN}}}`",
    f"{{{{ 7*7 }}}}{{% include 'x' %}}{{{{constructor.constructor('{RUN}')()}}}}",
    f"\x1b[2J\x1b]8;;javascript:{RUN}\x07red\x1b[0m\x9b31m",
    "a\u202egpj.exe\u2066b\u2028\u2029\ufeff",
    "//evil.test/..%2f..%2fetc/passwd",
    f"]]>&lt;img src=x onerror={RUN}&gt;&#60;script&#62;",
)
VALUES = (*MARKUP, *NO_MARKUP)
TOGETHER = "\n".join(VALUES)
SHORT = " ".join(MARKUP[:3])
"""As long as names of events and facts of workers may be."""
NAMES = MARKUP[:5]
"""Of the bots of a match."""
LOOK = """() => ({
    ran: window.__ran ?? null,
    markup: document.querySelectorAll('[data-evil]').length,
    scripts: [...document.querySelectorAll('[href], [src], [action], [formaction]')]
        .flatMap((each) => ['href', 'src', 'action', 'formaction'].map((name) => each.getAttribute(name) ?? ''))
        .filter((each) => /^\\s*(javascript|data|vbscript):/i.test(each) || /^\\s*(https?:)?\\/\\/evil/.test(each)),
    handlers: [...document.querySelectorAll('*')]
        .filter((each) => [...each.attributes].some((one) => one.name.startsWith('on'))).length,
})"""
NOTHING: dict[str, Any] = {"ran": None, "markup": 0, "scripts": [], "handlers": 0}
TEXTS = {
    "accounts": ("reason",), "invitations": ("note",), "credentials": ("name",), "login_codes": ("client", "address"),
    "audit": ("subject", "address"), "submissions": ("reason",), "workers": ("wanted_reason", "reason"),
    "versions": ("source", "lock", "pinned"), "ratings": ("reason",), "matches": ("reason",),
    "faults": ("place", "why"), "state_changes": ("reason",), "variants": ("season_name",), "seasons": ("name",),
    "event_entries": ("owner",),
    "webhooks": ("url", "reason"),
}  # fmt: skip
"""Columns of tables with texts that people, bots and workers write, besides the names of bots and owners."""
KNOWN = {"variant": "gongzhu", "event": "cup", "match": "{match}", "number": "{match}", "board": "1", "rotation": "1",
         "seat": "0", "step": "1"}  # fmt: skip
"""Values of addresses with which a page is there; all others are `NAMES[0]`."""
NO_PAGES = re.compile(r"/(stream|state|healthz|metrics|record)$|^/(wheels|login/oidc)|\.(png|ico|ics|atom)$")
"""Addresses that a browser shows as no page of the site, or waits for."""


def in_json(value: Any) -> Any:
    """Put hostile texts into a value that is kept as JSON, in place of each text with a space."""
    if isinstance(value, dict):
        return {name: SHORT if name in ("source", "word") else in_json(each) for name, each in value.items()}
    if isinstance(value, list):
        return [in_json(each) for each in value]
    return SHORT if isinstance(value, str) and " " in value else value


def poison(ladder: Ladder) -> None:
    """Put hostile texts into every place of the database where there may be any."""
    tables = {table.name: table for table in all_tables()}
    assert TEXTS.keys() <= tables.keys()
    with ladder.database.write() as session:
        for name, columns in TEXTS.items():
            session.execute(update(tables[name]).values(dict.fromkeys(columns, TOGETHER)))
        for bot in session.query(models.StoredBot).order_by(models.StoredBot.id):
            if bot.name not in NAMES:
                bot.name = f"{bot.name} {VALUES[bot.id % len(VALUES)]}"
        for name, kept in (
            ("submissions", "result"),
            ("submissions", "ordered"),
            ("workers", "facts"),
            ("audit", "details"),
        ):
            table = tables[name]
            for row in session.execute(table.select()).mappings().all():
                if row[kept]:
                    key = next(iter(table.primary_key))
                    value = {kept: in_json(json.loads(json.dumps(row[kept])))}
                    session.execute(update(table).where(key == row[key.name]).values(value))


class HostileSite:
    """A site full of hostile texts."""

    def __init__(self, ladder: Ladder, address: str, match: int) -> None:
        self.ladder = ladder
        self.address = address
        self.match = match

    def path(self, path: str, name: str) -> str:
        """Fill in an address: with what is there, or with a hostile text where the parameter is a name."""

        def value(found: re.Match[str]) -> str:
            return quote(KNOWN.get(found[1], name).format(match=self.match) if found[1] in KNOWN else name, safe="")

        return re.sub(r"{(\w+)[^}]*}", value, path)

    def paths(self) -> Iterator[str]:
        """Give the addresses of all pages, each once as it is and once with hostile texts in its query."""
        for route in (each for router in PAGES for each in router.routes):
            path = str(getattr(route, "path", ""))
            if "GET" not in (getattr(route, "methods", None) or ()) or NO_PAGES.search(path):
                continue
            yield self.path(path, NAMES[0].replace("/", ""))
            dependant = route.dependant  # type: ignore[attr-defined]
            if asked := [field.alias for field in dependant.query_params]:
                query = "&".join(f"{name}={quote(VALUES[number % 7], safe='')}" for number, name in enumerate(asked))
                yield f"{self.path(path, 'x')}?{query}"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileSite]:
    settings = load_settings(data_dir=tmp_path_factory.mktemp("hostile") / "data", public_logs=True)
    people = without_loop(ladder_with_people, settings)
    ladder = people.ladder
    first, *lines = without_loop(ladders.played, "gongzhu", "2", 1)
    assert isinstance(first, MatchLine)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladders, "NAMES", NAMES)
        logs: dict[int, tuple[str, ...]] = dict.fromkeys(range(4), (TOGETHER, "", "", ""))
        record = (first.model_copy(update={"bots": NAMES[:4]}), *lines)
        match = without_loop(recorded_match, ladder, record, "2", logs)
    title = json.dumps(SHORT, ensure_ascii=False)
    file = FILE.format(show="live").replace('"Small cup"', f"{title}\nprizes = [{title}]").replace('"Final"', title)
    holding.open_event(ladder, LOCAL, "cup", file, PRESETS["gongzhu"])
    with ladder.database.write() as session:
        ladders.enter(session, "house-counting", "gongzhu", owner="house-counting")
    for name in NAMES[:4]:
        holding.enter(ladder, LOCAL, "cup", name)
    holding.freeze(ladder, LOCAL, "cup")
    holding.start(ladder, LOCAL, "cup")
    offer(settings.data_dir)
    poison(ladder)
    with served(ladder) as port:
        yield HostileSite(ladder, f"http://127.0.0.1:{port}", match)
    ladder.database.close()


class Watched:
    """A page of which is noted what no page of the site does: dialogs, pages of other sites, other policies."""

    def __init__(self, page: Page, site: HostileSite) -> None:
        self.page = page
        self._site = site
        self.wrong: list[object] = []
        page.on("dialog", self._dialog)
        page.on("popup", lambda popup: self.wrong.append(("popup", popup.url)))

    def look(self, path: str) -> int:
        """Load a page and judge it; gives its status."""
        response = self.page.goto(self._site.address + path)
        assert response is not None
        self._judge(path, response)
        return response.status

    def _judge(self, path: str, response: Response) -> None:
        if response.headers.get("content-security-policy") != POLICY:
            self.wrong.append((path, "policy"))
        if "nosniff" not in response.headers.get("x-content-type-options", ""):
            self.wrong.append((path, "type"))
        if "html" in response.headers.get("content-type", ""):
            self.page.wait_for_load_state("load")
            if (found := self.page.evaluate(LOOK)) != NOTHING:
                self.wrong.append((path, found))

    def _dialog(self, dialog: Any) -> None:
        self.wrong.append(("dialog", dialog.message))
        dialog.dismiss()


@pytest.mark.parametrize("visitor", ["", "ada", "olga"])
def test_nothing_that_others_have_written_runs_on_any_page(
    lending: Lending, hostile: HostileSite, visitor: str
) -> None:
    """The browser does not follow the site's policy here, which would stop scripts that the pages let through."""
    page = lending.page(Kind(trusting=True), DESKTOP)
    if visitor:
        secret = session_of(hostile.ladder, visitor)
        page.context.add_cookies([{"name": PLAIN_COOKIE, "value": secret, "url": hostile.address}])
    watched = Watched(page, hostile)
    statuses = {path: watched.look(path) for path in hostile.paths()}
    assert watched.wrong == []
    host = urlsplit(hostile.address).netloc
    asked = lending.logged(lambda logged: logged.requests)
    assert [each for each in asked if urlsplit(each).netloc != host and not each.startswith("blob:")] == []
    assert [path for path, status in statuses.items() if status >= 500] == []
    assert sum(status == 200 for status in statuses.values()) > 25
