"""The data set: what is in it agrees with the database and the records; what is private is not in it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
import yaml
from sqlalchemy import select

import pigpen_arena
from ladder.app.dataset import exporting
from ladder.app.dataset.dataset_parts import CARD, COLUMNS, TABLES, schema, seat_rows, type_name
from ladder.app.dataset.exporting import DRAFTS, LOCK, export_dataset
from ladder.app.dataset.offered import MANIFEST
from ladder.app.event import holding
from ladder.app.seasons import new_season
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.values.accounts import LOCAL
from ladder.values.reports import DatasetManifest
from pigpen.learn import Steps
from pigpen.rules import PRESETS, Phase
from pigpen.rules.cards import Card, parse_cards
from referee.records.lines import DealLine
from referee.records.steps import parse_action
from tests.ladder.accounts import add_person, token_of
from tests.ladder.app.event_ladders import FILE, coordinator_of, own_ways, play, started_cup
from tests.ladder.ladders import NOW, new_ladder, recorded_match
from tests.ladder.virtual import Time
from tests.referee.recorded import SEED, faulty_seats, match_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.dataset.dataset_parts import Row
    from ladder.app.ladder import Ladder
    from ladder.results.files import Logs
    from ladder.values.matches import MatchRow

HOSTILE = ('"\n---\nconfigs: []', "../../etc/x.parquet", "\x1b[2J\u202e|`", "🐖 {{ 7*7 }} <script>")
"""Names that no ladder takes: what was entered by another version is written all the same."""
PAGE = Path(__file__).parents[4] / "docs" / "dataset.md"
MODIFIED = 1_000_000_000
PRINTED = "I hold the queen, and my key is 0123456789."


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield found
    found.database.close()


def add(ladder: Ladder, number: int, variant: str = "hearts", logs: Logs | None = None) -> int:
    """Add a match of one deal."""
    seed = bytes([number]) * 32
    return recorded_match(ladder, match_lines(variant, "deals:1", seed=seed), seed.hex(), logs)


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    return [row for part in sorted((folder / table).glob("*.parquet")) for row in pq.read_table(part).to_pylist()]


@pytest.mark.parametrize("variant", PRESETS)
def test_deals_and_decisions_are_those_of_the_record_with_what_each_seat_knew(
    ladder: Ladder, tmp_path: Path, variant: str
) -> None:
    lines = match_lines(variant, "boards:1", faulty_seats)
    match = recorded_match(ladder, lines, SEED.hex())
    found = export_dataset(ladder, tmp_path / "set")
    deals = [line for line in lines if isinstance(line, DealLine)]
    decisions = rows(tmp_path / "set", "decisions")
    players = PRESETS[variant].players
    assert found.rows["deals"] == len(deals) * players == len(rows(tmp_path / "set", "deals"))
    assert found.rows["decisions"] == len(decisions) == sum(len(line.steps) for line in deals)
    assert {row["match"] for row in decisions} == {match}
    by_deal = {(row["deal"], row["rotation"], row["seat"]): row for row in rows(tmp_path / "set", "deals")}
    for line in deals:
        for seat, hand in enumerate(line.hands):
            row = by_deal[line.deal + 1, (line.rotation or 0) + 1, seat]
            assert cards(row["hand"]) == set(parse_cards_of(hand))
            assert row["score"] == line.scores[seat]
    for row in decisions:
        held, legal = cards(row["hand"]), cards(row["legal"])
        steps = Steps(PRESETS[variant], Phase[row["kind"].upper()], row["legal"])
        for action in row["actions"]:
            steps.take(action)
        assert steps.answer == parse_action(row["kind"], row["choice"])
        assert legal <= held or row["kind"] == "expose"
        assert not held & cards(row["played"])
        if row["kind"] == "play":
            card = Card.parse(row["choice"])
            assert card in legal
            assert (row["by"] == "forced") == (len(legal) == 1)
            assert set(row["table"]) <= cards(row["played"])
            assert len(row["table"]) < players


def cards(mask: int) -> set[Card]:
    return {Card(number) for number in range(52) if mask >> number & 1}


def parse_cards_of(hand: str) -> list[Card]:
    mask = parse_cards(hand.split())
    return sorted(cards(mask))


def test_only_what_is_missing_is_written_and_what_a_killed_export_left_is_written_again(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "PART_MATCHES", 2)
    folder = tmp_path / "set"
    first = [add(ladder, number) for number in range(3)]
    assert export_dataset(ladder, folder, "CC-BY-4.0").rows["matches"] == 3
    parts = sorted(folder.glob("decisions/*.parquet"))
    assert len(parts) == 2
    for part in parts:
        os.utime(part, (MODIFIED, MODIFIED))
    add(ladder, 9, "gongzhu")
    found = export_dataset(ladder, folder)
    assert (found.rows["matches"], found.licence) == (4, "CC-BY-4.0")
    assert [part.stat().st_mtime for part in parts] == [MODIFIED, MODIFIED]
    (folder / "matches" / f"{first[2]:09}-{first[2]:09}.parquet").unlink()  # as if it had been killed before
    (folder / "matches" / f"{first[2] + 1:09}-{first[2] + 1:09}.parquet").unlink()
    more = add(ladder, 10)
    again = export_dataset(ladder, folder)
    assert again.rows["matches"] == 5
    for table in ("matches", "seats", "deals", "decisions"):
        numbers = [row["match"] for row in rows(folder, table)]
        assert set(numbers) == {*first, first[-1] + 1, more}
        assert len(numbers) == again.rows[table]
    assert (again.rows["seats"], again.rows["deals"]) == (20, 20)


def test_an_export_that_is_killed_while_it_hashes_leaves_a_whole_data_set(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "set"
    add(ladder, 1)
    before = export_dataset(ladder, folder)
    add(ladder, 2, "gongzhu")

    def be_killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(exporting, "sha256", be_killed)
        with pytest.raises(KeyboardInterrupt):
            export_dataset(ladder, folder)
    assert DatasetManifest.model_validate_json((folder / "manifest.json").read_bytes()) == before
    for each in before.files:
        assert hashlib.sha256((folder / each.name).read_bytes()).hexdigest() == each.sha256, each.name
    for table in ("versions", "ratings"):
        assert len(rows(folder, table)) == before.rows[table]
    after = export_dataset(ladder, folder)
    assert len(rows(folder, "ratings")) == after.rows["ratings"] > before.rows["ratings"]


def test_files_that_change_are_replaced_right_after_each_other_at_the_end(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "set"
    replace, digest = os.replace, hashlib.file_digest
    steps: list[str] = []

    def replacing(source: Path, target: Path) -> None:
        steps.append(str(target.relative_to(folder)))
        replace(source, target)

    def hashing(file: Any, name: str) -> Any:
        steps.append("hash")
        return digest(file, name)

    export_dataset(ladder, folder)
    monkeypatch.setattr(os, "replace", replacing)
    monkeypatch.setattr(hashlib, "file_digest", hashing)
    export_dataset(ladder, folder)
    assert steps == ["hash", "hash", "versions/all.parquet", "ratings/all.parquet", CARD, MANIFEST]


def test_a_folder_that_is_being_written_is_refused_and_keeps_what_the_other_export_has_written(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "set"
    match = add(ladder, 1)

    def meanwhile(row: MatchRow) -> Iterator[Row]:
        monkeypatch.setattr(exporting, "seat_rows", seat_rows)
        before = sorted(folder.glob("*/*.parquet"))
        assert {path.parent.name for path in before} == {"deals", "decisions"}
        with pytest.raises(UserError, match=r"/set' is being written"):
            export_dataset(ladder, folder, "other")
        assert sorted(folder.glob("*/*.parquet")) == before
        return seat_rows(row)

    monkeypatch.setattr(exporting, "seat_rows", meanwhile)
    first = export_dataset(ladder, folder, "CC-BY-4.0")
    assert (first.rows["matches"], first.rows["deals"]) == (1, 4)
    assert [row["match"] for row in rows(folder, "seats")] == [match] * 4
    assert exporting.LOCK not in {each.name for each in first.files}
    assert export_dataset(ladder, folder).licence == "CC-BY-4.0"


def test_files_are_named_with_size_and_hash(ladder: Ladder, tmp_path: Path) -> None:
    add(ladder, 1)
    found = export_dataset(ladder, tmp_path / "set")
    assert {each.name.partition("/")[0] for each in found.files} == set(COLUMNS)
    for each in found.files:
        content = (tmp_path / "set" / each.name).read_bytes()
        assert (each.bytes, each.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        assert pq.read_schema(tmp_path / "set" / each.name).equals(schema(each.name.partition("/")[0]))
    assert json.loads((tmp_path / "set" / "manifest.json").read_bytes())["rows"] == found.rows


def test_no_private_byte_is_in_it(ladder: Ladder, tmp_path: Path) -> None:
    add(ladder, 1, logs={0: (PRINTED, "", "", "")})
    add_person(ladder, "ada")
    secret = token_of(ladder, "ada")
    with ladder.database.write() as session:
        version = session.get_one(models.Version, 1)
        version.source, version.pinned = "/home/ada/secret-folder", "registry.example/private"
    found = export_dataset(ladder, tmp_path / "set")
    texts = b"".join(
        repr(pq.read_table(tmp_path / "set" / each.name).to_pylist()).encode() for each in found.files
    ) + b"".join(path.read_bytes() for path in (tmp_path / "set").rglob("*") if path.is_file())
    assert b"Trotter" in texts
    for private in (PRINTED, secret, "secret-folder", "registry.example", str(tmp_path)):
        assert private.encode() not in texts


def test_a_sealed_match_is_in_it_once_it_is_shown(ladder: Ladder, tmp_path: Path) -> None:
    started_cup(ladder, file=FILE.format(show="manual"))
    play(coordinator_of(ladder, Time()), 1, own_ways, at_once=2)
    assert export_dataset(ladder, tmp_path / "set").rows["matches"] == 0
    holding.release(ladder, LOCAL, "cup")
    assert export_dataset(ladder, tmp_path / "set").rows["matches"] == 1


def test_a_match_has_the_season_whose_ratings_it_moved_and_those_of_events_have_none(
    ladder: Ladder, tmp_path: Path
) -> None:
    first, other = add(ladder, 1), add(ladder, 2, "gongzhu")
    new_season(ladder, LOCAL, "hearts", "autumn")
    export_dataset(ladder, tmp_path / "set")
    second = add(ladder, 3)
    new_season(ladder, LOCAL, "hearts", "winter")
    third = add(ladder, 4)
    started_cup(ladder)
    of_events = [task.match for task in play(coordinator_of(ladder, Time()), 1, own_ways, at_once=2)]
    for folder in ("set", "anew"):
        export_dataset(ladder, tmp_path / folder)
        found = {row["match"]: row["season"] for row in rows(tmp_path / folder, "matches")}
        assert found == {first: "1", other: "1", second: "autumn", third: "winter"} | dict.fromkeys(of_events)
        now = {(row["variant"], row["season"]) for row in rows(tmp_path / folder, "ratings")}
        assert now == {("hearts", "winter"), ("gongzhu", "1")}


def test_a_folder_that_is_no_data_set_stays_as_it_is(ladder: Ladder, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear Ada")
    with pytest.raises(UserError, match=r"no data set .* folder"):
        export_dataset(ladder, tmp_path / "mine")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="no data set of"):
        export_dataset(ladder, tmp_path / "file")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_it_is_read_part_by_part(ladder: Ladder, tmp_path: Path, library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "PART_MATCHES", 1)
    for number in range(2):
        add(ladder, number)
    export_dataset(ladder, tmp_path / "set")
    frames = list(pigpen_arena.load(tmp_path / "set", "decisions", ["bot", "choice"], library))
    assert [frame.shape for frame in frames] == [(56, 2)] * 2
    newest = pigpen_arena.dataset_parts(tmp_path / "set", "decisions")[1:]
    assert len(list(pigpen_arena.load(tmp_path / "set", "decisions", library=library, parts=newest))) == 1
    with pytest.raises(UserError, match=r"no table 'cards'. .* matches, "):
        next(pigpen_arena.load(tmp_path / "set", "cards"))
    with pytest.raises(UserError, match=r"no column 'tricks'. .* match, "):
        next(pigpen_arena.load(tmp_path / "set", "deals", ["tricks"]))
    with pytest.raises(UserError, match=r"data set.*pigpen ladder export "):
        next(pigpen_arena.load(tmp_path, "deals"))


def test_all_columns_are_explained_on_their_page() -> None:
    from tests.e2e.command import ROOT

    page = (ROOT / "docs" / "dataset.md").read_text()
    for table, columns in COLUMNS.items():
        assert f"## {table}" in page
        for name, (kind, words) in columns.items():
            assert f"| `{name}` | {type_name(kind)} | {words} |" in page, (table, name)


def lose(path: Path, harm: str) -> None:
    """Do to a file what disks and people do."""
    content = path.read_bytes()
    if harm == "missing":
        path.unlink()
    elif harm == "a byte":
        path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    else:
        path.write_bytes({"cut off": content[:-10], "empty": b"", "zeros": bytes(len(content))}[harm])


def is_whole(folder: Path, manifest: DatasetManifest) -> bool:
    """True if the folder has all that its manifest says, and nothing else that a reader would take for a table's."""
    assert DatasetManifest.model_validate_json((folder / MANIFEST).read_bytes()) == manifest
    files = {str(path.relative_to(folder)): path for path in folder.glob("*/*.parquet")}
    assert {each.name for each in manifest.files} == {*files}
    assert {path.name for path in folder.iterdir()} - {DRAFTS, LOCK} == {*COLUMNS, MANIFEST, CARD}
    return (
        all(
            (len(content), hashlib.sha256(content).hexdigest()) == (each.bytes, each.sha256)
            for each in manifest.files
            if (content := files[each.name].read_bytes())
        )
        and {table: len(rows(folder, table)) for table in COLUMNS} == manifest.rows
    )


@pytest.fixture
def exported(ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data set of two parts."""
    monkeypatch.setattr(exporting, "PART_MATCHES", 2)
    for number in range(3):
        add(ladder, number)
    export_dataset(ladder, tmp_path / "set", "CC0-1.0")
    return tmp_path / "set"


@pytest.mark.parametrize("harm", ["missing", "a byte", "cut off", "empty", "zeros"])
@pytest.mark.parametrize(
    "tables", [*((table,) for table in TABLES), ("matches", "seats"), ("deals", "decisions"), TABLES]
)
def test_a_part_that_is_missing_or_damaged_is_named_and_written_again(
    ladder: Ladder, exported: Path, tables: tuple[str, ...], harm: str
) -> None:
    before = {table: rows(exported, table) for table in TABLES}
    for table in tables:
        lose(min((exported / table).iterdir()), harm)
    add(ladder, 7)
    sentences: list[str] = []
    manifest = export_dataset(ladder, exported, tell=sentences.append)
    assert is_whole(exported, manifest)
    assert {table: rows(exported, table)[: len(before[table])] for table in TABLES} == before
    assert manifest.rows["matches"] == 4
    (sentence,) = sentences
    assert all(f"{table}/000000001-000000002.parquet" in sentence for table in tables)
    assert export_dataset(ladder, exported, tell=sentences.append).files == manifest.files
    assert len(sentences) == 1


@pytest.mark.parametrize("tables", [("deals",), ("decisions",), ("deals", "decisions"), ("matches", "deals"), TABLES])
def test_a_part_whose_records_are_gone_is_never_left_out_in_silence(
    ladder: Ladder, exported: Path, tables: tuple[str, ...]
) -> None:
    before = (exported / MANIFEST).read_bytes()
    copies = {table: min((exported / table).iterdir()) for table in tables}
    contents = {table: path.read_bytes() for table, path in copies.items()}
    for path in copies.values():
        lose(path, "cut off")
    ladder.files.record(1, 1).write_bytes(b"damaged")
    for number in range(7, 12):  # many others do not outweigh it
        add(ladder, number)
    for _ in range(2):
        with pytest.raises(UserError, match="export into another folder") as refused:
            export_dataset(ladder, exported)
        assert refused.value.exit_code == 2
        assert (exported / MANIFEST).read_bytes() == before
    for table, path in copies.items():
        path.write_bytes(contents[table])
    manifest = export_dataset(ladder, exported)
    assert is_whole(exported, manifest)
    assert manifest.rows["matches"] == 8


@pytest.mark.parametrize("step", range(16))
def test_an_export_that_is_killed_at_any_step_and_harmed_then_is_completed_by_the_next(
    ladder: Ladder, exported: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5, 8):
        add(ladder, number)
    steps = iter(range(1000))

    def replacing(source: Path, target: Path, replace: Any = os.replace) -> None:
        if next(steps) == step:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replacing)
        if step < 12:
            with pytest.raises(KeyboardInterrupt):
                export_dataset(ladder, exported)
        else:  # there are 8 files of 2 parts, and 4 others
            export_dataset(ladder, exported)
    listed = {each.name for each in DatasetManifest.model_validate_json((exported / MANIFEST).read_bytes()).files}
    new = [path for path in exported.glob("*/*-*.parquet") if str(path.relative_to(exported)) not in listed]
    for path in new[-1:]:  # what no manifest names was cut off, too
        lose(path, "cut off")
    manifest = export_dataset(ladder, exported)
    assert is_whole(exported, manifest)
    assert manifest.rows["matches"] == 6


def test_two_exports_that_begin_at_once_make_one_folder(ladder: Ladder, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "set"
    assert exporting._made(folder)
    assert not exporting._made(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["set"]
    add(ladder, 1)
    assert is_whole(folder, export_dataset(ladder, folder))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 3, "rows": 7}', '{"version": 3'])
def test_a_manifest_that_is_damaged_is_refused(ladder: Ladder, exported: Path, text: str) -> None:
    (exported / MANIFEST).write_text(text)
    with pytest.raises(UserError, match="no data set of"):
        export_dataset(ladder, exported)


def test_a_part_that_is_lost_is_named_when_it_is_read(exported: Path) -> None:
    lose(min((exported / "deals").iterdir()), "cut off")
    with pytest.raises(UserError, match=r"deals/0\S+ is missing .*/set'"):
        next(pigpen_arena.load(exported, "deals"))


def test_each_table_is_read_as_one_folder_also_while_an_export_runs(exported: Path) -> None:
    (exported / LOCK).touch()
    assert not (exported / DRAFTS).exists()
    (exported / DRAFTS / "deals").mkdir(parents=True)
    (exported / DRAFTS / "deals" / "000000009-000000009.parquet").write_bytes(b"half")
    counts = DatasetManifest.model_validate_json((exported / MANIFEST).read_bytes()).rows
    for table, count in counts.items():
        assert pyarrow.dataset.dataset(exported / table).count_rows() == count
        assert polars.scan_parquet(exported / table).collect().height == count
        assert polars.scan_parquet(exported / table / "*.parquet").collect().height == count


def test_the_lines_of_the_page_read_what_they_say(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(exported.parent)
    exported.rename("dataset")
    counts = DatasetManifest.model_validate_json(Path("dataset", MANIFEST).read_bytes()).rows
    lines = re.findall(r"(?:pyarrow|polars)[.]\w+[^\n`]*\"dataset[^\n`]*[)]", PAGE.read_text())
    read = [eval(line, {"pyarrow": pyarrow, "polars": polars}) for line in lines]
    table, frame, everything = read
    assert table.count_rows() == frame.collect().height == counts["decisions"]
    assert everything.count_rows() == sum(counts.values())
    with pytest.raises(pyarrow.ArrowInvalid, match=CARD):  # or else the page may say less
        pyarrow.dataset.dataset("dataset").count_rows()


def test_the_data_card_names_each_table_its_columns_and_the_licence(exported: Path) -> None:
    _, head, body = (exported / CARD).read_text().split("---\n", 2)
    card = yaml.safe_load(head)
    assert card["license"] == "cc0-1.0"
    assert {each["config_name"]: each["data_files"] for each in card["configs"]} == {
        table: f"{table}/*.parquet" for table in COLUMNS
    }
    for columns in COLUMNS.values():
        assert all(f"| `{name}` | {type_name(kind)} | {words} |" in body for name, (kind, words) in columns.items())


@pytest.mark.parametrize(
    "words",
    [
        'ours: "yes"\n---\nconfigs: []',
        "!!python/object/apply:os.system [id]",
        "null",
        "\U0001f437 拱猪",
        "{{ 7*7 }} # %",
    ],
)
def test_a_licence_in_other_words_breaks_no_card(ladder: Ladder, tmp_path: Path, words: str) -> None:
    export_dataset(ladder, tmp_path / "set", words)
    card = yaml.safe_load((tmp_path / "set" / CARD).read_text("utf-8").split("---\n")[1])
    assert (card["license"], card["license_name"]) == ("other", " ".join(words.split()))
    assert len(card["configs"]) == len(COLUMNS)


@pytest.mark.parametrize("words", ["\x1b[2J", "a\x7fb", "a\u202eb", "\ufeffMIT", "caf\udce9", "\x00"])
def test_a_licence_that_cannot_be_printed_is_refused_before_anything_is_written(
    ladder: Ladder, tmp_path: Path, words: str
) -> None:
    with pytest.raises(UserError, match=f"U\\+{max(ord(each) for each in words if not each.isprintable()):04X}"):
        export_dataset(ladder, tmp_path / "set", words)
    assert not (tmp_path / "set").exists()


def test_no_name_is_in_the_card_of_a_data_set_or_in_the_names_of_its_files(ladder: Ladder, tmp_path: Path) -> None:
    cards = []
    for number, names in enumerate((("Trotter", "Snout", "Truffle", "Bristle"), HOSTILE)):
        found = ladder if not number else new_ladder(load_settings(data_dir=tmp_path / "hostile", sandbox="process"))
        lines = match_lines("hearts", "deals:1")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tests.ladder.ladders.NAMES", names)
            recorded_match(found, lines, SEED.hex())
        with found.database.write() as session:
            session.get_one(models.Variant, "hearts").season_name = names[0]
            for owner in session.scalars(select(models.Owner)):
                owner.name = f"{names[owner.id % len(names)]}{owner.id}"
        folder = tmp_path / f"set{number}"
        export_dataset(replace(found, clock=lambda: NOW), folder)
        files = [each.name for each in DatasetManifest.model_validate_json((folder / MANIFEST).read_bytes()).files]
        cards.append(((folder / CARD).read_bytes(), files))
        found.database.close()
        assert pq.read_table(folder / "versions")["bot"].to_pylist() == sorted(names)
    assert cards[0] == cards[1]
