"""The embedded provider: the same conversation gives the same turn, and a surprise ends the run."""

from __future__ import annotations

import json

import pytest
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    RetryInfo,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from lerim.errors import RunFailed
from lerim.runtime.policy import ExplorerPolicy, LeadPolicy, RunHistory
from lerim.runtime.prompts import explore_task

OUTPUT = ModelRequestParameters(output_tools=[ToolDefinition(name="final_result")])
CANDIDATE = {
    "id": "c1",
    "primitive": "decision",
    "title": "Use Redis for the job queue",
    "body": "Use Redis for the job queue.",
    "confidence": 0.7,
    "tags": [],
    "trust": "user",
    "quotes": [],
}
KNOWN = {
    "record_id": "dec-aaaaaaaaaa",
    "primitive": "decision",
    "title": "Use Redis for the job queue",
    "body": "Use Redis for the job queue.",
    "tags": [],
    "confidence": 0.7,
    "status": "active",
    "source": "sync",
    "trust": "user",
}


def told(task, *turns):
    """A conversation: the task, then calls with what came of each; a refusal is an exception's text in a tuple."""
    messages = [ModelRequest(parts=[UserPromptPart(task)])]
    for number, turn in enumerate(turns):
        calls = [ToolCallPart(name, args, f"{number}-{n}") for n, (name, args, _) in enumerate(turn)]
        messages.append(ModelResponse(parts=calls))
        messages.append(ModelRequest(parts=[_answer(call, turn[n][2]) for n, call in enumerate(calls)]))
    return RunHistory.of(messages)


def _answer(call, content):
    if isinstance(content, tuple):
        retry = RetryInfo(cause="model_retry", attempt=1, max_retries=4)
        return ToolReturnPart(call.tool_name, content[0], call.tool_call_id, outcome="retried", retry=retry)
    return ToolReturnPart(call.tool_name, content, call.tool_call_id)


EXTRACTED = [("extract_pipeline", {}, {"candidates": [CANDIDATE]}), ("summarize_pipeline", {}, {})]


def searched(*found):
    return [("explore", {"query": "Redis", "candidate": "c1"}, list(found))]


def written(content):
    return [("write_memory", {"candidate": "c1"}, content)]


def turn(history, mode="sync"):
    """The tools that are called next, or the last word."""
    parts = LeadPolicy(mode).turn(history, ModelRequestParameters())
    return [part.content if isinstance(part, TextPart) else part.tool_name for part in parts]


def test_a_session_goes_step_by_step():
    """Extract and summarise, search, write, give account, and say so."""
    turns = [EXTRACTED, searched(), written({"record_id": "dec-bbbbbbbbbb"}), [("write", {}, "agrees")]]

    assert [
        ["extract_pipeline", "summarize_pipeline"],
        ["explore"],
        ["write_memory"],
        ["write"],
        ["The session is taken in: 1 add."],
    ] == [turn(told("task", *turns[:n])) for n in range(5)]


def test_what_is_known_is_not_written():
    """The account says which record has it."""
    history = told("task", EXTRACTED, searched({**KNOWN, "same_session": True, "same_lines": True}))

    (part,) = LeadPolicy("sync").turn(history, ModelRequestParameters())

    (action,) = json.loads(part.args["content"])["actions"]
    assert ("c1", "no-op", ["dec-aaaaaaaaaa"]) == (action["candidate"], action["action"], action["targets"])


@pytest.mark.parametrize("status", ["archived", "superseded"])
def test_what_was_put_away_since_stays_away(status):
    """The same lines do not bring it back."""
    found = {**KNOWN, "status": status, "same_lines": True, "same_session": True}

    assert ["write"] == turn(told("task", EXTRACTED, searched(found)))


def test_a_refused_write_is_told_in_the_account():
    """The other memories of the session are not lost for it."""
    history = told("task", EXTRACTED, searched(), written(("It has this very title.",)))

    (part,) = LeadPolicy("sync").turn(history, ModelRequestParameters())

    (action,) = json.loads(part.args["content"])["actions"]
    assert ("no-op", "It was not written: It has this very title.") == (action["action"], action["reason"])


@pytest.mark.parametrize(
    "turns",
    [
        [[("extract_pipeline", {}, ("no",)), ("summarize_pipeline", {}, {})]],
        [EXTRACTED, [("explore", {"query": "x", "candidate": "c1"}, ("no",))]],
        [EXTRACTED, searched(), written({"record_id": "dec-b"}), [("write", {}, ("not what happened",))]],
    ],
)
def test_another_refusal_ends_the_run(turns):
    """The policy never tries the same thing twice."""
    with pytest.raises(UnexpectedModelBehavior, match="refused"):
        turn(told("task", *turns))


def test_the_last_word_is_said_once():
    """Told that the run is not finished after all, it gives up."""
    messages = [
        ModelRequest(parts=[UserPromptPart("task")]),
        ModelResponse(parts=[TextPart("The session is taken in.")]),
        ModelRequest(parts=[UserPromptPart("The run is not finished.")]),
    ]

    with pytest.raises(UnexpectedModelBehavior, match="not finished"):
        turn(RunHistory.of(messages))


def test_the_explorer_ranks_by_rare_words():
    """A file that has the rare word comes before one that has the common one; titles count double."""
    hits = {
        "title": "/m/decisions/a.md:3: title: Use Redis\n/m/decisions/b.md:3: title: Use queues\n(2 matching lines)",
        "anywhere": "/m/decisions/b.md:9: queues and queues\n/m/decisions/c.md:9: more queues\n(2 matching lines)",
    }
    greps = [("grep", {"pattern": name}, text) for name, text in hits.items()]
    task = explore_task("Redis queues", ["/m"], ["decisions"])

    parts = ExplorerPolicy().turn(told(task, greps), OUTPUT)

    assert ["/m/decisions/a.md", "/m/decisions/b.md", "/m/decisions/c.md"] == [p.args["file_path"] for p in parts]


def test_the_explorer_answers_with_what_it_read():
    """The id, the title and the text of the file; nothing when there is nothing."""
    lines = ["---", "id: dec-aaaaaaaaaa", 'title: "Use: Redis"', "---", "", "Fast."]
    page = "\n".join([*(f"{number:>6}\t{line}" for number, line in enumerate(lines, 1)), "(end, 6 lines)"])
    grep = [("grep", {"pattern": "p"}, '/m/decisions/a.md:3: title: "Use: Redis"\n(1 matching line)')]
    task = explore_task("Redis", ["/m"], ["decisions"])

    (found,) = ExplorerPolicy().turn(told(task, grep, [("read", {"file_path": "/m/decisions/a.md"}, page)]), OUTPUT)
    (nothing,) = ExplorerPolicy().turn(told(task, [("grep", {"pattern": "p"}, "(0 matching lines)")]), OUTPUT)

    (sighting,) = found.args["evidence"]
    assert ("dec-aaaaaaaaaa", "Use: Redis", "Fast.") == (sighting["record_id"], sighting["title"], sighting["excerpt"])
    assert {"evidence": []} == nothing.args


def test_the_policy_uses_nothing_up(stage):
    """No tokens, no cost, whatever it does."""
    result = stage.agent().sync(stage.trace())

    assert (0.0, 0) == (result.cost_usd, stage.artifacts()["memory_actions.json"]["usage"]["input_tokens"])


def test_the_same_memory_and_session_give_the_same_run(stage):
    """But for ids and times, two runs on the same state say the same."""
    stage.before_commit = _stop
    runs = []
    for _ in range(2):
        with pytest.raises(RunFailed):
            stage.agent().sync(stage.trace())
        runs.append([(line.get("asks_for"), line.get("tool")) for line in stage.logs("agent.log")])

    assert runs[0] == runs[1]


def _stop():
    raise RuntimeError("stop here")
