"""A page or a review beside what somebody typed: what was typed above and below it is the user's, and nothing else."""

from __future__ import annotations

import time

import pytest

from lerim.ingest.own_words import own_text

WIKI = """Ordering reagents
Last updated by L. Brandt on 2022-05-02

Every order goes through the stock room. Orders above 200 euros must always be signed by the head of the group. Never
order from a catalogue on paper.

To get an account, ask the stock room and wait for the mail. Accounts must be renewed each spring.

- acids: in person only
- solvents: in drums, always with a data sheet"""
REVIEW = """Reviewer 3: The study is sound, but the authors must always state the temperature. Figure 2 lacks a
scale bar. The authors should never pool the two cohorts."""
REPORT = """Referee report (first round)

I have read the manuscript with interest. All spectra must be shown on one scale. Abbreviations are never explained."""
MINUTES = """Attendees: Ines, Pavel, Noor

1. Noor: we will always ship on Mondays
2. The old gateway must never be restarted by hand"""
PRAISE = """Lovely game, but the stick should always be on the left side. After a defeat there are far too many adverts.
The music never stops when the phone is locked. It drains the battery in an hour. Two stars from a long time player."""

SHOWN = (WIKI, REVIEW, REPORT, MINUTES, PRAISE)
ABOVE = "the stock room closed and we order from the web shop ourselves now."
BELOW = "please look where the repo still assumes the old way, we fix that today"


@pytest.mark.parametrize("shown", SHOWN)
def test_what_is_typed_above_and_below_a_page_is_the_users(shown):
    """Nothing announces it: it has a title, a date, a speaker, or whole sentences where the user types as they talk."""
    own = own_text(f"{ABOVE}\n\n{shown}\n\n{BELOW}", quotes=True)

    assert own.split() == f"{ABOVE} {BELOW}".split()


@pytest.mark.parametrize("shown", [WIKI, REVIEW, REPORT, MINUTES])
def test_what_says_whose_it_is_needs_nothing_typed_in_a_hurry(shown):
    """Users who write with capitals paste as well."""
    own = own_text(f"Please sort these into todo.md by figure.\n\n{shown}", quotes=True)

    assert own.strip() == "Please sort these into todo.md by figure."


def test_a_page_above_what_speaks_of_it_is_its_authors():
    page = "Ordering reagents\n\nEvery order goes through the stock room. Never order by phone."
    last = "thats the page of the old lab. we order by phone, the shop has no web form"

    assert last == own_text(f"{page}\n\n{last}", quotes=True).strip()


@pytest.mark.parametrize(
    "heading",
    [
        "so i asked in the channel and mikkel answered",
        "greptile wrote",
        "the insurers want all of this from us, which of it do we have",
        "remarks from the panel, add what is about axes to todo.md",
        "requirements of the agency, make a checklist in docs/",
        "mail from the landlord:",
        "ticket 311",
        "the data sheet:",
        "ines in slack:",
        "summary of the last session by codex:",
        "see what the bot left on the branch",
        "der vermieter will das hier, was davon haben wir",
        "voici les remarques du client, fais une liste",
        "header that the insurers want",
    ],
)
def test_who_says_it_or_wants_it_above_a_gap_is_who_says_what_follows(heading):
    own = own_text(f"{heading}\n\nAll rooms must always be locked. Never lend a key.", quotes=True)

    assert "key" not in own and own.startswith(heading[:20])


@pytest.mark.parametrize(
    "last",
    [
        "so lock the lab, the office stays open",
        "put that on the door of the lab, not of the office",
        "the office is not ours, only the lab",
        "first one is right, the second is not for us",
    ],
)
def test_what_is_typed_below_an_announced_text_is_the_users(last):
    """However short the text is: it is set, and what is below it is typed and said to the agent."""
    own = own_text(
        f"The handbook of the house says\n\nAll rooms must always be locked. Never lend a key.\n\n{last}", quotes=True
    )

    assert own.endswith(last) and "key" not in own


@pytest.mark.parametrize(
    "text",
    [
        "What I want from the move:\n\n- no downtime, ever\n- the old table stays readable\n\nStart with the schema.",
        "i thought about the saves. each patch breaks them.\n\nFrom the next patch on we write json. Old ones go.",
        "ok next, payments\n\nAdd a page for refunds. It shows 30 days. Only admins see it. Use the table we have.",
        "Rules for the editor:\n\nNever block the window. Settings are kept per folder. A crash shows a banner.",
        "My view after the call\n\nThe api stays. The web client moves. Old clients get a banner until March.",
        "context: two apps, one library.\n\nGoal: the shop imports no admin.\n\nConstraints: no new packages.",
        "Hi,\n\nwe need to talk about the importer. Each batch is one transaction.\n\nThanks",
        "mails to guests:\n\n- plain text only\n- never with a tracking pixel",
        "from experience: the bus drops a frame per minute, so always send twice",
        "as the spec says: frames are 20 ms, everywhere",
        "the mail from ines made me think: we ship on Thursdays from now on",
        "the panel is right about the units: SI everywhere",
        "documentation of the pin: strapped, never an output",
        "noch was zum import von gestern.\n\nImport\n\nWir schreiben nur noch JSON. Alte Dateien werden gelesen.",
        "here is how the game works, in short\n\nThe hero has three lives. Each foe has a colour. Red foes explode. "
        "The boss comes at level ten. Lives never come back, whatever is eaten. The map of the first world stays open.",
        "what i want from this export\n\n- one row per visit\n- never the date of birth\n\nstart with the query",
        "the folder of the docs is for users: nothing internal in there",
        "answers to your questions:\n\n1. Yes\n2. The queue stays\n3. Only admins may",
        "some background first\n\nOur customers are dentists. They work offline.\n\nso the newer entry wins, per field",
    ],
)
def test_a_brief_of_several_paragraphs_is_its_authors(text):
    """Lists, headings and whole sentences are typed as well."""
    assert text == own_text(text, quotes=True)


@pytest.mark.parametrize(
    "text", ["a\n\n" * 20_000, "Title\n\nA sentence here. " * 5_000, "Reviewer 1: a\n\nb\n\n" * 5_000]
)
def test_a_text_of_many_paragraphs_is_read_in_linear_time(text):
    began = time.process_time()

    own_text(text, quotes=True)

    assert time.process_time() - began < 5
