"""`lerim profile`: what counts in a kind of work, and profiles of one's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from lerim.cli.command import Commands, argument
from lerim.cli.output import BOLD, CYAN, DIM, Output
from lerim.errors import ConfigError, UsageError
from lerim.payloads.profile import profile_details_payload, profile_payload
from lerim.printable import shell_word
from lerim.service import Lerim

COMMANDS = Commands()
_STANDINGS = {"user": "decide", "agent": "report", "data": "are only read"}


@COMMANDS.add("list", "List the profiles: those that come with Lerim, and your own.", example="lerim profile list")
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    profiles = lerim.house.rules.profiles
    here = lerim.house.config.settings.profile.name
    found = []
    for name in profiles.names():
        try:
            found.append(profiles.find(name))
        except ConfigError as error:
            # One that is being written must not hide the others.
            out.warn(error.message)
    out.data([profile_payload(profile) for profile in found])
    if not out.as_json:
        rows = [
            [p.name, p.about, ", ".join(["here"] * (p.name == here) + ["yours"] * (not p.is_shipped))] for p in found
        ]
        out.table(["NAME", "ABOUT", ""], rows, flexible=1)


@COMMANDS.add(
    "show",
    "Show a profile: what lasts, whose word counts, what is private, and the headings of the brief.",
    example="lerim profile show support",
    arguments=[argument("name", nargs="?", help="its name (default: the one that holds here)")],
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    profile = lerim.house.rules.profiles.find(args.name or lerim.house.config.settings.profile.name)
    out.data(profile_details_payload(profile))
    if out.as_json:
        return
    out.say(f"{out.style(profile.name, BOLD)}  {profile.about}")
    out.say(out.style(f"  {profile.path}", DIM))
    _listed("what is kept", ((kind, " ".join(meaning.split())) for kind, meaning in profile.kinds.items()), out)
    _listed("words", ((name, ", ".join(words)) for name, words in profile.words.items()), out)
    _listed("who", _who(profile_details_payload(profile)["speakers"], profile.others), out)
    private = [*map(str, profile.private), *profile.patterns]
    _listed("private", [("", ", ".join(private))] if private else [], out)
    _listed("the brief", [("", " · ".join(profile.headings[part] for part in profile.order))], out)


def _who(speakers: dict[str, str], others: str | None) -> list[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    for name, standing in (speakers | ({"others": str(others)} if others else {})).items():
        found.setdefault(standing, []).append(name)
    return [(_STANDINGS[standing], ", ".join(names)) for standing, names in found.items()]


def _listed(title: str, rows: object, out: Output) -> None:
    listed = list(rows)  # type: ignore[call-overload]
    if listed:
        out.say(out.style(title, CYAN))
    for name, text in listed:
        out.say(f"  {name + '  ' if name else ''}{text}")


@COMMANDS.add(
    "new",
    "Begin a profile of your own: a commented file to edit.",
    example="lerim profile new clinic",
    arguments=[argument("name", help="small letters, digits and dashes")],
)
def new(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    path = lerim.house.rules.profiles.new(args.name)
    out.say(f"{path} is yours to edit")
    out.say(out.style(f"  then: lerim profile show {args.name}, lerim project profile {args.name}", DIM))
    out.data(profile_payload(lerim.house.rules.profiles.find(args.name)))


@COMMANDS.add(
    "add",
    "Take in a profile from a file. It is copied: what changes the file later, as a pull, changes nothing.",
    example="lerim profile add team/clinic.toml",
    arguments=[argument("file", type=Path, help="a profile as lerim profile new writes one")],
)
def add(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if not args.file.is_file():
        raise UsageError(f"{args.file} is not a file", hint="lerim profile new NAME writes one to begin with")
    profile = lerim.house.rules.profiles.add(args.file)
    out.say(f"{profile.name} is one of your profiles now: {profile.path}")
    out.say(out.style(f"  lerim project profile {shell_word(profile.name)}", DIM))
    out.data(profile_payload(profile))
