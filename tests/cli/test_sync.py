"""`lerim sync`, `ingest`, `ask` and `maintain`, on the example sessions laid out in a home of our own."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.examples import install
from lerim.runtime.runs.artifacts import check_run


@pytest.fixture
def sessions(shell: Any, tmp_path: Path) -> Path:
    """The example sessions, as four agents left them; the newest ended yesterday."""
    install(tmp_path, shell.project, datetime.now(UTC))
    return tmp_path


def bytes_of(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def rows(table: str, database: str = "context.sqlite3") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(Path(os.environ["LERIM_HOME"]) / database)) as connection:
        return connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()


def titles(shell: Any, *flags: str) -> str:
    return " | ".join(memory["title"] for memory in shell.ok("memory", "list", "--json", *flags).json)


def test_a_sync_takes_in_what_the_sessions_taught(shell, synced):
    """One line for each session, memories with evidence, a summary each, and nothing from the routine one."""
    assert "6 sessions" in synced.out
    assert "nothing to remember" in synced.out
    assert "pytest functions" in titles(shell)
    memory = shell.ok("memory", "list", "--json").json
    learned = [item for item in memory if item["primitive"] != "summary"]
    assert learned
    assert all(item["evidence"] for item in learned)
    assert 6 == len([item for item in memory if item["primitive"] == "summary"])


def test_a_sync_leaves_nothing_for_the_next_search_to_index(shell, synced):
    """What it wrote is compared by its meaning before it ends."""
    written = len(shell.ok("memory", "list", "--status", "all", "--json").json)
    assert (written, 0) == tuple(
        shell.ok("status", "--json").json[name] for name in ("embedding_count", "missing_embedding_count")
    )
    assert "compared by meaning" not in synced.err


def test_a_sync_indexes_nothing_where_meanings_are_switched_off(shell, sessions):
    """Settings that say so are kept to."""
    (Path(os.environ["LERIM_HOME"]) / "config.toml").write_text("[embeddings]\nenabled = false\n")

    shell.ok("sync")

    with closing(sqlite3.connect(Path(os.environ["LERIM_HOME"]) / "index" / "local.sqlite3")) as connection:
        assert [(0,)] == connection.execute("SELECT count(*) FROM embeddings").fetchall()


def test_a_session_is_listed_by_the_title_of_its_summary(shell, synced):
    listed = {one["run_id"]: one["title"] for one in shell.ok("sessions", "list", "--all", "--json").json}
    summaries = shell.ok("memory", "list", "--primitive", "summary", "--limit", "50", "--json").json

    assert {one["run_id"]: one["title"] for one in summaries}.items() <= listed.items()


def test_a_decision_that_was_reversed_is_superseded(shell, synced):
    """The queue that was chosen first does not hold any more, and leads to the one that does."""
    assert "Celery with Redis" not in titles(shell)
    old = shell.ok("memory", "list", "--json", "--status", "superseded").json
    assert ["Celery" in memory["title"] for memory in old] == [True]
    assert "procrastinate" in shell.ok("memory", "show", old[0]["superseded_by"]).out


def test_a_second_sync_changes_nothing(shell, synced):
    """Not a file, not a row: what did not change is not taken again."""
    files, records = bytes_of(shell.project), rows("records")

    again = shell.ok("sync")

    assert "no new sessions" in again.out
    assert files == bytes_of(shell.project)
    assert records == rows("records")


def test_everything_a_sync_leaves_is_valid(shell, synced):
    """Run artifacts by their schemas, memory files by the check, sessions by the audit."""
    runs = sorted((shell.project / ".lerim" / "workspace").iterdir())

    assert 6 == len(runs)
    assert [] == [problem for run in runs for problem in check_run(run)]
    shell.ok("memory", "check")
    shell.ok("audit")


def test_taking_a_session_again_changes_no_memory(shell, synced):
    """`ingest` may be told to; the run says that everything is known already."""
    before = rows("records")
    name = shell.ok("sessions", "list", "--json").json[0]["name"]

    taken = shell.ok("ingest", name, "--json").json["sessions"][0]

    assert before == rows("records")
    assert {"added": 0, "updated": 0} == {key: taken["result"]["counts"][key] for key in ("added", "updated")}


def test_a_session_that_grew_adds_only_what_is_new(shell, synced, tmp_path):
    """Its earlier memories stay as they are, the new one comes, and its summary is rewritten once."""
    before = {row[0]: row for row in rows("records")}
    file = next((tmp_path / ".claude").rglob("3f0a6c1e*.jsonl"))
    last = json.loads(file.read_text("utf-8").splitlines()[-1])
    words = "From now on always use uv instead of pip in this repository, because pip resolves too slowly in CI."
    more = {
        **last,
        "type": "user",
        "uuid": "grown-1",
        "parentUuid": last.get("uuid"),
        "message": {"role": "user", "content": words},
    }
    answer = {
        **more,
        "type": "assistant",
        "uuid": "grown-2",
        "parentUuid": "grown-1",
        "message": {
            "role": "assistant",
            "id": "grown",
            "content": [{"type": "text", "text": "Understood. I switched the Makefile and CI to uv."}],
        },
    }
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(more) + "\n" + json.dumps(answer) + "\n")

    done = shell.ok("sync", "--json").json

    assert ["claude/3f0a6c1e-52b7-4d09-9c1d-0b7a4e5f6a01"] == [taken["session"] for taken in done["sessions"]]
    after = {row[0]: row for row in rows("records")}
    assert "uv" in titles(shell)
    assert len(before) + done["counts"]["added"] == len(after)
    assert 6 == len([m for m in shell.ok("memory", "list", "--json").json if m["primitive"] == "summary"])


def test_a_dry_run_takes_nothing_in(shell, sessions):
    """It says what would be taken and that it costs nothing."""
    done = shell.ok("sync", "--dry-run")

    assert "6 sessions would be ingested" in done.out
    assert "costs nothing" in done.out
    assert [] == rows("records")


def test_an_agents_file_from_elsewhere_can_be_ingested(shell, sessions, tmp_path):
    """A trace a colleague sent is read by the format it has and belongs to the project here."""
    file = next((sessions / ".claude").rglob("3f0a6c1e*.jsonl"))
    sent = tmp_path / "sent" / "theirs.jsonl"
    sent.parent.mkdir()
    sent.write_bytes(file.read_bytes())
    file.unlink()

    done = shell.ok("ingest", str(sent), "--json").json

    assert ["done"] == [taken["state"] for taken in done["sessions"]]
    assert "pytest functions" in titles(shell)


@pytest.mark.parametrize("trace", ["claude/nobody", "/nowhere/trace.jsonl"])
def test_a_trace_that_is_not_there_is_named(shell, trace):
    """With the next command to type, and no traceback."""
    done = shell("ingest", trace)

    assert 1 == done.code
    assert trace in done.err
    assert "try:" in done.err


def test_sessions_without_a_project_are_counted_not_dropped(shell, sessions, tmp_path, monkeypatch):
    """A sync elsewhere says how many wait for a project, and `unscoped = "global"` takes them in."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shell.ok("project", "remove", "shop")
    monkeypatch.chdir(elsewhere)

    assert "6 sessions belong to no project" in shell.ok("sync").err
    (Path(os.environ["LERIM_HOME"]) / "config.toml").write_text('[sources]\nunscoped = "global"\n')
    assert "6 sessions" in shell.ok("sync").out
    assert "pytest functions" in titles(shell)


def test_asking_answers_from_the_memory_or_not_at_all(shell, synced):
    """Each memory it rests on is cited; what nobody ever said has no answer."""
    answer = shell.ok("ask", "how should tests be written?", "--json").json
    assert any("pytest" in source["title"] for source in answer["sources"])
    nothing = shell.ok("answer", "which kubernetes version do we run?", "--json").json
    assert [] == list(nothing["sources"])


def test_maintain_leaves_what_a_person_wrote(shell):
    """Nobody merges a person's words but they."""
    shell.add("Use JWT bearer tokens for API auth", "--body", "Short expiry.")
    shell.add("API auth uses JWT bearer tokens", "--body", "They expire soon.")

    done = shell.ok("curate", "--json").json

    assert 0 == done[0]["counts"]["merged"]
    assert 2 == len(shell.ok("memory", "list", "--json").json)
    assert "1 item for you to decide" in shell.ok("maintain").out


def test_maintain_makes_one_of_what_a_person_wrote_twice_to_the_letter(shell):
    for _ in range(2):
        shell.add("Use JWT bearer tokens for API auth", "--body", "Short expiry.")

    done = shell.ok("curate", "--json").json

    assert 1 == done[0]["counts"]["merged"]
    assert 1 == len(shell.ok("memory", "list", "--json").json)


def trace_of(folder: Path, name: str, day: str, *turns: tuple[str, str]) -> Path:
    """A Claude Code session of two lines a turn."""
    lines: list[dict[str, Any]] = []
    for number, (said, answered) in enumerate(turns):
        for role, text in (("user", said), ("assistant", answered)):
            lines.append(
                {
                    "type": role,
                    "sessionId": name,
                    "cwd": str(folder / "shop"),
                    "version": "2.0.14",
                    "uuid": f"{name}-{number}-{role}",
                    "timestamp": f"{day}T09:{number:02}:00.000Z",
                    "message": {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]},
                }
            )
    path = folder / "sent" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("is_last_first", [False, True])
def test_what_was_said_later_and_waits_is_told_with_what_it_ends(shell, tmp_path, is_last_first):
    """Whichever session was read first: with the answer, in the brief and where candidates wait."""
    ruled = ("from now on deploys on fridays are forbidden", "Noted.")
    undone = ("deploying on fridays is fine again", "Good to know.")
    files = [
        trace_of(tmp_path, "11111111-1111-4111-8111-111111111111", "2026-03-02", ruled),
        trace_of(tmp_path, "22222222-2222-4222-8222-222222222222", "2026-06-02", undone),
    ]
    for file in reversed(files) if is_last_first else files:
        shell.ok("ingest", str(file))
    [held] = [one for one in shell.ok("memory", "list", "--json").json if one["primitive"] != "summary"]
    [waiting] = shell.ok("review", "list", "--json").json

    told = shell.ok("ask", "can we deploy on fridays?").out
    assert f"Open: said otherwise on 2026-06-02, and not decided yet: “{waiting['title']}” ({waiting['id']})." in told
    assert f"(open: {waiting['id']}, said later, says otherwise)" in shell.ok("brief").out
    assert any(held["id"] in signal for signal in waiting["signals"])

    shell.ok("review", "accept", waiting["id"])
    lessons = [one["title"] for one in shell.ok("memory", "list", "--json").json if one["primitive"] != "summary"]
    assert [waiting["title"]] == lessons
    assert "Open:" not in shell.ok("ask", "can we deploy on fridays?").out


def test_what_only_may_end_a_memory_is_told_as_perhaps(shell, tmp_path):
    ruled = ("from now on 30ms p99 is a hard limit from the search team", "Noted.")
    news = ("search gave us more room, p99 budget is 40 now", "Good to know.")
    for name, day, said in (("1", "2026-03-02", ruled), ("2", "2026-06-02", news)):
        shell.ok("ingest", str(trace_of(tmp_path, f"{name * 8}-1111-4111-8111-111111111111", day, said)))
    [waiting] = shell.ok("review", "list", "--json").json

    assert f"(open: {waiting['id']}, said later, perhaps says otherwise)" in shell.ok("brief").out


def test_another_amount_that_waits_is_told_without_a_word_of_change(shell, tmp_path):
    """Whether or not anybody says "now"; the brief has its words."""
    ruled = ("from now on the upload timeout must be 30 s, never more", "Noted.")
    other = ("upload timeout: 12 s is what the train needs", "Fine.")
    for name, day, said in (("1", "2026-03-02", ruled), ("2", "2026-06-02", other)):
        shell.ok("ingest", str(trace_of(tmp_path, f"{name * 8}-1111-4111-8111-111111111111", day, said)))
    [held] = [one for one in shell.ok("memory", "list", "--json").json if one["primitive"] != "summary"]
    [waiting] = shell.ok("review", "list", "--json").json

    assert "30" in held["title"]
    [signal] = [one for one in waiting["signals"] if held["id"] in one]
    assert "12 s instead of 30 s" in signal
    assert f"says otherwise): “{waiting['title'].rstrip('.')}”" in shell.ok("brief").out
