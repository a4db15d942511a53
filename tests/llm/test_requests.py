"""Requests over real sockets: what arrives, what is tried again, how failures are explained, and what is paid."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import traceback

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent

from lerim.config.settings import Provider
from lerim.errors import BudgetReached, ModelError, ModelUnavailable
from lerim.llm import Spending, failure_behind
from lerim.llm.answers import AskedRequest, KeptAnswers
from lerim.llm.usage import Spent

KEY = "key-0123456789-do-not-tell"
RUN = Spending("sync-1", "shop")


def run(agent, text):
    # Not run_sync, which leaves its event loop open.
    return asyncio.run(agent.run(text))


def ask(models, text="hello", **more):
    return run(Agent(models.model("lead", RUN), **more), text)


def calls(ledger):
    with sqlite3.connect(ledger.path) as connection:
        connection.row_factory = sqlite3.Row
        found = [dict(row) for row in connection.execute("SELECT * FROM calls ORDER BY id")]
    connection.close()
    return found


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_is_given_and_paid(make, server, replies, ledger):
    """What the model says comes back, the key goes out in its header, and the books have one row."""
    server.script = [replies.text("good morning")]

    result = ask(make())

    assert "good morning" == result.output
    assert [f"Bearer {KEY}"] == [seen.headers["authorization"] for seen in server.seen]
    (row,) = calls(ledger)
    assert {
        "at": "2026-02-20T10:30:00Z",
        "run_id": "sync-1",
        "project_id": "shop",
        "role": "lead",
        "provider": "openai_compatible",
        "model": "first",
        "requests": 1,
        "input_tokens": 100,
        "output_tokens": 20,
        "cost_usd": None,
        "settled": 1,
    }.items() <= row.items()


def test_a_server_without_a_key_is_asked_without(make, server):
    """Models at home want no key; whatever the environment holds for others is not sent to them."""
    ask(make(env={"OPENAI_API_KEY": KEY}))

    assert KEY not in str(server.seen[0].headers)


class Verdict(BaseModel):
    durable: bool
    why: str


def test_structured_output_is_a_typed_value(make, server, replies):
    """A model that answers through the output tool gives an instance, not text."""
    server.script = [replies.tool_calls(("final_result", {"durable": True, "why": "it was decided"}))]

    result = ask(make(), output_type=Verdict)

    assert Verdict(durable=True, why="it was decided") == result.output


def test_tools_that_are_called_at_once_run_at_once(make, server, replies, ledger):
    """Two calls in one answer are both in flight before either returns."""
    both = threading.Barrier(2, timeout=20)
    server.script = [replies.tool_calls(("look", {"at": "a"}), ("look", {"at": "b"})), replies.text("seen both")]
    agent = Agent(make().model("lead", RUN))

    @agent.tool_plain
    def look(at: str) -> str:
        both.wait()
        return at.upper()

    result = run(agent, "look at both")

    assert "seen both" == result.output
    assert ["A", "B"] == [m["content"] for m in server.seen[1].json["messages"] if m["role"] == "tool"]
    assert Spent(calls=2, input_tokens=200, output_tokens=40, unpriced=2) == ledger.spent("sync-1")


def test_a_streamed_answer_is_paid_too(make, server, replies, ledger):
    """Whoever listens to the events of a run does not get around the books."""
    chunk = '{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[%s],"usage":%s}'
    choice = '{"index":0,"delta":{"role":"assistant","content":"hi"},"finish_reason":"stop"}'
    usage = '{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}'
    body = f"data: {chunk % (choice, 'null')}\n\ndata: {chunk % ('', usage)}\n\ndata: [DONE]\n\n"
    server.script = [replies.Reply(body=body.encode(), headers=(("Content-Type", "text/event-stream"),))]

    async def listen():
        async with Agent(make().model("lead", RUN)).run_stream("hello") as result:
            return await result.get_output()

    assert "hi" == asyncio.run(listen())
    assert (7, 3) == (ledger.spent("sync-1").input_tokens, ledger.spent("sync-1").output_tokens)


def test_a_server_that_does_not_count_is_estimated(make, server, replies, ledger):
    """Without figures of the provider, the books hold an estimate rather than nothing."""
    server.script = [replies.text("x" * 400, usage=None)]

    ask(make())

    assert 100 <= ledger.spent("sync-1").output_tokens
    assert 0 < ledger.spent("sync-1").input_tokens


def test_anthropic_is_asked_in_its_own_words(make, server, replies, ledger):
    """Its path, its stream of events, its price; the key is in a header."""
    server.script = [replies.claude("bonjour")]
    models = make(Provider.ANTHROPIC, "claude-opus-4-8", env={"ANTHROPIC_API_KEY": KEY}, base_url=server.address)

    result = ask(models)

    assert "bonjour" == result.output
    assert "/v1/messages" == server.seen[0].path.split("?")[0]
    assert any(KEY in value for value in server.seen[0].headers.values())
    assert 0 < calls(ledger)[0]["cost_usd"] < 0.1


@pytest.mark.parametrize(
    ("provider", "model", "variable"),
    [
        (Provider.OPENAI, "gpt-4o", "OPENAI_API_KEY"),
        (Provider.OPENROUTER, "openai/gpt-4o", "OPENROUTER_API_KEY"),
        (Provider.ZAI, "glm-4.6", "ZAI_API_KEY"),
        (Provider.OLLAMA, "qwen3:32b", "OLLAMA_API_KEY"),
    ],
)
def test_every_provider_can_be_moved_to_another_address(make, server, provider, model, variable):
    """With base_url set, the request goes there and nowhere else, with the provider's own key."""
    result = ask(make(provider, model, env={variable: KEY}))

    assert "ok" == result.output
    assert [("/v1/chat/completions", model, f"Bearer {KEY}")] == [
        (seen.path, seen.model, seen.headers["authorization"]) for seen in server.seen
    ]


def test_openrouter_says_what_it_charged(make, server, replies, ledger):
    """The provider's own figure is better than any list."""
    usage = {**replies.USAGE, "cost": 0.0123}
    server.script = [replies.text("ok", usage=usage)]

    ask(make(Provider.OPENROUTER, "openai/gpt-4o", env={"OPENROUTER_API_KEY": KEY}))

    assert 0.0123 == calls(ledger)[0]["cost_usd"]


# --- failures ---------------------------------------------------------------------------------------------------------


def test_a_refused_key_is_reported_with_its_variable(make, server, replies, ledger):
    """No other model is tried: the same key opens none of them. Nothing was used."""
    server.script = [replies.failure(401, f"Incorrect API key provided: {KEY}")]

    with pytest.raises(ModelError) as caught:
        ask(make(fallback_models=("second",)))

    assert "openai_compatible first refused the key in OPENAI_COMPATIBLE_API_KEY (401)" == caught.value.message
    assert "set OPENAI_COMPATIBLE_API_KEY to a valid key, then: lerim models check" == caught.value.hint
    assert ["first"] == server.models
    assert [] == calls(ledger)


def test_too_many_requests_waits_as_long_as_asked(make, server, replies, naps):
    """Retry-After is honored, and the next try succeeds."""
    server.script = [replies.failure(429, "slow down", Retry_After="7"), replies.text("now")]

    assert "now" == ask(make()).output
    assert [7.0] == naps


def test_a_server_that_asks_for_too_long_a_wait_is_given_up(make, server, replies, naps):
    """An hour is longer than anybody waits: the next model is asked at once."""
    server.script = [replies.failure(429, "slow down", Retry_After="3600"), replies.text("from the second")]

    assert "from the second" == ask(make(fallback_models=("second",))).output
    assert ([], ["first", "second"]) == (naps, server.models)


def test_what_a_provider_said_to_one_run_holds_for_the_next(make, server, replies, naps, clock):
    """Another run, in whatever process: it waits before it asks, as long as is left."""
    server.script = [replies.failure(429, "slow down", Retry_After="30"), replies.text("one"), replies.text("two")]
    ask(make())
    clock.tick(seconds=10)

    assert "two" == ask(make()).output
    assert [30.0, 20.0] == naps


def test_a_provider_that_wants_to_be_left_alone_for_long_is_not_asked(make, server, replies, naps):
    server.script = [replies.failure(429, "slow down", Retry_After="600"), *[replies.text("second")] * 2]
    models = make(fallback_models=("second",))
    ask(models)

    assert "second" == ask(models).output
    assert ([], ["first", "second", "second"]) == (naps, server.models)


def test_a_minute_has_room_for_so_many_requests(make, server, replies, naps, clock):
    server.script = [replies.text("one"), replies.text("two")]
    ask(make(budget={"minute_requests": 1}))
    clock.tick(seconds=50)

    with pytest.raises(ModelUnavailable, match="asked often enough"):
        ask(make(budget={"minute_requests": 1}))
    assert {10.0} == set(naps)
    clock.tick(seconds=11)
    assert "two" == ask(make(budget={"minute_requests": 1})).output


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_server_error_is_tried_again(make, server, replies, ledger, naps, status):
    """One hiccup costs a second, not the run; the failed try is not in the books."""
    server.script = [replies.failure(status), replies.text("recovered")]

    assert "recovered" == ask(make()).output
    assert [1.0] == naps
    assert 1 == len(calls(ledger))


def test_tries_have_an_end(make, server, replies, naps):
    """After the third the provider is believed."""
    server.script = [replies.failure(500, "boom") for _ in range(9)]

    with pytest.raises(ModelUnavailable) as caught:
        ask(make())

    assert 3 == len(server.seen)
    assert [1.0, 4.0] == naps
    assert "openai_compatible first answered with an error (500): boom" == caught.value.message
    assert "lerim models check" == caught.value.hint


def test_a_connection_that_breaks_off_is_tried_again(make, server, replies, ledger):
    """The lost answer may have been paid for, so its estimate stays in the books."""
    server.script = [replies.cut(), replies.text("whole")]

    assert "whole" == ask(make()).output
    assert [0, 1] == [row["settled"] for row in calls(ledger)]


def test_a_connection_that_keeps_breaking_off_is_reported(make, server, replies):
    """The message names the place and what happened there."""
    server.script = [replies.cut() for _ in range(3)]

    with pytest.raises(ModelUnavailable) as caught:
        ask(make())

    assert (
        f"openai_compatible first at {server.url} closed the connection in the middle of its answer"
        == caught.value.message
    )


def test_nobody_at_the_address(make, server, ledger):
    """A refused connection says where, and costs nothing."""
    with pytest.raises(ModelUnavailable) as caught:
        ask(make(base_url="http://127.0.0.1:9/v1"))

    assert "openai_compatible first at http://127.0.0.1:9/v1 cannot be reached" == caught.value.message
    assert [] == calls(ledger)


def test_a_model_that_never_answers_runs_out_of_time(make, server, replies, naps):
    """The request had all the time the settings give it, so it is not made again; the fallback is asked."""
    server.script = [replies.Reply(silent=True), replies.text("from the second")]

    result = ask(make(timeout_seconds=1, fallback_models=("second",)))

    assert "from the second" == result.output
    assert ([], ["first", "second"]) == (naps, server.models)


def test_time_that_ran_out_is_reported(make, server, replies):
    """Which setting to change is in the hint."""
    server.script = [replies.Reply(silent=True)]

    with pytest.raises(ModelUnavailable) as caught:
        ask(make(timeout_seconds=1))

    assert "openai_compatible first did not answer within 1 seconds" == caught.value.message
    assert "raise roles.lead.timeout_seconds, or choose a faster model" == caught.value.hint


@pytest.mark.parametrize("body", [b"{not json", b"<html>sign in</html>", b"", b"[]", b"{}"])
def test_an_unreadable_answer_is_reported(make, server, replies, body):
    """A proxy's login page, half a document or the wrong document: asked for once more, and never a stack trace."""
    server.script = [replies.Reply(body=body)] * 5

    with pytest.raises(ModelUnavailable) as caught:
        ask(make())

    assert caught.value.message.startswith("openai_compatible first gave an unreadable answer: ")
    assert "lerim models check" == caught.value.hint
    assert 2 == len(server.seen)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b'{"id": "chatcmpl-1", "choices": [{"ind', ()),
        (b"<html>one moment</html>", (("Content-Type", "text/html"),)),
        (b"\x1f\x8b no gzip at all", (("Content-Encoding", "gzip"),)),
        (b'{"choices": "none"}', ()),
    ],
)
def test_an_unreadable_answer_is_asked_for_again(make, server, replies, ledger, naps, body, headers):
    """Once; what the unreadable one may have cost stays in the books."""
    server.script = [replies.Reply(body=body, headers=headers), replies.text("whole")]

    assert "whole" == ask(make()).output
    assert [1.0] == naps
    assert 2 == len(calls(ledger))


def test_an_answer_that_is_too_large_or_leads_elsewhere_is_not_asked_for_again(make, server, replies):
    """The next one would be no better."""
    server.script = [replies.Reply(302, headers=(("Location", "http://elsewhere.example"),))] * 3

    with pytest.raises(ModelUnavailable):
        ask(make())

    assert 1 == len(server.seen)


def test_an_unknown_model_is_reported_with_the_setting(make, server, replies):
    """A name the provider does not know leads to the line that says it."""
    server.script = [replies.failure(404, "no such model")]

    with pytest.raises(ModelUnavailable) as caught:
        ask(make())

    assert "openai_compatible first was not found: no such model" == caught.value.message
    assert "roles.lead.model" in caught.value.hint


def test_the_fallback_answers_when_the_first_does_not(make, server, replies, ledger):
    """The books say which of them was paid."""
    server.script = [replies.failure(400, "not this one"), replies.text("from the second")]

    result = ask(make(fallback_models=("second", "third")))

    assert "from the second" == result.output
    assert ["second"] == [row["model"] for row in calls(ledger)]


def test_when_no_model_answers_each_is_reported(make, server, replies):
    """One error names them all."""
    server.script = [replies.failure(400, "no"), replies.failure(404, "gone")]

    with pytest.raises(ModelUnavailable) as caught:
        ask(make(fallback_models=("second",)))

    assert "no model answered: openai_compatible first answered with an error (400): no; " in caught.value.message
    assert "openai_compatible second was not found: gone" in caught.value.message


# --- secrets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
@pytest.mark.parametrize("fallback", [(), ("second",)])
def test_a_key_that_is_echoed_is_in_no_error_and_no_log(make, server, replies, ledger, caplog, status, fallback):
    """Whatever a provider repeats, neither message, hint, traceback, log nor books hold it."""
    server.script = [replies.failure(status, f"bad key {KEY} in Bearer {KEY}") for _ in range(9)]

    with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as caught:
        ask(make(fallback_models=fallback))

    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + str(caught.value.hint)
    assert KEY not in shown
    assert KEY not in caplog.text
    assert KEY.encode() not in ledger.path.read_bytes()


def test_a_model_does_not_show_its_key(make):
    """Not even to whoever prints it."""
    models = make()

    assert KEY not in repr(models.endpoint("lead")) + repr(models.model("lead", RUN))


# --- budgets ----------------------------------------------------------------------------------------------------------


def test_a_budget_ends_a_run_before_the_request_that_would_exceed_it(make, server, replies, ledger):
    """Two requests fit, the third is not made; the run is marked, and gets no smaller one either."""
    server.script = [replies.tool_calls(("look", {}))] * 9
    models = make(budget={"run_tokens": 250})
    agent = Agent(models.model("lead", RUN))

    @agent.tool_plain
    def look() -> str:
        return "nothing yet"

    with pytest.raises(BudgetReached) as caught:
        run(agent, "look until you find something")

    assert caught.value.message.startswith("budget.run_tokens is 250: 240 tokens are used")
    assert "lerim cost --by run; raise the budget in your config.toml" == caught.value.hint
    assert caught.value.message == ledger.stopped("sync-1")
    with pytest.raises(BudgetReached):
        ask(models, "?")
    assert 2 == len(server.seen)


def test_another_run_has_a_budget_of_its_own(make, server):
    """What one run used does not count for the next."""
    models = make(budget={"run_tokens": 200})
    ask(models)

    result = run(Agent(models.model("lead", Spending("sync-2"))), "hello")

    assert "ok" == result.output


def test_a_budget_is_not_a_reason_to_ask_the_fallback(make, server):
    """A cheaper model would be the same money."""
    with pytest.raises(BudgetReached):
        ask(make(budget={"run_tokens": 1}, fallback_models=("second",)))

    assert [] == server.seen


def test_a_day_is_shared_by_all_runs_and_ends_at_midnight(make, server, clock):
    """The second run of the day finds it used; tomorrow there is a new one."""
    models = make(budget={"day_tokens": 120})
    ask(models)

    with pytest.raises(BudgetReached, match=r"budget\.day_tokens is 120"):
        run(Agent(models.model("lead", Spending("sync-2"))), "hello")
    clock.tick(days=1)

    assert "ok" == run(Agent(models.model("lead", Spending("sync-3"))), "hello").output


@pytest.mark.parametrize("limit", ["run_usd", "day_usd"])
def test_money_is_counted_by_the_price_list(make, server, limit):
    """A hundred tokens in and twenty out cost $0.00045 with gpt-4o: one request fits, two do not."""
    models = make(Provider.OPENAI, "gpt-4o", env={"OPENAI_API_KEY": KEY}, budget={limit: 0.0005})
    ask(models)

    with pytest.raises(BudgetReached, match=rf"budget\.{limit} is 0\.00: \$0\.0004"):
        ask(models, "and once more, please " * 20)

    assert 1 == len(server.seen)


def test_money_is_counted_by_configured_prices(make, server, ledger):
    """For a model nobody lists, the settings say what it costs."""
    models = make(budget={"run_usd": 1, "input_usd_per_million": 10, "output_usd_per_million": 50})

    ask(models)

    assert 0.002 == pytest.approx(ledger.spent("sync-1").cost_usd)


def test_money_cannot_be_limited_without_a_price(make, server):
    """A limit that could not be kept is refused, with the keys that would make it possible."""
    with pytest.raises(ModelError) as caught:
        ask(make(budget={"day_usd": 5}))

    assert "the price of openai_compatible first is not known, and a budget in dollars is set" == caught.value.message
    assert "budget.input_usd_per_million and budget.output_usd_per_million" in caught.value.hint
    assert [] == server.seen


def test_a_model_of_this_machine_costs_nothing(make, server, ledger):
    """Ollama at home may be used under a budget in dollars."""
    ask(make(Provider.OLLAMA, "qwen3:32b", env={}, budget={"day_usd": 0.01}))

    assert Spent(1, 100, 20) == ledger.spent("sync-1")


def test_requests_made_at_the_same_time_count_each_other(make, server, replies):
    """What is still on its way is in the books already, so two cannot both take the last of the budget."""
    server.script = [replies.Reply(silent=True)]
    models = make(budget={"day_tokens": 3}, timeout_seconds=1)

    async def both():
        agents = [Agent(models.model("lead", Spending(f"run-{n}"))) for n in range(2)]
        return await asyncio.gather(*(agent.run("hello") for agent in agents), return_exceptions=True)

    outcomes = {type(outcome) for outcome in asyncio.run(both())}

    assert {ModelUnavailable, BudgetReached} == outcomes
    assert 1 == len(server.seen)


# --- dspy -------------------------------------------------------------------------------------------------------------


def test_dspy_asks_the_same_model_with_the_same_books(make, server, replies, ledger):
    """System and user text arrive, the answer comes back, the role that asked is paid."""
    pytest.importorskip("dspy")
    from dspy.lm15 import Message, Request

    server.script = [replies.text("four")]
    lm = make().language_model("extract", RUN)

    answer = lm(Request(lm.model, messages=(Message.user("2 + 2?"),), system="Count."))

    assert "four" == answer.text
    assert [("system", "Count."), ("user", "2 + 2?")] == [
        (message["role"], message["content"]) for message in server.seen[0].json["messages"]
    ]
    assert [("extract", 100, 20)] == [(r["role"], r["input_tokens"], r["output_tokens"]) for r in calls(ledger)]


def test_dspy_stops_at_the_budget(make, server):
    """The library wraps our error; it can be had back. Nothing was sent."""
    pytest.importorskip("dspy")
    lm = make(budget={"run_tokens": 1}).language_model("extract", RUN)

    with pytest.raises(Exception, match="budget") as caught:
        lm("hello")

    assert isinstance(failure_behind(caught.value), BudgetReached)
    assert [] == server.seen


def test_dspy_may_be_called_within_an_event_loop(make, server):
    """A tool of an agent runs in one."""
    pytest.importorskip("dspy")
    lm = make().language_model("extract", RUN)

    async def inside():
        return lm("hello")

    assert ["ok"] == asyncio.run(inside())


# --- nothing is paid for twice ----------------------------------------------------------------------------------------


@pytest.fixture
def resuming(make, home, clock):
    """Models of a run that is tried again, as another process would build them; and an agent's answer from them."""

    def build(run_id, text, **more):
        models = make(**more)
        models.answers = KeptAnswers(home, clock)
        agent = Agent(models.model("lead", Spending(run_id, "shop", resumes=True)))
        return run(agent, text).output

    return build


def test_what_was_answered_is_not_paid_for_again(resuming, server, replies, ledger):
    """In another process and under another name of the run: asked once, entered once."""
    server.script = [replies.text("good morning")]

    said = [resuming(f"sync-20260220-10300{n}-abcdef", f"into sync-20260220-10300{n}-abcdef/") for n in range(3)]

    assert ["good morning"] * 3 == said
    assert 1 == len(server.seen) == len(calls(ledger))


def test_a_name_of_the_run_in_an_answer_is_that_of_the_new_run(resuming, server, replies):
    """Ids that were made in a run mean those of the next one."""
    server.script = [replies.text("see dec-aaaaaaaaaa in sync-20260220-103000-abcdef")]
    resuming("sync-20260220-103000-abcdef", "sync-20260220-103000-abcdef staged dec-aaaaaaaaaa")

    said = resuming("sync-20260221-103000-ghijkl", "sync-20260221-103000-ghijkl staged dec-bbbbbbbbbb")

    assert "see dec-bbbbbbbbbb in sync-20260221-103000-ghijkl" == said


@pytest.mark.parametrize("change", [{"text": "hello again"}, {"model": "other"}, {"base": "/v2"}])
def test_another_question_another_model_or_another_place_is_asked(resuming, server, change):
    """What was answered elsewhere is not what would be answered here."""
    resuming("sync-20260220-103000-abcdef", "hello")

    more = {"base_url": server.url.replace("/v1", change["base"])} if "base" in change else {}
    resuming("sync-20260220-103000-abcdef", change.get("text", "hello"), **more, model=change.get("model", "first"))

    assert 2 == len(server.seen)


def test_who_is_no_run_is_answered_anew(make, server, home, clock):
    """A person who asks again wants to be answered again."""
    models = make()
    models.answers = KeptAnswers(home, clock)

    ask(models)
    ask(models)

    assert 2 == len(server.seen)


def test_answers_are_forgotten_with_time_and_with_the_run_that_they_ended(home, clock):
    """A run that fails by its answers would fail by them again; after a month nobody asks."""
    answers, asked = KeptAnswers(home, clock), AskedRequest("what?")
    answers.keep(asked, "that", "sync-1")
    assert "that" == KeptAnswers(home, clock).find(asked, "sync-2")

    answers.forget("sync-1")
    assert None is answers.find(asked, "sync-2")

    answers.keep(asked, "that", "sync-1")
    clock.tick(days=31)
    answers.keep(AskedRequest("else?"), "this", "sync-2")
    assert None is answers.find(asked, "sync-2")


def test_a_damaged_file_of_answers_costs_no_run(home, clock):
    """It is made anew, for its owner's eyes only."""
    answers, asked = KeptAnswers(home, clock), AskedRequest("what?")
    answers.path.parent.mkdir(parents=True)
    answers.path.write_bytes(b"no database" * 500)

    answers.keep(asked, "that", "sync-1")

    assert "that" == answers.find(asked, "sync-1")
    assert 0o600 == answers.path.stat().st_mode & 0o777
