"""
Pages of one browser, which tests have after each other.

A page that has been open before opens the next address in half of the CPU time: its process is there, with what it has
compiled. So it is wiped, not closed, and a test gets one that has nothing of the test before.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from playwright.sync_api import expect

from tests.ladder.site.browser.chromium import chromium
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from playwright.sync_api import Browser, Page, Route

expect.set_options(timeout=1000 * PATIENCE)  # 5 s without it, whatever a page's own default is
P = ParamSpec("P")
T = TypeVar("T")
DESKTOP, PHONE = (1280, 900), (360, 740)
PROBE = "/robots.txt?probe"
WIPE = "if (location.protocol === 'http:') { localStorage.clear(); sessionStorage.clear(); }"


@dataclass(frozen=True)
class PageLog:
    """Messages and requests of a page since it was lent."""

    errors: list[str] = field(default_factory=list)
    """Of scripts."""
    complaints: list[str] = field(default_factory=list)
    """Errors of the browser's console."""
    requests: list[str] = field(default_factory=list)
    """Their addresses."""

    def listen(self, page: Page) -> None:
        """Hear all of it from now on."""
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("request", lambda asked: self.requests.append(asked.url))

    def forget(self) -> None:
        """Begin anew."""
        for lines in (self.errors, self.complaints, self.requests):
            lines.clear()


@dataclass(frozen=True)
class Kind:
    """Settings that a page cannot change any more."""

    script: bool = True
    touch: bool = False
    language: str = "en"
    first: str = ""
    """A script that runs before those of each page."""
    offline: bool = False
    """True: the site's service worker is installed. Tests that answer requests themselves need a page without it."""
    trusting: bool = False
    """True: the browser does not follow the policy of the site, so that only what the pages say keeps them safe."""


@dataclass(frozen=True)
class Lent:
    """A page that a test has."""

    kind: Kind
    page: Page
    logged: PageLog


class Pages:
    """The pages of one browser."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._spare: dict[Kind, list[Lent]] = {}

    @contextmanager
    def lending(self) -> Iterator[Lending]:
        """Lend pages, and wipe them in the end."""
        lending = Lending(self._take)
        yield lending
        for lent in lending.lent:
            _wipe(lent)
            self._spare.setdefault(lent.kind, []).append(lent)

    def _take(self, kind: Kind) -> Lent:
        spare = self._spare.get(kind)
        return spare.pop() if spare else self._new(kind)

    def _new(self, kind: Kind) -> Lent:
        context = self._browser.new_context(
            java_script_enabled=kind.script,
            has_touch=kind.touch,
            locale=kind.language,
            accept_downloads=True,
            service_workers="allow" if kind.offline else "block",
            bypass_csp=kind.trusting,
            timezone_id="UTC",
        )
        if kind.first:
            context.add_init_script(kind.first)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        lent = Lent(kind, page, PageLog())
        lent.logged.listen(page)
        return lent


class Lending:
    """The pages of one test."""

    def __init__(self, take: Callable[[Kind], Lent]) -> None:
        self._take = take
        self.lent: list[Lent] = []

    def page(self, kind: Kind, size: tuple[int, int] = DESKTOP, dark: bool = False, calm: bool = False) -> Page:
        """A page that has no storage and no cookies."""
        lent = self._take(kind)
        lent.logged.forget()
        self.lent.append(lent)
        page = lent.page
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(
            media="null", color_scheme="dark" if dark else "light", reduced_motion="reduce" if calm else "no-preference"
        )
        return page

    def logged(self, what: Callable[[PageLog], list[str]]) -> list[str]:
        """Collect the messages of all pages."""
        return [each for lent in self.lent for each in what(lent.logged)]


def _wipe(lent: Lent) -> None:
    """Leave nothing of a test in its page."""
    page, context = lent.page, lent.page.context
    page.unroute_all()
    for other in context.pages:
        if other is not page:
            other.close()
    if lent.kind.script:
        page.evaluate(WIPE)
    context.clear_cookies()
    page.goto("about:blank")  # ladder TV and tables ask again and again, without scripts by a tag: in any later test


class SharedPages:
    """The browser that all modules of this folder share; it starts when one is wanted."""

    def __init__(self) -> None:
        self._pages: Pages | None = None
        self._browser: AbstractContextManager[Browser] | None = None

    def open(self) -> Pages:
        """Start the browser, unless it is there. From now on this thread has a running event loop."""
        if self._pages is None:
            self._browser = chromium()
            self._pages = Pages(self._browser.__enter__())
        return self._pages

    def close(self) -> None:
        """End it, if it is there."""
        if self._browser is not None:
            self._browser.__exit__(None, None, None)
        self._pages = self._browser = None


def intercept(page: Page, address: str, handler: Callable[[Route], object]) -> None:
    """
    Handle the requests of a page that is open to an address.

    Chromium has this in force for a page that is open some time after `Page.route` has returned. So the page asks for
    a probe until that is handled, too.
    """
    seen: list[str] = []

    def probed(route: Route) -> None:
        seen.append(route.request.url)
        route.fulfill(status=204)

    page.route(lambda asked: asked.endswith(PROBE), probed)
    page.route(address, handler)
    while not seen:
        page.evaluate(f"() => fetch('{PROBE}').then(() => null)")


def without_loop(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Call a function that runs an event loop of its own: in a thread that has none."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments, **options).result()
