"""
Languages in which a bot can be submitted as source: marks of such a folder, the build, and what the image stands on.

A folder with a bot.py or a Dockerfile is built by its recipe (`recipes.py`). In any other folder a file of its own
says the language: `go.mod`, `CMakeLists.txt`, `package.json`, `Cargo.toml`, or the file in which the starter kit has
its bot.

The build runs a stranger's compiler plug-ins, macros and scripts. So it runs nowhere but in a container like those of
bots (`ladder.sandbox.docker.source_build`), from an image that has the compiler, and gRPC where Debian has it for the
language. In the other languages a bot reads and writes lines (`pigpen.lines`), on the bot base image.
"""

from __future__ import annotations

import json
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
if [ -e Makefile ]; then make build/{made}
elif [ -e {file} ]; then {command}
else echo "pigpen: nothing says how to build {main}: write a Makefile that makes build/{made}, or a {file}"; exit 1
fi
"""
CARGO = """
  host=$(rustc -vV | sed -n 's/^host: //p')
  CARGO_HOME=/tmp/cargo RUSTFLAGS='-C target-feature=+crt-static -C strip=symbols' \\
    cargo build --release --offline --target-dir /tmp/target --target "$host"
  mkdir -p build
  cp "/tmp/target/$host/release/bot" build/bot || echo 'pigpen: Cargo.toml must name the program: [[bin]] name = "bot"'
"""
"""Links the C library in, so that the program fits any bot base image."""
RUSTC = "mkdir -p build && rustc -O -C target-feature=+crt-static -C strip=symbols -o build/bot bot.rs"
JAVAC = """
  find . -name '*.java' > /tmp/sources
  javac -cp 'lib/*' -d build/classes @/tmp/sources
  jar --create --date=1980-01-01T00:00:02Z --file build/bot.jar -C build/classes .
"""
JLINK = "jlink --add-modules java.base,java.logging,java.management,jdk.unsupported --no-man-pages --no-header-files"
JDK = "/usr/lib/jvm/default-java"
JAVA_OPTIONS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xms16m -Xmx112m -Xss512k"
"""Fit for an instance: one core, 256 MiB that Java shares with the bridge, a short start."""
MCS = """
  mkdir -p build
  libraries=$(for each in lib/*.dll; do if [ -e "$each" ]; then echo "-r:$each"; fi; done)
  mcs -optimize $libraries -out:build/bot.exe -recurse:'*.cs'
"""
MONO = """
  mkdir -p {to}/bin {to}/lib/mono/4.5
  cp /usr/bin/mono-sgen {to}/bin/mono
  cp -L /usr/lib/mono/4.5/mscorlib.dll {to}/lib/mono/4.5/
  cp -rL /usr/lib/mono/gac /usr/lib/mono/aot-cache {to}/lib/mono/
  rm -f {to}/lib/mono/aot-cache/*/mcs*
  cc -shared -fPIC -O2 -o {to}/lib/stack.so -x c - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
extern void *__libc_stack_end;
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes) {{
    int (*real)(pthread_t, pthread_attr_t *) = dlsym(RTLD_NEXT, \\"pthread_getattr_np\\");
    int error = real(thread, attributes);
    if (error != EACCES) return error;
    struct rlimit limit;
    uintptr_t page = sysconf(_SC_PAGESIZE), size = 8 << 20, top = ((uintptr_t)__libc_stack_end + page) & -page;
    if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < size) size = limit.rlim_cur & -page;
    pthread_attr_init(attributes);
    return pthread_attr_setstack(attributes, (void *)(top - size), size);
}}
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters) {{ return 0; }}
END
"""
"""
Copies Mono into a folder from which it runs wherever that is.

Mono asks for the bounds of its stack, which the C library reads in /proc/self/maps. Only the first process of a sandbox
may read its own (`confine.h`), so the library beside Mono gives the bounds that the stack can have. And Mono complains
on standard output where a thread may not choose its priority.
"""
STACK = f"LD_PRELOAD={TOOLS}/mono/lib/stack.so"


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
    setup: str = ""
    """Commands of a shell that prepare the root folder ``$1`` of the toolchain image before anything is installed."""
    prepare: str = ""
    """Commands of a shell that end the making of the toolchain image; ``$1`` is its root folder on this machine."""
    build: str = ""
    """Commands of a shell in the folder of the source; they make build/bot. Empty: nothing is compiled."""
    copied: str = ""
    """Commands of a shell that copy what build/bot needs of the toolchain image into the folder ``$RESULT``."""
    command: tuple[str, ...] = ("/bot/bot",)
    """The command that starts the bot; in the bot's folder."""
    made: str = "bot"
    """The file in the folder `BUILD` that the build leaves there."""
    speaks_lines: bool = False
    """
    True if its bots read and write lines, and know no gRPC.

    Their images stand on the bot base image, with all that they need beyond that in the bot's folder.
    """
    left: tuple[str, ...] = ()
    """Folders beside `BUILD` in which tools of the language leave what they make."""

    @property
    def packages(self) -> tuple[str, ...]:
        """The Debian packages of its toolchain image."""
        return tuple((self.folder / PACKAGES_FILE).read_text(encoding="utf-8").split())

    @property
    def stands_on_toolchain(self) -> bool:
        """True if its bots' images stand on the toolchain image; else on nothing, and hold all that they need."""
        return not self.build

    @property
    def main(self) -> bytes:
        """The bot.py that starts a program which reads and writes lines."""
        return (
            '"""Takes the seat for the program beside it, which reads and writes lines."""\n\n'
            f"from pigpen.lines import main\n\nmain({json.dumps(self.command)})\n"
        ).encode()


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
                file="go.mod",
                main="bot.go",
                made="bot",
                command="GO111MODULE=on GOPROXY=off go build -mod=vendor -o build/bot .",
            ),
        ),
        Language(
            "cpp",
            "C++",
            ("CMakeLists.txt", "bot.cpp"),
            KITS / "cpp",
            build=MAKE_OR.format(
                file="CMakeLists.txt",
                main="bot.cpp",
                made="bot",
                command="cmake -S . -B build && cmake --build build --target bot",
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
        Language(
            "rust",
            "Rust",
            ("Cargo.toml", "bot.rs"),
            KITS / "rust",
            build=f"if [ -e Makefile ]; then make build/bot; elif [ -e Cargo.toml ]; then {CARGO} else {RUSTC}; fi",
            command=("./bot",),
            speaks_lines=True,
            left=("target",),
        ),
        Language(
            "java",
            "Java",
            ("Bot.java",),
            KITS / "java",
            setup='mkdir -p "$1/usr/share/man/man1"',  # its packages make links there, and fail without the folder
            prepare=(
                # Java looks for its libraries beside /proc/self/exe, and there is no /proc yet.
                f'mkdir -p "$1{TOOLS}" && chroot "$1" env LD_LIBRARY_PATH={JDK}/lib {JLINK} --output {TOOLS}/java && '
                f'chroot "$1" env LD_LIBRARY_PATH={TOOLS}/java/lib {TOOLS}/java/bin/java -Xshare:dump && '
                f'chmod -R a+rX "$1{TOOLS}"'
            ),
            build=MAKE_OR.format(file="Bot.java", main="Bot.java", made="bot.jar", command=JAVAC),
            copied=(
                f'cp -rL {TOOLS}/java "$RESULT/bot/java"\n'
                'if [ -d lib ]; then cp -r lib "$RESULT/bot/"; fi\n'
                'if [ -e java-options ]; then cp java-options "$RESULT/bot/"; else\n'
                f'  echo "{JAVA_OPTIONS}" > "$RESULT/bot/java-options"\nfi'
            ),
            command=("./java/bin/java", "@java-options", "-cp", "bot.jar:lib/*", "Bot"),
            made="bot.jar",
            speaks_lines=True,
        ),
        Language(
            "csharp",
            "C#",
            ("Bot.cs",),
            KITS / "csharp",
            prepare=(f'chroot "$1" sh -ec "{MONO.format(to=f"{TOOLS}/mono")}" && chmod -R a+rX "$1{TOOLS}"'),
            build=f"export {STACK}\n" + MAKE_OR.format(file="Bot.cs", main="Bot.cs", made="bot.exe", command=MCS),
            copied=(
                f'cp -r {TOOLS}/mono "$RESULT/bot/mono"\n'
                """printf '#!/bin/sh\\n%s exec /bot/mono/bin/mono bot.exe\\n' """
                '"LD_PRELOAD=/bot/mono/lib/stack.so" > "$RESULT/bot/mono/run"\n'
                'chmod +x "$RESULT/bot/mono/run"\n'
                'for each in lib/*.dll; do if [ -e "$each" ]; then cp "$each" "$RESULT/bot/"; fi; done'
            ),
            command=("./mono/run",),
            made="bot.exe",
            speaks_lines=True,
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
    language = language_of(content)
    if language is None:
        return content
    left = (BUILD, *language.left)
    return content.without(lambda member: member.parts[0] in left)
