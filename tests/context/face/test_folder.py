"""The memory folder: names that are safe everywhere, files written whole or not at all, and links that lead nowhere."""

from __future__ import annotations

import os
import unicodedata
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lerim.context.face.folder import (
    MAX_SLUG,
    MemoryFolder,
    folder_for,
    path_for,
    place_of,
    slug,
    temp_path,
    temp_tag,
)
from lerim.context.records import Draft, Kind, Primitive, Record, Status
from lerim.errors import FileNotWritten

T0 = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))}


@pytest.fixture
def folder(tmp_path: Path) -> MemoryFolder:
    root = tmp_path / "memory"
    root.mkdir()
    return MemoryFolder(root)


def put(folder: MemoryFolder, path: str, text: str = "x") -> Path:
    target = folder.absolute(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return target


def record(primitive: Primitive = Primitive.DECISION, title: str = "T", **fields) -> Record:
    kind = Kind.INSIGHT if primitive is Primitive.LEARNING else None
    return replace(Draft(primitive, title, kind=kind).record(T0), **fields)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Use JWT bearer tokens for API auth", "use-jwt-bearer-tokens-for-api-auth"),
        ("Don't retry 5xx!", "dont-retry-5xx"),
        ("Größe über alles", "grosse-uber-alles"),
        ("../../etc/passwd", "etc-passwd"),
        ("..", ""),
        ("👍🎉", ""),
        ("CON", "con-memory"),
        ("README", "readme-memory"),
        ("Lpt1", "lpt1-memory"),
        ("Кэш инвалидируется", "кэш-инвалидируется"),
        ("使用 uv 管理依赖", "使用-uv-管理依赖"),
        ("x" * 100, "x" * 60),
        ("word " * 30, "word-word-word-word-word-word-word-word-word-word-word-word"),
    ],
)
def test_a_title_becomes_a_readable_name(title, expected):
    """Lower case, dashes, its own script when it has one."""
    assert expected == slug(title)


@pytest.mark.parametrize("title", ["हिन्दी में लिखो", "ใช้ภาษาไทย", "தமிழ்"])
def test_vowel_signs_stay_with_their_letters(title):
    """Scripts that write vowels as marks are not torn into single letters."""
    assert title.replace(" ", "-") == slug(title)


@given(st.text(max_size=300))
@example("a" * 59 + "-" + "b" * 10)
@example("日" * 100)
@example("ﬃ" * 40)
@example("İ" * 70)
@example("ß" * 61)
@example("\u0345" * 10)
@example("nul\0")
def test_any_title_becomes_a_safe_name(title):
    """On every file system: no separators, no dots, no device names, and short enough for a number and an ending."""
    name = slug(title)

    assert all(character == "-" or unicodedata.category(character)[0] in "LNM" for character in name)
    assert (len(name) <= MAX_SLUG, len(name.encode()) <= 2 * MAX_SLUG) == (True, True)
    assert name == name.strip("-.")
    assert name == name.lower()
    assert name not in DEVICES | {"readme"}
    assert "--" not in name


@given(st.text("abc XYZ09-_.'", max_size=90))
def test_a_name_is_its_own_name(title):
    """Naming a name changes nothing."""
    assert slug(title) == slug(slug(title))


@given(st.lists(st.sampled_from(["Use JWT", "use jwt", "Use, JWT!", "👍", "CON"]), max_size=12))
def test_a_path_is_never_taken_twice(titles):
    """However many titles share a name."""
    taken: set[str] = set()
    for title in titles:
        path = path_for(record(title=title), taken.__contains__)
        assert path not in taken
        taken.add(path)

    assert len(titles) == len(taken)


def test_a_title_without_letters_is_filed_under_its_id():
    """Something has to be the name."""
    found = record(title="👍")

    assert f"decisions/{found.id}.md" == path_for(found, lambda path: False)


@given(
    st.sampled_from(Primitive),
    st.sampled_from(Status),
    st.none() | st.text(max_size=12),
    st.none() | st.text(max_size=9),
)
def test_a_place_says_what_lies_there(primitive, status, date, time):
    """`folder_for` and `place_of` are each other's inverse, whatever a summary's date says."""
    found = record(primitive, status=status, date=date, time=time)
    folder = folder_for(found)

    assert (primitive, status is Status.ARCHIVED) == place_of(f"{folder}/x.md")
    assert ".." not in folder
    assert (3 if primitive is Primitive.SUMMARY else 1) == len(folder.removeprefix("archived/").split("/"))


def test_a_summary_lies_under_its_day_and_time():
    """As the memory model lays it out."""
    found = record(Primitive.SUMMARY, date="2026-02-22", time="15:30:00")

    assert "summaries/20260222/153000" == folder_for(found)
    assert "summaries/20260220/103000" == folder_for(record(Primitive.SUMMARY))
    assert "archived/summaries/20260222/153000" == folder_for(replace(found, status=Status.ARCHIVED))


def test_a_leftover_names_what_it_was_for():
    """Tag and path go there and back."""
    temp = temp_path("decisions/x.md", "dec-abc-3")

    assert ("decisions/.lerim-dec-abc-3.tmp", "dec-abc-3") == (temp, temp_tag(temp))


# --- walking ----------------------------------------------------------------------------------------------------------


def test_a_walk_finds_memories_where_they_belong(folder):
    """Decisions, learnings, summaries, and the same under archived/."""
    wanted = [
        *("archived/decisions/a.md", "archived/learnings/a.md", "archived/summaries/20260222/153000/a.md"),
        *("decisions/a.md", "decisions/b c.md", "learnings/a.md", "summaries/20260222/153000/a.md"),
    ]
    for path in wanted:
        put(folder, path)

    listing = folder.scan()

    assert (wanted, {}, []) == (sorted(listing.files), listing.strays, listing.temps)
    found = os.stat(folder.absolute("decisions/a.md"))
    assert (found.st_mtime_ns, found.st_size, found.st_ino) == listing.files["decisions/a.md"]


def test_a_walk_passes_by_what_is_no_memory(folder):
    """Explanations, other files and editors' backups are nobody's business."""
    for path in (
        "README.md",
        "decisions/README.md",
        "decisions/x.txt",
        "decisions/x.md~",
        "decisions/x.md.bak",
        "a.png",
    ):
        put(folder, path)
    folder.absolute("decisions/folder.md").mkdir()

    listing = folder.scan()

    assert ({}, {}, []) == (listing.files, listing.strays, listing.temps)


@pytest.mark.parametrize(
    "path", ["loose.md", "other/x.md", "decisions/sub/x.md", "archived/x.md", "archived/other/x.md"]
)
def test_a_walk_reports_memories_that_lie_astray(folder, path):
    """Nothing is guessed; the person is told where it belongs."""
    put(folder, path)

    listing = folder.scan()

    assert ({}, [path]) == (listing.files, list(listing.strays))


def test_a_walk_reports_links_and_does_not_follow_them(folder, tmp_path):
    """To files, to folders, in circles, and to nothing."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    put(folder, "decisions/real.md")
    folder.absolute("decisions/file.md").symlink_to(outside / "secret.md")
    folder.absolute("decisions/inside.md").symlink_to(folder.absolute("decisions/real.md"))
    folder.absolute("decisions/nothing.md").symlink_to(outside / "nothing.md")
    folder.absolute("decisions/circle").symlink_to(folder.root)
    folder.absolute("learnings").symlink_to(outside)

    listing = folder.scan()

    assert ["decisions/real.md"] == list(listing.files)
    assert [f"decisions/{name}" for name in ("circle", "file.md", "inside.md", "nothing.md")] + ["learnings"] == sorted(
        listing.strays
    )


def test_a_file_that_became_a_link_is_not_read(folder, tmp_path):
    """The check and the read are one step."""
    (tmp_path / "secret").write_text("secret")
    folder.absolute("decisions").mkdir()
    folder.absolute("decisions/x.md").symlink_to(tmp_path / "secret")

    with pytest.raises(OSError, match=r"symbolic|loop|[Ll]ink"):
        folder.read("decisions/x.md")


def test_what_is_not_there_has_no_state(folder):
    """Neither a missing file nor one under a file."""
    put(folder, "decisions")

    assert (None, None) == (folder.state("learnings/x.md"), folder.state("decisions/x.md"))


# --- writing ----------------------------------------------------------------------------------------------------------


def test_a_file_is_prepared_beside_its_place_and_then_put_there(folder):
    """Before that nobody sees it; after it nothing else is left."""
    temp = folder.prepare("decisions/x.md", b"text", "dec-a-1")

    assert ({}, [temp]) == (folder.scan().files, folder.scan().temps)
    assert folder.publish(temp, "decisions/x.md", replaces=False)
    assert ["x.md"] == os.listdir(folder.absolute("decisions"))
    assert b"text" == folder.read("decisions/x.md")


def test_a_file_in_the_way_is_never_written_over(folder):
    """Unless it is the one to be replaced."""
    path = put(folder, "decisions/x.md", "person")
    temp = folder.prepare("decisions/x.md", b"machine", "dec-a-1")

    assert not folder.publish(temp, "decisions/x.md", replaces=False)
    assert "person" == path.read_text()
    assert folder.publish(temp, "decisions/x.md", replaces=True)
    assert "machine" == path.read_text()


def test_a_link_in_the_way_is_never_written_through(folder, tmp_path):
    """Not even one that leads nowhere."""
    target = tmp_path / "outside.md"
    folder.absolute("decisions").mkdir()
    folder.absolute("decisions/x.md").symlink_to(target)
    temp = folder.prepare("decisions/x.md", b"machine", "dec-a-1")

    assert not folder.publish(temp, "decisions/x.md", replaces=False)
    assert folder.publish(temp, "decisions/x.md", replaces=True)
    assert (False, False) == (target.exists(), folder.absolute("decisions/x.md").is_symlink())


@pytest.mark.parametrize("part", ["decisions", "archived", "archived/decisions"])
@pytest.mark.parametrize("broken", [False, True], ids=["link", "broken link"])
def test_a_folder_that_is_a_link_is_refused(folder, tmp_path, part, broken):
    """A memory must not leave its folder that way; the hint names what to replace."""
    outside = tmp_path / "outside"
    if not broken:
        outside.mkdir()
    folder.absolute(part).parent.mkdir(exist_ok=True)
    folder.absolute(part).symlink_to(outside)
    path = f"{part}/x.md" if part.endswith("decisions") else f"{part}/decisions/x.md"

    with pytest.raises(FileNotWritten) as caught:
        folder.prepare(path, b"text", "dec-a-1")

    assert f"move it away: mv {folder.absolute(part)} {folder.absolute(part)}.away" == caught.value.hint
    assert [] == (os.listdir(outside) if outside.exists() else [])


def test_a_leftover_that_is_a_link_is_not_written_through(folder, tmp_path):
    """Whoever planted it does not get to choose a file of ours to be overwritten elsewhere."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder.absolute("decisions").mkdir()
    folder.absolute(temp_path("decisions/x.md", "dec-a-1")).symlink_to(victim)

    with suppress(FileNotWritten):
        folder.prepare("decisions/x.md", b"text", "dec-a-1")

    assert "precious" == victim.read_text()


def test_a_file_where_a_folder_should_be_is_named(folder):
    """Nothing was changed, and the hint says what to do."""
    put(folder, "decisions")

    with pytest.raises(FileNotWritten) as caught:
        folder.prepare("decisions/x.md", b"text", "dec-a-1")

    assert str(folder.absolute("decisions")) in caught.value.message


@pytest.mark.parametrize("root", ["summaries", "archived/summaries"])
def test_removing_a_summary_removes_the_folders_it_leaves_empty(folder, root):
    """Day and time come and go with their summaries."""
    put(folder, f"{root}/20260222/153000/a.md")
    put(folder, f"{root}/20260222/160000/b.md")

    folder.remove(f"{root}/20260222/153000/a.md")
    first = sorted(os.listdir(folder.absolute(f"{root}/20260222")))
    folder.remove(f"{root}/20260222/160000/b.md")

    assert (["160000"], [], True) == (
        first,
        os.listdir(folder.absolute(root)) if folder.absolute(root).exists() else [],
        folder.root.exists(),
    )


@pytest.mark.parametrize("path", ["decisions/a.md", "learnings/a.md", "archived/decisions/a.md"])
def test_removing_any_other_file_leaves_its_folder(folder, path):
    """The layout's own folders stay; what is not there needs no removing."""
    put(folder, path)

    folder.remove(path)
    folder.remove(path)

    assert [] == os.listdir(folder.absolute(path).parent)


def test_a_folder_with_a_persons_file_in_it_stays(folder):
    """Only empty folders go."""
    put(folder, "summaries/20260222/153000/a.md")
    mine = put(folder, "summaries/20260222/153000/mine.txt")

    folder.remove("summaries/20260222/153000/a.md")

    assert mine.exists()


def test_files_are_set_aside_without_being_lost(folder):
    """Each under a name of its own; a missing file is nothing to set aside."""
    for text in ("one", "two", "three"):
        put(folder, "decisions/x.md", text)
        folder.set_aside("decisions/x.md")
    folder.set_aside("decisions/x.md")

    assert {"x.md.bak": "one", "x.md.bak2": "two", "x.md.bak3": "three"} == {
        path.name: path.read_text() for path in folder.absolute("decisions").iterdir()
    }
