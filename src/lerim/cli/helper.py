"""`lerim helper`: the process that stays to answer searches and questions, with the model loaded."""

from __future__ import annotations

import argparse
import os

from lerim.cli.command import Commands
from lerim.cli.main import build_parser, run_command
from lerim.cli.output import DIM, Output
from lerim.cli.report import plural
from lerim.cli.streams import OtherScreen
from lerim.context.progress import silent
from lerim.daemon.address import HELPED, SocketAddress, address_in
from lerim.daemon.helper import GivenLine, Helper, HelperEnd
from lerim.daemon.talk import HelperReply, HelperRequest, helper_asked
from lerim.house.rooms import House
from lerim.payloads.helper import helper_ended_payload, helper_payload, helper_stopped_payload
from lerim.search.embeddings import Embedder, NoEmbedder
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add("status", "Show whether the helper is running.", example="lerim helper status")
def status(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    settings = lerim.house.user_config.settings.helper
    address = address_in(lerim.house.env)
    pid, answered = helper_asked(address, "status") or (None, 0)
    enabled = settings.enabled and address is not None
    out.data(helper_payload(pid, answered, enabled=enabled, idle_minutes=settings.idle_minutes))
    if pid is not None:
        out.say(f"running as process {pid}; {plural(answered, 'request')} answered")
        out.say(out.style(f"  ends when nobody asks for {plural(settings.idle_minutes, 'minute')}", DIM))
    else:
        out.say(f"not running; {'the next search by meaning starts it' if enabled else 'it is turned off here'}")


@COMMANDS.add("stop", "Stop the helper. The next search by meaning starts one anew.", example="lerim helper stop")
def stop(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = helper_asked(address_in(lerim.house.env), "stop")
    out.data(helper_stopped_payload(stopped=found is not None))
    out.say("stopped" if found else "not running")


@COMMANDS.add(
    "run", "Run the helper here until it is stopped. Searches start one by themselves.", example="lerim helper run"
)
def run(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    settings, address = lerim.house.user_config.settings.helper, address_in(lerim.house.env)
    if address is None or not settings.enabled:
        ended = HelperEnd.OFF
    else:
        os.chdir("/")  # It stands in nobody's way.
        embedder, idle = lerim.index.embedder, 60.0 * settings.idle_minutes
        lerim.close()  # Each search opens what it needs, and nothing is held between them.
        given = GivenLine.in_env(lerim.house.env)
        do, load = lambda request: _searched(address, request), lambda: _load(embedder)
        ended = Helper(address, do, idle, load, given=given).run()
    out.data(helper_ended_payload(ended))
    out.say(f"ended: {ended}")


def _load(embedder: Embedder | NoEmbedder) -> None:
    """Have at hand what a search needs, so that the first one that asks waits no longer than the others."""
    import lerim.runtime.asking
    import lerim.search.hybrid  # noqa: F401 - only to have them loaded

    if isinstance(embedder, Embedder):
        embedder.encode(["a question"])


def _searched(address: SocketAddress, request: HelperRequest) -> HelperReply | None:
    """A search, or an answer, as whoever asks would have done it; None when it is better done there."""
    there = address_in(request.env)
    is_here = there is not None and there.home == address.home and request.env.get("TZ") == os.environ.get("TZ")
    if request.verb not in HELPED or not is_here:
        return None
    # So that it starts no other helper.
    env = {**request.env, "LERIM_NO_HELPER": "1"}
    house = House(request.cwd, env=env)
    if not house.user_config.settings.helper.enabled:
        return None
    # A model is asked with a key of theirs, which nobody hands over.
    if request.verb != "search" and "--embedded" not in request.argv and not house.models.is_embedded("lead"):
        return None
    os.umask(request.umask)
    out, err = map(OtherScreen, request.columns, request.colors)
    output = Output(as_json="--json" in request.argv, out=out, err=err)
    args = build_parser(request.verb).parse_args(request.argv)
    code = run_command(args.command, args, output, cwd=request.cwd, env=env, progress=silent)
    return HelperReply(code, out.getvalue(), err.getvalue()) if code == 0 else None
