"""Many tabs of one browser that follow tables and matches: all load, and all show what comes next."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import httpx
import pytest

from ladder.app.live_matches import attempt_of
from ladder.people.sessions.spectators import watch_key
from ladder.people.tables.table_opening import open_table
from ladder.results.live_folder import LiveFolder
from ladder.runner.live_writer import LiveWriter
from ladder.store.lookup import find_match
from ladder.store.models import StoredBot, Variant
from ladder.values.people import TableOrder, TableVisitor
from pigpen.rules import PRESETS
from tests.ladder.site.browser.at_table import by_mouse, next_wanted
from tests.ladder.site.browser.pages import Kind, without_loop
from tests.ladder.site.browser.sitting import IN_A_HURRY, KEPT
from tests.ladder.site.browser.tables_served import tables_served
from tests.ladder.site.browser.test_hostile_pages import LOOK, MARKUP, NAMES, NOTHING
from tests.ladder.site.visitor import MATCHES, small_site
from tests.ladder.worker.live_events import watched
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from playwright.sync_api import BrowserContext, Page

    from ladder.app.ladder import Ladder
    from tests.ladder.site.browser.pages import Lending

    OpenTab = Callable[[str], Page]

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]
RUNNING = MATCHES + 2
"""The match of the small site that is being played."""
CARD_PLAYED = "watched-table [data-part=felt]:not([hidden])"
DONE = "() => document.querySelector('.live-state').textContent === '4 / 4'"
HIDE = """isHidden => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
  const state = isHidden ? "hidden" : "visible";
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@dataclass(frozen=True)
class Place:
    """A site at which tables and a match are played."""

    ladder: Ladder
    url: str
    writer: LiveWriter

    @property
    def attempt(self) -> int:
        """The number of the attempt that is played."""
        return attempt_of(self.ladder, RUNNING)[0]

    def begin(self, variant: str) -> None:
        """Begin another attempt, at a match of that variant."""
        with self.ladder.database.write() as session:
            if session.get(Variant, variant) is None:
                session.add(Variant(name=variant, rules=PRESETS[variant].to_plain(), added=0.0))
            match = find_match(session, RUNNING)
            match.variant, match.attempt = variant, match.attempt + 1
        self.writer.begin(RUNNING, self.attempt)

    def end(self) -> None:
        """End the attempt."""
        self.writer.end(RUNNING, self.attempt, "done")

    def send(self, lines: Iterable[str]) -> None:
        """Send events of the match that is played."""
        for line in lines:
            self.writer.append(RUNNING, self.attempt, line)

    def seat(self) -> str:
        """Open a table; the address of the link to its chair."""
        order = TableOrder(variant="hearts-short", seconds=600.0)
        opened = open_table(self.ladder, order, TableVisitor(shown="Ada"))
        return f"{self.url}{opened.path(0)}"

    def watched(self, table: str) -> str:
        """The address at which spectators see a table."""
        name = table.partition("?")[0].rpartition("/")[2]
        return f"{self.url}/play/{name}/watch?key={watch_key(self.ladder, name)}"

    @property
    def live(self) -> str:
        """The address of the match that is played."""
        return f"{self.url}/live/{RUNNING}"

    @property
    def streams(self) -> int:
        """Number of streams that the site has open."""
        (line,) = (
            line
            for line in httpx.get(f"{self.url}/metrics", timeout=PATIENCE).text.splitlines()
            if line.startswith("pigpen_live_streams ")
        )
        return int(float(line.split()[1]))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with ExitStack() as stack:
        site = without_loop(stack.enter_context, small_site(tmp_path_factory.mktemp("tabs")))
        writer = LiveWriter(LiveFolder(site.ladder.settings.data_dir))
        stack.callback(writer.close)
        yield Place(site.ladder, stack.enter_context(tables_served(site.ladder)), writer)


@pytest.fixture
def live_lines(place: Place) -> Iterator[Iterator[str]]:
    """The lines of another attempt at the match, of which the first ones have been sent."""
    sent, _ = without_loop(watched, PRESETS["gongzhu"], "boards:1")
    lines = iter(sent)
    place.begin("gongzhu")
    place.send(islice(lines, 30))
    yield lines
    place.end()


@pytest.fixture
def context(lending: Lending) -> Iterator[BrowserContext]:
    """A browser of one visitor; in the end no script has failed."""
    page = lending.page(Kind(first=KEPT % json.dumps(IN_A_HURRY)), calm=True)
    known = list(page.context.pages)
    yield page.context
    for each in page.context.pages:
        if each not in known:
            each.close()
    assert lending.logged(lambda logged: logged.errors) == []


def at(page: Page, address: str) -> Page:
    page.goto(address, wait_until="load")
    page.wait_for_selector("person-table .pick, .live-table, watched-table")
    return page


def test_nine_tabs_of_tables_and_matches_all_load_and_show_what_comes_next(
    place: Place, context: BrowserContext, live_lines: Iterator[str]
) -> None:
    one, other = place.seat(), place.seat()
    addresses = [one, *[one.partition("?")[0]] * 3, other, other.partition("?")[0], place.live, place.live]
    *seats, _, _ = tabs = [at(context.new_page(), address) for address in addresses]
    spectator = at(context.new_page(), place.watched(one))
    wait_for(spectator, lambda: place.streams <= 3)  # the site hears later of one that a browser has closed
    lives = tabs[6:]
    before = [each.inner_text(".live-tables") for each in lives]
    for table in (seats[:4], seats[4:]):
        wanted = {next_wanted(each) for each in table}
        (last,) = wanted
        by_mouse(table[0], last.split()[0])
        assert len({next_wanted(each, last) for each in table}) == 1
    place.send(live_lines)
    spectator.wait_for_selector(CARD_PLAYED)
    for each, text in zip(lives, before, strict=True):
        each.wait_for_function("before => document.querySelector('.live-tables').innerText !== before", arg=text)
        each.wait_for_function(DONE)
    wait_for(spectator, lambda: place.streams <= 3)


def test_a_tab_that_comes_late_has_all_events_once(
    place: Place, context: BrowserContext, live_lines: Iterator[str]
) -> None:
    early = at(context.new_page(), place.live)
    place.send(live_lines)
    early.wait_for_function(DONE)
    late = at(context.new_page(), place.live)
    late.wait_for_function(DONE)
    assert late.inner_text(".live-points") == early.inner_text(".live-points")


def test_the_list_of_running_matches_changes_by_itself_and_keeps_the_focus(
    place: Place, context: BrowserContext, live_lines: Iterator[str]
) -> None:
    page = context.new_page()
    page.goto(f"{place.url}/live")
    link = page.locator(f"running-matches a[href='/live/{RUNNING}']")
    link.focus()
    page.evaluate("window.isTheSame = true")
    place.send(live_lines)
    (row,) = httpx.get(f"{place.url}/api/v1/live", timeout=PATIENCE).json()
    points = sorted(row["progress"]["points"], reverse=True)
    leader = row["bots"][row["progress"]["points"].index(points[0])]
    assert points[0] > points[1]
    standing = f"Board 1 of 1 · {leader} leads by {points[0] - points[1]}"
    page.locator("running-matches p", has_text=standing).wait_for()
    assert page.evaluate("window.isTheSame && document.activeElement.getAttribute('href')") == f"/live/{RUNNING}"


SHOWN = """number => {
  const live = document.querySelector("live-match");
  const moment = live.rotations.get(number).moment();
  const felt = live.drawn.get(number).section.querySelector(".felt");
  const cards = (what) => [...felt.querySelectorAll(what)].map((card) => card.dataset.card).sort().join(" ");
  return { moment, trick: cards(".spot > .card"), hands: cards(".hand > .card:not(.back)") };
}"""


@pytest.mark.parametrize(
    ("variant", "public"),
    [
        ("gongzhu", "played"),
        ("gongzhu-sale", "played"),
        ("hearts", "played"),
        ("chinese-hearts", "played"),
        ("gongzhu-sale", "open"),
        ("hearts", "open"),
    ],
)
def test_the_tables_of_a_running_match_are_drawn_as_the_api_gives_them(
    place: Place, context: BrowserContext, variant: str, public: Literal["played", "open"]
) -> None:
    rest, _ = without_loop(watched, PRESETS[variant], "boards:1", public)
    place.begin(variant)
    page, sent = context.new_page(), 0
    for more in (3, 2, 4, 22, 7, 20, 20, 40, 11):
        place.send(rest[:more])
        del rest[:more]
        sent += more
        if sent == more:
            at(page, place.live)
        page.wait_for_function(
            "mark => document.querySelector('live-match').mark === mark", arg=f"{place.attempt}-{sent}"
        )
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        (row,) = httpx.get(f"{place.url}/api/v1/live", timeout=PATIENCE).json()
        for table in row["progress"]["tables"]:
            shown, moment = page.evaluate(SHOWN, table["table"]), table["moment"]
            fields = ("trick", "leader", "cards", "winning", "complete", "scores", "totals")
            assert [shown["moment"][name] for name in fields] == [moment[name] for name in fields]
            assert shown["moment"]["seats"] == moment["seats"]
            on_table = [] if moment["scores"] else moment["cards"].split()
            assert shown["trick"].split() == sorted(on_table)
            assert shown["hands"].split() == sorted(" ".join(seat["hand"] for seat in moment["seats"]).split())
    place.end()


def test_a_page_that_is_looked_at_gets_the_stream_of_hidden_ones(
    place: Place, context: BrowserContext, live_lines: Iterator[str]
) -> None:
    assert next(live_lines)
    one = place.seat()
    hidden = [at(context.new_page(), address) for address in (one, place.seat(), place.live)]
    spectator = context.new_page()
    spectator.route("**/watch/state*", lambda route: route.abort())  # what it shows has come by a stream
    for each in hidden:
        each.evaluate(HIDE, True)
    at(spectator, place.watched(one))
    hidden[0].evaluate(HIDE, False)
    last = next_wanted(hidden[0])
    by_mouse(hidden[0], last.split()[0])
    spectator.wait_for_selector(CARD_PLAYED)
    wait_for(spectator, lambda: place.streams <= 3)


def test_a_hidden_tab_lets_go_of_its_stream_and_follows_again_when_it_is_looked_at(
    place: Place, context: BrowserContext, live_lines: Iterator[str]
) -> None:
    page = context.new_page()
    page.add_init_script("delete window.SharedWorker")  # as in browsers that have none: a stream of its own
    page.route("**/events?*", lambda route: route.abort())
    page.clock.install()
    page.goto(place.live)
    page.clock.run_for(1000)
    page.wait_for_selector(".live-table")
    wait_for(page, lambda: place.streams == 1)
    page.evaluate(HIDE, True)
    page.clock.fast_forward(31_000)
    wait_for(page, lambda: place.streams == 0)
    place.send(live_lines)
    page.evaluate(HIDE, False)
    page.clock.resume()
    page.wait_for_function(DONE)


def wait_for(page: Page, condition: Callable[[], bool]) -> None:
    """Look again and again; the limit of the test ends it."""
    while not condition():
        page.evaluate("1")


@contextmanager
def bots_named(ladder: Ladder, names: Sequence[str]) -> Iterator[None]:
    """Give the ladder's bots other names for a while."""
    with ladder.database.write() as session:
        bots = session.query(StoredBot).order_by(StoredBot.id).limit(len(names)).all()
        before = [bot.name for bot in bots]
        for bot, name in zip(bots, names, strict=True):
            bot.name = name
    try:
        yield
    finally:
        with ladder.database.write() as session:
            for bot, name in zip(session.query(StoredBot).order_by(StoredBot.id), before, strict=False):
                bot.name = name


def looked_at(page: Page) -> object:
    """Look for scripts that have run, and markup of others, on a page."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    return page.evaluate(LOOK)


@pytest.mark.sqlite  # no other database takes names of any length
@pytest.mark.parametrize("public", ["played", "open"])
def test_hostile_names_of_bots_at_the_tables_of_a_running_match_are_text(
    place: Place, lending: Lending, public: Literal["played", "open"]
) -> None:
    sent, _ = without_loop(watched, PRESETS["gongzhu"], "boards:1", public)
    place.begin("gongzhu")
    with bots_named(place.ladder, NAMES[:4]):
        page = lending.page(Kind(trusting=True))
        page.goto(place.live)
        place.send(sent[:20])
        page.wait_for_selector(".live-tables .felt")
        assert NAMES[1] in page.inner_text(".live-tables")
        assert looked_at(page) == NOTHING
        place.send(sent[20:])
        page.wait_for_function(DONE)
        assert looked_at(page) == NOTHING
    place.end()


@pytest.mark.parametrize("hostile", MARKUP)
def test_the_title_of_own_rules_and_the_names_of_people_at_a_table_are_text(
    place: Place, lending: Lending, hostile: str
) -> None:
    rules = {**PRESETS["gongzhu"].to_plain(), "title": hostile}
    opened = open_table(place.ladder, TableOrder(rules=rules, seconds=600.0), TableVisitor(shown=hostile))
    page = lending.page(Kind(trusting=True))
    name = opened.path(0).partition("?")[0]
    for address in (f"{place.url}{opened.path(0)}", place.watched(name), f"{place.url}{name}/rules"):
        response = page.goto(address)
        assert response is not None
        assert response.ok, address
        page.wait_for_load_state("load")
        assert looked_at(page) == NOTHING
    page.goto(f"{place.url}{opened.path(0)}")
    page.wait_for_selector("person-table .pick", state="attached")  # the lesson on exposing is before the table
    assert looked_at(page) == NOTHING
