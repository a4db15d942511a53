"""A run's artifacts say what the run did, keep their schema, and are checked as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from lerim.context.records import Kind, Primitive
from lerim.ingest.findings import Act, Candidate, Digest, Extraction, Finding, Quote, Rejection
from lerim.runtime.runs.artifacts import (
    ARTIFACTS,
    About,
    ExtractArtifact,
    MaintainAction,
    MaintainActionsArtifact,
    MemoryAction,
    MemoryActionsArtifact,
    PromptUse,
    RunUsage,
    SummaryArtifact,
    check_run,
    load_run,
    schemas,
)
from lerim.runtime.runs.folder import Run, RunKind, open_run

NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
PAGE = Path(__file__).parents[3] / "docs" / "runs.md"

QUOTE = Quote(12, 12, "use pnpm, not npm")
CANDIDATE = Candidate(
    "c1", Primitive.LEARNING, "Use pnpm", "Not npm.", (QUOTE,), Kind.PREFERENCE, signals=("a rule, from the user",)
)
EXTRACTION = Extraction(
    engine="embedded",
    windows=2,
    findings=(Finding(Act.RULE, "use pnpm", (QUOTE,), 0.9, ("an order",), 1),),
    candidates=(CANDIDATE,),
    rejected=(Rejection("Node is fast", "nobody said so", (Quote(3, 4, "fast"),)),),
)
DIGEST = Digest("Switched to pnpm", "The package manager was changed.", "## What was done\n\n- pnpm", ("build",))
ADDED = MemoryAction(
    candidate="c1", action="add", how="create", record="lrn-aaaaaaaaaa", title="Use pnpm", reason="nothing like it"
)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with open_run(tmp_path / "workspace", RunKind.SYNC, NOW) as run:
        yield run


def about(run: Run, **more: Any) -> About:
    fields = {
        "run_id": run.id,
        "session": "claude/4f2a",
        "started": NOW,
        "seconds": 2.5,
        "engine": "embedded",
        "provider": "embedded",
        "model": "embedded",
        "prompts": [PromptUse(name="runtime/agent.md", sha256="a" * 64)],
        "usage": RunUsage(requests=3, input_tokens=1200, output_tokens=80, cost_usd=0),
    }
    return About.model_validate({**fields, **more})


def finish(run: Run, *actions: MemoryAction, **more: Any) -> None:
    """What a sync run leaves."""
    ExtractArtifact.of(about(run), EXTRACTION).write(run)
    SummaryArtifact.of(about(run), DIGEST, "sum-aaaaaaaaaa", "summaries/20260220/103000/pnpm.md").write(run)
    MemoryActionsArtifact.of(about(run, **more), actions).write(run)
    for name in RunKind.SYNC.logs:
        run.log(name, lambda: NOW).line("started")


def test_a_whole_run_has_no_problems(run):
    """Everything is there, typed, and belongs together."""
    finish(run, ADDED)

    assert [] == check_run(run.folder)


def test_an_extraction_comes_back_as_it_was(run):
    """The artifact is the extraction: every finding, quote and rejection, as values."""
    ExtractArtifact.of(about(run), EXTRACTION).write(run)

    found = load_run(run.folder).extract

    assert found is not None
    assert EXTRACTION == Extraction(
        found.engine, found.windows, found.findings, found.candidates, found.review, found.rejected
    )
    assert about(run).usage == found.usage


def test_a_summary_and_actions_come_back_as_they_were(run):
    """With the records they became, and their counts."""
    finish(run, ADDED)

    loaded = load_run(run.folder)

    assert loaded.summary is not None
    assert loaded.memory is not None
    assert (DIGEST.body, "sum-aaaaaaaaaa") == (loaded.summary.body, loaded.summary.record)
    assert ((ADDED,), 1, 0) == (loaded.memory.actions, loaded.memory.counts.added, loaded.memory.counts.updated)


def test_a_maintain_run_counts_what_it_did(tmp_path):
    """One artifact, and no session."""
    actions = [
        MaintainAction(action="merge", records=("dec-a", "dec-b"), result="dec-c", reason="they say the same"),
        MaintainAction(action="no-op", records=("dec-d",), reason="still true"),
    ]
    with open_run(tmp_path, RunKind.MAINTAIN, NOW) as run:
        MaintainActionsArtifact.of(about(run, session=None), actions).write(run)
        for name in RunKind.MAINTAIN.logs:
            run.log(name, lambda: NOW)

    loaded = load_run(run.folder)

    assert () == loaded.problems
    assert {"merged": 1, "unchanged": 1} == {what: count for what, count in loaded.info.counts.items() if count}


def test_a_failed_run_needs_no_more_than_its_error(run):
    """What it did not come to is not missed, not even the name of the session."""
    MemoryActionsArtifact.of(about(run, status="failed", error="no such trace", session=None), ()).write(run)

    assert [] == check_run(run.folder)


def test_a_run_that_is_done_names_its_session(run):
    """Nobody could tell otherwise what it learned from."""
    with pytest.raises(ValidationError, match="names its session"):
        MemoryActionsArtifact.of(about(run, session=None), ())


def test_a_run_that_did_not_finish_says_so(run):
    """Its last artifact is what is missing."""
    ExtractArtifact.of(about(run), EXTRACTION).write(run)

    assert ["the run did not finish: it has no memory_actions.json"] == check_run(run.folder)


def test_every_candidate_has_one_action(run):
    """None is forgotten, none is answered twice, none is made up."""
    finish(run, *(ADDED.model_copy(update={"candidate": name}) for name in ("c7", "c8", "c8")))

    assert [
        "candidate c1 has no action",
        "candidate c8 has 2 actions",
        "an action is about c7, which is no candidate",
        "an action is about c8, which is no candidate",
    ] == check_run(run.folder)


def test_what_is_missing_or_damaged_is_named(run):
    """Each with its file, however broken the others are."""
    finish(run, ADDED)
    run.path("extract.json").write_text("{")
    run.path("summary.json").unlink()
    run.path("agent.log").write_text('{"at": "x", "event": "y"}\nnot a line\n{"at": "half a li')
    run.path("session.log").unlink()

    assert [
        "extract.json is no JSON document",
        "summary.json is missing",
        "agent.log:2: not a line of a log",
        "session.log is missing",
    ] == check_run(run.folder)


def test_fields_nobody_declared_are_refused_with_their_place(run):
    """Inside the values of an extraction, too. What the field holds is not repeated."""
    finish(run, ADDED)
    document = json.loads(run.path("extract.json").read_text())
    document["candidates"][0]["mood"] = "secret"
    run.write_json("extract.json", document)

    assert ["extract.json: candidates.0.mood: Unexpected keyword argument"] == check_run(run.folder)


def test_an_artifact_of_another_run_is_noticed(run):
    """Somebody copied it."""
    finish(run, ADDED, run_id="sync-20260101-000000-aaaaaa")

    assert ["memory_actions.json is of another run: sync-20260101-000000-aaaaaa"] == check_run(run.folder)


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "add", "how": "revise"},
        {"action": "no-op", "how": "create"},
        {"action": "update", "how": "create"},
        {"action": "update", "how": "supersede"},
        {"action": "add", "how": "create", "replaces": ["dec-a"]},
        {"action": "add", "how": "create", "reason": ""},
    ],
    ids=str,
)
def test_an_action_that_contradicts_itself_is_refused(wrong):
    """An update revises or supersedes, an addition creates, and each has a reason."""
    fields = {"candidate": "c1", "title": "t", "reason": "because", **wrong}

    with pytest.raises(ValidationError):
        MemoryAction.model_validate(fields)


def test_counts_that_do_not_add_up_are_refused(run):
    """They are what people read first."""
    fields = {**dict(about(run)), "actions": [ADDED], "counts": {"added": 2, "updated": 0, "unchanged": 0}}

    with pytest.raises(ValidationError, match="counts do not match"):
        MemoryActionsArtifact.model_validate(fields)


@pytest.mark.parametrize("fields", [{"status": "failed"}, {"error": "but done"}], ids=str)
def test_a_failure_says_why_and_a_success_has_no_error(fields, run):
    """Neither without the other."""
    with pytest.raises(ValidationError, match="error is set when"):
        about(run, **fields)


# The page


def _fields(schema: Any) -> set[str]:
    """The names of all properties of a schema, however deep."""
    if isinstance(schema, list):
        return {name for item in schema for name in _fields(item)}
    if not isinstance(schema, dict):
        return set()
    properties = schema.get("properties")
    own = set(properties) if isinstance(properties, dict) else set()
    return own | {name for value in schema.values() for name in _fields(value)}


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=lambda artifact: artifact.file)
def test_every_field_is_documented(artifact):
    """docs/runs.md has a section for the artifact, and a row for each field in it."""
    page = PAGE.read_text("utf-8")
    rows = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))

    assert f"### {artifact.file}\n" in page
    assert set() == _fields(schemas()[artifact.file]) - rows


def test_no_field_is_documented_that_is_gone():
    """Every row is a field of some artifact, or of a line of a log."""
    rows = set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8").partition("## Looking at runs")[0], re.MULTILINE))

    assert set() == rows - {name for schema in schemas().values() for name in _fields(schema)} - {"at", "event"}
