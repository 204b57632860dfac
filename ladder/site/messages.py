"""
Keeps the translations of the site up to date: `python -m ladder.site.messages`, or `scripts/messages`.

The texts are those that templates and modules of the site mark, and those in which the SDK puts a variant's rules. A
file of translations has them in alphabetical order, without the places where they stand and without dates, so that it
changes only when a text does.
"""

from __future__ import annotations

import io
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir, extract_from_file
from babel.messages.pofile import read_po, write_po

from ladder.site.words import FOLDER, LANGUAGES, to_translate
from pigpen.rules import words as rules_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from babel.messages.catalog import Message

SITE = Path(__file__).parent
METHODS = [("**.py", "python"), ("templates/**.html", "jinja2.ext:babel_extract")]
OPTIONS = {"templates/**.html": {"newstyle_gettext": "true", "trim_blocks": "true", "silent": "false"}}
KEYWORDS = {**DEFAULT_KEYWORDS, to_translate.__name__: None}
IN_RULES = {"_say": None}
"""What marks a text in the module that puts rules into words."""
PLACEHOLDER = re.compile(r"%\(\w+\)s|%%|%")
HEAD = """# {name} for the site. `scripts/messages` adds new texts; write the translations here.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""


def extracted() -> Catalog:
    """All texts of the site, without translations."""
    found = Catalog()
    for text, context in _texts():
        found.add(text, context=context)
    return found


@cache
def _texts() -> tuple[tuple[str | tuple[str, ...], str | None], ...]:
    """All texts with their contexts, in the order in which they stand; read once."""
    ours = [(text, context) for _, _, text, _, context in extract_from_dir(SITE, METHODS, OPTIONS, KEYWORDS)]
    in_rules = extract_from_file("python", rules_words.__file__, IN_RULES)
    return (*ours, *((text, context) for _, text, _, context in in_rules))


def updated(language: str, before: str) -> str:
    """
    Bring a file of translations up to date: new texts come without one, texts that are gone are left out.

    Args:
        language: One of `LANGUAGES`.
        before: What the file holds.
    """
    catalog = read_po(io.StringIO(before), locale=language)
    catalog.update(extracted(), no_fuzzy_matching=True)
    written = io.BytesIO()
    write_po(written, catalog, width=0, no_location=True, omit_header=True, sort_output=True, ignore_obsolete=True)
    head = HEAD.format(name=LANGUAGES[language], language=language, plurals=catalog.plural_forms)
    return f"{head}{written.getvalue().decode().strip()}\n"


def problems(language: str, text: str) -> Iterator[str]:
    """Say in a sentence each what is wrong with a file of translations."""
    if updated(language, text) != text:
        yield f"{language}.po is not up to date; run: scripts/messages"
    for message in read_po(io.StringIO(text), locale=language):
        if message.id and (wrong := _wrong(message)):
            yield f"{language}.po: {forms(message.id)[0]!r} {wrong}"


def _wrong(message: Message) -> str:
    wanted = {placeholders(text) for text in forms(message.id)}
    if not all(forms(message.string)):
        return "is not translated"
    if message.fuzzy:
        return "is marked as fuzzy"
    if not {placeholders(text) for text in forms(message.string)} <= wanted:
        return "has other placeholders than its translation"
    return ""


def placeholders(text: str) -> tuple[str, ...]:
    """
    Find what is put into a text, and its percent signs.

    >>> placeholders("%(num)s of 100 %%")
    ('%%', '%(num)s')
    """
    return tuple(sorted(PLACEHOLDER.findall(text)))


def forms(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """Give the singular and the plural of a text, or the forms of its translation."""
    return (text,) if isinstance(text, str) else tuple(text or ("",))


def main(is_check: bool) -> int:
    """
    Update or check all files of translations.

    Returns:
        The exit code: 1 if something is wrong with one.
    """
    found: list[str] = []
    for language in LANGUAGES.keys() - {"en"}:
        file = FOLDER / f"{language}.po"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if not is_check:
            FOLDER.mkdir(exist_ok=True)
            text = updated(language, text)
            file.write_text(text, encoding="utf-8")
        found += problems(language, text)
    print("\n".join(found), end="\n" * bool(found), file=sys.stderr)
    return 1 if found and is_check else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
