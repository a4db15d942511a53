"""`lerim sync` with configured models, over real sockets: a server plays every role, well or badly."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import main
from lerim.context.filters import ANY
from lerim.context.records import Primitive, Record
from lerim.examples import install
from lerim.runtime.runs.artifacts import check_run
from lerim.runtime.runs.folder import RunInfo, RunStatus
from lerim.runtime.wire import AskTask
from lerim.service import Lerim
from lerim.sessions.session import Session

from ..llm import server as replies
from ..samples import sampled_rows

KEY = "key-0123456789-do-not-tell"
CLAUDE, CODEX = "3f0a6c1e", "019e8f41"
ROLES = ("lead", "explorer", "extract", "summarize")
ASKED = ROLES[:3]
#: What the user says in the two sessions, word by word, and the memory that a good model makes of it.
STATEMENTS = {
    "Let's use Celery with Redis then, because we need retries": "Use Celery with Redis because we need retries",
    "invariants like this belong into the database as constraints": "Invariants belong into the database",
}

Turn = Callable[[dict[str, Any]], Any]


@dataclass
class Player:
    """The server's script: an answer for each request, by the role that asks. `bad` replaces what a role would do."""

    server: Any
    bad: dict[str, Turn] = field(default_factory=dict)
    #: What the server says each request took to read.
    tokens: int = 100
    #: Who asked, in order.
    asked: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return True

    def pop(self, _: int) -> Any:
        request = self.server.seen[-1].json
        part = _part(request)
        self.asked.append(part)
        return self._billed(self.bad.get(part, PARTS[part])(request))

    def _billed(self, reply: Any) -> Any:
        body = json.loads(reply.body)
        if "usage" not in body:
            return reply
        usage = {"prompt_tokens": self.tokens, "completion_tokens": 20, "total_tokens": self.tokens + 20}
        return replace(reply, body=json.dumps({**body, "usage": usage}).encode())


def _part(request: dict[str, Any]) -> str:
    """Which part is to be played, by the tools at hand."""
    tools = {tool["function"]["name"]: tool["function"] for tool in request.get("tools", ())}
    if "extract_pipeline" in tools:
        return "lead"
    if "grep" in tools:
        return "explorer"
    return "reader"


def lead(request: dict[str, Any]) -> Any:
    """What the instructions say: both pipelines, a search for each candidate, its memory, the account, a last word."""
    candidates = _candidates(request)
    written = _results(request, "write_memory")
    if candidates is None:
        return replies.tool_calls(("extract_pipeline", {}), ("summarize_pipeline", {}))
    if candidates and not _results(request, "explore"):
        return replies.tool_calls(*(("explore", {"query": c["title"], "candidate": c["id"]}) for c in candidates))
    if len(written) < len(candidates):
        return replies.tool_calls(*(("write_memory", _memory(candidate)) for candidate in candidates))
    if not _results(request, "write"):
        return replies.tool_calls(("write", {"file_path": "memory_actions.json", "content": _account(candidates)}))
    return replies.text("One session is taken in.")


def _memory(candidate: dict[str, Any]) -> dict[str, Any]:
    taken = {name: candidate[name] for name in ("primitive", "title", "body", "confidence", "tags")}
    return {**taken, "kind": candidate.get("kind"), "candidate": candidate["id"]}


def _account(candidates: list[dict[str, Any]]) -> str:
    return json.dumps({"actions": [{"candidate": c["id"], "action": "add", "reason": "new"} for c in candidates]})


def _candidates(request: dict[str, Any]) -> list[dict[str, Any]] | None:
    found = _results(request, "extract_pipeline")
    return json.loads(found[-1])["candidates"] if found else None


def _results(request: dict[str, Any], tool: str) -> list[str]:
    """What a tool returned so far; what it refused does not count."""
    names: dict[str, str] = {}
    found = []
    for message in request["messages"]:
        # The server counts its calls again in each turn.
        names |= {call["id"]: call["function"]["name"] for call in message.get("tool_calls") or ()}
        if message["role"] == "tool" and names[message["tool_call_id"]] == tool:
            found.append(message["content"])
    return [text for text in found if "Fix the errors and try again" not in text]


def explorer(request: dict[str, Any]) -> Any:
    """Looks with grep, then says that nothing bears on it."""
    if not _results(request, "grep"):
        return replies.tool_calls(("grep", {"pattern": "Celery"}))
    return replies.tool_calls(("final_result", {"evidence": []}))


def reader(request: dict[str, Any]) -> Any:
    """Points at what the user said by its number, and tells the story."""
    found = []
    for line in _text(request).splitlines():
        unit = re.match(r"U\d+", line)
        for words in [words for words in STATEMENTS if unit and words in line]:
            found.append(memory(unit[0], STATEMENTS[words]))  # type: ignore[index]
    return replies.text(json.dumps({"memories": found, "summary": story(request)}))


def memory(unit: str, title: str) -> dict[str, Any]:
    said = {"type": "decision", "importance": "must", "title": title, "body": f"{title}.", "known": ""}
    return {"units": [unit], "main": unit, **said}


def story(request: dict[str, Any]) -> dict[str, Any]:
    title = "Confirmation mails" if "Celery" in _text(request) else "Double booking"
    return {"title": title, "description": f"{title}.", "body": f"{title} were asked for.", "tags": []}


def _text(request: dict[str, Any]) -> str:
    return str(next(m["content"] for m in request["messages"] if m["role"] == "user"))


#: Whose part each is.
ROLE_OF = {"lead": "lead", "explorer": "explorer", "reader": "extract"}
PARTS: dict[str, Turn] = {"lead": lead, "explorer": explorer, "reader": reader}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Room:
    """A home with the first Claude and the first Codex session, and every role played by the server."""

    def __init__(self, folder: Path, server: Any, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.project, self.server = folder, folder / "berths", server
        self.player = Player(server)
        server.script = self.player
        self.env = {"HOME": str(folder), "LERIM_HOME": str(folder / ".lerim")}
        self._capsys = capsys
        self.project.mkdir()
        install(folder, self.project, datetime.now(UTC))
        for path in (p for name in (".claude", ".codex", ".gemini", ".pi") for p in (folder / name).rglob("*.json*")):
            if not any(name in path.name for name in (CLAUDE, CODEX)):
                path.unlink()

    def configure(self, more: str = "", **role: str) -> None:
        """Every role asks the server; `more` is further settings, `role` further keys of each."""
        keys = "".join(f"{name} = {value}\n" for name, value in role.items())
        each = f'provider = "openai_compatible"\nmodel = "first"\nbase_url = "{self.server.url}"\n{keys}'
        text = "".join(f"[roles.{name}]\n{each}" for name in ROLES)
        (self.folder / ".lerim" / "config.toml").write_text(text + more)

    def type(self, *argv: str) -> Done:
        self._capsys.readouterr()
        code = main(argv)
        printed = self._capsys.readouterr()
        return Done(code, printed.out, printed.err)

    def ok(self, *argv: str) -> Done:
        done = self.type(*argv)
        assert 0 == done.code, done.out + done.err
        return done

    def records(self) -> list[Record]:
        with Lerim(self.project, env=self.env) as lerim:
            return [kept.record for kept in lerim.memory.select(ANY)]

    def learned(self) -> set[str]:
        return {record.title for record in self.records() if record.primitive is not Primitive.SUMMARY}

    def sessions(self) -> list[Session]:
        with Lerim(self.project, env=self.env) as lerim:
            return lerim.sessions.queue.list()

    def states(self) -> list[tuple[str, int]]:
        return [(str(session.state), session.attempts) for session in self.sessions()]

    def runs(self) -> list[RunInfo]:
        with Lerim(self.project, env=self.env) as lerim:
            return lerim.runs.list()


@pytest.fixture
def room(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    for name in ("LERIM_CONFIG", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "ZAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", KEY)
    with replies.ModelServer() as server:
        room = Room(tmp_path.resolve(), server, capsys)
        for name, value in room.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(room.project)
        room.ok("init", "--no-sync")
        room.configure("[budget]\ninput_usd_per_million = 10\noutput_usd_per_million = 50\n")
        yield room


# --- a model that does its work ---------------------------------------------------------------------------------------


def test_a_model_takes_in_sessions_with_verified_evidence(room):
    """Every role is asked, the memories are what the user said, and each cites the very line."""
    done = room.ok("sync")

    assert set(PARTS) == set(room.player.asked)
    assert "2 sessions" in done.out
    assert set(STATEMENTS.values()) == room.learned()
    quotes = [e.quote for record in room.records() for e in record.evidence]
    assert all(any(words in quote for quote in quotes) for words in STATEMENTS)
    assert 2 == sum(record.primitive is Primitive.SUMMARY for record in room.records())
    room.ok("memory", "check")
    room.ok("audit")


def test_what_models_used_is_in_the_artifacts_and_in_the_bill(room):
    """Tokens and dollars of each run add up to what `lerim cost` says; the sum is on the last line."""
    done = room.ok("sync")

    runs = room.runs()
    requests = len(room.player.asked)
    assert [RunStatus.DONE] * 2 == [run.status for run in runs]
    assert [] == [problem for run in runs for problem in check_run(run.folder)]
    assert {("openai_compatible", "first", "model")} == {(run.provider, run.model, run.engine) for run in runs}
    assert (100 * requests, 20 * requests) == (sum(r.input_tokens for r in runs), sum(r.output_tokens for r in runs))
    bill = room.ok("cost", "--by", "run", "--json").json
    assert requests == bill["total"]["calls"]
    assert {run.id for run in runs} == {line["run"] for line in bill["lines"]}
    assert bill["total"]["cost_usd"] == pytest.approx(sum(run.cost_usd or 0 for run in runs))
    assert f"${bill['total']['cost_usd']:.4f}" in done.out


@pytest.mark.drill
def test_every_agent_leaves_spans_below_its_run(room, monkeypatch):
    """The lead, the explorer and each step of extraction; a question and a second opinion, too."""
    monkeypatch.setenv("LERIM_TRACING", "1")

    room.ok("sync", "--limit", "1")
    room.server.script = [answered()]
    room.ok("ask", "what do we use for mails?")
    room.ok("ask", "what do we use for mails?", "--embedded")

    spans = [
        json.loads(line)
        for file in (room.folder / ".lerim/traces").glob("otel-*.jsonl")
        for line in file.read_text().splitlines()
    ]
    runs = {span["name"]: span for span in spans if span["parent_id"] is None}
    agents = {span["name"] for span in spans if span["trace_id"] == runs["lerim.sync"]["trace_id"]}
    steps = ("lerim-sync", "lerim-explorer", "lerim-reader")
    assert {"lerim.sync", "lerim.ask"} == set(runs)
    assert {f"invoke_agent {name}" for name in steps} == {name for name in agents if name.startswith("invoke")}
    assert {"chat first", "execute_tool explore"} < agents
    assert (True, 1) == ("/" in runs["lerim.sync"]["attributes"]["lerim.session"], _added(runs["lerim.sync"]))
    assert 2 == sum(span["name"] == "lerim.ask" for span in spans)
    assert "invoke_agent lerim-ask" in {span["name"] for span in spans}


def _added(run: dict[str, Any]) -> int:
    return int(run["attributes"]["lerim.added"])


@pytest.mark.drill
def test_artifacts_name_the_prompts_that_models_were_sent(room):
    """Each with its hash; nothing had to be merged, and the prompt for it is not among them."""
    room.ok("sync", "--limit", "1")

    (run,) = room.runs()
    sent = {prompt["name"] for prompt in json.loads((run.folder / "memory_actions.json").read_text())["prompts"]}
    asked = ("reader",)
    lead = {f"runtime/{name}.md" for name in ("agent", "sync", "explorer")}
    assert {*lead, *(f"ingest/{name}.md" for name in asked)} == sent


def test_a_second_sync_asks_no_model(room):
    """Nothing is new, so nothing is paid for."""
    room.ok("sync")
    asked = len(room.player.asked)

    assert "no new sessions" in room.ok("sync").out
    assert asked == len(room.player.asked)


def test_a_dry_run_asks_nobody_and_says_what_it_would_cost(room):
    """Of every role, with dollars from the configured prices; nothing is kept of it."""
    before = set((room.project / ".lerim").rglob("*"))

    done = room.ok("sync", "--dry-run")
    plan = room.ok("sync", "--dry-run", "--json").json

    assert [] == room.player.asked
    assert set(ROLES) == set(plan["estimates"])
    for estimate in (plan["estimates"][role] for role in ASKED):
        assert estimate["tokens"] == estimate["input_tokens"] + estimate["output_tokens"] > 0
        cost = estimate["input_tokens"] * 10 + estimate["output_tokens"] * 50
        assert estimate["usd"] == pytest.approx(cost / 1e6)
    assert "tokens read" in done.out
    assert [] == room.records()
    assert before == set((room.project / ".lerim").rglob("*"))
    assert 0 == room.ok("cost", "--json").json["total"]["calls"]


@pytest.mark.drill
def test_what_a_dry_run_says_is_what_is_asked_then(room):
    """Role by role, within 30 percent of what the server counts when the sync is done in earnest."""
    plan = room.ok("sync", "--dry-run", "--json").json["estimates"]

    room.ok("sync")

    counted: Counter[str] = Counter()
    requests: Counter[str] = Counter()
    for seen in room.server.seen:
        role = ROLE_OF[_part(seen.json)]
        counted[role] += len(json.dumps([seen.json["messages"], seen.json.get("tools")])) // 4
        requests[role] += 1
    # The summary comes with the memories when one model does both.
    assert 0 == plan["summarize"]["requests"]
    ratios = {role: plan[role]["input_tokens"] / counted[role] for role in ASKED}
    # How many searches there are depends on what a model keeps, which nobody knows before: what each takes is known.
    ratios["explorer"] *= requests["explorer"] / plan["explorer"]["requests"]
    assert dict.fromkeys(ASKED, True) == {role: 0.7 <= ratio <= 1.3 for role, ratio in ratios.items()}, ratios
    total = sum(plan[role]["input_tokens"] for role in ROLES) / counted.total()
    assert 0.7 <= total <= 1.3, total


# --- a model that cannot be asked -------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["lead", pytest.param("reader", marks=pytest.mark.drill)])
def test_a_refused_key_costs_no_session_an_attempt(room, part):
    """The work ends with the variable to set; both sessions wait as before, and a good key takes them in."""
    room.player.bad[part] = lambda request: replies.failure(401, f"bad key {KEY}")

    done = room.type("sync")

    assert 1 == done.code
    assert "refused the key in OPENAI_COMPATIBLE_API_KEY" in done.err
    assert "try: set OPENAI_COMPATIBLE_API_KEY to a valid key" in done.err
    assert KEY not in done.out + done.err
    assert [("pending", 0)] * 2 == room.states()
    assert [] == room.records()
    assert [RunStatus.FAILED] == [run.status for run in room.runs()]
    room.player.bad.clear()
    room.ok("sync")
    assert set(STATEMENTS.values()) == room.learned()


@pytest.mark.drill
def test_the_explorers_refused_key_counts_as_well(room):
    """The explorer is asked from within a tool; its trouble is everybody's, too."""
    room.player.bad["explorer"] = lambda request: replies.failure(401, "bad key")

    done = room.type("sync")

    assert 1 == done.code
    assert "refused the key" in done.err
    assert [("pending", 0)] * 2 == room.states()


def test_a_missing_key_costs_no_session_an_attempt(room):
    """A provider that needs one is not even asked."""
    (room.folder / ".lerim" / "config.toml").write_text('[roles.extract]\nprovider = "openai"\nmodel = "m"\n')

    done = room.type("sync")

    assert 1 == done.code
    assert "OPENAI_API_KEY is not set" in done.err
    assert "try: set OPENAI_API_KEY in the environment" in done.err
    assert [("pending", 0)] * 2 == room.states()


def test_a_model_that_fails_is_replaced_by_its_fallback(room):
    """Every request of the first fails; the second does the work, and the bill knows both."""
    room.configure("[budget]\ninput_usd_per_million = 10\n", fallback_models='["second"]')
    good = dict(PARTS)

    def flaky(part: str) -> Turn:
        down = replies.failure(500, "down", retry_after="0")
        return lambda request: down if request["model"] == "first" else good[part](request)

    room.player.bad = {part: flaky(part) for part in PARTS}

    room.ok("sync")

    assert set(STATEMENTS.values()) == room.learned()
    asked = Counter(room.server.models)
    assert asked["first"] == 3 * asked["second"]
    bill = room.ok("cost", "--by", "model", "--json").json
    assert ["openai_compatible second"] == [line["model"] for line in bill["lines"]]


@pytest.mark.drill
def test_a_provider_that_is_down_stops_the_work_after_a_few(room):
    """What failed waits for its next attempt with the reason; nothing is written."""
    for part in PARTS:
        room.player.bad[part] = lambda request: replies.failure(503, "down", retry_after="0")

    done = room.type("sync")

    assert 1 == done.code
    assert "lerim models check" in done.err
    assert [("failed", 1)] * 2 == room.states()
    assert all("first answered with an error (503): down" in str(session.reason) for session in room.sessions())
    assert [] == room.records()


# --- budgets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked", [pytest.param(1, marks=pytest.mark.drill), 4, pytest.param(7, marks=pytest.mark.drill)]
)
def test_what_was_paid_before_a_budget_ended_the_run_is_not_paid_again(room, asked):
    """Wherever it ended: with a larger budget the run goes on where it was, and each thing is asked once."""
    room.player.tokens = 8000
    room.configure(f"[budget]\nrun_tokens = {8020 * asked + 100}\n")
    assert 1 == room.type("sync", "--limit", "1").code
    before = len(room.player.asked)

    room.configure("[budget]\nrun_tokens = 1000000\n")
    room.ok("sync", "--limit", "1")

    assert 0 < before <= asked
    assert Counter(lead=5, explorer=2, reader=1) == Counter(room.player.asked)
    assert 1 == len(room.learned())
    room.ok("memory", "check")


@pytest.mark.parametrize("which", ["run_tokens", pytest.param("day_tokens", marks=pytest.mark.drill)])
def test_a_budget_reached_in_the_middle_writes_nothing(room, which):
    """The session goes back to the queue, the next step is named, and with a larger budget it is ingested."""
    room.configure(f"[budget]\n{which} = 15000\n")
    room.player.tokens = 8000

    done = room.type("sync")

    assert 1 == done.code
    assert f"budget.{which} is 15,000" in done.err
    assert "raise the budget" in done.err
    assert 2 == len(room.player.asked)
    assert [("pending", 0)] * 2 == room.states()
    assert [] == room.records()
    (run,) = room.runs()
    assert (RunStatus.FAILED, True) == (run.status, f"budget.{which}" in str(run.error))
    room.configure(f"[budget]\n{which} = 1000000\n")
    room.ok("sync")
    assert set(STATEMENTS.values()) == room.learned()


@pytest.mark.drill
def test_a_budget_reached_is_one_json_document(room):
    """What was done before it, and why it ended."""
    room.configure("[budget]\nday_tokens = 15000\n")
    room.player.tokens = 8000

    done = room.type("sync", "--json")

    assert 1 == done.code
    assert [] == done.json["sessions"]
    assert "budget.day_tokens" in done.json["error"]
    assert 2 == done.json["waiting"]


@pytest.mark.drill
def test_an_answer_that_exceeds_the_budget_by_itself_ends_the_work_alike(room):
    """What an answer takes is known only afterwards; nothing further is asked, and no attempt is counted."""
    room.configure("[budget]\nrun_tokens = 15000\n")
    room.player.tokens = 20_000

    done = room.type("sync")

    assert 1 == done.code, done.out + done.err
    assert "budget" in done.err
    assert 1 == len(room.player.asked)
    assert [("pending", 0)] * 2 == room.states()


# --- a model that does not do its work --------------------------------------------------------------------------------


def broken_arguments(request: dict[str, Any]) -> Any:
    """A tool call whose arguments are no JSON."""
    reply = replies.tool_calls(("extract_pipeline", {}))
    body = json.loads(reply.body)
    body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = '{"guidance": "half of'
    return replies.Reply(body=json.dumps(body).encode())


@pytest.mark.parametrize(
    ("part", "turn"),
    sampled_rows(
        [
            ("lead", broken_arguments),
            ("lead", lambda request: replies.text("All done, nothing to see here.")),
            ("lead", lambda request: replies.tool_calls(("no_such_tool", {}))),
            ("lead", lambda request: replies.tool_calls(("write_memory", {"primitive": "decision", "title": 3}))),
            ("reader", lambda request: replies.text('{"memories": [{"units": ["U1"]}]}')),
            ("reader", lambda request: replies.text("I would rather not.")),
        ],
        4,
    ),
    ids=["broken arguments", "empty words", "unknown tool", "wrong types", "wrong shape", "prose"],
)
def test_a_model_that_plays_badly_writes_nothing(room, part, turn):
    """Its sessions fail with a reason, their runs say so, and everything is paid for that was asked."""
    room.player.bad[part] = turn

    done = room.type("sync")

    assert 3 == done.code, done.out + done.err
    assert [("failed", 1)] * 2 == room.states()
    assert [] == room.records()
    runs = room.runs()
    assert [RunStatus.FAILED] * 2 == [run.status for run in runs]
    assert all(run.error for run in runs)
    assert len(room.player.asked) == room.ok("cost", "--json").json["total"]["calls"]


def test_invented_quotes_plant_nothing(room):
    """A memory that points at nothing is rejected; the session is done with its summary alone."""

    def invented(request: dict[str, Any]) -> Any:
        found = memory("U99", "We always deploy with certificate checks disabled")
        return replies.text(json.dumps({"memories": [found], "summary": story(request)}))

    room.player.bad["reader"] = invented

    room.ok("sync")

    assert set() == room.learned()
    assert 2 == len(room.records())
    assert [("done", 0)] * 2 == room.states()
    for run in room.runs():
        assert json.loads((run.folder / "extract.json").read_text())["rejected"]


def test_a_lead_that_makes_up_a_memory_is_refused(room):
    """Words that no candidate supports do not get in; who insists beyond the candidate's own words fails."""

    def inventing(request: dict[str, Any]) -> Any:
        candidates = _candidates(request)
        if candidates and _results(request, "explore"):
            planted = {**_memory(candidates[0]), "title": "Disable certificate checks", "body": "Everywhere, always."}
            return replies.tool_calls(("write_memory", planted))
        return lead(request)

    room.player.bad["lead"] = inventing

    done = room.type("sync")

    assert 3 == done.code
    assert [] == room.records()
    assert all("is staged already" in str(run.error) for run in room.runs())


@pytest.mark.drill
def test_one_bad_session_lets_the_other_pass(room):
    """Exit code 3; the good one is in, the bad one waits."""

    def picky(request: dict[str, Any]) -> Any:
        return replies.text("no") if "Celery" in _text(request) else reader(request)

    room.player.bad["reader"] = picky

    done = room.type("sync")

    assert 3 == done.code
    assert Counter({("failed", 1): 1, ("done", 0): 1}) == Counter(room.states())
    assert {"Invariants belong into the database"} == room.learned()
    assert Counter({RunStatus.FAILED: 1, RunStatus.DONE: 1}) == Counter(run.status for run in room.runs())


# --- questions --------------------------------------------------------------------------------------------------------


def answered(*sentences: tuple[str, str]) -> Any:
    written = [{"text": text, "ids": [record_id]} for text, record_id in sentences]
    return replies.tool_calls(("final_result", {"sentences": written}))


@pytest.fixture
def celery(room: Room) -> str:
    """A memory to ask for; its id."""
    done = room.ok("memory", "add", "--primitive", "decision", "--title", "Use Celery with Redis for mails", "--json")
    return str(done.json["id"])


def test_a_question_is_answered_by_the_lead_with_its_tools(room: Room, celery: str) -> None:
    """It looks, it answers, it is billed: as the lead, on the account of the question."""
    turns = [replies.tool_calls(("grep", {"pattern": "Celery"})), answered(("Mails use Celery with Redis.", celery))]
    room.server.script = list(turns)

    done = room.ok("ask", "what do we use for mails?")

    assert f"Mails use Celery with Redis [{celery}]." in done.out
    tools = {tool["function"]["name"] for tool in room.server.seen[-1].json["tools"]}
    assert {"read", "grep", "glob", "explore", "final_result"} == tools
    assert celery in str(room.server.seen[-1].json["messages"])
    (line,) = room.ok("cost", "--by", "run", "--json").json["lines"]
    assert (True, 2) == (line["run"].startswith("ask-"), line["calls"])
    (line,) = room.ok("cost", "--by", "role", "--json").json["lines"]
    assert "lead" == line["role"]


def test_an_invented_sentence_with_a_real_id_is_not_printed(room: Room, celery: str) -> None:
    """However often the model says it: the memory answers in its own words; `--explain` tells what was left out."""
    room.server.script = [answered(("Mails are sent by SendGrid.", celery))] * 4

    done = room.ok("ask", "what do we use for mails?", "--explain")

    first, *explained = done.out.splitlines()
    assert f"Use Celery with Redis for mails [{celery}]." == first
    assert any("left out: Mails are sent by SendGrid." in line for line in explained)


@pytest.mark.drill
def test_a_conversation_and_exact_questions_work_with_a_model(
    room: Room, celery: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A follow-up reaches the model as it is understood; a count reaches it not at all."""
    room.server.script = [answered(("Use Celery with Redis.", celery)), answered(("Use Celery with Redis.", celery))]
    monkeypatch.setattr("sys.stdin", io.StringIO("and why?\nhow many decisions do we have?\n"))

    done = room.ok("chat", "what do we use for mails?")

    assert "1 decision [" in done.out
    assert ["what do we use for mails?", "why: Use Celery with Redis for mails?"] == [
        AskTask.read(_text(seen.json)).question for seen in room.server.seen
    ]


def test_a_question_that_a_model_cannot_answer_says_what_to_do(room: Room, celery: str) -> None:
    """The key is refused: the variable to set; nothing is made up instead."""
    room.server.script = [replies.failure(401, f"bad key {KEY}")] * 4

    done = room.type("ask", "what do we use for mails?")

    assert 1 == done.code
    assert "refused the key in OPENAI_COMPATIBLE_API_KEY" in done.err
    assert "try: set OPENAI_COMPATIBLE_API_KEY to a valid key" in done.err
    assert "Celery with Redis" in room.ok("ask", "what do we use for mails?", "--embedded").out
