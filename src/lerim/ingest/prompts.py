"""The prompts of the engines: Markdown files beside this one, with the kinds of learnings filled in."""

from __future__ import annotations

from pathlib import Path

from lerim.context.records import kinds_explained


def prompt_file(name: str) -> str:
    """The file of a prompt, as the evidence of a run names it."""
    return f"ingest/{name}.md"


def prompt_text(name: str) -> str:
    """A prompt as it is sent."""
    text = Path(__file__).with_name(f"{name}.md").read_text(encoding="utf-8")
    return text.replace("{kinds}", kinds_explained())
