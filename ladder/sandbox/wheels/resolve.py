"""
Find which wheels a bot gets: for each package the newest version that fits all who want it.

pip is only asked for packages by name (`fetch.py`), never for what they need: it would follow addresses in a stranger's
metadata and build what it finds there. What they need is read here, and asked for in turn. Nothing steps back: if the
newest version that fits some does not fit the others, the owner is told who wants what.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.wheels.archive import open_wheel
from ladder.sandbox.wheels.cache import sha256_of
from ladder.sandbox.wheels.fetch import PACKED_BYTES, Unavailable
from ladder.sandbox.wheels.lock import Pin
from ladder.sandbox.wheels.requirements import MOST_PACKAGES, check_plain
from ladder.sandbox.wheels.sizes import too_large
from ladder.sandbox.wheels.wheel_record import needs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ladder.sandbox.wheels.cache import Store
    from ladder.sandbox.wheels.fetch import Fetch
    from ladder.sandbox.wheels.requirements import Wanted
    from ladder.sandbox.wheels.target import Target

ROUNDS = 15
"""How often packages may be asked for until all that they need is there."""
MOST_LOOKS = 20_000
"""Conditions of requirements that are looked at in one round."""
Chosen = dict[str, tuple[Pin, "Path"]]
"""By canonical name: a wheel, and where it is."""


def resolve(wanted: Sequence[Wanted], target: Target, fetch: Fetch, store: Store, scratch: Path) -> list[Pin]:
    """
    Find wheels for all that is wanted; they are in the store afterwards.

    Raises:
        BotRejected: If there are none that fit together.
        SandboxError: If the index does not answer, or there is no room.
    """
    chosen: Chosen = {}
    for number in range(ROUNDS):
        by_name = wants(wanted, target, chosen)
        lacking = [name for name in by_name if not _fits(chosen.get(name), by_name[name])]
        if not lacking:
            return [pin for name, (pin, _) in sorted(chosen.items()) if name in by_name]
        folder = scratch / f"round-{number}"
        chosen |= fetched({name: by_name[name] for name in lacking}, target, fetch, store, folder)
        _check_size(chosen)
    raise BotRejected(
        f"The bot's packages want ever other versions of each other: {', '.join(sorted(lacking))}. "
        "Say in requirements.txt which versions go together."
    )


def wants(wanted: Iterable[Wanted], target: Target, chosen: Chosen) -> dict[str, list[Wanted]]:
    """
    Collect who wants what, by canonical name; what the base image provides is left out.

    Raises:
        BotRejected: If somebody wants another version of what is provided, or something that is no plain package.
    """
    found: defaultdict[str, list[Wanted]] = defaultdict(list)
    extras: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    left, looks = [each for each in wanted if target.wants(each)], 0
    while left:
        one = left.pop()
        check_plain(one)
        if one.name in target.provided:
            _check_provided(one, target)
            continue
        is_new = one.name not in found or not one.requirement.extras <= extras[one.name]
        extras[one.name] |= one.requirement.extras
        if one not in found[one.name]:
            found[one.name].append(one)
        if is_new and one.name in chosen:
            asked = _needs(*chosen[one.name])
            looks += len(asked) * (1 + len(extras[one.name]))
            _check_count(len(found), looks)
            left += [each for each in asked if target.wants(each, extras[one.name])]
    _check_count(len(found), looks)
    return dict(found)


def _needs(pin: Pin, path: Path) -> list[Wanted]:
    with open_wheel(path, pin.label) as wheel:
        return needs(wheel)


def _check_count(packages: int, looks: int) -> None:
    if packages > MOST_PACKAGES or looks > MOST_LOOKS:
        raise BotRejected(f"The bot's packages need more than {MOST_PACKAGES} others. Ask for fewer packages.")


def fetched(
    by_name: Mapping[str, Sequence[Wanted]], target: Target, fetch: Fetch, store: Store, folder: Path
) -> Chosen:
    """
    Fetch one wheel of each package.

    Raises:
        BotRejected: If there is none that fits all who want it.
        SandboxError: If the index does not answer, or there is no room.
    """
    lines = {name: _line(name, wanted) for name, wanted in by_name.items()}
    folder.mkdir()
    chosen: Chosen = {}
    hashed = [name for name in lines if "--hash" in lines[name]]  # pip takes hashes for all, or for none
    for kind, names in (("hashed", hashed), ("plain", sorted(set(lines) - set(hashed)))):
        if names:
            try:
                fetch([lines[name] for name in names], target, folder / kind)
            except Unavailable as missing:
                raise _none_fits(str(missing), by_name, target) from None
            chosen |= {name: _take(name, folder / kind, store) for name in names}
    return chosen


def _line(name: str, wanted: Sequence[Wanted]) -> str:
    versions = SpecifierSet()
    for one in wanted:
        versions &= one.requirement.specifier
    hashes = [one.hashes for one in wanted if one.hashes]
    allowed = sorted(frozenset.intersection(*hashes)) if hashes else []
    if hashes and not allowed:
        raise BotRejected(f"{' and '.join(map(str, wanted))} have no hash in common. Name the package once.")
    return " ".join([f"{name}{versions}", *(f"--hash=sha256:{each}" for each in allowed)])


def _take(name: str, folder: Path, store: Store) -> tuple[Pin, Path]:
    for path in sorted(folder.glob("*.whl")):
        try:
            found, version, _, _ = parse_wheel_filename(path.name)
        except InvalidWheelFilename:
            continue
        if canonicalize_name(found) == name:
            digest = sha256_of(path)
            return Pin(name, str(version), frozenset({digest})), store.keep(path, digest)
    raise SandboxError(f"pip said that it had fetched {name}, and there is no wheel of it. Try again.")


def _fits(chosen: tuple[Pin, Path] | None, wanted: Sequence[Wanted]) -> bool:
    if chosen is None:
        return False
    pin, _ = chosen
    allowed = all(not one.hashes or pin.hashes <= one.hashes for one in wanted)
    return allowed and all(one.requirement.specifier.contains(pin.version, prereleases=True) for one in wanted)


def _check_provided(one: Wanted, target: Target) -> None:
    version = target.provided[one.name]
    if not one.requirement.specifier.contains(version, prereleases=True):
        raise BotRejected(
            f"The SDK brings {one.name} {version}, which is not {one}, and a bot has one version of it. "
            "Ask for versions that go with it."
        )


def _check_size(chosen: Chosen) -> None:
    sizes = {pin.label: path.stat().st_size for pin, path in chosen.values()}
    if sum(sizes.values()) > PACKED_BYTES:
        raise too_large(sizes, PACKED_BYTES, "packed")


def _none_fits(missing: str, by_name: Mapping[str, Sequence[Wanted]], target: Target) -> BotRejected:
    name = next((name for name in by_name if missing == name or missing.startswith((f"{name}<", f"{name}>",
                 f"{name}=", f"{name}!", f"{name}~"))), None)  # fmt: skip
    who = " and ".join(map(str, by_name[name])) if name else missing
    return BotRejected(
        f"The package index has no wheel for {target} of {who}. Ask for another version, or leave it out: packages "
        "that come as sources only cannot be used."
    )
