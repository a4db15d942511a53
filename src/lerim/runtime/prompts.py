"""The prompts of the agent: Markdown files beside this module, known by their hash; and the task of each run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from lerim.ingest.transcript import Transcript
from lerim.runtime.roots import Mode, Roots

# What a task tells as data stands in one such block: a model reads it, and so does the embedded policy.
_OPEN, _CLOSE = "```json\n", "\n```"


@dataclass(frozen=True)
class Prompt:
    """A prompt file as it was sent."""

    name: str
    text: str

    @property
    def sha256(self) -> str:
        return sha256(self.text.encode()).hexdigest()


def lead_prompts(mode: Mode) -> tuple[Prompt, ...]:
    """What the lead agent is told in a mode: what always holds, and how the mode works."""
    return _load("agent"), _load(mode)


def explorer_prompt() -> Prompt:
    return _load("explorer")


def ask_task(question: str, memories: Sequence[Mapping[str, object]]) -> str:
    """The task of answering a question, with what was retrieved for it."""
    return _task("Answer this question from the memory.", {"question": question, "memories": list(memories)})


def explore_task(query: str, memories: Sequence[Path], folders: Sequence[str]) -> str:
    """The task of an explorer: what to look for, and the folders that matter in each memory."""
    data = {"query": query, "memory_roots": [str(memory) for memory in memories], "folders": list(folders)}
    return _task("Find what bears on this query.", data)


def sync_task(transcript: Transcript, trace: Path, roots: Roots) -> str:
    """The task of taking in one session: where it lies, whose it is, and where to write."""
    header = transcript.header
    data = {
        "session": transcript.name,
        "trace": str(trace),
        "lines": transcript.last,
        "started": header.started,
        "cwd": header.cwd,
        "branch": header.branch,
        "memory_root": str(roots.memory),
        "run_folder": str(roots.run_folder),
        "actions_file": f"{roots.run_folder}/memory_actions.json",
    }
    return _task("Take in this session.", data)


def maintain_task(roots: Roots, review: Sequence[Mapping[str, object]]) -> str:
    """The task of keeping the memory true, with what Python found worth a look."""
    data = {
        "memory_root": str(roots.memory),
        "run_folder": str(roots.run_folder),
        "actions_file": f"{roots.run_folder}/maintain_actions.json",
        "review": list(review),
    }
    return _task("Look after the memory. The review list may be empty; then report an empty list of actions.", data)


def task_data(task: str) -> dict[str, object]:
    """The data of a task, read back."""
    block = task[task.index(_OPEN) + len(_OPEN) : task.rindex(_CLOSE)]
    data = json.loads(block)
    assert isinstance(data, dict)
    return data


def _task(order: str, data: Mapping[str, object]) -> str:
    return f"{order}\n\n{_OPEN}{json.dumps(data, ensure_ascii=False, indent=1)}{_CLOSE}"


def _load(name: str) -> Prompt:
    return Prompt(f"runtime/{name}.md", Path(__file__).with_name(f"{name}.md").read_text(encoding="utf-8"))
