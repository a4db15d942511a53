"""`lerim sync` is killed, over and over; after each kill, the next sync must leave every session done exactly once.

Run as a program: it forks its victims, which a test runner with threads must not do. Prints a JSON report.

python syncing.py stepped,commit,random COUNT SEED
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from lerim.cli.main import main
from lerim.context.filters import ANY
from lerim.context.records import Primitive
from lerim.errors import LerimError
from lerim.examples import install
from lerim.runtime.runs.artifacts import check_run
from lerim.runtime.runs.folder import MEMORY_ACTIONS, RunInfo, RunStatus, read_json
from lerim.service import Lerim
from lerim.sessions.session import SessionState

#: The rooms whose lines a victim is killed at: those that take a session from the queue into the memory.
ROOMS = ("/runtime/", "/context/", "/sessions/", "/lerim/service.py", "/lerim/workspace.py", "/cli/sync.py")
#: A queue is chosen, a berth is booked twice, the queue is replaced: these teach something, and one is reversed.
KEPT = ("3f0a6c1e", "019e8f41", "b81d5e20")

#: What was executed: how many lines before it, and where.
Site = tuple[int, str, int, str]
#: What a memory holds, as far as a kill must not change it.
Holding = list[tuple[str, ...]]


class Sandbox:
    """A machine with three sessions on it, as often as it is needed."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lerim-sync-")).resolve()
        self.user, self.pristine = self.folder / "user", self.folder / "pristine"
        self.project = self.user / "berths"
        self.project.mkdir(parents=True)
        os.environ.update(HOME=str(self.user), LERIM_HOME=str(self.user / ".lerim"))
        install(self.user, self.project, datetime.now(UTC))
        for file in self.user.rglob("*.json*"):
            if not any(name in file.name for name in KEPT):
                file.unlink()
        with Lerim(self.project) as opened:
            opened.setup.init()
        shutil.copytree(self.user, self.pristine)

    def warm_up(self) -> None:
        """Sync once before the victims are forked: what they would load and compile takes longer than what they do."""
        self.anew()
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert main(["sync"]) == 0

    def anew(self) -> None:
        """As before the first sync. The paths are the same: projects and sessions know theirs."""
        os.chdir("/")
        shutil.rmtree(self.user)
        shutil.copytree(self.pristine, self.user)
        os.chdir(self.project)

    def holding(self) -> Holding:
        """Every memory but for its id and its times."""
        with Lerim(self.project) as opened:
            records = [kept.record for kept in opened.memory.select(ANY)]
        return sorted(
            (str(r.primitive), str(r.status), r.title, r.body, *(e.reference for e in r.evidence)) for r in records
        )


def spawn(body: Callable[[], object], said: Path) -> int:
    """Fork a victim whose words go to a file; its process id."""
    pid = os.fork()
    if pid:
        return pid
    with said.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        code = 70
        try:
            code = int(str(body() or 0))
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


def run_sync(sandbox: Sandbox, words: tuple[str, ...] = ("sync",)) -> tuple[int, str]:
    said = sandbox.folder / "said.txt"
    pid = spawn(lambda: main(words), said)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), said.read_text()


def traced(kill_at: int | None, tell: Callable[[list[Site]], None] = lambda sites: None) -> int:
    """A sync that counts the lines it executes, and dies by SIGKILL before line `kill_at`."""
    sites: list[Site] = []

    def trace(frame: FrameType, event: str, _: object) -> object:
        code = frame.f_code
        if not any(room in code.co_filename for room in ROOMS):
            return None
        if event == "line":
            sites.append((len(sites), code.co_filename, frame.f_lineno, code.co_name))
            if len(sites) == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        return main(["sync"])
    finally:
        sys.settrace(None)
        tell(sites)


def all_sites(sandbox: Sandbox) -> list[Site]:
    file = sandbox.folder / "sites.json"
    pid = spawn(lambda: traced(None, lambda sites: file.write_text(json.dumps(sites)) and None), sandbox.folder / "log")
    os.waitpid(pid, 0)
    return [tuple(site) for site in json.loads(file.read_text())]


def points(sites: list[Site], count: int, dice: random.Random) -> list[int]:
    """When to kill: places all over the code, each at one of the times it was reached."""
    by_place: dict[tuple[str, int], list[int]] = {}
    for number, file, line, _ in sites:
        by_place.setdefault((file, line), []).append(number + 1)
    places = list(by_place)
    step = max(len(places) / count, 1.0)
    return [dice.choice(by_place[places[int(index * step)]]) for index in range(min(count, len(places)))]


def after_the_commit(sites: list[Site]) -> list[Site]:
    """What the first session went through from its commit on, until the next was claimed."""
    begin = next(number for number, file, _, name in sites if name == "commit" and "/runtime/" in file)
    end = next(number for number, file, _, name in sites if name == "claim" and number > begin)
    return sites[begin:end]


# What must hold after the next sync


def wrong_after(sandbox: Sandbox, expected: Holding) -> Iterator[str]:
    code, said = run_sync(sandbox)
    if code != 0:
        yield f"the next sync ended with {code}: {said}"
    code, said = run_sync(sandbox)
    if code != 0 or "no new sessions" not in said:
        yield f"a sync after that still had something to do ({code}): {said}"
    if (found := sandbox.holding()) != expected:
        missing = [memory[:3] for memory in expected if memory not in found]
        yield f"{len(found)} memories; missing {missing}, new {[m[:3] for m in found if m not in expected]}"
    with Lerim(sandbox.project) as opened:
        yield from wrong_in(opened)


def wrong_in(opened: Lerim) -> Iterator[str]:
    for _, done in opened.memory.reconcile():
        if done.problems or done.deleted or done.edited:
            yield f"reconcile found {done.problems}, {done.deleted}, {done.edited}"
    yield from (f"{finding.where}: {finding.what}" for finding in opened.memory.check())
    counts = opened.sessions.queue.counts()
    if counts[SessionState.DONE] != len(KEPT) or sum(counts.values()) != len(KEPT):
        yield f"sessions are {counts}"
    if not opened.sessions.audit().is_whole:
        yield "the audit is not whole"
    records = {kept.record.id: kept.record for kept in opened.memory.select(ANY)}
    told = [str(r.raw_trace_path) for r in records.values() if r.primitive is Primitive.SUMMARY]
    if any(sum(name in trace for trace in told) != 1 for name in KEPT) or len(told) != len(KEPT):
        yield f"summaries are of {told}"
    for run in opened.runs.list():
        yield from wrong_run(run, set(records))


def wrong_run(run: RunInfo, records: set[str]) -> Iterator[str]:
    """A run is done, and then all it says is true; or it was interrupted, and says nothing."""
    if run.status not in (RunStatus.DONE, RunStatus.INTERRUPTED):
        yield f"{run.id} is {run.status}: {run.error}"
    if run.status is RunStatus.DONE:
        yield from check_run(run.folder)
        actions = read_json(run.folder, MEMORY_ACTIONS)["actions"]
        assert isinstance(actions, list)
        yield from (f"{run.id}: no {a['record']}" for a in actions if a["record"] and a["record"] not in records)


# The drills


def killed(sandbox: Sandbox, at: int) -> bool:
    """Whether a sync was killed before a line; not if it had ended by then."""
    sandbox.anew()
    _, status = os.waitpid(spawn(lambda: traced(at), sandbox.folder / "log"), 0)
    return os.WIFSIGNALED(status)


def stepped_kills(sandbox: Sandbox, count: int, dice: random.Random, kinds: list[str]) -> dict[str, object]:
    """Kill before a line, at places all over the way of a session; or only from its commit on."""
    sandbox.anew()
    sites = all_sites(sandbox)
    expected = sandbox.holding()
    part = {"stepped": lambda: sites, "commit": lambda: after_the_commit(sites)}
    kills, wrong = 0, []
    for at in [at for kind in kinds for at in points(part[kind](), count, dice)]:
        # How often the files are looked at depends on the time: a way that is shorter than the first one ends before.
        while not killed(sandbox, at):
            at = at * 9 // 10
        kills += 1
        _, file, line, name = sites[at - 1]
        wrong += [f"{Path(file).name}:{line} {name}: {text}" for text in wrong_after(sandbox, expected)]
    return {"kills": kills, "lines": len(sites), "wrong": wrong, "holds": len(expected)}


def random_kills(sandbox: Sandbox, count: int, dice: random.Random) -> dict[str, object]:
    """Kill at random moments, up to three times in a row before a sync is left alone."""
    sandbox.anew()
    began = time.monotonic()
    code, said = run_sync(sandbox)
    seconds = time.monotonic() - began
    assert code == 0, said
    expected, kills, wrong = sandbox.holding(), 0, []
    while kills < count:
        sandbox.anew()
        moments = []
        for _ in range(dice.randint(1, 3)):
            moments.append(dice.uniform(0.05, 1.0) * seconds)
            pid = spawn(lambda: main(["sync"]), sandbox.folder / "log")
            time.sleep(moments[-1])
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            kills += 1
        wrong += [f"after {moments}: {text}" for text in wrong_after(sandbox, expected)]
    return {"kills": kills, "wrong": wrong, "holds": len(expected)}


def drill(kinds: list[str], count: int, seed: int) -> list[dict[str, object]]:
    """All of them on one machine: to make it ready takes longer than a kill."""
    sandbox, dice, reports = Sandbox(), random.Random(seed), []
    sandbox.warm_up()
    if stepped := [kind for kind in kinds if kind != "random"]:
        reports.append(stepped_kills(sandbox, count, dice, stepped))
    if "random" in kinds:
        reports.append(random_kills(sandbox, count, dice))
    return reports


if __name__ == "__main__":
    try:
        print(json.dumps(drill(sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3]))))
    except LerimError as error:
        sys.exit(f"{error.message} ({error.hint})")
