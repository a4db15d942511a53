"""Sessions read ahead in other processes, while one after the other is taken in order.

What a session teaches without a model follows from its trace alone. So helpers may read, extract and summarize what is
next in the queue, and write nothing; whoever takes a session uses what was read if its file is still the very same, and
what was found if its trace is, byte by byte, and else does the work itself. While a helper is at the session whose turn
it is, who waits for it reads another one. The result does not depend on how many helpers there are, or on whether one
of them dies. A helper ends when its input does: it never outlives the process that started it for long.

Both ends of the pipe are here: what the worker sends and reads, and what a helper does with it.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock, local
from typing import IO, Self

from lerim.config.profiles import shipped_profile
from lerim.dataclass import dataclass
from lerim.errors import LerimError
from lerim.ingest.extract import extract
from lerim.ingest.findings import Digest, Extraction
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.summarize import summarize
from lerim.ingest.transcript import Transcript
from lerim.sessions.archive import Archived
from lerim.sessions.queue import Job, Queue
from lerim.sessions.room import Sessions, TraceAhead
from lerim.sessions.session import Session, SessionState

#: How many sessions a helper has before it, so that it never waits for the next.
_EACH = 12
#: So many bytes of sessions are worth a process more, and no more processes are started unless somebody asks for them:
#: other programs want the processor, too. What shares a file with others is taken to be of this size.
_BYTES_EACH, _MOST_JOBS, _USUAL_BYTES = 1_000_000, 4, 100_000
_PROGRAM = "from lerim.house.errands import read_ahead; read_ahead()"
_SIZE = struct.Struct(">Q")

#: A session read ahead, or None when it is not to be.
TraceOf = Callable[[int], TraceAhead | None]


@dataclass(frozen=True)
class ReadAhead:
    """A session that was read ahead, and what its trace teaches."""

    trace: TraceAhead
    extraction: Extraction
    digest: Digest

    @classmethod
    def of(cls, trace: TraceAhead) -> Self:
        """Raises LerimError."""
        transcript, engine = Transcript.parse(trace.read.trace), EmbeddedEngine(shipped_profile)
        return cls(trace, extract(transcript, engine), summarize(transcript, engine))

    def is_of(self, path: Path) -> bool:
        """Whether an archived trace is the one that was read."""
        return path.read_bytes() == self.trace.read.trace


def fitting_jobs(waiting: Sequence[Session]) -> int:
    """How many processes read these soonest, without taking the whole machine."""
    size = sum(_USUAL_BYTES if session.size is None else session.size for session in waiting)
    return max(1, min(_MOST_JOBS, _cores(), size // _BYTES_EACH))


def _cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class Ahead:
    """Helpers at work on what is next."""

    def __init__(
        self, waiting: Iterable[int], helpers: int, cwd: Path, env: Mapping[str, str], trace_of: TraceOf
    ) -> None:
        """`waiting` are the ids of sessions in the order they will be taken, as far as anybody knows. `trace_of` is for
        what is read here meanwhile."""
        self._waiting = deque(waiting)
        self._most = helpers * _EACH
        self._cwd, self._env, self._trace_of = cwd, env, trace_of
        self._reading: dict[int, Future[ReadAhead | None]] = {}
        #: The session asked for last, and what is known of it: its trace is wanted first, then what it teaches.
        self._taken: tuple[int, ReadAhead | None] = (-1, None)
        # A thread per helper, which waits for it: the work is the helper's.
        self._threads = ThreadPoolExecutor(helpers)
        self._own = local()
        self._helpers: list[subprocess.Popen[bytes]] = []
        self._lock = Lock()
        self._is_closed = False
        self._hand_out()

    def read(self, session_id: int) -> TraceAhead | None:
        """The session whose turn it is, if somebody read it; waits for a helper at it."""
        known = self._known(session_id)
        return known.trace if known is not None else None

    def found(self, session_id: int, path: Path) -> ReadAhead | None:
        """What a session's archived trace teaches, if somebody read this very trace; waits for a helper at it."""
        known = self._known(session_id)
        return known if known is not None and known.is_of(path) else None

    def _known(self, session_id: int) -> ReadAhead | None:
        if self._taken[0] != session_id:
            self._taken = session_id, self._taken_up(session_id)
        return self._taken[1]

    def _taken_up(self, session_id: int) -> ReadAhead | None:
        future = self._passed(session_id)
        self._hand_out()
        if future is None or future.cancel():
            return None  # Nobody has begun: who takes it need not wait.
        # Whatever became of a helper, the session can be read without it.
        with suppress(Exception):
            return self._awaited(future)
        return None

    def _awaited(self, future: Future[ReadAhead | None]) -> ReadAhead | None:
        """What a helper finds. While it is at it, what no helper has begun is read here."""
        while not future.done() and (session_id := self._unbegun()) is not None:
            own = self._reading[session_id] = Future()
            own.set_result(_read_one(self._trace_of, session_id))
        return future.result()

    def _unbegun(self) -> int | None:
        """The last session that was handed out and that no helper has begun. From now on none will."""
        return next((one for one, future in reversed(self._reading.items()) if future.cancel()), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the helpers, whatever they are at: they write nothing."""
        with self._lock:
            self._is_closed = True
            helpers, self._helpers = self._helpers, []
        for helper in helpers:
            helper.kill()
        self._threads.shutdown(cancel_futures=True)
        for helper in helpers:
            helper.communicate()

    def _passed(self, session_id: int) -> Future[ReadAhead | None] | None:
        """What is known of a session whose turn it is. Those before it had theirs."""
        if session_id not in self._reading:
            return None
        while self._reading:
            passed = next(iter(self._reading))
            future = self._reading.pop(passed)
            if passed == session_id:
                return future
            future.cancel()
        return None

    def _hand_out(self) -> None:
        while self._waiting and len(self._reading) < self._most:
            session_id = self._waiting.popleft()
            self._reading[session_id] = self._threads.submit(self._ask, session_id)

    def _ask(self, session_id: int) -> ReadAhead | None:
        helper = self._helper()
        assert helper.stdin is not None and helper.stdout is not None
        _send(helper.stdin, session_id)
        answer = _receive(helper.stdout)
        assert answer is None or isinstance(answer, ReadAhead)
        return answer

    def _helper(self) -> subprocess.Popen[bytes]:
        """The helper of this thread. One that died is not started again: what ended it is for the worker to find."""
        if (helper := getattr(self._own, "helper", None)) is None:
            # Apart from our terminal: Ctrl-C is for whoever takes the sessions, who then ends the helpers.
            helper = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(self._cwd)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=dict(self._env),
                start_new_session=True,
            )
            self._own.helper = helper
            with self._lock:
                self._helpers.append(helper)
                if self._is_closed:
                    helper.kill()
        assert isinstance(helper, subprocess.Popen)
        return helper


class SessionsAhead:
    """A machine's sessions as a worker takes them, the next of which others read."""

    def __init__(self, sessions: Sessions, ahead: Ahead) -> None:
        self._sessions, self._ahead = sessions, ahead

    @property
    def queue(self) -> Queue:
        return self._sessions.queue

    def read(self, session: Session) -> Archived:
        return self._sessions.read(session, self._ahead.read(session.id))

    def complete(self, job: Job, archived: Archived) -> SessionState:
        return self._sessions.complete(job, archived)


def run_helper(trace_of: TraceOf) -> None:
    """The other end: read the sessions that are asked for until nobody asks any more."""
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    # What a library prints must not get between the answers.
    sys.stdout = sys.stderr
    with suppress(EOFError, BrokenPipeError):
        while True:
            asked = _receive(source)
            assert isinstance(asked, int)
            _send(answers, _read_one(trace_of, asked))


def _read_one(trace_of: TraceOf, session_id: int) -> ReadAhead | None:
    try:
        trace = trace_of(session_id)
        return ReadAhead.of(trace) if trace is not None else None
    except (LerimError, OSError, ValueError, StopIteration):
        # Whoever takes the session meets the same, and knows what becomes of it.
        return None


def _send(pipe: IO[bytes], value: object) -> None:
    data = pickle.dumps(value)
    pipe.write(_SIZE.pack(len(data)) + data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> object:
    """Raises EOFError when the other side is gone. Both sides are the same program of the same user."""
    size = pipe.read(_SIZE.size)
    if len(size) < _SIZE.size:
        raise EOFError
    return pickle.loads(pipe.read(_SIZE.unpack(size)[0]))
