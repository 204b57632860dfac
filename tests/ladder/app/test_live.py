"""Messages of the ladder about matches that are being played."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import pytest

from ladder.app.ladder import Ladder
from ladder.app.live_matches import MAX_EVENTS, MAX_KEPT, LiveState, LiveStates, events, running
from ladder.errors import LadderError
from ladder.results.live_folder import LiveFolder
from ladder.runner.live_writer import LiveWriter
from ladder.store import models
from ladder.values.live_events import LiveEvent
from pigpen.rules import PRESETS, Face
from referee.records.lines import DealLine, ResultLine
from referee.records.recorded import Recorded
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import view_table
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, lease, queue
from tests.ladder.worker.live_events import watched

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database
    from referee.replay.deal_replay import Moment

__all__ = ["backend"]
SENT, LINES = watched(PRESETS["hearts"], "boards:2")


@pytest.fixture
def ladder(database: Database, settings: Settings) -> Ladder:
    """A ladder that plays match 1 at its first attempt; match 2 waits."""
    with database.write() as session:
        versions = [enter(session, bot) for bot in ("Trotter", "Snout", "Truffle", "Sty")]
        for seed in "12":
            queue(session, versions, seed=seed, form="boards:2")
        lease(session, 1)
    return Ladder(settings, database)


@pytest.fixture
def writer(ladder: Ladder) -> Iterator[LiveWriter]:
    writer = LiveWriter(LiveFolder(ladder.settings.data_dir))
    writer.begin(1, 1)
    yield writer
    writer.close()


def test_a_match_that_has_not_begun_is_running_without_progress(ladder: Ladder) -> None:
    (row,) = running(ladder)
    assert (row.match, row.attempt, row.variant, row.format) == (1, 1, "hearts", "boards:2")
    assert (row.bots, row.versions) == (("Trotter", "Snout", "Truffle", "Sty"), (1, 1, 1, 1))
    assert row.started is not None
    assert row.started.timestamp() == NOW
    assert row.progress is None


def test_progress_is_deals_points_and_what_lies_on_the_tables(ladder: Ladder, writer: LiveWriter) -> None:
    scored = [place for place, line in enumerate(SENT) if '"scored"' in line]
    until = scored[2] + 5 + next(place for place, line in enumerate(SENT[scored[2] :]) if '"passed"' in line)
    writer.append(1, 1, "\n".join(SENT[:until]))
    progress = running(ladder)[0].progress
    assert progress is not None
    deals = [line for line in LINES if isinstance(line, DealLine)]
    points = [0, 0, 0, 0]
    for line in deals[:3]:
        assert line.seats is not None
        for bot, score in zip(line.seats, line.scores, strict=True):
            points[bot] += score
    assert (progress.public, progress.deals, progress.deals_done, progress.points) == ("played", 8, 3, tuple(points))
    first, second = progress.tables
    assert (first.table, first.deal.number, first.moment.scores) == (0, 1, deals[1].scores)
    assert (first.moment.totals, first.moment.phase) == (deals[1].totals, "over")
    assert (second.table, second.deal.number, second.moment.scores, second.complete) == (1, 1, None, True)
    assert second.deal.bots == tuple(f"bot{bot}" for bot in second.seats)
    plays = [(step.seat, step.play) for step in deals[3].steps if step.play]
    assert [(play.seat, str(play.card)) for play in second.moment.plays] == plays[:4]
    assert (second.moment.trick, second.moment.complete) == (1, True)
    assert all(seat.unknown == 12 and not seat.hand for seat in second.moment.seats)
    assert progress.mark == f"1-{until}"


def test_progress_goes_on_from_where_it_was_and_ends_with_the_result(ladder: Ladder, writer: LiveWriter) -> None:
    for place in range(0, len(SENT), 7):
        writer.append(1, 1, "\n".join(SENT[place : place + 7]))
        assert running(ladder)[0].progress is not None
    progress = running(ladder)[0].progress
    assert progress is not None
    assert progress == LiveStates().progress(LiveFolder(ladder.settings.data_dir), 1, 1, PRESETS["hearts"])
    result = LINES[-1]
    assert isinstance(result, ResultLine)
    assert progress.points == tuple(each.total for each in result.results)
    assert progress.deals_done == 8


def test_after_a_gap_the_running_deal_is_incomplete_and_the_next_one_is_not(ladder: Ladder, writer: LiveWriter) -> None:
    scored = next(place for place, line in enumerate(SENT) if '"scored"' in line)
    writer.append(1, 1, "\n".join([*SENT[:20], '{"type":"gap","missed":3}', *SENT[23:30]]))
    progress = running(ladder)[0].progress
    assert progress is not None
    assert not progress.tables[0].complete
    before = progress.tables[0].moment
    writer.append(1, 1, "\n".join(SENT[30:scored]))
    progress = running(ladder)[0].progress
    assert progress is not None
    assert progress.tables[0].moment == before, "a card that was lost would shift the tricks"
    writer.append(1, 1, "\n".join(SENT[scored : scored + 8]))
    progress = running(ladder)[0].progress
    assert progress is not None
    assert (progress.tables[0].deal.number, progress.tables[0].complete, progress.deals_done) == (1, True, 1)


def test_a_deal_whose_beginning_was_lost_changes_nothing(ladder: Ladder, writer: LiveWriter) -> None:
    writer.append(1, 1, "\n".join([SENT[0], '{"type":"gap","missed":1}', *SENT[2:50]]))
    progress = running(ladder)[0].progress
    assert progress is not None
    assert (progress.tables, progress.points) == ((), (0, 0, 0, 0))


def test_only_some_states_are_remembered(ladder: Ladder, writer: LiveWriter) -> None:
    states, folder = LiveStates(), LiveFolder(ladder.settings.data_dir)
    matches = range(1, MAX_KEPT + 2)
    for match in matches:
        writer.begin(match, 1)
        writer.append(match, 1, "\n".join(SENT[:10]))
        assert states.progress(folder, match, 1, PRESETS["hearts"]) is not None
    assert list(states._known) == [folder.path(match, 1) for match in matches[1:]]


def test_events_come_in_pages_after_a_mark(ladder: Ladder, writer: LiveWriter) -> None:
    sent = SENT * (2 * MAX_EVENTS // len(SENT) + 1)
    writer.append(1, 1, "\n".join(sent))
    found: list[LiveEvent] = []
    sizes: list[int] = []
    mark = ""
    while (page := events(ladder, 1, mark)).events:
        assert not page.ended
        found += page.events
        sizes.append(len(page.events))
        mark = page.events[-1].mark
    assert [event.id for event in found] == list(range(1, len(sent) + 1))
    assert all(MAX_EVENTS <= size < 2 * MAX_EVENTS for size in sizes[:-1])
    assert len(sizes) > 1
    assert [event.line for event in found[:2]] == [f'{{"id":{n},{line[1:]}' for n, line in enumerate(SENT[:2], 1)]
    writer.end(1, 1, "done")
    page = events(ladder, 1, mark)
    assert ([event.type for event in page.events], page.ended) == (["end"], True)


def test_a_mark_of_another_attempt_or_of_none_means_from_the_beginning(ladder: Ladder, writer: LiveWriter) -> None:
    writer.append(1, 1, "\n".join(SENT[:3]))
    for mark in ("", "2-1", "1", "1-", "x", "1-2-3", "-1-1", "١-١", "1-" + "9" * 30):
        assert [event.id for event in events(ladder, 1, mark).events] == [1, 2, 3]
    assert events(ladder, 1, "1-3").events == events(ladder, 1, "1-300").events == ()


def test_a_match_that_is_not_played_has_ended_or_has_not_begun(ladder: Ladder, database: Database) -> None:
    assert (events(ladder, 1).events, events(ladder, 1).ended) == ((), False)
    with database.write() as session:
        session.get_one(models.StoredMatch, 1).status = models.Status.DONE
    assert events(ladder, 1).ended
    assert events(ladder, 2).attempt == 0
    with pytest.raises(LadderError, match="There is no match 3"):
        events(ladder, 3)


@pytest.mark.parametrize("public", ["played", "open"])
@pytest.mark.parametrize("name", PRESETS)
def test_the_table_of_a_running_match_is_the_one_that_its_replay_shows(
    name: str, public: Literal["played", "open"]
) -> None:
    """It is seen from all seats where all hands are open; else from none, so that no hand is in it (C-9)."""
    rules, is_open = PRESETS[name], public == "open"
    sent, lines = watched(rules, "deals:1", public)
    match = Recorded.of(lines)
    replay = DealReplay(match.rules, match.first, match.deals[0])
    state, place, cards = LiveState(rules), 0, set[str]()
    for number, line in enumerate(sent, 1):
        event = json.loads(line)
        state.take(LiveEvent(match=1, attempt=1, id=number, type=event["type"], line=f'{{"id":{number},{line[1:]}'))
        if event["type"] == "play":
            place = next(place for place, moment in enumerate(replay.moments) if place > 0 and played_in(moment, event))
            (table,) = (state.progress() or pytest.fail("it has begun")).tables
            shown, wanted = table.moment, view_table(replay, place)
            assert (shown.trick, shown.plays, shown.winning) == (wanted.trick, wanted.plays, wanted.winning)
            cards.add(event["card"])
            for one, other in zip(shown.seats, wanted.seats, strict=True):
                assert one.voids == other.voids
                if is_open:
                    assert (one.hand, one.unknown, one.exposed) == (other.hand, 0, other.exposed)
                    assert (one.passed, one.received, one.taken) == (other.passed, other.received, other.taken)
                else:
                    assert len(one.hand) + one.unknown == len(other.hand)
                    assert set(one.hand) <= {card for card, face in other.exposed.items() if face is Face.UP}
                    assert (one.passed, one.received, one.legal) == ((), (), ())
                    # GS-2: a card that lies face down is known when it is played, and counted until then
                    known = {card for card, face in other.exposed.items() if face is Face.UP or str(card) in cards}
                    assert set(one.exposed) == known
                    assert one.hidden == len(other.exposed) - len(known)
    assert len(cards) == len(rules.deck)
    (table,) = (state.progress() or pytest.fail("it has begun")).tables
    assert (table.moment.scores, table.moment.totals) == (match.deals[0].scores, match.deals[0].totals)


def played_in(moment: Moment, event: dict[str, Any]) -> bool:
    """True if the card of an event was played at a moment."""
    return bool(moment.done) and moment.done[0][0].play == event["card"]
