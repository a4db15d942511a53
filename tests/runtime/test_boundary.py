"""What a run may touch: the rules on the text of paths, and what is refused on disk."""

from __future__ import annotations

import os
import socket
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.context.records import Primitive
from lerim.errors import Refused
from lerim.runtime.boundary import check_read, check_write, memory_primitive, plain, resolve
from lerim.runtime.roots import Roots

START = Path("/repo/.lerim/memory")


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    for name in ("memory/decisions", "workspace/run", "outside"):
        (tmp_path / name).mkdir(parents=True)
    return Roots(tmp_path / "memory", tmp_path / "workspace", run_folder=tmp_path / "workspace" / "run")


def message_of(refusal: object) -> str:
    """The message of a refusal; there must be one."""
    assert refusal is not None
    return str(refusal)


# Text


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("decisions/a.md", "/repo/.lerim/memory/decisions/a.md"),
        (".", "/repo/.lerim/memory"),
        ("./decisions//a.md", "/repo/.lerim/memory/decisions/a.md"),
        ("decisions/../learnings/b.md", "/repo/.lerim/memory/learnings/b.md"),
        ("../../x", "/repo/x"),
        ("../../../../../../etc/passwd", "/etc/passwd"),
        ("/etc/passwd", "/etc/passwd"),
        ("/repo/./a/../b", "/repo/b"),
        ("~/notes.md", "/repo/.lerim/memory/~/notes.md"),
        ("$HOME/notes.md", "/repo/.lerim/memory/$HOME/notes.md"),
        ("%USERPROFILE%", "/repo/.lerim/memory/%USERPROFILE%"),
        ("ünïcode 記憶.md", "/repo/.lerim/memory/ünïcode 記憶.md"),
    ],
)
def test_the_text_of_a_path_is_taken_as_it_stands(text: str, path: str) -> None:
    """Nothing is expanded; only `.` and `..` mean something."""
    assert Path(path) == resolve(text, START)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("a\0b", "control characters"),
        ("a\nb", "control characters"),
        ("a\x1b[31m", "control characters"),
        ("a\udcffb", "not valid Unicode"),
        ("x" * 256, "too long"),
        ("é" * 128, "too long"),
        ("ab/" * 2000, "too long"),
        ("//server/share", "network paths"),
        ("\\\\server\\share", "network paths"),
        ("C:\\Windows", "drive"),
        ("c:/Windows", "drive"),
        ("..\\..\\x", "drive"),
        ("decisions./a.md", "dot or a space"),
        ("decisions /a.md", "dot or a space"),
        ("a.md.", "dot or a space"),
        (".../x", "dot or a space"),
    ],
)
def test_a_path_that_could_mean_something_else_elsewhere_is_refused(text: str, reason: str) -> None:
    """What some system reads otherwise, and what no system can open, is refused with the reason, on one short line."""
    with pytest.raises(Refused) as refused:
        resolve(text, START)

    assert reason in refused.value.message
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 2000


@given(st.text(max_size=300))
def test_any_text_is_a_clean_path_or_refused(text: str) -> None:
    """A path that comes out is absolute, and has no step back in it."""
    try:
        path = resolve(text, START)
    except Refused:
        return

    assert path.is_absolute()
    assert ".." not in path.parts


@given(st.text(st.characters(exclude_categories=()), min_size=1))
def test_whatever_a_name_holds_is_shown_on_one_line(text: str) -> None:
    """No name can pass for a line of a tool's answer, or break its encoding."""
    assert plain(text).isprintable()
    assert plain(text).encode()


# Roots


def test_below_the_roots_everything_may_be_read(roots: Roots) -> None:
    """Files, folders, and what is not there yet: reading will say so."""
    (roots.memory / "decisions" / "a.md").write_text("text")

    assert None is check_read(roots.memory, roots)
    assert None is check_read(roots.memory / "decisions" / "a.md", roots)
    assert None is check_read(roots.workspace / "run" / "missing" / "x", roots)


def test_what_is_outside_is_refused_and_the_roots_are_named(roots: Roots, tmp_path: Path) -> None:
    """A model learns where it may go instead."""
    outside = tmp_path / "outside" / "x"
    readable = f"{roots.memory}, {roots.workspace}, {roots.run_folder}"

    assert f"Cannot read '{outside}': outside allowed roots. Readable paths: {readable}" == message_of(
        check_read(outside, roots)
    )
    assert (
        f"Cannot write '{outside}': outside allowed roots. Writable paths: {roots.memory}, {roots.run_folder}"
        == message_of(check_write(outside, roots))
    )


def test_a_name_that_only_begins_like_a_root_is_outside(roots: Roots, tmp_path: Path) -> None:
    """`memory-old` is not in `memory`."""
    assert "outside allowed roots" in message_of(check_read(tmp_path / "memory-old" / "x", roots))
    assert "outside allowed roots" in message_of(check_write(tmp_path / "workspace" / "run2" / "x", roots))


def test_other_runs_can_be_read_but_not_written(roots: Roots) -> None:
    """The workspace is shared, a run folder belongs to one run."""
    other = roots.workspace / "other" / "extract.json"

    assert None is check_read(other, roots)
    assert "outside allowed roots" in message_of(check_write(other, roots))


def test_without_a_run_folder_nothing_can_be_written(roots: Roots) -> None:
    """A question changes nothing, not even the memory."""
    asking = Roots(roots.memory, roots.workspace)

    assert message_of(check_write(roots.memory / "decisions" / "a.md", asking)).endswith("Writable paths: none")


def test_a_root_is_not_written_over(roots: Roots) -> None:
    """The folder itself is no file, even when it is not there."""
    gone = Roots(roots.memory, roots.workspace, run_folder=roots.workspace / "gone")

    assert "it is a folder" in message_of(check_write(roots.memory, roots))
    assert "it is a folder" in message_of(check_write(roots.workspace / "gone", gone))


def test_a_root_may_be_reached_through_a_link(roots: Roots, tmp_path: Path) -> None:
    """Both spellings name the same folder: the one the run was given, and the one it resolved to when it began."""
    (tmp_path / "alias").symlink_to(tmp_path / "memory", target_is_directory=True)
    aliased = Roots(tmp_path / "alias", roots.workspace, run_folder=roots.run_folder)

    assert None is check_read(tmp_path / "alias" / "decisions", aliased)
    assert None is check_read(tmp_path / "memory" / "decisions", aliased)


def test_a_root_that_becomes_a_link_later_is_not_followed(roots: Roots, tmp_path: Path) -> None:
    """Roots are resolved once, when the run begins."""
    (tmp_path / "outside" / "secret").write_text("SECRET")
    (tmp_path / "workspace").rename(tmp_path / "elsewhere")
    (tmp_path / "workspace").symlink_to(tmp_path / "outside", target_is_directory=True)

    assert "workspace' is no folder but a" in message_of(check_read(roots.workspace / "secret", roots))


def test_a_single_file_can_be_a_root(roots: Roots, tmp_path: Path) -> None:
    """A run may be given one trace and nothing beside it."""
    trace, beside = tmp_path / "outside" / "trace.jsonl", tmp_path / "outside" / "other.jsonl"
    trace.write_text("{}")
    reading = Roots(roots.memory, roots.workspace, extra_reads=(trace,))

    assert None is check_read(trace, reading)
    assert "outside allowed roots" in message_of(check_read(beside, reading))


def test_case_and_unicode_forms_do_not_widen_a_root(tmp_path: Path) -> None:
    """A root is matched as it is spelled; a file system that takes alike names for one changes nothing about it."""
    root = tmp_path / unicodedata.normalize("NFC", "projét")
    root.mkdir()
    roots = Roots(root, root)

    assert "outside allowed roots" in message_of(
        check_read(tmp_path / unicodedata.normalize("NFD", "projét") / "x", roots)
    )
    assert "outside allowed roots" in message_of(check_read(tmp_path / "PROJÉT" / "x", roots))


# What lies on disk


def test_links_are_refused_wherever_they_stand(roots: Roots, tmp_path: Path) -> None:
    """As the last name or on the way, leading out, nowhere, back to itself, or to another place inside."""
    run, outside = roots.workspace / "run", tmp_path / "outside"
    targets = {"out": outside / "x", "dangling": outside / "none", "loop": run / "loop", "inside": roots.memory}
    for name, target in targets.items():
        (run / name).symlink_to(target)
        assert "symbolic link; links are not followed" in message_of(check_read(run / name, roots))
        assert "symbolic link; links are not followed" in message_of(check_write(run / name, roots))
        assert "symbolic link; links are not followed" in message_of(check_read(run / name / "x", roots))
        assert "symbolic link; links are not followed" in message_of(check_write(run / name / "x", roots))


def test_a_hard_link_is_read_but_not_written(roots: Roots, tmp_path: Path) -> None:
    """Its other name may be anywhere. Reading it gives what lies in the folder, as with any file."""
    (tmp_path / "outside" / "x").write_text("text")
    hard = roots.workspace / "run" / "hard"
    os.link(tmp_path / "outside" / "x", hard)

    assert None is check_read(hard, roots)
    assert "hard link" in message_of(check_write(hard, roots))


def test_what_is_neither_file_nor_folder_is_refused(roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    """A FIFO would wait for a writer, a socket for a peer, a device may do anything."""
    run = roots.workspace / "run"
    os.mkfifo(run / "fifo")
    monkeypatch.chdir(run)  # a socket's path has room for some hundred characters only
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")

    assert "a FIFO, which is never opened" in message_of(check_read(run / "fifo", roots))
    assert "a FIFO, which is never opened" in message_of(check_write(run / "fifo", roots))
    assert "a socket, which is never opened" in message_of(check_read(run / "socket", roots))
    assert "a socket, which is never opened" in message_of(check_write(run / "socket", roots))


def test_devices_are_refused(roots: Roots) -> None:
    """Even where a device lies below a root."""
    devices = Roots(Path("/dev"), roots.workspace, run_folder=Path("/dev"))

    assert "a device, which is never opened" in message_of(check_read(Path("/dev/null"), devices))
    assert "a device, which is never opened" in message_of(check_write(Path("/dev/null"), devices))


def test_a_file_is_no_folder(roots: Roots) -> None:
    """Nothing lies below a file, and a folder is not written over."""
    (roots.workspace / "run" / "file").write_text("text")

    assert "'file' is no folder but a file" in message_of(check_read(roots.workspace / "run" / "file" / "x", roots))
    assert "it is a folder" in message_of(check_write(roots.memory / "decisions", roots))


def test_checking_leaves_no_folder_open(roots: Roots) -> None:
    """However it ends."""
    (roots.workspace / "run" / "link").symlink_to("/")
    before = len(os.listdir("/dev/fd"))
    for path in ("run/a/b/c", "run", "run/link/x", "run/link", "../x"):
        check_read(resolve(path, roots.workspace), roots)
        check_write(resolve(path, roots.workspace), roots)

    assert before == len(os.listdir("/dev/fd"))


# Which memory


@pytest.mark.parametrize(
    ("path", "primitive"),
    [
        ("decisions/a.md", Primitive.DECISION),
        ("learnings/a.md", Primitive.LEARNING),
        ("summaries/20260220/103000/a.md", Primitive.SUMMARY),
        ("archived/decisions/a.md", Primitive.DECISION),
        ("archived/summaries/20260220/103000/a.md", Primitive.SUMMARY),
        ("decisions", Primitive.DECISION),
        ("decisions/deeper/a.txt", Primitive.DECISION),
        ("DECISIONS/a.md", Primitive.DECISION),
        ("Archived/Learnings/a.md", Primitive.LEARNING),
        ("ｄｅｃｉｓｉｏｎｓ/a.md", Primitive.DECISION),
        ("deciſions/a.md", Primitive.DECISION),
        ("deci\u200csions/a.md", Primitive.DECISION),
        ("README.md", None),
        ("archived/a.md", None),
        (".", None),
        ("decisions-old/a.md", None),
        ("../decisions/a.md", None),
    ],
)
def test_a_path_tells_which_memory_it_is(path: str, primitive: Primitive | None) -> None:
    """Names count as alike when any file system could take them for one."""
    assert primitive is memory_primitive(resolve(path, START), START)


@given(st.sampled_from(["decisions", "learnings", "summaries"]), st.data())
def test_no_spelling_of_a_memory_folder_gets_past(folder: str, data: st.DataObject) -> None:
    """Upper case, decomposed, with invisible characters: it stays the memory folder."""
    letters = data.draw(st.lists(st.sampled_from(["upper", "lower", "joiner"]), min_size=len(folder)))
    change = {"upper": str.upper, "lower": str.lower, "joiner": "{}\u200d".format}
    spelled = "".join(change[how](letter) for how, letter in zip(letters, folder, strict=False))

    assert memory_primitive(START / folder, START) is memory_primitive(START / spelled / "a.md", START)
