"""The prompts of the agent: Markdown files beside this module, known by their hash; and the task of each run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

from lerim.ingest.transcript import Transcript
from lerim.runtime.roots import Mode, Roots
from lerim.runtime.runs.folder import MEMORY_ACTIONS
from lerim.runtime.wire import SyncTask


@dataclass(frozen=True)
class Prompt:
    """A prompt file as it was sent."""

    name: str
    text: str

    @cached_property
    def sha256(self) -> str:
        return sha256(self.text.encode()).hexdigest()


def lead_prompts(mode: Mode) -> tuple[Prompt, ...]:
    """What the lead agent reads in a mode: what always holds, and how the mode works."""
    return _load("agent"), _load(mode)


def explorer_prompt() -> Prompt:
    return _load("explorer")


def sync_task(transcript: Transcript, trace: Path, roots: Roots) -> SyncTask:
    """The task of taking in one session."""
    header = transcript.header
    return SyncTask(
        session=transcript.name,
        trace=str(trace),
        lines=transcript.last,
        started=header.started,
        cwd=header.cwd,
        branch=header.branch,
        memory_root=str(roots.memory),
        run_folder=str(roots.run_folder),
        actions_file=f"{roots.run_folder}/{MEMORY_ACTIONS}",
    )


@cache
def _load(name: str) -> Prompt:
    return Prompt(f"runtime/{name}.md", Path(__file__).with_name(f"{name}.md").read_text(encoding="utf-8"))
