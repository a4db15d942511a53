"""`lerim models`: which models are configured, and whether they work."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import plural
from lerim.llm.check import ModelCheck, RoleCheck
from lerim.payloads.models import role_payload
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "check",
    "Check that each role's model is configured, has its key and package, and can do what the role needs: call a tool,"
    " answer in a given form. Costs a few tokens per model.",
    example="lerim models check --offline",
    arguments=[
        argument("--offline", action="store_true", help="call no model; check settings, keys and packages only")
    ],
)
def check(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    roles = lerim.check_models(offline=args.offline)
    out.data([role_payload(role) for role in roles])
    for role in roles:
        _tell(role, out)
    failed = sum(not role.ok for role in roles)
    out.say("all roles are ready" if not failed else f"{plural(failed, 'role')} not ready")
    return 1 if failed else 0


def _tell(role: RoleCheck, out: Output) -> None:
    out.say(f"{role.role:<10}{role.provider:<18}{out.style(_facts(role), DIM)}".rstrip())
    for model in role.models:
        out.say(f"          {model.model:<30}  {_answer(model, out)}")
    for problem in dict.fromkeys((*role.problems, *(m.problem for m in role.models if m.problem))):
        out.say(f"          {out.style(problem.message, YELLOW)}")
        out.say(f"          {out.style('try:', DIM)} {problem.hint}")
    if role.warning:
        out.say(f"          {out.style(role.warning, YELLOW)}")


def _facts(role: RoleCheck) -> str:
    if role.variable is None:
        return "no key and no network needed"
    key = f"{role.variable} is {'set' if role.key_set else 'not set'}"
    return f"{role.base_url or 'no address'}, {key}"


def _answer(model: ModelCheck, out: Output) -> str:
    if model.works is None:
        return out.style("not called", DIM)
    return out.style("works", GREEN) if model.works else out.style("does not work", RED)
