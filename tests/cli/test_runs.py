"""`lerim runs`: what people and programs see of runs, whole and broken."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.context.records import Primitive
from lerim.ingest.findings import Candidate, Digest, Extraction, Quote, Rejection
from lerim.runtime.runs.folder import Run, RunKind, open_run

NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
SESSION = "claude/4f2a1b3c-0000-4000-8000-000000000001"
ESCAPE = "\x1b[2J\x1b]0;owned\x07"


def about(run: Run, **more: Any) -> Any:
    from lerim.runtime.runs.artifacts import About

    fields = {
        "run_id": run.id,
        "session": SESSION if run.id.startswith("sync") else None,
        "started": NOW,
        "seconds": 2.5,
        "engine": "embedded",
        "provider": "ollama",
        "model": "small",
        "prompts": [{"name": "runtime/agent.md", "sha256": "ab" * 32}],
        "usage": {"requests": 3, "input_tokens": 1200, "output_tokens": 80, "cost_usd": 0.0123},
    }
    return About.model_validate({**fields, **more})


def sync(workspace: Path, moment: datetime = NOW, title: str = "Use pnpm", **more: Any) -> Run:
    """A sync run that learned one thing, looked at another, and turned a third down."""
    from lerim.runtime.runs.artifacts import ExtractArtifact, MemoryAction, MemoryActionsArtifact, SummaryArtifact

    quotes = (Quote(12, 13, "use pnpm, not npm"),)
    extraction = Extraction(
        engine="embedded",
        windows=1,
        candidates=(Candidate("c1", Primitive.DECISION, title, "Not npm.", quotes),),
        review=(
            Candidate(
                "c2", Primitive.DECISION, "Maybe Deno", "", (Quote(20, 20, "or deno?"),), signals=("a question",)
            ),
        ),
        rejected=(Rejection("Node is fast", "nobody said so"),),
    )
    action = MemoryAction(
        candidate="c1",
        action="update",
        how="supersede",
        record="dec-bbbbbbbbbb",
        replaces=("dec-aaaaaaaaaa",),
        title=title,
        reason="npm was what held before",
    )
    with open_run(workspace, RunKind.SYNC, moment, lambda count: b"\0" * 6) as run:
        head = about(run, **more)
        ExtractArtifact.of(head, extraction).write(run)
        SummaryArtifact.of(head, Digest("Switched", "To pnpm.", "- done"), "sum-aaaaaaaaaa").write(run)
        MemoryActionsArtifact.of(head, [action]).write(run)
        for name in RunKind.SYNC.logs:
            run.log(name, lambda: NOW).line("started", words=ESCAPE)
    return run


@pytest.fixture
def workspace(shell: Any) -> Path:
    folder: Path = shell.project / ".lerim" / "workspace"
    return folder


def test_without_runs_it_says_how_to_make_one(shell):
    """A list is empty, a run cannot be shown."""
    assert "lerim sync" in shell.ok("runs", "list").err
    assert [] == shell.ok("runs", "list", "--json").json
    shown = shell("runs", "show")
    assert 1 == shown.code
    assert "there are no runs yet" in shown.err


def test_a_run_is_one_line(shell, workspace):
    """When it was, whose session, what came of it, and what it used up."""
    sync(workspace)

    header, line = shell.ok("runs", "list").out.splitlines()

    assert ["RUN", "WHEN", "SESSION", "STATUS", "ACTIONS", "TOKENS", "COST", "TIME"] == header.split()
    assert (
        "sync-20260220-103000-aaaaaa  2026-02-20 10:30  claude/4f2a1b3c  done    +0 ~1 =0  1,280   $0.0123  2.5 s"
        == line
    )


def test_runs_of_the_project_and_of_the_global_memory_are_listed(shell, workspace, tmp_path):
    """Newest first, as many as asked for, of one kind if asked for."""
    sync(workspace)
    sync(tmp_path / "lerim-home" / "workspace", NOW.replace(hour=12))
    open_run(workspace, RunKind.MAINTAIN, NOW.replace(hour=11)).close()

    def hours(*flags: str) -> list[str]:
        return [run["started"][11:13] for run in shell.ok("runs", "list", "--json", *flags).json]

    assert ["12", "11", "10"] == hours()
    assert ["12"] == hours("--limit", "1")
    assert ["11"] == hours("--kind", "maintain")
    assert ["11"] == hours("--failed")


def test_a_negative_limit_is_refused(shell):
    """With the flag's name and what to type instead."""
    done = shell("runs", "list", "--limit", "-1")

    assert 2 == done.code
    assert "--limit" in done.err


def test_showing_a_run_tells_what_was_learned_and_from_which_words(shell, workspace):
    """The newest without an id: memories with reasons and evidence, what waits, what was rejected, and the rest."""
    sync(workspace)

    text = shell.ok("runs", "show").out

    for words in (
        "~ dec-bbbbbbbbbb Use pnpm (supersede dec-aaaaaaaaaa)",
        "npm was what held before",
        f'{SESSION}#L12-L13 "use pnpm, not npm"',
        "sum-aaaaaaaaaa Switched",
        "? Maybe Deno",
        "x Node is fast",
        "nobody said so",
        "3 requests, 1,200 tokens in, 80 out, $0.0123",
        "runtime/agent.md  " + "ab" * 32,
        "memory_actions.json",
    ):
        assert words in text


def test_showing_a_run_as_json_gives_all_of_it(shell, workspace):
    """One document: the run, its artifacts, its files, its problems, and its logs when asked for."""
    run = sync(workspace)

    payload = shell.ok("runs", "show", "aaaaaa", "--json", "--log").json

    assert (run.id, "done", []) == (payload["id"], payload["status"], payload["problems"])
    assert "npm was what held before" == payload["artifacts"]["memory_actions.json"]["actions"][0]["reason"]
    assert {"agent.log", "extract.json", "memory_actions.json"} < {file["name"] for file in payload["files"]}
    assert "started" == payload["logs"]["agent.log"][0]["event"]


def test_a_maintain_run_tells_what_was_done_to_which_records(shell, workspace):
    """With the result and the reason."""
    from lerim.runtime.runs.artifacts import MaintainAction, MaintainActionsArtifact

    merge = MaintainAction(action="merge", records=("dec-a", "dec-b"), result="dec-c", reason="they say the same")
    with open_run(workspace, RunKind.MAINTAIN, NOW) as run:
        MaintainActionsArtifact.of(about(run), [merge]).write(run)

    text = shell.ok("runs", "show", "maintain").out

    assert "& merge dec-a dec-b -> dec-c\n    they say the same" in text
    assert "&1 ~0 -0 =0" in shell.ok("runs", "list").out


def test_a_failed_run_tells_its_error(shell, workspace):
    """In the list of what failed, and when shown; what it meant to write is not listed as learned."""
    sync(workspace, status="failed", error="the model gave up")

    shown = shell.ok("runs", "show").out

    assert "failed" in shell.ok("runs", "list", "--failed").out
    assert "the model gave up" in shown
    assert "would have learned; nothing was kept" in shown


def test_what_artifacts_and_logs_hold_cannot_reach_the_terminal(shell, workspace):
    """Titles, sessions, errors and log lines are shown with their control characters spelled out."""
    sync(workspace, title=f"Use pnpm{ESCAPE}", session=f"claude/{ESCAPE}", status="failed", error=f"no{ESCAPE}\u202e")

    listed, shown = shell.ok("runs", "list"), shell.ok("runs", "show", "--log")

    for text in (listed.out, listed.err, shown.out, shown.err):
        assert not any(c in text for c in "\x1b\x07\u202e")
    assert "Use pnpm\\x1b[2J" in shown.out
    assert "\\u202e" in shown.out


def test_a_broken_run_is_shown_with_what_is_wrong(shell, workspace):
    """Listing and showing go on; the warnings name the files."""
    run = sync(workspace)
    run.path("memory_actions.json").write_text("{")

    shown = shell.ok("runs", "show")

    assert "damaged" in shell.ok("runs", "list").out
    assert "memory_actions.json is no JSON document" in shown.err
    assert "x Node is fast" in shown.out


def test_a_run_that_is_not_there_leads_to_the_list(shell, workspace):
    """And one of several asks for more letters."""
    sync(workspace)
    sync(workspace, NOW.replace(hour=12))

    missing, several = shell("runs", "show", "nothing"), shell("runs", "show", "sync-")

    assert (1, 1) == (missing.code, several.code)
    assert "lerim runs list" in missing.err
    assert "lerim runs show sync-20260220-123000-aaaaaa" in several.err
