"""
The languages of the site: its translations, and how numbers and times are written in them.

`SENTENCES` are those of use cases that readers meet on pages: named here, so that they are translated.
"""

from __future__ import annotations

import datetime
import io
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from babel.core import negotiate_locale
from babel.dates import format_date
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from markupsafe import Markup, escape

from ladder.errors import Worded
from ladder.values.opponents import GUEST
from referee.match.formats import Format

if TYPE_CHECKING:
    from starlette.requests import Request

FOLDER = Path(__file__).parents[1] / "translations"
LANGUAGES = {"en": "English", "zh": "中文"}
"""The name of each language, in that language."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MOMENTS = {"en": "{0.day} {1} {0.year}, {0:%H:%M} UTC", "zh": "{0.year}年{0.month}月{0.day}日 {0:%H:%M} UTC"}
"""The format of a time in each; a page has a hundred of them, and a library that knows all languages takes longer."""
DAYS = {"en": "{0.day} {1} {0.year}", "zh": "{0.year}年{0.month}月{0.day}日"}
"""The format of a day in each."""
COOKIE = "pigpen_lang"
CARD = re.compile(r"(?<![A-Za-z0-9])([2-9TJQKA])([CDHS])(?![A-Za-z0-9])")
POINTS = re.compile(r" ([+-]\d+)")
CODE = re.compile("`([^`]+)`")
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
AS_TEXT = "\ufe0e"
"""After a sign of which browsers have a coloured picture, too: the letter."""


@cache
def translations(language: str) -> NullTranslations:
    """Give the catalogue of one of the `LANGUAGES`; the sentences of the code are English."""
    if language == "en":
        return NullTranslations()
    with (FOLDER / f"{language}.po").open("rb") as file:
        catalog = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    return Translations(compiled)


def language_of(request: Request) -> str:
    """Choose the reader's language: asked for by a link, remembered from one, or what the browser prefers."""
    for wanted in (request.query_params.get("lang"), request.cookies.get(COOKIE)):
        if wanted in LANGUAGES:
            return wanted
    return _preferred(request.headers.get("accept-language", ""))


def sentence_in(refusal: str | Exception, language: str) -> str:
    """
    Say a sentence, or that of an error, in a language; in English, if it has no translation.

    >>> from ladder.errors import LadderError
    >>> sentence_in("The old password is wrong.", "zh"), sentence_in(LadderError("{name} is there.", name="Ada"), "zh")
    ('旧密码错误。', 'Ada is there.')
    """
    sentence, values = (refusal.sentence, refusal.values) if isinstance(refusal, Worded) else (str(refusal), {})
    translated = translations(language).gettext(sentence) if sentence else sentence
    return translated.format(**values) if values else translated


def to_translate(sentence: str) -> str:
    """Mark a sentence that is translated later, for `scripts/messages`; gives it as it is."""
    return sentence


TITLES = (
    to_translate("Hearts, short form"),
    to_translate("Hearts"),
    to_translate("Hearts with the jack of diamonds"),
    to_translate("Gong Zhu 拱猪, chase the pig"),
    to_translate("Gong Zhu 拱猪 with partners"),
    to_translate("Gong Zhu 拱猪 for five"),
    to_translate("Gong Zhu 拱猪 with face-down sales"),
    to_translate("Chinese Hearts, Western style"),
)
"""Those of the presets."""
VARIANTS = {
    "hearts-short": to_translate("Hearts, short form"),
    "hearts": to_translate("Hearts"),
    "hearts-jack": to_translate("Hearts with the jack"),
    "gongzhu": to_translate("Gong Zhu"),
    "gongzhu-partners": to_translate("Gong Zhu with partners"),
    "gongzhu-five": to_translate("Gong Zhu for five"),
    "gongzhu-sale": to_translate("Gong Zhu, face-down sales"),
    "chinese-hearts": to_translate("Chinese Hearts"),
}
"""Short names of the presets, where there is no room for a title."""


def variant(name: str, language: str) -> str:
    """
    Name a variant; one of the organiser's own is called as it is written.

    >>> variant("gongzhu", "zh"), variant("gongzhu-mine", "en")
    ('拱猪', 'gongzhu-mine')
    """
    return translations(language).gettext(VARIANTS[name]) if name in VARIANTS else name


GUESTS = to_translate("Guest"), to_translate("Guest %(number)s")


def player(name: str, language: str) -> str:
    """
    Name a player at a table with people; guests are called so in the reader's language.

    >>> [player(name, "en") for name in ("Ada", "guest", "guest#2", "guests")]
    ['Ada', 'Guest', 'Guest 2', 'guests']
    """
    word, _, number = name.partition("#")
    if word != GUEST:
        return name
    alone, several = map(translations(language).gettext, GUESTS)
    return several % {"number": number} if number else alone


def match_format(text: str, language: str) -> str:
    """
    Name a match format.

    >>> [match_format(text, "en") for text in ("boards:16", "deals:1", "board:0:1", "game")]
    ['16 boards in all rotations', 'one deal', 'board 1, rotation 2', 'a whole game']
    """
    known, ours = Format.parse(text), translations(language)
    if known.board is not None:
        place = {"board": known.board.board + 1, "rotation": known.board.rotation + 1}
        return ours.gettext("board %(board)s, rotation %(rotation)s") % place
    if known.boards is not None:
        several = ours.ngettext("%(num)s board in all rotations", "%(num)s boards in all rotations", known.boards)
        return several % {"num": number(known.boards)}
    if known.deals == 1:
        return ours.gettext("one deal")
    return (
        ours.gettext("a whole game")
        if known.deals is None
        else ours.gettext("%(count)s deals") % {"count": number(known.deals)}
    )


def with_suits(text: str) -> str:
    r"""
    Write cards with the signs of their suits; their points stay on their line, and have a minus sign.

    >>> with_suits("QS -100; each of 5H…TH").replace(AS_TEXT, "")
    'Q♠\xa0−100; each of 5♥…10♥'
    """
    text = CARD.sub(lambda card: f"{card[1].replace('T', '10')}{SUITS[card[2]]}{AS_TEXT}", text)
    return POINTS.sub(lambda points: f"\xa0{points[1].replace('-', '−')}", text)


@lru_cache(maxsize=4096)
def number(value: float, digits: int = 0) -> str:
    """
    Write a number; a minus sign where it is less than 0.

    >>> number(-1234.56, 1)
    '−1,234.6'
    """
    text = f"{value:,.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.removeprefix("-")


def signed(value: float, digits: int = 1) -> str:
    """
    Write a difference.

    >>> signed(3), signed(-0.01)
    ('+3.0', '±0.0')
    """
    text = number(value, digits)
    if not float(text.replace(",", "").replace("−", "-")):
        return f"±{text}"
    return text if text.startswith("−") else f"+{text}"


def scored(points: int, low_is_better: bool) -> str:
    """
    Write points that a player has scored: with a plus only where more of them are better.

    >>> scored(26, True), scored(100, False), scored(0, False)
    ('26', '+100', '0')
    """
    return number(points) if low_is_better or not points else signed(points, 0)


def toned(points: float, low_is_better: bool) -> str:
    """
    Give the class of points: `good` or `bad` for the player who scored them; empty: neither.

    >>> toned(26, True), toned(100, False), toned(-30, False), toned(0, True)
    ('bad', 'good', 'bad', '')
    """
    return "" if not points else "bad" if (points > 0) is low_is_better else "good"


def percent(share: float, digits: int = 0) -> str:
    """
    Write a share of 1 in percent; no line ends before the sign.

    >>> percent(0.125, 1) == "12.5\N{NO-BREAK SPACE}%"
    True
    """
    return f"{number(100 * share, digits)}\xa0%"


def with_code(text: str) -> Markup:
    """
    Set what stands between backticks as code.

    >>> with_code("read on with `next`, <1000")
    Markup('read on with <code>next</code>, &lt;1000')
    """
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def moved(change: float) -> Markup:
    """
    Write a change, more being better, in the colour of the sign that it shows.

    >>> moved(3), moved(-0.01)
    (Markup('<span class="good">+3.0</span>'), Markup('±0.0'))
    """
    text = signed(change)
    colour = {"+": "good", "−": "bad"}.get(text[0])
    return Markup('<span class="{}">{}</span>').format(colour, text) if colour else Markup(text)


def moment(time: datetime.datetime, language: str) -> str:
    """
    Write a time in UTC; the page's script shows it in the reader's zone.

    >>> from datetime import UTC, datetime
    >>> moment(datetime(2027, 1, 15, 8, 0, tzinfo=UTC), "en"), moment(datetime(2027, 1, 15, 8, 0, tzinfo=UTC), "zh")
    ('15 Jan 2027, 08:00 UTC', '2027年1月15日 08:00 UTC')
    """
    return MOMENTS[language].format(time, MONTHS[time.month - 1])


def day(date: datetime.date, language: str) -> str:
    """
    Write a day; the page's script writes it as the reader does.

    >>> [day(datetime.date(2027, 1, 15), language) for language in LANGUAGES]
    ['15 Jan 2027', '2027年1月15日']
    """
    return DAYS[language].format(date, MONTHS[date.month - 1])


def weekday(date: datetime.date, language: str) -> str:
    """
    Name the day of the week in little room.

    >>> [weekday(datetime.date(2027, 1, 15), language) for language in LANGUAGES]
    ['Fri', '五']
    """
    return format_date(date, "ccc" if language == "en" else "ccccc", locale=language)


def _preferred(header: str) -> str:
    """
    Choose a language by the browser's list.

    >>> _preferred("fr;q=0.9, zh-CN, en;q=0.8")
    'zh'
    """
    wanted: list[tuple[float, str]] = []
    for part in header[:200].split(","):
        name, _, weight = part.strip().partition(";q=")
        try:
            wanted.append((-float(weight or 1), name.split("-")[0].lower()))
        except ValueError:
            continue
    return negotiate_locale([name for _, name in sorted(wanted)], list(LANGUAGES)) or "en"


SENTENCES = (
    to_translate("The name or the password is wrong."),
    to_translate("The old password is wrong."),
    to_translate("The password is wrong."),
    to_translate("Log out and log in again first: your log-in must not be older than 10 minutes for this."),
    to_translate("To delete the account, type its name. Nothing was deleted."),
    to_translate("A name can be changed once in {days} days. The organiser can do it at any time."),
    to_translate("A password has {least} to {most} characters."),
    to_translate("The password must not be the name."),
    to_translate(
        "You are playing this board at another table. Finish or end the game there before you play the board again."
    ),
    to_translate("Too many log-ins at the moment. Try again in a minute."),
    to_translate("This ladder takes contestants by invitation: ask its organiser for a link."),
    to_translate("Contestants of this ladder log in at its identity provider."),
    to_translate("You have an account already; log in again."),
    to_translate("This account is disabled; ask the organiser of the ladder."),
    to_translate("This invitation is no longer valid: it was used, has expired, or was withdrawn. Ask for a new one."),
    to_translate("No log-in waits for that code. Check the code, or run pigpen login again."),
    to_translate("A token must allow something: choose at least one of read, submit and admin."),
    to_translate("Write the days as a number, such as 90."),
    to_translate("{address!r} is not an e-mail address that the ladder can write to. Write it as ada@mail.example."),
    to_translate(
        "This link is no longer valid: it was used, has expired, or another address or another password was given "
        "since. Give the address again on the page of your account."
    ),
    to_translate("This link is not one of this ladder's, or the account has no e-mail address any more."),
    to_translate("This log-in was begun in another browser, or it has taken too long. Begin again."),
    to_translate("The identity provider did not confirm who you are. Begin again, or ask the organiser of the ladder."),
    to_translate(
        "The identity provider does not answer as it should. Try again soon, or ask the organiser of the ladder."
    ),
    to_translate("There is no such table; it may have been removed. Open another one at /play."),
    to_translate("This link does not belong to a chair of this table. Ask for a new one."),
    to_translate("This table has ended."),
    to_translate("This table has begun without you."),
    to_translate("This table is not waiting for people."),
    to_translate("Only the person who opened this table can do that."),
    to_translate("Only the person who opened this table can end it. You can leave it."),
    to_translate("It was ended at the table."),
    to_translate("No one was at the table for 10 minutes."),
    to_translate("The people for whom it waited did not come within an hour."),
    to_translate("It waited too long for the person who opened it."),
    to_translate("The day of this board is over (midnight UTC), so its results are open to all."),
    to_translate("This game was ended: it waited for its person, and there were too many games that wait."),
    to_translate("Cards are taken back at tables for practice, where one person plays with bots."),
    to_translate("Nothing is played at this table now; try again in a moment."),
    to_translate("This ladder has no tables for people; pigpen play human seats you in a terminal."),
    to_translate("All tables of this ladder are taken; try again in {minutes} minutes."),
    to_translate("You have as many tables open as are allowed. End one of them, or try again in {minutes} minutes."),
    to_translate(
        "Guests at your address have as many tables open as allowed. Log in, end one, or try in {minutes} minutes."
    ),
    to_translate("This table was ended: all tables of this ladder were taken, and you or your network had the most."),
    to_translate("Bots of the ladder play with people who have an account; log in, or choose house bots."),
    to_translate("Bots of the ladder play its variants only; choose house bots for rules of your own."),
    to_translate("Only bots sit at this table; leave a chair for a person."),
    to_translate("Too many of your requests wait to be computed. Try again in {minutes} min."),
    to_translate("Too many requests wait to be computed. Try again in {minutes} min."),
    to_translate("This could not be computed, because the platform failed several times; try again in an hour."),
    to_translate("This takes more time than a computation may take. It may succeed with simpler rules."),
    to_translate("This takes more memory than a computation may take. It may succeed with simpler rules."),
    to_translate(
        "Submissions for {variant} closed on {when:%Y-%m-%d at %H:%M:%S} UTC: only bots that were submitted by then "
        "play. Choose other variants with --variant, or ask the organiser."
    ),
    to_translate(
        "{text!r} is not a time with its time zone. Write it as 2026-12-18T18:00Z or 2026-12-18T18:00+01:00, or write: "
        "now"
    ),
    to_translate(
        "{text!r} cannot be a deadline: its year must be from {first} to {last}. Write a time in that range, or: now"
    ),
    to_translate("The note has {length:,} characters; it can have {limit} at most. Shorten it."),
    to_translate("{at:%Y-%m-%d %H:%M} UTC is past. Name a later time, or: now"),
    to_translate("{variant} has no deadline of its own. To list all: pigpen ladder deadline list"),
    to_translate("There is no deadline. To set one: pigpen ladder deadline set TIME"),
    to_translate("The title of an announcement is one line of text, but this one is empty."),
    to_translate("The title of an announcement is one line of text, but this one has {odd}, which cannot be printed."),
    to_translate("The title of an announcement has at most {limit} characters, but this one {found}."),
    to_translate("The text of an announcement cannot be shown: it has {odd}, which cannot be printed."),
    to_translate("The text of an announcement has at most {limit:,} characters, but this one {found:,}."),
    to_translate(
        "There are {limit} announcements, the most that a ladder may have. Remove one: "
        "pigpen ladder announcement remove NUMBER"
    ),
    to_translate("There is no announcement {number}."),
    to_translate("There is no group {name!r}. Choose one of {known}."),
    to_translate("There is no group {name!r}. To put an account into one: pigpen account group NAME GROUP"),
    to_translate("An account may have 1 bot or more. To let no one submit: pigpen ladder deadline set now"),
    to_translate("There is no team {name!r}. To list all: pigpen account teams"),
    to_translate("{name!r} is a team, and no member of one. Name a person."),
    to_translate("{name!r} is a member of the team {team!r}. An account is in one team at most: leave it first."),
    to_translate(
        "{name!r} has bots of its own: {bots}. A member of a team has only the team's. Retire them first: "
        "pigpen retire {first}"
    ),
    to_translate(
        "{name!r} has bots of its own in events that are not over: {bots}. A member of a team has only the team's. "
        "Withdraw them first: pigpen event withdraw {first}"
    ),
    to_translate(
        "The team {team!r} has {limit} members: the most that a team may have on this ladder (setting team_size)."
    ),
    to_translate(
        "This link is no longer valid: it was used, has expired, or was withdrawn. Ask the team for a new one."
    ),
    to_translate("There are no teams on this ladder. Its organiser can allow them: setting team_size"),
    to_translate("You are in no team."),
    to_translate("Your team {team!r} is disabled. Ask the organiser of the ladder, or leave the team at /me/team."),
    to_translate(
        "You are the last member of {team!r}, which is disabled, and its bots play or are in events: {bots}. Ask the "
        "organiser of the ladder to take you out of it."
    ),
    to_translate(
        "Submissions closed on {when:%Y-%m-%d at %H:%M:%S} UTC, and teams stay as they were then. To change one, ask "
        "the organiser."
    ),
    to_translate(
        "You are the last member of {team!r}, whose bots play or wait: {bots}. Invite another member, or retire them "
        "first: pigpen retire {first}"
    ),
    to_translate(
        "You are the last member of {team!r}, whose bots are in events that are not over: {bots}. Invite another "
        "member, or withdraw them first: pigpen event withdraw {first}"
    ),
    to_translate(
        "You are the last member of {team!r}, which has submitted bots within 24 hours. Leave it a day after the last "
        "one."
    ),
    to_translate("You have joined or left a team meanwhile. Submit the bot again."),
    to_translate("There is no account {name!r}. To list all: pigpen account list"),
    to_translate("The name {name!r} was that of another account, and is not given away again. Choose another name."),
    to_translate("There is an account {name!r} already. Choose another name."),
    to_translate("The name {name!r} is taken. Choose another, or ask the organiser for an invitation to it."),
    to_translate(
        "The limit of bots that an account of the group {group} may have is {limit}, and {bot} would come beside "
        "{bots}. Retire one of these first (pigpen retire {first}), or withdraw one that waits."
    ),
    to_translate(
        "The limit of bots that an account of the group {group} may have is {limit}, each version that is kept "
        "included, and this one of {bot} would come beside {bots}. Submit it without --keep-old, or withdraw one that "
        "waits."
    ),
    to_translate("{limit} of your submissions have not ended: the limit. Wait, or withdraw one."),
    to_translate("The limit of submissions in 24 hours is {limit}, and you have reached it. Try again later."),
    to_translate("Your trials have taken {limit} min in 24 hours: the limit. Try again later."),
    to_translate(
        "{name!r} cannot be the name of {what}: it takes 1 to {limit} letters and digits of any script (composed, "
        "NFC), '_', '-' and '.', and does not begin with '-' or '.'."
    ),
    to_translate(
        "{name!r} cannot be the name of {what}: in commands it means that there is none. Choose another name."
    ),
    to_translate("{name!r} is the name of a house bot: those begin with 'house-'. Choose another name."),
    to_translate("The name {name!r} looks like {taken!r}, which is taken. Choose another name."),
    to_translate(
        "The name {name!r} looks like {taken!r}, which is taken. Write {taken} if you mean it, or choose a name less "
        "like it."
    ),
    to_translate(
        "The name {name!r} looks like {taken!r}, which is taken. Write --name {taken} if you mean it, or choose a name "
        "less like it."
    ),
)
"""
As in `ladder.app`, `ladder.entry`, `ladder.people`, `ladder.store` and `ladder.worker`; an answer that has a status of
its own leaves out the command at the end.
"""
