"""The file tools of a run: what they give, and that nothing leads them out of the roots."""

from __future__ import annotations

import os
import socket
import stat
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from linecache import getline
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lerim import openat
from lerim.context.records import Primitive
from lerim.errors import Refused
from lerim.runtime import files
from lerim.runtime.roots import Roots

from ..conftest import examples
from ..samples import sampled

SECRET = "the SECRET of the outside world"


@dataclass(frozen=True)
class World:
    """A project with a memory and a run, and beside it what no tool may read or change."""

    base: Path
    roots: Roots

    @property
    def run(self) -> Path:
        return self.base / "workspace" / "run"

    @property
    def outside(self) -> Path:
        return self.base / "outside"

    def state(self) -> dict[str, tuple[int, bytes]]:
        """Everything but the run folder, to the byte. Links as what they say."""
        found = {}
        for folder, names, leaves in os.walk(self.base):
            names[:] = [name for name in names if Path(folder, name) != self.run]
            for path in (Path(folder, name) for name in (*names, *leaves)):
                mode = path.lstat().st_mode
                found[str(path)] = (mode, path.read_bytes() if stat.S_ISREG(mode) else b"")
        return found


@pytest.fixture
def world(tmp_path: Path) -> World:
    # The name has two Unicode forms, and the path two cases.
    base = tmp_path / unicodedata.normalize("NFC", "projét")
    for name in ("memory/decisions", "memory/learnings", "workspace/run/sub", "workspace/other", "outside/deep"):
        (base / name).mkdir(parents=True)
    (base / "outside" / "secret.txt").write_text(SECRET)
    (base / "outside" / "deep" / "secret.txt").write_text(SECRET)
    (base / "memory" / "decisions" / "a.md").write_text("# Use JWT\n\nauth with a token\n")
    (base / "workspace" / "run" / "notes.txt").write_text("one\ntwo\nthree\n")
    return World(base, Roots(base / "memory", base / "workspace", run_folder=base / "workspace" / "run"))


# Hostile paths

Tool = Callable[[Roots, str], object]
TOOLS: dict[str, Tool] = {
    "read": lambda roots, path: files.read(roots, path),
    "glob": lambda roots, path: files.glob(roots, "**", path),
    "glob-pattern": lambda roots, path: files.glob(roots, f"{path}/**"),
    "grep": lambda roots, path: files.grep(roots, ".", path),
    "write": lambda roots, path: files.write(roots, path, "written"),
}

HOSTILE: dict[str, Callable[[World], str]] = {
    "absolute": lambda world: str(world.outside / "secret.txt"),
    "absolute-folder": lambda world: str(world.outside),
    "root-of-all": lambda world: "/",
    "two-slashes": lambda world: "/" + str(world.outside / "secret.txt"),
    "up": lambda world: "../outside/secret.txt",
    "up-from-a-memory": lambda world: "decisions/../../outside/secret.txt",
    "up-from-the-run": lambda world: f"{world.run}/../../outside/secret.txt",
    "up-from-nowhere": lambda world: "decisions/none/../../../outside/secret.txt",
    "far-up": lambda world: "../" * 40 + "etc/passwd",
    "link": lambda world: _link(world, "link.txt", world.outside / "secret.txt"),
    "link-to-a-folder": lambda world: _link(world, "linked", world.outside),
    "below-a-link": lambda world: _link(world, "linked", world.outside) + "/secret.txt",
    "new-below-a-link": lambda world: _link(world, "linked", world.outside) + "/new.txt",
    "folder-below-a-link": lambda world: _link(world, "linked", world.outside) + "/deep/secret.txt",
    "link-by-a-relative-path": lambda world: _link(world, "sub/linked", Path("../../../outside")) + "/secret.txt",
    "link-to-nothing": lambda world: _link(world, "dangling", world.outside / "new.txt"),
    "link-to-itself": lambda world: _link(world, "loop", world.run / "loop"),
    "below-a-loop": lambda world: _link(world, "loop", world.run / "loop") + "/x",
    "link-over-a-link": lambda world: _link(world, "second", Path(_link(world, "first", world.outside / "secret.txt"))),
    "link-to-proc": lambda world: _link(world, "proc", Path("/proc/self/root")) + str(world.outside / "secret.txt"),
    "proc-root": lambda world: f"/proc/self/root{world.outside}/secret.txt",
    "proc-cwd": lambda world: "/proc/self/cwd",
    "proc-descriptor": lambda world: "/proc/self/fd/0",
    "standard-input": lambda world: "/dev/stdin",
    "device": lambda world: "/dev/zero",
    "fifo": lambda world: _fifo(world),
    "socket": lambda world: _socket(world),
    "below-a-file": lambda world: f"{world.run}/notes.txt/x",
    "nul": lambda world: f"{world.run}/notes.txt\0.md",
    "newline": lambda world: f"{world.run}/notes\n.txt",
    "broken-unicode": lambda world: f"{world.run}/\udcff",
    "long-name": lambda world: f"{world.run}/{'x' * 5000}",
    "long-path": lambda world: f"{world.run}{'/xxx' * 2000}",
    "backslashes": lambda world: "..\\outside\\secret.txt",
    "drive": lambda world: "C:/outside/secret.txt",
    "share": lambda world: "\\\\server\\share",
    "dot-at-the-end": lambda world: "decisions./a.md",
    "space-at-the-end": lambda world: f"{world.run} /notes.txt",
    "variable": lambda world: "$HOME/../../outside/secret.txt",
    "other-case": lambda world: f"{world.base}/OUTSIDE/secret.txt",
    "other-case-of-a-root": lambda world: f"{world.base}/MEMORY/decisions/a.md",
    "other-form-of-a-root": lambda world: unicodedata.normalize("NFD", f"{world.run}/notes.txt"),
}
WRITES_ONLY: dict[str, Callable[[World], str]] = {
    "hard-link": lambda world: _hard_link(world),
    "memory": lambda world: "decisions/a.md",
    "new-memory": lambda world: "learnings/new.md",
    "memory-in-capitals": lambda world: "DECISIONS/a.md",
    "memory-archived": lambda world: "archived/decisions/a.md",
    "beside-the-memories": lambda world: "README.md",
    "other-run": lambda world: f"{world.base}/workspace/other/x.txt",
    "folder": lambda world: f"{world.run}/sub",
    "run-folder": lambda world: str(world.run),
    "empty": lambda world: "",
}


def _link(world: World, name: str, target: Path) -> str:
    (world.run / name).symlink_to(target)
    return str(world.run / name)


def _hard_link(world: World) -> str:
    os.link(world.outside / "secret.txt", world.run / "hard.txt")
    return str(world.run / "hard.txt")


def _fifo(world: World) -> str:
    os.mkfifo(world.run / "fifo")
    return str(world.run / "fifo")


def _socket(world: World) -> str:
    # A socket's path has room for some hundred characters only, so it is bound by a short one and put there.
    before = Path.cwd()
    os.chdir(world.run)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("socket")
    finally:
        os.chdir(before)
    return str(world.run / "socket")


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_tool_takes_a_hostile_path(world: World, tool: str, hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused in one line, nothing of the outside is shown, and the outside stays as it is to the byte."""
    monkeypatch.setenv("HOME", str(world.outside))
    path = HOSTILE[hostile](world)
    before = world.state()

    with pytest.raises(Refused) as refused:
        TOOLS[tool](world.roots, path)

    assert SECRET not in refused.value.message
    assert refused.value.message.isprintable()
    assert before == world.state()


@pytest.mark.parametrize("hostile", WRITES_ONLY)
def test_nothing_is_written_but_plain_files_of_the_own_run(world: World, hostile: str) -> None:
    """Memories, other runs and files with a second name are refused, and stay as they are to the byte."""
    path = WRITES_ONLY[hostile](world)
    before = world.state()

    with pytest.raises(Refused):
        TOOLS["write"](world.roots, path)

    assert before == world.state()
    assert {"notes.txt", "sub", "hard.txt"} >= {found.name for found in world.run.iterdir()}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_folder_full_of_traps_leads_nowhere(world: World, tool: str) -> None:
    """Searching above them neither follows nor waits, and what can be read is found."""
    for name in ("link", "link-to-a-folder", "link-to-nothing", "link-to-itself", "fifo", "socket"):
        HOSTILE[name](world)
    before = world.state()

    with suppress(Refused):
        assert SECRET not in str(TOOLS[tool](world.roots, str(world.run)))

    assert [f"{world.run}/notes.txt"] == [*files.glob(world.roots, "**", str(world.run)).paths]
    assert ["one", "two", "three"] == [hit.text for hit in files.grep(world.roots, ".", str(world.run)).hits]
    assert before == world.state()


def test_a_question_writes_nowhere(world: World) -> None:
    """Without a run folder there is no writable path at all."""
    asking = Roots(world.base / "memory", world.base / "workspace")

    with pytest.raises(Refused, match="Writable paths: none"):
        files.write(asking, str(world.run / "x.txt"), "text")


SEGMENTS = st.one_of(
    st.sampled_from(
        [
            *("..", ".", "", "~", "$HOME", "memory", "decisions", "DECISIONS", "archived", "workspace", "run", "sub"),
            *(
                "linked",
                "link.txt",
                "loop",
                "outside",
                "secret.txt",
                "notes.txt",
                "a.md",
                "fifo",
                "new",
                "proc",
                "self",
            ),
            *("root", "*", "**", "x.", " ", "\\", "C:", "\0"),
        ]
    ),
    st.text(st.characters(exclude_categories=()), max_size=6),
)


@given(
    beginning=st.sampled_from(["", "/", "run", "memory", "outside", "proc", "base"]),
    names=st.lists(SEGMENTS, max_size=8),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=examples(200))
def test_no_path_at_all_leads_outside(world: World, beginning: str, names: list[str]) -> None:
    """Whatever is asked, reading gives nothing of the outside, and only the run folder changes."""
    _lay_traps(world)
    begin = {"run": world.run, "memory": world.roots.memory, "outside": world.outside, "base": world.base}
    prefix = "/proc/self/root" if beginning == "proc" else str(begin.get(beginning, beginning))
    path = "/".join([prefix, *names] if prefix else names)
    before = world.state()

    for tool in TOOLS.values():
        with suppress(Refused):
            assert SECRET not in str(tool(world.roots, path))

    assert before == world.state()


def _lay_traps(world: World) -> None:
    """Anew for each example: an earlier one cannot have removed a link, but put folders beside it."""
    for name, target in {"linked": world.outside, "link.txt": world.outside / "secret.txt", "loop": "loop"}.items():
        with suppress(FileExistsError):
            (world.run / name).symlink_to(target)
    with suppress(FileExistsError):
        os.mkfifo(world.run / "fifo")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_system_that_cannot_look_into_open_folders_refuses_as_well(
    world: World, hostile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows, for one. Only swaps between two steps go unseen there."""
    monkeypatch.setattr(openat, "_BY_DESCRIPTOR", False)
    path = HOSTILE[hostile](world)
    before = world.state()
    for tool in TOOLS.values():
        with pytest.raises(Refused):
            tool(world.roots, path)

    assert before == world.state()
    assert ("one", "two", "three") == files.read(world.roots, str(world.run / "notes.txt")).lines
    assert (f"{world.run}/notes.txt",) == files.glob(world.roots, "notes*", str(world.run)).paths
    assert files.write(world.roots, str(world.run / "deep" / "x.txt"), "text").created


# Races

SWAPPED: dict[str, Callable[[Roots, Path], object]] = {
    "read": lambda roots, path: files.read(roots, str(path)),
    "list": lambda roots, path: files.read(roots, str(path.parent)),
    "glob": lambda roots, path: files.glob(roots, "*", str(path.parent)),
    "glob-above": lambda roots, path: files.glob(roots, "**", str(path.parent.parent)),
    "grep": lambda roots, path: files.grep(roots, ".", str(path)),
    "grep-below": lambda roots, path: files.grep(roots, ".", str(path.parent)),
    "grep-above": lambda roots, path: files.grep(roots, ".", str(path.parent.parent)),
    "write": lambda roots, path: files.write(roots, str(path), "written"),
    "write-new": lambda roots, path: files.write(roots, str(path.parent / "new" / "x.txt"), "written"),
}


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.drill)], ids=["lines", "steps"])
@pytest.mark.parametrize("what", ["file", "folder", "folder-above", "fifo"])
@pytest.mark.parametrize("tool", sampled(SWAPPED, 3))
def test_a_link_put_in_place_before_any_call_leads_nowhere(world: World, tool: str, what: str, every: bool) -> None:
    """Whatever is swapped for a link to the outside, and whenever: nothing is read from there, nothing lands there.

    And a FIFO that nobody writes to makes nobody wait. Before the first call of each line; in the drill, before any.
    """
    for step in _steps(world, tool, every=every):
        target = _target(world, step)
        swap = {
            "file": (target, world.outside / "secret.txt"),
            "folder": (target.parent, world.outside),
            "folder-above": (target.parent.parent, world.base / "mirror"),
            "fifo": (target, None),
        }[what]
        before = _mirror(world)

        with before_call(step, *swap) as calls, suppress(Refused):
            assert SECRET not in str(SWAPPED[tool](world.roots, target))

        assert before == world.state()
        assert len(calls) >= step


def _steps(world: World, tool: str, *, every: bool) -> list[int]:
    """The calls of a tool that nobody disturbs, by number: of each line the first, or all."""
    with before_call(0, world.run, None) as calls:
        SWAPPED[tool](world.roots, _target(world, 0))
    assert len(calls) > 5
    return [step for step, line in enumerate(calls, 1) if every or line not in calls[: step - 1]]


def _target(world: World, step: int) -> Path:
    target = world.run / f"{step}" / "sub" / "secret.txt"
    target.parent.mkdir(parents=True)
    target.write_text("inside")
    return target


def _mirror(world: World) -> dict[str, tuple[int, bytes]]:
    """An outside that looks like the inside, so that a swapped folder has all that is asked for."""
    (world.base / "mirror" / "sub").mkdir(parents=True, exist_ok=True)
    (world.base / "mirror" / "sub" / "secret.txt").write_text(SECRET)
    return world.state()


@contextmanager
def before_call(step: int, place: Path, target: Path | None) -> Iterator[list[int]]:
    """Put a link to `target`, or a FIFO, in the place of `place` before the `step`th line with a system call.

    Gives those lines, as they are reached.
    """
    calls: list[int] = []

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
        # The disk is touched in this module only.
        if frame.f_code.co_filename != openat.__file__:
            return None
        if event == "line" and "os." in getline(openat.__file__, frame.f_lineno):
            calls.append(frame.f_lineno)
            if len(calls) == step:
                place.rename(place.with_name(f"{place.name}-aside"))
                place.symlink_to(target) if target else os.mkfifo(place)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield calls
    finally:
        sys.settrace(before)


@contextmanager
def swapping(swap: Callable[[], None]) -> Iterator[None]:
    """`swap` again and again, in another thread, while the body runs."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            # The tools make folders meanwhile; a swap that fails for that is tried again.
            with suppress(OSError):
                swap()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_folder_that_becomes_a_link_meanwhile_lets_nothing_out(world: World) -> None:
    """Between any two steps of a write the folder may be swapped for a link: nothing lands outside."""
    sub, aside, link = world.run / "sub", world.run / "aside", world.run / "link"
    link.symlink_to(world.outside, target_is_directory=True)
    before, outcomes = world.state(), {"written": 0, "refused": 0}

    def swap() -> None:
        if sub.is_symlink():
            sub.rename(link)
        if aside.exists() and not sub.exists():
            aside.rename(sub)
        if not aside.exists():
            sub.rename(aside)
        link.rename(sub)

    with swapping(swap):
        for number in range(400):
            try:
                files.write(world.roots, str(sub / f"{number}.txt"), "written")
                outcomes["written"] += 1
            except Refused:
                outcomes["refused"] += 1

    assert before == world.state()
    assert outcomes["written"] + outcomes["refused"] == 400


def test_a_file_that_becomes_a_link_meanwhile_is_not_read(world: World) -> None:
    """Reading gives what lies in the run folder or refuses; never what the link leads to."""
    target, spare = world.run / "target.txt", world.run / "spare"
    target.write_text("inside")
    lines = set()

    def swap() -> None:
        spare.symlink_to(world.outside / "secret.txt")
        spare.replace(target)
        spare.write_text("inside")
        spare.replace(target)

    with swapping(swap):
        for _ in range(400):
            with suppress(Refused):
                lines.update(files.read(world.roots, str(target)).lines)
                lines.update(hit.text for hit in files.grep(world.roots, ".", str(target)).hits)

    assert lines <= {"inside"}


def test_a_folder_that_becomes_a_link_meanwhile_is_not_searched(world: World) -> None:
    """A walk enters the folder it saw, or none."""
    sub, aside, link = world.run / "sub", world.run / "aside", world.run / "link"
    (sub / "in.txt").write_text("inside")
    link.symlink_to(world.outside, target_is_directory=True)
    texts, paths = set(), set()

    def swap() -> None:
        sub.rename(aside)
        link.rename(sub)
        sub.rename(link)
        aside.rename(sub)

    with swapping(swap):
        for _ in range(200):
            texts.update(hit.text for hit in files.grep(world.roots, ".", str(world.run), "*.txt").hits)
            paths.update(files.glob(world.roots, "**", str(world.run)).paths)

    assert not any("SECRET" in text for text in texts)
    assert not any("secret" in path for path in paths)


# read


def test_a_file_is_read_as_numbered_lines(world: World) -> None:
    """With a line at the end that says whether there is more."""
    page = files.read(world.roots, str(world.run / "notes.txt"))

    assert "     1\tone\n     2\ttwo\n     3\tthree\n(end, 3 lines)" == str(page)


def test_a_page_says_how_to_get_the_next(world: World) -> None:
    """Until there is none."""
    first = files.read(world.roots, str(world.run / "notes.txt"), limit=2)
    second = files.read(world.roots, str(world.run / "notes.txt"), offset=first.next or 0)

    assert "     1\tone\n     2\ttwo\n(more lines follow; read on with offset=3)" == str(first)
    assert "     3\tthree\n(end, 3 lines)" == str(second)


def test_paths_are_seen_from_the_memory(world: World) -> None:
    """Unless a run starts elsewhere."""
    elsewhere = Roots(world.roots.memory, world.roots.workspace, cwd=world.run)

    assert ("# Use JWT", "", "auth with a token") == files.read(world.roots, "decisions/a.md").lines
    assert ("one", "two", "three") == files.read(elsewhere, "notes.txt").lines


@pytest.mark.parametrize(
    ("content", "offset", "shown"),
    [
        (b"", 1, "(empty: no lines)"),
        (b"\n", 1, "     1\t\n(end, 1 lines)"),
        (b"a", 0, "     1\ta\n(end, 1 lines)"),
        (b"a\r\nb\r\n", -5, "     1\ta\n     2\tb\n(end, 2 lines)"),
        (b"a\x0cb\xe2\x80\xa8c\x85\n", 1, "     1\ta\x0cb\u2028c\ufffd\n(end, 1 lines)"),
        (b"a\nb\n", 9, "(there are 2 lines; offset=9 is past the last one)"),
        (b"\x89PNG\0\0" + b"x" * 94, 1, "(a binary file of 100 bytes; it is not shown)"),
    ],
)
def test_a_file_of_any_kind_is_shown(world: World, content: bytes, offset: int, shown: str) -> None:
    """Empty, without an end, from Windows, not quite text, not text at all."""
    (world.run / "file").write_bytes(content)

    assert shown == str(files.read(world.roots, str(world.run / "file"), offset))


def test_a_long_line_is_cut_and_says_so(world: World) -> None:
    """However long it is, and whatever its characters."""
    (world.run / "file").write_text("é" * 2000 + "\n" + "記" * 2001 + "\n" + "x" * 3_000_000 + "\nend\n")

    full, cut, huge, end = files.read(world.roots, str(world.run / "file")).lines

    assert "é" * 2000 == full
    assert "記" * 2000 + "… [cut: the line has 6004 bytes]" == cut
    assert "x" * 2000 + "… [cut: the line has 3000001 bytes]" == huge
    assert "end" == end


def test_a_folder_is_read_as_its_entries(world: World) -> None:
    """Sorted, folders with a slash, and what cannot be opened named as such."""
    for name in ("link", "fifo"):
        HOSTILE[name](world)
    os.mkfifo(world.run / "new\nline")
    page = files.read(world.roots, str(world.run), limit=3)

    assert ("fifo (neither a file nor a folder)", "link.txt (a link, not followed)") == page.lines[:2]
    assert "new\\nline (neither a file nor a folder)" == page.lines[2]
    assert 4 == page.next
    assert ("notes.txt", "sub/") == files.read(world.roots, str(world.run), offset=4).lines


def test_a_single_file_given_to_a_run_can_be_read(world: World) -> None:
    """A trace, for example; what lies beside it stays closed."""
    given_trace = Roots(world.roots.memory, world.roots.workspace, extra_reads=(world.outside / "secret.txt",))

    assert (SECRET,) == files.read(given_trace, str(world.outside / "secret.txt")).lines
    assert 1 == len(files.grep(given_trace, "SECRET", str(world.outside / "secret.txt")).hits)
    with pytest.raises(Refused, match="outside allowed roots"):
        files.read(given_trace, str(world.outside / "deep" / "secret.txt"))
    with pytest.raises(Refused, match="outside allowed roots"):
        files.glob(given_trace, "*", str(world.outside))


def test_a_root_reached_through_a_link_works_in_both_spellings(world: World) -> None:
    """As with a temporary folder that the system keeps elsewhere."""
    alias = world.base / "alias"
    alias.symlink_to(world.base, target_is_directory=True)
    roots = Roots(alias / "memory", alias / "workspace", run_folder=alias / "workspace" / "run")

    files.write(roots, str(alias / "workspace" / "run" / "a.txt"), "by its alias")
    files.write(roots, str(world.run / "b.txt"), "by its name")

    assert ("by its alias",) == files.read(roots, str(world.run / "a.txt")).lines
    assert ("by its name",) == files.read(roots, str(alias / "workspace" / "run" / "b.txt")).lines
    assert Primitive.DECISION is files.memory_file(roots, str(world.roots.memory / "decisions" / "a.md"))


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\n\r\0", codec="utf-8"), max_size=30), max_size=40),
    long=st.lists(st.integers(0, 30_000), max_size=40),
    limit=st.integers(-1, 50),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=examples(60))
def test_pages_cover_every_line_once(world: World, lines: list[str], long: list[int], limit: int) -> None:
    """Read page by page, each line comes once and in order, and no page is larger than a page may be."""
    lines = [*lines, *("y" * length for length in long)]
    (world.run / "file").write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="")
    read, offset = [], 1
    while True:
        page = files.read(world.roots, str(world.run / "file"), offset, limit)
        assert len(str(page).encode()) <= files.MAX_PAGE
        assert offset == page.first
        read += page.lines
        if page.next is None:
            break
        offset = page.next

    assert [line[: files.MAX_LINE] for line in lines] == [line[: files.MAX_LINE] for line in read]


# glob


def test_files_are_found_by_pattern(world: World) -> None:
    """From where relative paths start, from a folder, or by an absolute pattern."""
    decision = str(world.roots.memory / "decisions" / "a.md")

    assert (decision,) == files.glob(world.roots, "**/*.md").paths
    assert (decision,) == files.glob(world.roots, "*.md", "decisions").paths
    assert (decision,) == files.glob(world.roots, f"{world.base}/memory/d*/?.md").paths
    assert (decision,) == files.glob(world.roots, decision).paths
    assert () == files.glob(world.roots, "*.md").paths


def test_a_pattern_that_ends_with_a_slash_finds_folders(world: World) -> None:
    """And only folders."""
    found = files.glob(world.roots, "*/", str(world.roots.workspace))

    assert (f"{world.roots.workspace}/other/", f"{world.roots.workspace}/run/") == found.paths


@pytest.mark.parametrize("pattern", ["../*", "a/../../*", "", "a\0*", "\\*"])
def test_a_pattern_goes_down_only(world: World, pattern: str) -> None:
    """A step up is refused, and so is what no path may hold."""
    with pytest.raises(Refused):
        files.glob(world.roots, pattern)


def test_many_finds_are_counted_and_cut(world: World) -> None:
    """The first by name are shown, and how many there are."""
    for number in range(1200):
        (world.run / "sub" / f"{number:04}").touch()
    found = files.glob(world.roots, "**/0*", str(world.run))
    all_of_them = files.glob(world.roots, "**/[01]*", str(world.run))

    assert 1000 == found.total
    assert 1200 == all_of_them.total
    assert f"{world.run}/sub/0000" == all_of_them.paths[0]
    assert len(str(all_of_them).encode()) <= files.MAX_PAGE
    assert str(all_of_them).endswith(f"({len(all_of_them.paths)} of 1200 shown)")


def test_a_huge_tree_is_not_walked_to_its_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a bounded number of entries the search stops and says so."""
    monkeypatch.setattr(files, "MAX_ENTRIES", 50)
    for number in range(60):
        (world.run / "sub" / str(number)).touch()

    assert "stopped after 50 entries" in str(files.glob(world.roots, "**", str(world.run)))
    assert "stopped early" in str(files.grep(world.roots, "x", str(world.run)))


def test_a_deep_tree_is_not_walked_to_its_end(world: World) -> None:
    """Each level keeps a folder open, so there is a deepest one; what lies below is reported as left out."""
    deep = world.run
    for _ in range(files.MAX_DEPTH + 5):
        deep /= "d"
        deep.mkdir()
    (deep / "x.txt").touch()
    found = files.glob(world.roots, "**/*.txt", str(world.run))

    assert (f"{world.run}/notes.txt",) == found.paths
    assert "1 could not be opened" in str(found)


def test_a_new_project_has_nothing_to_find(world: World) -> None:
    """The memory folder need not be there; a folder that was asked for must."""
    new = Roots(world.base / "none" / "memory", world.base / "none" / "workspace")

    assert "(0 found)" == str(files.glob(new, "**/*.md"))
    assert "(0 matching lines in 0 files searched)" == str(files.grep(new, "token"))
    with pytest.raises(Refused, match="no such file or folder"):
        files.grep(new, "token", "decisions")


# grep


def test_lines_are_found_by_a_regular_expression(world: World) -> None:
    """With file and line, in all files below or in one."""
    decision = f"{world.roots.memory}/decisions/a.md"

    assert f"{decision}:3: auth with a token\n(1 matching lines in 1 files searched)" == str(
        files.grep(world.roots, r"auth\b.*token$")
    )
    assert [(decision, 1)] == [
        (hit.path, hit.line) for hit in files.grep(world.roots, "(?i)jwt", "decisions/a.md").hits
    ]


@pytest.mark.parametrize(
    ("include", "names"),
    [
        (None, ["a.md", "b.txt", "sub/c.md"]),
        ("*.md", ["a.md", "sub/c.md"]),
        ("sub/*", ["sub/c.md"]),
        ("**/c.*", ["sub/c.md"]),
        ("*.py", []),
    ],
)
def test_include_narrows_the_files(world: World, include: str | None, names: list[str]) -> None:
    """By name, or by path when it has a slash."""
    for name in ("a.md", "b.txt", "sub/c.md", ".hidden"):
        (world.run / name).write_text("needle\n")
    found = files.grep(world.roots, "needle", str(world.run), include)

    assert [f"{world.run}/{name}" for name in names] == [hit.path for hit in found.hits]


@pytest.mark.parametrize(("pattern", "reason"), [("(a", "missing )"), ("[", "missing ]"), ("", "empty")])
def test_a_bad_expression_is_named(world: World, pattern: str, reason: str) -> None:
    """So that the next one is better."""
    with pytest.raises(Refused, match="pattern is") as refused:
        files.grep(world.roots, pattern)

    assert reason in refused.value.message


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*a){12}[bc]", "(x+x+)+[yz]"])
def test_an_expression_that_would_hang_comes_back(world: World, pattern: str) -> None:
    """Tried one way after the other, each would still be busy when the sun goes out."""
    (world.run / "evil.txt").write_text(("a" * 5000 + "x" * 5000 + "!\n") * 10)
    found = files.grep(world.roots, pattern, str(world.run))

    assert (0, 2, None) == (len(found.hits), found.files, found.stopped)


def test_more_hits_than_fit_are_cut_and_it_says_so(world: World) -> None:
    """By number, or by the size of the answer."""
    (world.run / "many.txt").write_text("needle\n" * 500 + ("needle" + "y" * 500 + "\n") * 500)
    few = files.grep(world.roots, "needle", str(world.run), max_hits=3)
    large = files.grep(world.roots, "needley", str(world.run), max_hits=5000)

    assert [1, 2, 3] == [hit.line for hit in few.hits]
    assert "there are more than these 3" in str(few)
    assert len(str(large).encode()) <= files.MAX_PAGE
    assert "there are more than these" in str(large)


def test_as_many_hits_as_asked_for_are_all(world: World) -> None:
    """More is only mentioned when there are any."""
    assert files.grep(world.roots, "t", str(world.run), max_hits=2).stopped is None


def test_a_hit_in_a_long_line_is_shown_where_it_is(world: World) -> None:
    """In a file of any size; binary ones are passed over."""
    (world.run / "long.txt").write_text("x" * 50_000 + "needle" + "y" * 50_000 + "\n" + "z\n" * 200_000)
    (world.run / "binary").write_bytes(b"\0needle")
    hits = files.grep(world.roots, "needle", str(world.run)).hits

    assert [("long.txt", 1)] == [(Path(hit.path).name, hit.line) for hit in hits]
    assert "xneedley" in hits[0].text
    assert len(hits[0].text) == files.MAX_HIT + 2


def test_a_search_reads_so_much_and_no_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it stops and says so; what was found stays."""
    monkeypatch.setattr(files, "MAX_SEARCHED", 30)
    (world.run / "a.txt").write_text("needle\n")
    (world.run / "b.txt").write_text("needle\n" * 10)
    found = files.grep(world.roots, "needle", str(world.run))

    assert [f"{world.run}/a.txt"] == [hit.path for hit in found.hits]
    assert "stopped early" in str(found)


def test_lines_are_counted_as_reading_counts_them(world: World) -> None:
    """Whatever looks like the end of a line to others."""
    (world.run / "file").write_bytes(b"a\x0c\xe2\x80\xa8\r\nneedle\r\n\nneedle")

    assert [2, 4] == [hit.line for hit in files.grep(world.roots, "needle$", str(world.run / "file")).hits]


def test_many_small_files_are_all_searched(world: World) -> None:
    """As a memory that has grown for years."""
    for number in range(2000):
        (world.run / "sub" / f"{number}.md").write_text(f"about\ndecision {number}\n")
    found = files.grep(world.roots, r"decision 1\d*7$", str(world.run / "sub"), "*.md")

    expected = {f"decision {number}" for number in range(2000) if f"{number}"[0] == "1" and f"{number}"[-1] == "7"}
    assert (2000, len(expected), expected) == (found.files, len(found.hits), {hit.text for hit in found.hits})


def test_names_that_mean_something_to_a_shell_mean_nothing_here(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` and `$HOME` are names: not there to be read, and made like any other when written below the run folder."""
    monkeypatch.setenv("HOME", str(world.outside))
    for text in ("~/secret.txt", "$HOME/secret.txt", "~root/secret.txt", "`pwd`/secret.txt"):
        with pytest.raises(Refused, match="no such file or folder"):
            files.read(world.roots, text)
        assert () == files.glob(world.roots, text).paths
    files.write(world.roots, f"{world.run}/~/$HOME.txt", "text")

    assert "text" == (world.run / "~" / "$HOME.txt").read_text()


# write


def test_a_file_is_written_into_the_run_folder(world: World) -> None:
    """With its folders, readable by nobody else, and nothing beside it."""
    path = world.run / "deep" / "er" / "plan.md"
    written = files.write(world.roots, str(path), "ünïcode\n")

    assert files.WrittenFile(path, 10, created=True) == written
    assert f"Wrote '{path}', 10 bytes." == str(written)
    assert "ünïcode\n".encode() == path.read_bytes()
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    assert ["plan.md"] == os.listdir(path.parent)


def test_writing_again_replaces_the_file(world: World) -> None:
    """As a new file: whoever has the old one open keeps it."""
    path = world.run / "notes.txt"
    with path.open() as before:
        written = files.write(world.roots, str(path), "new")

        assert "one\ntwo\nthree\n" == before.read()
    assert not written.created
    assert "new" == path.read_text()


def test_a_leftover_of_a_crash_is_in_nobodys_way(world: World) -> None:
    """Even when it is a link that leads outside."""
    leftover = world.run / f".lerim-{os.getpid()}-{threading.get_ident()}.tmp"
    leftover.symlink_to(world.outside / "secret.txt")
    before = world.state()

    files.write(world.roots, str(world.run / "x.txt"), "text")

    assert "text" == (world.run / "x.txt").read_text()
    assert before == world.state()
    assert not leftover.is_symlink()


@pytest.mark.parametrize(("content", "reason"), [("x" * 1_000_001, "1000001 bytes"), ("\udcff", "not valid Unicode")])
def test_content_that_cannot_be_kept_is_refused(world: World, content: str, reason: str) -> None:
    """Before anything is made."""
    with pytest.raises(Refused, match=reason):
        files.write(world.roots, str(world.run / "new" / "x.txt"), content)

    assert not (world.run / "new").exists()


def test_a_run_folder_that_is_gone_is_not_made_again(world: World) -> None:
    """Whoever removed it ended the run."""
    gone = Roots(world.roots.memory, world.roots.workspace, run_folder=world.roots.workspace / "gone")

    with pytest.raises(Refused, match="no such file or folder"):
        files.write(gone, str(world.roots.workspace / "gone" / "x.txt"), "text")

    assert not (world.roots.workspace / "gone").exists()


def test_a_memory_file_is_known_by_its_path(world: World) -> None:
    """So that whoever asked can be told the right tool; and writing it as a file names those tools, too."""
    assert Primitive.DECISION is files.memory_file(world.roots, "Decisions/a.md")
    assert Primitive.SUMMARY is files.memory_file(world.roots, "summaries/20260220/103000/s.md")
    assert files.memory_file(world.roots, str(world.run / "decisions" / "a.md")) is None
    with pytest.raises(Refused, match="Use write_memory for decisions and learnings, summarize_pipeline for summaries"):
        files.write(world.roots, "decisions/b.md", "text")


def test_no_tool_leaves_anything_open(world: World) -> None:
    """However it ends."""
    for name in ("link", "link-to-a-folder", "fifo"):
        HOSTILE[name](world)
    before = len(os.listdir("/dev/fd"))
    for tool in TOOLS.values():
        for path in (world.run, world.run / "notes.txt", world.run / "linked" / "x", world.run / "fifo", world.outside):
            with suppress(Refused):
                tool(world.roots, str(path))

    assert before == len(os.listdir("/dev/fd"))
