"""The check of a bot's entry: its owner, its name, and its variants."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from ladder.entry.look_alikes import similar, spelling_mistake
from ladder.errors import LadderError
from ladder.registry.names import proves_owner
from ladder.values.image_names import names_owner
from ladder.values.names import NAME_LENGTH
from ladder.values.text import why_odd
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.entry.look import SubmissionLook
    from pigpen.rules import Rules

LETTERS_AND_DIGITS = ("L", "M", "N")
"""First letters of the Unicode categories that a name may hold, in any script, besides `_`, `-` and `.`."""
_WAY_OUT = "Write {option} {{taken}} if you mean it, or choose a name less like it."


def check_name(name: str, what: str) -> None:
    """
    Make sure that *name* can be the name of a bot, an owner or a variant (*what*).

    Raises:
        LadderError: If it cannot.
    """
    fits = 0 < len(name) <= NAME_LENGTH and name == unicodedata.normalize("NFC", name)
    if not fits or not all(_is_fit(letter) for letter in name) or name[0] in "-." or _is_mark(name[0]):
        raise LadderError(
            f"{name!r} cannot be the name of {what}: it takes 1 to {NAME_LENGTH} letters and digits of any script "
            "(composed, NFC), '_', '-' and '.', and does not begin with '-' or '.'."
        )


def check_new_name(name: str, what: str, taken: Iterable[str], way_out: str = "Choose another name.") -> None:
    """
    Make sure that *name* can be the name of something new: it looks like none that is taken, and is written in one way.

    Args:
        name: The name.
        what: Of what.
        taken: The names that others of its kind have.
        way_out: What to do if it looks like one of them; may name it as ``{taken}``.

    Raises:
        LadderError: If it cannot.
    """
    check_name(name, what)
    other = similar(name, taken)
    if other is not None:
        raise LadderError(f"The name {name!r} looks like {other!r}, which is taken. {way_out.format(taken=other)}")
    mistake = spelling_mistake(name)
    if mistake:
        raise LadderError(f"{name!r} cannot be the name of {what}: it {mistake}.")


def check_claim(look: SubmissionLook, bot: str, owner: str, sandbox: str) -> None:
    """
    Make sure that *owner* may enter a bot of this name from this sandbox.

    Raises:
        LadderError: If not: the name is another's or looks like one, or the ladder's bots play in another sandbox.
    """
    check_name(bot, "a bot (--name)")
    check_name(owner, "an owner (--owner)")
    if bot not in look.owner_of:
        check_new_name(bot, "a bot (--name)", look.owner_of, _WAY_OUT.format(option="--name"))
    if owner not in look.owners:
        check_new_name(owner, "an owner (--owner)", look.owners, _WAY_OUT.format(option="--owner"))
    holder = look.owner_of.get(bot, owner)
    if holder != owner:
        raise LadderError(f"The name {bot!r} belongs to a bot of {holder}'s. Choose another one: --name")
    if look.sandbox not in (None, sandbox):
        raise LadderError(
            f"The bots of this ladder run in the {look.sandbox} sandbox, and all of them must run alike: their clocks "
            f"differ. Submit with --sandbox {look.sandbox}, or begin another ladder (PIGPEN_DATA_DIR)."
        )


def check_possession(look: SubmissionLook, owner: str, identity: str, reference: str | None, registry: str) -> None:
    """
    Check that an image which *owner* names is not a bot of another owner.

    A folder shows what is in it, and two owners may submit the same one. The name of an image shows nothing: the
    engine that builds and plays all bots knows all of their images. Only a name in the ladder's registry proves its
    owner.

    Args:
        look: The ladder.
        owner: The owner who submits it.
        identity: The image's id.
        reference: The image's name, as it was submitted; None: it is a folder.
        registry: The address of the ladder's registry; empty: it has none.

    Raises:
        LadderError: If another owner's bot has that identity and none of this owner's has, or if only the ladder can
            have given the image that name.
    """
    holders = look.holders.get(identity, ())
    if reference is None or owner in holders or proves_owner(reference, owner, registry):
        return
    if holders:
        raise LadderError(
            f"The image {reference} is a bot of {holders[0]}'s already. Submit one that you have made: a folder, or "
            "another image."
        )
    if not names_owner(reference):
        raise LadderError(
            f"{reference} is a name that many images share, so it does not show whose this one is. Submit its folder, "
            "or give it a name of your own (docker tag) and submit that."
        )


def check_variant(look: SubmissionLook, rules: Rules) -> None:
    """
    Make sure that a bot can be entered where *rules* are played, which may be new to the ladder.

    Raises:
        LadderError: If the ladder plays something else under that name, or the name or title cannot be, or a preset
            has it.
    """
    check_name(rules.name, "a variant")
    if rules.title and (odd := why_odd(rules.title)):
        raise LadderError(f"The title of {rules.name!r} cannot be shown: {odd}. Write another one in its TOML file.")
    known = look.rules.get(rules.name)
    if known is None and rules.name not in PRESETS:
        taken = "Give yours another name in their TOML file."
        check_new_name(rules.name, "a variant", {**PRESETS, **look.rules}, taken)
    if known is None and PRESETS.get(rules.name, rules) != rules:
        raise LadderError(
            f"There is a preset {rules.name!r} with other rules. Give yours another name in their TOML file."
        )
    if known not in (None, rules):
        raise LadderError(
            f"This ladder plays {rules.name!r} by other rules than these. Give yours another name in their TOML file, "
            f"or enter the bot for the ladder's own: --variant {rules.name}. To change the ladder's rules, the "
            f"organiser begins a new season: pigpen ladder season new --variant {rules.name} --rules FILE"
        )


def _is_fit(letter: str) -> bool:
    return letter in "_-." or unicodedata.category(letter)[0] in LETTERS_AND_DIGITS


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "M"
