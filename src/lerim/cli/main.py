"""The entry point: finds the noun, loads only its module, runs the command, and turns errors into words and exit codes.

Exit codes: 0 done, 1 failed, 2 usage, 3 partly done, 4 busy.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from lerim import __version__
from lerim.cli.streams import close_pipe, columns_of, leave, open_standard_streams, print_reply, wants_color
from lerim.errors import LerimError

if TYPE_CHECKING:
    import argparse

    from lerim.cli.command import Command, Commands
    from lerim.cli.output import Output
    from lerim.context.face.edits import Reconciled
    from lerim.context.place import Place
    from lerim.context.progress import Progress
    from lerim.service import Lerim

#: Each noun with its module and what it does. `--help` reads this table and imports none of them.
NOUNS = {
    "init": ("lerim.cli.project", "make this folder a project with a memory"),
    "memory": ("lerim.cli.memory", "add, read, change, move and check memories"),
    "sync": ("lerim.cli.sync", "read new sessions and remember what they teach"),
    "ask": ("lerim.cli.answer", "answer a question from memory"),
    "chat": ("lerim.cli.answer", "ask several questions in a row"),
    "feedback": ("lerim.cli.answer", "mark a memory as useful, wrong or outdated"),
    "brief": ("lerim.cli.brief", "show what an agent should know before it starts"),
    "working-memory": ("lerim.cli.working_memory", "show what changed lately, and what is left open"),
    "clinic": ("lerim.cli.clinic", "show what goes wrong again and again, and what helped"),
    "maintain": ("lerim.cli.maintain", "keep the memory true: merge, replace, archive; or plan it"),
    "undo": ("lerim.cli.maintain", "take back all that a run did"),
    "grounding": ("lerim.cli.grounding", "check memories against what the repository has"),
    "review": ("lerim.cli.review", "decide on candidates that Lerim is not sure of"),
    "why": ("lerim.cli.why", "show what a memory is based on, and what was rejected"),
    "search": ("lerim.cli.search", "find memories by words and meaning"),
    "graph": ("lerim.cli.graph", "show how memories bear on each other; export it as a page"),
    "backup": ("lerim.cli.backup", "copy all memories, verified; list the copies"),
    "restore": ("lerim.cli.backup", "go back to a backup"),
    "storage": ("lerim.cli.storage", "see where the memory is kept; copy it to a server, and back"),
    "helper": ("lerim.cli.helper", "keep searches fast: the process that stays to answer them"),
    "daemon": ("lerim.cli.daemon", "do by itself what is due: read sessions, maintain at night"),
    "worker": ("lerim.cli.worker", "ingest what machines uploaded to a shared store"),
    "index": ("lerim.cli.index", "bring the search index up to date"),
    "status": ("lerim.cli.status", "show the state of the memory, and what to do next"),
    "connect": ("lerim.cli.connect", "hand the memory to your agents: hooks, server, skill"),
    "disconnect": ("lerim.cli.connect", "take out of an agent's settings what connect put there"),
    "sources": ("lerim.cli.sources", "choose which agents are read, and check that it works"),
    "hook": ("lerim.cli.hook", "what agents call when a session starts and ends"),
    "usefulness": ("lerim.cli.usefulness", "show whether the memories given to sessions were followed"),
    "replay": ("lerim.cli.usefulness", "show what the brief would have spared a session"),
    "sessions": ("lerim.cli.sessions", "list the agents' sessions on this machine"),
    "trace": ("lerim.cli.trace", "show a session's transcript, or import your own"),
    "queue": ("lerim.cli.sessions", "show what is waiting, running and failed"),
    "retry": ("lerim.cli.sessions", "try failed sessions again"),
    "skip": ("lerim.cli.sessions", "exclude a session"),
    "unscoped": ("lerim.cli.sessions", "list sessions that belong to no project"),
    "audit": ("lerim.cli.sessions", "account for every session and every byte"),
    "ingest": ("lerim.cli.sync", "ingest one session or file now"),
    "curate": ("lerim.cli.maintain", "the same as maintain"),
    "answer": ("lerim.cli.answer", "the same as ask"),
    "runs": ("lerim.cli.runs", "show what each run learned, and what it used"),
    "models": ("lerim.cli.models", "check which models are configured and work"),
    "cost": ("lerim.cli.cost", "show what models used"),
    "team": ("lerim.cli.team", "say who works with a shared store, and who did what"),
    "project": ("lerim.cli.project", "add, list and remove projects"),
    "profile": ("lerim.cli.profile", "show what counts in a kind of work, and add your own"),
    "dashboard": ("lerim.cli.serve", "look at the memory in your browser"),
    "serve": ("lerim.cli.serve", "serve the memory over HTTP: API, pages, MCP"),
    "mcp": ("lerim.cli.mcp", "serve the memory to agents over MCP"),
    "config": ("lerim.cli.config", "show the settings in effect, and where they come from"),
    "completion": ("lerim.cli.completion", "print tab completion for your shell"),
}
#: Nouns that may be typed without a verb, and the verb they then mean.
DEFAULT_VERBS = {
    "review": "go",
    "backup": "make",
    "graph": "show",
    "connect": "add",
    **dict.fromkeys(("brief", "working-memory", "clinic", "grounding", "config"), "show"),
    **dict.fromkeys(("memory", "sessions", "runs", "project", "sources", "profile", "team"), "list"),
    **dict.fromkeys(("storage", "helper", "daemon"), "status"),
}
#: Nouns whose default verb takes names, and their verbs: any other word is a name.
_VERBS_BESIDE_NAMES = {"connect": ("add", "list", "doctor")}
# New objects between two looks for garbage; the default is 700.
_GARBAGE = 50_000
_EPILOG = """first steps:
  lerim sync                     read your agents' sessions and remember what they taught
  lerim connect                  hand the memory to your agents, which start with what it knows
  lerim review                   decide on what Lerim is not sure of
  lerim search "how do we ..."   find it again; lerim ask answers in a sentence
  lerim memory add --primitive decision --title "Use JWT bearer tokens" --body "Short expiry." """


def run() -> None:
    """The `lerim` script."""
    # A command's few matrix products do not pay for a pool of threads, which takes longer to start than they do.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Nothing that is loaded at the start is ever garbage: looking for some takes a tenth of a quick command.
    gc.set_threshold(_GARBAGE)
    open_standard_streams()
    code = _by_helper(sys.argv[1:])
    if code is None and sys.argv[1:2] != ["hook"]:
        from lerim.kept_patterns import keep_patterns  # Start-up: a hook compiles none.

        keep_patterns(os.environ)
    leave(main(sys.argv[1:]) if code is None else code)


def _by_helper(argv: Sequence[str]) -> int | None:
    """Have the helper do a search, or answer a question, and print what it says; None when it has to be done here."""
    from lerim.daemon.address import HELPED, address_in  # Start-up: who imports this has no helper do it.

    if not argv or argv[0] not in HELPED or {"-h", "--help"} & set(argv):
        return None
    address = address_in(os.environ)
    if address is None or not address.is_ours():
        return None
    from lerim.daemon.talk import ask, command_request  # As above.

    try:
        out, err = ((columns_of(each) if each.isatty() else 0, wants_color(each)) for each in (sys.stdout, sys.stderr))
        reply = ask(address, command_request(argv, os.environ, (out[0], err[0]), (out[1], err[1])))
    except OSError:  # A folder that is gone: the command says so better.
        return None
    return None if reply is None else print_reply(reply.code, reply.out, reply.err)


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    if argv[:1] == ["hook"] and not {"-h", "--help", "--json"} & set(argv):
        from lerim.connect.hook import run_hook  # Start-up: a hook loads nothing else, and never fails.

        return run_hook(argv[1:])
    from lerim.cli.output import Output

    out = Output(as_json="--json" in argv)
    try:
        if [*argv] == ["mcp"] and not sys.stdin.isatty():
            from lerim.serve.stdio import serve_stdio  # Start-up: an agent waits for it, and may ask nothing.

            return serve_stdio(os.environ)
        return _main(argv, out)
    except LerimError as error:
        _fail(out, error.message, error.hint)
        return error.exit_code
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            close_pipe()
            return 0
        place = f"{error.filename}: " if error.filename else ""
        _fail(out, f"{place}{error.strerror or error}", None)
        return 1
    except UnicodeEncodeError as error:
        # Bytes of the command line that are no UTF-8, or half an emoji: no database and no file can hold it.
        bad = error.object[error.start : error.end].encode("unicode_escape").decode()[:60]
        _fail(out, f"a text on the command line is no valid Unicode: {bad}", "type it again in UTF-8")
        return 2
    except KeyboardInterrupt:
        out.note("")
        return 130


def _fail(out: Output, message: str, hint: str | None) -> None:
    from lerim.payloads.setup import error_payload  # Start-up: most commands succeed.

    out.data(error_payload(message, hint))
    out.fail(message, hint)


def _main(argv: Sequence[str], out: Output) -> int:
    completing = "_ARGCOMPLETE" in os.environ
    parser = build_parser(None if completing else _noun(argv))
    if completing:
        import argcomplete  # Start-up: only shell completion needs it.

        argcomplete.autocomplete(parser)
    if not argv:
        parser.print_help()
        return 0
    if "--version" in argv[: argv.index(_noun(argv)) if _noun(argv) else None]:
        return _tell_version(out)
    args = parser.parse_args(_with_verb(argv))
    return run_command(args.command, args, out)


def _tell_version(out: Output) -> int:
    if out.as_json:
        from lerim.payloads.setup import program_payload  # As above.

        out.data(program_payload(__version__))
    out.say(f"lerim {__version__}")
    return 0


def build_parser(noun: str | None) -> argparse.ArgumentParser:
    """The parser with one noun's commands, or with all of them when it is None.

    Of a noun that is known, no other gets a parser: each takes longer to make than to use.
    """
    import argparse

    from lerim.cli.command import Parser

    parser = Parser(prog="lerim", description="The memory of your coding agents.", epilog=_EPILOG)
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    nouns = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser, prog=parser.prog)
    for name, (module, help_text) in NOUNS.items():
        if noun in NOUNS and noun != name:
            continue
        sub = nouns.add_parser(name, help=help_text)
        if noun in (None, name):
            _fill_noun(sub, name, import_module(module).COMMANDS)
    return parser


def _fill_noun(parser: argparse.ArgumentParser, noun: str, commands: Commands) -> None:
    from lerim.cli.command import Parser, fill

    alone = [command for command in commands.all if command.name == noun]
    if alone:
        fill(parser, alone[0])
        return
    verbs = parser.add_subparsers(metavar="VERB", required=True, parser_class=Parser, prog=parser.prog)
    for command in commands.all:
        # A module may declare several nouns; theirs are not verbs of this one.
        if command.name not in NOUNS or NOUNS[command.name][0] != NOUNS[noun][0]:
            fill(verbs.add_parser(command.name, help=command.help), command)


def _noun(argv: Sequence[str]) -> str:
    return next((word for word in argv if not word.startswith("-")), "")


def _with_verb(argv: Sequence[str]) -> Sequence[str]:
    """The command line with its default verb put in, if it was left out."""
    noun = _noun(argv)
    after = argv.index(noun) + 1 if noun in DEFAULT_VERBS else len(argv)
    rest = argv[after:]
    first = rest[0] if rest else "-"
    is_verb = not first.startswith("-") and first in _VERBS_BESIDE_NAMES.get(noun, (first,))
    if noun not in DEFAULT_VERBS or is_verb or {"-h", "--help"} & set(rest):
        return argv
    return [*argv[:after], DEFAULT_VERBS[noun], *rest]


def _note_access(lerim: Lerim, typed: str) -> None:
    """Have it noted what somebody looked at in a shared store; what was written is noted there."""
    house = lerim.house
    if house.database.was_used and house.shared is not None:
        from contextlib import suppress  # Start-up: few share a store.

        with suppress(LerimError):
            house.note_access(typed, "export" if typed in _EXPORTS else "read")


#: What takes memories out of a store as a whole.
_EXPORTS = ("lerim memory export", "lerim graph export", "lerim backup make", "lerim storage copy")


def run_command(
    command: Command,
    args: argparse.Namespace,
    out: Output,
    *,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> int:
    """Do a command, in this process's folder and environment unless others are given."""
    from lerim.cli.report import tell_reconciled
    from lerim.service import Lerim

    def told(place: Place, done: Reconciled) -> None:
        tell_reconciled(place, done, out)

    with Lerim(cwd, env=env, progress=progress or out.progress, on_edits=told) as lerim:
        try:
            return command.run(lerim, args, out) or 0
        finally:
            _note_access(lerim, args.typed)
            for notice in lerim.notices:
                out.warn(notice)
