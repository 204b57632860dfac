"""The judgement of an order for a submission, and the variants in which its bot is entered, by the owner's words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ladder.entry.claims import check_claim, check_variant
from ladder.errors import BotRejected
from ladder.sandbox.bots.recipes import VARIANTS
from ladder.values.submission import VariantFile
from pigpen.rules import PRESETS
from referee.records.rules_file import load_rules, no_such_rules, rules_from

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ladder.entry.claims import SubmissionLook
    from ladder.values.submission import SubmissionOrder
    from pigpen.rules import Rules

ALL = "all"
"""Every preset, and every variant that the ladder plays."""
FIRST = "gongzhu"
"""The variant of a bot if neither its owner nor its image names one."""


def choices(words: Sequence[str]) -> tuple[str | VariantFile, ...]:
    """
    Read the TOML files among the words of an owner, on the owner's machine; other words stay as they are.

    Raises:
        RulesFileError: If a file holds no rules.
    """
    return tuple(
        VariantFile(file=word, rules=load_rules(word).to_plain()) if _is_file(word) else word for word in words
    )


def check_order(look: SubmissionLook, order: SubmissionOrder, owner: str, sandbox: str) -> None:
    """
    Judge an order before anything is sent, copied or built, by all that is known without the bot.

    Args:
        look: The ladder.
        order: What is to be submitted.
        owner: The owner of the bot.
        sandbox: Where it is to be tried and to play.

    Raises:
        LadderError: If the ladder does not take it.
        RulesFileError: If one of its variants cannot be.
    """
    check_claim(look, order.name, owner, sandbox)
    if order.image is None or order.variants or look.plays:  # else the image's label decides
        chosen_variants(look, order.variants, ())


def chosen_variants(look: SubmissionLook, wanted: Sequence[str | VariantFile], offered: Sequence[str]) -> list[Rules]:
    """
    Find the variants in which a bot is to be entered.

    A name is that of a variant that this ladder plays, by the ladder's own rules, or of a preset.

    Args:
        look: The ladder.
        wanted: What the owner wants (`choices`), or `ALL`; nothing: what the bot plays already, or what it offers, or
            `FIRST`.
        offered: What it says it plays; empty: it does not say.

    Raises:
        RulesFileError: If a name is that of no variant, or what came from a file makes none.
        LadderError: If the ladder plays something else under that name.
        BotRejected: If the bot says that it does not play one of them, or that it plays a variant that is not known.
    """
    known = {**PRESETS, **look.rules}
    chosen = list(wanted) or list(look.plays) or _offer(offered, known) or [FIRST]
    if ALL in chosen:
        chosen = [name for name in known if not offered or name in offered]
    found = [_rules(known, each) for each in chosen]
    variants = list({rules.name: rules for rules in found}.values())
    for rules in found:
        check_variant(look, rules)
        if offered and rules.name not in offered:
            raise BotRejected(
                f"The image says in its label {VARIANTS} that the bot plays {', '.join(map(repr, offered))}, and not "
                f"{rules.name!r}."
            )
    return variants


def _rules(known: Mapping[str, Rules], wanted: str | VariantFile) -> Rules:
    if isinstance(wanted, VariantFile):
        return rules_from(wanted.rules)
    if wanted not in known:
        raise no_such_rules(wanted)
    return known[wanted]


def _is_file(word: str) -> bool:
    if word in PRESETS or word == ALL:
        return False
    try:
        return Path(word).expanduser().is_file()
    except (OSError, RuntimeError, ValueError):  # a name that is too long, ~ and no name of a user, a NUL
        return False


def _offer(offered: Sequence[str], known: Collection[str]) -> list[str]:
    """List what a bot offers; a stranger's word is never looked for among the files here."""
    unknown = [name for name in offered if name not in known]
    if unknown:
        raise BotRejected(
            f"The image's label {VARIANTS} names {unknown[0]!r}, which this ladder does not know. "
            "Choose variants with --variant."
        )
    return list(offered)


def outdated(look: SubmissionLook, variants: Sequence[Rules]) -> list[str]:
    """Give those of *variants* whose preset has changed since the ladder began to play them."""
    return [rules.name for rules in variants if PRESETS.get(rules.name, rules) != rules and rules.name in look.rules]
