"""What a folder asks for becomes a lock, and a lock becomes the same folder of modules every time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.content import Content
from ladder.sandbox.wheels.cache import Store, sha256_of
from ladder.sandbox.wheels.facts import facts
from ladder.sandbox.wheels.local_install import install_locally
from ladder.sandbox.wheels.lock import lock_text
from ladder.sandbox.wheels.packages import Asked, Packages
from ladder.sandbox.wheels.target import Target, target_from, this_interpreter
from tests.ladder.sandbox.wheels.made import Shelf, new_wheel

HERE = this_interpreter()


def refuse(lines: Sequence[str], target: Target, folder: Path) -> None:
    raise AssertionError(f"{lines} were asked for")


def asked(*lines: str, lock: str | None = None) -> Asked:
    return Asked("\n".join(lines).encode(), None if lock is None else lock.encode())


def locked(packages: Packages, *lines: str, target: Target = HERE) -> list[str]:
    return [pin.label for pin in packages.pins(asked(*lines), target)]


def test_the_newest_version_that_fits_is_taken_with_all_that_it_needs(shelf: Path, packages: Packages) -> None:
    for version in ("1.0", "1.5", "2.0"):
        new_wheel(shelf, "base", version)
    new_wheel(shelf, "tool", needs=["base<2", "helper"])
    new_wheel(shelf, "helper", needs=["base!=1.5", 'never; python_version < "3"'])
    assert locked(packages, "tool", "base") == ["base 1.0", "helper 1.0", "tool 1.0"]


def test_what_only_an_older_choice_needed_is_left_out(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "base", "1.0")
    new_wheel(shelf, "base", "2.0", needs=["gone"])
    new_wheel(shelf, "gone")
    new_wheel(shelf, "tool", needs=["helper"])
    new_wheel(shelf, "helper", needs=["base<2"])
    assert locked(packages, "base", "tool") == ["base 1.0", "helper 1.0", "tool 1.0"]


def test_extras_are_honoured(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "tool", needs=['more; extra == "fast"', 'other @ https://127.0.0.1/x ; extra == "slow"'])
    new_wheel(shelf, "user", needs=["tool[fast]"])
    new_wheel(shelf, "more")
    assert locked(packages, "tool") == ["tool 1.0"]
    assert locked(packages, "tool", "user") == ["more 1.0", "tool 1.0", "user 1.0"]


def test_conditions_are_those_of_the_bots_python(shelf: Path, packages: Packages) -> None:
    for name in ("old", "new", "tool"):
        new_wheel(shelf, name, needs=['old; python_version < "3.10"', 'new; python_version >= "3.10"'])
    found = facts()
    old = target_from({**found, "environment": {**found["environment"], "python_version": "3.9"}})
    assert locked(packages, "tool") == ["new 1.0", "tool 1.0"]
    assert locked(packages, "tool", target=old) == ["old 1.0", "tool 1.0"]


BAD = {
    "an address among the needs": (
        "other @ https://127.0.0.1/x.tar.gz",
        "Evil 1.0: .* is an address, and packages come from the package index",
    ),
    "a path among the needs": ("other @ file:///etc/passwd", "is an address"),
    "a variable among the needs": ("other===${SECRET}", "=== or"),
    "nonsense among the needs": ("???", "Evil 1.0: .* is not the name of a package"),
    "what nobody has": ("nonesuch>3", r"has no wheel .* nonesuch>3 \(evil 1.0\)"),
    "two that do not fit": ("base<2", r"base>=2 \(line 2 of requirements.txt\) and base<2 \(evil 1.0\)"),
    "another version of the SDK's": ("protobuf<4", r"The SDK brings protobuf .* is not protobuf<4 \(evil 1.0\)"),
    "another SDK": ("pigpen-sdk>9", "The SDK brings pigpen-sdk"),
}


@pytest.mark.parametrize("kind", BAD)
def test_needs_that_cannot_be_met_are_told_with_who_has_them(kind: str, shelf: Path, packages: Packages) -> None:
    need, why = BAD[kind]
    new_wheel(shelf, "base", "2.0")
    new_wheel(shelf, "evil", needs=[need])
    with pytest.raises(BotRejected, match=why):
        locked(packages, "evil", "base>=2")


def test_the_sdk_and_what_it_stands_on_are_not_taken_from_the_index(packages: Packages) -> None:
    assert locked(packages, "pigpen-sdk", "grpcio", "protobuf>=5") == []


def test_packages_that_change_each_other_for_ever_are_refused(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "one", "2.0", needs=["two<2"])
    new_wheel(shelf, "one", "1.0", needs=["two>=2"])
    new_wheel(shelf, "two", "2.0", needs=["one>=2"])
    new_wheel(shelf, "two", "1.0", needs=["one<2"])
    with pytest.raises(BotRejected, match=r"want ever other versions of each other: .* requirements\.txt"):
        locked(packages, "one", "two")


def test_a_hash_in_the_requirements_is_held_to(shelf: Path, packages: Packages) -> None:
    digest = sha256_of(new_wheel(shelf, "one"))
    assert locked(packages, f"one==1.0 --hash=sha256:{digest}") == ["one 1.0"]
    with pytest.raises(BotRejected, match="another hash"):
        locked(packages, f"one==1.0 --hash=sha256:{'0' * 64}")


def test_what_was_found_once_stays_until_it_is_looked_for_anew(shelf: Path, packages: Packages) -> None:
    new_wheel(shelf, "one", "1.0")
    assert locked(packages, "one") == ["one 1.0"]
    new_wheel(shelf, "one", "2.0")
    assert locked(packages, "one  # again") == ["one 1.0"]
    assert [pin.label for pin in packages.pins(asked("one"), HERE, anew=True)] == ["one 2.0"]
    assert locked(packages, "one") == ["one 2.0"]


def test_with_a_lock_nothing_is_looked_for(shelf: Path, packages: Packages, tmp_path: Path) -> None:
    new_wheel(shelf, "tool", needs=["base"])
    new_wheel(shelf, "base")
    lock = lock_text(packages.pins(asked("tool"), HERE))
    new_wheel(shelf, "base", "2.0")
    again = Packages(Store(tmp_path / "other"), Shelf(shelf))
    pins = again.pins(asked("tool", lock=lock), HERE)
    assert lock_text(pins) == lock
    again.unpack(asked("tool", lock=lock), pins, HERE, tmp_path / "out")
    offline = Packages(again.store, refuse)
    offline.unpack(asked("tool", lock=lock), pins, HERE, tmp_path / "out2")
    trees = [{path.name: path.read_bytes() for path in (tmp_path / out).rglob("*.py")} for out in ("out", "out2")]
    assert trees == [{"base.py": b"VERSION = '1.0'\n", "tool.py": b"VERSION = '1.0'\n"}] * 2


def test_a_lock_that_does_not_fit_the_requirements_is_refused(shelf: Path, packages: Packages, tmp_path: Path) -> None:
    new_wheel(shelf, "tool", needs=["base"])
    new_wheel(shelf, "base")
    whole = lock_text(packages.pins(asked("tool"), HERE)).splitlines()
    for want, lock, why in (
        ("tool>1", "\n".join(whole), r"holds tool 1\.0, which is not tool>1"),
        ("tool", whole[1], r"holds no base, which is not base \(tool 1\.0\)"),
        ("tool", "\n".join([*whole, f"protobuf==1.0 --hash=sha256:{'0' * 64}"]), "The lock holds protobuf 1.0, and"),
    ):
        files = asked(want, lock=lock)
        with pytest.raises(BotRejected, match=why):
            packages.unpack(files, packages.pins(files, HERE), HERE, tmp_path / "out")


def test_a_wheel_that_changed_in_the_store_is_fetched_again(shelf: Path, packages: Packages, tmp_path: Path) -> None:
    digest = sha256_of(new_wheel(shelf, "one"))
    pins = packages.pins(asked("one"), HERE)
    kept = tmp_path / "store" / "wheels" / f"{digest}.whl"
    kept.write_bytes(b"changed")
    packages.unpack(asked("one"), pins, HERE, tmp_path / "out")
    assert sha256_of(kept) == digest


def test_the_oldest_wheels_leave_the_store(shelf: Path, tmp_path: Path) -> None:
    small = Packages(Store(tmp_path / "store", most_bytes=1), Shelf(shelf))
    for name in ("one", "two"):
        new_wheel(shelf, name)
        small.pins(asked(name), HERE)
    assert [path.stem for path in (tmp_path / "store/wheels").iterdir()] == [
        sha256_of(shelf / "two-1.0-py3-none-any.whl")
    ]


def test_packages_for_this_python_are_unpacked_once_and_can_be_imported(
    shelf: Path, packages: Packages, tmp_path: Path
) -> None:
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
    assert (lock, folder) == install_locally(Packages(packages.store, refuse), asked("one"))


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
