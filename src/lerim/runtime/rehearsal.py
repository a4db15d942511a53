"""What a run would ask its models: the run itself, with stand-ins that count what they are sent and send nothing.

Every prompt is built by the code that builds it in earnest, over the session as it is now. A stand-in answers as a
sensible model would: the lead as the embedded policy decides, the readers with what the embedded engine finds. Nothing
is written: the run stops before its commit, and its folder is a temporary one.

Loads pydantic-ai: only who estimates a run with models imports this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.settings import ModelSettings

from lerim.config.settings import EngineChoice
from lerim.errors import LerimError, SourceError
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Digest
from lerim.ingest.prompts import prompt_text
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.summarize import summarize
from lerim.ingest.transcript import Transcript
from lerim.llm import Models, Spending
from lerim.llm.models import RoleName
from lerim.llm.prices import tokens_of
from lerim.llm.requests import request_tokens, response_tokens
from lerim.runtime.agent import LeadAgent
from lerim.runtime.policy_model import LeadPolicy, history_of
from lerim.runtime.rooms import Rooms
from lerim.sessions.room import Sessions
from lerim.sessions.session import Session

#: Steps that a model takes to read a session by writing code, and tokens of the code and its output in each.
_STEPS, _STEP_TOKENS = 6, 1_000
#: Sessions that are read to tell what all would use.
SAMPLE = 24
#: Rehearses an archived session of a project, with a folder for the run.
RehearsedIn = Callable[[str, Path, Path], Mapping[RoleName, "RoleForecast"]]
#: Builds the rooms of a run from its models and from what is called before its commit.
RoomsFor = Callable[[Models, Callable[[], None]], Rooms]


@dataclass(frozen=True)
class RoleForecast:
    """What one role would be asked and would answer."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: RoleForecast) -> RoleForecast:
        tokens = self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        return RoleForecast(self.requests + other.requests, *tokens)

    def times(self, factor: float) -> RoleForecast:
        counts = self.requests, self.input_tokens, self.output_tokens
        return RoleForecast(*(round(count * factor) for count in counts))


def rehearse(
    models: Models, rooms_for: RoomsFor, engine: EngineChoice, trace: Path, memory: Path, workspace: Path
) -> Mapping[RoleName, RoleForecast]:
    """What each role would be asked about an archived session. `workspace` is the caller's, to throw away."""
    standing = StandIns(models, Transcript.read(trace))

    def stop() -> None:
        raise LerimError("a rehearsal writes nothing")

    rooms = rooms_for(standing, stop)
    if engine is EngineChoice.RLM:
        standing.read_with_code()
        rooms = replace(rooms, engine=lambda spending: EmbeddedEngine())
    # It ends with an error in any case. What was asked until then is what there is to tell.
    with suppress(LerimError):
        LeadAgent(rooms=rooms).sync(trace, memory, workspace)
    return standing.tally


def forecast(sessions: Sessions, due: Sequence[Session], rehearsed: RehearsedIn) -> Mapping[RoleName, RoleForecast]:
    """What each role would be asked about all that is due. Of many sessions a sample is read; it stands for the others
    by their size."""
    total: dict[RoleName, RoleForecast] = {}
    sample = due[:: -(-len(due) // SAMPLE) or 1]
    for session in sample:
        with TemporaryDirectory(prefix="lerim-forecast-") as folder:
            for role, one in _session_forecast(sessions, session, Path(folder), rehearsed).items():
                total[role] = total.get(role, RoleForecast()) + one
    read, all_of_it = (sum(session.size or 0 for session in some) for some in (sample, due))
    return {role: one.times(all_of_it / read if read else 1.0) for role, one in total.items()}


def _session_forecast(
    sessions: Sessions, session: Session, folder: Path, rehearsed: RehearsedIn
) -> Mapping[RoleName, RoleForecast]:
    """What a session would ask; nothing of one that cannot be read or in which the user said nothing."""
    try:
        archived = sessions.read_into(session, folder / "trace.jsonl")
    except SourceError:
        return {}
    if session.project_id is None or not archived.facts.turns:
        return {}
    return rehearsed(session.project_id, archived.path, folder / "workspace")


class StandIns(Models):
    """The configured models, each role played by a stand-in that counts."""

    def __init__(self, models: Models, transcript: Transcript) -> None:
        super().__init__(models.roles, models.books.budget, {}, models.books.ledger)
        self._transcript = transcript
        self.tally: dict[RoleName, RoleForecast] = {}

    def model(self, role: RoleName, spending: Spending) -> Model:
        answer = {"lead": self._as_lead, "explorer": self._as_explorer}.get(role, self._as_reader)
        return _StandIn(role, answer, self.count)

    def count(self, role: RoleName, one: RoleForecast) -> None:
        self.tally[role] = self.tally.get(role, RoleForecast()) + one

    def read_with_code(self) -> None:
        """The engine rlm needs a sandbox to rehearse in: its steps are counted as they usually are."""
        roles: tuple[tuple[RoleName, str], ...] = (("extract", "rlm"), ("summarize", "rlm_summarize"))
        for role, prompt in roles:
            told = tokens_of(len(prompt_text(prompt))) + _STEP_TOKENS
            asked = sum(told + step * _STEP_TOKENS for step in range(_STEPS))
            if not self.is_embedded(role):
                self.count(role, RoleForecast(_STEPS, asked, _STEPS * _STEP_TOKENS // 2))

    # How each role answers

    def _as_lead(self, messages: list[ModelMessage], asked: ModelRequestParameters) -> list[ModelResponsePart]:
        return list(LeadPolicy().turn(history_of(messages)))

    def _as_explorer(self, messages: list[ModelMessage], asked: ModelRequestParameters) -> list[ModelResponsePart]:
        if len(messages) == 1:
            return [ToolCallPart("grep", {"pattern": "the words that matter|other words for it"})]
        return [_final(asked, {"evidence": []})]

    def _as_reader(self, messages: list[ModelMessage], asked: ModelRequestParameters) -> list[ModelResponsePart]:
        memories = [_memory(candidate) for candidate in self._candidates]
        story = self._digest
        told = {"title": story.title, "description": story.description, "body": story.body, "tags": list(story.tags)}
        return [_final(asked, {"memories": memories, "summary": told})]

    @cached_property
    def _candidates(self) -> list[Candidate]:
        return list(extract(self._transcript, EmbeddedEngine()).candidates)

    @cached_property
    def _digest(self) -> Digest:
        return summarize(self._transcript, EmbeddedEngine())


Answer = Callable[[list[ModelMessage], ModelRequestParameters], list[ModelResponsePart]]


class _StandIn(Model):
    """Answers like a model and counts what a model would have read and said."""

    def __init__(self, role: RoleName, answer: Answer, count: Callable[[RoleName, RoleForecast], None]) -> None:
        super().__init__()
        self._role = role
        self._answer = answer
        self._count = count

    @property
    def model_name(self) -> str:
        return "rehearsal"

    @property
    def system(self) -> str:
        return "rehearsal"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        response = await self._response(messages, model_settings, model_request_parameters)
        tokens = request_tokens(messages, model_request_parameters), response_tokens(response)
        self._count(self._role, RoleForecast(1, *tokens))
        return response

    async def _response(
        self, messages: list[ModelMessage], settings: ModelSettings | None, asked: ModelRequestParameters
    ) -> ModelResponse:
        try:
            return ModelResponse(parts=self._answer(messages, asked), model_name=self.model_name)
        except (KeyError, IndexError, ValueError):
            # A question of a shape that is not known here: something of that shape.
            return await TestModel(call_tools=[]).request(messages, settings, asked)


def _final(asked: ModelRequestParameters, answer: dict[str, Any]) -> ToolCallPart:
    return ToolCallPart(asked.output_tools[0].name, answer)


def _memory(candidate: Candidate) -> dict[str, Any]:
    """A memory of this length. A stand-in does not know the numbers of units; the first of each will do."""
    return {
        "units": ["U1"],
        "main": "U1",
        "from": [1],
        "type": candidate.kind or candidate.primitive,
        "importance": "should",
        "title": candidate.title[:200],
        "body": candidate.body[:600],
        "known": "",
    }
