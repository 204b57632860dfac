"""The texts of ``--help`` fit the terminal in which they are read."""

from __future__ import annotations

import pytest

from tests.e2e.command import pigpen


def lines_of(*words: str, columns: int) -> list[str]:
    done = pigpen(*words, "--help", COLUMNS=str(columns))
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("words", [("submit",), ("ladder", "run"), ("cluster", "forget"), ("up",)], ids=" ".join)
def test_a_paragraph_is_broken_where_the_terminal_ends(words: tuple[str, ...]) -> None:
    """A paragraph that fits is one line, with an empty one after it."""
    text, _, _ = "\n".join(lines_of(*words, columns=2000)[3:]).partition("Examples:")
    prose = text.partition("╭")[0].strip().split("\n")
    assert prose[0]
    assert [line for line in prose[1::2] if line] == []


def test_a_narrow_terminal_breaks_them_anew() -> None:
    prose = [line for line in lines_of("submit", columns=60) if not line.startswith(("│", "╭", "╰"))]
    assert max(map(len, prose)) <= 60
    paragraph = " ".join(prose)
    assert "and play deals against itself in each variant without a fault." in paragraph
    inside = prose[prose.index("") + 1 :]
    assert all(len(line) > 30 for line in inside[: inside.index("") - 1] if line)


def test_examples_stay_line_by_line() -> None:
    shown = lines_of("submit", columns=2000)
    assert "Examples:" in shown
    assert "pigpen submit ./mybot --name Trotter --owner ada" in shown
