"""
Packages of a bot as uv resolves, fetches and unpacks them: wheels only, of which nothing runs.

uv is given lines that we have written, the index that pip is configured for, and an environment and folders of its own.
It reads no configuration here. pip's settings are what an organiser already has: addresses, passwords in them,
certificates, a proxy.

Wheels of what a base image provides, without content, keep uv from looking for these names in a package index. They are
constraints by address, which uv takes before any index: a stranger's `pigpen-sdk` on it is never read. Their versions
are those in the image, so that uv finds other packages that go with them.

A failure of uv is explained in one sentence for the owner of the bot, or for the organiser.
"""

from __future__ import annotations

import ast
import os
import re
import ssl
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from uv import find_uv_bin

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.wheels.installed import MAX_PACKED_BYTES, RunLimits, check_sizes, run
from ladder.sandbox.wheels.requirements import Pin, lock_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.sandbox.wheels.requirements import Wanted
    from ladder.sandbox.wheels.target import Target

MAX_CHARACTERS = 1000
"""Of what uv says."""
_UNREACHED = re.compile(
    r"error sending request|response body|dns error|timed out|connection (closed|reset)|status (client|server) error|"
    r"authentication credentials|returned a 403 Forbidden"
)
_FULL = re.compile(r"os error (28|122)\b")
_UNFIT = re.compile(r"No solution found|we can conclude that|URL dependency|parse requirement")
_BAD_WHEEL = re.compile(r"Hash mismatch|extract|wheel is invalid|Failed to install|metadata")


def explained(output: str, target: Target, wanted: Sequence[Wanted] = ()) -> BotRejected | SandboxError:
    """
    Give the error.

    Args:
        output: The end of uv's output.
        target: The interpreter that wheels were to fit.
        wanted: What was asked for; lines are named by it.
    """
    text = _plain(output)
    if _FULL.search(output):
        return SandboxError(
            f"uv could not unpack the bot's packages: {text}. Make room on that disk, or name other folders: "
            "TMPDIR and XDG_CACHE_HOME in the environment."
        )
    if _UNREACHED.search(output):
        return _failure(text)
    if _UNFIT.search(output):
        return BotRejected(
            f"The package index has no wheels for {target} that fit all requirements: {_named(text, wanted)}. "
            f"{_brought(text, target)}Ask for other versions, or leave a package out: packages that come as sources "
            "only cannot be used."
        )
    if _BAD_WHEEL.search(output):
        return BotRejected(
            f"A wheel cannot be used: {text}. Ask for another version, or leave the package out. If a lock names its "
            "hash, make it anew: pigpen lock FOLDER"
        )
    return _failure(text)


def _failure(text: str) -> SandboxError:
    return SandboxError(
        f"uv could not fetch the bot's packages: {text or 'it printed no message'}. Try again when the package index "
        "answers, or look at the settings of pip on this machine: pip config list"
    )


def _plain(output: str) -> str:
    """Give what uv says in one line, without its headings, hints and conclusions."""
    before, _, after = output.partition("\nhint:")[0].partition("error:")
    text = re.sub(r"\bcause:|No solution found when resolving dependencies", "", after or before)
    text = text.replace(", we can conclude that your requirements are unsatisfiable", "")
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text[:MAX_CHARACTERS].rstrip(".")


def _named(text: str, wanted: Sequence[Wanted]) -> str:
    """Name lines of the bot's file where uv speaks to its user."""
    for each in wanted:
        pattern = rf"(?<!conclude that )\byou require {re.escape(each.name)}(?![\w-])"
        text = re.sub(pattern, f"{each.by} requires {each.name}", text)
    return text


def _brought(text: str, target: Target) -> str:
    found = [f"{name} {version}" for name, version in target.provided.items() if f" {name}" in text]
    return f"The SDK brings {' and '.join(found)}, and a bot has one version of it. " if found else ""


PIP = (sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "config", "list")
SECONDS = 30.0
LEVELS = ("global", "download", ":env:")
"""Of pip's settings: those that count for ``pip download``, the strongest last."""
PASSED_ON = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_DIR")
FALSE = ("", "0", "false", "no", "off")


@dataclass(frozen=True)
class Index:
    """An index of packages, and uv's settings for it."""

    arguments: Sequence[str] = ()
    """For uv."""
    constraints: Sequence[str] = ()
    """Files of the organiser's that limit the versions of packages."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of uv: what may hold a password, which arguments would show to other users."""


def configured_index(command: Sequence[str] = PIP) -> Index:
    """
    Ask pip for its settings.

    Raises:
        SandboxError: If it cannot be asked.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(
            f"pip, which knows the package index of this machine, could not be asked: {error}."
        ) from None
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2] or "it printed no message"
        raise SandboxError(f"pip, which knows the package index of this machine, could not be asked: {last}")
    return _translated(_settings(done.stdout))


def _settings(listed: str) -> dict[str, str]:
    found: dict[str, dict[str, str]] = {level: {} for level in LEVELS}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        level, _, name = key.rpartition(".")
        if level in found:
            found[level][name] = str(ast.literal_eval(value))
    return {name: value for level in LEVELS for name, value in found[level].items()}


def _translated(pip: Mapping[str, str]) -> Index:
    arguments = [f"--find-links={each}" for each in pip.get("find-links", "").split()]
    arguments += [f"--allow-insecure-host={each}" for each in pip.get("trusted-host", "").split()]
    if pip.get("no-index", "").lower() not in FALSE:
        arguments.append("--no-index")
    if "extra-index-url" in pip:  # all indexes are one to pip; uv would stop at the first that has the package
        arguments.append("--index-strategy=unsafe-best-match")
    upper = {name.upper(): value for name, value in os.environ.items()}
    certificates = (pip.get("cert"), upper.get("REQUESTS_CA_BUNDLE"), ssl.get_default_verify_paths().cafile)
    environment = {
        **{name: upper[name] for name in PASSED_ON if name in upper},
        **({"ALL_PROXY": pip["proxy"]} if "proxy" in pip else {}),
        "NETRC": os.environ.get("NETRC") or str(Path("~/.netrc").expanduser()),
        "SSL_CERT_FILE": next(filter(None, certificates), ""),
        "SSL_CLIENT_CERT": pip.get("client-cert", ""),
        "UV_INDEX_URL": pip.get("index-url", ""),
        "UV_EXTRA_INDEX_URL": " ".join(pip.get("extra-index-url", "").split()),
    }
    constraints = pip.get("constraint", "").split()
    return Index(arguments, constraints, {name: value for name, value in environment.items() if value})


def write_stubs(provided: Mapping[str, str], folder: Path) -> str:
    """Write a wheel for each package into *folder*, and give the lines that constrain uv to them."""
    return "".join(f"{name} @ {_stub(name, version, folder).as_uri()}\n" for name, version in provided.items())


def _stub(name: str, version: str, folder: Path) -> Path:
    stem = f"{name.replace('-', '_')}-{version}"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files = {
        "METADATA": metadata,
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(f"{stem}.dist-info/{file}", text)
    return path


OURS = ("pigpen", "pigpen-arena", "pigpen-sdk")
"""Canonical names that users know from us, and that we publish in no index: there they are a stranger's."""


def _check_names(by: Mapping[str, str], target: Target) -> None:
    """
    Make sure that no package of our own is taken from an index.

    Args:
        by: The names, and for people who asks for them.
        target: It has the one package of ours that bots need.

    Raises:
        BotRejected: If one would be.
    """
    for name, place in by.items():
        if name in OURS and name not in target.provided:
            raise BotRejected(
                f"{place[0].upper()}{place[1:]} asks for {name}, which is in no package index: what has that name "
                "there is not ours. Leave it out: bots have the SDK without asking for it."
            )


OPTIONS = ("--no-config", "--no-python-downloads", "--no-progress", "--color=never")


@dataclass(frozen=True)
class Uv:
    """The program, with an index and limits."""

    index: Callable[[], Index] = configured_index
    """Says where packages come from; asked before each run."""
    limits: RunLimits = field(default_factory=RunLimits)
    max_packed_bytes: int = MAX_PACKED_BYTES
    """Of all wheels, as far as the index says how large they are."""
    program: str | None = None
    """The one that is installed beside Pigpen if None."""

    def resolve(self, wanted: Sequence[Wanted], target: Target, scratch: Path) -> list[Pin]:
        """
        Find wheels that fit together; what the *target* provides is taken as it is, and left out.

        Args:
            wanted: What is asked for.
            target: The interpreter that the wheels are for.
            scratch: A folder of uv's own.

        Raises:
            BotRejected: If there are none, they are too large, or one has a name of ours.
            SandboxError: If the index does not answer, or there is no room.
        """
        _check_names({each.name: each.by for each in wanted}, target)
        asked, constraints, lock = (scratch / name for name in ("asked.txt", "provided.txt", "pylock.toml"))
        asked.write_text("".join(f"{each.requirement}\n" for each in wanted), encoding="utf-8")
        constraints.write_text(write_stubs(target.provided, scratch), encoding="utf-8")
        options = ["--only-binary=:all:", "--no-header", f"--constraints={constraints}", f"--output-file={lock}"]
        options += [f"--no-emit-package={name}" for name in target.provided]
        code, output = self._run(["compile", str(asked), *options, *target.arguments], scratch)
        if code:
            raise explained(output, target, wanted)
        packages = tomllib.loads(lock.read_text(encoding="utf-8")).get("packages", ())
        found = {
            Pin(package["name"], package["version"], _hashes(package["wheels"])): package["wheels"]
            for package in packages
        }
        _check_names({pin.name: "one of the bot's packages" for pin in found}, target)
        sizes = {pin.label: max(wheel.get("size", 0) for wheel in wheels) for pin, wheels in found.items()}
        check_sizes(sizes, max_bytes=self.max_packed_bytes, how="packed")
        return [_with_hashes_of(wanted, pin) for pin in found]

    def install(self, pins: Sequence[Pin], target: Target, scratch: Path, into: Path) -> None:
        """
        Fetch and unpack exactly these wheels into the new folder *into*, which is below *scratch*.

        Raises:
            BotRejected: If one is missing, damaged, or not the one that its hash names, or if they are too large.
            SandboxError: If the index does not answer, or there is no room.
        """
        lock = scratch / "lock.txt"
        lock.write_text(lock_text(pins), encoding="utf-8")
        options = ["--no-build", "--no-deps", "--require-hashes", "--link-mode=hardlink", f"--target={into}"]
        code, output = self._run(["install", f"--requirements={lock}", *options, *target.arguments], scratch)
        if code:
            raise explained(output, target)

    def _run(self, words: Sequence[str], scratch: Path) -> tuple[int, str]:
        index = self.index()
        constraints = [f"--constraints={path}" for path in index.constraints if words[0] == "compile"]
        command = [self.program or _installed(), "pip", *words, *OPTIONS, *index.arguments, *constraints]
        command += [f"--python={sys.executable}", f"--cache-dir={scratch / 'cache'}"]
        # Nothing of our own environment, which may hold settings of uv, and secrets.
        environment = {"HOME": str(scratch), "TMPDIR": str(scratch), "PATH": os.defpath, **index.environment}
        return run(command, environment, scratch, self.limits)


def _installed() -> str:
    try:
        return find_uv_bin()
    except FileNotFoundError:
        raise SandboxError(
            "The program uv, which fetches packages of bots, is missing. Install it beside Pigpen: pip install uv"
        ) from None


def _hashes(wheels: Sequence[dict[str, dict[str, str]]]) -> frozenset[str]:
    return frozenset(wheel["hashes"]["sha256"] for wheel in wheels)


def _with_hashes_of(wanted: Sequence[Wanted], pin: Pin) -> Pin:
    """Leave out hashes of wheels that a requirement does not name, if it names any."""
    hashes = pin.hashes
    for each in wanted:
        if each.name == pin.name and each.hashes:
            hashes &= each.hashes
    if not hashes:
        raise BotRejected(
            f"A hash of {pin.label} is not that of the wheel in the package index, which may be one for another Python "
            "or machine. Make the lock anew: pigpen lock FOLDER; or take the hashes out."
        )
    return Pin(pin.name, pin.version, hashes)
