"""`lerim team`: who works with a shared store, what each of them may do, and who did what."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import DIM, Output
from lerim.cli.report import YES, is_sure
from lerim.context.access_log import AccessEntry, AccessKind
from lerim.context.projects import person_of
from lerim.context.team import ALL as EVERY_PROJECT
from lerim.context.team import TeamGrant, TeamRole
from lerim.context.tokens import DAYS, ApiToken
from lerim.errors import UsageError
from lerim.payloads.team import (
    access_payload,
    member_grant_payload,
    member_name_payload,
    member_payload,
    myself_payload,
    new_member_payload,
    new_token_payload,
    token_payload,
)
from lerim.service import Lerim

COMMANDS = Commands()
_NAME = argument("name", help="a member's name")
_ROLES = [str(role) for role in TeamRole]
_PROJECT = argument("--project", metavar="NAME", help="its name or id (default: all projects but people's own)")
_ALL = "all projects"


@COMMANDS.add(
    "add",
    "Let somebody into the shared store: a login of its own, without any rights yet. Its address is shown once.",
    example="lerim team add anna",
    arguments=[
        argument("name", help="small letters, digits and underscores"),
        argument("--back", action="store_true", help="the same person was a member before: their own memory is back"),
    ],
)
def add(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    added = lerim.team.people.add(args.name, is_back=args.back)
    out.data(new_member_payload(added))
    out.say(f"{added.name} can get in with this address, which nobody can show again:")
    out.say(f"  {added.url}")
    out.note(f"they may do nothing yet: lerim team grant {added.name} writer --project NAME")


@COMMANDS.add("list", "List the members and their roles: all for admins, else oneself.", example="lerim team list")
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    members = lerim.team.people.members()
    out.data([member_payload(member) for member in members])
    if not members:
        out.note("nobody but you yet: lerim team add NAME")
    elif not out.as_json:
        rows = [[member.name, _told(member.grants), f"{member.since:%Y-%m-%d}"] for member in members]
        out.table(["NAME", "ROLES", "SINCE"], rows, flexible=1)


@COMMANDS.add(
    "grant",
    "Give a member a role in a project, or in all: reader, writer or admin. It takes the place of the one before.",
    example="lerim team grant anna writer --project shop",
    arguments=[_NAME, argument("role", choices=_ROLES, help="what they may do there"), _PROJECT],
)
def grant(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    given = lerim.team.grant(args.name, args.role, args.project)
    out.data(member_grant_payload(args.name, given))
    out.say(f"{args.name} is {given.role} of {given.project or _ALL}")


@COMMANDS.add(
    "revoke",
    "Take a member's role in a project, or the one in all. Open connections of theirs end.",
    example="lerim team revoke anna --project shop",
    arguments=[_NAME, _PROJECT],
)
def revoke(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    taken = lerim.team.revoke(args.name, args.project)
    out.data(member_grant_payload(args.name, taken))
    out.say(f"{args.name} is no longer {taken.role} of {taken.project or _ALL}")


@COMMANDS.add(
    "remove",
    "Let a member go: login, tokens and open connections end at once. What they wrote stays.",
    example="lerim team remove anna",
    arguments=[_NAME, YES],
)
def remove(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    what = f"This ends the login and the tokens of {args.name}. What they wrote stays."
    if not args.yes and not is_sure(what, f"lerim team remove {args.name} --yes", out):
        return 1
    lerim.team.people.remove(args.name)
    out.data(member_name_payload(args.name))
    out.say(f"{args.name} is out; what they wrote stays, and what was theirs alone is kept for the store's owner")
    return 0


@COMMANDS.add("whoami", "Show who you are in the shared store, and what you may do.", example="lerim team whoami")
def whoami(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    me = lerim.team.people.me()
    out.data(myself_payload(me))
    if me.name is None:
        out.say(f"{me.login}, the owner of this store: the rules for members do not bind you")
        return
    out.fact("name", me.name, 7)
    out.fact("login", me.login, 7)
    out.fact("roles", _told(me.grants), 7)


@COMMANDS.add(
    "token",
    "Make, list or take back tokens: they let programs act as you over HTTP, with a part of your rights, for a while.",
    example="lerim team token create --label 'build server' --role reader --project shop --days 30",
    arguments=[
        argument("action", choices=["create", "list", "revoke"], help="what to do"),
        argument("token", nargs="?", help="which to revoke: its id or its label"),
        argument("--label", default="", help="what it is for"),
        argument("--role", choices=_ROLES, default=_ROLES[0], help="the most it may do (default: reader)"),
        argument("--project", action="append", default=[], metavar="NAME", help="for these only; repeatable"),
        argument("--days", type=whole_number, default=DAYS, help=f"how long it holds (default {DAYS}, at most 366)"),
        argument(
            "--for", dest="member", default="", metavar="NAME", help="whose it is; only the store's owner says so"
        ),
    ],
)
def token(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    {"create": _create, "list": _list_tokens, "revoke": _revoke}[args.action](lerim, args, out)


def _create(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if not args.label:
        raise UsageError("say what the token is for", hint="lerim team token create --label 'build server'")
    made = lerim.team.make_token(args.label, args.role, args.project, days=args.days, member=args.member)
    out.data(new_token_payload(made))
    out.say(f"{made.secret}")
    out.note(
        f"nobody can show it again; it holds until {made.token.expires:%Y-%m-%d}: {_scope(made.token, _names(lerim))}"
    )


def _list_tokens(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    tokens = lerim.team.tokens.all()
    out.data([token_payload(one) for one in tokens])
    if not tokens:
        out.note("no tokens yet: lerim team token create --label 'build server'")
    elif not out.as_json:
        names = _names(lerim)
        rows = [[one.id, one.member, one.label, _scope(one, names), _state(one)] for one in tokens]
        out.table(["ID", "WHOSE", "FOR", "SCOPE", ""], rows, flexible=2)


def _revoke(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if not args.token:
        raise UsageError("say which token to take back", hint="lerim team token list")
    taken = lerim.team.tokens.revoke(args.token)
    out.data(token_payload(taken))
    out.say(f"the token {taken.id} ({taken.label}) lets nobody in any more")


@COMMANDS.add(
    "audit",
    "Show who read, wrote and exported what, newest first: all for admins, else what you did.",
    example="lerim team audit --project shop --limit 20",
    arguments=[
        argument("--who", default="", metavar="NAME", help="only this member"),
        argument("--project", default="", metavar="NAME", help="only in this project"),
        argument("--action", default="", choices=["", *map(str, AccessKind)], help="only this kind"),
        argument("--limit", type=whole_number, default=50, help="at most so many (default 50; 0 for all)"),
    ],
)
def audit(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.team.entries(args.limit, args.who, args.project, args.action)
    out.data([access_payload(entry) for entry in found])
    if not found:
        out.note("nothing was noted yet: a log is kept from the first member on")
    elif not out.as_json:
        names = _names(lerim)
        rows = [_row(one, names) for one in found]
        out.table(["AT", "WHO", "VIA", "", "WHAT", "PROJECT"], rows, flexible=4)
        out.note(out.style("times are UTC", DIM))


def _names(lerim: Lerim) -> dict[str, str]:
    """What the projects are called that one may see; where several have a name, ids tell them apart."""
    known = {project.id: project.name for project in lerim.projects.all()}
    often = Counter(known.values())
    return {project_id: name for project_id, name in known.items() if often[name] == 1}


def _row(one: AccessEntry, names: Mapping[str, str]) -> list[str]:
    project = names.get(one.project_id or "", one.project_id or "")
    return [f"{one.at:%Y-%m-%d %H:%M:%S}", person_of(one.who), one.via, str(one.action), one.what, project]


def _told(grants: tuple[TeamGrant, ...]) -> str:
    named = (
        f"{one.role} of {_ALL if one.project_id == EVERY_PROJECT else one.project or one.project_id}" for one in grants
    )
    return ", ".join(named) or "none"


def _scope(one: ApiToken, names: Mapping[str, str]) -> str:
    where = "all their projects" if one.projects is None else ", ".join(names.get(name, name) for name in one.projects)
    return f"{one.role} of {where}"


def _state(one: ApiToken) -> str:
    if one.revoked:
        return "taken back"
    return f"until {one.expires:%Y-%m-%d}" if one.holds else "too old"
