"""The gate before what is shared: nothing that looks like a secret gets into a memory unless a person says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lerim.context.disclosure import masked_text
from lerim.context.place import Kept
from lerim.context.records import Draft, Primitive, RecordId
from lerim.errors import MarkdownError
from lerim.service import Lerim

TOLD = "The staging password is Kestrel-4711!"


@pytest.fixture
def lerim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lerim]:
    for name in ("HOME", "LERIM_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    with Lerim() as opened:
        yield opened


def draft(body: str = TOLD, title: str = "Staging") -> Draft:
    return Draft(Primitive.DECISION, title, body)


def text_of(kept: Kept) -> str:
    assert kept.path is not None
    return kept.path.read_text()


def added(lerim: Lerim) -> Kept:
    return lerim.memory.add(draft())


def revised(lerim: Lerim) -> Kept:
    return lerim.memory.revise(lerim.memory.add(draft("nothing yet")), reason="x", body=TOLD)


def imported(lerim: Lerim) -> Kept:
    kept = lerim.memory.add(draft("nothing yet"))
    line = json.loads(lerim.memory.export_lines()[0])
    lerim.memory.import_from(None, [json.dumps({**line, "id": "dec-imported22", "body": TOLD})])
    assert kept
    return lerim.memory.find("dec-imported22")


def synced(lerim: Lerim) -> Kept:
    place = lerim.memory.target()
    with place.change("lerim", "a run") as change:
        record = change.create(draft().record(lerim.house.clock()))
    return Kept(record, place)


@pytest.mark.parametrize("write", [added, revised, imported, synced])
def test_whoever_writes_a_secret_is_masked(lerim: Lerim, write: Callable[[Lerim], Kept]) -> None:
    """By hand, by flag, by import or by a run: neither the record nor its file has it."""
    kept = write(lerim)

    assert "Kestrel" not in kept.record.body + text_of(kept)
    assert "[redacted:password]" in text_of(kept)


def test_the_writer_is_told_where_and_never_what(lerim: Lerim) -> None:
    """A warning names field, line and kind."""
    kept = lerim.memory.add(draft(f"First line.\n{TOLD}"))

    assert [("body", 2, "password")] == [(found.field, found.line, found.kind) for found in kept.masked]
    assert "Kestrel" not in repr(kept.masked)


@pytest.mark.parametrize("name", ["title", "tags", "extra"])
def test_every_part_of_a_record_passes(lerim: Lerim, name: str) -> None:
    """A title, a tag and a key of the person's own are shared as well."""
    token = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    value = {"title": f"Use {token}", "tags": (token.lower(),), "extra": {"db_password": "Kestrel-4711!"}}[name]
    place = lerim.memory.target()
    with place.change("lerim", "x") as change:
        record = change.create(replace(draft("Nothing.").record(lerim.house.clock()), **{name: value}))

    assert token.lower() not in str(getattr(record, name)).lower()
    assert "Kestrel" not in str(getattr(record, name))


def test_a_person_may_keep_it_and_a_run_may_not(lerim: Lerim) -> None:
    """`allow_secret` is a person's word; what a run adds to such a record is still masked."""
    kept = lerim.memory.add(draft(), allow_secret=True)
    with kept.place.change("lerim", "a run") as change:
        record = change.revise(kept.record.id, body=f"{TOLD} The vpn password is Osprey-0815!")

    assert "allow_secret: true" in text_of(kept)
    assert "Kestrel" in record.body
    assert "Osprey" not in record.body


def test_a_persons_file_is_left_as_it_is_and_not_taken_in(lerim: Lerim) -> None:
    """Nothing of it is lost or rewritten; the record keeps its last good version, and the line is named."""
    kept = lerim.memory.add(draft("Nothing yet."))
    assert kept.path is not None
    edited = text_of(kept) + f"\n{TOLD}\n"
    kept.path.write_text(edited)

    found = lerim.memory.find(kept.record.id)
    problems = kept.place.face.problems()

    assert edited == text_of(kept)
    assert "Kestrel" not in found.record.body
    assert [len(edited.splitlines())] == [problem.line for problem in problems]
    assert "allow_secret: true" in problems[0].text


def test_a_persons_word_in_the_file_lets_it_in(lerim: Lerim) -> None:
    """With the line in the frontmatter it is a memory like any other."""
    kept = lerim.memory.add(draft("Nothing yet."))
    assert kept.path is not None
    kept.path.write_text(text_of(kept).replace("---\n\n", f"allow_secret: true\n---\n\n{TOLD}\n"))

    assert "Kestrel" in lerim.memory.find(kept.record.id).record.body
    assert [] == kept.place.face.problems()


def test_a_new_file_with_a_secret_is_no_memory(lerim: Lerim) -> None:
    """What came by hand or by git waits for a person's word."""
    folder = lerim.memory.add(draft("Nothing yet.")).place.folder.root / "decisions"
    (folder / "vpn.md").write_text(f"# VPN\n\n{TOLD}\n")

    assert ["Staging"] == [kept.record.title for kept in lerim.memory.select()]
    assert (folder / "vpn.md").exists()


def test_an_editor_is_told_the_line(lerim: Lerim) -> None:
    """`memory edit` refuses the text before it counts."""
    kept = lerim.memory.add(draft("Nothing yet."))
    before = text_of(kept).encode()

    with pytest.raises(MarkdownError, match="looks like a secret"):
        lerim.memory.replace_text(kept, before, before + f"\n{TOLD}\n".encode())


def test_importing_again_changes_nothing(lerim: Lerim, tmp_path: Path) -> None:
    """What was masked the first time is known the second time."""
    (tmp_path / "notes.md").write_text(f"# Decisions\n\n- Deploy on Tuesdays. {TOLD}\n")
    first = lerim.memory.import_from(tmp_path / "notes.md")
    second = lerim.memory.import_from(tmp_path / "notes.md")

    assert (1, 0) == (len(first.created), len(second.created))
    assert [first.created[0].id] == list(first.masked)


def with_old_secret(lerim: Lerim) -> RecordId:
    """A record from before there was a gate."""
    kept = lerim.memory.add(draft(), allow_secret=True)
    with kept.place.change("person", "x") as change:
        change.revise(kept.record.id, extra={})
        change.tx.run("UPDATE records SET body = ? WHERE id = ?", (TOLD, kept.record.id))
    return kept.record.id


def test_a_scan_finds_what_was_there_before_and_masks_it(lerim: Lerim) -> None:
    """It names the record, the file, the line and the kind; after the fix nothing is left but history."""
    record_id = with_old_secret(lerim)
    lerim.memory.rebuild_files()

    found = lerim.memory.scan()
    fixed = lerim.memory.scan(fix=True)

    assert [(record_id, "password", True)] == [(item.record_id, item.kind, item.is_open) for item in found]
    assert "Kestrel" not in repr(found)
    assert [True] == [item.masked for item in fixed]
    assert [] == lerim.memory.scan()
    assert {record_id} == {item.record_id for item in lerim.memory.scan(versions=True)}


def test_a_scan_finds_a_file_that_was_not_taken_in(lerim: Lerim) -> None:
    """It is a person's to change: the fix leaves it."""
    kept = lerim.memory.add(draft("Nothing yet."))
    assert kept.path is not None
    kept.path.write_text(text_of(kept) + f"\n{TOLD}\n")

    assert [str(kept.path)] == [item.where for item in lerim.memory.scan(fix=True) if item.is_open]
    assert "Kestrel" in text_of(kept)


def test_an_undo_does_not_bring_it_back(lerim: Lerim) -> None:
    """History shows it; the file does not."""
    record_id = with_old_secret(lerim)
    lerim.memory.scan(fix=True)
    lerim.memory.undo()

    assert "Kestrel" not in lerim.memory.find(record_id).record.body


def test_what_stood_there_before_does_not_change_in_passing(lerim: Lerim) -> None:
    """Archiving an old record says nothing about its text."""
    kept = lerim.memory.find(with_old_secret(lerim))

    assert "Kestrel" in lerim.memory.archive(kept, reason="x").record.body


def test_a_text_for_others_is_masked() -> None:
    """What a brief says passes the same rules."""
    assert "Deploy on Tuesdays. The staging password is [redacted:password]" == masked_text(
        f"Deploy on Tuesdays. {TOLD}"
    )


@pytest.mark.parametrize("told", ["the password: **`kestrelnest`**", "**Password:** `kestrelnest`"])
def test_a_word_that_somebody_sets_apart_as_a_password_is_masked(told: str) -> None:
    assert "kestrelnest" not in masked_text(f"Staging: {told}.")
