"""Files and store in step: what people do to files becomes versions, a crash is finished, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lerim.config.scope import Scope, ScopeMode
from lerim.context.face.edits import Reconciled, differences, look_at, read_look
from lerim.context.face.files import MarkdownFace
from lerim.context.face.folder import MemoryFolder
from lerim.context.filters import ANY
from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.projects import Project, Projects
from lerim.context.records import Draft, Kind, Primitive, Record, Status
from lerim.context.recovery import open_local, open_store
from lerim.context.store import ContextStore
from lerim.errors import Conflict, FileDelayed, NotFound
from lerim.storage.database import Database
from lerim.storage.engine import open_database

from ...conftest import examples

LONG_AGO = 1_700_000_000


def add(memory: Memory, title: str = "Use JWT", body: str = "Because.") -> Kept:
    return memory.add(Draft(Primitive.DECISION, title, body))


def file_of(kept: Kept) -> Path:
    path = kept.path
    assert path is not None
    return path


def put(place: Place, path: str, text: str | bytes) -> Path:
    """Write a file as a person or git would."""
    target = place.folder.absolute(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode() if isinstance(text, str) else text)
    return target


def page(record_id: str | None, title: str = "T", *lines: str, body: str = "Body") -> str:
    ids = [f"id: {record_id}"] if record_id else []
    return "\n".join(["---", *ids, f"title: {title}", *lines, "---", "", body, ""])


def edit(path: Path, old: str, new: str) -> bytes:
    """Replace text in a file; the bytes it has then."""
    text = path.read_bytes()
    assert old.encode() in text
    path.write_bytes(text.replace(old.encode(), new.encode()))
    return path.read_bytes()


def fetch(place: Place, record_id: str) -> Record:
    with place.store.read() as snapshot:
        return snapshot.fetch(record_id)


def everything(place: Place) -> list[Record]:
    with place.store.read() as snapshot:
        return snapshot.select(ANY)


def operations(place: Place, record_id: str) -> list[str]:
    with place.store.read() as snapshot:
        return [version.operation for version in snapshot.history(record_id)]


def bodies(place: Place, record_id: str) -> list[str]:
    with place.store.read() as snapshot:
        return [version.record.body for version in snapshot.history(record_id)]


def tree(place: Place) -> dict[str, bytes]:
    root = place.folder.root
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def named(records: list[Record]) -> list[str]:
    return sorted(record.id for record in records)


def problems(done: Reconciled) -> list[tuple[str, int]]:
    return [(problem.path, problem.line) for problem in done.problems]


def settle(place: Place) -> None:
    """Make every file old enough to be trusted by its state, and have it seen so."""
    for path in place.folder.root.rglob("*.md"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    place.face.take_in()


def assert_in_step(place: Place) -> None:
    """Every record that is not archived has its file, every readable file its record, and the two say the same."""
    with place.store.read() as snapshot:
        known, pending = place.face.known(), place.face.unfinished(snapshot)
        spoken = set()
        for path in place.folder.scan().files:
            look = look_at(place.folder, path)
            assert look is not None
            if known[path].problem is None:
                record = snapshot.fetch(str(known[path].record_id))
                assert [] == differences(record, read_look(snapshot, known[path], look)), path
                # A store made from these files alone must say the same.
                assert record.status == read_look(snapshot, None, look).status, path
            spoken.add(known[path].record_id)
        silent = {record.id for record in snapshot.select(ANY) if record.status is not Status.ARCHIVED} - spoken
    assert (set(), []) == (silent, pending)
    assert [] == place.folder.scan().temps


def noted_groups(place: Place) -> int:
    """How many groups of files are known to look as noted."""
    with place.local.read() as local:
        return len(local.rows("SELECT 1 FROM unchanged_files WHERE project_id = ?", (place.project.id,)))


# --- what people do ---------------------------------------------------------------------------------------------------


def test_one_change_among_files_that_stood_for_long_is_seen(memory: Memory, place: Place) -> None:
    """Files that look as they did are not looked up one by one; what happens to one of them is seen all the same."""
    edited, renamed, deleted, *others = [add(memory, f"Memory {number}") for number in range(12)]
    for _ in range(2):
        settle(place)
    assert noted_groups(place)

    edit(file_of(edited), "Because.", "Because it is.")
    file_of(renamed).rename(file_of(renamed).with_name("other-name.md"))
    file_of(deleted).unlink()
    put(place, "decisions/by-hand.md", "# By hand\n\nA note.\n")
    done = place.face.take_in()

    assert [[edited.record.id], [renamed.record.id], [deleted.record.id]] == [
        named(done.edited),
        named(done.moved),
        named(done.deleted),
    ]
    assert ["By hand"] == [record.title for record in done.added]
    assert {1} == {fetch(place, other.record.id).version for other in others}
    assert_in_step(place)


def test_a_file_that_goes_back_to_an_older_state_is_seen(memory: Memory, place: Place) -> None:
    """As when a copy with its old time is put back in place: what was noted since outweighs how all looked before."""
    kept = add(memory, body="Because one.")
    for _ in range(2):
        settle(place)
    path = file_of(kept)
    edit(path, "Because one.", "Because two.")
    assert [kept.record.id] == named(place.face.take_in().edited)
    os.utime(path, (LONG_AGO + 60, LONG_AGO + 60))
    for _ in range(2):
        place.face.take_in()

    edit(path, "Because two.", "Because one.")
    os.utime(path, (LONG_AGO, LONG_AGO))

    assert [kept.record.id] == named(place.face.take_in().edited)
    assert "Because one." == fetch(place, kept.record.id).body


def test_a_new_file_becomes_a_record(place):
    """A file that came with `git pull` is a memory from the next command on, and keeps its bytes."""
    text = page("dec-aaaaaaaaaa", "From git", "tags: [x]", "confidence: 0.4", "owner: Ada")
    path = put(place, "decisions/from-git.md", text)

    done = place.face.take_in()

    assert ["dec-aaaaaaaaaa"] == named(done.added)
    record = fetch(place, "dec-aaaaaaaaaa")
    assert ("From git", "Body", ("x",), 0.4, {"owner": "Ada"}) == (
        *(record.title, record.body, record.tags),
        *(record.confidence, record.extra),
    )
    assert text.encode() == path.read_bytes()
    assert_in_step(place)


def test_an_edited_file_becomes_a_version(memory, place, clock):
    """What the person replaced stays in the history; who and when is known."""
    kept = add(memory, body="old")
    clock.tick()
    data = edit(file_of(kept), "old", "new")

    done = place.face.take_in()

    assert [kept.record.id] == named(done.edited)
    assert ["old", "new"] == bodies(place, kept.record.id)
    last = memory.history(kept)[-1]
    assert ("edit", "person", clock.now) == (last.operation, last.author, last.at)
    assert data == file_of(kept).read_bytes()
    assert_in_step(place)


@pytest.mark.parametrize("line", ["title: Use JWT", "tags: []", "confidence: 0.8", "source: manual"])
def test_each_line_of_a_file_can_be_edited(memory, place, line):
    """Title, tags, confidence and source are the person's to change."""
    kept = add(memory)
    new = {"title": "title: PASETO", "tags": "tags: [x]", "confidence": "confidence: 0.1", "source": "source: me"}
    edit(file_of(kept), line, new[line.partition(":")[0]])

    done = place.face.take_in()

    assert ([kept.record.id], 2) == (named(done.edited), done.edited[0].version)
    assert_in_step(place)


def test_a_renamed_file_stays_the_same_record(memory, place):
    """The id counts, not the name. No version is made: nothing it says has changed."""
    kept = add(memory)
    new = file_of(kept).rename(place.folder.absolute("decisions/another name.md"))

    done = place.face.take_in()

    assert ([kept.record.id], [], []) == (named(done.moved), done.deleted, done.added)
    assert ["create"] == operations(place, kept.record.id)
    assert new == file_of(kept)
    assert_in_step(place)


def test_a_renamed_and_edited_file_stays_the_same_record(memory, place):
    """`git pull` may do both at once."""
    kept = add(memory, body="old")
    new = file_of(kept).rename(place.folder.absolute("decisions/b.md"))
    edit(new, "old", "new")

    place.face.take_in()

    assert ["old", "new"] == bodies(place, kept.record.id)
    assert_in_step(place)


def test_a_deleted_file_puts_its_record_away(memory, place):
    """Once: the next command has nothing to do, and writes no file."""
    kept = add(memory)
    file_of(kept).unlink()

    done = place.face.take_in()
    again = place.face.take_in()

    assert ([kept.record.id], 0) == (named(done.deleted), again.changes)
    assert (Status.ARCHIVED, ["create", "delete"]) == (
        fetch(place, kept.record.id).status,
        operations(place, kept.record.id),
    )
    assert {} == tree(place)


def test_a_deleted_file_that_comes_back_brings_its_record_back(memory, place):
    """`git checkout` of an older commit and back again loses nothing."""
    kept = add(memory)
    data = file_of(kept).read_bytes()
    file_of(kept).unlink()
    place.face.take_in()
    put(place, "decisions/use-jwt.md", data)

    place.face.take_in()

    assert Status.ACTIVE is fetch(place, kept.record.id).status
    assert data == file_of(kept).read_bytes()
    assert_in_step(place)


def test_a_deleted_record_can_be_restored_without_its_file(memory, place):
    """`restore` writes the file again."""
    kept = add(memory, body="still here")
    file_of(kept).unlink()
    place.face.take_in()

    restored = memory.restore(memory.find(kept.record.id), reason="needed")

    assert b"still here" in file_of(restored).read_bytes()
    assert_in_step(place)


def test_a_pull_is_one_change(memory, place):
    """New, edited, renamed and deleted files are taken in together and can be taken back together."""
    edited, renamed, deleted = (add(memory, title) for title in ("Edited", "Renamed", "Deleted"))
    edit(file_of(edited), "Because.", "New reason.")
    file_of(renamed).rename(place.folder.absolute("decisions/other.md"))
    file_of(deleted).unlink()
    put(place, "decisions/new.md", page("dec-aaaaaaaaaa"))

    done = place.face.take_in()

    assert [["dec-aaaaaaaaaa"], [edited.record.id], [renamed.record.id], [deleted.record.id]] == [
        *(named(done.added), named(done.edited)),
        *(named(done.moved), named(done.deleted)),
    ]
    assert_in_step(place)
    memory.undo()
    assert ["Because.", Status.ACTIVE, Status.ARCHIVED] == [
        fetch(place, edited.record.id).body,
        *(fetch(place, record_id).status for record_id in (deleted.record.id, "dec-aaaaaaaaaa")),
    ]
    assert_in_step(place)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
@pytest.mark.parametrize("text", ["# Use uv\n\nIt is fast.\n", "# Use uv\r\n\r\nFast.\r\n", "Use uv", "Use uv\r\n", ""])
def test_a_file_without_frontmatter_is_adopted(place, text, bom):
    """It gets an id and the rest of its frontmatter; the text under it keeps every byte."""
    path = put(place, "decisions/use-uv.md", bom + text.encode())

    done = place.face.take_in()

    assert ["Use uv" if "#" in text else "use uv"] == [record.title for record in done.added]
    data = path.read_bytes()
    assert (True, True) == (data.startswith(bom + b"---"), data.endswith(text.encode()))
    assert b"\r\n" in data if "\r\n" in text else b"\r" not in data
    assert f"id: {done.added[0].id}" in data.decode()
    assert place.face.take_in().changes == 0
    assert_in_step(place)


def test_a_file_without_an_id_is_adopted(place):
    """What the person wrote stays where it is; the missing lines are put in."""
    path = put(place, "learnings/uv.md", page(None, "Use uv", "# mine", "owner: Ada", "kind: pitfall"))

    done = place.face.take_in()

    (record,) = done.added
    assert (Primitive.LEARNING, Kind.PITFALL, "Use uv") == (record.primitive, record.kind, record.title)
    text = path.read_text()
    assert "title: Use uv\n" in text
    assert "# mine\nowner: Ada\nkind: pitfall\n" in text
    assert_in_step(place)


def test_a_summary_written_by_hand_has_the_time_of_its_folder(place):
    """The folders name the day and the time."""
    put(place, "summaries/20260222/153000/notes.md", "# Notes\n")

    (record,) = place.face.take_in().added

    assert (Primitive.SUMMARY, "2026-02-22", "15:30:00") == (record.primitive, record.date, record.time)
    assert_in_step(place)


def test_reformatting_makes_no_version(memory, place):
    """Quotes, order and comments are not what a memory says."""
    kept = add(memory, body="text")
    path = file_of(kept)
    lines = path.read_text().split("\n")
    lines[1:4] = [f"# hello\nid: '{kept.record.id}'", lines[3], 'title: "Use JWT"']
    path.write_text("\n".join(lines))
    data = path.read_bytes()

    done = place.face.take_in()

    assert (0, ["create"]) == (done.changes, operations(place, kept.record.id))
    assert data == path.read_bytes()
    assert_in_step(place)


def test_a_file_moved_into_archived_is_put_away_and_back_again(memory, place):
    """The folder says it, in both directions."""
    kept = add(memory)
    path = file_of(kept)
    put_away = place.folder.absolute("archived/decisions/use-jwt.md")
    put_away.parent.mkdir(parents=True)

    path.rename(put_away)
    place.face.take_in()
    archived = fetch(place, kept.record.id).status
    assert_in_step(place)
    put_away.rename(path)
    place.face.take_in()

    assert (Status.ARCHIVED, Status.ACTIVE) == (archived, fetch(place, kept.record.id).status)
    assert ["decisions/use-jwt.md"] == list(tree(place))
    assert_in_step(place)


def test_an_archived_file_moved_back_no_longer_says_archived(memory, place):
    """`archive` wrote the status into the file; bringing the file back takes it out, so the next edit keeps it."""
    kept = memory.archive(add(memory), reason="old")
    back = place.folder.absolute("decisions/use-jwt.md")
    file_of(kept).rename(back)
    place.face.take_in()

    assert Status.ACTIVE is fetch(place, kept.record.id).status
    assert "archived" not in back.read_text()
    assert_in_step(place)
    edit(back, "Because.", "Edited.")
    place.face.take_in()
    assert Status.ACTIVE is fetch(place, kept.record.id).status


def test_a_status_typed_into_a_file_moves_it(memory, place):
    """`status: archived` puts it into archived/, removing the line brings it back."""
    kept = add(memory)
    edit(file_of(kept), "tags: []", "tags: []\nstatus: archived")

    place.face.take_in()

    assert ["archived/decisions/use-jwt.md"] == list(tree(place))
    assert_in_step(place)
    edit(file_of(kept), "status: archived", "status: active")
    place.face.take_in()
    assert (Status.ACTIVE, ["decisions/use-jwt.md"]) == (fetch(place, kept.record.id).status, list(tree(place)))
    assert_in_step(place)


def test_files_that_swap_names_keep_their_records(memory, place):
    """Ids decide, even when both names were known."""
    one, two = add(memory, "One"), add(memory, "Two")
    first, second = file_of(one), file_of(two)
    first.rename(first.with_suffix(".x"))
    second.rename(first)
    first.with_suffix(".x").rename(second)

    done = place.face.take_in()

    assert ([], []) == (done.deleted, done.problems)
    assert (second, first) == (file_of(one), file_of(two))
    assert_in_step(place)


def test_an_edit_of_same_size_and_time_is_noticed_within_two_seconds(memory, place):
    """File systems count in steps of up to two seconds; a young file is read again."""
    kept = add(memory, body="aaaa")
    path = file_of(kept)
    place.face.take_in()
    state = path.stat()
    with path.open("r+b") as file:
        file.write(path.read_bytes().replace(b"aaaa", b"bbbb"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

    place.face.take_in()

    assert "bbbb" == fetch(place, kept.record.id).body


def test_an_unchanged_folder_costs_no_write(memory, place):
    """A command that finds nothing new leaves the database alone."""
    for title in ("One", "Two"):
        add(memory, title)
    settle(place)
    written: list[str] = []

    done = interrupted(place, "write", lambda: written.append("store")).take_in()

    assert (0, []) == (done.changes, written)


def test_a_file_that_was_only_touched_makes_no_version(memory, place):
    """Same bytes under a new time: the new state is noted, once."""
    kept = add(memory)
    settle(place)
    os.utime(file_of(kept), (LONG_AGO + 5, LONG_AGO + 5))

    assert 0 == place.face.take_in().changes
    assert ["create"] == operations(place, kept.record.id)


def test_a_record_whose_file_now_speaks_for_another_is_put_away(memory, place):
    """Typing another id into a file is deleting one memory and writing another; none is left without a file."""
    kept = add(memory)
    edit(file_of(kept), kept.record.id, "dec-zzzzzzzzzz")

    place.face.take_in()

    assert (Status.ARCHIVED, Status.ACTIVE) == (
        fetch(place, kept.record.id).status,
        fetch(place, "dec-zzzzzzzzzz").status,
    )
    assert_in_step(place)


def test_a_known_file_that_loses_its_frontmatter_leaves_no_record_without_a_file(memory, place):
    """Some editors and agents write the text again and forget the header."""
    kept = add(memory, body="old")
    file_of(kept).write_text("# Use JWT\n\nnew\n")

    place.face.take_in()

    assert ["# Use JWT\n\nnew"] == [record.body for record in everything(place) if record.holds]
    assert_in_step(place)


# --- copies -----------------------------------------------------------------------------------------------------------


def test_a_copy_is_reported_and_left_as_it_is(memory, place):
    """Two files cannot be one memory; the message says how to make the copy a memory of its own, and that works."""
    kept = add(memory)
    copy = Path(shutil.copy(file_of(kept), place.folder.absolute("decisions/copy.md")))
    data = copy.read_bytes()

    done = place.face.take_in()

    assert [("decisions/copy.md", 2)] == problems(done)
    assert "decisions/use-jwt.md" in done.problems[0].text
    assert data == copy.read_bytes()
    assert 1 == len(everything(place))
    edit(copy, f"id: {kept.record.id}\n", "")
    fixed = place.face.take_in()
    assert ([], 1, 2) == (fixed.problems, len(fixed.added), len(everything(place)))
    assert_in_step(place)


def test_a_copy_takes_over_when_the_original_goes(memory, place):
    """Copy, look, delete the old one: a rename in three steps."""
    kept = add(memory)
    copy = Path(shutil.copy(file_of(kept), place.folder.absolute("decisions/copy.md")))
    settle(place)
    file_of(kept).unlink()

    done = place.face.take_in()

    assert ([], Status.ACTIVE) == (problems(done), fetch(place, kept.record.id).status)
    assert copy == file_of(kept)
    assert_in_step(place)


def test_a_copy_is_reported_at_once_even_when_names_were_swapped(memory, place):
    """The file that is refused lies where another record's file lay; that record's new place does not hide it."""
    one, two = add(memory, "One"), add(memory, "Two")
    first, second = file_of(one), file_of(two)
    shutil.copy(second, place.folder.absolute("decisions/a-copy.md"))
    one_data, two_data = first.read_bytes(), second.read_bytes()
    first.write_bytes(two_data)
    second.write_bytes(one_data)

    done = place.face.take_in()

    assert 1 == len(problems(done))
    assert problems(done) == problems(place.face.take_in())
    assert_in_step(place)


def test_of_two_new_files_with_one_id_the_first_is_taken(place):
    """By name, so that it is the same one on every machine."""
    put(place, "decisions/a.md", page("dec-aaaaaaaaaa", "A"))
    put(place, "decisions/b.md", page("dec-aaaaaaaaaa", "B"))

    done = place.face.take_in()

    assert (["dec-aaaaaaaaaa"], [("decisions/b.md", 2)]) == (named(done.added), problems(done))
    assert "A" == fetch(place, "dec-aaaaaaaaaa").title
    assert_in_step(place)


def test_titles_that_share_a_slug_get_files_of_their_own(memory, place):
    """Nothing is ever written over because two names look alike."""
    first, second, third = (add(memory, title) for title in ("Use JWT", "use jwt!", "Use: JWT"))

    assert [f"decisions/use-jwt{end}.md" for end in ("", "-2", "-3")] == [
        str(file_of(kept).relative_to(place.folder.root)) for kept in (first, second, third)
    ]
    assert_in_step(place)


def test_a_new_record_does_not_take_the_name_of_a_file_not_yet_taken_in(memory, place):
    """A person's file that no command has seen yet is in nobody's way."""
    target = memory.target()
    path = put(place, "decisions/use-jwt.md", "mine")

    with target.change("person", "added by hand") as change:
        kept = Kept(change.create(Draft(Primitive.DECISION, "Use JWT").record(change.now)), target)

    assert "use-jwt-2.md" == file_of(kept).name
    assert b"mine" == path.read_bytes()


# --- files that cannot be taken in ------------------------------------------------------------------------------------

BROKEN = {
    "conflict": (page("dec-bbbbbbbbbb", "T", "<<<<<<< HEAD", "tags: []", "=======", "tags: [x]", ">>>>>>> x"), 4),
    "broken yaml": (page("dec-bbbbbbbbbb", "T", "mine: ]"), 4),
    "no closing fence": ("---\nid: dec-bbbbbbbbbb\n", 1),
    "binary": (b"---\nid: dec-bbbbbbbbbb\n\0\n---\n", 3),
    "latin-1": (page("dec-bbbbbbbbbb", "Größe").encode("latin-1"), 3),
    "too large": (page("dec-bbbbbbbbbb", body="x" * 10_000_000), 1),
    "confidence": (page("dec-bbbbbbbbbb", "T", "confidence: 7"), 4),
    "another primitive": (page("lrn-bbbbbbbbbb"), 2),
    "bad id": (page("dec-"), 2),
    "id is a list": (page("[dec-bbbbbbbbbb]"), 2),
    "nowhere": (page("dec-bbbbbbbbbb", "T", "superseded_by: dec-nowhere234"), 4),
    "itself": (page("dec-bbbbbbbbbb", "T", "superseded_by: dec-bbbbbbbbbb"), 4),
    "status": (page("dec-bbbbbbbbbb", "T", "status: superseded"), 4),
    "date as key": (page("dec-bbbbbbbbbb", "T", "mine: {2026-01-01: x}"), 4),
    "huge number": (page("dec-bbbbbbbbbb", "T", "confidence: 1" + "0" * 400), 4),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_stops_nobody(place, name):
    """It is named with its line and left alone, the rest is taken in, and once it is fixed so is it."""
    data, line = BROKEN[name]
    path = put(place, "decisions/broken.md", data)
    before = path.read_bytes()
    put(place, "decisions/sound.md", page("dec-aaaaaaaaaa"))

    done = place.face.take_in()
    again = place.face.take_in()

    if name != "date as key":  # read as text or refused: either will do
        assert [("decisions/broken.md", line)] == problems(done) == problems(again)
        assert before == path.read_bytes()
    assert "dec-aaaaaaaaaa" in named(done.added)
    assert_in_step(place)
    put(place, "decisions/broken.md", page("dec-bbbbbbbbbb", "Fixed"))
    assert [] == problems(place.face.take_in())
    assert "Fixed" == fetch(place, "dec-bbbbbbbbbb").title
    assert_in_step(place)


def test_an_unknown_kind_is_reported_at_its_line(place):
    """Learnings come in five kinds."""
    put(place, "learnings/x.md", page("lrn-bbbbbbbbbb", "T", "kind: wisdom"))

    done = place.face.take_in()

    assert [("learnings/x.md", 4)] == problems(done)
    assert "insight, procedure" in done.problems[0].text


def test_a_file_name_that_is_no_text_stops_nobody(place):
    """Linux allows any bytes in a name; the database does not."""
    os.makedirs(place.folder.absolute("decisions"))
    raw = os.fsencode(place.folder.absolute("decisions")) + b"/caf\xe9.md"
    with open(raw, "wb") as file:
        file.write(b"x")
    put(place, "decisions/sound.md", page("dec-aaaaaaaaaa"))

    done = place.face.take_in()

    assert ["dec-aaaaaaaaaa"] == [record.id for record in everything(place)]
    assert 1 == len(done.problems)
    done.problems[0].path.encode()


def test_links_are_reported_and_not_read(place, tmp_path):
    """What lies elsewhere is not ours to read."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text(page("dec-aaaaaaaaaa"))
    place.folder.absolute("decisions").mkdir(parents=True)
    place.folder.absolute("decisions/x.md").symlink_to(outside / "x.md")
    place.folder.absolute("learnings").symlink_to(outside)

    done = place.face.take_in()

    assert [("decisions/x.md", 1), ("learnings", 1)] == problems(done)
    assert [] == everything(place)


def test_a_circle_of_replacements_is_refused_and_the_rest_taken(place):
    """`superseded_by` never forms a cycle, whoever writes it."""
    put(place, "decisions/a.md", page("dec-aaaaaaaaaa", "A", "superseded_by: dec-bbbbbbbbbb"))
    put(place, "decisions/b.md", page("dec-bbbbbbbbbb", "B", "superseded_by: dec-aaaaaaaaaa"))
    put(place, "decisions/c.md", page("dec-cccccccccc", "C"))

    done = place.face.take_in()

    assert {("decisions/a.md", 4), ("decisions/b.md", 4)} >= set(problems(done))
    assert done.problems
    assert "dec-cccccccccc" in named(done.added)
    with place.store.read() as snapshot:
        for record in snapshot.select(ANY):
            assert snapshot.current(record.id)
    assert_in_step(place)


def test_a_circle_closed_by_an_edit_is_refused(memory, place):
    """The record it spoke for keeps its last good version."""
    old, new = add(memory, "Old"), add(memory, "New")
    memory.supersede(old, new, reason="newer")
    edit(file_of(new), "tags: []", f"tags: []\nsuperseded_by: {old.record.id}")

    done = place.face.take_in()

    assert [("decisions/new.md", 9)] == problems(done)
    assert fetch(place, new.record.id) == memory.current(memory.find(old.record.id)).record


def test_a_replacement_may_come_in_the_same_pull(place):
    """Whichever file is read first."""
    put(place, "decisions/a.md", page("dec-aaaaaaaaaa", "A", "superseded_by: dec-bbbbbbbbbb"))
    put(place, "decisions/b.md", page("dec-bbbbbbbbbb", "B"))

    done = place.face.take_in()

    assert [] == done.problems
    assert Status.SUPERSEDED is fetch(place, "dec-aaaaaaaaaa").status
    with place.store.read() as snapshot:
        assert "dec-bbbbbbbbbb" == snapshot.current("dec-aaaaaaaaaa").id
    assert_in_step(place)


def test_a_replacement_may_come_in_a_later_pull(place):
    """The file that named it was waiting for it, and needs no touch to be looked at again."""
    put(place, "decisions/a.md", page("dec-aaaaaaaaaa", "A", "superseded_by: dec-bbbbbbbbbb"))
    settle(place)
    put(place, "decisions/b.md", page("dec-bbbbbbbbbb", "B"))

    place.face.take_in()
    done = place.face.take_in()

    assert [] == done.problems
    assert Status.SUPERSEDED is fetch(place, "dec-aaaaaaaaaa").status
    assert_in_step(place)


@pytest.mark.parametrize("operation", ["revise", "archive", "supersede", "undo"])
def test_a_record_whose_file_is_broken_is_not_changed(memory, place, operation):
    """Whatever the machine wants, the person's half-done edit comes first."""
    kept, other = add(memory), add(memory, "Other")
    memory.revise(kept, reason="x", body="second")
    edit(file_of(kept), "tags: []", "tags: ]")
    data, done = file_of(kept).read_bytes(), place.face.take_in()
    assert [("decisions/use-jwt.md", 8)] == problems(done)
    before = operations(place, kept.record.id)

    with pytest.raises(Conflict) as caught:
        match operation:
            case "revise":
                memory.revise(kept, reason="x", title="Another")
            case "archive":
                memory.archive(kept, reason="x")
            case "supersede":
                memory.supersede(kept, other, reason="x")
            case "undo":
                memory.undo()

    assert f"{file_of(kept)}:8: " in caught.value.message
    assert caught.value.hint is not None
    assert (before, data) == (operations(place, kept.record.id), file_of(kept).read_bytes())
    assert [] == place.folder.scan().temps


def test_a_change_of_several_records_is_refused_whole_when_one_file_is_broken(memory, place):
    """All or nothing, in both faces."""
    sound, broken = add(memory, "Sound"), add(memory, "Broken")
    edit(file_of(broken), "tags: []", "tags: ]")
    place.face.take_in()
    before = tree(place)

    with pytest.raises(Conflict), place.change("lerim", "both") as change:
        change.revise(sound.record.id, body="new")
        change.revise(broken.record.id, body="new")

    assert (before, ["create"]) == (tree(place), operations(place, sound.record.id))


# --- folders that go --------------------------------------------------------------------------------------------------


def test_a_removed_memory_folder_comes_back(memory, place):
    """`git clean` and a careless `rm` take whole folders; that says nothing about any memory."""
    one, two = add(memory, "One"), add(memory, "Two")
    memory.archive(two, reason="old")
    before = tree(place)
    shutil.rmtree(place.folder.root.parent)

    done = place.face.take_in()

    assert (2, 0) == (done.rewritten, done.changes)
    assert before == tree(place)
    assert Status.ACTIVE is fetch(place, one.record.id).status
    assert_in_step(place)


def test_a_removed_project_archives_nothing(memory, place, project_root):
    """The project itself has moved or gone: it is not ours to bring back, and its memory stays as it was."""
    kept = add(memory)
    shutil.rmtree(project_root)

    done = place.face.take_in()

    assert (0, Status.ACTIVE) == (done.changes, fetch(place, kept.record.id).status)
    assert not project_root.exists()


def test_the_files_can_be_made_from_the_store(memory, place):
    """A broken file is kept beside the one written for it, under a name no walk takes for a memory."""
    kept, sound = add(memory, body="good"), add(memory, "Sound")
    data = edit(file_of(kept), "tags: []", "tags: ]")
    untouched = file_of(sound).read_bytes()
    place.face.take_in()

    assert 2 == place.face.rewrite()

    assert data == place.folder.absolute("decisions/use-jwt.md.bak").read_bytes()
    assert b"good" in file_of(kept).read_bytes()
    assert untouched == file_of(sound).read_bytes()
    assert [] == place.face.take_in().problems
    assert_in_step(place)


def test_files_are_set_aside_under_ever_new_names(memory, place):
    """An older `.bak` is not written over."""
    kept = add(memory)
    for _ in range(2):
        edit(file_of(kept), "tags: []", "tags: ]")
        place.face.take_in()
        place.face.rewrite()

    assert ["use-jwt.md", "use-jwt.md.bak", "use-jwt.md.bak2"] == sorted(os.listdir(file_of(kept).parent))


def test_the_store_can_be_made_from_the_files(memory, place, tmp_path, project_root, clock):
    """A new database that reads the same folder has the same current memories."""
    old, new, away = add(memory, "Old"), add(memory, "New"), add(memory, "Away")
    memory.supersede(old, new, reason="newer")
    memory.archive(away, reason="unused")
    expected = {record.id: replace(record, version=1, evidence=()) for record in everything(place)}
    before = tree(place)
    with closing(open_database(tmp_path / "second.sqlite3", "context")) as second:
        with second.write() as tx:
            tx.run("INSERT INTO projects (id, root, name, created) VALUES ('prj-2', ?, 'x', '')", (str(project_root),))
        again = Place(Project("prj-2", project_root, "x"), second, place.local, place.folder.root, clock)

        again.face.take_in()

        assert expected == {record.id: record for record in everything(again)}
        assert before == tree(again)
        assert_in_step(again)


# --- crashes between the two faces ------------------------------------------------------------------------------------


def prepare(place: Place, operation: Callable[..., object]) -> None:
    """Commit a change and lay its files beside their places, then die."""
    with place.store.change("lerim", "sync") as change:
        operation(change)
        place.face.prepare(change)


def temps(place: Place) -> list[Path]:
    return [place.folder.absolute(temp) for temp in place.folder.scan().temps]


def test_a_prepared_file_is_put_in_place_by_the_next_command(memory, place):
    """The change was committed; its file follows."""
    kept = add(memory, body="old")
    prepare(place, lambda change: change.revise(kept.record.id, body="new"))
    assert b"old" in file_of(kept).read_bytes()

    place.face.take_in()

    assert b"new" in file_of(kept).read_bytes()
    assert ["old", "new"] == bodies(place, kept.record.id)
    assert_in_step(place)


def test_a_prepared_file_that_was_lost_is_made_again(memory, place):
    """The record is the truth; the file beside the place was only its picture."""
    kept = add(memory, body="old")
    prepare(place, lambda change: change.revise(kept.record.id, body="new"))
    temps(place)[0].unlink()

    place.face.take_in()

    assert b"new" in file_of(kept).read_bytes()
    assert_in_step(place)


def test_a_file_put_in_place_but_not_noted_makes_no_version(memory, place):
    """It is what the store wanted it to be."""
    kept = add(memory, body="old")
    prepare(place, lambda change: change.revise(kept.record.id, body="new"))
    temps(place)[0].replace(file_of(kept))

    place.face.take_in()

    assert ["create", "revise"] == operations(place, kept.record.id)
    assert_in_step(place)


@pytest.mark.parametrize("step", ["prepared", "linked", "unlinked", "removed"])
def test_a_crash_while_a_file_moves_leaves_one_file(memory, place, step):
    """Archiving writes the new file, then removes the old; the next command does whatever is left."""
    kept = add(memory)
    old, new = file_of(kept), place.folder.absolute("archived/decisions/use-jwt.md")
    prepare(place, lambda change: change.archive(kept.record.id))
    (temp,) = temps(place)
    if step != "prepared":
        os.link(temp, new)
    if step in {"unlinked", "removed"}:
        temp.unlink()
    if step == "removed":
        old.unlink()

    done = place.face.take_in()

    assert ([], ["create", "archive"]) == (done.problems, operations(place, kept.record.id))
    assert ["archived/decisions/use-jwt.md"] == list(tree(place))
    assert_in_step(place)


@pytest.mark.parametrize("step", ["prepared", "linked", "unlinked"])
def test_a_crash_while_a_new_file_is_written_leaves_one_file(memory, place, step):
    """A record that was created has its file after the next command, and only one."""
    record = Draft(Primitive.DECISION, "New", "text").record(datetime(2026, 2, 20, tzinfo=UTC))
    prepare(place, lambda change: change.create(record))
    (temp,) = temps(place)
    if step != "prepared":
        os.link(temp, place.folder.absolute("decisions/new.md"))
    if step == "unlinked":
        temp.unlink()

    done = place.face.take_in()

    assert ([], ["create"]) == (done.problems, operations(place, record.id))
    assert ["decisions/new.md"] == list(tree(place))
    assert_in_step(place)


def test_a_persons_file_that_took_a_pending_name_stays(memory, place):
    """The machine's file gets another name."""
    record = Draft(Primitive.DECISION, "New", "machine").record(datetime(2026, 2, 20, tzinfo=UTC))
    prepare(place, lambda change: change.create(record))
    put(place, "decisions/new.md", page("dec-aaaaaaaaaa", body="person"))

    done = place.face.take_in()

    files = tree(place)
    assert ([], ["decisions/new-2.md", "decisions/new.md"]) == (done.problems, list(files))
    assert b"person" in files["decisions/new.md"]
    assert b"machine" in files["decisions/new-2.md"]
    assert_in_step(place)


@pytest.mark.parametrize("operation", ["revise", "archive", "undo"])
def test_a_persons_edit_wins_over_a_pending_write(memory, place, clock, operation):
    """The file stays as the person made it, and what the machine had written stays in the history."""
    kept = memory.revise(add(memory, body="first"), reason="x", body="second")
    clock.tick()

    def machine(change):
        match operation:
            case "revise":
                change.revise(kept.record.id, body="machine")
            case "archive":
                change.archive(kept.record.id)
            case "undo":
                change.undo([change.last_change()])

    prepare(place, machine)
    data = edit(file_of(kept), "second", "person")

    place.face.take_in()

    record = fetch(place, kept.record.id)
    assert ("person", Status.ACTIVE, 4) == (record.body, record.status, record.version)
    machines = {"revise": "machine", "archive": "second", "undo": "first"}
    assert ["first", "second", machines[operation], "person"] == bodies(place, kept.record.id)
    assert data == file_of(kept).read_bytes()
    assert ["decisions/use-jwt.md"] == list(tree(place))
    assert_in_step(place)


def test_a_persons_edit_between_commit_and_file_wins(memory, place):
    """`publish` finds the file changed under it: it leaves it for the next command."""
    kept = add(memory, body="first")
    prepare(place, lambda change: change.revise(kept.record.id, body="machine"))
    data = edit(file_of(kept), "first", "person")

    place.face.publish()

    assert data == file_of(kept).read_bytes()
    place.face.take_in()
    assert ["first", "machine", "person"] == bodies(place, kept.record.id)
    assert_in_step(place)


def test_a_broken_edit_over_a_pending_write_keeps_both(memory, place):
    """The file is left as it is and reported; the machine's version is in the store."""
    kept = add(memory, body="first")
    prepare(place, lambda change: change.revise(kept.record.id, body="machine"))
    data = edit(file_of(kept), "tags: []", "tags: ]")

    done = place.face.take_in()

    assert (data, [("decisions/use-jwt.md", 8)]) == (file_of(kept).read_bytes(), problems(done))
    assert "machine" == fetch(place, kept.record.id).body


def test_leftovers_of_a_crash_are_swept(memory, place):
    """A file prepared for a change that was never committed belongs to nobody."""
    kept = add(memory)
    put(place, f"decisions/.lerim-{kept.record.id}-2.tmp", "half")
    put(place, "decisions/.lerim-dec-gone234567-1.tmp", "half")

    place.face.take_in()

    assert ["decisions/use-jwt.md"] == list(tree(place))


def test_a_change_that_fails_leaves_nothing_behind(memory, place):
    """An exception inside a change undoes it in both faces."""
    kept = add(memory)
    before = tree(place)

    with pytest.raises(RuntimeError), place.change("lerim", "x") as change:
        change.revise(kept.record.id, body="new")
        place.face.prepare(change)
        raise RuntimeError

    place.face.take_in()
    assert (before, ["create"]) == (tree(place), operations(place, kept.record.id))


def test_a_file_that_cannot_be_put_in_place_is_kept_and_tried_again(memory, place):
    """The memory is safe in the store; the error says so, and the next command finishes."""
    place.face.take_in()
    record = Draft(Primitive.DECISION, "New", "text").record(datetime(2026, 2, 20, tzinfo=UTC))
    prepare(place, lambda change: change.create(record))
    decisions, aside = place.folder.absolute("decisions"), place.folder.absolute("aside")
    decisions.rename(aside)
    decisions.write_text("in the way")

    with pytest.raises(FileDelayed) as caught:
        place.face.publish()
    reported = place.face.take_in().problems

    assert (3, True) == (caught.value.exit_code, "kept in the store" in caught.value.message)
    assert 1 == len(reported)
    decisions.unlink()
    aside.rename(decisions)
    assert [] == place.face.take_in().problems
    assert ["decisions/new.md"] == list(tree(place))
    assert_in_step(place)


# --- what this machine notes can be lost ------------------------------------------------------------------------------


def lose_notes(place: Place) -> None:
    """As when the local database was deleted."""
    with place.local.write() as local:
        for table in ("files", "followed"):
            local.run(f"DELETE FROM {table}")


def standing(place: Place) -> tuple[object, ...]:
    """All versions of all records, and all bytes and times of all files."""
    files = {path: place.folder.state(path) for path in tree(place)}
    with place.store.read() as snapshot:
        return {r.id: [v.record for v in snapshot.history(r.id)] for r in snapshot.select(ANY)}, tree(place), files


def test_lost_notes_come_back_by_themselves(memory, place):
    """No new version, no second record, no file written again; and what people do next is noticed."""
    plain, renamed, away, gone, taken_back = (add(memory, title) for title in ("One", "Two", "Three", "Four", "Five"))
    memory.archive(away, reason="old")
    memory.supersede(plain, renamed, reason="newer")
    file_of(renamed).rename(place.folder.absolute("decisions/a-persons-name.md"))
    file_of(gone).unlink()
    put(place, "decisions/by-hand.md", "# By hand\n\nNo frontmatter.\n")
    put(place, "decisions/broken.md", page("dec-aaaaaaaaaa").replace("title: T", "title: ]["))
    place.face.take_in()
    memory.undo(change_id=memory.history(taken_back)[0].change)
    before = standing(place)

    lose_notes(place)
    done = place.face.take_in()

    assert (0, before) == (done.changes, standing(place))
    assert ["decisions/broken.md"] == [problem.path for problem in done.problems]
    assert_in_step(place)
    place.folder.absolute("decisions/a-persons-name.md").unlink()
    assert [renamed.record.id] == named(place.face.take_in().deleted)


def test_a_broken_file_keeps_its_record_when_the_notes_are_lost(memory, place):
    """The record gets no second file beside it; fixing the file is all there is to do."""
    kept = add(memory)
    edit(file_of(kept), "tags: []", "tags: ]")
    place.face.take_in()
    before = tree(place)

    lose_notes(place)
    place.face.take_in()

    assert before == tree(place)
    edit(place.folder.absolute("decisions/use-jwt.md"), "tags: ]", "tags: []")
    assert [] == place.face.take_in().problems
    assert_in_step(place)


def test_a_file_that_is_older_than_the_store_is_no_edit(memory, place):
    """A machine that looks for the first time has files of some earlier day: they get what the store says now."""
    kept = add(memory, body="first")
    old = file_of(kept).read_bytes()
    memory.revise(kept, reason="newer", body="second")
    put(place, "decisions/use-jwt.md", old)

    lose_notes(place)
    place.face.take_in()

    assert ["first", "second"] == bodies(place, kept.record.id)
    assert b"second" in file_of(kept).read_bytes()
    assert_in_step(place)


def test_an_edit_made_while_the_notes_were_lost_is_taken_in(memory, place):
    """What no version ever said is a person's word."""
    kept = memory.revise(add(memory, body="first"), reason="newer", body="second")
    edit(file_of(kept), "second", "a person's")

    lose_notes(place)

    assert [kept.record.id] == named(place.face.take_in().edited)
    assert ["first", "second", "a person's"] == bodies(place, kept.record.id)
    assert_in_step(place)


def test_a_file_that_is_missing_when_the_notes_are_lost_is_written(memory, place):
    """Nobody can tell who removed it: the store's word stands."""
    kept = add(memory)
    path = file_of(kept)
    path.unlink()

    lose_notes(place)
    place.face.take_in()

    assert path.exists()
    assert ["create"] == operations(place, kept.record.id)
    assert_in_step(place)


def test_a_store_that_came_back_from_a_backup_takes_in_the_newer_files(memory, place, tmp_path):
    """The notes are about a later store: they count for nothing, the files do."""
    kept = add(memory, body="old")
    place.store.database.backup(tmp_path / "context.sqlite3")
    memory.revise(kept, reason="later", body="new")
    settle(place)

    with closing(open_database(tmp_path / "context.sqlite3", "context")) as restored:
        back = Place(place.project, restored, place.local, place.folder.root)
        back.face.take_in()

        assert ["old", "new"] == bodies(back, kept.record.id)
        assert_in_step(back)


class Killed(Exception):
    """The process ends before its notes are committed."""


class Forgetful:
    """A local database whose process is killed right after the store committed."""

    def __init__(self, local: Database) -> None:
        self.read = local.read
        self._local = local

    @contextmanager
    def write(self, of: str = "") -> Iterator[object]:
        with self._local.write(of) as tx:
            yield tx
            raise Killed


@pytest.mark.parametrize("deed", ["adopt", "edit", "delete", "rename", "move"])
def test_a_kill_between_the_store_and_the_notes_is_repeated(memory, place, deed):
    """Whatever a person did becomes one version, or one record, and never a second one."""
    kept = add(memory, body="first")
    place.face.take_in()
    match deed:
        case "adopt":
            put(place, "decisions/by-hand.md", "# By hand\n\nNo frontmatter.\n")
        case "edit":
            edit(file_of(kept), "first", "second")
        case "delete":
            file_of(kept).unlink()
        case "rename":
            file_of(kept).rename(place.folder.absolute("decisions/other.md"))
        case "move":
            put(place, "archived/decisions/use-jwt.md", file_of(kept).read_bytes())
            file_of(kept).unlink()

    with pytest.raises(Killed):
        MarkdownFace(place.store, Forgetful(place.local), place.folder).take_in()
    after = [(record.id, record.version) for record in everything(place)]
    place.face.take_in()

    assert after == [(record.id, record.version) for record in everything(place)]
    assert (2 if deed == "adopt" else 1) == len(after)
    assert_in_step(place)


# --- two processes at once --------------------------------------------------------------------------------------------


class Interrupted:
    """A database that lets another process go first: `meanwhile` runs once, before a transaction of that sort."""

    def __init__(self, database: Database, sort: str, meanwhile: Callable[[], object]) -> None:
        self._database = database
        self._sort = sort
        self._meanwhile = [meanwhile]

    def __getattr__(self, name: str) -> object:
        return getattr(self._database, name)

    def _begin(self, sort: str) -> None:
        if sort == self._sort and self._meanwhile:
            self._meanwhile.pop()()

    @contextmanager
    def read(self) -> Iterator[object]:
        self._begin("read")
        with self._database.read() as tx:
            yield tx

    @contextmanager
    def write(self, of: str = "") -> Iterator[object]:
        self._begin("write")
        with self._database.write(of) as tx:
            yield tx


def interrupted(place: Place, sort: str, meanwhile: Callable[[], object]) -> MarkdownFace:
    database = Interrupted(place.store.database, sort, meanwhile)
    store = ContextStore(database, place.project.id, place.store.clock)
    # A connection of its own, as the other process has.
    local = open_database(Path(place.local.location), "local")
    return MarkdownFace(store, local, MemoryFolder(place.folder.root))


@pytest.mark.parametrize("sort", ["read", "write"])
def test_a_record_added_while_the_folder_is_walked_is_not_put_away(memory, place, sort):
    """Its file is missing from a walk that began before it was written; that is not a deletion."""
    add(memory, "First")
    late: list[Kept] = []

    interrupted(place, sort, lambda: late.append(add(memory, "Late"))).take_in()

    assert (Status.ACTIVE, ["create"]) == (
        fetch(place, late[0].record.id).status,
        operations(place, late[0].record.id),
    )
    assert_in_step(place)


@pytest.mark.parametrize("sort", ["read", "write"])
def test_a_record_archived_while_the_folder_is_walked_is_not_deleted(memory, place, sort):
    """Its file moved under the walk."""
    kept = add(memory)
    add(memory, "Second")

    interrupted(place, sort, lambda: memory.archive(kept, reason="x")).take_in()
    place.face.take_in()

    assert ["create", "archive"] == operations(place, kept.record.id)
    assert_in_step(place)


@pytest.mark.parametrize("sort", ["read", "write"])
def test_a_record_revised_while_its_file_is_read_is_not_reverted(memory, place, sort):
    """What was read before another process wrote is no edit of a person."""
    kept = add(memory, body="old")

    interrupted(place, sort, lambda: memory.revise(kept, reason="x", body="new")).take_in()
    place.face.take_in()

    assert ["old", "new"] == bodies(place, kept.record.id)
    assert b"new" in file_of(kept).read_bytes()
    assert_in_step(place)


def test_two_commands_that_find_the_same_new_file_make_one_record(memory, place):
    """Both walked before either wrote."""
    put(place, "decisions/hand.md", "# Hand-written\n")

    interrupted(place, "write", place.face.take_in).take_in()

    assert 1 == len(everything(place))
    assert_in_step(place)


# --- any sequence -----------------------------------------------------------------------------------------------------


class World:
    """A project, and everything that people and commands do to its memory. What does not apply is skipped."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.place = memory.target()
        #: Every text that was written by somebody who had a right to see it kept.
        self.written: set[str] = set()

    def path(self, which: int) -> Path | None:
        files = sorted(self.place.folder.scan().files)
        return self.place.folder.absolute(files[which % len(files)]) if files else None

    def read_path(self, which: int) -> Path | None:
        """A file whose words a command has taken in: what a person removes without that is their own loss."""
        self.place.face.take_in()
        path = self.path(which)
        known = self.place.face.known()
        if path is None or known[str(path.relative_to(self.place.folder.root))].problem is not None:
            return None
        return path

    def attempt(self, which: int, operation: Callable[[Kept], object]) -> bool:
        """A command: it takes in the files first. Whether it went through; a refusal is an answer too."""
        self.place.face.take_in()
        records = sorted(everything(self.place), key=lambda record: record.id)
        try:
            if records:
                operation(Kept(records[which % len(records)], self.place))
        except (Conflict, NotFound):
            return False
        return bool(records)

    # Commands

    def add(self, which: int, text: str) -> None:
        add(self.memory, "Same title", text)
        self.written.add(text)

    def revise(self, which: int, text: str) -> None:
        if self.attempt(which, lambda kept: self.memory.revise(kept, reason="x", body=text)):
            self.written.add(text)

    def die(self, which: int, text: str) -> None:
        def prepare_only(kept: Kept) -> None:
            prepare(self.place, lambda change: change.revise(kept.record.id, body=text))

        if self.attempt(which, prepare_only):
            self.written.add(text)

    def archive(self, which: int, text: str) -> None:
        self.attempt(which, lambda kept: self.memory.archive(kept, reason="x"))

    def restore(self, which: int, text: str) -> None:
        self.attempt(which, lambda kept: self.memory.restore(kept, reason="x"))

    def undo(self, which: int, text: str) -> None:
        self.attempt(which, lambda kept: self.memory.undo())

    def look(self, which: int, text: str) -> None:
        self.place.face.take_in()

    # People

    def edit(self, which: int, text: str) -> None:
        self.place.face.take_in()
        if path := self.path(which):
            path.write_text(path.read_text() + f"{text}\n")
            self.written.add(text)

    def bare(self, which: int, text: str) -> None:
        if path := self.read_path(which):
            path.write_text(f"# Bare\n\n{text}\n")
            self.written.add(text)

    def delete(self, which: int, text: str) -> None:
        if path := self.read_path(which):
            path.unlink()

    def rename(self, which: int, text: str) -> None:
        if path := self.path(which):
            path.rename(path.with_name(f"{text}md"))

    def copy(self, which: int, text: str) -> None:
        if path := self.path(which):
            shutil.copy(path, path.with_name(f"copy-{text}md"))

    def put_away(self, which: int, text: str) -> None:
        if path := self.path(which):
            target = self.place.folder.absolute(f"archived/decisions/{text}md")
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)

    def bring_back(self, which: int, text: str) -> None:
        if path := self.path(which):
            path.rename(self.place.folder.absolute(f"decisions/{text}md"))

    def swap(self, which: int, text: str) -> None:
        one, two = self.path(which), self.path(which + 1)
        if one and two:
            first, second = one.read_bytes(), two.read_bytes()
            one.write_bytes(second)
            two.write_bytes(first)

    def _replace(self, which: int, old: str, new: str) -> None:
        if path := self.path(which):
            path.write_text(path.read_text().replace(old, new, 1))

    def type_archived(self, which: int, text: str) -> None:
        self._replace(which, "tags: []", "tags: []\nstatus: archived")

    def break_it(self, which: int, text: str) -> None:
        self._replace(which, "tags: []", "tags: ]")

    def fix_it(self, which: int, text: str) -> None:
        self._replace(which, "tags: ]", "tags: []")

    def drop_id(self, which: int, text: str) -> None:
        self._replace(which, "id: dec-", "was: dec-")


_DEEDS = sorted(name for name in vars(World) if name[0] != "_" and name not in {"path", "read_path", "attempt"})


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(_DEEDS), st.integers(0, 4)), min_size=3, max_size=12))
def test_nothing_is_lost_whatever_people_and_machines_do(deeds):
    """After any sequence of edits and commands, files and store agree, and every text ever written is still there."""
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as memory:
        world = World(memory)
        world.add(0, "first.")
        world.add(0, "second.")
        for number, (deed, which) in enumerate(deeds):
            getattr(world, deed)(which, f"text{number}.")
        world.place.face.take_in()

        assert 0 == world.place.face.take_in().changes
        assert_in_step(world.place)
        kept = {body for record in everything(world.place) for body in bodies(world.place, record.id)}
        kept |= {data.decode() for data in tree(world.place).values()}
        assert [] == [text for text in sorted(world.written) if not any(text in body for body in kept)]


@contextmanager
def opened(folder: Path) -> Iterator[Memory]:
    home, root = folder / "home", folder / "repo"
    home.mkdir()
    root.mkdir()
    with closing(open_store(home)) as database, closing(open_local(home)) as local:
        projects = Projects(database, home)
        yield Memory(database, local, Scope(ScopeMode.PROJECT_ONLY, root, home), projects, projects.lay_out)
