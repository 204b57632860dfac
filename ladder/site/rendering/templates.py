"""Rendering of a page: a template, the reader's language, and what all pages have."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from ladder.site.rendering import charts
from ladder.site.rendering import translations as words
from ladder.site.rendering.cache import asked_for, key_of
from ladder.site.rendering.faces import avatar, emblem
from ladder.site.rendering.static_files import digest, palette
from ladder.values.standings import percents
from ladder.values.text import sanitize
from pigpen.rules.words import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.requests import Request

    from ladder.site.rendering.cache import AnswerCache

TEMPLATES = Path(__file__).parents[1] / "templates"
HTML = "text/html; charset=utf-8"
SPACES = "\n\t\xa0\u3000"
WITHOUT_SPACES = str.maketrans("", "", SPACES)


class Pages:
    """Makes pages."""

    def __init__(
        self,
        answers: AnswerCache,
        has_docs: bool,
        address: Callable[[], str],
        account: Callable[[Request], str],
        own_pages: Iterable[str],
    ) -> None:
        """
        Prepare to make pages.

        Args:
            answers: What keeps them.
            has_docs: Whether the site has the documentation.
            address: Gives the address of the site, without a slash at its end, for programs that read pages.
            account: Gives the name of the account that a page is for, which its header shows; empty: a guest's.
            own_pages: Names of the texts of the organiser that there are.
        """
        self._answers = answers
        self._address = address
        self._account = account
        self._has_docs = has_docs
        self._own_pages = tuple(own_pages)
        self._static = f"/static/{digest()}"

    def page(self, request: Request, template: str, make: Callable[[], Mapping[str, Any]], about: str = "") -> Response:
        """
        Answer with a page that stays as it is until the ladder changes.

        Args:
            request: What is asked.
            template: The file's name.
            make: Gives what the template shows.
            about: What it depends on besides the address, the language, the account and the ladder.
        """
        language = words.language_of(request)
        key = f"{language} {key_of(request)} {about} {self._account(request)}"
        response = self._answers.respond(
            request, key, lambda: (self.text(request, language, template, make()).encode(), HTML)
        )
        return _remember(response, request)

    def fresh_page(self, request: Request, template: str, values: Mapping[str, Any], status: int = 200) -> Response:
        """Answer with a page that is made for each request."""
        text = self.text(request, words.language_of(request), template, values)
        return _remember(HTMLResponse(text, status, {"Cache-Control": "no-store"}), request)

    def text(self, request: Request, language: str, template: str, values: Mapping[str, Any]) -> str:
        """Fill a template."""
        return (
            environment(language)
            .get_template(template)
            .render(
                path=request.url.path,
                static=self._static,
                language=language,
                languages=[(code, name, _in_language(request, code)) for code, name in words.LANGUAGES.items()],
                has_docs=self._has_docs,
                own_pages=self._own_pages,
                site=self._address(),
                account_shown=self._account(request),
                **values,
            )
        )


@cache
def environment(language: str) -> Environment:
    """Prepare Jinja with the words and filters of one language; everything is escaped."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # else each page looks at the files of all its templates
        extensions=["jinja2.ext.i18n"],
    )
    translations = words.translations(language)
    made.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]

    def translated(text: str) -> Markup:
        return Markup(translations.gettext(text).replace(" %%", "\xa0%%"))

    @lru_cache(maxsize=4096)
    def plain(text: str) -> Markup:
        return translated(text) % {}

    def gettext(text: str, /, **values: object) -> Markup:
        """Do what Jinja's own does, which translates and formats a text again wherever it stands."""
        return translated(text) % values if values else plain(text)

    made.filters.update(
        number=words.number,
        signed=words.signed,
        scored=words.scored,
        toned=words.toned,
        moved=words.moved,
        percent=words.percent,
        with_code=words.with_code,
        percents=percents,
        day=lambda date: Markup(f'<time datetime="{date}">{words.day(date, language)}</time>'),
        plain_day=lambda date: words.day(date, language),
        weekday=lambda date: words.weekday(date, language),
        variant=lambda name: words.variant(name, language),
        player=lambda name: words.player(sanitize(name), language),
        match_format=lambda text: words.match_format(text, language),
        moment=lambda time: words.moment(time, language),
        when=lambda time: Markup(f'<time datetime="{time.isoformat()}">{words.moment(time, language)}</time>'),
        sanitize=sanitize,
        in_words=lambda rules: words.with_suits(describe(rules, translations.gettext)).split("\n"),
        translated=lambda refusal: words.sentence_in(refusal, language),
    )
    made.globals.update(
        {"_": gettext, "gettext": gettext},
        charts=charts,
        palette=palette,
        avatar=avatar,
        emblem=emblem,
        bot_link=bot_link,
        zip=zip,
        variant_slugs=tuple(words.VARIANTS),
    )
    return made


@lru_cache(maxsize=4096, typed=True)
def bot_link(name: str, version: int = 1, query: str = "") -> Markup:
    """Make the link to the page of a bot; a version but the first one stands behind it."""
    shown_name = escape(sanitize(name))
    address = f"/b/{quote(name)}{escape(query)}"
    number = f' <span class="soft">@{version:d}</span>' if version > 1 else ""
    return Markup(f'<a href="{address}" class="bot" title="{shown_name}">{shown_name}</a>{number}')


def shown(value: object) -> object:
    """
    Sanitize whatever a template puts into a page: text of strangers reverses no line, whatever it is.

    Markup stays markup; line breaks and wide spaces stay, too.
    """
    if not isinstance(value, str) or value.isprintable() or value.translate(WITHOUT_SPACES).isprintable():
        return value
    return type(value)(sanitize(value, SPACES))


def _in_language(request: Request, language: str) -> str:
    """Give the query of this page in a language; everything else that the page knows of what is asked for stays."""
    others = [(name, value) for name, value in asked_for(request) if name != "lang"]
    return f"?{urlencode([*others, ('lang', language)])}"


def _remember(response: Response, request: Request) -> Response:
    """Keep the language that a link has asked for."""
    wanted = request.query_params.get("lang")
    if wanted in words.LANGUAGES:
        secure = request.url.scheme == "https"
        response.set_cookie(words.COOKIE, wanted, max_age=365 * 24 * 3600, httponly=True, samesite="lax", secure=secure)
    return response
