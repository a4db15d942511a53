"""The workers of a machine that take what all machines uploaded: a process each, started again when one ends early.

Whoever watches over them does no work: a session that ends its worker ends nothing else. A worker ends after so many
sessions and another begins, with an empty memory and the settings of that time.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from lerim.daemon.children import ChildProcess
from lerim.daemon.chores import MOST_SESSIONS, Stop, begin, tell_parent
from lerim.dataclass import dataclass, field
from lerim.errors import LerimError
from lerim.service import Lerim

_PROGRAM = "from lerim.daemon.crew import run; run()"
#: The exit code of a worker that has done its share.
_RELIEVED = 75
#: Seconds before a worker that ended without a word is replaced: twice as long each time, until a session is taken.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
#: Seconds for workers to give back what they hold.
_PATIENCE = 30.0

#: Hears what a worker tells: a session that was taken, or why it waits.
OnWord = Callable[[Mapping[str, Any]], None]


@dataclass
class CrewSummary:
    """What workers did until they ended."""

    taken: int = 0
    failed: int = 0
    written: int = 0
    #: How often a worker ended without a word.
    crashes: int = 0
    is_stopped: bool = False
    #: What a person has to put right, and how: it ended the work.
    error: str | None = None
    hint: str | None = None
    code: int = 0


@dataclass
class Crew:
    """So many workers, and what they told."""

    size: int
    env: Mapping[str, str]
    once: bool
    on_word: OnWord
    summary: CrewSummary = field(default_factory=CrewSummary)
    _members: list[ChildProcess] = field(default_factory=list)
    #: When the next ones begin.
    _vacancies: list[float] = field(default_factory=list)
    _told: set[int] = field(default_factory=set)
    _pause: float = _FIRST_PAUSE

    def run(self) -> CrewSummary:
        """Have them work until they are done, somebody stops them or nothing can be done."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        try:
            self._vacancies = [0.0] * self.size
            while self._members or (self._vacancies and not self._is_over):
                self._listen(0.2)
                for member in [member for member in self._members if member.ended() is not None]:
                    self._part_with(member)
                self._fill_vacancies()
        finally:
            self._dismiss()
        return self.summary

    def _hire(self) -> ChildProcess:
        return ChildProcess([_PROGRAM, "once" if self.once else "stay"], self.env)

    def _listen(self, seconds: float) -> None:
        heard = [member for member in self._members if not member.is_silent]
        # One that has nothing more to say is about to end.
        ready, _, _ = select.select(heard, [], [], seconds if len(heard) == len(self._members) else 0.05)
        for member in ready:
            for message in member.lines():
                self._hear(message)

    def _hear(self, message: Mapping[str, Any]) -> None:
        if "taken" in message:
            self._pause = _FIRST_PAUSE
            self.summary.taken += 1
            self.summary.failed += message["state"] in ("failed", "dead", "running")
            self.summary.written += message["written"]
        if "error" in message:
            self.summary.error, self.summary.hint, self.summary.code = (
                message["error"],
                message["hint"],
                message["code"],
            )
            self._stop_members()
        self.on_word(message)

    def _part_with(self, member: ChildProcess) -> None:
        """See off a worker that has ended, and have another one begin if there is work left for it."""
        for message in member.lines():
            self._hear(message)
        code = member.ended()
        member.close()
        self._members.remove(member)
        if self._is_over or code == 0:
            return
        if code == _RELIEVED:
            self._vacancies.append(0.0)
            return
        self.summary.crashes += 1
        self.on_word({"crash": code})
        self._vacancies.append(time.monotonic() + self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def _fill_vacancies(self) -> None:
        due = [moment for moment in self._vacancies if moment <= time.monotonic()]
        for moment in due:
            if self._is_over:
                return
            self._vacancies.remove(moment)
            self._members.append(self._hire())
        if self._is_over:
            self._stop_members()  # One may have begun while the others were told.

    @property
    def _is_over(self) -> bool:
        return self.summary.is_stopped or self.summary.error is not None

    def _stop(self, *_: object) -> None:
        self.summary.is_stopped = True
        self._stop_members()

    def _stop_members(self) -> None:
        # Once each: who is told again gives back at once what it could finish.
        for member in [member for member in self._members if member.pid not in self._told]:
            self._told.add(member.pid)
            member.stop()

    def _dismiss(self) -> None:
        until = time.monotonic() + _PATIENCE
        self._stop_members()
        for member in self._members:
            member.wait(max(until - time.monotonic(), 0.1))
            member.close()


# One of them


def run() -> None:
    """The whole process of a worker: `sys.argv` says whether it stays, standard output is its crew's."""
    code = work(os.environ, begin(), once=sys.argv[1] == "once")
    sys.stdout.flush()
    os._exit(code)


def work(env: Mapping[str, str], stop: Stop, *, once: bool) -> int:
    """Take sessions and tell of each. 0 when nothing is left to do here."""
    count = 0

    def is_over() -> bool:
        return stop.is_asked or count >= MOST_SESSIONS

    try:
        with Lerim("/", env=env) as lerim:
            for taken in lerim.team_work.work(once=once, is_over=is_over, on_pause=_tell_pause):
                count += 1
                _tell_taken(taken)
    except KeyboardInterrupt:
        return 0
    except LerimError as error:
        tell_parent({"error": error.message, "hint": error.hint, "code": error.exit_code})
        return error.exit_code
    return _RELIEVED if count >= MOST_SESSIONS and not stop.is_asked else 0


def _tell_taken(taken: Any) -> None:
    counts = taken.result.counts if taken.result else {}
    title = taken.result.summary.title if taken.result and taken.result.summary else taken.session.title
    tell_parent(
        {
            "taken": taken.session.name,
            "title": title,
            "state": str(taken.state),
            "reason": taken.reason,
            "seconds": round(taken.seconds, 3),
            "written": len(taken.result.written) if taken.result else 0,
            "counts": dict(counts),
        }
    )


def _tell_pause(error: LerimError, seconds: float) -> None:
    tell_parent({"waits": error.message, "hint": error.hint, "seconds": seconds})
