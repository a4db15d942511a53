"""`lerim init` and `lerim project`: the projects whose memory is kept."""

from __future__ import annotations

import argparse
from pathlib import Path, PureWindowsPath

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, Output
from lerim.cli.report import YES, is_sure, kept_only_in_store, plural
from lerim.cli.trust import ask_for_trust
from lerim.context.projects import Project
from lerim.errors import StoreUnreachable, UsageError
from lerim.payloads.profile import project_profile_payload
from lerim.payloads.project import (
    project_alias_payload,
    project_details_payload,
    project_payload,
    removed_project_payload,
    trusted_project_payload,
)
from lerim.printable import shell_word
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "init",
    "Make this repository a project: register it and create .lerim/ with a .gitignore.",
    example="lerim init --name shop",
    arguments=[
        argument("path", nargs="?", type=Path, help="a folder other than this repository's root"),
        argument("--name", help="what to call it (default: the folder's name)"),
        argument("--no-sync", action="store_true", help="do not read its agents' sessions yet"),
    ],
)
def init(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    project = _laid_out(lerim, args.path, args.name, out)
    out.data(project_payload(project))
    return _first_read(lerim, [] if args.no_sync else [project], out)


@COMMANDS.add(
    "add",
    "Register folders as projects.",
    example="lerim project add ~/src/shop --name shop",
    arguments=[
        argument("path", nargs="+", type=Path, help="a project's root folder"),
        argument("--name", help="what to call it (default: the folder's name)"),
        argument("--no-sync", action="store_true", help="do not read its agents' sessions yet"),
    ],
)
def add(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if args.name and len(args.path) > 1:
        raise UsageError("--name is for one folder", hint="lerim project add PATH --name NAME")
    projects = [_laid_out(lerim, path, args.name, out) for path in args.path]
    payloads = list(map(project_payload, projects))
    out.data(payloads if len(payloads) > 1 else payloads[0])
    return _first_read(lerim, [] if args.no_sync else projects, out)


def _laid_out(lerim: Lerim, path: Path | None, name: str | None, out: Output) -> Project:
    project = ask_for_trust(lerim, lerim.setup.init(path, name), out)
    out.say(f"{project.name} is ready: {project.root}")
    out.say(out.style("  .lerim/memory/     decisions and learnings, to share through git", DIM))
    out.say(out.style("  .lerim/.gitignore  keeps everything else on this machine", DIM))
    return project


def _first_read(lerim: Lerim, projects: list[Project], out: Output) -> int:
    """Read the sessions that new projects have already, and say what could read them with more judgement."""
    if out.as_json:
        return 0
    from lerim.cli.sync import begin, tell_readers  # Start-up: what reads sessions is loaded for those who have some.

    codes = [begin(lerim, project, out) for project in projects]
    tell_readers(lerim, out)
    return max(codes, default=0)


@COMMANDS.add("list", "List the registered projects.", example="lerim project list")
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    projects = lerim.projects.all()
    others = _elsewhere(lerim, out)
    out.data([*map(project_payload, projects), *(project_payload(one, elsewhere=True) for one in others)])
    if not (projects or others):
        out.note("no projects yet: cd into a repository, then lerim init")
    elif not out.as_json:
        here = lerim.house.project_root
        rows = [[p.name, str(p.root), p.id, _remark(p, here)] for p in projects]
        rows += [[p.name, "-", p.id, "not on this machine"] for p in others]
        out.table(["NAME", "ROOT", "ID", ""], rows, flexible=1)
    if lerim.house.shared and not out.as_json:
        out.note(f"shared in {lerim.house.shared.address}")


def _elsewhere(lerim: Lerim, out: Output) -> list[Project]:
    """The projects that other machines have; what lies here is known while nobody can be asked."""
    try:
        return lerim.projects.elsewhere()
    except StoreUnreachable as error:
        out.warn(f"{error.message.removesuffix('; nothing was changed')}: only what lies on this machine is listed")
        return []


@COMMANDS.add(
    "show",
    "Show one project.",
    example="lerim project show shop",
    arguments=[argument("project", nargs="?", help="its name, path or id (default: the current one)")],
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    project = lerim.project(args.project)
    place = lerim.memory.place(project)
    with place.store.read() as snapshot:
        count = sum(snapshot.counts().values())
    out.data(project_details_payload(place, count))
    for name, value in (
        ("name", project.name),
        ("root", str(project.root)),
        ("id", project.id),
        ("since", lerim.projects.created(project)),
        ("memory", f"{plural(count, 'record')} in {place.folder.root}"),
        ("trust", str(project.trust)),
    ):
        out.fact(name, value, 8)


@COMMANDS.add(
    "remove",
    "Forget a project: its files stay; quotes, history and review go, after a backup.",
    example="lerim project remove shop",
    arguments=[argument("project", help="its name, path or id"), YES],
)
def remove(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    project = lerim.projects.find(args.project)
    lost = lerim.projects.only_in_store(project)
    if lost and not args.yes:
        whose = ", for every machine that shares it" if lerim.house.shared else ""
        what = f"This forgets {project.name}{whose}: {kept_only_in_store(lost)}."
        what += f" Its files stay in {project.root / '.lerim'}."
        if not is_sure(what, f"lerim project remove {shell_word(args.project)} --yes", out):
            return 1
    done = lerim.setup.remove(project)
    out.data(removed_project_payload(done))
    out.say(f"removed {project.name} ({plural(lost.records, 'record')}); its files stay in {project.root / '.lerim'}")
    if done.backup:
        out.say(out.style(f"  everything as it was: lerim restore {done.backup.name}", DIM))
    return 0


@COMMANDS.add(
    "join",
    "Tie this folder to a project of a shared store: for a clone that no remote tells, or a copy.",
    example="lerim project join shop",
    arguments=[
        argument("project", metavar="NAME", help="the project's name or id, as lerim project list shows it"),
        argument("--path", type=Path, help="the folder (default: the repository here)"),
    ],
)
def join(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    project = lerim.setup.join(args.project, args.path)
    out.data(project_payload(project))
    out.say(f"{project.root} belongs to {project.name} now: {project.id}")
    out.note("next: lerim memory list")


@COMMANDS.add(
    "alias",
    "Say where a project used to be: sessions of that folder, which is gone, are the project's.",
    example="lerim project alias shop ~/old/shop",
    arguments=[
        argument("project", help="its name, path or id"),
        argument("old_path", metavar="OLD_PATH", help="the folder it was in, as the sessions name it"),
    ],
)
def alias(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    project = lerim.projects.find(args.project)
    old = former_root(args.old_path, project.root)
    moved = lerim.sessions.alias(old, project.root)
    out.data(project_alias_payload(project, old, moved))
    found = f"{plural(moved, 'session')} found {'its' if moved == 1 else 'their'} project"
    out.say(f"{project.name} used to be in {old}: {found}")


@COMMANDS.add(
    "profile",
    "Show by which profile a project's sessions are read, or choose another one.",
    example="lerim project profile support",
    arguments=[
        argument("profile", nargs="?", metavar="NAME|FILE", help="a profile, or a file that becomes one of yours"),
        argument("--project", help="the project's name, path or id (default: the current one)"),
    ],
)
def profile(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    project = lerim.project(args.project)
    if args.profile is None:
        name = lerim.house.settings_of(project).profile.name
        out.data(project_profile_payload(project, name, None))
        out.say(f"sessions of {project.name} are read as {name}")
        out.note("lerim profile list shows the others")
        return
    found, file = lerim.setup.set_profile(project, args.profile)
    out.data(project_profile_payload(project, found.name, str(file)))
    out.say(f"sessions of {project.name} are read as {found.name} from now on: {file}")
    out.note(f"lerim profile show {found.name} tells what that means; what was kept before stays as it is")


def former_root(path: str, root: Path) -> Path:
    """The folder that a person names, of this system or of another. Raises UsageError when it is still there."""
    if PureWindowsPath(path).drive:
        return Path(path)
    old = Path(path).expanduser().absolute()
    if old == root or old.is_dir():
        raise UsageError(
            f"{old} is still there: its sessions belong to what it is now",
            hint=f"lerim project add {shell_word(str(old))}",
        )
    return old


@COMMANDS.add(
    "trust",
    "Trust what lies in a project's .lerim folder: its settings count, and its memory files are your own word.",
    example="lerim project trust ~/src/shop",
    arguments=[argument("project", nargs="?", help="its name, path or id (default: the current one)")],
)
def trust(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    _say_trust(lerim, lerim.project(args.project), out, trusted=True)


@COMMANDS.add(
    "untrust",
    "Stop trusting a project: memories that came as files are marked shared, and its settings do not count.",
    example="lerim project untrust ~/src/shop",
    arguments=[argument("project", nargs="?", help="its name, path or id (default: the current one)")],
)
def untrust(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    _say_trust(lerim, lerim.project(args.project), out, trusted=False)


def _say_trust(lerim: Lerim, project: Project, out: Output, *, trusted: bool) -> None:
    project, changed = lerim.setup.trust(project, trusted=trusted)
    word = "now your own" if trusted else "now marked shared"
    out.say(f"{project.name} is {project.trust}; {word}: {plural(changed, 'memory')}")
    out.data(trusted_project_payload(project, changed))


def _remark(project: Project, here: Path | None) -> str:
    if not project.root.is_dir():
        return "folder is missing"
    remarks = ["here"] * (project.root == here) + ["not trusted"] * (not project.is_trusted)
    return ", ".join(remarks)
