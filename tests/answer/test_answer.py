"""Answers from the memory: what holds now, in its own words, with ids, or nothing at all."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from lerim.answer.pipeline import Answer
from lerim.context.memory import Memory
from lerim.context.records import Draft, Kind, Primitive, Record, RecordId
from lerim.dataclass import replace
from lerim.errors import UsageError

CITED = re.compile(r"(?:dec|lrn|sum)-[a-z0-9]+")


def assert_cited(answer: Answer) -> None:
    """Every sentence cites, and only what is among the sources."""
    sources = {kept.record.id for kept in answer.sources}
    for sentence in answer.sentences:
        assert sentence.ids
        assert set(CITED.findall(sentence.text)) <= set(sentence.ids) <= sources


def test_an_answer_is_in_the_records_own_words(ask: Any, keep: Any) -> None:
    """The point first, in one sentence: the title, with the reason when that is asked."""
    kept = keep("Keep orders in PostgreSQL 16", "MySQL had no partial indexes. Migrated in one night.")

    what, why = ask("where do we keep orders, in PostgreSQL?"), ask("why do we keep orders in PostgreSQL?")

    assert what.supported
    assert f"Keep orders in PostgreSQL 16 [{kept.record.id}]." == what.sentences[0].text
    assert f"Keep orders in PostgreSQL 16: MySQL had no partial indexes [{kept.record.id}]." == why.text
    assert_cited(what)
    assert_cited(why)


def test_an_answer_says_each_point_once(ask: Any, keep: Any) -> None:
    """A second memory of the same adds only what is new in it, without the labels of a summary."""
    keep("Use pnpm everywhere in this repo, never npm", "We use pnpm everywhere in this repo, never npm.")
    keep(
        "Use pnpm in this repo",
        "**Outcome:** with pnpm the repo installs offline, from its store.",
        kind=Kind.INSIGHT,
    )

    answer = ask("do we use pnpm in this repo?")

    assert 1 == answer.text.count("never npm")
    assert "**" not in answer.text
    assert "installs offline" in answer.text
    assert_cited(answer)


def test_a_question_without_an_answer_gets_none(ask: Any, keep: Any) -> None:
    """A question about something else has no answer and no sources."""
    keep("Keep orders in PostgreSQL 16")

    answer = ask("Which port does the gateway listen on?")

    assert (False, (), ()) == (answer.supported, answer.sentences, answer.sources)
    assert answer.text.startswith("Nothing in memory answers this")


def test_what_holds_comes_with_what_it_replaced(ask: Any, keep: Any, memory: Memory, clock: Any) -> None:
    """Even when the question speaks of the old one only."""
    old = keep("Authenticate with JWT")
    clock.tick(days=9)
    new = keep("Authenticate with API keys", "Tokens could not be revoked.")
    memory.supersede(old, new, reason="a leak")

    answer = ask("do we authenticate with JWT?")

    assert (
        f"Authenticate with API keys [{new.record.id}]"
        f" (before: Authenticate with JWT [{old.record.id}], replaced 2026-03-01)." == answer.sentences[0].text
    )
    assert_cited(answer)


def test_the_past_is_answered_as_it_was(ask: Any, keep: Any, memory: Memory, clock: Any) -> None:
    """As of a day before the change, the old one holds and the new one does not exist."""
    old = keep("Authenticate with JWT")
    before = clock.tick(days=1)
    clock.tick(days=9)
    memory.supersede(old, keep("Authenticate with API keys"), reason="a leak")

    answer = ask("how do we authenticate?", as_of=before)

    assert [f"Authenticate with JWT [{old.record.id}]."] == [sentence.text for sentence in answer.sentences]
    assert "1 decision" in ask("how many decisions do we have?", as_of=before).text


def test_when_names_the_day(ask: Any, keep: Any, memory: Memory, clock: Any) -> None:
    """Of the very record that was asked for, whatever became of it."""
    old = keep("Run everything on Heroku")
    clock.tick(days=30)
    new = keep("Run everything on Kubernetes")
    memory.supersede(old, new, reason="price")

    assert ask("When did we choose Kubernetes?").text.startswith("2026-03-22: Run everything on Kubernetes")
    assert ask("When did we choose Heroku?").text.startswith("2026-02-20: Run everything on Heroku")


def test_what_changed_is_listed_once(ask: Any, keep: Any, memory: Memory, clock: Any) -> None:
    """New, replaced, revised and archived, oldest first; what lies outside the time stays out."""
    keep("Before the time that is asked for")
    clock.tick(days=40)
    old, other = keep("Jobs over RabbitMQ"), keep("Logs as text")
    clock.tick(days=1)
    new = keep("Jobs over NATS")
    memory.supersede(old, new, reason="split brain")
    clock.tick(days=1)
    memory.revise(other, reason="slog", title="Logs as JSON")
    clock.tick(days=1)
    memory.archive(new, reason="no jobs any more")

    answer = ask("what changed in the last week?")

    ids = {"old": old.record.id, "new": new.record.id, "other": other.record.id}
    assert [
        "2026-04-01, new: Jobs over RabbitMQ [{old}].",
        "2026-04-01, new: Logs as text [{other}].",
        "2026-04-02, new: Jobs over NATS [{new}] replaces Jobs over RabbitMQ [{old}].",
        "2026-04-03, revised: Logs as JSON [{other}] (slog).",
        "2026-04-04, archived: Jobs over NATS [{new}].",
    ] == [_named(sentence.text, ids) for sentence in answer.sentences]
    assert_cited(answer)


def _named(text: str, ids: dict[str, str]) -> str:
    for name, record_id in ids.items():
        text = text.replace(record_id, f"{{{name}}}")
    return text


def test_a_time_limits_a_search(ask: Any, keep: Any, clock: Any) -> None:
    """Only what began to hold then."""
    keep("Cache quotes in Memcached")
    clock.tick(days=60)
    late = keep("Cache labels in Redis")

    answer = ask("what did we decide to cache since April?")

    assert [late.record.id] == [kept.record.id for kept in answer.sources]


def test_what_held_then_is_found(ask: Any, keep: Any, memory: Memory, clock: Any) -> None:
    """What was used in March may be older than March, and gone by now."""
    old = keep("Cache quotes in Memcached")
    clock.tick(days=60)
    memory.supersede(old, keep("Store offers in Redis"), reason="eviction")

    answer = ask("where did we cache quotes in March?")

    assert old.record.id in {kept.record.id for kept in answer.sources}


def test_what_was_replaced_is_only_that(ask: Any, keep: Any, memory: Memory) -> None:
    """Not all that was new meanwhile."""
    old, new = keep("Jobs over RabbitMQ"), keep("Jobs over NATS")
    keep("Logs as JSON")
    memory.supersede(old, new, reason="split brain")

    answer = ask("which decisions were replaced this week?")

    assert [(old.record.id, new.record.id)] == [sentence.ids for sentence in answer.sentences]


def test_a_question_without_a_word_is_refused(ask: Any) -> None:
    """There is nothing to look for."""
    with pytest.raises(UsageError, match="no word"):
        ask("?!")


def test_use_is_of_what_answers_and_holds(ask: Any, keep: Any, memory: Memory) -> None:
    """A record that is counted or was replaced was of no use."""
    old, new = keep("Authenticate with JWT"), keep("Authenticate with API keys")
    memory.supersede(old, new, reason="a leak")

    assert [new.record.id] == [kept.record.id for kept in ask("how do we authenticate?").used]
    assert () == ask("how many decisions do we have?").used


def test_asking_writes_nothing(ask: Any, keep: Any, memory: Memory) -> None:
    """Whatever is asked, every record and its history stay as they are."""
    kept = keep("Authenticate with JWT")
    for question in (
        "how do we authenticate?",
        "what changed today?",
        "how many decisions?",
        "when did we choose JWT?",
    ):
        ask(question)

    assert kept.record == memory.find(kept.record.id).record
    assert 1 == len(memory.history(kept))


def test_who_said_it_is_answered_with_the_speaker(ask: Any, keep: Any) -> None:
    """Every memory has one, so the subject alone must fit."""
    kept = keep("Use pnpm, never npm")

    assert f"Use pnpm, never npm [{kept.record.id}], added by hand on 2026-02-20." == ask("who said to use pnpm?").text


def test_the_end_of_something_is_the_day_it_was_replaced(ask: Any, keep: Any, memory: Memory, clock: Any) -> None:
    """Not the day it began; and what was never replaced holds still."""
    old = keep("Jobs run in Sidekiq")
    clock.tick(days=9)
    new = keep("Jobs run in GoodJob")
    memory.supersede(old, new, reason="one less server")
    redis = keep("Cache quotes in Redis")

    assert ask("when did we drop Sidekiq for jobs?").text.startswith(
        f"2026-03-01: Jobs run in GoodJob [{new.record.id}]"
    )
    assert f"It still holds, since 2026-03-01: Cache quotes in Redis [{redis.record.id}]." == (
        ask("when did we stop to cache quotes in Redis?").text
    )


def test_what_is_asked_if_it_still_holds_is_told_since_when(ask: Any, keep: Any) -> None:
    """With the day it began."""
    kept = keep("Deploy with Kamal")

    assert f"Since 2026-02-20: Deploy with Kamal [{kept.record.id}]." == ask("do we still deploy with Kamal?").text


def test_what_changed_goes_by_when_it_was_said(ask: Any, keep: Any, memory: Memory, clock: Any) -> None:
    """A memory of January that is written down in February is no news of February."""
    said = clock() - timedelta(days=45)
    keep("Use pnpm")
    late = Record(
        RecordId("dec-late"), Primitive.DECISION, "Use Luxon for dates", "", clock(), clock(), valid_from=said
    )
    with memory.target().store.change("agent", "read late") as change:
        change.create(late)

    assert "Luxon" not in ask("what changed in the last two weeks?").text
    assert "2026-01-06, new: Use Luxon for dates [dec-late]." == ask("what changed in January 2026?").text


@pytest.mark.parametrize("question", ["whats new", "what’s new", "what's new"])
def test_an_apostrophe_may_be_left_out(ask: Any, keep: Any, question: str) -> None:
    """As people type."""
    kept = keep("Use Luxon for dates")

    assert f"2026-02-20, new: Use Luxon for dates [{kept.record.id}]." == ask(question).text


def test_of_two_that_differ_the_last_word_comes_first_and_the_other_says_so(keep, ask, clock):
    """Nobody has decided which holds: whoever asks should see both, in their order."""
    before = keep("Access tokens expire after 15 minutes").record
    clock.tick(days=30)
    after = keep("Access tokens expire after one hour").record

    first, second, *_ = ask("when do access tokens expire?").sentences

    assert f"Access tokens expire after one hour [{after.id}]." == first.text
    assert f"15 minutes [{before.id}] (open: [{after.id}], said later, says otherwise)." in second.text


def test_a_later_exception_is_told_beside_the_rule(keep, ask, clock):
    """The rule alone would mislead."""
    rule = keep("Never run terraform apply from a laptop, only the GitHub Actions pipeline may do that").record
    clock.tick(days=30)
    title = "Terraform apply from a laptop is allowed in the sandbox account, everywhere else it's still pipeline only"
    exception = keep(title).record

    told = [sentence.ids[0] for sentence in ask("may I run terraform apply from my laptop?").sentences]

    assert {rule.id, exception.id} <= set(told)


def test_a_past_time_in_a_question_is_answered_with_what_held_then(
    ask: Any, keep: Any, memory: Memory, clock: Any
) -> None:
    """And says what became of it."""
    clock.tick(days=-600)
    old = keep("Feature tables live in Redshift").record
    then = clock()
    clock.tick(days=500)
    new = keep("Feature tables live in Snowflake").record
    memory.supersede(memory.find(old.id), memory.find(new.id), reason="moved")
    clock.tick(days=100)

    found = ask(f"where did feature tables live in {then:%B %Y}?")

    assert found.text.startswith(f"Feature tables live in Redshift [{old.id}] (replaced ")
    assert ask("where do feature tables live?").text.startswith("Feature tables live in Snowflake")


def summary(memory, clock, title: str, body: str = "") -> RecordId:
    record = replace(Draft(Primitive.SUMMARY, title, body).record(clock()), run_id="aaa111")
    with memory.target(None).change("lerim", "sync") as change:
        return change.create(record).id


def test_what_was_said_since_and_ends_it_is_told_before_a_summary(keep, ask, memory, clock):
    """What a session told was so then; nothing is said of what goes on."""
    body = "## Session Summary\n\n**Intent:** The blog cms is wordpress 6, the shop reads its posts.\n"
    summary(memory, clock, "Purge the blog cache on publish", body)
    clock.tick(days=60)
    keep("The shop reads its prices from the warehouse")
    told = ask("which cms is the blog on?").text
    assert "wordpress 6" in told and "since then" not in told

    clock.tick(days=1)
    since = keep("We leave wordpress for ghost").record

    told = ask("which cms is the blog on?").text
    assert told.startswith(f"We leave wordpress for ghost [{since.id}] (before, 20")
    assert "wordpress 6" in told


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Don't put anything live on fridays after lunch", "can I deploy on a friday afternoon?"),
        ("Don't put anything live on fridays after lunch", "may we ship on fridays?"),
        ("Nobody goes live on a friday", "is it ok to release on fridays?"),
        ("Never deploy on fridays", "can this go live on friday?"),
    ],
)
def test_going_live_is_one_deed_in_whatever_words(keep, ask, said, question):
    rule = keep(said).record

    assert [rule.id] == [kept.record.id for kept in ask(question).sources]


def test_a_session_that_has_but_a_title_with_one_word_of_it_is_no_answer(ask, memory, clock):
    summary(memory, clock, "Fix the checkout footer on small screens")

    assert not ask("which provider takes the money at checkout?").supported


@pytest.mark.parametrize("rest", ["Everything else out", "Ja genau", "You can drop the old default for refunds"])
def test_the_rest_of_a_message_is_not_told_beside_its_point(keep, ask, rest):
    keep("Keep refunds open till the end of the year", f"Keep refunds open till the end of the year. {rest}.")

    assert rest not in ask("how long are refunds open?").text


def test_what_goes_on_with_the_point_is_told_beside_it(keep, ask):
    keep("Keep refunds open till the end of the year", "They go out by bank transfer.\n\nWhy: Old orders come back.")

    assert 2 == len(ask("how long are refunds open?").sentences)


def session(memory, clock, title: str, *, then: str = "", run_id: str = "bbb222") -> RecordId:
    """The summary of a session, as sync writes one: what was wanted in a row, and what came of it."""
    wanted = f"{title}. Then: {then}" if then else title
    body = f"## Session Summary\n\n**Intent:** {wanted}.\n\n**Outcome:** Done. Changed `src/one.py`.\n"
    record = replace(Draft(Primitive.SUMMARY, title, body).record(clock()), run_id=run_id)
    with memory.target(None).change("lerim", "sync") as change:
        return change.create(record).id


BUILD = (
    "No unity builds, we have ccache. With it the second build takes 20 s; Rule: vendored code lives in extern/ only"
)


@pytest.mark.parametrize(
    ("title", "then", "question", "told"),
    [
        ("Try unity builds, the build takes 6 min", BUILD, "do we use unity builds", "No unity builds"),
        ("Try unity builds, it takes 6 min", BUILD, "where does vendored code live", "lives in extern/"),
        ("Soak tests are flaky", "Who runs the soak tests? mika runs them", "who runs soak tests", "mika runs"),
        ("Plots look odd", "Plots are 120 mm wide, legend below", "how wide are the plots", "Plots are 120 mm wide"),
        ("Disk fills up", "We keep traces for two weeks; Ship it", "how long do we keep traces", "two weeks"),
        ("The door opens late", "Set the relay timeout to 4 s; Ship it", "what is the relay timeout", "timeout to 4 s"),
        ("Alerts", "Page when a queue is over 70 percent; Queue pages are noisy. 90 percent", "queue page threshold",
         "noisy: 90 percent"),
    ],
)  # fmt: skip
def test_one_sentence_of_a_session_answers_whatever_else_it_speaks_of(ask, memory, clock, title, then, question, told):
    """What was ruled, not what was first wanted or complained of; a name in small letters is one."""
    session(memory, clock, title, then=then)

    assert told in ask(question).text


@pytest.mark.parametrize(
    "question",
    [
        "who draws the plots",
        "how long do we keep backups",
        "which port is it",
        "what is the mesh size",
        "do we use bazel",
    ],
)
def test_what_no_sentence_says_stays_unanswered(ask, memory, clock, question: str) -> None:
    """However many sentences speak of something near."""
    session(memory, clock, "The plots look odd", then="Plots are 120 mm wide; We keep traces for two weeks; " + BUILD)

    assert not ask(question).supported


def test_the_last_word_of_two_sessions_is_told_first_and_the_first_as_history(ask, memory, clock):
    """Or the first, where that is what is asked for."""
    first = session(memory, clock, "Orbits drift", then="The step tolerance is 1e-6; Ship it", run_id="aaa111")
    clock.tick(days=3)
    last = session(
        memory, clock, "Orbits are slow", then="The step tolerance becomes 1e-4 from now on", run_id="ccc333"
    )

    assert "1e-4" in ask("what is the step tolerance").text.partition(f"[{last}]")[0]
    assert f"(before, 2026-02-20: The step tolerance is 1e-6 [{first}])" in ask("what is the step tolerance").text
    assert "1e-6" in ask("what was the step tolerance at first").text.partition(f"[{first}]")[0]


def test_what_held_first_is_told_first_where_it_is_asked_for(keep, ask, memory, clock):
    """And since when something else holds."""
    old = keep("Uploads are limited to 5 GB")
    clock.tick(days=30)
    new = keep("Uploads are limited to 20 GB")
    memory.supersede(old, new, reason="more room")

    told = ask("what was the upload limit at first").text

    assert told.index(f"5 GB [{old.record.id}]") < told.index(f"20 GB [{new.record.id}]")


def test_why_gets_the_reason_and_what_happened_the_effect(ask, memory, clock):
    """That it is so is no reason."""
    then = "Root cause the planner statistics were stale since the upgrade. Run analyze; Push it"
    session(memory, clock, "Nightly export takes 4h", then=then)
    session(memory, clock, "Panel crashes on resize", then="Push it", run_id="ddd444")

    assert "Root cause the planner statistics were stale" in ask("why was the nightly export slow").text
    assert "Nightly export takes 4h" in ask("what happened when the planner statistics were stale").text
    assert not ask("why does the panel crash on resize").supported


def test_what_was_decided_on_something_is_told_whole_and_newest_first(keep, ask, memory, clock):
    """With what was replaced told as such."""
    old = keep("Upload quota is 5 GB per tenant")
    clock.tick(days=10)
    other = keep("Request quota is 1000 an hour for each key").record
    clock.tick(days=10)
    new = keep("Upload quota is 20 GB per tenant")
    memory.supersede(old, new, reason="more room")

    told = ask("what did we decide about quotas").text

    assert told.index(new.record.id) < told.index(other.id)
    assert f"(before: Upload quota is 5 GB per tenant [{old.record.id}], replaced" in told


@pytest.mark.parametrize(
    ("title", "then", "question"),
    [
        ("Jenkins drives me up the wall", "Clean the disk of the agents", "are we on jenkins?"),
        ("Should we take godot or unity", "Look at the fees first", "which engine do we use, godot or unity?"),
        ("What about a co-op mode, the publisher wants it", "Show me the sync code", "do we have a co-op mode?"),
        ("Talking of licences, the seats are down all day", "See who is on call", "what if the seats are down?"),
        ("The renderer had two passes", "Draw the second one", "are we on two renderer passes?"),
        ("Memory of the streamer stays 300, no more megs", "Ship it", "what is the memory limit of the audio mixer?"),
    ],
)  # fmt: skip
def test_who_asks_complains_or_opens_a_talk_answers_nothing(ask, memory, clock, title, then, question):
    """Nor does what is told of something else, or how it was."""
    session(memory, clock, title, then=then)

    told = ask(question)

    assert title.split(",")[0] not in told.text, told.text


@pytest.mark.parametrize(
    ("title", "then", "question", "said"),
    [
        (
            "The login crashes on old phones after the third try",
            "Ship it",
            "does the login crash?",
            "The login crashes",
        ),
        ("Which bundler", "Rollup as the bundler: webpack made me cry", "which bundler do we use?", "Rollup as"),
        ("Hm", "Upload retries are 8 with a pause", "how many times does the upload retry?", "8 with"),
    ],
)
def test_a_complaint_answers_who_asks_for_it(ask, memory, clock, title, then, question, said):
    """And behind a colon it is the reason of what was chosen."""
    session(memory, clock, title, then=then)

    assert said in ask(question).text


def test_what_was_only_offered_is_no_answer(ask, memory, clock):
    """Nobody knows which item of a list was taken; what happened is told of the past."""
    body = (
        "## Session Summary\n\n**Intent:** Decide on the storage of the phone.\n\n**What happened:**\n"
        "- Stay with Hive and add a second box.\n- Drift with a journal.\n"
        "- Photos are written into the shared folder, one row each.\n"
    )
    summary(memory, clock, "Decide on the storage of the phone", body)

    assert "Stay with Hive" not in ask("hive or drift on the phone?").text
    assert "shared folder" in ask("where are photos written?").text


def test_a_thing_may_be_who_does_it(ask, keep):
    """But not what it is done to."""
    keep("Only the webhook sets orders to paid")
    keep("The invoice is printed at night")

    assert "webhook" in ask("who sets orders to paid?").text
    assert not ask("who prints the invoice?").supported


def test_what_a_session_said_last_leads(ask, memory, clock):
    """Although nobody has decided yet."""
    session(memory, clock, "We use natbib for the references", then="Ship it")
    clock.tick(days=2)
    session(memory, clock, "No natbib anymore, biblatex with numeric", then="Ship it")

    assert "No natbib anymore" in ask("do we use natbib?").text.splitlines()[0]


def test_which_files_were_changed_does_not_answer_a_question_that_only_was_asked(ask, memory, clock):
    body = "**Intent:** Shall we use vite or webpack.\n\n**Outcome:** Done. Changed `vite.config.ts`.\n"
    summary(memory, clock, "Shall we use vite or webpack", body)

    assert not ask("which bundler do we use?").supported


def of_session(memory, clock, run_id: str, title: str, *, then: str = "", happened: str = "", done: str = "") -> None:
    """The summary of a session that was held now, as sync writes one."""
    wanted = f"{title}. Then: {then}" if then else title
    parts = [
        f"**Intent:** {wanted}.",
        f"**What happened:**\n- {happened}." if happened else "",
        f"**Outcome:** Done. Changed `src/one.py`. {done}",
    ]
    body = "## Session Summary\n\n" + "\n\n".join(filter(None, parts)) + "\n"
    record = replace(Draft(Primitive.SUMMARY, title, body).record(clock()), run_id=run_id, coding_agent="claude")
    with memory.target(None).change("lerim", "sync") as change:
        change.create(record)
    clock.tick(days=3)


@pytest.mark.parametrize(
    ("earlier", "later", "question", "last"),
    [
        ("Trays are watered every 6 hours", "Water trays every 4 hours now", "how often are trays watered", "4 hours"),
        (
            "Sven signs the lab reports",
            "Sven is away, from now on dora signs the lab reports",
            "who signs lab reports",
            "dora",
        ),
        ("Scans are kept for 30 days", "Scans are kept for 90 days", "how long are scans kept", "90 days"),
        (
            "The hull drag limit is 12 newton",
            "Hull drag limit 15 newton, 12 is too little",
            "what is the hull drag limit",
            "15",
        ),
    ],
)
def test_the_last_of_two_sessions_is_told_first(ask, memory, clock, earlier, later, question, last):
    """What the one before it said stands behind it, with its day."""
    of_session(memory, clock, "aaa111", "Set up the rig", done=f"{earlier}.")
    of_session(memory, clock, "bbb222", "Look after the rig", then=later)

    told = ask(question).text

    assert last in told.splitlines()[0].partition("(before")[0], told


def test_what_a_later_session_says_of_half_of_it_is_told_beside(ask, memory, clock):
    of_session(memory, clock, "aaa111", "Set up the kennel app", then="Feeding reminders go out every 8 hours")
    of_session(memory, clock, "bbb222", "Reminders nerve the staff", then="Reminders every 12 hours")
    of_session(memory, clock, "ccc333", "Paint the fence", then="Second coat after 24 hours")

    told = ask("how often do feeding reminders go out").text

    assert "12 hours" in told and "24 hours" not in told


@pytest.mark.parametrize(
    ("title", "then", "happened", "question", "cause"),
    [
        (
            "The ferry map takes 9 seconds to open",
            "Draw it once",
            "Each buoy asks the chart server by itself, 300 requests before the first tile",
            "why is the ferry map slow to open",
            "Each buoy",
        ),
        (
            "Pick a queue for the labels",
            "Sidekiq, resque is unmaintained",
            "",
            "why sidekiq and not resque",
            "unmaintained",
        ),
        (
            "Sort the sample fridge",
            "Label tubes by hand, the printer is broken",
            "",
            "why do we label tubes by hand",
            "broken",
        ),
        (
            "Torque on the arm",
            "Torque limit 40, 55 strips the gears",
            "",
            "why is the torque limit 40",
            "strips the gears",
        ),
        ("Backups", "Backups to tape, the auditor wants it", "", "why backups to tape", "auditor wants it"),
    ],
)
def test_a_reason_is_told_however_it_was_said(ask, memory, clock, title, then, happened, question, cause):
    of_session(memory, clock, "aaa111", title, then=then, happened=happened)

    assert cause in ask(question).text


@pytest.mark.parametrize(
    ("then", "question"),
    [
        ("No login for the kiosk, it stands in our hall", "why is there a login on the kiosk"),
        ("The kiosk runs in the hall now", "why does the kiosk run in the hall"),
        ("The kiosk is limited to ten users", "why is the kiosk limited"),
    ],
)
def test_what_gives_no_reason_of_it_is_no_answer_to_why(ask, memory, clock, then, question):
    of_session(memory, clock, "aaa111", "Set up the kiosk", then=then)

    assert not ask(question).supported


@pytest.mark.parametrize(
    ("then", "question"),
    [
        ("Sales asked for salesforce", "do we use salesforce"),
        ("Piet thinks we should buy a plotter", "do we have a plotter"),
        ("Or we print the badges at home", "do we print badges at home"),
        ("Brauchen wir einen plotter", "brauchen wir einen plotter"),
    ],
)
def test_what_was_only_asked_for_or_offered_is_not_told_as_so(ask, memory, clock, then, question):
    of_session(memory, clock, "aaa111", "Talk about the fair", then=then)

    assert not ask(question).supported


def test_a_choice_is_told_with_what_was_asked(ask, memory, clock):
    of_session(memory, clock, "aaa111", "Marketing asked for a newsletter tool", then="Listmonk, self hosted")

    assert "Listmonk, self hosted" in ask("which newsletter tool do we use").text


@pytest.mark.parametrize(
    ("said", "question", "told"),
    [
        ("Der Hofladen öffnet um 9 Uhr", "wann öffnet der Hofladen?", "9 Uhr"),
        ("Jana muss neue Lieferanten freigeben", "wer muss neue Lieferanten freigeben?", "Jana"),
        ("Le stock est compté par Luc", "qui compte le stock ?", "Luc"),
    ],
)
def test_a_question_in_another_language_is_understood_by_its_question_words(ask, keep, said, question, told):
    keep(said)

    assert told in ask(question).text
    assert not ask("wer ist der Hausmeister?").supported
    assert not ask("wie viele Hühner haben wir?").supported


def test_the_explanation_does_not_contradict_the_answer(ask, keep):
    """What would have been enough by itself says why it was passed over."""
    keep("The dock scale holds 600 kg")
    keep("The dock scale is calibrated in May")

    lines = ask("how many kg does the dock scale hold?").explained()

    assert not any("not " in line and "support 0.9" in line and "of 0.5" in line for line in lines)
