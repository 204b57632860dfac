"""
Many contestants submit at the same moment while matches are played: how long the site takes to answer, how many
submissions a minute get through, and what that does to the matches.

    python -m benchmarks.submissions
    python -m benchmarks.submissions --contestants 50 --seconds 60

A ladder of eight bots that play at once, in containers; `pigpen up`, with the site and the runner as processes of their
own. First the matches alone for some seconds; then every contestant uploads a folder of its own and submits it at the
same time, and the matches go on until the last submission has ended. A bot that gets in plays in another variant.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import requests

from benchmarks.ladder_overhead import PATIENT
from benchmarks.programs import dying_with_us
from benchmarks.rated import BOARDS, BOTS, INSTANT, enter_folders, folder_of
from benchmarks.report import Row, show
from ladder.app import overview
from ladder.app.accounts.secrets import hash_of, new_secret
from ladder.app.ladder import Ladder
from ladder.sandbox.bots.content import Content
from ladder.settings.settings import Settings, load_settings
from ladder.store.commands.accounts import add_account
from ladder.store.commands.credentials import add_credential
from ladder.store.queries.submissions import submission_rows
from ladder.values.accounts import Role, Scope
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.values.submission import SubmissionRow

HOUR = 3600.0


@dataclass(frozen=True)
class Played:
    """What the ladder did in a while."""

    seconds: float
    matches: int
    deals: int
    faults: int
    voids: int


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contestants", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0, help="How long the matches are watched alone.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        measure(Path(name), options.contestants, options.seconds)


def measure(root: Path, contestants: int, seconds: float) -> None:
    """Measure on a ladder in *root*."""
    settings = load_settings(data_dir=root / "ladder", boards=BOARDS, registration="open", **PATIENT)
    with Ladder.open(settings, create=True) as ladder:
        asyncio.run(enter_folders(ladder.database, [folder_of(root / f"bot{n}", 0, n) for n in range(BOTS)]))
        tokens = [_account(ladder, number) for number in range(contestants)]
        archives = [_archive(root, number) for number in range(contestants)]
        up, address = _up(settings)
        try:
            time.sleep(seconds / 2)  # programs are loaded
            alone = _watched(ladder, lambda: time.sleep(seconds))
            answers: list[float] = []
            began = time.perf_counter()
            beside = _watched(ladder, lambda: _all(ladder, address, tokens, archives, answers))
            took = time.perf_counter() - began
        finally:
            up.terminate()
            up.wait()
        ends = Counter(row.status for row in _rows(ladder))
    _print(contestants, ends, answers, took, alone, beside)


def _print(
    contestants: int, ends: Counter[str], answers: list[float], took: float, alone: Played, beside: Played
) -> None:
    ordered = sorted(answers)
    ended = ", ".join(f"{count} {status}" for status, count in sorted(ends.items()))
    rows = [
        Row(f"{contestants} submissions at once", ended),
        Row("an order is answered, half of them", f"{ordered[len(ordered) // 2]:.0f} ms"),
        Row("an order is answered, the slowest", f"{ordered[-1]:.0f} ms"),
        Row("submissions a minute", f"{60 * ends.total() / took:.1f}"),
        Row("rated deals a minute, alone", f"{60 * alone.deals / alone.seconds:.0f}"),
        Row(
            "rated deals a minute, beside",
            f"{60 * beside.deals / beside.seconds:.0f}",
            "alone",
            f"{beside.deals * alone.seconds / (beside.seconds * alone.deals):.2f}×",
        ),
        Row("faults and void matches, alone", f"{alone.faults}, {alone.voids}", f"{alone.matches} matches"),
        Row("faults and void matches, beside", f"{beside.faults}, {beside.voids}", f"{beside.matches} matches"),
    ]
    show(
        "Many submissions at once", ("what", "figure", "against", "ratio"), [astuple(row) for row in rows], words=(0, 2)
    )


def _watched(ladder: Ladder, doing: Callable[[], None]) -> Played:
    """Watch the ladder while something is done."""
    before, began = overview.counts(ladder), time.perf_counter()
    doing()
    after, seconds = overview.counts(ladder), time.perf_counter() - began
    matches = after.matches["done"] - before.matches["done"]
    deals = matches * BOARDS * PRESETS["hearts"].players
    return Played(seconds, matches, deals, after.faults - before.faults, after.failures - before.failures)


def _account(ladder: Ladder, number: int) -> str:
    token, now = new_secret("pgp_"), time.time()
    with ladder.database.write() as session:
        account = add_account(session, f"contestant{number}", Role.CONTESTANT, now)
        add_credential(session, account.owner_id, "token", hash_of(token), "bench", list(Scope)[:2], now, now + HOUR)
    return token


def _archive(root: Path, number: int) -> bytes:
    folder = root / f"submitted{number}"
    shutil.copytree(INSTANT, folder)
    with (folder / "bot.py").open("a") as file:
        file.write(f"\n# contestant {number}\n")
    return gzip.compress(Content.read(folder).archive().read())


def _up(settings: Settings) -> tuple[subprocess.Popen[str], str]:
    """Start `pigpen up`; gives the process, and the address of its site."""
    named = {"data_dir": str(settings.data_dir), "boards": str(BOARDS), **PATIENT}
    env = os.environ | {f"PIGPEN_{name.upper()}": str(value) for name, value in named.items()}
    command = dying_with_us(sys.executable, "-m", "ladder.cli.entry", "up", "--port", "0")
    up = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    assert up.stdout is not None
    address = next(line for line in up.stdout if line.startswith("The site is at")).split()[-1].rstrip("/")
    threading.Thread(target=up.stdout.read, daemon=True).start()  # nobody else takes what it prints
    return up, address


def _all(ladder: Ladder, address: str, tokens: list[str], archives: list[bytes], answers: list[float]) -> None:
    """Let everybody submit at once, and wait until all has ended."""
    with ThreadPoolExecutor(len(tokens)) as pool:
        orders = [
            pool.submit(_submit, address, token, archive, number)
            for number, (token, archive) in enumerate(zip(tokens, archives, strict=True))
        ]
        answers += [order.result() for order in orders]
    while any(row.finished is None for row in _rows(ladder)):
        time.sleep(0.5)


def _submit(address: str, token: str, archive: bytes, number: int) -> float:
    """Upload and order; gives the milliseconds until the order was answered."""
    api = requests.Session()
    api.headers["Authorization"] = f"Bearer {token}"
    began = time.perf_counter()
    upload = _good(api.post(f"{address}/api/v1/uploads", json={"bytes": len(archive)}))["id"]
    _good(api.patch(f"{address}/api/v1/uploads/{upload}", data=archive, headers={"Upload-Offset": "0"}))
    order = {"name": f"Contestant{number}", "upload": upload, "source": "instant", "variants": ["gongzhu"]}
    _good(api.post(f"{address}/api/v1/submissions", json=order))
    return 1000 * (time.perf_counter() - began)


def _good(response: requests.Response) -> dict[str, str]:
    response.raise_for_status()
    found: dict[str, str] = response.json()
    return found


def _rows(ladder: Ladder) -> list[SubmissionRow]:
    with ladder.database.read() as session:
        return submission_rows(session, None, None, 1000)


if __name__ == "__main__":
    main()
