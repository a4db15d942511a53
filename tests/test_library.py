"""The promises belong to the library: whoever calls it, from a program or a terminal, they are kept."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lerim import Lerim, LerimAgent
from lerim.context.backups import Backups
from lerim.context.filters import ANY
from lerim.context.memory import Memory
from lerim.context.place import Kept
from lerim.context.records import Draft, Primitive, Trust
from lerim.context.review.candidates import ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.context.review.desk import Proposed, ReviewDecision, ReviewVerdict
from lerim.context.review.room import Review
from lerim.curate.grounding import Grounding
from lerim.errors import LerimError, StoreCorrupt
from lerim.flows.agents_word import AgentsWord
from lerim.flows.intake import Intake
from lerim.flows.serving import Serving
from lerim.flows.setup import Setup
from lerim.graph.room import ContextGraph
from lerim.runtime.maintenance import Maintenance
from lerim.runtime.remembering import Remark
from lerim.search.room import SearchIndex
from lerim.storage.database import Database
from lerim.storage.engine import open_database
from lerim.storage.entries import entries, not_an_entry
from lerim.storage.reopening import ReopeningDatabase
from lerim.views.room import ViewName, Views

from .conftest import Prepared

OLD, NEW = "Tokens live for a week", "Tokens live for a quarter"
TRACE = "User: Always use pnpm in this repository, never npm. Remember that.\nAssistant: Understood, pnpm it is.\n"


class World:
    """A home, a project with one memory and one candidate, and what a person does to the files."""

    def __init__(self, folder: Path) -> None:
        self.env = {"HOME": str(folder), "LERIM_HOME": str(folder / "home")}
        self.home = folder / "home"
        self.project = folder / "shop"

    def fill(self) -> None:
        self.project.mkdir()
        with self.open() as lerim:
            lerim.setup.init()
            lerim.memory.add(Draft(Primitive.DECISION, OLD, "Ask the auth team."))
            lerim.memory.add(Draft(Primitive.DECISION, "Use pnpm", "It is fast."))
            propose(lerim)
        self.settle()

    def look(self) -> None:
        """Hold what is there, as whoever asked for it a while ago does."""
        with self.open() as lerim:
            self.kept, self.spare = sorted(lerim.memory.select(ANY), key=lambda kept: kept.record.title)
            (self.proposed,) = lerim.review.select()
            self.path = self.kept.path

    def open(self, cwd: Path | None = None) -> Lerim:
        return Lerim(cwd or self.project, env=self.env)

    def settle(self) -> None:
        """Make all files older than the moment in which a second edit could go unseen."""
        for file in self.project.rglob("*.md"):
            os.utime(file, (time.time() - 60,) * 2)
        with self.open() as lerim:
            lerim.memory.reconcile()

    def edit(self, old: str = OLD, new: str = NEW) -> None:
        """As an editor does."""
        assert self.path is not None
        text = self.path.read_text("utf-8")
        assert old in text
        self.path.write_text(text.replace(old, new), "utf-8")

    def title(self) -> str:
        """What the store says, past all rooms."""
        with sqlite3.connect(self.home / "context.sqlite3") as connection:
            row = connection.execute("SELECT title FROM records WHERE id = ?", (self.kept.record.id,)).fetchone()
        connection.close()
        return str(row[0])

    def damage(self, table: str) -> None:
        """Spoil the middle of the store: a page that opening it does not read."""
        path = self.home / "context.sqlite3"
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
            size = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.close()
        with path.open("r+b") as file:
            file.seek((page - 1) * size)
            file.write(b"\xff" * size)

    def overwrite(self) -> None:
        """Spoil the store from its first byte: nothing can be read of it."""
        for side in ("-wal", "-shm"):
            (self.home / f"context.sqlite3{side}").unlink(missing_ok=True)
        with (self.home / "context.sqlite3").open("r+b") as file:
            file.write(b"no database at all " * 10)

    def damaged(self) -> list[Path]:
        return [
            path for path in self.home.glob("context.sqlite3.damaged-*") if not path.name.endswith(("-wal", "-shm"))
        ]


def propose(lerim: Lerim) -> Proposed:
    place, now = lerim.memory.target(), lerim.house.clock()
    found = ReviewCandidate(new_review_id(), "claude/1", "sync-1", Primitive.DECISION, "Use tabs", "", 0.5, now)
    with place.change("lerim", "sync", "sync-1") as change:
        return Proposed(ReviewList(change).save_all("claude/1", [found])[0], place)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("world"), lambda folder: World(folder).fill())


@pytest.fixture
def world(filled: Prepared) -> World:
    world = World(filled.anew())
    world.look()
    return world


def may_fail(call: Callable[[], Any]) -> Any:
    """Some entries have nothing to do here, and say so. They looked at the files before."""
    try:
        return call()
    except StoreCorrupt:
        raise
    except LerimError:
        return None


Entry = Callable[[Lerim, World], Any]
LERIM: dict[str, Entry] = {
    "sync": lambda lerim, world: list(lerim.sync()),
    "check_grounds": lambda lerim, world: lerim.check_grounds(),
    "plan": lambda lerim, world: lerim.plan(),
    "ingest": lambda lerim, world: lerim.ingest(lerim.traces.add(TRACE, "mine")),
    "sheet": lambda lerim, world: lerim.sheet(lerim.traces.add(TRACE, "mine")),
    "maintain": lambda lerim, world: lerim.maintain(),
    "feedback": lambda lerim, world: lerim.feedback(world.spare.record.id, "useful"),
    "search": lambda lerim, world: lerim.search("tokens"),
    "ask": lambda lerim, world: lerim.ask("how long do tokens live?"),
    "why": lambda lerim, world: lerim.why(world.spare),
    "why_waiting": lambda lerim, world: may_fail(lambda: lerim.why_waiting(world.proposed)),
    "project": lambda lerim, world: lerim.project(),
    "reword_brief": lambda lerim, world: may_fail(lerim.reword_brief),
    "titled": lambda lerim, world: lerim.titled(lerim.sessions.queue.list()),
    "status": lambda lerim, world: lerim.status(),
    "outlook": lambda lerim, world: lerim.outlook(),
    "objectives": lambda lerim, world: lerim.objectives(),
}
SETUP: dict[str, Entry] = {
    "init": lambda lerim, world: lerim.setup.init(),
    "adopt": lambda lerim, world: lerim.setup.adopt(),
    "join": lambda lerim, world: may_fail(lambda: lerim.setup.join("tried")),
    "trust": lambda lerim, world: lerim.setup.trust(lerim.project()),
    "would_reveal": lambda lerim, world: lerim.setup.would_reveal(),
    "set_profile": lambda lerim, world: lerim.setup.set_profile(lerim.project(), "coding"),
    "remove": lambda lerim, world: lerim.setup.remove(lerim.projects.add(world.home.parent / "other")),
}
SERVING: dict[str, Entry] = {
    "usefulness": lambda lerim, world: lerim.serving.usefulness(),
    "by_day": lambda lerim, world: lerim.serving.by_day(),
    "replay": lambda lerim, world: lerim.serving.replay(lerim.traces.add(TRACE, "mine")),
}
AGENTS_WORD: dict[str, Entry] = {
    "remember": lambda lerim, world: lerim.agents_word.remember(
        Remark("Use spaces in Go files", "use spaces in Go files")
    ),
    "feedback": lambda lerim, world: lerim.agents_word.feedback(world.spare.record.id, "useful"),
    "submit_trace": lambda lerim, world: lerim.agents_word.submit_trace(TRACE, "mine"),
}
INTAKE: dict[str, Entry] = {
    "ingest": lambda lerim, world: lerim.intake.ingest(lerim.traces.add(TRACE, "mine")),
}
MEMORY: dict[str, Entry] = {
    "places": lambda lerim, world: lerim.memory.places(),
    "place": lambda lerim, world: lerim.memory.place(world.kept.place.project),
    "target": lambda lerim, world: lerim.memory.target(),
    "add": lambda lerim, world: lerim.memory.add(Draft(Primitive.DECISION, "Use Postgres")),
    "find": lambda lerim, world: lerim.memory.find(world.kept.record.id),
    "select": lambda lerim, world: lerim.memory.select(ANY),
    "page": lambda lerim, world: lerim.memory.page(ANY, limit=5),
    "following": lambda lerim, world: lerim.memory.following(ANY, limit=5),
    "ids": lambda lerim, world: lerim.memory.ids("dec-"),
    "current": lambda lerim, world: lerim.memory.current(world.kept),
    "as_of": lambda lerim, world: may_fail(lambda: lerim.memory.as_of(world.kept, world.kept.record.created)),
    "history": lambda lerim, world: lerim.memory.history(world.kept),
    "version": lambda lerim, world: lerim.memory.version(world.kept, 2),
    "revise": lambda lerim, world: lerim.memory.revise(world.kept, reason="more", body="Ask again."),
    "replace_text": lambda lerim, world: replaced(lerim, world.spare),
    "archive": lambda lerim, world: lerim.memory.archive(world.spare, reason="done"),
    "restore": lambda lerim, world: may_fail(lambda: lerim.memory.restore(world.spare, reason="again")),
    "supersede": lambda lerim, world: lerim.memory.supersede(world.spare, world.kept, reason="newer"),
    "touch": lambda lerim, world: lerim.memory.touch([world.spare]),
    "note_given": lambda lerim, world: lerim.memory.note_given([world.spare.record.id]),
    "undo": lambda lerim, world: may_fail(lambda: lerim.memory.undo(change_id=9999)),
    "import_from": lambda lerim, world: lerim.memory.import_from(None, []),
    "export_lines": lambda lerim, world: lerim.memory.export_lines(),
    "export_to": lambda lerim, world: lerim.memory.export_to(world.home / "all.jsonl"),
    "check": lambda lerim, world: lerim.memory.check(),
    "scan": lambda lerim, world: lerim.memory.scan(),
    "rebuild_files": lambda lerim, world: lerim.memory.rebuild_files(),
}
REVIEW: dict[str, Entry] = {
    "select": lambda lerim, world: lerim.review.select(),
    "find": lambda lerim, world: lerim.review.find(world.proposed.candidate.id),
    "of_record": lambda lerim, world: lerim.review.of_record(world.kept),
    "replaced_by": lambda lerim, world: lerim.review.replaced_by(world.kept),
    "rivals": lambda lerim, world: lerim.review.rivals(world.proposed),
    "waiting": lambda lerim, world: lerim.review.waiting(),
    "next": lambda lerim, world: lerim.review.next(),
    "looked_at": lambda lerim, world: lerim.review.looked_at(world.proposed),
    "decide": lambda lerim, world: lerim.review.decide(
        ReviewDecision(world.proposed.candidate.id, ReviewVerdict.REJECT)
    ),
    "record_of": lambda lerim, world: lerim.review.record_of(world.proposed),
    "accept": lambda lerim, world: lerim.review.accept(world.proposed),
    "reject": lambda lerim, world: lerim.review.reject(world.proposed),
    "restore": lambda lerim, world: may_fail(lambda: lerim.review.restore(world.proposed)),
}
INDEX: dict[str, Entry] = {
    "refresh": lambda lerim, world: lerim.index.refresh(),
    "health": lambda lerim, world: lerim.index.health(),
    "missing": lambda lerim, world: lerim.index.missing(),
}
#: The entries that are generators: they see the files through the entries they go through.
GENERATORS: dict[str, Entry] = {
    "spooled": lambda lerim, world: list(lerim.intake.spooled()),
    "sync": lambda lerim, world: list(lerim.intake.sync()),
    "sync of a session": lambda lerim, world: lerim.traces.add(TRACE, "mine") and list(lerim.sync()),
}
BACKUPS: dict[str, Entry] = {
    "make": lambda lerim, world: lerim.backups.make(),
    "make_if_due": lambda lerim, world: lerim.backups.make_if_due(),
    "restore": lambda lerim, world: lerim.backups.restore(lerim.backups.make()),
}
VIEWS: dict[str, Entry] = {
    "refresh": lambda lerim, world: lerim.views.refresh(ViewName.BRIEF),
    "render": lambda lerim, world: lerim.views.render(ViewName.CLINIC),
    "reword": lambda lerim, world: lerim.views.reword(ViewName.BRIEF, lambda lines, records: {}),
}
GRAPH: dict[str, Entry] = {
    "refresh": lambda lerim, world: lerim.graph.refresh(),
    "show": lambda lerim, world: lerim.graph.show(),
    "part": lambda lerim, world: lerim.graph.part(5),
    "neighbors": lambda lerim, world: lerim.graph.neighbors(world.kept.record.id),
    "clusters": lambda lerim, world: lerim.graph.clusters(),
    "path": lambda lerim, world: lerim.graph.path(world.kept.record.id, world.kept.record.id),
}
GROUNDING: dict[str, Entry] = {
    "check": lambda lerim, world: lerim.grounding.check(),
    "show": lambda lerim, world: lerim.grounding.show(),
    "of": lambda lerim, world: lerim.grounding.of(world.kept.record.id),
}
CURATION: dict[str, Entry] = {
    "maintain": lambda lerim, world: lerim.curation.maintain(unattended=True),
    "plan": lambda lerim, world: lerim.curation.plan(),
    "apply": lambda lerim, world: may_fail(lambda: lerim.curation.apply(world.home / "no plan.md")),
    "decline": lambda lerim, world: may_fail(lambda: lerim.curation.decline(world.home / "no plan.md", [1])),
    "undo": lambda lerim, world: may_fail(lambda: lerim.curation.undo("maintain-1")),
    "undoable": lambda lerim, world: lerim.curation.undoable(),
}
ROOMS: list[tuple[type, dict[str, Entry]]] = [
    (Lerim, LERIM),
    (Intake, INTAKE),
    (Setup, SETUP),
    (Serving, SERVING),
    (AgentsWord, AGENTS_WORD),
    (Memory, MEMORY),
    (Review, REVIEW),
    (SearchIndex, INDEX),
    (Backups, BACKUPS),
    (Views, VIEWS),
    (Grounding, GROUNDING),
    (Maintenance, CURATION),
    (ContextGraph, GRAPH),
]
ALL = [(f"{room.__name__}.{name}", call) for room, calls in ROOMS for name, call in calls.items()]
ALL += [(f"Intake.{name}", call) for name, call in GENERATORS.items()]
#: Entries of what the store knows, for whom files do not matter.
STORED: list[tuple[str, Entry]] = [
    ("Projects.all", lambda lerim, world: lerim.projects.all()),
    ("Projects.find", lambda lerim, world: lerim.projects.find("shop")),
    ("Memory.rebuild_store", lambda lerim, world: lerim.memory.rebuild_store()),
    ("Kept.path", lambda lerim, world: lerim.memory.find(world.kept.record.id).path),
]


def is_entry(name: str, method: object) -> bool:
    return not name.startswith("_") and hasattr(method, "__wrapped__")


def replaced(lerim: Lerim, kept: Kept) -> Kept:
    assert kept.path is not None
    before = kept.path.read_bytes()
    return lerim.memory.replace_text(kept, before, before.replace(b"It is fast.", b"It is small."))


def these(calls: list[tuple[str, Entry]], every: int = 1, first: int = 0) -> pytest.MarkDecorator:
    """All of them; of which one of so many is tried by default, where another test tries each."""
    marks = [() if number % every == first else pytest.mark.drill for number in range(len(calls))]
    return pytest.mark.parametrize(
        "call", [pytest.param(call, id=name, marks=mark) for (name, call), mark in zip(calls, marks, strict=True)]
    )


# --- what people do to the files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("room", "calls"), ROOMS, ids=[room.__name__ for room, _ in ROOMS])
def test_every_entry_of_a_room_is_tried_here(room: type, calls: dict[str, Entry]) -> None:
    """A method that is added must have a line above."""
    assert set(calls) == {name for name, method in vars(room).items() if is_entry(name, method)}


@these(ALL)
def test_an_entry_sees_what_a_person_wrote_before_the_call(call: Entry, world: World) -> None:
    """No command has to come first."""
    world.edit()

    with world.open() as lerim:
        call(lerim, world)
        assert NEW == world.title()


@these(ALL, every=2)
def test_an_entry_sees_what_a_person_wrote_between_two_calls(call: Entry, world: World) -> None:
    """A server is opened once, and people go on editing."""
    with world.open() as lerim:
        assert OLD == lerim.memory.find(world.kept.record.id).record.title
        world.edit()
        call(lerim, world)
        assert NEW == world.title()


def test_what_is_found_is_what_the_file_says(world: World) -> None:
    """The answer itself, not only the store."""
    with world.open() as lerim:
        assert OLD == lerim.search("how long do tokens live")[0].kept.record.title
        world.edit()
        assert NEW == lerim.search("how long do tokens live")[0].kept.record.title
        world.edit(NEW, "Tokens live for 90 days")
        assert "90 days" in lerim.ask("how long do tokens live?", embedded=True).text


def test_what_was_picked_up_is_reported_once_and_added_up(world: World) -> None:
    """Two edits of one file and a file that cannot be read: all of it is in the news, and then it is not."""
    with world.open() as lerim:
        lerim.memory.select()
        assert [] == lerim.news()
        world.edit()
        lerim.memory.select()
        world.edit(NEW, "Tokens live for 90 days")
        (world.project / ".lerim" / "memory" / "decisions" / "broken.md").write_text("---\nid: dec-\n")
        lerim.search("tokens")
        lerim.memory.select()
        ((place, done),) = lerim.news()
        assert [NEW, "Tokens live for 90 days"] == [record.title for record in done.edited]
        assert (1, "shop", []) == (len(done.problems), place.project.name, lerim.news())


def test_who_listens_hears_it_at_once_and_no_problem_twice(world: World) -> None:
    """As somebody at a terminal does."""
    edits: list[tuple[int, int]] = []
    (world.project / ".lerim" / "memory" / "decisions" / "broken.md").write_text("---\nid: dec-\n")

    with Lerim(
        world.project, env=world.env, on_edits=lambda _, done: edits.append((done.changes, len(done.problems)))
    ) as lerim:
        lerim.status()
        lerim.memory.select()
        world.edit()
        lerim.memory.select()

    assert [(0, 1), (1, 0)] == edits


def test_one_call_looks_at_the_files_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many entries an entry goes through."""
    from lerim.context.face.folder import MemoryFolder

    looks: list[Path] = []
    scan = MemoryFolder.scan
    monkeypatch.setattr(MemoryFolder, "scan", lambda folder: (looks.append(folder.root), scan(folder))[1])

    with world.open() as lerim:
        lerim.ask("how long do tokens live?", embedded=True)

    assert [world.project / ".lerim" / "memory"] == looks


def test_a_reset_picks_up_nothing(world: World) -> None:
    """What is to be forgotten need not be read; the backup has the person's text."""
    world.edit()

    with world.open() as lerim:
        done = lerim.memory.reset("project")

    assert done.backup is not None
    assert any(NEW in file.read_text("utf-8") for file in done.backup.rglob("*.md"))


def test_the_agent_of_a_program_sees_the_files_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made with the arguments alone, its rooms come from the same house."""
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    world.edit()

    answer = LerimAgent(default_cwd=world.project).ask("how long do tokens live?")

    assert [world.kept.record.id] == [kept.record.id for kept in answer.sources]
    assert NEW == world.title()


# --- a damaged store --------------------------------------------------------------------------------------------------


@these([*ALL, *STORED], every=2, first=1)
def test_a_store_that_is_damaged_inside_is_mended_by_whoever_notices(call: Entry, world: World) -> None:
    """The call is answered, the files fill the new store, and the old one is kept."""
    with world.open() as lerim:
        world.kept, world.spare = (lerim.memory.find(kept.record.id) for kept in (world.kept, world.spare))
        world.proposed = lerim.review.find(world.proposed.candidate.id)
        lerim.house.close()
        world.damage("records")

        may_fail(lambda: call(lerim, world))

        assert OLD in [kept.record.title for kept in lerim.memory.select(ANY)]
        assert (1, 1) == (len(world.damaged()), len(lerim.notices))


def test_a_call_on_a_damaged_store_is_answered(world: World) -> None:
    """By words, by meaning and by id: nobody has to ask twice."""
    for table in ("records", "projects", "identity"):
        world.damage(table)
        with world.open() as lerim:
            assert OLD == lerim.search("how long do tokens live")[0].kept.record.title
            assert [f"{world.home}/context.sqlite3.damaged-"] == [
                notice.split("kept as ")[1][: len(f"{world.home}/context.sqlite3.damaged-")] for notice in lerim.notices
            ]
        for damaged in world.damaged():
            damaged.unlink()


def test_what_a_damaged_store_cannot_say_the_newest_backup_does(world: World) -> None:
    """Which projects there are, and that they are trusted: the memories are the user's own again, and are counted."""
    with world.open() as lerim:
        made = lerim.backups.make()
    world.overwrite()

    with world.open() as lerim:
        assert [(OLD, Trust.USER), ("Use pnpm", Trust.USER)] == sorted(
            (kept.record.title, kept.record.trust) for kept in lerim.memory.select(ANY)
        )
        assert lerim.house.project_here().is_trusted
        (told,) = lerim.notices
        assert "2 memories were rebuilt from their files" in told
        assert f"lerim restore {made.name}" in told


def test_what_waits_for_review_is_read_out_of_a_damaged_store(world: World) -> None:
    """It is in no file, and no sync would propose it again. What somebody decided stays decided."""
    with world.open() as lerim:
        waiting = [one.candidate for one in lerim.review.select()]
    world.damage("records")

    with world.open() as lerim:
        lerim.memory.select(ANY)
        assert waiting == [one.candidate for one in lerim.review.select()] != []
        assert f"{len(waiting)} that wait for review from what could be read" in lerim.notices[0]
        lerim.review.reject(lerim.review.find(world.proposed.candidate.id))
    world.damage("records")

    with world.open() as lerim:
        lerim.memory.select(ANY)
        assert world.proposed.candidate.id not in [one.candidate.id for one in lerim.review.select()]
        assert lerim.notices


def test_where_nothing_of_a_damaged_store_can_be_read_the_newest_backup_has_what_waits(world: World) -> None:
    with world.open() as lerim:
        waiting = [one.candidate for one in lerim.review.select()]
        lerim.backups.make()
    world.overwrite()

    with world.open() as lerim:
        assert waiting == [one.candidate for one in lerim.review.select()]


def test_a_damaged_backup_is_neither_believed_nor_named(world: World) -> None:
    with world.open() as lerim:
        older, newer = lerim.backups.make(), lerim.backups.make()
    (newer.folder / "context.sqlite3").write_bytes(b"no database")
    world.overwrite()

    with world.open() as lerim:
        assert lerim.house.project_here().is_trusted
        assert f"lerim restore {older.name}" in lerim.notices[0]


def test_trust_that_was_taken_back_since_the_backup_is_not_given_again(world: World) -> None:
    with world.open() as lerim:
        lerim.backups.make()
        lerim.setup.trust(lerim.house.project_here(), trusted=False)
    world.overwrite()

    with world.open() as lerim:
        assert not lerim.house.project_here().is_trusted
        assert {Trust.SHARED} == {kept.record.trust for kept in lerim.memory.select(ANY)}


def test_without_a_backup_it_is_said_that_the_projects_are_not_known(world: World) -> None:
    """What is in their files comes back all the same, as whoever's it may be; the brief does not say there is none."""
    world.overwrite()

    with world.open() as lerim:
        assert 2 == len(lerim.memory.select(ANY))
        (told,) = lerim.notices
        assert "0 memories were rebuilt" in told
        assert "lerim project trust" in told
        assert "there is no backup" in told
        brief = lerim.views.render(ViewName.BRIEF).text
        assert "2 memories came with the repository" in brief
        assert "Nothing is remembered" not in brief


@pytest.mark.parametrize("damage", [b"this is no database " * 1000, b""])
def test_notes_that_are_damaged_or_gone_are_made_again(world: World, damage: bytes) -> None:
    """They are about files and index, which are still there: nothing is kept twice, written again or reported."""
    with world.open() as lerim:
        before = [kept.record for kept in lerim.memory.select(ANY)]
        files = {path: path.stat().st_mtime_ns for path in world.project.rglob("*.md")}
    for side in ("-wal", "-shm"):
        (world.home / "index" / f"local.sqlite3{side}").unlink(missing_ok=True)
    (world.home / "index" / "local.sqlite3").write_bytes(damage)

    with world.open() as lerim:
        assert OLD == lerim.search("how long do tokens live")[0].kept.record.title
        assert before == [kept.record for kept in lerim.memory.select(ANY)]
        assert files == {path: path.stat().st_mtime_ns for path in world.project.rglob("*.md")}
        assert ([], []) == (lerim.notices, [done for _, done in lerim.news() if done.changes])
        assert [] == lerim.memory.check()


def test_what_somebody_holds_of_a_damaged_store_stays_good(world: World) -> None:
    """A room and a record that were taken before: the file behind them was replaced, not they."""
    with world.open() as lerim:
        memory, kept = lerim.memory, lerim.memory.find(world.kept.record.id)
        lerim.house.close()
        world.damage("versions")

        assert [OLD] == [version.record.title for version in memory.history(kept)]
        assert "Ask nobody." == memory.revise(kept, reason="simpler", body="Ask nobody.").record.body


def test_a_damaged_note_of_this_machine_is_made_again(world: World) -> None:
    """How files looked last and what the index holds: all of it can be found again, and the store is left alone."""
    path = world.home / "index" / "local.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    pages = path.read_bytes()
    path.write_bytes(pages[:4096] + b"\xff" * (len(pages) - 4096))
    world.edit()

    with world.open() as lerim:
        assert NEW == lerim.search("how long do tokens live")[0].kept.record.title
        assert [1, 2] == [version.record.version for version in lerim.memory.history(world.kept)]
    assert [] == world.damaged()


def test_a_damaged_catalog_has_found_the_sessions_again(world: World) -> None:
    """Whoever lists what waits is not told that there is nothing."""
    with world.open() as lerim:
        lerim.traces.add(TRACE, "mine")
        lerim.house.close()
        path = world.home / "index" / "sessions.sqlite3"
        pages = bytearray(path.read_bytes())
        path.write_bytes(pages[:4096] + b"\xff" * (len(pages) - 4096))

        assert ["custom/mine"] == [session.name for session in lerim.sessions.queue.list()]
        assert 1 == len(lerim.notices)


def test_work_that_was_committed_is_not_done_again(world: World) -> None:
    """Half of it would be there twice. The next call finds a sound store."""
    with world.open() as lerim:
        memory, done = lerim.memory, list[str]()

        def half_done() -> None:
            done.append("once")
            memory.add(Draft(Primitive.DECISION, "Written before the damage"))
            lerim.house.close()
            world.damage("versions")
            memory.history(world.kept)

        with pytest.raises(StoreCorrupt):
            memory.enter(half_done)

        assert ["once"] == done
        assert "Written before the damage" in [kept.record.title for kept in memory.select()]


def test_a_store_that_cannot_be_mended_is_not_asked_for_ever(tmp_path: Path) -> None:
    """Twice damaged is damaged."""
    tries: list[int] = []

    def work() -> None:
        with database.read():
            tries.append(1)
            raise StoreCorrupt("damaged")

    def opened() -> Database:
        return open_database(tmp_path / "context.sqlite3", "context")

    database = ReopeningDatabase(opened, opened)
    with pytest.raises(StoreCorrupt):
        database.guarded(work)
    database.close()

    assert [1, 1] == tries


def test_entries_are_the_public_methods() -> None:
    """Generators, properties and what says so are left alone."""
    entered: list[str] = []

    @entries
    class Room:
        def enter(self, work: Callable[[], Any]) -> Any:
            entered.append("entered")
            return work()

        def entry(self) -> int:
            return 1

        def bit_by_bit(self) -> Iterator[int]:
            yield 2

        @not_an_entry
        def alone(self) -> int:
            return 3

    room = Room()

    assert (1, [2], 3, ["entered"]) == (room.entry(), list(room.bit_by_bit()), room.alone(), entered)


# --- settings belong to a project -------------------------------------------------------------------------------------


class Street:
    """Two projects side by side: one shares its traces and has secrets of its own, the other does neither."""

    def __init__(self, folder: Path) -> None:
        self.env = {"HOME": str(folder), "LERIM_HOME": str(folder / "home")}
        self.open_one, self.closed_one = folder / "open", folder / "closed"
        for root, text in (
            (self.open_one, '[memory]\nshare_traces = true\n[redaction]\npatterns = ["pnpm"]\n'),
            (self.closed_one, '[redaction]\npatterns = ["Understood"]\n'),
        ):
            (root / ".lerim").mkdir(parents=True)
            (root / ".lerim" / "config.toml").write_text(text)
            with Lerim(root, env=self.env) as lerim:
                lerim.setup.trust(lerim.setup.init())

    def shared(self, root: Path) -> bool:
        return "!/meta/" in (root / ".lerim" / ".gitignore").read_text()

    def trace(self, root: Path) -> str:
        return next((root / ".lerim" / "meta" / "traces").rglob("*.jsonl")).read_text()


@pytest.fixture
def street(tmp_path: Path) -> Street:
    return Street(tmp_path)


def standing_in_the_other(lerim: Lerim, root: Path) -> None:
    """All that one project's directory lets somebody do to another one's memory."""
    lerim.setup.init(root)
    session = lerim.traces.add(TRACE, f"in-{root.name}", root)
    list(lerim.sync())
    lerim.ingest(session)
    project = lerim.projects.find(str(root))
    lerim.workforce.agent(project).maintain(root / ".lerim" / "memory")
    with lerim.memory.place(project).change("person", "by hand") as change:
        change.create(Draft(Primitive.DECISION, "Use Postgres").record(change.now))


def test_what_a_project_shares_does_not_depend_on_where_somebody_stands(street: Street) -> None:
    """Neither is opened to git nor closed by the neighbor's settings."""
    with Lerim(street.open_one, env=street.env) as lerim:
        standing_in_the_other(lerim, street.closed_one)
    with Lerim(street.closed_one, env=street.env) as lerim:
        standing_in_the_other(lerim, street.open_one)

    assert (True, False) == (street.shared(street.open_one), street.shared(street.closed_one))


def test_a_folder_that_is_written_again_keeps_its_own_settings(street: Street) -> None:
    """`git clean` took it; a call from next door brings it back."""
    with Lerim(street.closed_one, env=street.env) as lerim:
        lerim.memory.add(Draft(Primitive.DECISION, "Use Postgres"))
        closed = lerim.project()
    for file in sorted((street.closed_one / ".lerim").rglob("*"), reverse=True):
        if file.name != "config.toml":
            file.rmdir() if file.is_dir() else file.unlink()

    with Lerim(street.open_one, env=street.env) as lerim:
        lerim.memory.place(closed)

    assert not street.shared(street.closed_one)
    assert 1 == len(list((street.closed_one / ".lerim" / "memory").rglob("*.md")))


def test_a_trace_is_redacted_by_the_settings_of_where_it_happened(street: Street) -> None:
    """The neighbor's secrets are none here, and ours stay secret wherever somebody syncs."""
    with Lerim(street.open_one, env=street.env) as lerim:
        standing_in_the_other(lerim, street.closed_one)

    trace = street.trace(street.closed_one)
    assert "pnpm" in trace
    assert "Understood" not in trace


def test_a_projects_runs_are_traced_as_it_says(street: Street, tmp_path: Path) -> None:
    """Spans carry what was said: one project's wish must not export another's conversation."""
    (tmp_path / "home" / "config.toml").write_text(f'[trust]\nprojects = ["{street.open_one}"]\n')
    config = street.open_one / ".lerim" / "config.toml"
    config.write_text(config.read_text() + "[tracing]\nenabled = true\n")

    with Lerim(street.open_one, env=street.env) as lerim:
        agents = [
            lerim.workforce.agent(lerim.projects.find(str(root))) for root in (street.open_one, street.closed_one)
        ]
        assert [True, False] == [agent._rooms.tracing is not None for agent in agents]
