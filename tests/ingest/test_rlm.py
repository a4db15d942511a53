"""The engine rlm: a scripted model writes code, and the code really runs in Deno and Pyodide."""

from __future__ import annotations

import http.server
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lerim
from lerim.context.records import Kind, Primitive
from lerim.errors import BudgetReached, EngineError
from lerim.ingest import deno
from lerim.ingest.extract import extract
from lerim.ingest.findings import Act, Digest, Finding, Quote, Rejection
from lerim.ingest.rlm import Limits, Ready, RlmEngine
from lerim.ingest.transcript import Numbered, Transcript
from lerim.ingest.windows import cut
from lerim.sources.trace import Assistant, Header, Line, ToolResult, User

pytest.importorskip("dspy", reason="the engine rlm needs the package dspy")


PACKAGE = str(Path(lerim.__file__).parents[1])
#: Enough for a machine that is busy with other things: a sandbox takes seconds to start on a quiet one.
LIMITS = Limits(max_iterations=4, timeout_seconds=250)
#: An address where nobody listens: the discard port of this machine.
CLOSED = "http://127.0.0.1:9/"


@pytest.fixture(scope="session")
def disk() -> Iterator[Path]:
    """A folder on the disk: Deno lets nobody below /dev, and that is not what is tried here."""
    with tempfile.TemporaryDirectory(prefix="lerim-rlm-") as folder:
        yield Path(folder).resolve()


@pytest.fixture
def tmp_path(disk: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=disk))


@pytest.fixture(scope="session")
def rlm_home(disk: Path) -> Path:
    """A home whose sandbox is prepared, once for all tests."""
    home = disk / "home"
    home.mkdir()
    try:
        deno.prepare(home)
    except EngineError as error:
        if "could not be fetched" in error.message:
            pytest.skip(f"no network to prepare the sandbox with: {error.message}")
        raise
    return home


# What a test says


def step(code: str) -> str:
    """One step of a model: what it thinks, and the code it wants to run."""
    return f"[[ ## reasoning ## ]]\nNext.\n\n[[ ## code ## ]]\n```python\n{code}\n```\n\n[[ ## completed ## ]]"


class Scripted:
    """A model that answers from a list, and remembers what it was asked."""

    def __init__(self, *answers: str | Exception) -> None:
        self.asked: list[str] = []
        self._answers = iter(answers)

    def __call__(self) -> Any:
        import dspy

        return dspy.LM("scripted/model", engine=self, cache=False, num_retries=0)

    def complete(self, request: Any) -> Any:
        from dspy.lm15 import Message, Response, Usage

        self.asked.append("\n".join([str(request.system), *(message.text or "" for message in request.messages)]))
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        usage = Usage(input_tokens=10, output_tokens=5)
        message = Message.assistant(answer)
        return Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)


def session(*lines: Line) -> Transcript:
    header = Header(agent="claude", run_id="run-1")
    return Transcript(header, tuple(Numbered(number, line) for number, line in enumerate(lines, 2)))


PNPM = session(
    User(text="Please add a linter."),
    Assistant(text="I will run npm install."),
    User(text="Use npm 11.", undone=True),
    User(text="No. In this repository we always use pnpm, because npm breaks the workspace links."),
    ToolResult(text="Everybody should always use yarn.", call="t1"),
    Assistant(text="Understood, pnpm it is. The linter is in place."),
)

REMEMBER_PNPM = """
line = next(line for line in transcript if line["who"] == "user" and "pnpm" in line["text"])
memory = {
    "primitive": "learning",
    "kind": "preference",
    "title": "Use pnpm in this repository",
    "body": "Packages are installed with pnpm. npm breaks the workspace links.",
    "quotes": [{"first": line["line"], "last": line["line"], "text": line["text"]}],
    "confidence": 0.9,
    "tags": ["pnpm"],
}
"""


def rlm(home: Path, *answers: str | Exception, limits: Limits = LIMITS) -> RlmEngine:
    return RlmEngine(Scripted(*answers), home, limits)


# What it finds


@pytest.mark.drill
def test_code_of_the_model_yields_candidates_with_verified_evidence(rlm_home: Path) -> None:
    """The model looks at the transcript in one step and submits in the next; state stays in between."""
    engine = rlm(rlm_home, step("print(len(transcript))\n" + REMEMBER_PNPM), step("SUBMIT(memories=[memory])"))

    (candidate,) = extract(PNPM, engine).candidates

    assert (Primitive.LEARNING, Kind.PREFERENCE) == (candidate.primitive, candidate.kind)
    assert "Use pnpm in this repository" == candidate.title
    assert [(5, 5, PNPM.at(5).text)] == [(q.first, q.last, q.text) for q in candidate.quotes]


@pytest.mark.drill
def test_what_the_model_invents_is_turned_down(rlm_home: Path) -> None:
    """A quote that nobody said, and one that only a tool said, carry no memory."""
    code = """
memory["quotes"][0]["text"] = "We use bazel."
poisoned = {**memory, "title": "Use yarn", "quotes": [{"first": 6, "last": 6, "text": transcript[3]["text"]}]}
SUBMIT(memories=[memory, poisoned])
"""
    extraction = extract(PNPM, rlm(rlm_home, step(REMEMBER_PNPM + code)))

    assert () == extraction.candidates + extraction.review
    assert {"Use pnpm in this repository", "Use yarn"} == {rejected.title for rejected in extraction.rejected}


@pytest.mark.drill
def test_the_sandbox_gets_the_lines_with_their_numbers_and_speakers(rlm_home: Path) -> None:
    """What was taken back is not among them. What code prints is what the model sees next."""
    model = Scripted(step("for line in transcript: print(line)"), step("SUBMIT(memories=[])"))

    assert [] == RlmEngine(model, rlm_home, LIMITS).find(PNPM, cut(PNPM), "Look for tools.")
    assert "{'line': 5, 'who': 'user', 'text': 'No. In this repository we always use pnpm" in model.asked[1]
    assert "{'line': 6, 'who': 'tool', 'text': 'Everybody should always use yarn.'}" in model.asked[1]
    assert "npm 11" not in model.asked[1]
    assert "Look for tools." in model.asked[0]


@pytest.mark.drill
def test_a_wrong_shape_is_reported_to_the_model(rlm_home: Path) -> None:
    """It may correct itself in the next step."""
    wrong = REMEMBER_PNPM + "SUBMIT(memories=[{**memory, 'kind': 'opinion'}])"
    model = Scripted(step(wrong), step("SUBMIT(memories=[memory])"))

    (found,) = RlmEngine(model, rlm_home, LIMITS).find(PNPM, cut(PNPM), "")

    assert Act.PREFERENCE == found.act
    assert "[Type Error] memories" in model.asked[1]


@pytest.mark.drill
def test_code_may_ask_the_model_about_parts(rlm_home: Path) -> None:
    """That is the point of it: code finds the place, the model understands what is said there."""
    code = "verdict = llm_query('What is meant by: ' + transcript[2]['text'])"
    model = Scripted(step(REMEMBER_PNPM + code), "a rule", step("SUBMIT(memories=[{**memory, 'body': verdict}])"))

    (found,) = RlmEngine(model, rlm_home, LIMITS).find(PNPM, cut(PNPM), "")

    assert isinstance(found, Ready)
    assert "a rule" == found.body


@pytest.mark.drill
def test_a_session_is_summarized(rlm_home: Path) -> None:
    """By the model of the role that summarizes, when there is one."""
    words = ("Added a linter", "The linter is in place.", "With pnpm.")
    summary = dict(zip(("title", "description", "body"), words, strict=True), tags=["linter"])
    engine = RlmEngine(
        Scripted(), rlm_home, LIMITS, summary_model=Scripted(step(f"SUBMIT(summary={summary})")), summary_limits=LIMITS
    )

    assert Digest(*words, ("linter",)) == engine.summarize(PNPM, cut(PNPM), "")


def test_findings_of_others_are_no_candidates(tmp_path: Path) -> None:
    """They have neither title nor body. They are turned down, not lost."""
    finding = Finding(Act.RULE, "Always use pnpm", (Quote(5, 5, "pnpm"),), 0.9)
    proposal = rlm(tmp_path).synthesize(PNPM, [finding], "")

    assert () == proposal.candidates
    assert (Rejection("Always use pnpm", "It was not found by this engine.", finding.quotes),) == proposal.rejected


# What the sandbox cannot do


@dataclass(frozen=True)
class Prison:
    """A running sandbox, and things around it that it must not reach."""

    execute: Callable[[str], str]
    secret: Path
    target: Path
    address: str
    requests: list[str]

    def attempt(self, code: str) -> str:
        """What Python code gives in the sandbox, or the name of what stopped it."""
        body = "".join(f"\n    {line}" for line in code.splitlines())
        return self.execute(f"try:{body}\nexcept BaseException as error:\n    print('STOPPED', repr(error))")

    def attempt_js(self, expression: str) -> str:
        """The same for JavaScript, which is where the walls are: Python gets at it through `js`."""
        code = f"import js\nresult = js.eval({expression!r})\nif hasattr(result, 'then'): result = await result"
        return self.attempt(f"{code}\nprint('DONE', result)")


@pytest.fixture(scope="module")
def prison(rlm_home: Path, disk: Path) -> Iterator[Prison]:
    from lerim.ingest.rlm_program import Sandboxes

    # Made anew where a worker comes back to this file.
    folder = Path(tempfile.mkdtemp(prefix="outside-", dir=disk))
    (folder / "secret.txt").write_text("the secret", "utf-8")
    (rlm_home / "context.sqlite3").write_text("the secret", "utf-8")
    requests: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_response(200)
            self.end_headers()

    environment = pytest.MonkeyPatch()
    environment.setenv("SECRET_TOKEN", "the secret")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever).start()
    with Sandboxes(deno.sandbox(rlm_home), 3600) as sandboxes, sandboxes() as interpreter:
        address = f"127.0.0.1:{server.server_address[1]}"
        yield Prison(interpreter.execute, folder / "secret.txt", folder / "written", address, requests)
    server.shutdown()
    server.server_close()
    environment.undo()


@pytest.mark.drill
@pytest.mark.parametrize(
    "way",
    [
        "Deno.readTextFileSync('{}')",
        "process.getBuiltinModule('fs').readFileSync('{}', 'utf8')",
        "fetch('file://{}').then(got => got.text())",
        "import('file://{}')",
        "new (process.getBuiltinModule('sqlite').DatabaseSync)('{}')",
    ],
)
@pytest.mark.parametrize("what", ["secret", "password file", "store", "pyodide", "environment"])
def test_the_sandbox_reads_no_file(prison: Prison, rlm_home: Path, way: str, what: str) -> None:
    """Neither the user's, nor the system's, nor ours; not even its own, once it has started."""
    path = {
        "secret": prison.secret,
        "password file": Path("/etc/passwd"),
        "store": rlm_home / "context.sqlite3",
        "pyodide": deno.prepare(rlm_home) / "pyodide" / "pyodide-lock.json",
        "environment": Path("/proc/self/environ"),
    }[what]

    assert "Requires read access" in prison.attempt_js(way.format(path))
    assert "FileNotFoundError" in prison.attempt(f"print(open({str(path)!r}).read())")


@pytest.mark.drill
@pytest.mark.parametrize(
    "way",
    [
        "Deno.writeTextFileSync('{}', 'x')",
        "process.getBuiltinModule('fs').writeFileSync('{}', 'x')",
        "Deno.mkdirSync('{}')",
        "new (process.getBuiltinModule('sqlite').DatabaseSync)('{}')",
        "localStorage.setItem('{}', 'x')",
        "caches.open('{}')",
    ],
)
def test_the_sandbox_writes_nothing(prison: Prison, rlm_home: Path, way: str) -> None:
    """Not even where Deno keeps what pages store: one session must leave nothing for the next one to find."""
    before = sorted(rlm_home.rglob("*"))

    assert "STOPPED" in prison.attempt_js(way.format(prison.target))
    assert not prison.target.exists()
    assert before == sorted(rlm_home.rglob("*"))


@pytest.mark.drill
@pytest.mark.parametrize(
    "way",
    [
        "fetch('http://{}/fetch')",
        "Deno.connect({{hostname: '127.0.0.1', port: Number('{}'.split(':')[1])}})",
        "new WebSocket('ws://{}/socket')",
        "import('http://{}/import.js')",
        "import('https://esm.sh/left-pad?{}')",
        "import('npm:left-pad@{}')",
        "Deno.resolveDns('{}', 'A')",
    ],
)
def test_the_sandbox_reaches_no_network(prison: Prison, way: str) -> None:
    """Not by requests, not by sockets, not by importing code, whose address could carry what was read."""
    assert "STOPPED" in prison.attempt_js(way.format(prison.address))
    assert [] == prison.requests


@pytest.mark.drill
def test_python_in_the_sandbox_reaches_no_network(prison: Prison) -> None:
    """What the standard library offers ends at the same wall."""
    code = f"import urllib.request\nprint('DONE', urllib.request.urlopen('http://{prison.address}/python'))"

    assert "DONE" not in prison.attempt(code)
    assert [] == prison.requests


@pytest.mark.drill
def test_the_sandbox_sees_no_environment(prison: Prison) -> None:
    """Keys are in the environment of whoever runs Lerim."""
    assert "Requires env access" in prison.attempt_js("JSON.stringify(Deno.env.toObject())")
    assert "Requires env access" in prison.attempt_js("process.env.SECRET_TOKEN")
    assert "the secret" not in prison.attempt("import os\nprint(dict(os.environ))")


@pytest.mark.drill
@pytest.mark.parametrize("way", ["new Deno.Command('/bin/true').outputSync()", "Deno.dlopen('nowhere', {})"])
def test_the_sandbox_starts_nothing(prison: Prison, way: str) -> None:
    """Neither a program nor a library."""
    assert "Requires" in prison.attempt_js(way)


@pytest.mark.drill
def test_the_sandbox_signals_no_process(prison: Prison) -> None:
    """Nobody's but its own. The target is a child of this test: if the wall ever falls, nothing else is hit."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        message = prison.attempt_js(f"Deno.kill({bystander.pid}, 'SIGTERM')")
        bystander.communicate(b"done\n")

    assert "Requires run access" in message
    assert 0 == bystander.returncode


@pytest.mark.drill
def test_the_sandbox_gets_no_more_rights_by_asking(prison: Prison) -> None:
    """There is nobody to say yes."""
    assert "DONE denied" in prison.attempt_js("Deno.permissions.request({name: 'read'}).then(now => now.state)")


@pytest.mark.drill
def test_the_sandbox_has_a_limited_memory(prison: Prison) -> None:
    """Python in there gets an error of its own, and the machine keeps its memory."""
    code = "data = [bytearray(64 << 20) for _ in range(20)]\nprint('DONE')"

    assert "MemoryError" in prison.attempt(code)


# Its process


@pytest.fixture
def watched(tmp_path: Path) -> tuple[deno.Installed, Callable[[], list[int]]]:
    """A Deno that notes its process ids, and what it noted."""
    found = deno.Installed.find()
    notes, program = tmp_path / "pids", tmp_path / "deno"
    program.write_text(f"#!/bin/sh\necho $$ >> '{notes}'\nexec '{found.deno}' \"$@\"\n", "utf-8")
    program.chmod(0o755)
    installed = deno.Installed(found.dspy, found.dspy_version, program)
    return installed, lambda: [int(line) for line in notes.read_text("utf-8").split()]


def is_alive(pid: int) -> bool:
    """Whether it runs. One that ended and whose parent has not asked yet does not."""
    asked = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return asked.stdout.strip()[:1] not in {"", "Z"}


@pytest.mark.drill
def test_a_call_that_takes_too_long_is_ended_with_its_process(
    rlm_home: Path, watched: tuple[deno.Installed, Callable[[], list[int]]]
) -> None:
    """Code that never ends cannot be asked to stop. Nothing of it is left."""
    installed, pids = watched
    engine = RlmEngine(Scripted(step("while True: pass")), rlm_home, Limits(4, 8), installed=installed)

    with pytest.raises(EngineError, match="did not finish within 8 seconds") as raised:
        engine.find(PNPM, cut(PNPM), "")

    assert "timeout_seconds" in str(raised.value.hint)
    assert [False] == [is_alive(pid) for pid in pids()]


@pytest.mark.drill
def test_no_process_is_left_after_a_call(
    rlm_home: Path, watched: tuple[deno.Installed, Callable[[], list[int]]]
) -> None:
    """An RLM within the RLM has a process of its own."""
    installed, pids = watched
    inner = "import dspy\nprint(dspy.RLM('text -> length: int')(text='abc').length)"
    model = Scripted(step(inner), step("SUBMIT(length=len(text))"), step("SUBMIT(memories=[])"))

    assert [] == RlmEngine(model, rlm_home, LIMITS, installed=installed).find(PNPM, cut(PNPM), "")
    assert "3" in model.asked[2]
    assert [False, False] == [is_alive(pid) for pid in pids()]


@pytest.mark.drill
def test_a_flood_of_output_ends_the_call(rlm_home: Path) -> None:
    """The memory of the host is not the sandbox's to fill."""
    engine = rlm(rlm_home, step("print('x' * 20_000_000)"))

    with pytest.raises(EngineError, match="more than 8,000,000 characters at once"):
        engine.find(PNPM, cut(PNPM), "")


_START_AND_WAIT = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from lerim.ingest import deno
from lerim.ingest.rlm_program import Sandboxes
with Sandboxes(deno.sandbox(Path(sys.argv[2])), 240) as sandboxes, sandboxes() as interpreter:
    interpreter.execute("import js; js.eval('setInterval(() => 0, 1000)')")
    print(interpreter.deno_process.pid, flush=True)
    time.sleep(240)
"""


@pytest.mark.drill
def test_the_sandbox_does_not_outlive_a_killed_lerim(rlm_home: Path) -> None:
    """Even when code left something behind that would keep the process alive."""
    command = [sys.executable, "-c", _START_AND_WAIT, PACKAGE, str(rlm_home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    for _ in range(300):
        if not is_alive(pid):
            break
        time.sleep(0.1)

    assert not is_alive(pid)


# Failures


@pytest.mark.drill
def test_an_error_of_ours_comes_out_as_it_was(rlm_home: Path) -> None:
    """dspy wraps what a model raises; the budget's last word must not be lost in there."""
    engine = rlm(rlm_home, BudgetReached("the day's budget is spent", hint="lerim cost"))

    with pytest.raises(BudgetReached, match="the day's budget is spent"):
        engine.find(PNPM, cut(PNPM), "")


@pytest.mark.drill
def test_a_model_that_never_submits_is_asked_for_its_result(rlm_home: Path) -> None:
    """After its last step. If that is no answer either, the error says so."""
    engine = rlm(rlm_home, step("print(1)"), "I have no idea.", limits=Limits(1, 250))

    with pytest.raises(EngineError, match="no usable answer from the model") as raised:
        engine.find(PNPM, cut(PNPM), "")

    assert "lerim models check" == raised.value.hint


@pytest.mark.parametrize("missing", ["dspy", "deno"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(tmp_path: Path, missing: str) -> None:
    """Before anything is fetched or made."""
    installed = deno.Installed(
        dspy=None if missing == "dspy" else deno.Installed.find().dspy,
        dspy_version="3.4.1",
        deno=None if missing == "deno" else Path(sys.executable),
    )
    engine = RlmEngine(Scripted(), tmp_path / "home", LIMITS, installed=installed)

    with pytest.raises(EngineError, match=f"needs the package '{missing}'") as raised:
        engine.find(PNPM, cut(PNPM), "")

    assert "pip install 'lerim[rlm]'" == raised.value.hint
    assert not (tmp_path / "home").exists()


def test_an_unknown_dspy_is_refused(tmp_path: Path) -> None:
    """A runner that imports something else would go to the network for it, or fail in the middle of a session."""
    (tmp_path / "primitives").mkdir()
    (tmp_path / "primitives" / "runner.js").write_text('import x from "npm:other@1/x.js";\n', "utf-8")
    installed = deno.Installed(tmp_path, "9.0.0", Path(sys.executable))

    with pytest.raises(EngineError, match=r"dspy 9\.0\.0 starts its sandbox in a way this Lerim does not know"):
        deno.prepare(tmp_path / "home", installed=installed)


# Preparing


def without_network(environment: pytest.MonkeyPatch) -> None:
    """Every way out of this machine leads to a port where nobody listens."""
    for name in ("NPM_CONFIG_REGISTRY", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        environment.setenv(name, CLOSED)


@pytest.mark.drill
def test_a_prepared_sandbox_needs_no_network(rlm_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the registry it came from: nothing is looked up any more, and nobody is told that something is fetched."""
    without_network(monkeypatch)
    messages: list[str] = []
    engine = RlmEngine(Scripted(step("SUBMIT(memories=[])")), rlm_home, LIMITS, progress=messages.append)

    assert [] == engine.find(PNPM, cut(PNPM), "")
    assert [] == messages


def test_preparing_without_network_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And leaves nothing half made."""
    without_network(monkeypatch)
    messages: list[str] = []

    with pytest.raises(EngineError, match=r"Pyodide [\d.]+ for the rlm sandbox could not be fetched") as raised:
        deno.prepare(tmp_path, messages.append)

    assert "connect to the network once, then: lerim sync" == raised.value.hint
    assert [] == list((tmp_path / "cache" / "deno").iterdir())
    assert 1 == len(messages)


_PREPARE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from lerim.ingest import deno
print(deno.prepare(Path(sys.argv[2])))
"""


@pytest.mark.drill
def test_two_processes_may_prepare_at_once(rlm_home: Path, tmp_path: Path) -> None:
    """Both get the same folder, and no draft is left. `rlm_home` has shown that there is a network."""
    command = [sys.executable, "-c", _PREPARE, PACKAGE, str(tmp_path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    folders = {process.communicate()[0].strip() for process in both}

    assert {str(deno.prepare(tmp_path))} == folders
    assert [deno.prepare(tmp_path)] == list((tmp_path / "cache" / "deno").iterdir())


@pytest.mark.drill
def test_a_new_dspy_gets_a_sandbox_of_its_own(rlm_home: Path, tmp_path: Path) -> None:
    """Its runner may want another Pyodide. What was made for the old one stays for those who still use it."""
    found = deno.Installed.find()
    old = deno.prepare(rlm_home)
    shelf = tmp_path / "cache" / "deno"
    shelf.mkdir(parents=True)
    (shelf / old.name).symlink_to(old)

    new = deno.prepare(tmp_path, installed=deno.Installed(found.dspy, "3.99", found.deno))

    assert re.sub(r"^dspy-[\d.]+", "dspy-3.99", old.name) == new.name
    assert {old.name, new.name} == {folder.name for folder in shelf.iterdir()}


# What it leaves behind

_RUN_QUIETLY = f"""
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], {str(Path(__file__).parent)!r}]
from test_rlm import LIMITS, PNPM, Limits, Scripted, cut, step
from lerim.errors import EngineError
from lerim.ingest.rlm import RlmEngine
model = Scripted(step("print(1)"), "I have no idea.")
try:
    RlmEngine(model, Path(sys.argv[2]), Limits(1, 250)).find(PNPM, cut(PNPM), "")
except EngineError:
    sys.exit(7)
"""


@pytest.mark.drill
def test_dspy_prints_nothing_and_keeps_nothing(rlm_home: Path, tmp_path: Path) -> None:
    """No cache in the user's home, no log on their screen; even when it has something to complain about."""
    before = sorted(rlm_home.rglob("*"))
    command = [sys.executable, "-W", "error", "-B", "-c", _RUN_QUIETLY, PACKAGE, str(rlm_home)]
    environment = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)

    assert (7, "", "") == (done.returncode, done.stdout, done.stderr)
    assert [] == list(tmp_path.iterdir())
    assert before == sorted(rlm_home.rglob("*"))
