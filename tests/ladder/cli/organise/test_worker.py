"""`pigpen worker` says in a sentence what makes no sense, before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from ladder.cluster.certificates import make_worker
from tests.e2e.command import pigpen


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("10.0.0.1:8786", "--certificate", "x"), "'10.0.0.1:8786' is not the address of a coordinator"),
        (("tls://10.0.0.1:99999", "--certificate", "x"), "write it as tls://10.0.0.1:8786."),
        (("tls://10.0.0.1:1", "--certificate", "missing.pem"), "The certificate missing.pem cannot be read"),
        (("tls://10.0.0.1:1", "--certificate", "x", "--name", "a b"), "'a b' is no name for a worker"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = pigpen("worker", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pigpen: ")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_below_which_no_socket_fits_is_refused_at_once(tmp_path: Path) -> None:
    make_worker(tmp_path / "cluster", "mars", tmp_path / "mars.pem")
    folder = "/tmp/" + 60 * "x"
    done = pigpen("worker", "tls://127.0.0.1:1", "--certificate", str(tmp_path / "mars.pem"), "--data-dir", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"pigpen: The path of --data-dir {folder} is too long: bots are reached by sockets below it. Choose one of at "
        "most 58 bytes.\n"
    )
    assert not Path(folder).exists()
