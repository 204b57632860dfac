"""Texts of the organiser: shown where they are, in the reader's language, and never as a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.app.personal_data import RENAME_DAYS
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.site.rendering.own_texts import NAMES, TEXT_BYTES, read_own_texts
from ladder.site.server.attempts import LIMITS
from ladder.values.people import GUEST_DAYS
from tests.ladder.ladders import new_ladder
from tests.ladder.site.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def write(ladder: Ladder, **texts: str) -> None:
    folder = ladder.settings.data_dir / "pages"
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")


def test_without_texts_only_what_the_program_keeps_is_linked(ladder: Ladder) -> None:
    visitor = Visitor(ladder)
    assert [visitor.get(f"/{name}").status_code for name in NAMES] == [200, 404, 404]
    assert [f'href="/{name}"' in visitor.get("/").text for name in NAMES] == [True, False, False]


@pytest.mark.parametrize(("language", "days"), [("en", "{} days"), ("zh", "{} 天")])
def test_the_page_about_privacy_names_the_periods_that_are_set(ladder: Ladder, language: str, days: str) -> None:
    periods = {"log_days": 11, "address_days": 12, "audit_days": 13, "session_days": 14, "token_days": 15}
    visitor = Visitor(Ladder(ladder.settings.model_copy(update=periods), ladder.database))
    page = visitor.get(f"/privacy?lang={language}").text
    assert [each for each in (*periods.values(), GUEST_DAYS) if days.format(each) not in page] == []
    assert "for good" not in visitor.get("/privacy?lang=en").text.partition("audit log")[2].partition("</li>")[0]


@pytest.mark.parametrize(("language", "hours"), [("en", "{} hours at most"), ("zh", "最多 {} 小时")])
def test_the_page_about_privacy_names_the_longest_time_for_which_attempts_count(
    ladder: Ladder, language: str, hours: str
) -> None:
    page = Visitor(ladder).get(f"/privacy?lang={language}").text
    assert hours.format(max(seconds for _, _, seconds in LIMITS.values()) // 3600) in page


@pytest.mark.parametrize(
    ("language", "group", "team", "note"),
    [
        ("en", "The group into which", "The team of which", "leaves out secrets, notes of organisers"),
        ("zh", "放入的小组", "所属的团队", "不含机密、组织者的备注"),
    ],
)
def test_the_page_about_privacy_tells_of_groups_teams_and_notes(
    ladder: Ladder, language: str, group: str, team: str, note: str
) -> None:
    with_teams = Ladder(ladder.settings.model_copy(update={"team_size": 3}), ladder.database)
    for there in (ladder, with_teams):
        page = Visitor(there).get(f"/privacy?lang={language}").text
        assert [each in page for each in (group, team, note)] == [True, there is with_teams, True]


@pytest.mark.parametrize(("language", "often"), [("en", "once in {} days"), ("zh", "每 {} 天更改一次")])
def test_who_registers_is_told_how_often_a_name_can_be_changed(ladder: Ladder, language: str, often: str) -> None:
    settings = ladder.settings.model_copy(update={"registration": "open"})
    page = Visitor(Ladder(settings, ladder.database)).get(f"/register?lang={language}").text
    assert often.format(RENAME_DAYS) in page


def test_a_text_is_shown_and_linked_in_the_readers_language(ladder: Ladder) -> None:
    write(
        ladder, privacy_md="# Who we are\n\nWe *do* keep logs.", privacy_zh_md="我们保存日志。", terms_md="Be **fair**."
    )
    visitor = Visitor(ladder)
    page = visitor.get("/privacy").text
    assert "<h1>Privacy</h1>" in page
    assert "<h2>Who we are</h2>\n<p>We <em>" in page
    assert "我们保存日志。" in visitor.get("/privacy?lang=zh").text
    assert '<div class="own-text" lang="en">\n<p>Be <strong>fair</strong>.</p>' in visitor.get("/terms?lang=zh").text
    home = visitor.get("/help?lang=en").text
    assert [f'<a href="/{name}">' in home for name in ("privacy", "terms", "imprint")] == [True, True, False]


def test_a_text_holds_no_program_and_no_picture(ladder: Ladder) -> None:
    write(ladder, imprint_md="<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![y](https://far.example/y.png)")
    visitor = Visitor(ladder)
    page = visitor.get("/imprint").text
    text = page.partition('<div class="own-text">')[2].partition("</div>")[0]
    assert "<script" not in text
    assert 'href="javascript' not in text
    assert "<img" not in text


def test_security_txt_is_given_as_it_is(ladder: Ladder) -> None:
    text = "Contact: mailto:olga@arena.example\nExpires: 2027-12-31T00:00:00Z\n"
    write(ladder, security_txt=text)
    visitor = Visitor(ladder)
    answer = visitor.get("/.well-known/security.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == text


@pytest.mark.parametrize("content", [b"\xff", b"a" * (TEXT_BYTES + 1)], ids=["no UTF-8", "long"])
def test_a_text_that_cannot_be_shown_ends_the_start(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "terms.md").write_bytes(content)
    with pytest.raises(UserError, match=r"terms\.md: "):
        read_own_texts(tmp_path)


def test_who_registers_is_pointed_to_them(ladder: Ladder) -> None:
    write(ladder, terms_md="Be fair.")
    visitor = Visitor(Ladder(ladder.settings.model_copy(update={"registration": "open"}), ladder.database))
    assert '<a href="/terms">Terms of use</a>' in visitor.get("/register").text.partition("<footer>")[0]
