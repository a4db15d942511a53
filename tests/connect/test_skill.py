"""What agents are told to do with the memory: it fits their limits, and names nothing that does not exist."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from lerim.cli.main import build_parser
from lerim.connect.agents import AGENTS, Ground, shipped
from lerim.connect.command_line import Launcher
from lerim.connect.edits_text import MARK
from lerim.serve.tools import BY_NAME

TEXTS = ["SKILL.md", "instructions.md"]
#: Words in the skill's code that are arguments of tools, and not tools.
ARGUMENTS = {field for tool in BY_NAME.values() for field in tool.fields}


def test_the_skill_is_one_that_every_agent_takes() -> None:
    """OpenCode wants the folder's name and no long description; nobody wants to pay for a long one."""
    _, head, body = shipped("skill/SKILL.md").split("---\n", 2)
    said = yaml.safe_load(head)

    assert "lerim" == said["name"]
    assert len(said["description"]) <= 1024
    assert len(body) < 4_000
    assert MARK in body


@pytest.mark.parametrize("name", TEXTS)
def test_the_tools_that_are_named_exist(name: str) -> None:
    """Each word in code that is no command is a tool of the server's, one of its arguments, or its name."""
    words = re.findall(r"`([a-z_]+)`", shipped(f"skill/{name}"))

    assert {"brief", "search", "remember", "review"} <= set(words)
    assert set() == set(words) - BY_NAME.keys() - ARGUMENTS - {"lerim"}


@pytest.mark.parametrize("name", TEXTS)
def test_the_commands_that_are_named_can_be_typed(name: str) -> None:
    commands = re.findall(r"`(lerim [^`]+)`", shipped(f"skill/{name}"))

    assert commands
    for command in commands:
        assert build_parser(None).parse_args(shlex.split(command)[1:]).command


@pytest.mark.parametrize(("name", "agent"), [("opencode.js", "opencode"), ("pi.ts", "pi")])
def test_a_plugin_says_who_wrote_it_and_starts_the_right_program(tmp_path: Path, name: str, agent: str) -> None:
    """Nothing is left to be filled in, and a path with quotes stays one."""
    program = tmp_path / 'it\'s "here"' / "lerim"
    ground = Ground(tmp_path, {}, Launcher(str(program), home="/srv/lerim"))
    (text,) = [entry.edit.put(None) for entry in AGENTS[agent].parts(ground) if entry.path.suffix in (".js", ".ts")]

    assert MARK in text
    assert "__" not in text
    assert '\\"here\\"/lerim"' in text
    assert '{"LERIM_HOME": "/srv/lerim"}' in text


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_opencodes_plugin_gives_the_brief_once_and_never_throws(tmp_path: Path) -> None:
    """Run as OpenCode runs it: every request of a session gets the text of one call; the one for its title none."""
    lerim, calls = tmp_path / "my tools" / "lerim", tmp_path / "calls"
    lerim.parent.mkdir()
    lerim.write_text(f'#!/bin/sh\necho "$2 $(cat)" >> {calls}\n[ "$2" = session-start ] && echo "the brief"\nexit 0\n')
    lerim.chmod(0o755)
    entries = AGENTS["opencode"].parts(Ground(tmp_path, {}, Launcher(str(lerim))))
    plugin = tmp_path / "lerim.mjs"
    plugin.write_text(entries[0].edit.put(None))
    (tmp_path / "try.mjs").write_text("""
import { Lerim } from "./lerim.mjs"
const get = async ({ path }) => ({ data: { parentID: path.id === "child" ? "s1" : undefined } })
const client = { session: { get } }
const hooks = await Lerim({ directory: process.cwd(), client })
const ask = async (sessionID, system) => {
  const output = { system: [...system] }
  await hooks["experimental.chat.system.transform"]({ sessionID }, output)
  return output.system.slice(system.length)
}
console.log(JSON.stringify([
  await Promise.all([ask("s1", ["x"]), ask("s1", ["x"])]), await ask("s1", ["x"]),
  await ask("s1", ["You are a title generator."]), await ask("child", ["x"]), await ask(undefined, ["x"]),
]))
await hooks["experimental.session.compacting"]({ sessionID: "s1" }, {})
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "other" } } })
await hooks.dispose()
""")

    done = subprocess.run(["node", "try.mjs"], cwd=tmp_path, capture_output=True, check=True, text=True, timeout=60)

    once = ["the brief"]
    assert [[once, once], once, [], [], []] == json.loads(done.stdout)
    said = calls.read_text().splitlines()
    assert ["session-start", "pre-compact", "turn-end", "session-end"] == [line.split()[0] for line in said]
    assert all(str(tmp_path) in line for line in said)


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_a_plugin_without_its_program_lets_the_session_go_on(tmp_path: Path) -> None:
    entries = AGENTS["opencode"].parts(Ground(tmp_path, {}, Launcher(str(tmp_path / "gone" / "lerim"))))
    (tmp_path / "lerim.mjs").write_text(entries[0].edit.put(None))
    (tmp_path / "try.mjs").write_text("""
import { Lerim } from "./lerim.mjs"
const hooks = await Lerim({ directory: process.cwd(), client: undefined })
const output = { system: ["x"] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
await hooks.dispose()
console.log(output.system.length)
""")

    done = subprocess.run(["node", "try.mjs"], cwd=tmp_path, capture_output=True, check=True, text=True, timeout=60)

    assert "1" == done.stdout.strip()


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_pis_extension_gives_the_brief_once_and_again_after_compaction(tmp_path: Path) -> None:
    """Run as pi runs it: a message that is stored, so it is given once; and not to a session that is taken up again."""
    lerim, calls = tmp_path / "lerim", tmp_path / "calls"
    lerim.write_text(f'#!/bin/sh\necho "$2 $(cat)" >> {calls}\n[ "$2" = session-start ] && echo "the brief"\nexit 0\n')
    lerim.chmod(0o755)
    entries = AGENTS["pi"].parts(Ground(tmp_path, {}, Launcher(str(lerim))))
    (tmp_path / "lerim.mjs").write_text(entries[0].edit.put(None))
    (tmp_path / "try.mjs").write_text("""
import extension from "./lerim.mjs"
const handlers = {}
extension({ on: (name, handler) => (handlers[name] = handler) })
const sessionManager = { getSessionId: () => "s1", getSessionFile: () => "/tmp/s1.jsonl" }
const on = (name, event = {}) => handlers[name](event, { cwd: process.cwd(), sessionManager })
const given = []
const start = async () => given.push((await on("before_agent_start"))?.message?.content ?? "")
await on("session_start", { reason: "startup" })
await start(); await start()
await on("session_before_compact"); await on("session_compact"); await start()
await on("session_shutdown", { reason: "resume" })
await on("session_start", { reason: "resume" })
await start()
console.log(JSON.stringify(given))
""")

    done = subprocess.run(["node", "try.mjs"], cwd=tmp_path, capture_output=True, check=True, text=True, timeout=60)

    assert ["the brief", "", "the brief", ""] == json.loads(done.stdout)
    events = [line.split(maxsplit=1) for line in calls.read_text().splitlines()]
    assert ["session-start", "pre-compact", "session-start", "session-end"] == [event for event, _ in events]
    assert ["startup", None, "compact", None] == [json.loads(said).get("source") for _, said in events]
    assert {"s1"} == {json.loads(said)["session_id"] for _, said in events}
