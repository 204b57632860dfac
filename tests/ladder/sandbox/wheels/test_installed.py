"""Strangers' wheels are unpacked without running anything of them; what runs for ever or fills the disk is ended."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.host.machine import MIB
from ladder.sandbox.wheels.facts import PROVIDED
from ladder.sandbox.wheels.installed import RunLimits, _is_removed, check, clean, is_unhashed, run
from ladder.sandbox.wheels.packages import Asked, Packages, Store
from ladder.sandbox.wheels.requirements import Pin
from ladder.sandbox.wheels.target import this_interpreter
from tests.ladder.sandbox.wheels.made import LINK, PROGRAM, digest_of, new_wheel, uv_of

Make = Callable[[Path], Path]
NODES = {"link": LINK, "device": (stat.S_IFCHR | 0o644) << 16, "pipe": (stat.S_IFIFO | 0o644) << 16}


def installed(*wheels: Path) -> Path:
    """Have uv unpack wheels that are in one folder, and look at them."""
    shelf = wheels[0].parent
    pins = [Pin(path.name.partition("-")[0], "1.0", frozenset({digest_of(path)})) for path in wheels]
    scratch = shelf / "scratch"
    scratch.mkdir()
    uv_of(shelf).install(pins, this_interpreter(), scratch, scratch / "new")
    clean(scratch / "new")
    check(scratch / "new")
    return scratch / "new"


def unzipped(*wheels: Path) -> Path:
    """Unpack wheels as uv does, which takes a moment longer."""
    folder = wheels[0].parent / "new"
    for path in wheels:
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(folder)
    clean(folder)
    return folder


def files(folder: Path) -> dict[str, tuple[bytes, bool]]:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: (path.read_bytes(), os.access(path, os.X_OK)) for name, path in found.items()}


def damaged(folder: Path) -> Path:
    """One bit of the module's bytes is another one."""
    path = new_wheel(folder, "evil", files={"evil.py": b"x = 1\n"})
    content = bytearray(path.read_bytes())
    at = content.index(b"evil.py") + len(b"evil.py")
    content[at] ^= 0x10
    path.write_bytes(content)
    return path


def with_zip64(folder: Path) -> Path:
    """Its end names another list of files than the one that its last bytes speak of."""
    path = new_wheel(folder, "evil")
    content = path.read_bytes()
    path.write_bytes(content[:-22] + b"PK\x06\x07" + bytes(16) + content[-22:])
    return path


def twice(folder: Path) -> Path:
    path = new_wheel(folder, "evil")
    with zipfile.ZipFile(path, "a") as wheel, pytest.warns(UserWarning, match="Duplicate name"):
        wheel.writestr("evil.py", b"other")
    return path


def followed_by_another(folder: Path) -> Path:
    """Bytes after its end are another archive, which another reader would take."""
    path, hidden = new_wheel(folder, "evil"), folder / "hidden"
    with zipfile.ZipFile(hidden, "w") as wheel:
        wheel.writestr("../x", b"")
    path.write_bytes(path.read_bytes() + hidden.read_bytes())
    return path


def liar(folder: Path) -> Path:
    """Its list of files has another size than what comes out."""
    path = new_wheel(folder, "evil", files={"evil.py": bytes(100_000)})
    content = path.read_bytes()
    path.write_bytes(content.replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    return path


def plain(folder: Path, content: bytes) -> Path:
    path = folder / "evil-1.0-py3-none-any.whl"
    path.write_bytes(content)
    return path


BAD_ARCHIVES: dict[str, tuple[Make, str]] = {
    "a name with a control character": (lambda to: new_wheel(to, "evil", files={"\x1b[31m": b""}), "cannot be used"),
    "a file twice": (twice, "cannot be used"),
    "damaged bytes": (damaged, "cannot be used"),
    "a false size": (liar, "cannot be used"),
    "no archive": (lambda to: plain(to, b"#!/bin/sh\n"), "cannot be used"),
    "an empty file": (lambda to: plain(to, b""), "cannot be used"),
    "a second list of files": (with_zip64, "cannot be used"),
    "another archive behind it": (followed_by_another, "cannot be used"),
    "two packages in one": (
        lambda to: new_wheel(to, "evil", files={"other-1.0.dist-info/METADATA": b""}),
        "cannot be used",
    ),
}


@pytest.mark.parametrize("kind", BAD_ARCHIVES)
def test_a_bad_archive_is_refused_and_nothing_is_written_outside(kind: str, tmp_path: Path) -> None:
    make, why = BAD_ARCHIVES[kind]
    (tmp_path / "in").mkdir()
    wheel = make(tmp_path / "in")
    before = sorted((tmp_path / "in").iterdir())
    with pytest.raises(BotRejected, match="evil") as refusal:
        installed(wheel)
    assert why in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert sorted((tmp_path / "in").iterdir()) == sorted([*before, tmp_path / "in" / "scratch"])
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/x", "//x"])
def test_a_name_that_leads_out_of_the_folder_is_left_out(name: str, tmp_path: Path) -> None:
    shelf = tmp_path / "in"
    shelf.mkdir()
    name = f"{tmp_path}/x" if name == "/x" else name
    folder = installed(new_wheel(shelf, "evil", files={name: b"", "evil.py": b""}))
    assert {path.name for path in folder.iterdir()} == {"evil.py", "evil-1.0.dist-info"}
    assert not [path for path in tmp_path.rglob("x") if "cache" not in path.parts]


BAD_CONTENT: dict[str, tuple[Make, str]] = {
    "a name with backslashes": (lambda to: new_wheel(to, "evil", files={"..\\x": b""}), "no name of a file inside"),
    "a name that is too deep": (lambda to: new_wheel(to, "evil", files={"a/" * 30 + "x": b""}), "too deep or too long"),
    "a name that is too long": (lambda to: new_wheel(to, "evil", files={"x" * 250: b""}), "too deep or too long"),
    "a module that runs at the start": (
        lambda to: new_wheel(to, "evil", files={"sitecustomize.py": b""}),
        "run in every program by itself",
    ),
    "a package that runs at the start": (
        lambda to: new_wheel(to, "evil", files={"usercustomize/__init__.py": b""}),
        "run in every program by itself",
    ),
    "a library that runs at the start": (
        lambda to: new_wheel(to, "evil", files={"SiteCustomize.cpython-311.so": b""}),
        "run in every program by itself",
    ),
    "a file that RECORD does not name": (
        lambda to: new_wheel(to, "evil", unrecorded={"more.py": b""}),
        "do not name the same files: 'more.py'",
    ),
    "a file with another hash": (
        lambda to: new_wheel(to, "evil", files={"evil.py": b"x"}, record={"evil.py": f"sha256={'A' * 43}"}),
        "hash is not the one in its RECORD",
    ),
    "a file with a weak hash": (
        lambda to: new_wheel(to, "evil", files={"evil.py": b"x"}, record={"evil.py": "md5=AAAA"}),
        "no good hash",
    ),
    "a file without a hash": (
        lambda to: new_wheel(to, "evil", files={"evil.py": b"x"}, record={"evil.py": ""}),
        "no good hash",
    ),
}


@pytest.mark.parametrize("kind", BAD_CONTENT)
def test_bad_content_is_refused(kind: str, tmp_path: Path) -> None:
    make, why = BAD_CONTENT[kind]
    folder = unzipped(make(tmp_path))
    with pytest.raises(BotRejected, match=r"The wheel of evil 1\.0 ") as refusal:
        check(folder)
    assert why in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_a_link_in_the_folder_is_refused(tmp_path: Path) -> None:
    folder = unzipped(new_wheel(tmp_path, "good"))
    check(folder)
    (folder / "link").symlink_to("/etc")
    with pytest.raises(BotRejected, match="'link', a link "):
        check(folder)


def test_only_files_come_out_and_nothing_that_runs_by_itself(tmp_path: Path) -> None:
    wheel = new_wheel(
        tmp_path,
        "good",
        files={
            "good/__init__.py": b"1",
            "good/tool": b"2",
            "good.pth": b"import os; os.abort()",
            "good-1.0.data/purelib/pure.py": b"3",
            "good-1.0.data/platlib/plat.so": b"4",
            "good-1.0.data/platlib/more.PTH": b"import os; os.abort()",
            "good-1.0.data/scripts/tool": b"#!python\n5",
            **dict.fromkeys(NODES, b"/etc/passwd"),
        },
        attributes={"good/tool": PROGRAM, **NODES},
    )
    folder = installed(wheel)
    modules = {name: held for name, held in files(folder).items() if ".dist-info/" not in name}
    for name in NODES:
        assert not (folder / name).is_symlink()
        assert modules.pop(name)[0] == b"/etc/passwd"
    assert modules == {
        "good/__init__.py": (b"1", False),
        "good/tool": (b"2", True),
        "pure.py": (b"3", False),
        "plat.so": (b"4", False),
    }
    hashed = {name for name in files(folder) if not is_unhashed(name)} - set(modules) - set(NODES)
    assert hashed == {"good-1.0.dist-info/METADATA", "good-1.0.dist-info/WHEEL"}


def test_names_that_python_or_the_sdk_has_are_left_out(tmp_path: Path) -> None:
    """A warm container has imported its own before the bot's packages are on its path, a fresh one would not have."""
    own = ["random.py", "encodings/__init__.py", "json.cpython-311-x86_64-linux-gnu.so", "pigpen/client.py"]
    own += ["grpc/__init__.py", "typing_extensions.py", "google/__init__.py", "google/protobuf/message.py"]
    taken = ["randomly.py", "google/api/x.py", "grpc_status/__init__.py", "good/random.py"]
    wheel = new_wheel(tmp_path, "good", files=dict.fromkeys([*own, *taken, "good-1.0.data/purelib/os.py"], b""))
    folder = installed(wheel)
    assert sorted(name for name in files(folder) if ".dist-info/" not in name) == sorted(taken)


@pytest.mark.parametrize("package", PROVIDED)
def test_every_module_that_is_provided_has_a_taken_name(package: str) -> None:
    """The SDK itself may be installed by a file that names its folder."""
    names = [file.as_posix() for file in metadata.files(package) or () if file.suffix in (".py", ".so")]
    names = ["pigpen/__init__.py"] if package == "pigpen-sdk" else names
    assert names
    assert [name for name in names if not _is_removed(name)] == []


def test_nothing_of_a_package_runs_as_python_starts(tmp_path: Path) -> None:
    loaded = subprocess.check_output([sys.executable, "-c", "import sys; print(*sys.modules)"], text=True).split()
    names = {name.partition(".")[0] for name in loaded} & sys.stdlib_module_names
    assert "encodings" in names
    runs = {f"{name}.py": b"open('ran', 'w')" for name in names} | {"encodings/__init__.py": b"open('ran', 'w')"}
    folder = installed(new_wheel(tmp_path, "good", files={**runs, "good.py": b"print('good')"}))
    for program, printed in (("pass", b""), ("import good, random, json", b"good\n")):
        environment = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        assert printed == subprocess.check_output([sys.executable, "-c", program], env=environment, cwd=tmp_path)
    assert not (tmp_path / "ran").exists()


def test_two_wheels_may_hold_the_same_file_but_not_two_different_ones(tmp_path: Path) -> None:
    first = new_wheel(tmp_path, "one", files={"shared/__init__.py": b""})
    same = new_wheel(tmp_path, "two", files={"shared/__init__.py": b"", "shared/two.py": b""})
    folder = unzipped(first, same)
    check(folder)
    unzipped(new_wheel(tmp_path, "three", files={"shared/__init__.py": b"other"}))
    with pytest.raises(BotRejected, match=r"(two|three|one) 1\.0 and .* (two|three|one) 1\.0"):
        check(folder)


def rewritten(wheel: Path, file: str, more: bytes, times: int) -> Path:
    """Append lines many times to the last ones of a file of a wheel's metadata; they pack well."""
    whole = wheel.with_suffix(".new")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            with new.open(entry.filename, "w") as target:
                target.write(old.read(entry).rstrip() + b"\n")
                for _ in range(times if entry.filename.endswith(file) else 0):
                    target.write(more)
    return whole.replace(wheel)


@pytest.mark.parametrize(("file", "line"), [("METADATA", b"X: y\n"), ("RECORD", b"a,,\n")])
def test_metadata_that_takes_too_much_memory_is_the_packages_doing(
    file: str, line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 MiB of it are some 200 KB in a wheel, and 2 GiB for uv."""
    monkeypatch.setattr("ladder.sandbox.wheels.installed.MEMORY_BYTES", 1024 * MIB)
    wheel = rewritten(new_wheel(tmp_path, "evil"), file, line * (MIB // len(line)), 200)
    assert wheel.stat().st_size < MIB
    with pytest.raises(BotRejected, match="1024 MiB of memory"):
        Packages(Store(tmp_path / "store"), uv_of(tmp_path)).folder(Asked(b"evil"), this_interpreter())


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    wheels = [new_wheel(tmp_path, name, files={file: b""}) for name, file in (("one", "a"), ("two", "a/b"))]
    with pytest.raises(BotRejected, match=": Failed to install"):
        installed(*wheels)


def test_bytes_and_files_of_all_wheels_together_are_bounded(tmp_path: Path) -> None:
    wheels = [new_wheel(tmp_path, name, files={f"{name}.py": bytes(600)}) for name in ("one", "two")]
    folder = unzipped(*wheels)
    check(folder, max_bytes=2000, max_files=8)
    with pytest.raises(BotRejected, match="more than 7 files"):
        check(folder, max_files=7)
    with pytest.raises(BotRejected, match=r" 1,\d+ bytes, unpacked; .* 1,000 bytes \("):
        check(folder, max_bytes=1000)


def python(text: str, folder: Path, **limits: float) -> tuple[int, str]:
    return run((sys.executable, "-c", text), {"MINE": "1"}, folder, RunLimits(**limits))  # type: ignore[arg-type]


def test_it_gives_the_exit_code_and_the_end_of_the_output(tmp_path: Path) -> None:
    text = "import os, sys; print('x' * 100_000, flush=True); sys.exit(f'{sorted(os.environ)}')"
    code, output = python(text, tmp_path)
    assert (code, len(output)) == (1, 64 * 1024)
    assert "MINE" in output
    assert "HOME" not in output


def test_one_that_runs_for_ever_is_ended_with_what_it_started(tmp_path: Path) -> None:
    text = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).wait()"
    with pytest.raises(SandboxError, match="took longer than 0 seconds"):
        python(text, tmp_path, seconds=0.0)


def test_one_that_writes_too_much_into_many_files_is_ended(tmp_path: Path) -> None:
    text = "for n in range(10**9):\n with open(str(n), 'wb') as file: file.write(bytes(100_000))"
    with pytest.raises(BotRejected, match=r", unpacked; .* 1,048,576 bytes"):
        python(text, tmp_path, max_bytes=1 << 20)


def test_one_that_writes_too_many_files_is_ended(tmp_path: Path) -> None:
    text = "for n in range(10**9): open(str(n), 'wb').close()"
    with pytest.raises(BotRejected, match="more than 100 files"):
        python(text, tmp_path, max_files=100)


def test_one_that_computes_for_too_long_is_the_packages_doing(tmp_path: Path) -> None:
    with pytest.raises(BotRejected, match="more than 1 s of CPU time"):
        python("while True: pass", tmp_path, cpu_seconds=1)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits other processes")
def test_no_file_can_grow_beyond_the_limit(tmp_path: Path) -> None:
    text = (
        "import os, resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        "while resource.getrlimit(resource.RLIMIT_FSIZE)[0] < 0: pass\n"
        "with open('x', 'wb') as file:\n while True: file.write(bytes(1 << 16))"
    )
    with pytest.raises(BotRejected, match=r" 2,097,153 bytes, unpacked; .* 1,048,576 bytes"):
        python(text, tmp_path, max_bytes=1 << 20)
    assert (tmp_path / "x").stat().st_size <= 1 << 20


def test_a_program_that_is_missing_is_the_platforms_failure(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"/nonesuch/uv .*: No such file"):
        run(("/nonesuch/uv",), os.environ, tmp_path, RunLimits())
