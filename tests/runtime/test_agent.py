"""The lead agent, embedded and scripted, on a real project: what a run reads, decides, writes and leaves behind."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from lerim.agent import LerimAgent
from lerim.config.settings import EngineChoice
from lerim.context.filters import ANY
from lerim.context.place import Kept
from lerim.context.records import Evidence, Primitive, Status, Trust
from lerim.context.review.room import Review
from lerim.errors import BudgetReached, Conflict, NotFound, RunFailed, SourceError, UsageError
from lerim.ingest.choice import engine_for
from lerim.ingest.findings import Candidate, Digest, Quote
from lerim.runtime.prompts import explorer_prompt, lead_prompts
from lerim.runtime.runs.artifacts import check_run
from lerim.sources.trace import Assistant, Header, User

BOTH = {"Use JWT bearer tokens for the API": "active", "Put pytest fixtures into conftest.py": "active"}


def candidate(text, **fields):
    """A candidate that says what the user says in its session."""
    fields = {"primitive": Primitive.DECISION, **fields}
    return Candidate("c1", title=text.split(". ")[0].rstrip("."), body=text, quotes=(Quote(2, 2, text),), **fields)


def session(stage, text, run_id="s-2", **fields):
    """A session in which the user says one thing, and an engine that found it."""
    stage.engine.candidates = (candidate(text, **fields),)
    return stage.trace([User(text=text), Assistant(text="I see.")], Header(agent="claude", run_id=run_id))


# --- sync -------------------------------------------------------------------------------------------------------------


def test_a_session_is_taken_in(stage):
    """Its memories are written with the words they rest on, and its summary; in one change that names the run."""
    result = stage.agent().sync(stage.trace())

    with stage.place.store.read() as snapshot:
        records = {record.title: record for record in snapshot.select(ANY)}
        changes = snapshot.changes_of_run(result.run_id)
    tokens, summary = records["Use JWT bearer tokens for the API"], records["Tokens and test fixtures"]
    quote = "use JWT bearer tokens for the API, with 15 minutes expiry"
    assert BOTH == stage.titles()
    assert (Evidence("claude", "s-1", 2, 2, quote, Trust.USER),) == tokens.evidence
    assert ("sync", Trust.USER, ("auth",)) == (tokens.source, tokens.trust, tokens.tags)
    assert ("claude", "s-1", "repo") == (summary.coding_agent, summary.run_id, summary.repo_name)
    assert "meta/traces/sessions/claude/s-1.jsonl" == summary.raw_trace_path
    assert ["sync of claude/s-1"] == [change.reason for change in changes]


def test_a_run_leaves_artifacts_and_logs(stage):
    """The folder of the run is whole: every artifact keeps its schema. Without a model, no prompt is sent."""
    result = stage.agent().sync(stage.trace())

    artifacts = stage.artifacts()
    tools = [line["tool"] for line in stage.logs("agent.log") if line["event"] == "tool"]
    assert [] == check_run(Path(result.run_folder))
    assert {"extract.json", "summary.json", "memory_actions.json"} == set(artifacts)
    assert [[]] * 3 == [artifact["prompts"] for artifact in artifacts.values()]
    assert {"requests": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0} == artifacts["extract.json"]["usage"]
    assert {"added": 2, "updated": 0, "unchanged": 0} == result.counts == artifacts["memory_actions.json"]["counts"]
    assert {"extract_pipeline", "summarize_pipeline", "explore", "write_memory", "write"} == set(tools)
    assert ["searched", "searched"] == [line["event"] for line in stage.logs("subagents.log")]
    assert "claude/s-1" == stage.logs("session.log")[0]["session"]


def test_lines_of_a_log_are_dated_to_the_millisecond(stage):
    """Much happens within a second."""
    stage.agent().sync(stage.trace())

    moments = [line["at"] for line in stage.logs("agent.log")]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", at) for at in moments)
    assert {".000Z"} != {at[-5:] for at in moments}


@pytest.mark.parametrize("leads", [True, False])
def test_artifacts_name_the_prompts_that_were_sent(stage, say, tokens, leads):
    """Those of the roles that a model plays, and of the others none."""
    stage.engine.candidates = (tokens,)
    memory = {"primitive": "decision", "title": tokens.title, "body": tokens.body, "candidate": "c1"}
    account = json.dumps({"actions": [{"candidate": "c1", "action": "add", "reason": "new"}]})
    turns = iter(
        [
            [say("extract_pipeline"), say("summarize_pipeline")],
            [say("explore", query=tokens.title, candidate="c1")],
            [say("write_memory", **memory)],
            [say("write", file_path="memory_actions.json", content=account)],
            ["Done."],
        ]
    )

    def explorer(messages, info):
        return [ToolCallPart("final_result", {"evidence": []})]

    stage.agent(**({"lead": lambda *_: next(turns)} if leads else {"explorer": explorer})).sync(stage.trace())

    sent = {prompt["name"]: prompt["sha256"] for prompt in stage.artifacts()["memory_actions.json"]["prompts"]}
    expected = lead_prompts("sync") if leads else (explorer_prompt(),)
    assert {prompt.name: prompt.sha256 for prompt in expected} == sent


def test_a_search_that_finds_nothing_says_so(stage, say, returns):
    """An empty list would reach the model as an empty text."""
    shown = []

    def lead(messages, info):
        shown.append(messages)
        is_first = len(shown) == 1
        return [say("explore", query="kubernetes") if is_first else say("final_result", sentences=[])]

    stage.add("Use JWT bearer tokens")
    stage.agent(lead=lead).ask("What about bearer tokens?")

    (returned,) = returns(shown[1], "explore")
    assert "Nothing in the memory bears on this" in returned.model_response_str()


def test_the_result_is_plain_data(stage):
    """What a library user gets can be written as JSON."""
    payload = stage.agent().sync(stage.trace()).payload()

    assert ("claude/s-1", 0.0) == (payload["session"], payload["cost_usd"])
    assert ["add", "add"] == [written["action"] for written in payload["written"]]
    assert "summaries/20260219/080000/tokens-and-test-fixtures.md" == payload["summary"]["path"]


def test_a_session_that_taught_nothing_leaves_its_summary(stage):
    """Most sessions are like that."""
    stage.engine.candidates = ()

    result = stage.agent().sync(stage.trace())

    assert ({}, ["Tokens and test fixtures"]) == (stage.titles(), [record.title for record in stage.records()])
    assert {"added": 0, "updated": 0, "unchanged": 0} == result.counts


def test_taking_a_session_in_again_changes_nothing(stage):
    """Not a row, not a byte."""
    stage.agent().sync(stage.trace())
    before = stage.everything()

    stage.clock.tick(days=1)
    result = stage.agent().sync(stage.trace())

    assert before == stage.everything()
    assert {"added": 0, "updated": 0, "unchanged": 2} == result.counts


def test_a_session_that_grew_adds_what_is_new(stage, tokens, fixtures):
    """What was known stays as it is; the summary is revised, not duplicated."""
    stage.engine.candidates = (tokens,)
    stage.agent().sync(stage.trace())
    stage.engine.candidates = (tokens, fixtures)
    stage.engine.digest = Digest("Tokens, fixtures and more", "It went on.", "JWT, then fixtures.", ())
    stage.clock.tick()

    result = stage.agent().sync(stage.trace())

    summaries = [record for record in stage.records() if record.primitive is Primitive.SUMMARY]
    assert {"added": 1, "updated": 0, "unchanged": 1} == result.counts
    assert [("Tokens, fixtures and more", 2)] == [(record.title, record.version) for record in summaries]
    assert BOTH == stage.titles()


def test_a_summary_that_a_person_put_right_stays(stage):
    """The session goes on; the person's words are not written over."""
    first = stage.agent().sync(stage.trace())
    file = stage.place.folder.root / first.summary.path
    file.write_text(file.read_text().replace("JWT was chosen", "JWT was chosen by Ada"))
    stage.engine.digest = replace(stage.engine.digest, body="Something else.")

    stage.agent().sync(stage.trace())

    assert "JWT was chosen by Ada" in file.read_text()


def test_what_contradicts_closes_the_old_record(stage):
    """The old one is superseded by the new one and keeps its text."""
    stage.agent().sync(session(stage, "Use Redis for the job queue.", "s-1"))
    stage.clock.tick(days=1)

    result = stage.agent().sync(session(stage, "Use RabbitMQ for the job queue."))

    records = {record.title: record for record in stage.records()}
    old, new = records["Use Redis for the job queue"], records["Use RabbitMQ for the job queue"]
    action = stage.artifacts()["memory_actions.json"]["actions"][0]
    assert {"added": 0, "updated": 1, "unchanged": 0} == result.counts
    assert (Status.SUPERSEDED, new.id, "Use Redis for the job queue.") == (old.status, old.superseded_by, old.body)
    assert ("update", "supersede", [old.id], new.id) == (
        action["action"],
        action["how"],
        action["replaces"],
        action["record"],
    )


#: Sessions of one project, each with the day and what the user said.
_CHOICES = (
    ("s-1", "2026-01-05", "Use npm for packages"),
    ("s-2", "2026-01-20", "Use pnpm for packages"),
    ("s-3", "2026-02-01", "Use yarn for packages"),
    ("s-4", "2026-02-10", "Use pnpm for packages"),
)


def _ingest(stage, name, day, words):
    header = Header(agent="claude", run_id=name, started=f"{day}T08:00:00Z")
    stage.engine.candidates = (Candidate("c1", Primitive.DECISION, words, f"{words}.", (Quote(2, 2, words),)),)
    path = stage.trace((User(text=f"{words}.", at=f"{day}T08:00:05Z"), Assistant(text="Done.")), header)
    return stage.agent().sync(path)


@pytest.mark.parametrize("order", ["0123", "3210", "3021", "1302", "2310", "0312"])
def test_whatever_session_is_read_first_the_last_word_holds(stage, order):
    """Newest first, oldest first or in between: what was said in February overrules what was said in January."""
    for number in map(int, order):
        _ingest(stage, *_CHOICES[number])

    lessons = [record for record in stage.records() if record.primitive is Primitive.DECISION]
    active = [record for record in lessons if record.holds]
    assert ["Use pnpm for packages"] == [record.title for record in active]
    assert "2026-02-10" == f"{active[0].last_said.at:%Y-%m-%d}"
    # Nothing is lost, and each is dated by when it was said.
    assert {"Use npm for packages", "Use pnpm for packages", "Use yarn for packages"} == {r.title for r in lessons}
    assert {"Use npm for packages": "2026-01-05", "Use yarn for packages": "2026-02-01"} == {
        r.title: f"{r.valid_from:%Y-%m-%d}" for r in lessons if "pnpm" not in r.title
    }


def test_what_was_said_before_is_reported_as_no_news(stage):
    """The account says so: no memory that holds was added or changed, and why."""
    _ingest(stage, *_CHOICES[2])

    result = _ingest(stage, *_CHOICES[0])

    assert ({"added": 0, "updated": 0, "unchanged": 1}, ()) == (result.counts, result.written)
    [action] = stage.artifacts()["memory_actions.json"]["actions"]
    assert ("no-op", "history") == (action["action"], action["how"])
    assert "said before" in action["reason"]
    _ingest(stage, *_CHOICES[0])
    assert 1 == [record.title for record in stage.records()].count("Use npm for packages")


def test_a_model_cannot_let_an_older_word_win(stage, say):
    """Whatever the lead decides: what was said later is closed by nothing that was said before."""
    _ingest(stage, *_CHOICES[2])
    [later] = [record for record in stage.records() if record.primitive is Primitive.DECISION]
    tried = []

    def turn(messages, info):
        if not tried:
            tried.append("extract")
            return [say("extract_pipeline"), say("summarize_pipeline")]
        if tried == ["extract"]:
            tried.append("explore")
            return [say("explore", query="npm packages", candidate="c1")]
        if tried == ["extract", "explore"]:
            tried.append("write")
            memory = {"primitive": "decision", "title": "Use npm for packages", "body": "Use npm for packages."}
            return [say("write_memory", **memory, candidate="c1", replaces=[later.id])]
        if len(tried) == 3:
            tried.append(str(messages[-1]))
            actions = [{"candidate": "c1", "action": "no-op", "reason": "said before", "targets": [later.id]}]
            return [say("write", file_path="memory_actions.json", content=json.dumps({"actions": actions}))]
        return ["Done."]

    header = Header(agent="claude", run_id="s-1", started="2026-01-05T08:00:00Z")
    words = "Use npm for packages"
    stage.engine.candidates = (Candidate("c1", Primitive.DECISION, words, f"{words}.", (Quote(2, 2, words),)),)
    stage.agent(turn).sync(stage.trace((User(text=f"{words}."), Assistant(text="Done.")), header))

    assert "was said after c1 and holds" in tried[3]
    assert ["Use yarn for packages"] == [r.title for r in stage.records() if r.holds and r.primitive.is_lesson]


def test_a_second_session_that_says_so_makes_a_record_surer(stage):
    """It is revised: the same text, more evidence, more confidence."""
    stage.agent().sync(session(stage, "Use Redis for the job queue.", "s-1"))
    stage.clock.tick(days=1)

    stage.agent().sync(session(stage, "Use Redis for the job queue."))

    (record,) = [r for r in stage.records() if r.primitive is Primitive.DECISION]
    assert (2, ["s-1", "s-2"]) == (record.version, [evidence.run_id for evidence in record.evidence])
    assert record.confidence > 0.7


def test_what_a_person_wrote_is_not_changed(stage):
    """A session that says the same leaves it to the letter, and is evidence for it."""
    mine = stage.add("Use Redis for the job queue", "Ask Ada.")

    result = stage.agent().sync(session(stage, "Use Redis for the job queue."))

    with stage.place.store.read() as snapshot:
        kept = snapshot.fetch(mine.id)
    assert mine == replace(kept, evidence=(), version=mine.version, valid_from=mine.valid_from)
    assert ["s-2"] == [piece.run_id for piece in kept.evidence]
    assert {"added": 0, "updated": 0, "unchanged": 1} == result.counts


def test_an_old_session_does_not_make_what_a_person_wrote_older_or_newer(stage):
    """Who wrote it said so then, whatever was said before, and whenever that is read."""
    mine = stage.add("Use Redis for the job queue")
    stage.clock.tick(days=30)
    _ingest(stage, "s-9", "2026-01-05", "Use Redis for the job queue")

    [kept] = [record for record in stage.records() if record.id == mine.id]
    assert ["s-9"] == [piece.run_id for piece in kept.evidence]
    assert mine.last_said.at == kept.last_said.at


def test_however_sure_a_record_is_it_keeps_all_evidence(stage):
    """Each session that says so is evidence, whoever spoke first."""
    for number in range(9):
        _ingest(stage, f"s-{number}", f"2026-01-{number + 1:02}", "Use Redis for the job queue")

    [record] = [record for record in stage.records() if record.primitive is Primitive.DECISION]
    assert {f"s-{number}" for number in range(9)} == {piece.run_id for piece in record.evidence}


def test_what_the_user_says_after_the_agent_rests_on_both(stage):
    """The user's word replaces the agent's, and what the agent said is evidence still."""
    words = "Use Redis for the job queue"
    stage.engine.candidates = (
        Candidate("c1", Primitive.DECISION, words, f"{words}.", (Quote(3, 3, words),), trust=Trust.AGENT),
    )
    header = Header(agent="claude", run_id="s-0", started="2026-01-01T08:00:00Z")
    lines = (User(text="Which queue?"), Assistant(text=f"{words}.", at="2026-01-01T08:00:05Z"))
    stage.agent().sync(stage.trace(lines, header))
    _ingest(stage, "s-1", "2026-01-02", words)

    [record] = [r for r in stage.records() if r.primitive is Primitive.DECISION and r.holds]
    assert Trust.USER is record.trust
    assert {"s-0", "s-1"} == {piece.run_id for piece in record.evidence}


def test_accepting_what_only_may_stand_against_something_closes_nothing(stage):
    """Nobody can tell for sure: whoever accepts it has read so, and both hold."""
    mine = stage.add("Always create an index concurrently, on every table in production")
    words = "Keys live in postgres, redis is off the table"
    stage.clock.tick(days=1)
    stage.engine.candidates = (
        Candidate("c1", Primitive.DECISION, words, f"{words}.", (Quote(2, 2, words),), trust=Trust.USER),
    )
    header = Header(agent="claude", run_id="s-0", started="2026-02-21T08:00:00Z")
    stage.agent().sync(stage.trace((User(text=words), Assistant(text="Understood.")), header))
    review = Review(stage.memory)
    held = [r for r in stage.records() if r.primitive is Primitive.DECISION and r.holds]
    for waiting in review.select():
        assert () == waiting.candidate.against
        held = [mine, review.accept(waiting).record]

    assert {mine.title, words} == {record.title for record in held if record.holds}
    assert [] == [record for record in stage.records() if record.status is Status.SUPERSEDED]


def test_accepting_what_was_disputed_closes_the_other_side(stage):
    """Both cannot hold: the rival is closed in favor of what was accepted, and both stay to be read."""
    mine = stage.add("Use Redis for the job queue")
    words = "Use RabbitMQ for the job queue, not Redis"
    stage.clock.tick(days=1)
    stage.engine.candidates = (
        Candidate("c1", Primitive.DECISION, words, f"{words}.", (Quote(3, 3, words),), trust=Trust.AGENT),
    )
    header = Header(agent="claude", run_id="s-0", started="2026-02-21T08:00:00Z")
    stage.agent().sync(stage.trace((User(text="Which queue?"), Assistant(text=f"{words}.")), header))
    review = Review(stage.memory)
    [waiting] = review.select()
    assert (mine.id,) == waiting.candidate.against

    kept = review.accept(waiting).record

    records = {record.id: record for record in stage.records()}
    assert (Status.SUPERSEDED, kept.id) == (records[mine.id].status, records[mine.id].superseded_by)
    assert kept.holds
    assert ["create", "supersede"] == [version.operation for version in stage.memory.history(Kept(mine, stage.place))]


def test_what_a_person_put_away_does_not_come_back(stage):
    """The same lines, read again, bring nothing back."""
    stage.agent().sync(session(stage, "Use Redis for the job queue."))
    (kept,) = [k for k in stage.memory.select() if k.record.primitive is Primitive.DECISION]
    stage.memory.archive(kept, reason="not wanted")

    stage.agent().sync(session(stage, "Use Redis for the job queue."))

    assert {"Use Redis for the job queue": "archived"} == stage.titles()


def test_two_candidates_never_change_one_record(stage):
    """The second leaves it as it is, and the run is finished all the same."""
    stage.agent().sync(session(stage, "Use Redis for the job queue.", "s-1"))
    texts = ["Use RabbitMQ for the job queue.", "Use Kafka for the job queue."]
    stage.engine.candidates = tuple(replace(candidate(t), quotes=(Quote(n, n, t),)) for n, t in enumerate(texts, 2))

    trace = stage.trace([User(text=text) for text in texts], Header(agent="claude", run_id="s-2"))
    result = stage.agent().sync(trace)

    assert {"added": 0, "updated": 1, "unchanged": 1} == result.counts


def test_many_candidates_are_searched_for_four_at_a_time(stage):
    """However many there are, the run has steps enough."""
    nouns = ["Postgres", "Kafka", "Redis", "Terraform", "Grafana", "Sentry", "Webpack", "Poetry", "Nginx", "Celery"]
    verbs = ["stores orders", "carries events", "keeps carts", "builds clusters", "draws charts"]
    texts = [f"{noun} {verbs[n % 5]} number {n}" for n, noun in enumerate(nouns)]
    stage.engine.candidates = tuple(replace(candidate(t), quotes=(Quote(n, n, t),)) for n, t in enumerate(texts, 2))

    result = stage.agent().sync(stage.trace([User(text=text) for text in texts]))

    batches = [len(line["asks_for"]) for line in stage.logs("agent.log") if "explore" in line.get("asks_for", [])]
    assert (10, [4, 4, 2]) == (result.counts["added"], batches)


def test_no_more_than_four_explorers_look_at_once(stage, say):
    """Even when a model asks for seven in one turn."""
    looking, most = 0, 0

    async def explorer(messages, info):
        nonlocal looking, most
        looking += 1
        most = max(most, looking)
        await asyncio.sleep(0.01)
        looking -= 1
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"evidence": []})])

    def lead(messages, info):
        done = ToolCallPart("final_result", {"sentences": []})
        return [done] if len(messages) > 1 else [say("explore", query=f"tokens {n}") for n in range(7)]

    stage.add("Use JWT bearer tokens")
    agent = stage.agent(lead=lead, explorer=lambda *_: [])
    agent._rooms.models.scripts["explorer"] = FunctionModel(explorer)
    agent.ask("What about tokens?")

    assert 4 == most


def test_a_trace_that_is_not_there_is_an_error(stage, tmp_path):
    """No run is begun for it."""
    with pytest.raises(SourceError, match="no trace"):
        stage.agent().sync(tmp_path / "nothing.jsonl")

    assert not (stage.place.project.root / ".lerim" / "workspace").exists()


def test_another_projects_memory_is_named_by_its_folder(stage, tmp_path):
    """A memory root that belongs to no project is refused."""
    other = stage.projects.add(tmp_path)
    stage.projects.lay_out(other)

    result = stage.agent().sync(stage.trace(), memory_root=tmp_path / ".lerim" / "memory")

    assert str(tmp_path / ".lerim" / "memory") == result.memory_root
    assert {} == stage.titles()
    with pytest.raises(NotFound):
        stage.agent().sync(stage.trace(), memory_root=tmp_path / "elsewhere")


# --- when somebody else is faster -------------------------------------------------------------------------------------


def test_a_record_that_a_person_changed_meanwhile_fails_the_run(stage):
    """What was decided on is not there any more: nothing is written, and the next attempt sees the person's words."""
    stage.agent().sync(session(stage, "Use Redis for the job queue.", "s-1"))
    (file,) = (stage.place.folder.root / "decisions").glob("*.md")

    def edit():
        file.write_text(
            file.read_text().replace("Use Redis for the job queue.", "Use Redis for the job queue, says Ada.")
        )

    stage.before_commit = edit
    with pytest.raises(RunFailed, match="changed while the run went on"):
        stage.agent().sync(session(stage, "Use RabbitMQ for the job queue."))

    assert {"Use Redis for the job queue": "active"} == stage.titles()
    assert "says Ada" in file.read_text()
    assert "failed" == stage.artifacts()["memory_actions.json"]["status"]


def test_whoever_lost_the_work_writes_nothing(stage):
    """The last word before the commit belongs to whoever gave the work."""
    before = stage.everything()

    def lost():
        raise Conflict("the session is held by another worker")

    stage.before_commit = lost
    with pytest.raises(RunFailed, match="held by another worker") as raised:
        stage.agent().sync(stage.trace())

    assert before == stage.everything()
    assert f"lerim runs show {raised.value.run_id}" == raised.value.hint


def test_a_spent_budget_is_reported_as_such(stage):
    """It is nobody's failure: whoever works off the queue stops, instead of failing every session."""
    stage.engine.trouble = BudgetReached("the day has used up its budget")

    with pytest.raises(BudgetReached):
        stage.agent().sync(stage.trace())

    assert "failed" == stage.artifacts()["memory_actions.json"]["status"]


# --- maintain ---------------------------------------------------------------------------------------------------------


COUNTS = dict.fromkeys(("merged", "superseded", "revised", "archived", "restored", "review", "unchanged"), 0)


def test_what_faded_is_archived(stage):
    """What nobody used for long is archived; what was said lately stays."""
    stage.add("Use Redis for the job queue", "Old times.", confidence=0.3, source="sync", evidence=(said("a"),))
    stage.clock.tick(days=400)
    stage.add("Use RabbitMQ for invoices", "New times.", source="sync", evidence=(said("b"),))

    result = stage.agent().maintain()

    assert {"Use Redis for the job queue": "archived", "Use RabbitMQ for invoices": "active"} == stage.titles()
    assert COUNTS | {"archived": 1} == result.counts
    assert ["archived/decisions/use-redis-for-the-job-queue.md"] == [written.path for written in result.written]
    assert [] == check_run(Path(result.run_folder))


def said(run_id: str) -> Evidence:
    return Evidence("claude", run_id, 3, 3, "use Redis", Trust.USER)


def test_what_says_the_same_is_merged(stage):
    """The one that is left has the evidence of both, and the other leads to it; the account names it."""
    one = stage.add("Use Redis for the job queue", "It is fast enough.", evidence=(said("a"),), source="sync")
    two = stage.add("Use Redis for the job queue", "It is fast enough.", evidence=(said("b"),), source="sync")

    result = stage.agent().maintain()

    with stage.place.store.read() as snapshot:
        merged = snapshot.current(one.id)
        assert merged == snapshot.current(two.id)
    assert ({said("a"), said("b")}, Status.ACTIVE) == (set(merged.evidence), merged.status)
    assert COUNTS | {"merged": 1} == result.counts
    action = stage.artifacts()["maintain_actions.json"]["actions"][0]
    assert (merged.id, {one.id, two.id}) == (action["result"], set(action["records"]))
    assert "looked at 2 records in 1 cluster, 2 for the first time" == result.text


def test_an_empty_memory_needs_no_care(stage):
    """A run with nothing to do is a run."""
    result = stage.agent().maintain()

    assert (COUNTS, ()) == (result.counts, result.written)


# --- modes, models, rooms ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("ask", ["explore", "glob", "grep", "read"]),
        (
            "sync",
            ["explore", "extract_pipeline", "glob", "grep", "read", "summarize_pipeline", "write", "write_memory"],
        ),
    ],
)
def test_a_mode_has_its_tools_and_no_others(stage, mode, expected):
    """What a model is offered is exactly the list of its mode."""
    offered = []

    def lead(messages, info):
        offered.append(sorted(tool.name for tool in info.function_tools))
        return ["Done."]

    stage.add("Use JWT bearer tokens")
    agent = stage.agent(lead=lead)
    with suppress(RunFailed):
        agent.ask("Why tokens?") if mode == "ask" else agent.sync(stage.trace())

    assert expected == offered[0]


def test_the_explorer_can_only_read(stage, say):
    """It has no tool that writes, and none that starts another explorer."""
    offered = []

    def explorer(messages, info):
        offered.append(sorted(tool.name for tool in info.function_tools))
        return [ToolCallPart(info.output_tools[0].name, {"evidence": []})]

    with suppress(RunFailed):
        stage.agent(explorer=explorer).sync(stage.trace())

    assert ["glob", "grep", "read"] == offered[0]


def test_the_lead_can_be_another_model_than_configured(stage):
    """A provider that there is not is an error of usage."""
    agent = stage.agent(model="some-model", provider="openai", timeout_seconds=7)

    lead = agent._rooms.models.role("lead")
    assert ("openai", "some-model", 7) == (lead.provider, lead.model, lead.timeout_seconds)
    with pytest.raises(UsageError, match="no provider"):
        stage.agent(provider="nobody")


def test_the_agent_works_without_the_service(home, project_root, monkeypatch):
    """For programs: an agent made with the arguments alone gets its rooms as the settings there say."""
    monkeypatch.setenv("LERIM_HOME", str(home))
    (project_root / ".git").mkdir()

    agent = LerimAgent(timeout_seconds=9, default_cwd=project_root)

    assert not agent.ask("What do we use for auth?").supported
    assert (project_root, 9) == (agent._rooms.memory.scope.project, agent._rooms.models.role("lead").timeout_seconds)
    assert "embedded" == agent._rooms.engine(None).name
    agent._rooms.memory._database.close()


def test_each_engine_can_be_chosen(home, stage):
    """The settings name one of three."""
    models = stage.agent()._rooms.models

    assert ["embedded", "model", "rlm"] == [
        engine_for(choice, models, None, home).name
        for choice in (EngineChoice.EMBEDDED, EngineChoice.MODEL, EngineChoice.RLM)
    ]


def test_what_was_replaced_is_told_with_what_replaced_it(stage):
    """Whoever watches a sync sees which memory holds no more."""
    _ingest(stage, "s-1", "2026-01-05", "Use Redis for the job queue")
    (old,) = [record for record in stage.records() if record.primitive is Primitive.DECISION]

    result = _ingest(stage, "s-2", "2026-02-05", "Use Postgres for the job queue instead of Redis")

    (written,) = result.written
    assert ((old.id, old.title),) == written.replaced
