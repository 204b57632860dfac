"""The closed period: what was accepted by the deadline is entered, what comes later is refused, until it is lifted."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, repeat
from typing import TYPE_CHECKING

import pytest

from ladder.app.accounts import managing
from ladder.app.deadlines import deadline, deadlines, lift_deadline, set_deadline
from ladder.app.submit import ordering
from ladder.entry.house_bots import HOUSE_BOTS
from ladder.errors import Forbidden, LadderError, UserError
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.entries import retire
from ladder.store.commands.submissions import BACK
from ladder.values.accounts import LOCAL, Viewer
from ladder.values.submission import SubmissionOrder
from pigpen.rules import PRESETS
from tests.ladder.accounts import add_person
from tests.ladder.ladders import NOW, new_ladder
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

HEARTS, GONGZHU = PRESETS["hearts"], PRESETS["gongzhu"]
TROTTER = Fit("Trotter", "ada", "sha256:1", "docker", "mybot", 1)
SNOUT = Fit("Snout", "ada", "sha256:2", "docker", "snout", 1)
ADA = Viewer("ada")
UPLOAD = "a" * 64
HOUSE_BOT = next(iter(HOUSE_BOTS))


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path, sandbox="docker"))
    add_person(made, "ada")
    yield made
    made.database.close()


def judged(ladder: Ladder, *variants: str, name: str = "Trotter") -> str:
    """The reason that a submission is refused before anything is sent; empty: it is taken."""
    try:
        ordering.check(ladder, ADA, SubmissionOrder(name=name, upload=UPLOAD, variants=variants))
    except LadderError as error:
        return str(error)
    return ""


def test_what_is_submitted_later_is_refused_until_the_deadline_is_lifted(ladder: Ladder) -> None:
    set_deadline(ladder, LOCAL, NOW + 60, ["gongzhu"])
    assert judged(ladder) == judged(ladder, "gongzhu", "hearts") == ""
    set_deadline(ladder, LOCAL, None, ["gongzhu"])
    ladder = replace(ladder, clock=lambda: NOW + 61)
    assert judged(ladder).startswith("Submissions for gongzhu closed ")
    assert judged(ladder, "hearts", "gongzhu").startswith("Submissions for gongzhu closed ")
    assert judged(ladder, "all").startswith("Submissions for gongzhu closed ")
    assert judged(ladder, "hearts") == ""
    lift_deadline(ladder, LOCAL, ["gongzhu"])
    assert judged(ladder, "gongzhu") == ""


def test_what_was_accepted_by_then_is_entered_later(ladder: Ladder) -> None:
    set_deadline(ladder, LOCAL, NOW + 60)
    with ladder.database.write() as session:
        assert TROTTER.enter(session, [HEARTS], NOW + 60).version == "Trotter@1"
        with pytest.raises(LadderError, match="Submissions for hearts closed"):
            SNOUT.enter(session, [HEARTS], NOW + 60.001)
        assert session.query(models.Version).count() == 1


def test_a_version_that_has_retired_does_not_come_back(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        TROTTER.enter(session, [HEARTS], NOW)
        retire(session, "Trotter", ["hearts"], "I think.", NOW + 10, "owner")
    set_deadline(ladder, LOCAL, NOW + 60, ["hearts"])
    with ladder.database.write() as session, pytest.raises(LadderError, match="closed on"):
        TROTTER.enter(session, [HEARTS], NOW + 61)
    lift_deadline(ladder, LOCAL)
    with ladder.database.write() as session:
        assert [each.news for each in TROTTER.enter(session, [HEARTS], NOW + 61).variants] == [BACK]


def test_house_bots_still_stand_in_for_missing_owners(ladder: Ladder) -> None:
    set_deadline(ladder, LOCAL, NOW)
    with ladder.database.write() as session:
        Fit(HOUSE_BOT, HOUSE_BOT, "sha256:3", "docker", "cautious", 1).enter(session, [HEARTS], NOW + 61)
        with pytest.raises(LadderError, match="closed on"):
            Fit("Cautious", "ada", "sha256:4", "docker", "cautious", 1).enter(session, [HEARTS], NOW + 61)


def test_an_image_without_a_choice_of_variants_is_judged_by_its_label(ladder: Ladder) -> None:
    set_deadline(ladder, LOCAL, NOW, ["gongzhu"])
    settings = load_settings(data_dir=ladder.settings.data_dir, sandbox="docker", registry="arena.test:5000")
    ladder = replace(ladder, clock=lambda: NOW + 1, settings=settings)
    order = SubmissionOrder(name="Trotter", image="arena.test:5000/ada/trotter:1")
    ordering.check(ladder, ADA, order)
    with pytest.raises(LadderError, match="closed on"):
        ordering.check(ladder, ADA, order.model_copy(update={"variants": ("gongzhu",)}))


def test_deadlines_are_set_and_lifted_by_organisers_and_stand_in_the_audit_log(ladder: Ladder) -> None:
    olga = Viewer("olga", is_organiser=True)
    rows = set_deadline(ladder, olga, NOW + 60)
    rows = set_deadline(ladder, olga, NOW + 90, ["hearts", "hearts"])
    assert [(row.variant, row.at.timestamp()) for row in rows] == [(None, NOW + 60), ("hearts", NOW + 90)]
    of_gongzhu = deadline(ladder, "gongzhu")
    assert of_gongzhu is not None
    assert (of_gongzhu.variant, of_gongzhu.at.timestamp()) == ("gongzhu", NOW + 60)
    assert lift_deadline(ladder, olga, ["hearts"]) == rows[:1]
    assert lift_deadline(ladder, olga) == deadlines(ladder) == []
    assert deadline(ladder, "gongzhu") is None
    found = [(row.actor, row.action, row.subject) for row in managing.audit(ladder, LOCAL, 4)]
    assert found == [
        ("olga", "deadline.lift", "all"), ("olga", "deadline.lift", "hearts"),
        ("olga", "deadline.set", "hearts"), ("olga", "deadline.set", "all"),
    ]  # fmt: skip
    with pytest.raises(Forbidden):
        set_deadline(ladder, ADA, None)
    with pytest.raises(Forbidden):
        lift_deadline(ladder, ADA)


def test_mistakes_name_the_way_out(ladder: Ladder) -> None:
    with pytest.raises(UserError, match=r"is past\. .* now"):
        set_deadline(ladder, LOCAL, NOW - 1)
    with pytest.raises(LadderError, match="whist"):
        set_deadline(ladder, LOCAL, NOW + 1, ["whist"])
    with pytest.raises(LadderError, match="no deadline"):
        lift_deadline(ladder, LOCAL)
    set_deadline(ladder, LOCAL, NOW + 1)
    with pytest.raises(LadderError, match="hearts has no deadline"):
        lift_deadline(ladder, LOCAL, ["hearts"])
    assert len(deadlines(ladder)) == 1


def test_what_is_handed_in_before_the_deadline_is_in_time_however_long_it_is_unpacked(ladder: Ladder) -> None:
    set_deadline(ladder, LOCAL, NOW + 60)
    times = chain([NOW + 59.9], repeat(NOW + 60.4))
    with_registry = ladder.settings.model_copy(update={"registry": "arena.test:5000"})
    slow = replace(ladder, settings=with_registry, clock=lambda: next(times))
    wanted = SubmissionOrder(name="Trotter", image="ada/trotter:1", variants=("hearts",))
    row = ordering.order(slow, ADA, wanted)
    with ladder.database.write() as session:
        assert TROTTER.enter(session, [HEARTS], row.added.timestamp()).version == "Trotter@1"
    with pytest.raises(LadderError, match="hearts"):
        ordering.order(slow, ADA, wanted)
