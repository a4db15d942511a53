"""Agents' programs as models: scripts that behave as the real ones do, well and badly, started as processes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent

from lerim.config.settings import PROGRAM_PROVIDERS, Provider
from lerim.errors import ModelError, ModelNotReady, ModelUnavailable
from lerim.llm import Spending
from lerim.llm.programs import PROGRAMS, ProgramCall, answer_in, strict
from lerim.sessions.routing import Atlas, Registered, route

RUN = Spending("sync-1", "shop")
SECRET = "sk-do-not-hand-on-0123456789"

# Notes how it was called, then prints what the test wants, as often as it is called.
FAKE = """#!{python}
import json, os, sys, time
from pathlib import Path
here = Path(__file__).resolve().parent
calls = here / "calls.jsonl"
asked = sys.stdin.read()
note = {{"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(), "stdin": asked, "files": os.listdir(".")}}
for name in sys.argv:
    if name.endswith("schema.json"):
        note["schema"] = json.loads(Path(name).read_text())
with calls.open("a") as file:
    file.write(json.dumps(note) + "\\n")
plan = json.loads((here / "plan.json").read_text())
step = plan[min(len(calls.read_text().splitlines()), len(plan)) - 1]
if step.get("hang"):
    time.sleep(60)
sys.stderr.write(step.get("err", ""))
sys.stdout.write(step["out"] * step.get("times", 1))
sys.exit(step.get("code", 0))
"""


class Verdict(BaseModel):
    """The answer."""

    word: str
    count: int


ANSWER = {"word": "pnpm", "count": 3}


def lines(*events: dict[str, Any]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def envelope(provider: Provider, text: str, structured: dict[str, Any] | None = None) -> str:
    """What each program prints around an answer."""
    match provider:
        case Provider.CLAUDE | Provider.CURSOR:
            usage = {"input_tokens": 40, "cache_read_input_tokens": 60, "output_tokens": 20}
            result = {"type": "result", "subtype": "success", "is_error": False, "result": text, "usage": usage}
            more = {"structured_output": structured} if structured else {}
            return json.dumps({**result, **more, "total_cost_usd": 0.01})
        case Provider.CODEX:
            return lines(
                {"type": "thread.started", "thread_id": "1"},
                {"type": "item.completed", "item": {"type": "error", "message": "a warning that means nothing"}},
                {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
                {"type": "turn.completed", "usage": {"input_tokens": 100, "output_tokens": 20}},
            )
        case Provider.GEMINI:
            models = {"gemini-3": {"tokens": {"prompt": 100, "candidates": 20}}}
            return json.dumps({"session_id": "1", "response": text, "stats": {"models": models}})
        case Provider.COPILOT:
            return lines(
                {"type": "assistant.message", "data": {"content": text}},
                {"type": "result", "sessionId": "1", "exitCode": 0, "usage": {"premiumRequests": 1}},
            )
    tokens = {"input": 100, "output": 20, "reasoning": 0}
    return lines({"type": "text", "part": {"text": text}}, {"type": "step_finish", "part": {"tokens": tokens}})


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., Path]:
    """Put a program where it is found, which does these things one after the other."""

    def put(provider: Provider, *steps: dict[str, Any]) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        script = folder / PROGRAMS[provider].command
        script.write_text(FAKE.format(python=sys.executable))
        script.chmod(0o755)
        (folder / "plan.json").write_text(json.dumps(steps))
        return folder

    return put


@pytest.fixture
def ask(make: Any, install: Any, tmp_path: Path) -> Callable[..., Any]:
    """Let a program answer once, through budget and books."""

    def run(provider: Provider, *steps: dict[str, Any], model: str = "", **role: Any) -> Any:
        folder = install(provider, *steps)
        env = {"PATH": f"{folder}{os.pathsep}/usr/bin:/bin", "HOME": str(tmp_path), "STRIPE_KEY": SECRET}
        env |= {"GEMINI_API_KEY": "g", "GH_TOKEN": "t"}
        models = make(provider, model, env=env, base_url="", **role)
        agent = Agent(models.model("extract", RUN), output_type=Verdict, instructions="Judge the session.", retries=1)
        return asyncio.run(agent.run("L2 user: use pnpm")).output

    return run


def calls(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "bin" / "calls.jsonl").read_text().splitlines()]


ALL = sorted(PROGRAM_PROVIDERS)


@pytest.mark.parametrize("provider", ALL)
def test_each_program_answers_in_the_form_that_is_asked_for(ask, ledger, tmp_path, provider):
    """The prompt comes by standard input into an empty folder, and the books have one call."""
    answer = ask(provider, {"out": envelope(provider, json.dumps(ANSWER))})

    (call,) = calls(tmp_path)
    assert Verdict(**ANSWER) == answer
    assert "L2 user: use pnpm" in call["stdin"]
    assert not any("use pnpm" in word for word in call["argv"])
    assert [] == call["files"]
    assert call["cwd"] != str(tmp_path)
    assert not Path(call["cwd"]).exists()
    assert "Judge the session." in call["stdin"] + " ".join(call["argv"])
    assert 1 == ledger.spent("sync-1").calls


@pytest.mark.parametrize("provider", ALL)
def test_a_program_sees_nothing_of_the_environment_that_it_does_not_need(ask, tmp_path, provider):
    """Keys of others stay here; a mark says whose call it is."""
    ask(provider, {"out": envelope(provider, json.dumps(ANSWER))})

    (call,) = calls(tmp_path)
    assert SECRET not in json.dumps(call["env"])
    assert "1" == call["env"]["LERIM_CHILD"]
    assert str(tmp_path) == call["env"]["HOME"]


@pytest.mark.parametrize(
    ("provider", "flags"),
    [
        (Provider.CLAUDE, ["--no-session-persistence", "--strict-mcp-config", "--disable-slash-commands"]),
        (Provider.CODEX, ["--ephemeral", "--ignore-user-config", "read-only", "hooks", "shell_tool", "-"]),
        (Provider.GEMINI, ["--approval-mode", "plan"]),
        (Provider.COPILOT, ["--available-tools=nosuchtool", "--disable-builtin-mcps", "--no-custom-instructions"]),
        (Provider.OPENCODE, ["--pure"]),
        (Provider.CURSOR, ["--mode", "ask"]),
    ],
)
def test_a_program_is_called_without_tools_hooks_and_servers(ask, tmp_path, provider, flags):
    """And leaves no session, or has a state of its own that is thrown away."""
    ask(provider, {"out": envelope(provider, json.dumps(ANSWER))}, model="small")

    (call,) = calls(tmp_path)
    assert set(flags) <= set(call["argv"])
    assert "small" in call["argv"]
    if (state := PROGRAMS[provider].state) is not None:
        assert not Path(call["env"][state]).exists()
        assert not call["env"][state].startswith(str(tmp_path))


def test_claude_is_given_no_tools_and_no_settings(ask, tmp_path):
    """Both by an empty value, which no shell could lose: there is none."""
    ask(Provider.CLAUDE, {"out": envelope(Provider.CLAUDE, "", ANSWER)})

    (call,) = calls(tmp_path)
    argv = call["argv"]
    assert ["", ""] == [argv[argv.index(flag) + 1] for flag in ("--tools", "--setting-sources")]
    assert {"word", "count"} == set(json.loads(argv[argv.index("--json-schema") + 1])["properties"])


def test_codex_gets_a_strict_schema_in_a_file(ask, tmp_path):
    """All keys required, none besides."""
    ask(Provider.CODEX, {"out": envelope(Provider.CODEX, json.dumps(ANSWER))})

    (call,) = calls(tmp_path)
    assert (False, ["word", "count"]) == (call["schema"]["additionalProperties"], call["schema"]["required"])


@pytest.mark.parametrize("provider", ALL)
@pytest.mark.parametrize(
    "wrapped",
    [
        "```json\n%s\n```",
        "Sure! Here it is:\n%s\nAnything else?",
        "{thinking} about {it} first: %s",
    ],
)
def test_talk_around_the_answer_is_no_harm(ask, provider, wrapped):
    """And neither is what a program prints before its envelope."""
    junk = "(node:7) Warning: the cache {is} old\nLoaded cached credentials.\n"

    assert Verdict(**ANSWER) == ask(provider, {"out": junk + envelope(provider, wrapped % json.dumps(ANSWER))})


def test_an_answer_of_another_shape_is_asked_for_again_with_what_was_wrong(ask, tmp_path):
    """As with every model: the second call is told of the first."""
    wrong = {"out": envelope(Provider.CLAUDE, "", {"word": "pnpm"})}

    assert Verdict(**ANSWER) == ask(Provider.CLAUDE, wrong, {"out": envelope(Provider.CLAUDE, "", ANSWER)})
    assert "You answered:" in calls(tmp_path)[1]["stdin"]
    assert "count" in calls(tmp_path)[1]["stdin"]


def test_no_json_at_all_is_asked_for_once_more(ask, tmp_path):
    """Then it is reported."""
    with pytest.raises(ModelUnavailable, match="unreadable answer: there is no JSON"):
        ask(Provider.CODEX, {"out": envelope(Provider.CODEX, "I would rather not.")})

    assert 2 == len(calls(tmp_path))


@pytest.mark.parametrize(
    ("step", "error", "words"),
    [
        (
            {"out": "", "err": "Error: usage limit reached, resets at 3pm", "code": 1},
            ModelUnavailable,
            "accepts no more",
        ),
        ({"out": "", "err": "Please run /login", "code": 1}, ModelNotReady, "cannot be asked"),
        (
            {"out": json.dumps({"type": "result", "is_error": True, "result": "Invalid API key"}), "code": 1},
            ModelNotReady,
            "Invalid API key",
        ),
        (
            {"out": json.dumps({"type": "result", "subtype": "error_max_turns", "is_error": True}), "code": 1},
            ModelUnavailable,
            "error_max_turns",
        ),
        ({"out": "", "err": "\x1b[31mboom\x1b[0m", "code": 3}, ModelUnavailable, "boom"),
        ({"out": "", "code": 7}, ModelUnavailable, "ended with code 7"),
        ({"out": "x" * 1_000_000, "times": 20}, ModelUnavailable, "printed more than"),
    ],
)
def test_a_program_that_fails_says_why(ask, step, error, words):
    """By its envelope, its complaint or its exit code, in words that steer no terminal."""
    with pytest.raises(error, match=words) as caught:
        ask(Provider.CLAUDE, step)

    assert "\x1b" not in caught.value.message


def test_warnings_on_the_way_to_an_answer_are_no_failure(ask):
    """Codex reports them as items of the type error; others exit with a code although they answered."""
    out = envelope(Provider.CODEX, json.dumps(ANSWER))

    assert Verdict(**ANSWER) == ask(Provider.CODEX, {"out": out, "err": "retrying once", "code": 1})


def test_a_program_that_hangs_is_ended_with_all_it_started(ask, tmp_path):
    """After the role's own time."""
    with pytest.raises(ModelUnavailable, match="did not answer within 1 seconds"):
        ask(Provider.CLAUDE, {"out": "", "hang": True}, timeout_seconds=1)

    folder = Path(calls(tmp_path)[0]["cwd"])
    assert not folder.exists()


def test_a_program_that_is_not_there_is_named(make, tmp_path):
    """Before anything is asked."""
    models = make(Provider.CODEX, "", env={"PATH": str(tmp_path)}, base_url="")

    with pytest.raises(ModelNotReady, match="the program 'codex' is not installed"):
        models.model("extract", RUN)


def test_gemini_and_copilot_need_their_key_in_the_environment(make, install):
    """With a login of their own they would keep each call as a session, for Lerim to read."""
    env = {"PATH": f"{install(Provider.GEMINI)}"}
    models = make(Provider.GEMINI, "", env=env, base_url="")

    with pytest.raises(ModelNotReady, match="keep each call as a session"):
        models.model("extract", RUN)


@pytest.mark.parametrize(
    ("name", "kind"), [("GEMINI_API_KEY", "gemini-api-key"), ("GOOGLE_API_KEY", "vertex-ai")], ids=["gemini", "vertex"]
)
def test_gemini_is_told_what_its_key_is(tmp_path, name, kind):
    """It does not find out by itself when the key is one of Vertex, or its server is elsewhere."""
    PROGRAMS[Provider.GEMINI].arguments(ProgramCall("", {}, "", tmp_path, {name: "k"}))

    settings = json.loads((tmp_path / "state" / ".gemini" / "settings.json").read_text())
    assert kind == settings["security"]["auth"]["selectedType"]


def test_copilot_with_a_model_server_of_ones_own_needs_no_login(install):
    program, folder = PROGRAMS[Provider.COPILOT], install(Provider.COPILOT)

    assert program.problem({"PATH": str(folder)}) is not None
    assert program.problem({"PATH": str(folder), "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:1/v1"}) is None


def test_a_program_does_not_lead(make, install):
    """It has no tools of ours."""
    env = {"PATH": f"{install(Provider.CODEX, {'out': ''})}{os.pathsep}/usr/bin"}
    agent = Agent(make(Provider.CODEX, "", env=env, base_url="").model("lead", RUN))

    @agent.tool_plain
    def look() -> str:
        return "nothing"

    with pytest.raises(ModelError, match="not lead or explore"):
        asyncio.run(agent.run("go"))


def test_a_session_of_such_a_call_belongs_to_nobody(tmp_path):
    """Not even where sessions without a project go to the global memory."""
    shared = Registered("global", tmp_path)
    atlas = Atlas((), tmp_path, False, fallback=shared)

    assert shared == route(str(tmp_path / "elsewhere"), atlas).project
    assert None is route("/tmp/lerim-reader-x7d/work", atlas).project


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('talk {not json} then {"a": {"b": 2}} done', {"a": {"b": 2}}),
        ('{"a": 1} and {"a": 1, "b": [1, 2, 3]}', {"a": 1, "b": [1, 2, 3]}),
        ("[1, 2]", None),
        ("nothing", None),
        ('{"a": ' * 5_000, None),
    ],
)
def test_the_answer_is_found_in_what_was_said(text, found):
    """The largest object counts; half of one is none."""
    assert found == answer_in(text)


def test_a_strict_schema_is_strict_all_the_way_down():
    """In lists and definitions, too."""
    schema = {"type": "object", "properties": {"a": {"items": {"properties": {"b": {"default": 1}}}}}}

    assert {"b"} == set(strict(schema)["properties"]["a"]["items"]["required"])
    assert strict(schema)["properties"]["a"]["items"]["additionalProperties"] is False
