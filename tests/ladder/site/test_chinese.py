"""The site in Chinese: every text is translated, and every page shows it."""

from __future__ import annotations

import io
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from babel.messages.pofile import read_po

from ladder.app.computing.asking import computing_files
from ladder.settings.settings import load_settings
from ladder.site.rendering import translations
from ladder.site.rendering.templates import environment
from ladder.site.server.viewer import NO_PAGE
from ladder.store import models
from ladder.values import opponents
from pigpen.rules import PRESETS
from tests.e2e.command import ROOT
from tests.ladder.accounts import add_person, session_of
from tests.ladder.computing_here import compute_all
from tests.ladder.ladders import NAMES, NOW, enter, lease, new_ladder, queue, recorded_match
from tests.ladder.puzzles import add_puzzles
from tests.ladder.site.chinese_words import latin, text_of
from tests.ladder.site.person import Person
from tests.ladder.site.visitor import Visitor
from tests.ladder.studies import GONGZHU, HEARTS, add_to, as_puzzle, new_study
from tests.referee.recorded import SEED, faulty_seats, match_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("few_playouts")
PO = translations.FOLDER / "zh.po"
PLACEHOLDER = re.compile(r"%\(\w+\)s|%%|%")
TERMS = {"Pigpen", "Elo", "JSON", "JSONL", "CSV", "API", "OpenAPI", "UTC", "TOML", "SHA-256", "HTTPS", "CPU", "MiB"}
TERMS |= {"English", "JavaScript", "Python", "gRPC", "ETag", "RFC", "K", "ms", "next", "Bradley", "Terry"}
TERMS |= {".jsonl.gz", ".jsonl", "jsonl", "gz", "pigpen play --record", "pigpen verify", "J", "Q", "A"}
TERMS |= {"Warner", "Kenny", "Stoto", "Bonferroni", "p", "s", "n"}
NAMES_THERE = {*NAMES, "Idler", *(f"bot{seat}" for seat in range(4)), *(f"owner of {name}" for name in NAMES)}
NAMES_THERE |= {"random", "cautious", "counting", "sampling", "exact", "tree"}
NAMES_THERE |= {name for names in opponents.NAMES.values() for name in names}
SLUG = re.compile(r"\b(hearts|gongzhu|chinese)(-\w+)*\b|\b(boards|deals):\d")
REASON = "失败的比赛太多"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Of a ladder that has a match with faults, one that is being played, and a bot that is suspended."""
    made = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("chinese")))
    recorded_match(made, match_lines("hearts", "boards:1", faulty_seats), SEED.hex())
    with made.database.write() as session:
        version = enter(session, "Idler", owner="owner of Snout", state=models.State.SUSPENDED)
        change = {"variant": "hearts", "at": NOW, "state": models.State.SUSPENDED, "by": "ladder", "reason": REASON}
        session.add(models.StateChange(version_id=version, **change))
        lease(session, queue(session, [1, 2, 3, 4]))
    yield Visitor(made)
    made.database.close()


def chinese(site: Visitor, path: str) -> str:
    """A page, for a browser that prefers Chinese."""
    return site.get(path, accept_language="zh-CN,zh;q=0.9,en;q=0.5").text


def run_messages(po: Path, *words: str) -> tuple[int, str]:
    """Run scripts/messages on a file of translations."""
    command = [str(ROOT / "scripts/messages"), *words]
    done = subprocess.run(command, env={**os.environ, "PO": str(po)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_the_file_is_up_to_date_and_everything_is_translated() -> None:
    assert run_messages(PO, "--check") == (0, "")


def test_each_translation_has_the_placeholders_of_its_text() -> None:
    catalog = read_po(io.StringIO(PO.read_text(encoding="utf-8")), locale="zh")
    there = [message for message in catalog if message.id]
    assert len(there) > 200
    for message in there:
        texts = [[text] if isinstance(text, str) else list(text or ()) for text in (message.id, message.string)]
        english, ours = (sorted(PLACEHOLDER.findall(text[-1])) for text in texts)  # Chinese has the form for many alone
        assert english == ours, message.id
        assert len(texts[1]) == 1


def test_a_word_has_one_translation_in_each_of_its_meanings() -> None:
    """A decision of a game is 决策; "no" is 不亮 only where cards may be exposed."""
    catalog = read_po(io.StringIO(PO.read_text(encoding="utf-8")), locale="zh")
    named = re.compile(r"\bdecisions?\b", re.IGNORECASE)
    decisions = {message.id: str(message.string) for message in catalog if named.search(str(message.id))}
    assert len(decisions) > 10
    assert [text for text, ours in decisions.items() if "决定" in ours] == []
    everything = PO.read_text(encoding="utf-8")
    assert [other for other in ("您", "账号", "机器人程序", "变体") if other in everything] == []
    ours = translations.translations("zh")
    assert (ours.gettext("no"), ours.pgettext("exposing", "no")) == ("否", "不亮")


def test_the_titles_of_all_presets_are_translated() -> None:
    assert list(translations.TITLES) == [rules.title for rules in PRESETS.values()]
    assert list(translations.VARIANTS) == list(PRESETS)


def test_variants_and_formats_have_names_in_both_languages(site: Visitor) -> None:
    for path in ("/m", "/b", "/b/Trotter", "/m/1"):
        shown = [text for text in text_of(site.get(path).text).texts if SLUG.search(text)]
        assert shown == [], path
    assert '<span class="tag live">Hearts</span>' in site.get("/live/2").text
    assert ">Hearts</a> · 1 board " in site.get("/m/1").text
    assert ">红心大战</a> · 1 副牌，打满所有轮换" in chinese(site, "/m/1")


def test_one_bookmark_is_one_page_in_every_language(site: Visitor) -> None:
    for language in translations.LANGUAGES:
        assert site.get(f"/v?lang={language}").headers["location"] == f"/v/hearts?lang={language}"


def test_the_rules_of_gong_zhu_in_chinese(site: Visitor) -> None:
    page = chinese(site, "/rules/gongzhu").replace(translations.AS_TEXT, "")
    assert "<h1>拱猪</h1>" in page
    assert "首攻：持有 2♠ 的一家领出首墩，可以出任意一张牌。" in page
    assert "10♣：得牌者没有其他计分牌时为\xa0+50；否则得牌者的分数 ×2。" in page


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('msgstr "帮助"', 'msgstr ""', "the texts with an empty msgstr"),
        ('msgid "Help"\n', '#, fuzzy\nmsgid "Help"\n', "those marked fuzzy"),
        ("牌局 %(number)s", "牌局 %(other)s", "unknown named placeholder 'other'"),
        ('msgid "Help"\n', 'msgid "Aid"\n', "is not up to date; run: scripts/messages"),
    ],
)
def test_the_check_finds_what_is_wrong(before: str, after: str, why: str, tmp_path: Path) -> None:
    text = PO.read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "zh.po").write_text(text.replace(before, after))
    code, printed = run_messages(tmp_path / "zh.po", "--check")
    assert (code, why in printed) == (1, True), printed


def test_new_texts_are_added_and_old_ones_left_out(tmp_path: Path) -> None:
    text = PO.read_text(encoding="utf-8")
    there = 'msgid "Help"\nmsgstr "帮助"\n'
    assert there in text
    (tmp_path / "zh.po").write_text(text.replace(there, 'msgid "Gone"\nmsgstr "没了"\n'))
    assert run_messages(tmp_path / "zh.po")[0] == 1
    renewed = (tmp_path / "zh.po").read_text()
    assert 'msgid "Help"\nmsgstr ""\n' in renewed
    assert "没了" not in renewed
    assert renewed.count("msgid") == text.count("msgid")


HANDS = "AKQJT98765432..._.AKQJT98765432.._..AKQJT98765432._...AKQJT98765432"


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/v/hearts", "/v/hearts?all=1", "/v/hearts?q=nothing", "/b", "/b/Trotter", "/b/Idler", "/m", "/m/1"),
        *("/m/2", "/m/1/boards/1/1", "/live", "/live/1", "/live/2", "/replay", "/help", "/api", "/nothing"),
        *(
            "/v/hearts/matchups",
            "/v/hearts/seasons",
            "/compare",
            "/o/owner of Trotter",
            "/play",
            "/play/today",
            "/play/today/gongzhu",
            "/play/games",
        ),
        *(
            "/puzzles",
            "/puzzles/gongzhu",
            "/studies",
            f"/analysis/gongzhu?hands={HANDS}",
            f"/analysis/hearts?hands={HANDS}",
            "/analysis/hearts?hand=XX",
        ),
        *(f"/rules/{name}" for name in PRESETS),
    ],
)
def test_a_page_is_in_chinese(site: Visitor, path: str) -> None:
    assert_is_in_chinese(site, path)


def test_a_puzzle_is_in_chinese(tmp_path: Path) -> None:
    made = new_ladder(load_settings(data_dir=tmp_path))
    add_puzzles(made, recorded_match(made, match_lines("hearts", "deals:1", faulty_seats), SEED.hex()))
    site = Visitor(made)
    for path in ("/", "/puzzles", "/puzzles/hearts", "/puzzle/1"):
        assert_is_in_chinese(site, path)
    made.database.close()


def test_a_study_is_in_chinese(tmp_path: Path) -> None:
    made = new_ladder(load_settings(data_dir=tmp_path))
    add_person(made, "ada")
    name = new_study(made, "研究一")
    add_to(made, name, GONGZHU)
    puzzle = add_to(made, name, HEARTS, comment="红心")
    as_puzzle(made, name, puzzle)
    visitor = Visitor(made)
    for path in ("/studies", f"/studies/{name}", f"/studies/{name}/{puzzle}"):
        assert words_in(chinese(visitor, path), name) == [], path
    author = Person(made)
    author.cookies.set("pigpen_session", session_of(made, "ada"))
    pages = (
        "/studies",
        f"/studies/{name}",
        f"/studies/{name}/{puzzle}/puzzle",
        f"/analysis/hearts/study?{HEARTS.query}",
    )
    for path in pages:
        assert words_in(author.get(path, accept_language="zh").text, name) == [], path
    made.database.close()


def words_in(page: str, study: str) -> list[str]:
    """Latin words but names and the cards of a hand."""
    return [word for word in latin(page, TERMS | NAMES_THERE | {"ada", study}) if not re.fullmatch(r"[\dAKQJ]+", word)]


def test_an_inbox_is_in_chinese(tmp_path: Path) -> None:
    """Of one deal, because each decision in it is estimated."""
    made = new_ladder(load_settings(data_dir=tmp_path))
    recorded_match(made, match_lines("hearts", "deals:1", faulty_seats), SEED.hex())
    computing_files(made).show_alive()
    site = Visitor(made)
    assert_is_in_chinese(site, "/b/Bristle/inbox")
    assert_is_in_chinese(site, "/play/today/hearts/yesterday")
    assert compute_all(made) > 1
    assert_is_in_chinese(site, "/b/Bristle/inbox")
    made.database.close()


def test_a_comparison_is_in_chinese(site: Visitor) -> None:
    assert site.get("/compare/Trotter/Snout").status_code == 200
    compute_all(site.ladder)
    assert_is_in_chinese(site, "/compare/Trotter/Snout")


def test_a_style_is_in_chinese(site: Visitor) -> None:
    assert site.get("/b/Truffle/style").status_code == 200
    compute_all(site.ladder)
    assert_is_in_chinese(site, "/b/Truffle/style")


def assert_is_in_chinese(site: Visitor, path: str) -> None:
    page = chinese(site, path)
    assert text_of(page).language == "zh-Hans"
    assert latin(page, TERMS | NAMES_THERE) == []
    english = site.get(path).text
    assert text_of(english).language == "en"
    assert len(latin(english, TERMS | NAMES_THERE)) > 8


def test_states_faults_and_names_of_deals_are_words(site: Visitor) -> None:
    idle = chinese(site, "/b/Idler")
    assert f'红心大战 · 暂停参赛 · <span class="wrap">{REASON}</span>' in idle
    bad, absent, hog = [chinese(site, f"/b/{NAMES[bot]}") for bot in (0, 1, 3)]
    assert "<h3>格式错误：12 次</h3>" in bad
    assert "<h3>未到场：4 次</h3>" in absent
    assert "<h3>程序中断：4 次</h3>" in hog
    assert "</a> · 牌号 1，轮换 4 · 决策 3 · <span" in bad
    assert "(退出码 137 · 内存不足)" in hog


def test_a_time_is_written_as_chinese_readers_write_it(site: Visitor) -> None:
    assert "2027年1月15日 08:00 UTC</time>" in chinese(site, "/m/1")
    assert "15 Jan 2027, 08:00 UTC</time>" in chinese(site, "/m/1?lang=en")


def test_an_error_is_chinese_for_a_reader_and_english_for_a_program(site: Visitor) -> None:
    page = chinese(site, "/nothing")
    assert "<h1>404 未找到</h1>\n<p>没有这个页面。</p>" in page
    assert "no bot &#39;Nobody&#39;" in chinese(site, "/b/Nobody")
    problem = site.get("/api/v1/nothing", accept_language="zh").json()
    assert (problem["title"], problem["detail"]) == ("Not Found", NO_PAGE)


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_counts_have_the_forms_of_the_language(language: str) -> None:
    template = environment(language).from_string("{{ ngettext('%(num)s bot', '%(num)s bots', count) }}")
    forms = {"en": ("1 bot", "2 bots"), "zh": ("1 个机器人", "2 个机器人")}
    assert (template.render(count=1), template.render(count=2)) == forms[language]
