"""The daemon: a small process that waits. It hears of changed files, knows what is due, and has each chore done by a
process of its own; it hands searches to one that has the model loaded, while there are some.

It holds the lock of its home, which goes with it however it ends. It keeps nothing: what was done and what waits is in
the queue, and all that it notes is the last night it worked on. Whatever a chore does, it lives on.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lerim.daemon.address import HELPED, SocketAddress
from lerim.daemon.children import ChildProcess, start_chore, start_searcher
from lerim.daemon.folder_events import FolderEvents, folder_events
from lerim.daemon.helper import inode_of, is_same_user, listening, loaded_files
from lerim.daemon.log import FOLDER, DaemonLog, last_errors
from lerim.daemon.nights import Nights
from lerim.daemon.power import on_battery
from lerim.daemon.report import DaemonState, DaemonTrouble, encoded_state
from lerim.daemon.schedule import ChoreKind, ChorePace, ChoreResult, Schedule
from lerim.daemon.single import held
from lerim.daemon.talk import (
    MAX_REQUEST,
    HelperReply,
    HelperRequest,
    ask,
    decoded_request,
    encoded_reply,
    ready,
    received,
    this_code,
)
from lerim.private import make_private, put_private
from lerim.sessions.spool import SPOOL, spool_path
from lerim.sessions.watching import WatchedPlaces

if TYPE_CHECKING:
    from socket import socket

    from lerim.storage.listening import Listener

#: How long it sleeps at most: a machine that slept has missed nothing for longer than that.
_TICK = 60.0
#: Between two looks whether its code or its socket changed.
_SETTLED = 2.0
#: Files are written to in bursts: they are heard of at most so often.
_BURST = 5.0
#: With events, a look anyway: what was lost, or lies where nobody tells.
_FULL_LOOK = 3600.0
_REQUEST_SECONDS = 2.0
#: Seconds for a chore that was asked to end.
_STOPS = 30.0
#: Seconds in which a chore says a word: the longest session takes far less.
_SILENT = 6 * 3600.0
#: Seconds after another machine changed something: it seldom changes one thing. And until a line that was cut is tried
#: again.
_AFTER_OTHERS, _LINE_AGAIN = 5.0, 120.0
_NIGHT = "last-night"
_BEGINS = {ChoreKind.SYNC: "looks for sessions", ChoreKind.MAINTAIN: "maintains memories"}
_MOST_ERRORS = 5


class DaemonEnd(StrEnum):
    """Why a daemon ended."""

    TAKEN = "another one is running"
    STOPPED = "it was stopped"
    DONE = "nothing is left to do"
    REPLACED = "its code changed"
    MOVED = "its folder is gone"


class Habits(NamedTuple):
    """What the settings say about it."""

    quiet_seconds: float
    poll_seconds: float
    maintain_hour: int
    pause_on_battery: bool
    answers_searches: bool


def awake_ticks() -> float:
    """Seconds that only go forward, also while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def local_now() -> datetime:
    return datetime.now().astimezone()


class DaemonWorld(NamedTuple):
    """What the daemon is told of the world around it, so that a test can be another one."""

    address: SocketAddress
    env: Mapping[str, str]
    habits: Callable[[], Habits]
    #: Whether hooks named a session that has ended.
    has_spooled: Callable[[], bool]
    log: DaemonLog
    ticks: Callable[[], float] = awake_ticks
    wall: Callable[[], datetime] = local_now
    on_battery: Callable[[], bool] = on_battery
    events: Callable[[], FolderEvents | None] = folder_events
    #: A line to the store that other machines share; None when there is none.
    line: Callable[[], Listener | None] = lambda: None
    tick: float = _TICK
    burst: float = _BURST


class Daemon:
    """One daemon at work."""

    def __init__(self, world: DaemonWorld) -> None:
        self._world = world
        self._log = world.log
        self._home = Path(world.address.home)
        self._spool = spool_path(world.address.home)
        self._habits = world.habits()
        now = world.ticks()
        nights = Nights(self._habits.maintain_hour, self._last_night(), now)
        self._events = world.events()
        self._schedule = Schedule(self._pace(), nights, now)
        self._since = _stamp()
        self._errors = deque(
            (DaemonTrouble(*error) for error in last_errors(self._home, _MOST_ERRORS)), maxlen=_MOST_ERRORS
        )
        self._selector = selectors.DefaultSelector()
        self._files = loaded_files()
        self._changed_at: float | None = None
        self._chore: tuple[ChoreKind, ChildProcess] | None = None
        self._result = ChoreResult(is_done=False)
        #: When the chore last said a word, and when it was asked to end. By a clock that stands still with the machine.
        self._heard_at = 0.0
        self._stopped_at: float | None = None
        self._doing = ""
        self._paused = ""
        self._searcher: tuple[ChildProcess, int] | None = None
        self._helper_line: socket | None = None
        self._stack = ExitStack()
        self._inode: int | None = None
        self._places = WatchedPlaces()
        self._hear_again = 0.0
        self._line: tuple[Listener, int] | None = None
        self._line_again = 0.0
        self._end: DaemonEnd | None = None
        #: Whether anything went wrong so far.
        self.has_failed = False

    # The whole life

    def run(self, *, once: bool = False) -> DaemonEnd:
        """Work until there is a reason to end; `once`: until nothing is due. Raises OSError where no socket can be."""
        address = self._world.address
        make_private(Path(address.folder))
        make_private(Path(address.daemon_lock).parent)
        with ExitStack() as stack:
            if not stack.enter_context(held(address.daemon_lock)):
                return DaemonEnd.TAKEN
            self._listen(stack)
            self._log.info(f"started as process {os.getpid()}")
            try:
                end = self._live(once)
            finally:
                self._finish()
            self._log.info(f"ended: {end}")
            return end

    def _listen(self, stack: ExitStack) -> None:
        """Everything that wakes it up."""
        line = stack.enter_context(listening(self._world.address.daemon))
        line.setblocking(False)
        self._inode = inode_of(self._world.address.daemon)
        self._register(line, lambda: self._accept(line, self._answer))
        self._stack = stack
        self._take_over()
        if self._events is not None:
            stack.callback(self._events.close)
            self._register(self._events, self._hear)
        self._watch()
        self._listen_to_others()
        stack.callback(self._hang_up)
        stack.callback(self._selector.close)
        self._wake_on_signals(stack)

    def _wake_on_signals(self, stack: ExitStack) -> None:
        ours, theirs = os.pipe()
        for descriptor in (ours, theirs):
            os.set_blocking(descriptor, False)
            stack.callback(os.close, descriptor)
        before = signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
        stack.callback(signal.set_wakeup_fd, before)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            stack.callback(signal.signal, number, signal.signal(number, self._stop))
        # A chore that ends is noticed by its pipe; who is forked off it may keep that open for longer.
        stack.callback(signal.signal, signal.SIGCHLD, signal.signal(signal.SIGCHLD, lambda *_: None))
        self._register(ours, lambda: _drained(ours))

    def _stop(self, *_: object) -> None:
        self._end = self._end or DaemonEnd.STOPPED

    def _live(self, once: bool) -> DaemonEnd:
        while self._end is None:
            self._reap()
            if self._chore is None:
                self._look_at_code()
                self._begin_what_is_due()
            if once and self._chore is None:
                return DaemonEnd.DONE
            if self._end is None:
                self._sleep()
        return self._end

    def _sleep(self) -> None:
        for key, _ in self._selector.select(self._seconds_to_sleep()):
            key.data()
        self._hear_on()
        self._listen_to_others()
        if inode_of(self._world.address.daemon) != self._inode:
            self._end = self._end or DaemonEnd.MOVED
        if self._chore is not None:
            self._watch_over(self._chore[1])

    def _seconds_to_sleep(self) -> float:
        now = self._world.ticks()
        waits = [self._world.tick]
        if self._chore is None and not self._paused:
            waits += self._schedule.seconds_left(self._world.wall(), now).values()
        if self._hear_again:
            waits.append(self._hear_again - now)
        if self._changed_at is not None:
            waits.append(_SETTLED)
        return max(min(waits), 0.0)

    def _finish(self) -> None:
        """Let the session at hand be finished or given back, and searches be answered elsewhere."""
        if self._searcher is not None:
            self._searcher[0].stop()
        if self._chore is not None:
            self._stop_chore(self._chore[1])
            self._chore[1].wait(_STOPS)
            self._reap()
        if self._searcher is not None:
            self._searcher[0].wait(_STOPS)
            self._drop_searcher()

    def _watch_over(self, child: ChildProcess) -> None:
        """Stop a chore that shall pause, or that hangs; one that does not stop is ended."""
        now = time.monotonic()
        if self._is_paused() or now - self._heard_at > _SILENT:
            self._stop_chore(child)
        if self._stopped_at is not None and now - self._stopped_at > _STOPS:
            child.kill()

    def _stop_chore(self, child: ChildProcess) -> None:
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()
            child.stop()

    # What is due

    def _begin_what_is_due(self) -> None:
        self._read_habits()
        self._take_over()
        kind = self._schedule.due(self._world.wall(), self._world.ticks())
        self._note_night()
        if kind is None or self._is_paused():
            return
        try:
            child = start_chore(kind, self._habits.quiet_seconds, self._world.env)
        except OSError as error:
            self._failed(f"{kind}: no process can be started: {error.strerror}")
            self._schedule.ended(kind, ChoreResult(is_done=False), self._world.wall(), self._world.ticks())
            return
        self._schedule.began(kind, self._world.ticks())
        self._chore, self._result, self._doing = (kind, child), ChoreResult(is_done=False), _BEGINS[kind]
        self._heard_at = time.monotonic()
        self._register(child, self._hear_chore)

    def _hear_chore(self) -> None:
        if self._chore is None:
            return
        kind, child = self._chore
        for one in child.lines():
            self._heard_at = time.monotonic()
            self._take_word(kind, one)
        if child.is_silent:
            self._unregister(child)

    def _take_word(self, kind: ChoreKind, message: Mapping[str, Any]) -> None:
        hint = f" ({message['hint']})" if message.get("hint") else ""
        if "taken" in message:
            self._result = self._result._replace(taken=self._result.taken + 1)
            self._doing = f"reads sessions: {self._result.taken} so far, last {message['taken']}"
            if message["state"] in ("failed", "dead"):
                self._failed(f"{kind}: {message['taken']} {message['state']}: {message['reason']}")
            else:
                self._log.info(f"{message['taken']} {message['state']}, {message['written']} written")
        elif "maintains" in message:
            self._doing = f"maintains {message['maintains']}"
        elif "watch" in message:
            born = {str(folder): frozenset(names) for folder, names in message["born"].items()}
            self._hear_of(WatchedPlaces(tuple(message["watch"]), born))
        elif "done" in message:
            self._result = ChoreResult(True, self._result.taken, message["due_in"])
        elif "error" in message or "problem" in message:
            self._failed(f"{kind}: {message.get('error') or message.get('problem')}{hint}")

    def _reap(self) -> None:
        self._reap_searcher()
        if self._chore is None or self._chore[1].ended() is None:
            return
        kind, child = self._chore
        self._hear_chore()
        self._unregister(child)
        child.close()
        code = child.ended() or 0
        self._chore, self._doing, self._stopped_at = None, "", None
        if code < 0:
            self._failed(f"{kind} was ended by {_signal_name(-code)}")
        if self._paused and code == 0 and not self._result.is_done:
            self._schedule.look_within(0.0, self._world.ticks())
            return
        self._schedule.ended(kind, self._result, self._world.wall(), self._world.ticks())
        self._note_night()
        if self._result.is_done and kind is ChoreKind.MAINTAIN:
            self._log.info("maintained")

    def _is_paused(self) -> bool:
        is_paused = self._habits.pause_on_battery and self._world.on_battery()
        words = "the machine runs on its battery" if is_paused else ""
        if words != self._paused:
            self._log.info(f"paused: {words}" if words else "goes on")
        self._paused = words
        return is_paused

    def _read_habits(self) -> None:
        try:
            self._habits = self._world.habits()
        except Exception as error:
            self._failed(f"settings: {getattr(error, 'message', error)}")
        self._schedule.pace = self._pace()
        self._schedule.nights.hour = self._habits.maintain_hour

    def _pace(self) -> ChorePace:
        hears = self._events is not None
        return ChorePace(self._habits.quiet_seconds, _FULL_LOOK if hears else self._habits.poll_seconds)

    def _failed(self, message: str) -> None:
        self.has_failed = True
        if self._errors and self._errors[-1].message == message:
            self._errors.pop()  # The same again: when it was last is worth knowing, and how often is not.
        else:
            self._log.error(message)
        self._errors.append(DaemonTrouble(_stamp(), message))

    # The night that was worked on last

    def _last_night(self) -> date | None:
        try:
            return date.fromisoformat((self._home / FOLDER / _NIGHT).read_text("ascii").strip())
        except (OSError, ValueError):
            return None

    def _note_night(self) -> None:
        last = self._schedule.nights.last
        if last is not None and last != self._last_night():
            with suppress(OSError):  # A full disk: a night that is worked on twice changes nothing.
                put_private(make_private(self._home / FOLDER) / _NIGHT, f"{last}\n".encode())

    # Changed files

    def _hear_of(self, places: WatchedPlaces) -> None:
        """Hear of other places. What was written to a new one before, or appeared before anyone waited for it, is seen
        by a look of its own."""
        is_new = bool(set(places.paths) - set(self._places.paths))
        self._places = places
        self._watch()
        if self._events is not None and (is_new or places.has_appeared()):
            self._schedule.look_within(self._schedule.pace.quiet, self._world.ticks())

    def _watch(self) -> None:
        if self._events is None:
            return
        born = {**self._places.born, str(self._home): frozenset([SPOOL])}
        wanted = WatchedPlaces((*self._places.paths, self._spool), born)
        if not self._events.watch(wanted):
            self._log.info("too many folders to hear of all; what is not heard of is looked for once an hour")

    def _hear(self) -> None:
        """Take in what was written, and be deaf for a while: an agent at work writes all the time."""
        assert self._events is not None
        now = self._world.ticks()
        for path, name in list(self._events.heard()):
            if not path:
                self._schedule.look_within(self._schedule.pace.quiet, now)
            elif path == self._spool:
                self._hear_hooks(now)
            elif path == str(self._home):
                self._watch()  # A first hook made the folder.
                self._hear_hooks(now)
            else:
                self._schedule.touched((path, name), now)
        self._unregister(self._events)
        self._hear_again = now + self._world.burst

    def _hear_on(self) -> None:
        if self._hear_again and self._world.ticks() >= self._hear_again:
            assert self._events is not None
            self._hear_again = 0.0
            self._register(self._events, self._hear)

    def _hear_hooks(self, now: float) -> None:
        with suppress(Exception):  # What cannot be read now is looked at anyway, later.
            if self._world.has_spooled():
                self._schedule.look_within(self._schedule.pace.ended, now)

    # A store that other machines share

    def _listen_to_others(self) -> None:
        """Hear of what other machines do, as soon as they did it. While there is no line, it is looked for with
        everything else."""
        now = self._world.ticks()
        if self._line is not None or now < self._line_again:
            return
        self._line_again = now + _LINE_AGAIN
        line = self._world.line()
        descriptor = line.fileno() if line is not None else None
        if line is not None and descriptor is not None:
            self._line = (line, descriptor)
            self._register(descriptor, self._hear_others)

    def _hear_others(self) -> None:
        if self._line is None:
            return
        heard = self._line[0].heard()
        if heard is None:
            self._hang_up()
        # Also when the line was cut: who knows what was said meanwhile.
        if heard is not False:
            self._schedule.look_within(_AFTER_OTHERS, self._world.ticks())

    def _hang_up(self) -> None:
        if self._line is not None:
            self._unregister(self._line[1])
            self._line[0].close()
            self._line = None

    # Searches

    def _take_over(self) -> None:
        """Answer where the helper would. One that runs is asked to end; one that is busy, again in a while."""
        if self._helper_line is not None or not self._habits.answers_searches:
            return
        address = self._world.address
        ask(address, HelperRequest("stop", code=this_code()))
        until = time.monotonic() + _REQUEST_SECONDS
        with ExitStack() as tried:
            while not tried.enter_context(held(address.lock)):
                tried.close()
                if time.monotonic() >= until:
                    return
            line = tried.enter_context(listening(address.socket))
            self._stack.push(tried.pop_all())
        line.setblocking(False)
        self._helper_line = line
        self._hear_searches()

    def _hear_searches(self) -> None:
        line = self._helper_line
        assert line is not None
        self._register(line, lambda: self._accept(line, self._begin_search))

    def _begin_search(self, request: HelperRequest, caller: socket) -> None:
        """Whoever asks while nothing is loaded does it alone, and the next one finds it loaded."""
        if request.verb not in HELPED or request.code != this_code() or self._searcher is not None:
            return
        assert self._helper_line is not None
        with suppress(OSError):
            self._searcher = start_searcher(self._helper_line, self._world.env)
            self._register(self._searcher[1], self._hand_over)

    def _hand_over(self) -> None:
        """It is loaded: from here on it is the one that listens."""
        assert self._searcher is not None and self._helper_line is not None
        self._unregister(self._searcher[1])
        if _drained(self._searcher[1]):
            self._unregister(self._helper_line)

    def _reap_searcher(self) -> None:
        if self._searcher is not None and self._searcher[0].ended() is not None:
            self._drop_searcher()
            self._hear_searches()

    def _drop_searcher(self) -> None:
        assert self._searcher is not None
        child, ready_pipe = self._searcher
        self._unregister(ready_pipe)
        if self._helper_line is not None:
            self._unregister(self._helper_line)
        os.close(ready_pipe)
        child.close()
        self._searcher = None

    # Whoever asks

    def _accept(self, line: socket, answer: Callable[[HelperRequest, socket], None]) -> None:
        try:
            caller, _ = line.accept()
        except OSError:
            return
        with caller, suppress(OSError, ValueError):  # A caller that hangs up or talks nonsense.
            if is_same_user(caller):
                answer(decoded_request(b"".join(received(caller, MAX_REQUEST, _REQUEST_SECONDS))), caller)

    def _answer(self, request: HelperRequest, caller: socket) -> None:
        if request.verb not in ("status", "stop"):
            return
        caller.settimeout(_REQUEST_SECONDS)
        caller.sendall(ready() + encoded_reply(HelperReply(0, encoded_state(self._state()), "")))
        if request.verb == "stop":
            self._stop()

    def _state(self) -> DaemonState:
        left = self._schedule.seconds_left(self._world.wall(), self._world.ticks())
        now = time.time()
        return DaemonState(
            os.getpid(),
            self._since,
            self._doing,
            self._paused,
            {str(kind): _stamp(now + seconds) for kind, seconds in left.items()},
            tuple(self._errors),
            self._events is not None,
            self._searcher[0].pid if self._searcher else None,
        )

    # Its own code

    def _look_at_code(self) -> None:
        """Whether a file that it has loaded changed, and has stayed so for a moment: then it begins anew."""
        if loaded_files(self._files) == self._files:
            self._changed_at = None
        elif self._changed_at is None:
            self._changed_at = time.monotonic()
        elif time.monotonic() - self._changed_at >= _SETTLED:
            self._end = self._end or DaemonEnd.REPLACED

    # What wakes it up

    def _register(self, what: Any, do: Callable[[], object]) -> None:
        self._selector.register(what, selectors.EVENT_READ, do)

    def _unregister(self, what: Any) -> None:
        with suppress(KeyError, ValueError):
            self._selector.unregister(what)


def _drained(descriptor: int) -> bytes:
    with suppress(BlockingIOError):
        return os.read(descriptor, 4096)
    return b""


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _stamp(moment: float | None = None) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
