"""
Languages in which a bot can be submitted as source: marks of such a folder, the build, and what the image stands on.

A folder with a bot.py or a Dockerfile is built by its recipe (`recipes.py`). In any other folder a file of its own
says the language: `go.mod`, `CMakeLists.txt`, `package.json`, or the file in which the starter kit has its bot.

The build runs a stranger's compiler plug-ins, macros and scripts. So it runs nowhere but in a container like those of
bots (`ladder.sandbox.docker.source_build`), from an image that has the compiler, and gRPC for the language.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.sandbox.bots.bot_source import KITS, SAMPLES
from ladder.values.names import DOCKERFILE

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.sandbox.bots.content import Content

PACKAGES_FILE = "debian-packages"
"""File of a kit that names the Debian packages with which it is built."""
BUILD = "build"
"""Folder in which a folder's own build leaves what it makes; it is no part of the source."""
TOOLS = "/usr/lib/pigpen"
"""Folder of a toolchain image for what is compiled beforehand."""

MAKE_OR = """
if [ -e Makefile ]; then make build/bot
elif [ -e {file} ]; then {command}
else echo "pigpen: nothing says how to build {main}: write a Makefile that makes build/bot, or a {file}"; exit 1
fi
"""


@dataclass(frozen=True)
class Language:
    """One language, and all that is particular to it."""

    name: str
    """As `pigpen new --lang` and the setting `languages` have it."""
    title: str
    """For people."""
    marks: tuple[str, ...]
    """Files at the top of a folder; one of them is enough."""
    folder: Path
    """The folder to begin with; it has the list of Debian packages."""
    prepare: str = ""
    """Commands of a shell that end the making of the toolchain image; ``$1`` is its root folder on this machine."""
    build: str = ""
    """Commands of a shell in the folder of the source; they make build/bot. Empty: nothing is compiled."""
    copied: str = ""
    """Commands of a shell that copy what build/bot needs of the toolchain image into the folder ``$RESULT``."""
    command: tuple[str, ...] = ("/bot/bot",)
    """The command that starts the bot."""

    @property
    def packages(self) -> tuple[str, ...]:
        """The Debian packages of its toolchain image."""
        return tuple((self.folder / PACKAGES_FILE).read_text(encoding="utf-8").split())

    @property
    def stands_on_toolchain(self) -> bool:
        """True if its bots' images stand on the toolchain image; else on nothing, and hold all that they need."""
        return not self.build


LANGUAGES = {
    each.name: each
    for each in (
        Language(
            "go",
            "Go",
            ("go.mod", "bot.go"),
            KITS / "go",
            prepare=(
                f'mkdir -p "$1{TOOLS}" && chroot "$1" env GO111MODULE=off GOPATH=/usr/share/gocode CGO_ENABLED=0 '
                f'GOCACHE={TOOLS}/cache HOME=/tmp go build google.golang.org/grpc/... && chmod -R a+rX "$1{TOOLS}"'
            ),
            build=f"cp -r {TOOLS}/cache /tmp/cache\n"
            + MAKE_OR.format(
                file="go.mod", main="bot.go", command="GO111MODULE=on GOPROXY=off go build -mod=vendor -o build/bot ."
            ),
        ),
        Language(
            "cpp",
            "C++",
            ("CMakeLists.txt", "bot.cpp"),
            KITS / "cpp",
            build=MAKE_OR.format(
                file="CMakeLists.txt", main="bot.cpp", command="cmake -S . -B build && cmake --build build --target bot"
            ),
            copied=(
                "ldd build/bot | sed -n 's/^[^/]*\\(\\/[^ ]*\\) (.*/\\1/p' | while read -r library; do\n"
                '  mkdir -p "$RESULT$(dirname "$library")" && cp -L "$library" "$RESULT$library"\n'
                "done"
            ),
        ),
        Language(
            "javascript",
            "JavaScript",
            ("package.json", "bot.js"),
            SAMPLES / "node",
            command=("node", "bot.js"),
        ),
    )
}
"""By name."""


def language_of(content: Content) -> Language | None:
    """Find the language of a folder that says by no other file how it is built; None: it is in none of these."""
    if DOCKERFILE in content.by_name or content.file("bot.py") is not None:
        return None
    return next(
        (each for each in LANGUAGES.values() if any(content.file(mark) is not None for mark in each.marks)), None
    )


def source_of(content: Content) -> Content:
    """Leave out what a build of a folder in one of these languages has left in it: it is no part of the bot."""
    if language_of(content) is None:
        return content
    return content.without(lambda member: member.parts[0] == BUILD)
