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

from lerim.context.records import Primitive, Status, Trust
from lerim.errors import RunFailed
from lerim.ingest.findings import Candidate
from lerim.runtime import policy_model
from lerim.runtime.policy_model import LeadPolicy
from lerim.runtime.wire import (
    Explore,
    Explored,
    Extract,
    Extracted,
    Found,
    Staged,
    Summarize,
    Summarized,
    WriteFile,
    WriteMemory,
)

CANDIDATE = Candidate(
    "c1", Primitive.DECISION, "Use Redis for the job queue", "Use Redis for the job queue.", (), trust=Trust.USER
)
KNOWN = Found(
    record_id="dec-aaaaaaaaaa",
    primitive=Primitive.DECISION,
    title="Use Redis for the job queue",
    body="Use Redis for the job queue.",
    confidence=0.7,
    status=Status.ACTIVE,
    updated="2026-02-19T08:00:00+00:00",
    source="sync",
    trust=Trust.USER,
)
SUMMARIZED = Summarized(record_id="sum-aaaaaaaaaa", title="Queues", description="Queues.")
STAGED = Staged(record_id="dec-bbbbbbbbbb", title="Use Redis for the job queue")


def history_of(task, *turns):
    """A conversation: the task, then calls with what came of each; a refusal is an exception's text in a tuple."""
    messages = [ModelRequest(parts=[UserPromptPart(task)])]
    for number, turn in enumerate(turns):
        calls = [
            ToolCallPart(call.tool, call.model_dump(mode="json"), f"{number}-{n}") for n, (call, _) in enumerate(turn)
        ]
        messages.append(ModelResponse(parts=calls))
        messages.append(ModelRequest(parts=[_answer(call, turn[n][1]) for n, call in enumerate(calls)]))
    return policy_model.history_of(messages)


def _answer(call, content):
    if isinstance(content, tuple):
        retry = RetryInfo(cause="model_retry", attempt=1, max_retries=4)
        return ToolReturnPart(call.tool_name, content[0], call.tool_call_id, outcome="retried", retry=retry)
    return ToolReturnPart(call.tool_name, content, call.tool_call_id)


def known(**fields):
    return KNOWN.model_copy(update=fields)


EXTRACTED = [(Extract(), Extracted(engine="embedded", candidates=(CANDIDATE,))), (Summarize(), SUMMARIZED)]
ACCOUNT = WriteFile(file_path="memory_actions.json", content="{}")


def searched(*found):
    return [(Explore(query="Redis", candidate="c1"), Explored.of(found))]


def written(content):
    return [(WriteMemory(primitive=Primitive.DECISION, title="t", body="b", candidate="c1"), content)]


def turn(history):
    """The tools that are called next, or the last word."""
    parts = LeadPolicy().turn(history)
    return [part.content if isinstance(part, TextPart) else part.tool_name for part in parts]


def test_a_session_goes_step_by_step():
    """Extract and summarize, search, write, give account, and say so."""
    turns = [EXTRACTED, searched(), written(STAGED), [(ACCOUNT, "agrees")]]

    assert [
        ["extract_pipeline", "summarize_pipeline"],
        ["explore"],
        ["write_memory"],
        ["write"],
        ["The session is ingested: 1 add."],
    ] == [turn(history_of("task", *turns[:n])) for n in range(5)]


def test_what_is_known_is_not_written():
    """The account says which record has it."""
    history = history_of("task", EXTRACTED, searched(known(same_session=True, same_lines=True)))

    (part,) = LeadPolicy().turn(history)

    (action,) = json.loads(part.args["content"])["actions"]
    assert ("c1", "no-op", ["dec-aaaaaaaaaa"]) == (action["candidate"], action["action"], action["targets"])


@pytest.mark.parametrize("status", [Status.ARCHIVED, Status.SUPERSEDED])
def test_what_was_archived_since_stays_archived(status):
    """The same lines do not bring it back."""
    found = known(status=status, same_lines=True, same_session=True)

    assert ["write"] == turn(history_of("task", EXTRACTED, searched(found)))


def test_a_refused_write_is_noted_in_the_account():
    """The other memories of the session are not lost for it."""
    history = history_of("task", EXTRACTED, searched(), written(("It has this very title.",)))

    (part,) = LeadPolicy().turn(history)

    (action,) = json.loads(part.args["content"])["actions"]
    assert ("no-op", "It was not written: It has this very title.") == (action["action"], action["reason"])


@pytest.mark.parametrize(
    "turns",
    [
        [[(Extract(), ("no",)), (Summarize(), SUMMARIZED)]],
        [EXTRACTED, [(Explore(query="x", candidate="c1"), ("no",))]],
        [EXTRACTED, searched(), written(STAGED), [(ACCOUNT, ("not what happened",))]],
    ],
)
def test_another_refusal_ends_the_run(turns):
    """The policy never tries the same thing twice."""
    with pytest.raises(UnexpectedModelBehavior, match="refused"):
        turn(history_of("task", *turns))


def test_the_last_word_is_said_once():
    """Told that the run is not finished after all, it gives up."""
    messages = [
        ModelRequest(parts=[UserPromptPart("task")]),
        ModelResponse(parts=[TextPart("The session is taken in.")]),
        ModelRequest(parts=[UserPromptPart("The run is not finished.")]),
    ]

    with pytest.raises(UnexpectedModelBehavior, match="not finished"):
        turn(policy_model.history_of(messages))


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
