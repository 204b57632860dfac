"""From requirements to a lock, from a lock to the same folder of modules, and the cache of what was fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.utils import canonicalize_name

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.content import Content
from ladder.sandbox.wheels import packages
from ladder.sandbox.wheels.facts import facts
from ladder.sandbox.wheels.installed import is_unhashed
from ladder.sandbox.wheels.local_install import install_locally
from ladder.sandbox.wheels.packages import Asked, Packages, Store
from ladder.sandbox.wheels.requirements import lock_text
from ladder.sandbox.wheels.target import Target, this_interpreter
from ladder.sandbox.wheels.uv import OURS, Uv
from tests.ladder.sandbox.wheels.made import digest_of, new_wheel, uv_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def kept(store: packages.Store, key: str, size: int = 1) -> Path:
    """Keep a folder with one file."""
    with store.new_folder() as scratch:
        (scratch / "new").mkdir()
        (scratch / "new" / "file").write_bytes(bytes(size))
        return store.keep(scratch / "new", key)


def used(folder: Path, seconds_ago: float) -> None:
    """Let a folder be one that was used some time ago."""
    then = os.stat(folder).st_mtime - seconds_ago
    os.utime(folder, (then, then))


def test_an_answer_is_remembered(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    store.keep_answer("a", "3.11")
    assert (store.answer("a"), store.answer("b")) == (b"3.11", None)


def test_the_oldest_answers_go(tmp_path: Path) -> None:
    store = packages.Store(tmp_path, max_answers=3)
    for number in range(5):
        store.keep_answer(str(number), "x")
        os.utime(tmp_path / "answers" / str(number), (number, number))
    assert [name for name in "01234" if store.answer(name)] == ["2", "3", "4"]


def test_a_folder_is_kept_and_nothing_else(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    folder = kept(store, "a")
    assert (store.find("a"), store.find("b")) == (folder, None)
    assert [path.name for path in (tmp_path / "unpacked").iterdir()] == ["a"]


def test_the_first_of_two_processes_keeps_its_folder(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    first = kept(store, "a", 1)
    assert kept(store, "a", 2) == first
    assert (first / "file").stat().st_size == 1


def test_folders_that_were_not_used_for_longest_go_when_there_are_too_many(tmp_path: Path) -> None:
    store = packages.Store(tmp_path, max_bytes=13_000)
    for number, name in enumerate("abc"):
        used(kept(store, name, 4000), 1000 - number)
    assert store.find("a")  # which is a use
    kept(store, "d", 4000)
    assert [name for name in "abcd" if store.find(name)] == ["a", "c", "d"]


def test_folders_that_were_not_used_for_a_month_go(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    used(kept(store, "a"), packages.UNUSED_SECONDS + 1)
    (tmp_path / "unpacked" / f"{packages.NEW}left").mkdir()
    used(tmp_path / "unpacked" / f"{packages.NEW}left", packages.UNUSED_SECONDS + 1)
    kept(store, "b")
    assert [path.name for path in (tmp_path / "unpacked").iterdir()] == ["b"]


@pytest.fixture
def vanished(monkeypatch: pytest.MonkeyPatch) -> None:
    """All folders list a name of another process that is not there any more."""
    iterdir, rglob = Path.iterdir, Path.rglob

    def listed(folder: Path) -> Iterator[Path]:
        yield folder / f"{packages.NEW}other"
        yield from iterdir(folder)

    def found(folder: Path, pattern: str) -> Iterator[Path]:
        yield from rglob(folder, pattern)
        yield folder / "other"

    monkeypatch.setattr(Path, "iterdir", listed)
    monkeypatch.setattr(Path, "rglob", found)


@pytest.mark.usefixtures("vanished")
def test_what_other_processes_remove_meanwhile_disturbs_no_answer(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    store.keep_answer("a", "3.11")
    assert store.answer("a") == b"3.11"


@pytest.mark.usefixtures("vanished")
def test_what_other_processes_remove_meanwhile_disturbs_no_folder(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    assert [kept(store, name) for name in "ab"] == [store.find("a"), store.find("b")]


def test_a_folder_that_is_being_removed_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, found = packages.Store(tmp_path), list[Path | None]()
    kept(store, "a")
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", lambda *_, **__: found.append(store.find("a")))
        store.remove("a")
    assert found == [None]


def test_a_folder_that_is_used_while_another_process_looks_for_old_ones_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, rglob = packages.Store(tmp_path), Path.rglob

    def meanwhile(folder: Path, pattern: str) -> Iterator[Path]:
        store.find("a")
        return rglob(folder, pattern)

    used(kept(store, "a"), packages.UNUSED_SECONDS + 1)
    monkeypatch.setattr(Path, "rglob", meanwhile)
    kept(store, "b")
    assert store.find("a")


def test_a_folder_that_another_process_is_making_stays_when_there_are_too_many(tmp_path: Path) -> None:
    store = packages.Store(tmp_path, max_bytes=1)
    with store.new_folder() as scratch:
        used(scratch, packages.IN_USE_SECONDS + 1)
        kept(store, "a", 4000)
        assert scratch.is_dir()


HERE = this_interpreter()
NO_UV = Uv(program="/nonesuch/uv")


def asked(*lines: str, lock: str | None = None) -> Asked:
    return Asked("\n".join(lines).encode(), None if lock is None else lock.encode())


def locked(packages: Packages, *lines: str, target: Target = HERE) -> list[str]:
    return [pin.label for pin in packages.pins(asked(*lines), target)]


def files(folder: Path) -> dict[str, tuple[bytes, bool]]:
    """Give the files that a bot gets of a folder: bytes, and true if a file is a program."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: (path.read_bytes(), os.access(path, os.X_OK)) for name, path in found.items() if not is_unhashed(name)
    }


def test_versions_that_fit_together_are_found_also_if_the_newest_do_not(shelf: Path, packages: Packages) -> None:
    for version in ("1.0", "1.5", "2.0"):
        new_wheel(shelf, "base", version)
    new_wheel(shelf, "tool", "2.0", needs=["base<2", "base>=2"])
    new_wheel(shelf, "tool", "1.0", needs=["base<2", "helper"])
    new_wheel(shelf, "helper", needs=["base!=1.5", 'never; python_version < "3"'])
    assert locked(packages, "tool", "base") == ["base 1.0", "helper 1.0", "tool 1.0"]


def test_extras_are_honoured(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "tool", needs=['more; extra == "fast"', 'nonesuch; extra == "slow"'])
    new_wheel(shelf, "user", needs=["tool[fast]"])
    new_wheel(shelf, "more")
    assert locked(packages, "tool") == ["tool 1.0"]
    assert locked(packages, "tool", "user") == ["more 1.0", "tool 1.0", "user 1.0"]


def test_conditions_and_wheels_are_those_of_the_bots_python_and_machine(shelf: Path, packages: Packages) -> None:
    needs = ['old; python_version < "3.10"', 'new; python_version >= "3.10"', 'never; platform_release != ""']
    for name in ("old", "new", "tool"):
        new_wheel(shelf, name, needs=needs)
    for tag in ("cp39-cp39-manylinux_2_31_aarch64", "cp39-cp39-manylinux_2_32_aarch64", "cp310-cp310-any"):
        new_wheel(shelf, "native", tag=tag)
    old = Target({"version": "3.9.2", "machine": "aarch64", "glibc": "2.31"}, facts()["provided"])
    assert locked(packages, "tool") == ["new 1.0", "tool 1.0"]
    assert locked(packages, "tool", target=old) == ["old 1.0", "tool 1.0"]
    (pin,) = packages.pins(asked("native"), old)
    assert pin.hashes == {digest_of(shelf / "native-1.0-cp39-cp39-manylinux_2_31_aarch64.whl")}
    with pytest.raises(BotRejected, match=r" Python 3\.\d+ .*native"):
        locked(packages, "native")


BAD = {
    "an address among the needs": ("other @ https://127.0.0.1/x.tar.gz", "`other` was included as a URL dependency"),
    "a repository among the needs": ("other @ git+https://127.0.0.1/x", "`other` was included as a URL dependency"),
    "a path among the needs": ("other @ file:///etc/passwd", "evil==1.0 has an invalid package format"),
    "a variable among the needs": ("other===${SECRET}", "evil==1.0 has an invalid package format"),
    "nonsense among the needs": ("???", "evil==1.0 has an invalid package format"),
    "a package that is missing": ("nonesuch>3", "nonesuch was not found .* evil depend on nonesuch>3"),
    "two that do not fit": ("base<2", r"evil depend on base<2 .*line 2 of requirements\.txt requires base>=2"),
    "another version of the SDK's": ("protobuf<4", r"evil depend on protobuf<4.* The SDK brings protobuf "),
    "another SDK": ("pigpen-sdk>9", "The SDK brings pigpen-sdk"),
}


@pytest.mark.parametrize("kind", BAD)
def test_needs_that_cannot_be_met_are_told_with_who_has_them(kind: str, shelf: Path, packages: Packages) -> None:
    need, why = BAD[kind]
    new_wheel(shelf, "base", "2.0")
    new_wheel(shelf, "evil", needs=[need])
    with pytest.raises(BotRejected, match=why) as refusal:
        locked(packages, "evil", "base>=2")
    assert "Ask for other versions" in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_a_package_of_sources_is_not_built(shelf: Path, packages: Packages, tmp_path: Path) -> None:
    (shelf / "one-2.0").mkdir()
    (shelf / "one-2.0/setup.py").write_text(f"open({str(tmp_path / 'built')!r}, 'w')")
    subprocess.run(["tar", "czf", "one-2.0.tar.gz", "one-2.0"], cwd=shelf, check=True)
    with pytest.raises(BotRejected, match=r"line 1 of requirements\.txt.*one.*sources only"):
        locked(packages, "one")
    new_wheel(shelf, "one", "1.0")
    assert locked(packages, "one") == ["one 1.0"]
    assert not (tmp_path / "built").exists()


def test_the_sdk_and_what_it_stands_on_are_not_taken_from_the_index(
    shelf: Path, packages: Packages, tmp_path: Path
) -> None:
    for name in ("pigpen_sdk", "protobuf"):
        for version in (HERE.provided[name.replace("_", "-")], "99.0"):
            new_wheel(shelf, name, version, needs=["evil"])
    new_wheel(shelf, "evil")
    new_wheel(shelf, "tool", needs=["pigpen-sdk"])
    assert locked(packages, "pigpen-sdk", "grpcio", "protobuf>=5") == []
    assert locked(packages, "tool") == ["tool 1.0"]
    _, folder = packages.folder(asked("pigpen-sdk"), HERE)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["pigpen", "Pigpen.Arena", "pigpen_sdk"])
def test_a_package_that_has_a_name_of_ours_on_the_index_is_a_strangers(
    name: str, shelf: Path, packages: Packages
) -> None:
    bare = Target(HERE.python, {})
    for each in OURS:
        new_wheel(shelf, each.replace("-", "_"), "99.0")
    new_wheel(shelf, "tool", needs=[name])
    digest = digest_of(shelf / f"{canonicalize_name(name).replace('-', '_')}-99.0-py3-none-any.whl")
    lock = f"{name}==99.0 --hash=sha256:{digest}\n"
    for wanted, place in (
        (asked(name), r"Line 1 of requirements\.txt"),
        (asked("tool"), "One of the bot's packages"),
        (asked(f"{name}==99.0", lock=lock), r"Line 1 of requirements\.(txt|lock)"),
    ):
        with pytest.raises(BotRejected, match=rf"{place} asks for {canonicalize_name(name)}, .* not ours"):
            packages.folder(wanted, bare)


def test_packages_that_no_choice_fits_are_the_bots_also_if_the_reasons_are_long(
    shelf: Path, packages: Packages
) -> None:
    """Eight pigeons and seven holes: uv prints more than is kept, and the first words are not among it."""
    names = [f"p{number}" for number in range(8)]
    for name in names:
        for hole in range(7):
            new_wheel(shelf, name, f"{hole}.0", needs=[f"{other}!={hole}.0" for other in names if other != name])
    with pytest.raises(BotRejected, match="no wheels for Python"):
        locked(packages, *names)


def test_a_hash_in_the_requirements_is_held_to(shelf: Path, packages: Packages) -> None:
    digest = digest_of(new_wheel(shelf, "one"))
    assert locked(packages, f"one==1.0 --hash=sha256:{digest}") == ["one 1.0"]
    with pytest.raises(BotRejected, match=r"hash of one 1\.0"):
        locked(packages, f"one==1.0 --hash=sha256:{'0' * 64}")


def test_what_was_found_once_stays_until_it_is_looked_for_anew(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "one", "1.0")
    assert locked(packages, "one") == ["one 1.0"]
    new_wheel(shelf, "one", "2.0")
    assert locked(packages, "one  # again") == ["one 1.0"]
    assert [pin.label for pin in packages.pins(asked("one"), HERE, anew=True)] == ["one 2.0"]
    assert locked(packages, "one") == ["one 2.0"]


def test_a_lock_gives_the_same_folder_on_another_machine_and_without_the_index(
    shelf: Path, packages: Packages, tmp_path: Path
) -> None:
    new_wheel(shelf, "tool", files={"tool.py": b"x = 1", "tool-1.0.data/scripts/tool": b"#!python\n"}, needs=["base"])
    new_wheel(shelf, "base")
    lock, first = packages.folder(asked("tool"), HERE)
    new_wheel(shelf, "base", "2.0")
    store = Store(tmp_path / "other")
    again, second = Packages(store, uv_of(shelf)).folder(asked("tool", lock=lock), HERE)
    assert again == lock
    assert files(first) == files(second)
    assert {"base.py", "tool.py", "tool-1.0.dist-info/METADATA"} <= set(files(first))
    assert Packages(store, NO_UV).folder(asked("tool", lock=lock), HERE) == (lock, second)


def test_a_lock_that_does_not_fit_the_requirements_is_refused(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "tool", needs=["base"])
    new_wheel(shelf, "base")
    whole = lock_text(packages.pins(asked("tool"), HERE)).splitlines()
    for want, lock, why in (
        ("tool>1", "\n".join(whole), r"line 1 of requirements\.txt requires tool>1"),
        ("tool", whole[1], "The lock holds no base, which its packages need"),
        ("tool", "\n".join([*whole, f"protobuf==1.0 --hash=sha256:{'0' * 64}"]), "The lock holds protobuf 1.0, and"),
        ("tool", f"base==1.0 --hash=sha256:{'0' * 64}\n{whole[1]}", r"A hash of base 1\.0 is not that of the wheel"),
    ):
        with pytest.raises(BotRejected, match=why) as refusal:
            packages.folder(asked(want, lock=lock), HERE)
        assert "pigpen lock FOLDER" in str(refusal.value)


def test_a_file_that_changed_in_a_kept_folder_is_fetched_again(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "one")
    _, folder = packages.folder(asked("one"), HERE)
    (folder / "one.py").write_text("changed")
    assert files(packages.folder(asked("one"), HERE)[1])["one.py"] == (b"VERSION = '1.0'\n", False)


def test_packages_for_this_python_are_unpacked_once_and_can_be_imported(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "one", files={"one.py": b"VERSION = 1\n", "one.pth": b"import os; os._exit(7)\n"})
    lock, folder = install_locally(packages, asked("one"))
    assert lock.startswith("one==1.0 --hash=sha256:")
    program = (
        "import one; print(one.VERSION, one.__cached__.endswith('.pyc'), __import__('os').path.exists(one.__cached__))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1 True True\n"
    assert (lock, folder) == install_locally(Packages(packages.store, NO_UV), asked("one"))


def test_a_folder_where_the_packages_go_is_told_to_the_owner(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("numpy\n")
    assert Asked.by(Content.read(tmp_path)).anything
    (tmp_path / "vendor").mkdir()
    with pytest.raises(BotRejected, match="holds 'vendor'"):
        Asked.by(Content.read(tmp_path))


def test_comments_alone_ask_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("# none yet\n")
    (tmp_path / "vendor").mkdir()
    assert not Asked.by(Content.read(tmp_path)).anything
    assert not Asked.by(Content(())).anything


def test_without_a_home_the_store_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("Could not determine home.")))
    with pytest.raises(SandboxError, match="XDG_CACHE_HOME"):
        install_locally(Packages(), asked("one"))
