"""A session that may have ended its workers is taken in a process of its own: if it does so again, it is known.

Both ends of the pipe are here: what the worker sends and reads, and what the other process does with it.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lerim.errors import LerimError, ModelUnavailable, SessionCrash
from lerim.runtime.results import SyncResult, WrittenRecord
from lerim.runtime.worker import CONCERNS_ALL, Taken
from lerim.sessions.queue import Job
from lerim.sessions.session import Session, SessionState

_PROGRAM = "from lerim.house.errands import take_errand; take_errand()"
_SHARED = {kind.__name__: kind for kind in CONCERNS_ALL}


def take_alone(job: Job, cwd: Path, env: Mapping[str, str], *, is_team: bool = False) -> Taken:
    """Let another process take a claimed session, with the claim's own token.

    Raises SessionCrash when that process ends without a word, and what concerns all sessions.
    """
    began = time.monotonic()
    held = {"session": job.session.id, "token": job.token, "worker": job.worker}
    errand = {"cwd": str(cwd), **held, "is_team": is_team}
    # Its standard error is ours: what a library prints before it dies is all there is to go by.
    # -P: a repository may hold a package of our name.
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM], input=json.dumps(errand).encode(), stdout=subprocess.PIPE, env=dict(env)
    )
    last = done.stdout.rpartition(b"\n")[2]
    if done.returncode or not last:
        raise SessionCrash(f"reading it ended the process that did ({_ending(done.returncode)})", hint="lerim queue")
    return _read(job.session, json.loads(last), time.monotonic() - began)


def run_errand(take: Callable[[Mapping[str, Any]], Taken]) -> None:
    """The other end: read the errand, take the session, and tell in one line what became of it."""
    errand = json.loads(sys.stdin.buffer.read())
    try:
        told = _told(take(errand))
    except CONCERNS_ALL as error:
        told = {"concerns_all": type(error).__name__, "message": error.message, "hint": error.hint}
    sys.stdout.buffer.write(b"\n" + json.dumps(told).encode())
    sys.stdout.flush()


def _told(taken: Taken) -> dict[str, Any]:
    return {
        "state": str(taken.state),
        "reason": taken.reason,
        "result": asdict(taken.result) if taken.result else None,
        "unanswered": taken.unanswered.message if taken.unanswered else None,
    }


def _read(session: Session, told: dict[str, Any], seconds: float) -> Taken:
    if "concerns_all" in told:
        raise _shared(told)
    unanswered = ModelUnavailable(told["unanswered"]) if told["unanswered"] else None
    result = _result(told["result"]) if told["result"] else None
    return Taken(session, SessionState(told["state"]), seconds, result, told["reason"], unanswered)


def _result(fields: dict[str, Any]) -> SyncResult:
    written = tuple(
        WrittenRecord(**{**record, "replaced": tuple(map(tuple, record["replaced"]))}) for record in fields["written"]
    )
    summary = WrittenRecord(**fields["summary"]) if fields["summary"] else None
    return SyncResult(**{**fields, "written": written, "summary": summary})


def _shared(told: dict[str, Any]) -> LerimError:
    return _SHARED.get(told["concerns_all"], LerimError)(told["message"], hint=told["hint"])


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
