"""Real agent programs that read for Lerim: flags they know, one request, an answer, and nothing left behind."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lerim.llm.programs import PROGRAMS, ProgramCall

from .conftest import Machine, each_agent
from .hosts import run
from .server import Asked, Call, Say

#: Where each program tells what it takes.
_HELP = {"codex": ("exec", "--help"), "opencode": ("run", "--help")}
#: Tools that cannot be taken from a program: to answer, to ask, and to look at a picture.
_HARMLESS = {"StructuredOutput", "DeferredToolPlaceholder", "request_user_input", "view_image"}


def _answers(asked: Asked) -> Say | Call:
    """What the check of `lerim models use` wants to hear, as a tool where the program asks for one."""
    if "StructuredOutput" in asked.tools and not asked.returned:
        return Call("StructuredOutput", {"number": 7})
    return Say(json.dumps({"number": 7}))


@pytest.mark.parametrize("machine", each_agent(), indirect=True)
def test_every_flag_that_a_program_is_called_with_is_one_it_knows(machine: Machine, tmp_path: Path):
    """By its own help; features that are switched off, by its own list."""
    program = PROGRAMS[machine.host.provider]
    arguments = program.arguments(ProgramCall("Judge.", {"type": "object"}, "a-model", tmp_path, {}))
    told = run((program.command, *_HELP.get(machine.host.name, ("--help",))), machine.project, machine.env)

    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", told.out + told.err))
    assert set() == {word.partition("=")[0] for word in arguments if word.startswith("-") and word != "-"} - known
    off = [arguments[n + 1] for n, word in enumerate(arguments) if word == "--disable"]
    features = run((program.command, "features", "list"), machine.project, machine.env).out if off else ""
    assert set() == set(off) - {line.split()[0] for line in features.splitlines()}


@pytest.mark.parametrize("machine", each_agent(), indirect=True)
def test_a_program_reads_for_lerim_and_leaves_nothing_that_lerim_would_read(machine: Machine):
    """One request carries what it is asked, and no brief, though the agent is connected. It has no tools to act with,
    runs no hook, and its session is nobody's."""
    machine.server.script = _answers
    machine.lerim("init")
    machine.lerim("memory", "add", "--primitive", "decision", "--title", "Use pnpm for every package of the shop")
    machine.lerim("connect", machine.host.name, "--yes")
    machine.trust()

    used = machine.json("models", "use", machine.host.name, "--yes")

    assert (True, [True, True]) == (used["used"], [check["ok"] for check in used["checks"]])
    (asked, *again) = machine.server.asked
    assert "Give the number 7." in asked.text
    assert all(request.returned for request in again)
    assert "pnpm" not in asked.text
    assert set() == set(asked.tools) - _HARMLESS
    assert set() == machine.noted()
    assert [] == machine.json("sync")["sessions"]
    assert [] == machine.json("sessions", "list", "--all")
