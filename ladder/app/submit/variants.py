"""Which variants a bot is entered in, by the words of its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.bots.recipes import VARIANTS
from ladder.store.commands.claims import check_variant
from pigpen.rules import PRESETS
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ladder.store.submission_look import SubmissionLook
    from pigpen.rules import Rules

ALL = "all"
"""Every preset, and every variant that the ladder plays."""
FIRST = "gongzhu"
"""What a bot plays if nobody says what."""


def chosen_variants(look: SubmissionLook, words: Sequence[str], offered: Sequence[str]) -> list[Rules]:
    """
    Find the variants in which a bot is to be entered.

    A name is that of a variant that this ladder plays, by the ladder's own rules, or of a preset, or of a TOML file.

    Args:
        look: The ladder.
        words: What the owner named, or `ALL`; nothing: what the bot plays already, or what it offers, or `FIRST`.
        offered: What it says it plays; empty: it does not say.

    Raises:
        RulesFileError: If a word names no variant.
        LadderError: If the ladder plays something else under that name.
        BotRejected: If the bot says that it does not play one of them, or that it plays what nobody knows.
    """
    known = {**PRESETS, **look.rules}
    names = list(words) or list(look.plays) or _offer(offered, known) or [FIRST]
    if ALL in names:
        names = [name for name in known if not offered or name in offered]
    found = [known[name] if name in known else load_rules(name) for name in names]
    variants = list({rules.name: rules for rules in found}.values())
    for rules in found:
        check_variant(look, rules)
        if offered and rules.name not in offered:
            raise BotRejected(
                f"The image says in its label {VARIANTS} that the bot plays {', '.join(offered)}, and not {rules.name}."
            )
    return variants


def _offer(offered: Sequence[str], known: Collection[str]) -> list[str]:
    """What a bot offers; a stranger's word is never looked for among the files here."""
    unknown = [name for name in offered if name not in known]
    if unknown:
        raise BotRejected(
            f"The image's label {VARIANTS} names {unknown[0]!r}, which this ladder does not know. Say --variant."
        )
    return list(offered)


def outdated(look: SubmissionLook, variants: Sequence[Rules]) -> list[str]:
    """Those of *variants* whose preset has changed since the ladder began to play them."""
    return [rules.name for rules in variants if PRESETS.get(rules.name, rules) != rules and rules.name in look.rules]
