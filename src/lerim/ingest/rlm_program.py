"""What dspy sees of `rlm`: two signatures, a sandbox it starts, and the transcript as data in there.

Imports dspy, so it is imported by the run that needs it, after `silence` has had its say.
"""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Annotated

import dspy  # type: ignore[import-untyped]
from dspy.primitives.code_interpreter import CodeInterpreterError  # type: ignore[import-untyped]
from pydantic import BaseModel, ConfigDict, Field

from lerim.context.records import MAX_TITLE, Kind, Lesson
from lerim.ingest.deno import Sandbox
from lerim.ingest.prompts import prompt_text

#: Questions that code in the sandbox may put to the model in one call.
_MAX_QUESTIONS = 30
#: What the model sees of one output of its code.
_MAX_SEEN = 10_000
#: What one message of the sandbox may hold, in characters. Its results are lists of memories, not archives.
_MAX_MESSAGE = 8_000_000

_Line = Annotated[int, Field(ge=1)]
_Text = Annotated[str, Field(min_length=1, max_length=6_000)]
_Tags = Annotated[list[str], Field(max_length=8)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class RlmQuote(_Strict):
    """Words of the transcript, verbatim, and the numbers of the lines where they stand."""

    first: _Line
    last: _Line
    text: _Text


class RlmMemory(_Strict):
    """One thing that is worth remembering in later sessions."""

    primitive: Lesson
    kind: Kind | None = Field(default=None, description="for a learning; null for a decision")
    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]
    body: _Text
    quotes: Annotated[list[RlmQuote], Field(min_length=1, max_length=8)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    tags: _Tags = []


class Summary(_Strict):
    """One summary of the session."""

    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]
    description: Annotated[str, Field(min_length=1, max_length=1_000)]
    body: Annotated[str, Field(min_length=1, max_length=20_000, description="Markdown")]
    tags: _Tags = []


class SessionLines(dspy.SandboxSerializable):  # type: ignore[misc]
    """The transcript on its way into the sandbox: JSON lines, sent once, a list of dictionaries in there."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)

    def sandbox_setup(self) -> str:
        return "import json"

    def to_sandbox(self) -> bytes:
        return "\n".join(self.lines).encode("ascii")

    def sandbox_assignment(self, var_name: str, data_expr: str) -> str:
        return f"{var_name} = [json.loads(line) for line in {data_expr}.split('\\n')]"

    def rlm_preview(self, max_chars: int = 500) -> str:
        head = f"list of {len(self.lines)} dictionaries with the keys line, who and text, in order. It begins:\n"
        return head + "\n".join(self.lines)[:max_chars]


class MemoryExtractSignature(dspy.Signature):  # type: ignore[misc]
    __doc__ = prompt_text("rlm")

    transcript: SessionLines = dspy.InputField(desc="the session's lines: line (its number), who speaks, text")
    guidance: str = dspy.InputField(desc="what to look for or leave out this time; may be empty")
    memories: Annotated[list[RlmMemory], Field(max_length=50)] = dspy.OutputField(desc="often an empty list")


class TraceSummarySignature(dspy.Signature):  # type: ignore[misc]
    __doc__ = prompt_text("rlm_summarize")

    transcript: SessionLines = dspy.InputField(desc="the session's lines: line (its number), who speaks, text")
    guidance: str = dspy.InputField(desc="what to pay attention to this time; may be empty")
    summary: Summary = dspy.OutputField(desc="one account of the whole session")


def silence(home: Path) -> None:
    """Keep dspy to itself: it prints nothing, and keeps no conversations in a cache of its own."""
    dspy.disable_logging()
    logging.getLogger("dspy").setLevel(logging.CRITICAL)
    # Its cache would lie in the user's home, made on the first call.
    dspy.configure_cache(
        enable_disk_cache=False, enable_memory_cache=False, disk_cache_dir=str(home / "cache" / "dspy")
    )


def run(
    signature: type[dspy.Signature],
    lines: Iterable[str],
    guidance: str,
    *,
    language_model: dspy.LM,
    sandboxes: "Sandboxes",
    max_iterations: int,
) -> dspy.Prediction:
    """One call of dspy.RLM. Raises dspy.DSPyError."""
    program = dspy.RLM(
        signature,
        max_iters=max_iterations,
        max_llm_calls=_MAX_QUESTIONS,
        max_output_chars=_MAX_SEEN,
        interpreter_factory=sandboxes,
    )
    with dspy.context(lm=language_model, adapter=dspy.ChatAdapter(), disable_history=True, track_usage=False):
        return program(transcript=SessionLines(lines), guidance=guidance)


class Sandboxes:
    """The processes of one call: started on demand, all ended when the call is over or its time is up.

    Code in a sandbox may ask for an RLM of its own, so one call can have several.
    """

    execution_instructions = (
        f"{dspy.PythonInterpreter.execution_instructions} No permission was given: there are no files, no network, no "
        "packages to install. Work on the variables."
    )

    def __init__(self, sandbox: Sandbox, seconds: float) -> None:
        self.is_over = False
        self._sandbox = sandbox
        self._seconds = seconds
        self._lock = threading.Lock()
        self._processes: list[subprocess.Popen[str]] = []
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> "Sandboxes":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        for process in self._processes:
            _finish(process)

    def __call__(self) -> "_Interpreter":
        return _Interpreter(self._sandbox.command(), self._start)

    def _start(self) -> "subprocess.Popen[str]":
        # Under the lock: no process may start after the others were ended.
        with self._lock:
            if self.is_over:
                raise CodeInterpreterError("the time is up")
            process = subprocess.Popen(
                self._sandbox.command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # A pipe that nobody reads would fill up and stop the process.
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                errors="replace",
                env=self._sandbox.environment(),
                cwd=self._sandbox.folder,
            )
            self._processes.append(process)
        _limit_processor(process.pid, self._seconds)
        return process

    def _end(self) -> None:
        with self._lock:
            self.is_over = True
            for process in self._processes:
                process.kill()


class _Interpreter(dspy.PythonInterpreter):  # type: ignore[misc]
    """dspy's interpreter, started our way: a bare environment, bounded messages, and an end that always comes."""

    deno_process: "subprocess.Popen[str] | None"

    def __init__(self, command: list[str], spawn: Callable[[], "subprocess.Popen[str]"]) -> None:
        super().__init__(deno_command=command)
        self._spawn = spawn

    def start(self) -> None:
        if self.deno_process is None:
            process = self._spawn()
            assert process.stdout is not None
            process.stdout = _Bounded(process.stdout)  # type: ignore[assignment]
            self.deno_process = process

    def shutdown(self) -> None:
        # Asked to stop, code that never ends would go on. There is nothing in there worth saving.
        if (process := self.deno_process) is not None:
            _finish(process)
        super().shutdown()


class _Bounded:
    """The process's output, refusing a line that no result of ours can be."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.close = stream.close

    def readline(self) -> str:
        line = self._stream.readline(_MAX_MESSAGE)
        if len(line) == _MAX_MESSAGE and not line.endswith("\n"):
            raise CodeInterpreterError(f"the sandbox gave more than {_MAX_MESSAGE:,} characters at once")
        return line


def _finish(process: "subprocess.Popen[str]") -> None:
    """End a process and what connects us with it. Does nothing the second time."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        # What was still to be sent has nobody to go to.
        with suppress(BrokenPipeError):
            if stream is not None:
                stream.close()


def _limit_processor(pid: int, seconds: float) -> None:
    """A last net where the system offers one: if we are killed, code that never ends does not outlive us for long."""
    if sys.platform == "linux":
        import resource

        most = 2 * int(seconds) + 60
        resource.prlimit(pid, resource.RLIMIT_CPU, (most, most))


def as_json(line: int, who: str, text: str) -> str:
    """One line of a session as the sandbox gets it. ASCII, so that no character can end a line."""
    return json.dumps({"line": line, "who": who, "text": text})
