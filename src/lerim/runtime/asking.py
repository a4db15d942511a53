"""Questions, with and without a model: the door of `ask`, for programs and commands alike.

The answer is the pipeline's (lerim.answer): it plans, retrieves and judges. When a model leads, it writes the answer,
with read-only tools (answering.py). Cheap to import: the agent's framework is loaded when a model leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from datetime import datetime
from pathlib import Path

from lerim.answer.conversation import Exchange
from lerim.answer.grounds import Writer
from lerim.answer.pipeline import LIMIT, Answer, answer
from lerim.config.settings import Provider
from lerim.dataclass import replace
from lerim.errors import UsageError
from lerim.llm import Models
from lerim.observability import span
from lerim.runtime.holdings import Holdings
from lerim.runtime.rooms import Rooms
from lerim.runtime.roots import READ_TOOLS, Roots
from lerim.runtime.runs.folder import Run


class Asker:
    """Answers questions in one directory. The lead agent is one that can do more. Not for use in an event loop."""

    def __init__(
        self,
        model: str | None = None,
        provider: str | None = None,
        timeout_seconds: int | None = None,
        single_tools: Sequence[str] | None = None,
        allowed_read_dirs: Sequence[str | Path] | None = None,
        default_cwd: str | Path | None = None,
        *,
        rooms: Rooms,
    ) -> None:
        """`model`, `provider` and `timeout_seconds` say otherwise than the lead role of the settings.

        `single_tools` are the tools of `ask`, fewer than all; `allowed_read_dirs` may be read besides the memory.
        Raises UsageError for what there is not.
        """
        self._rooms = replace(rooms, models=_with_lead(rooms.models, model, provider, timeout_seconds))
        self._reads = tuple(Path(folder).expanduser().resolve() for folder in allowed_read_dirs or ())
        self._cwd = Path(default_cwd).resolve() if default_cwd is not None else None
        self._single_tools = single_tools
        if unknown := [name for name in single_tools or () if name not in READ_TOOLS]:
            raise UsageError(f"ask has {', '.join(READ_TOOLS)}, not {', '.join(unknown)}")

    def ask(
        self,
        question: str,
        *,
        as_of: datetime | None = None,
        history: Sequence[Exchange] = (),
        limit: int = LIMIT,
        embedded: bool = False,
    ) -> Answer:
        """What the memory answers to a question, as things stand or as they stood at `as_of`; each sentence cites.

        The model of the lead role writes it, unless there is none or it shall be `embedded`. What is cited counts as
        used. Raises UsageError for a question without a word, and RunFailed when a model gave no answer.
        """
        return self._rooms.memory.enter(lambda: self._ask(question, as_of, history, limit, embedded))

    def _ask(
        self, question: str, as_of: datetime | None, history: Sequence[Exchange], limit: int, embedded: bool
    ) -> Answer:
        rooms = self._rooms
        with span(rooms.tracing, "lerim.ask") as mark:
            writer = None if embedded else self._writer(as_of)
            found = answer(
                question,
                rooms.memory,
                rooms.search,
                now=rooms.clock(),
                as_of=as_of,
                history=history,
                writer=writer,
                limit=limit,
            )
            mark.set(supported=found.supported, cited=len(found.sources))
        if as_of is None and found.used:
            # What is asked for does not fade.
            rooms.memory.touch(found.used)
        return found

    def _writer(self, as_of: datetime | None) -> Writer | None:
        """The model that leads, as a writer of answers; None when none does, or there is nothing to answer from."""
        places = self._rooms.memory.places()
        if self._models.is_embedded("lead") or not places:
            return None
        from lerim.runtime.answering import LeadWriter  # Start-up: the framework takes a second to load.

        kept = tuple((place, Holdings(place)) for place in places)
        memory = places[0].folder.root
        roots = self._roots(memory, memory.parent / "workspace", None, [holdings for _, holdings in kept[1:]])
        # The files are as they are now: who asks for the past is answered from what was retrieved alone.
        tools = () if as_of else READ_TOOLS if self._single_tools is None else tuple(self._single_tools)
        return LeadWriter(self._rooms, kept, roots, tools)

    @property
    def _models(self) -> Models:
        return self._rooms.models

    def _roots(
        self,
        memory: Path,
        workspace: Path,
        run: Run | None,
        others: Sequence[Holdings] = (),
        extra: Sequence[Path] = (),
    ) -> Roots:
        reads = (*(holdings.root for holdings in others), *extra, *self._reads)
        folder = run.folder if run else None
        return Roots(memory.resolve(), workspace, folder, self._rooms.home / "cache", reads, self._cwd)


def _with_lead(models: Models, model: str | None, provider: str | None, timeout: int | None) -> Models:
    lead = models.role("lead")
    try:
        lead = replace(lead, provider=Provider(provider)) if provider is not None else lead
    except ValueError:
        raise UsageError(f"'{provider}' is no provider", hint=f"one of {', '.join(Provider)}") from None
    lead = replace(lead, model=model) if model is not None else lead
    lead = replace(lead, timeout_seconds=timeout) if timeout is not None else lead
    changed = copy(models)
    changed.roles = replace(models.roles, lead=lead)
    return changed
