"""Made-up Claude Code sessions of realistic make-up, the same at every run.

Half of the bytes are tool results, which stand twice in their records; thinking with its signature and progress make
most of the rest. What people and the agent say is little.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from memories import WORDS, vocabulary

_TOOLS = ("Bash", "Read", "Edit", "Grep")
_SIGNS = ('"', "\\", "é", "…", "{", "}", "\t", "=", "(", ")", "->", "==", "/usr/lib", "https://example.org/a?b=c")
#: Words by which people tell what is worth keeping: only those who mean it use them.
_TELLING = {"always", "avoid", "because", "keep", "must", "never", "prefer", "should", "use"}
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

Record = dict[str, Any]


#: What a user says that is worth keeping.
TEACHING = (
    "From now on always put the {word} fixtures into conftest.py, because other test files do not find them.",
    "Let's use {word} instead of {other} for the queue, because we need retries.",
    "No, never call the {word} API from the {other} handler, it deadlocks under load.",
    "Remember: the {word} service must be deployed before the {other} worker.",
)


def write(path: Path, size: int, cwd: Path, seed: int = 7, teaching: Sequence[str] = ()) -> None:
    """One session of `size` bytes and a little more; now and then the user says one of `teaching`."""
    written = 0
    with path.open("wb") as file:
        for record in _Conversation(path.stem, str(cwd), seed, teaching).records():
            written += file.write(orjson.dumps(record) + b"\n")
            if written >= size:
                return


def write_tiny(path: Path, cwd: Path, number: int, text: str = "") -> None:
    """A session of yesterday with one question in it, and an answer to what is worth one."""
    at = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%S.000Z}"
    common = {"cwd": str(cwd), "sessionId": path.stem, "timestamp": at, "version": "2.1.34"}
    asked = {"role": "user", "content": text or f"question {number}"}
    records = [{"type": "user", "uuid": f"{path.stem}-1", "parentUuid": None, **common, "message": asked}]
    if text:
        reply = {"role": "assistant", "id": path.stem, "content": [{"type": "text", "text": "Done."}]}
        place = {"uuid": f"{path.stem}-2", "parentUuid": f"{path.stem}-1"}
        records.append({"type": "assistant", **place, **common, "message": reply})
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))


def teach(text: str, number: int) -> str:
    """A sentence of `TEACHING` about something else each time."""
    nouns = WORDS[30:]
    return text.format(word=nouns[number % len(nouns)], other=nouns[(number * 7 + 10) % len(nouns)])


class _Conversation:
    """A session without end: a question, some steps with a tool each, an answer, and again."""

    def __init__(self, session: str, cwd: str, seed: int, teaching: Sequence[str]) -> None:
        self._dice = random.Random(seed)
        self._teaching = [teach(text, seed) for text in teaching]
        self._common = {
            "sessionId": session,
            "cwd": cwd,
            "gitBranch": "main",
            "version": "2.1.34",
            "isSidechain": False,
        }
        # Texts are cut out of one long one: making each anew would take longer than all that is measured.
        words, sums = vocabulary(self._dice)
        signs = [*_SIGNS, ".", ".", ",", *("\n" + " " * 4 * depth for depth in range(4) for _ in range(6))]
        spoken = [word for word in self._dice.choices(words, cum_weights=sums, k=250_000) if word not in _TELLING]
        self._text = " ".join(word if number % 5 else self._dice.choice(signs) for number, word in enumerate(spoken))
        self._signature = "".join(self._dice.choices(_BASE64, k=20_000))
        self._parent: str | None = None
        self._count = 0

    def records(self) -> Iterator[Record]:
        yield {"type": "summary", "summary": self._words(30, 60), "leafUuid": self._id()}
        while True:
            asked = self._teaching.pop() if self._teaching and self._count else self._words(40, 600)
            yield self._record("user", {"message": {"role": "user", "content": asked}})
            for _ in range(self._dice.randint(3, 12)):
                yield from self._step()
            yield self._reply({"type": "text", "text": self._words(200, 1500)})

    def _step(self) -> Iterator[Record]:
        call = f"toolu_{self._dice.getrandbits(96):024x}"
        if self._dice.random() < 0.5:
            yield self._reply({"type": "thinking", "thinking": self._words(300, 1500), "signature": self._sign()})
        if self._dice.random() < 0.3:
            yield self._reply({"type": "text", "text": self._words(60, 300)})
        name, given = self._dice.choice(_TOOLS), {"command": self._words(20, 200), "description": self._words(20, 60)}
        if name == "Edit":
            given = {"file_path": "/w/a.py", "old_string": self._words(100, 900), "new_string": self._words(100, 900)}
        yield self._reply({"type": "tool_use", "id": call, "name": name, "input": given})
        for _ in range(self._dice.choice((0, 0, 1, 2))):
            data = {"type": "agent_progress", "prompt": self._words(100, 300), "message": self._words(500, 3500)}
            yield self._record("progress", {"data": data, "toolUseID": call, "parentToolUseID": call})
        yield self._result(call)

    def _result(self, call: str) -> Record:
        text = self._words(1000, 8000)
        block = {"tool_use_id": call, "type": "tool_result", "content": text, "is_error": self._dice.random() < 0.05}
        twice = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        return self._record("user", {"message": {"role": "user", "content": [block]}, "toolUseResult": twice})

    def _reply(self, block: Record) -> Record:
        usage = {"input_tokens": 12, "cache_read_input_tokens": 40_000 + self._count, "output_tokens": 300}
        message = {"model": "claude-opus-4-6", "id": f"msg_{self._count // 3:08}", "type": "message"}
        message |= {"role": "assistant", "content": [block], "stop_reason": None, "usage": usage}
        return self._record("assistant", {"message": message, "requestId": f"req_{self._count // 3:08}"})

    def _record(self, kind: str, said: Record) -> Record:
        self._count += 1
        minutes, seconds = divmod(self._count // 4, 60)
        at = f"2026-02-{1 + minutes // 1440 % 28:02}T{minutes // 60 % 24:02}:{minutes % 60:02}:{seconds:02}.123Z"
        parent, self._parent = self._parent, self._id()
        place = {"parentUuid": parent, "uuid": self._parent, "type": kind, "timestamp": at}
        return {**place, **self._common, "userType": "external", **said}

    def _id(self) -> str:
        found = f"{self._dice.getrandbits(128):032x}"
        return "-".join((found[:8], found[8:12], found[12:16], found[16:20], found[20:]))

    def _words(self, low: int, high: int) -> str:
        start = self._dice.randrange(len(self._text) - high)
        return self._text[start : start + self._dice.randint(low, high)]

    def _sign(self) -> str:
        start = self._dice.randrange(15_000)
        return self._signature[start : start + self._dice.randint(400, 2500)]
