"""From the brief that a hook gives to what became of it: whether it was followed, and what had to be said again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import lerim
from lerim import Lerim
from lerim.context.records import Draft, Kind, Primitive
from lerim.runtime.replay import scores
from lerim.sessions.served import ServedViews, Usefulness
from lerim.sessions.session import SessionState
from lerim.views.view import ViewName

PACKAGE = str(Path(lerim.__file__).parents[1])
PROGRAM = f"import sys; sys.path.insert(0, {PACKAGE!r}); from lerim.cli.main import run; run()"
#: Who says what; commands of the agent's begin with a dollar.
Talk = Sequence[tuple[str, str]]


class World:
    """A project with two memories, whose agent is Claude Code with Lerim's hooks."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.project = folder, folder / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.env = {"HOME": str(folder), "PATH": os.defpath, "LERIM_NO_HELPER": "1", "PYTHONUTF8": "1"}
        with self.open() as lerim:
            lerim.setup.init()
            add = lerim.memory.add
            self.pnpm = add(Draft(Primitive.DECISION, "Install with pnpm, never with npm")).record.id
            self.tabs = add(Draft(Primitive.LEARNING, "Indent with tabs", kind=Kind.PREFERENCE)).record.id
            lerim.views.refresh(ViewName.BRIEF)

    def open(self) -> Lerim:
        return Lerim(self.project, env=self.env)

    def start(self, session: str) -> str:
        said = {"session_id": session, "cwd": str(self.project), "source": "startup"}
        argv = [sys.executable, "-P", "-c", PROGRAM, "hook", "session-start", "--agent", "claude"]
        options: dict[str, Any] = {"cwd": self.project, "env": self.env, "capture_output": True, "check": True}
        return subprocess.run(argv, input=json.dumps(said).encode(), **options).stdout.decode()

    def talk(self, session: str, talk: Talk, began: datetime | None = None) -> None:
        """Leave the session on disk, as Claude Code does."""
        began = began or datetime.now(UTC) + timedelta(minutes=1)
        file = self.folder / ".claude" / "projects" / "-shop" / f"{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            {
                "type": who,
                "uuid": f"{session}-{number}",
                "sessionId": session,
                "cwd": str(self.project),
                "timestamp": f"{began + timedelta(seconds=number):%Y-%m-%dT%H:%M:%SZ}",
                "message": {"role": who, "content": content},
            }
            for number, (who, content) in enumerate(_messages(talk))
        ]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        past = time.time() - 60
        os.utime(file, (past, past))

    def ask(self, records: Sequence[str], minutes: int = -3) -> None:
        """Have an agent be given memories over MCP, which does not say in which session."""
        moment = datetime.now(UTC) + timedelta(minutes=minutes)
        with Lerim(self.project, env=self.env, clock=lambda: moment) as lerim:
            lerim.serving.note_given("search", records, 400, "claude-code")

    def sync(self) -> Usefulness:
        with self.open() as lerim:
            for _ in lerim.sync():
                pass
            return lerim.serving.usefulness()


def _messages(talk: Talk) -> Sequence[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for number, (who, text) in enumerate(talk):
        if text.startswith("$ "):
            name = {"id": f"t{number}", "name": "Bash", "input": {"command": text[2:]}}
            found.append(("assistant", [{"type": "tool_use", **name}]))
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "", "is_error": who == "failed"}
            found.append(("user", [result]))
        else:
            found.append((who, text if who == "user" else [{"type": "text", "text": text}]))
    return found


_SET_UP: Talk = [("user", "set the project up"), ("agent", "$ pnpm install"), ("assistant", "All set up.")]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path.resolve())


def test_a_memory_that_was_followed_counts_as_used(world):
    assert world.pnpm in world.start("s1")
    world.talk("s1", [("user", "set the project up"), ("agent", "$ pnpm install"), ("assistant", "All set up.")])

    found = world.sync()

    assert (1, 1, 1, 1, 0) == (found.sessions, found.judged, found.followed, found.ignored, found.contradicted)
    assert found.tokens > 20 and found.tokens_per_useful == found.tokens
    uses = {one.record: (one.given, one.followed, one.ignored) for one in found.memories}
    assert {world.pnpm: (1, 1, 0), world.tabs: (1, 0, 1)} == uses
    with world.open() as lerim:
        assert (1, 0) == tuple(lerim.memory.find(one).record.uses for one in (world.pnpm, world.tabs))


def test_it_counts_once_however_often_somebody_looks(world):
    world.start("s1")
    world.talk("s1", [("user", "set the project up"), ("agent", "$ pnpm install"), ("assistant", "All set up.")])

    first, second = world.sync(), world.sync()

    assert first == second
    with world.open() as lerim:
        assert 1 == lerim.memory.find(world.pnpm).record.uses


def test_a_session_that_grew_is_judged_again(world):
    world.start("s1")
    talk: list[tuple[str, str]] = [("user", "look at the project"), ("assistant", "I did.")]
    world.talk("s1", talk)
    assert 0 == world.sync().followed
    world.talk("s1", [*talk, ("user", "set it up"), ("agent", "$ pnpm install"), ("assistant", "All set up now.")])

    assert (1, 1) == ((found := world.sync()).followed, found.judged)


def test_what_the_user_contradicts_is_trusted_less(world):
    world.start("s1")
    world.talk("s1", [("user", "we indent with spaces here, not with tabs"), ("assistant", "Understood, spaces.")])
    with world.open() as lerim:
        before = lerim.memory.find(world.tabs).record.confidence

    found = world.sync()

    assert 1 == found.contradicted
    with world.open() as lerim:
        record = lerim.memory.find(world.tabs).record
        assert record.confidence < before or not record.holds


def test_a_correction_that_had_to_be_repeated_is_counted(world):
    world.start("s1")
    world.talk(
        "s1",
        [
            ("user", "set the project up"),
            ("agent", "$ npm install"),
            ("assistant", "Done."),
            ("user", "no, install with pnpm, never with npm"),
            ("agent", "$ pnpm install"),
            ("assistant", "Done with the other one."),
        ],
    )

    (again,) = world.sync().said_again

    assert ("claude/s1", world.pnpm, True) == (again.session, again.record, again.is_given)


def test_what_an_agent_asked_for_itself_is_judged_with_the_session_that_was_going_on(world):
    world.ask([world.pnpm])
    world.talk("s1", _SET_UP, began=datetime.now(UTC) - timedelta(minutes=9))

    found = world.sync()

    assert (1, 1, 1) == (found.sessions, found.judged, found.followed)
    assert {world.pnpm: (1, 1)} == {one.record: (one.given, one.followed) for one in found.memories}


def test_who_asks_in_one_of_two_sessions_is_judged_with_neither(world):
    world.ask([world.pnpm])
    world.ask([world.pnpm, world.tabs])
    for session in ("s1", "s2"):
        world.talk(session, _SET_UP, began=datetime.now(UTC) - timedelta(minutes=9))

    found = world.sync()

    assert (1, 0) == (found.sessions, found.judged), "one agent in one folder on one day is one, for all we know"


def test_a_brief_that_said_it_counts_beside_a_search_that_did_not(world):
    world.start("s1")
    talk = [("user", "no, install with pnpm, never with npm"), ("agent", "$ pnpm install"), ("assistant", "Done.")]
    world.talk("s1", talk)
    later = time.time() + 240
    os.utime(world.folder / ".claude" / "projects" / "-shop" / "s1.jsonl", (later, later))
    world.ask([world.tabs], minutes=3)

    found = world.sync()

    assert {world.pnpm: 1, world.tabs: 1} == {one.record: one.given for one in found.memories}
    assert [True] == [one.is_given for one in found.said_again]


def test_a_session_that_was_not_read_yet_is_not_judged(world):
    world.start("s1")
    world.start("")

    found = world.sync()

    assert (2, 0, 0, None) == (found.sessions, found.judged, found.tokens, found.tokens_per_useful)


def test_what_several_sessions_were_given_and_none_followed_is_named(world):
    for name in ("s1", "s2", "s3"):
        world.start(name)
        world.talk(name, [("user", "fix the typo in the readme"), ("assistant", f"Fixed it in {name}.")])

    assert {world.pnpm, world.tabs} == set(world.sync().never_used)


def test_damaged_notes_cost_only_themselves(world, tmp_path):
    world.start("s1")
    served = tmp_path.resolve() / ".lerim" / "spool" / "served"
    (served / "a.json").write_text("{")
    (served / "b.json").write_text('{"records": [5, "x", null], "session": 7, "characters": -3}')
    (served / "c.json").symlink_to("/etc/passwd")

    assert 1 == world.sync().sessions
    with world.open() as lerim:
        everywhere = lerim.serving.usefulness(everywhere=True)
    assert (2, {world.pnpm, world.tabs, "x"}) == (everywhere.sessions, {one.record for one in everywhere.memories})


def test_a_note_is_taken_in_once(world):
    world.start("s1")
    with world.open() as lerim:
        lerim.sessions.discover()
        served = ServedViews(lerim.house.catalog)
        notes = lerim.house.spool.served()
        for _ in range(2):
            served.take_in((note.stem, said) for note, said in notes)

        assert 1 == served.sums(None, everywhere=True).sessions


# Replay


def test_a_replay_shows_what_a_brief_would_have_spared(world):
    """The second session makes the mistake of the first; a brief of then would have told it."""
    day = datetime.now(UTC) - timedelta(days=9)
    mistake = [
        ("user", "set the project up"),
        ("failed", "$ yarn install"),
        ("assistant", "It failed."),
        ("user", "always use bun for installing packages, never yarn"),
        ("assistant", "Understood, bun it is."),
    ]
    world.talk("s1", mistake, day)
    world.talk("s2", mistake, day + timedelta(days=2))
    world.sync()
    with world.open() as lerim:
        replayed = [lerim.serving.replay(lerim.sessions.find(name)) for name in ("s1", "s2")]

    first, second = (one for one in replayed if one)
    assert "bun" not in first.brief and 0 == first.prevented
    assert "bun" in second.brief
    assert [True] == [point.record is not None for point in second.errors]
    assert any(point.record for point in second.corrections)
    (score,) = scores([first, second])
    assert (2, 2, 1) == (score.sessions, score.errors, score.errors_prevented)
    assert score.share is not None and 0 < score.share < 1


def test_a_replay_of_what_nobody_knows_when_is_none(world):
    world.talk("s1", [("user", "set the project up"), ("assistant", "Done.")])
    file = world.folder / ".claude" / "projects" / "-shop" / "s1.jsonl"
    file.write_text(
        "".join(json.dumps({**json.loads(line), "timestamp": None}) + "\n" for line in file.read_text().splitlines())
    )
    world.sync()

    with world.open() as lerim:
        session = lerim.sessions.find("s1")
        assert SessionState.DONE == session.state
        assert lerim.serving.replay(session) is None
