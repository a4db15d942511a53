"""Real agent programs that `lerim connect` was run for: what their model is told, what it can call, what is learned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from .conftest import Machine, build, each_agent
from .server import Asked, Calling, ScriptedServer
from .trust import hooks_of_codex

TITLE = "Use pnpm for every package of the shop"
SAID = "Prices are stored as integer cents in this repository, never as floats, because floats lose money."
CENTS = "Store prices as integer cents, never as floats"
#: How every brief begins.
OPENING = "# Context brief"


@dataclass(frozen=True)
class Story:
    """What happened on a machine: connected, a session, the same one gone on with, disconnected, another session."""

    machine: Machine
    brief: str
    doctor: Any
    first: list[Asked]
    resumed: list[Asked]
    sessions: list[dict[str, Any]]
    usefulness: Any
    memories: Any
    later: list[Asked]


@pytest.fixture(scope="module")
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """One a program: each start takes seconds."""
    with ScriptedServer() as server:
        machine = build(request.param, tmp_path_factory.mktemp(request.param), server)
        try:
            yield _told(machine)
        finally:
            machine.end()


def _told(machine: Machine) -> Story:
    machine.lerim("init")
    machine.lerim("memory", "add", "--primitive", "decision", "--title", TITLE, "--body", "npm broke the lock file.")
    name = machine.host.name
    machine.lerim("connect", name, "--yes")
    machine.trust()
    search = Calling(machine.host.tools.format("search"), {"query": "package manager"}, "We use pnpm.")
    remember = Calling(machine.host.tools.format("remember"), {"title": CENTS, "quote": SAID}, "Understood.")
    return Story(
        machine,
        brief=machine.brief(),
        doctor=machine.json("connect", "doctor", name),
        first=machine.session("Which package manager do we use here?", *machine.host.allow, script=search),
        resumed=machine.session(SAID, *machine.host.allow, resumed=True, script=remember),
        sessions=machine.sessions(),
        usefulness=machine.json("usefulness"),
        memories=(machine.json("memory", "list"), machine.json("review", "list")),
        later=_disconnected(machine),
    )


def _disconnected(machine: Machine) -> list[Asked]:
    machine.lerim("disconnect", machine.host.name, "--yes")
    return machine.session("And who is asking?")


every_agent = pytest.mark.parametrize("story", each_agent(), indirect=True)


@every_agent
def test_the_model_is_told_the_brief_once(story: Story):
    """All of it, in the first request and in every one that follows."""
    lines = [line for line in story.brief.splitlines() if line.strip()]

    assert TITLE in story.brief
    assert [] == [line for line in lines if line not in story.first[0].text]
    assert {1} == {asked.text.count(OPENING) for asked in story.first}


@every_agent
def test_a_session_that_goes_on_has_the_brief_once(story: Story):
    """Whether its program kept it with the session, or has to be told again."""
    assert {1} == {asked.text.count(OPENING) for asked in story.resumed}


@every_agent
def test_the_model_finds_lerims_tools_and_calls_one(story: Story):
    """In its first request already: servers that are slow are left out of it."""
    asked = story.first[0]

    assert story.machine.host.tools.format("search") in {*asked.tools, *asked.text.split()}
    assert TITLE in story.first[-1].returned[-1]


@every_agent
def test_a_session_that_is_over_is_read(story: Story):
    """Nobody runs a command for it: the hook queues it, and a process of its own takes it in."""
    (session,) = story.sessions

    assert (story.machine.host.name, "done") == (session["agent"], session["state"])
    assert str(story.machine.project) == session["project_root"]


@every_agent
def test_the_model_has_something_remembered_while_the_user_is_still_there(story: Story):
    """With the user's words, found in the session that its program is just writing."""
    (memory,) = [memory for memory in story.memories[0] if memory["source"] == "agent"]
    (evidence,) = memory["evidence"]

    assert ("decision", "user", SAID) == (memory["primitive"], memory["trust"], evidence["quote"])
    assert (story.machine.host.name, "user") == (evidence["agent"], evidence["speaker"])


@every_agent
def test_nothing_is_learned_twice(story: Story):
    """Not what Lerim told the agent, which is nobody's word; and not what was remembered, when the session is read."""
    kept, noted = story.memories

    assert ["agent", "manual"] == sorted(memory["source"] for memory in kept if memory["primitive"] != "summary")
    assert [] == noted


@every_agent
def test_the_doctor_finds_nothing_wrong(story: Story):
    assert [] == [check for check in story.doctor if not check["ok"]]
    assert {"entries", "mcp"} <= {check["check"] for check in story.doctor}


@every_agent
def test_what_was_given_to_the_session_is_known(story: Story):
    """One session got one memory, however often it was gone on with."""
    assert (1, 1) == (story.usefulness["sessions"], story.usefulness["judged"])


@every_agent
def test_nothing_is_left_of_lerim_when_it_is_disconnected(story: Story):
    """No brief, no tool, no skill, and nobody hears of the session."""
    text = "\n".join(asked.text for asked in story.later)

    assert OPENING not in text
    assert story.machine.host.tools.format("search") not in {*text.split(), *story.later[0].tools}
    assert set() == story.machine.noted() - {session["run_id"] for session in story.sessions}


@pytest.mark.parametrize("machine", each_agent("codex"), indirect=True)
def test_codex_runs_no_hook_before_somebody_trusts_it_and_the_doctor_says_so(machine: Machine):
    machine.lerim("init")
    machine.lerim("memory", "add", "--primitive", "decision", "--title", TITLE)
    told = machine.json("connect", "codex", "--yes")
    doctor = json.loads(machine.lerim("connect", "doctor", "codex", "--json", code=1).out)

    (asked,) = machine.session("Which package manager do we use here?")

    assert OPENING not in asked.text
    assert "trust" in " ".join(told["left_to_do"])
    assert {"trust"} == {check["check"].split()[0] for check in doctor if not check["ok"]}
    assert {"untrusted"} == {hook["trustStatus"] for hook in hooks_of_codex(machine.project, machine.env)}


@pytest.mark.parametrize("machine", each_agent("copilot"), indirect=True)
def test_a_host_that_runs_claudes_hooks_too_gives_the_brief_once(machine: Machine):
    """Copilot runs those in a repository that it was told to trust."""
    machine.lerim("init")
    machine.lerim("memory", "add", "--primitive", "decision", "--title", TITLE)
    machine.lerim("connect", "copilot", "--yes")
    machine.lerim("connect", "claude", "--project", "--yes")

    asked = machine.session("Which package manager do we use here?", "--trust-folder")

    assert {1} == {one.text.count(OPENING) for one in asked}
    assert 1 == len(machine.noted())
