"""`lerim models`: which models are configured, and whether they work."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import plural
from lerim.config.settings import PROGRAM_PROVIDERS
from lerim.errors import UsageError
from lerim.llm.check import ModelCheck, RoleCheck
from lerim.payloads.models import reader_payload, reader_plan_payload, role_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.llm import Estimate
    from lerim.llm.use import ReaderPlan

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
    roles = lerim.readers.check(offline=args.offline)
    out.data([role_payload(role) for role in roles])
    for role in roles:
        _tell(role, out)
    failed = sum(not role.ok for role in roles)
    out.say("all roles are ready" if not failed else f"{plural(failed, 'role')} not ready")
    return 1 if failed else 0


@COMMANDS.add(
    "use",
    "Let a model read sessions: an agent's program on this machine, a local server, or a provider with a key. Shows"
    " what would be sent where and what it would use, asks, lets it prove that it can, and writes your settings."
    " Without a name, lists what is there.",
    example="lerim models use claude",
    arguments=[
        argument("name", nargs="?", metavar="NAME", help="claude, codex, ollama, openai … or embedded, to go back"),
        argument("--model", default="", help="the model, if not the reader's own choice"),
        argument("--base-url", default="", help="where a server is, if not at its usual address"),
        argument("--lead", action="store_true", help="let it lead and explore, too: many more requests"),
        argument("--yes", action="store_true", help="do not ask"),
    ],
)
def use(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if args.name is None:
        return _list_readers(lerim, out)
    plan = lerim.readers.plan(args.name, args.model, args.base_url, also_lead=args.lead)
    if plan.before == plan.after:
        out.say(f"{plan.reader.name} reads already")
        out.data(reader_plan_payload(plan, {}, [], used=False))
        return 0
    estimates = _estimates(lerim, plan)
    _tell_plan(plan, estimates, out)
    if not args.yes and not _agreed(out):
        out.say("nothing was changed")
        out.data(reader_plan_payload(plan, estimates, [], used=False))
        return 1
    checks = lerim.readers.use(plan)
    used = all(role.ok and all(model.works for model in role.models) for role in checks)
    out.data(reader_plan_payload(plan, estimates, checks, used=used))
    for role in checks if not used else ():
        _tell(role, out)
    done = f"{plan.reader.name} reads from now on; next: lerim sync --dry-run"
    out.say(done if used else f"{plan.reader.name} did not prove that it can read; nothing was changed")
    return 0 if used else 1


def _list_readers(lerim: Lerim, out: Output) -> int:
    readers = lerim.readers.find()
    out.data([reader_payload(reader) for reader in readers])
    for reader in readers:
        models = f"  {out.style(', '.join(reader.models[:3]), DIM)}" if reader.models else ""
        out.say(f"{reader.name:<12}{reader.where}{models}")
    if readers:
        out.note(f"to have one read your sessions: lerim models use {readers[0].name}")
    else:
        out.say("no agent's program, no local server and no key of a provider was found; embedded reads")
    return 0


def _estimates(lerim: Lerim, plan: ReaderPlan) -> Mapping[str, Estimate]:
    """What the reader would use for what is due now, as the last look at the disk knew it."""
    if plan.reader.provider == "embedded":
        return {}
    sessions = lerim.sessions
    found = lerim.intake.forecast(sessions, lerim.intake.due(sessions), plan.roles)
    return {role: estimate for role, estimate in found.items() if role in plan.roles}


def _tell_plan(plan: ReaderPlan, estimates: Mapping[str, Estimate], out: Output) -> None:
    model = f" ({plan.model})" if plan.model else ""
    out.say(f"{plan.reader.name}{model} would play {', '.join(plan.roles)}")
    if plan.reader.provider != "embedded":
        out.say(f"the text of your sessions, with secrets removed, goes {plan.reader.where}")
    for role, estimate in estimates.items():
        price = f"about ${estimate.usd:.2f}" if estimate.usd is not None else "at a price that is not known here"
        used = f"{plural(estimate.requests, 'request')}, {estimate.tokens:,} tokens"
        out.say(f"for what is due now, {role}: about {used}, {price}")
    out.say(f"the change of {plan.path}:")
    for line in plan.diff[2:]:
        out.say(f"  {line}")


def _agreed(out: Output) -> bool:
    """Whether a person agrees. Without one, nobody does."""
    if not (sys.stdin.isatty() and out.is_terminal):
        raise UsageError("nobody is here to agree", hint="add --yes if you do")
    out.prompt("Go on? A test call is made first. [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


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
    if role.provider in PROGRAM_PROVIDERS:
        return "your own program, on its own login"
    if role.variable is None:
        return "no key and no network needed"
    key = f"{role.variable} is {'set' if role.key_set else 'not set'}"
    return f"{role.base_url or 'no address'}, {key}"


def _answer(model: ModelCheck, out: Output) -> str:
    if model.works is None:
        return out.style("not called", DIM)
    return out.style("works", GREEN) if model.works else out.style("does not work", RED)
