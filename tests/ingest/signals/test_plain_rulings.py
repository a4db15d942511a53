"""What a terse user rules: in the midst of small talk, with a figure, by a bare answer, and what they put right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.rulings import parted, points_away, rules_plainly
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.units import user_units
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

#: So much that the session is not thin.
_WORK = "please rework the plotting of the tide gauges so that each station has its own panel and a common axis. " * 9


def _found(transcript: Transcript) -> list[Candidate]:
    done = extract(transcript, EmbeddedEngine())
    return [one for one in (*done.candidates, *done.review) if "tide gauges" not in one.quotes[0].text]


def _after(talk: Talk, said: str, reply: str, then: str = "Understood.") -> list[Candidate]:
    return _found(talk(("user", _WORK), ("agent", said), ("user", reply), ("agent", then), ("user", "thanks")))


@pytest.mark.parametrize(
    "said",
    [
        "and no jpeg anywhere, use webp for the maps",
        "no threads in the parser, an event loop in the host",
        "cap the batch at 300",
        "ok. log lines go thru trace()",
        "we never rebase shared branches",
        "from today coordinates are in wgs84",
        "max 6 retries",
        "spaces, not tabs",
        "every table gets a comment",
        "fields are named in snake case",
        "stop adding semicolons",
        "the heartbeat is too slow, send it every 5 s",
        "rate limit on the export -> 20",
        "dont write to flash from the isr, ever",
    ],
)
def test_some_forms_rule_plainly(said: str) -> None:
    assert rules_plainly(said)


@pytest.mark.parametrize(
    "said",
    [
        "no tests needed",
        "still no legend in the plot",
        "no idea why",
        "give me 5 minutes",
        "wait a minute",
        "give me three options",
        "the build takes 20 minutes",
        "it fails after 30 seconds",
        "all tests pass",
        "everything goes through now",
        "move the button 5px lower",
        "yes do option 1",
        "no, not in the header",
        "should we cap the batch at 300?",
        "i had no luck with 3 retries",
    ],
)
def test_reports_requests_and_questions_do_not(said: str) -> None:
    assert not rules_plainly(said)


def test_a_ruling_in_the_midst_of_small_talk_is_kept(talk: Talk) -> None:
    """And what the agent reported of something else is no evidence of it."""
    before, said = "Done. The cache lives for seven days now.", "good. and no jpeg anywhere, use webp for the maps"
    [found] = _after(talk, before, said, "I changed the maps.")

    assert (Tier.SURE, "No jpeg anywhere, use webp for the maps") == (found.tier, found.title)
    assert all("seven days" not in quote.text for quote in found.quotes)


def test_the_ruling_is_the_point_and_not_what_somebody_complains_of_before(talk: Talk) -> None:
    said = "our readers drop out in the tunnel. lets give it 20 seconds before we hang up"
    [found] = _after(talk, "The reader reconnects at once.", said, "I raised the limit in `reader.c`.")

    assert "give it 20 seconds before we hang up" in found.title
    assert "20 seconds" in found.body


def test_what_a_ruling_names_only_by_a_pronoun_is_told_as_the_agent_took_it_up(talk: Talk) -> None:
    before = "Drafts are purged after 36 hours: `PURGE_HOURS = 36` in `jobs/purge.py`."
    [found] = _after(
        talk, before, "ah. 36 was my number, too short. give them a week", "Done. The purge is at 7 days now."
    )

    assert ("The purge is at 7 days", Tier.REVIEW) == (found.title, found.tier)
    assert "give them a week" in found.body
    assert any("PURGE_HOURS" in quote.text for quote in found.quotes)


@pytest.mark.parametrize(
    ("said", "units"),
    [
        (
            "errors go to the audit log. and stop adding banners",
            ["errors go to the audit log.", "and stop adding banners"],
        ),
        (
            "money is always in cents, and no floats in the ledger",
            ["money is always in cents", "no floats in the ledger"],
        ),
        ("watchdog at 2s. and every task gets a name", ["watchdog at 2s.", "and every task gets a name"]),
        ("uploads hang in the tunnel. make it 20 seconds", ["uploads hang in the tunnel. make it 20 seconds"]),
    ],
)
def test_two_rulings_are_two_statements(talk: Talk, said: str, units: list[str]) -> None:
    """And one that says of what it is only with the sentence before it stays with that."""
    assert units == [unit.text for unit in user_units(conversation(talk(("user", said), ("agent", "Understood."))))]


def test_what_is_no_two_rulings_is_not_parted() -> None:
    assert () == parted("use the gauge reader and the tile cache, and tell me what happens")
    assert points_away("make it 5 minutes")
    assert not points_away("cap the batch at 300")


@pytest.mark.parametrize(
    ("said", "then", "title"),
    [
        ("charts stay 90 days. no wait, the auditor says 30. so 30", "Charts set to 30 days.", "Charts set to 30 days"),
        (
            "gauges report in feet. hm actually no, metres, the port wants metres",
            "Ok.",
            "Metres, the port wants metres",
        ),
    ],
)
def test_what_the_next_sentence_puts_right_stands_nowhere(talk: Talk, said: str, then: str, title: str) -> None:
    found = _after(talk, "Here is the draft.", said, then)

    assert [title] == [one.title for one in found]
    assert not any(wrong in one.body for one in found for wrong in ("90", "feet"))


_OPTIONS = (
    "Three ways:\n1. Keep readings in a ring buffer in RAM.\n2. Write each reading to the flash log.\n"
    "3. Send readings at once over MQTT.\nWhich one do you prefer?"
)


@pytest.mark.parametrize(
    ("reply", "title", "body"),
    [
        ("2", "Write each reading to the flash log", "Write each reading to the flash log."),
        (
            "1 and 3. no modbus",
            "Keep readings in a ring buffer in RAM; Send readings at once over MQTT: no modbus",
            "Keep readings in a ring buffer in RAM; Send readings at once over MQTT. No modbus.",
        ),
        (
            "second one but with a checksum",
            "Write each reading to the flash log, but with a checksum",
            "Write each reading to the flash log, but with a checksum.",
        ),
    ],
)
def test_what_was_chosen_is_the_point_with_what_was_added(talk: Talk, reply: str, title: str, body: str) -> None:
    """And the question below the last option is no part of it."""
    [found] = _after(talk, _OPTIONS, reply)

    assert (title, body) == (found.title, found.body.split("\n")[0])
    assert found.confidence >= LIKELY


def test_everything_that_was_chosen_is_evidence(talk: Talk) -> None:
    [found] = _after(talk, _OPTIONS, "1 and 3")

    assert ["1 and 3", "Keep readings in a ring buffer in RAM.", "Send readings at once over MQTT."] == [
        quote.text for quote in found.quotes
    ]


def test_bare_figures_answer_what_was_asked(talk: Talk) -> None:
    asked = "Flushing costs 40 ms. How many readings shall a batch hold, and how many batches a minute?"
    [found] = _after(talk, asked, "100 and 6")

    assert "How many readings shall a batch hold, and how many batches a minute: 100 and 6" == found.title
    assert found.confidence >= LIKELY


def test_bare_figures_that_nobody_asked_for_are_nothing(talk: Talk) -> None:
    assert [] == _after(talk, "12 passed. Shall I run the long suite as well?", "100 and 6")


def test_an_answer_to_the_question_tool_is_the_users_word(talk: Talk) -> None:
    """Whatever a file said before, and although the tool repeats it."""
    question = "How should missing depths be stored in the gauges table?"
    found = _found(
        talk(
            ("user", _WORK),
            ("tool", "-- how should missing depths be stored in the gauges table? leave null for now"),
            ("agent", "I looked at the schema."),
            ("tool", f'User has answered your questions: "{question}"="Leave NULL". You can now continue.'),
            ("answer", f"Q: {question}\nA: Leave NULL"),
            ("agent", "Understood, I leave them NULL."),
        )
    )

    assert ["How missing depths should be stored in the gauges table: Leave NULL"] == [one.title for one in found]
    assert found[0].confidence >= LIKELY


def test_an_answer_keeps_the_question_that_the_tool_repeats(talk: Talk) -> None:
    question, answer = "When should failed stations be polled again?", "Nightly at 3, and only twice"
    [found] = _found(
        talk(
            ("user", _WORK),
            ("agent", "I looked at it."),
            ("tool", f'User has answered your questions: "{question}"="{answer}". You can now continue.'),
            ("answer", f"Q: {question}\nA: {answer}"),
            ("agent", "Understood."),
        )
    )

    assert "When failed stations should be polled again: Nightly at 3, and only twice" == found.title


@pytest.mark.parametrize(
    "said",
    [
        "thats only on the lab pc, i do that on monday",
        "btw i copy the old tiles over myself",
        "im on vacation from monday, lena does the review",
    ],
)
def test_what_the_user_does_alone_once_is_no_memory(talk: Talk, said: str) -> None:
    assert [] == _after(talk, "I changed the build script.", said, "Fine.")


def test_a_cause_is_hidden_by_no_other_cause(talk: Talk) -> None:
    one = "**Root cause:** the tile cache keys its entries by zoom only, so two layers overwrite each other."
    other = "**Root cause:** the gauge reader counts retries in a signed byte and wraps after 127 of them."
    found = _found(
        talk(
            ("user", _WORK),
            ("agent", one),
            ("user", "and why does the reader hang on the pier?"),
            ("agent", other),
            ("user", "yep that was it"),
        )
    )

    assert any("signed byte" in candidate.title for candidate in found)


@pytest.mark.parametrize(
    "said",
    [
        "the timeout stays at 30 seconds even if i change the config",
        "every button in the toolbar is misaligned",
        "no redirect after login, it stays on the login page",
        "make the header 2 px smaller, no shadow on it",
        "the loop goes through all items twice",
        "bump it to 3 for the test",
        "keep it at 900 words this time",
    ],
)
def test_what_may_be_a_report_or_a_wish_for_once_is_not_kept(talk: Talk, said: str) -> None:
    """Somebody may still look at it."""
    assert Tier.SURE not in [one.tier for one in _after(talk, "Here it is.", said)]


@pytest.mark.parametrize(
    "said",
    [
        "we report medians, never means, the data is skewed",
        "cheat console stays in dev builds only",
        "in tables use two decimals",
        "every query against orders goes through the replica",
        "thx. dont write logs from the isr, ever",
    ],
)
def test_what_hardly_anybody_says_of_anything_else_is_kept(talk: Talk, said: str) -> None:
    assert [Tier.SURE] == [one.tier for one in _after(talk, "Here it is.", said)]


@pytest.mark.parametrize(
    "said",
    [
        "merge to release only with two approvals",
        "rotate the keys only through the vault job",
        "patient data is exported only by the data office",
        "the bucket may only hold public files",
        "no third party fonts whatsoever",
        "no ads of any kind, not even our own",
        "no trackers, no beacons, no fingerprints, ever",
        "don't ever reuse a seed between runs",
        "on no account mail the parents from staging",
        "under no circumstances delete rows from the audit table",
        "strictly no personal names in fixtures",
    ],
)
def test_the_one_way_and_what_shall_never_be_are_kept(talk: Talk, said: str) -> None:
    """Also in a session of a few words."""
    found = _found(talk(("user", "show me"), ("agent", "It is ready."), ("user", said), ("agent", "Understood.")))

    assert [Tier.SURE] == [one.tier for one in found]


@pytest.mark.parametrize(
    "said",
    ["Rechnungen gehen nur über die Buchhaltung raus", "auf keinen Fall Passwörter per Mail schicken"],
)
def test_the_same_in_german_is_likely(talk: Talk, said: str) -> None:
    found = _found(talk(("user", "zeig mal"), ("agent", "Fertig."), ("user", said), ("agent", "Verstanden.")))

    assert any(one.confidence >= LIKELY for one in found)


@pytest.mark.parametrize(
    "said",
    [
        "it only works with the vpn on",
        "the menu opens only on the second click",
        "tests were run only on my machine",
        "the data is only from last week",
        "no response whatsoever",
        "no errors at all now",
        "run it only for the first ten rows this time",
    ],
)
def test_what_only_happens_so_is_not_kept(talk: Talk, said: str) -> None:
    assert not any(one.tier is Tier.SURE for one in _after(talk, "The plots are ready.", said))
