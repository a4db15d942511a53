"""How memories are said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import Kind
from lerim.ingest.signals.kinds import sort_of
from lerim.ingest.signals.phrasing import Reasoned, reasoned
from lerim.ingest.signals.plain_words import agents_statement, fitting, headline, plain, statement
from lerim.ingest.signals.reading import SessionReading
from lerim.ingest.signals.selection import weigh
from lerim.ingest.signals.spelling import Speller
from lerim.ingest.signals.titles import is_passing, settles, stands_alone
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.wording import quotes, worded
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("ok, so let's keep both names", "Keep both names"),
        ("hmm, I think we should drop the cache please", "Drop the cache"),
        ("can we also move the scripts to tools/?", "Move the scripts to tools/?"),
        ("we should call it max_jobs as well to be consistent", "Call it max_jobs as well to be consistent"),
        ("remember: the CI runs in Berlin time", "The CI runs in Berlin time"),
        ("useState is fine", "useState is fine"),
        ("ouch. ok the key is composite everywhere", "The key is composite everywhere"),
        ("yikes. suppress the small cells", "Suppress the small cells"),
        ("second. the channel stays open for 300 s", "The channel stays open for 300 s"),
        ("ah ok. hm. good morning, we tag every release", "Tag every release"),
        ("Morning shifts start at six", "Morning shifts start at six"),
        ("Second readers get their own queue", "Second readers get their own queue"),
    ],
)
def test_small_talk_is_left_out(words: str, title: str) -> None:
    """A title begins where the statement does; nothing inside it is touched."""
    assert title == statement(words)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("We use pnpm everywhere in this repo, never npm", "Use pnpm everywhere in this repo, never npm"),
        ("I prefer tests against the real Postgres", "Prefer tests against the real Postgres"),
        ("Rule for the future: invariants belong into the database", "Invariants belong into the database"),
        ("From now on we store all times in UTC", "Store all times in UTC"),
        ("I don't want any global state in handlers", "No global state in handlers"),
        ("I don't want you to push without asking", "Do not push without asking"),
        ("let's not use Redis for this", "Do not use Redis for this"),
        ("we must never log tokens", "Never log tokens"),
        ("we don't need backward compatibility", "No need for backward compatibility"),
        ("Write functions, I don't want classes in tests", "Write functions, no classes in tests"),
        ("In the dockerfiles, I want you to run npm ci first", "In the dockerfiles, run npm ci first"),
    ],
)
def test_a_title_has_no_speaker(words: str, title: str) -> None:
    """What we do and what I want is said as what to do."""
    assert title == statement(words)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (
            "Now we use flat files, but since the update some are corrupted",
            "Now we use flat files, but since the update some are corrupted",
        ),
        ("so far we trust the redirect, which is stupid", "So far we trust the redirect, which is stupid"),
        ("currently we keep the logs for a year but the disk is full",) * 2,
        ("Now we use pnpm everywhere, but never in the image", "Use pnpm everywhere, but never in the image"),
    ],
)
def test_how_it_is_now_and_what_is_wrong_with_it_is_no_advice(words: str, title: str) -> None:
    """Nobody shall go on with what is complained of."""
    assert title.lower() == statement(words).lower()


@pytest.mark.parametrize(
    "words",
    [
        "We have three workers in production",
        "We will lose the data when the worker restarts",
        "We only see it on Windows",
        "We keep getting errors from the gateway",
        "I don't want the agent to wait for the build",
        "No mocks in the store tests",
        "No-op caches are fine",
        "Right padding must be four pixels",
        "No usar npm en este repositorio",
        "Wir nutzen pnpm überall, auch in der Shell",
        "I test devono girare su Postgres",
        "我们使用 pnpm，因为它更快",
    ],
)
def test_what_is_no_order_and_no_english_stays_as_it_is(words: str) -> None:
    """A fact must not become an order, nor a prohibition its opposite, nor another language a fragment."""
    assert words == reasoned(statement(words)).statement


@pytest.mark.parametrize(
    ("words", "apart"),
    [
        ("Use Celery with Redis then, because we need retries", Reasoned("Use Celery with Redis", "we need retries")),
        (
            "Keep the API stable, since clients pin its version",
            Reasoned("Keep the API stable", "clients pin its version"),
        ),
        (
            "Since the lockfile is pnpm-lock.yaml, always use pnpm here",
            Reasoned("always use pnpm here", "the lockfile is pnpm-lock.yaml"),
        ),
        ("Do it because I say so", Reasoned("Do it because I say so")),
        ("Ship all new pages as they are", Reasoned("Ship all new pages as they are")),
        (
            "Install all packages with pnpm, as it keeps them apart",
            Reasoned("Install all packages with pnpm", "it keeps them apart"),
        ),
        (
            "The val score is 0.91 since the refactor, before it was 0.79",
            Reasoned("The val score is 0.91 since the refactor, before it was 0.79"),
        ),
        (
            "The job takes 40 minutes since the last big release",
            Reasoned("The job takes 40 minutes since the last big release"),
        ),
        (
            "Keep the old importer, since the migration drops rows",
            Reasoned("Keep the old importer", "the migration drops rows"),
        ),
        (
            "The import job has failed since we moved the server",
            Reasoned("The import job has failed since we moved the server"),
        ),
        (
            "The cache went, not because it was slow but it leaked",
            Reasoned("The cache went, not because it was slow but it leaked"),
        ),
    ],
)
def test_a_reason_is_split_off_when_the_statement_stands_without_it(words: str, apart: Reasoned) -> None:
    """A time is no reason, and what would say too little keeps its own."""
    assert apart == reasoned(words)


@pytest.mark.parametrize(
    "title",
    [
        "Remove this again",
        "It is slow",
        "Does the parser cope",
        "Should the parser cope with tabs",
        "That needs to be set to one",
        "Use option B because of the lazy loading",
        "Keep the two of them apart in the …",
        "The service keeps its state in the",
        "And the queue must be drained first",
        "If the templates are the source",
        "MUST ALWAYS USE ALL THE SKILLS AND AGENTS",
        "The cache (of the loader must go",
        "Never projected from your end",
        "For #33 there must be no prior art",
        "We always see null here",
        "Use your suggested approach for proprietary formats",
        "The current way with the session key is",
        "Don't changing the reasoning effort of the agents",
    ],
)
def test_a_title_that_points_asks_or_breaks_off_does_not_stand_alone(title: str) -> None:
    """Who reads a title has not read the session."""
    assert not stands_alone(title)


@pytest.mark.parametrize(
    "title",
    [
        "Remove the cache again",
        "This repo uses pnpm",
        "Always use pnpm here",
        "Never force-push to main, since others build on it",
        "The seats should show the user's name when they sit in them, rather than UUIDs",
        "Where should users find their public key: Settings page",
        "If there is a settings.json already, ask before it is updated",
    ],
)
def test_a_title_that_names_its_subject_stands_alone(title: str) -> None:
    """A pronoun is no trouble when what it stands for comes first, nor is a condition that says what follows."""
    assert stands_alone(title)


@pytest.mark.parametrize(
    "title",
    [
        "Fix the failing test in the parser",
        "First, let me find the relevant components",
        "Confirm that the role is only set on insert",
        "Show me the list of changes to avoid the failure",
        "The fuel type is not populating when adding a vehicle",
        "I have a white screen error in the browser",
        "Defaulting to grep might be the wiser choice",
        "You've just updated the wrong section",
        "Produce a report of the findings, but don't implement yet",
        "We were waiting on the organization to be approved",
        "The name will cause trouble with the other agent",
        "Ensure we have a ticket for the parser",
        "We need a way to manage settings for filaments",
        "The API key is [redacted:openai-key:0cfdda]",
    ],
)
def test_errands_reports_doubts_and_talk_pass(title: str) -> None:
    """What is done, seen or wondered about in a session is over with it."""
    assert is_passing(title)


@pytest.mark.parametrize(
    "title",
    [
        "Never output large code dumps unless I ask",
        "The same user should not be able to join the same table twice",
        "After each device is added, update the changelog and the help files",
        "Split as orpheus-head (formula) and orpheus-head-app (cask)",
        "Move away from any mythology references beyond the name",
        "Use binary search insertion instead of sort-after-push for book levels",
        "The test database is in the project root and is called shop.db",
        "Add no endpoint without a test, never skip the review",
    ],
)
def test_rules_choices_and_names_last(title: str) -> None:
    """What rules, forbids, chooses or defines says by itself that it holds."""
    assert settles(title)
    assert not is_passing(title)


def test_a_body_has_the_choice_first_and_why_apart(talk: Talk) -> None:
    """ "2 please" says nothing to who reads the memory later; the option it names does, and so does the reason."""
    offer = "1. **npm workspaces** come with node.\n2. **pnpm workspaces** keep the packages apart.\n\nWhich one?"
    [choice] = SessionReading(
        conversation(talk(("user", "set it up"), ("agent", offer), ("user", "2 please")))
    ).user_readings[1:]
    session = SessionReading(
        conversation(
            talk(
                ("user", "set it up"),
                ("agent", offer),
                ("user", "2 please. We use pnpm everywhere in this repo, because npm mixes the packages."),
            )
        )
    )
    reasons = worded(session.user_readings[-1], session)

    assert worded(choice, session).body.startswith("Pnpm workspaces keep the packages apart.")
    assert reasons.body.startswith("We use pnpm everywhere in this repo.\n\nWhy: Npm mixes the packages.")
    assert "Chosen: Pnpm workspaces keep the packages apart." in reasons.body
    assert "Use pnpm everywhere in this repo" in reasons.title


def test_that_it_shall_be_remembered_is_no_part_of_it(talk: Talk) -> None:
    said = "We deploy the shop on any weekday now. Please remember that. Every merge to main goes out by itself."
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    body = worded(session.user_readings[0], session).body

    assert "remember" not in body.lower()
    assert body.startswith("We deploy the shop on any weekday now. Every merge")


def test_a_body_tells_nothing_that_is_over_tomorrow(talk: Talk) -> None:
    """What was pushed, whether tests pass, and what somebody does next is no part of a rule."""
    session = SessionReading(
        conversation(
            talk(
                ("user", "Please write tests as plain pytest functions with fixtures, no unittest classes here."),
                ("agent", "All 24 tests pass, written as pytest functions with fixtures. Not pushed yet."),
                ("user", "good, push it. I'll do the compose file myself"),
                ("agent", "Pushed."),
            )
        )
    )
    rule, errand = session.user_readings[0], session.user_readings[-1]

    body = worded(rule, session, errand).body

    assert "pytest functions with fixtures" in body
    assert "push" not in body.lower()
    assert "tests pass" not in body


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("Building the mockup now. The seats show nicknames, the lobby reads them from the table.", "The seats show"),
        ("Question 1 of ~4: the seats name a table. The nickname of a player is in the table.", "The nickname"),
        ('raise LobbyError("seats need a nickname. Set it in the table.") The seats have it.', "The seats have"),
    ],
)
def test_a_body_begins_to_tell_where_the_agent_speaks_of_what_was_agreed(talk: Talk, reply: str, kept: str) -> None:
    """What the agent was at, what it asked next and pieces of its code say nothing of it."""
    offer = "Should the seats in the lobby show the nickname of the player from the table?"
    said = talk(("user", "What about the lobby?"), ("agent", offer), ("user", "yes, do that"), ("agent", reply))
    session = SessionReading(conversation(said))

    told = worded(session.user_readings[-1], session).body.split("\n\n")

    assert [part[: len(kept)] for part in told[1:]] == [kept]


def test_what_an_agent_makes_of_a_ruling_is_not_the_users(talk: Talk) -> None:
    """It may be overruled in the next turn: the body of what says enough by itself has the user's words alone."""
    rule = "The seats in the lobby should always show the nickname of the player from the table."
    session = SessionReading(conversation(talk(("user", rule), ("agent", "The nickname is read from a cookie."))))

    assert rule == worded(session.user_readings[0], session).body


def test_an_offer_becomes_what_was_offered() -> None:
    """ "Want me to …?" that was agreed to is what is done."""
    assert "Rename the event to `TurnEnd`" == agents_statement("Want me to rename the event to `TurnEnd`?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add .env* to gitignore", "add .env* to gitignore"),
        ("run `ruff format *.py` and test_*.py", "run `ruff format *.py` and test_*.py"),
        ("see src/**/*.py and __init__.py", "see src/**/*.py and __init__.py"),
        ("**Bold**, *slanted* and __both of it__", "Bold, slanted and both of it"),
        (
            "allow `Bash(a:*)` and `Bash(b:*)`, drop `__pycache__`",
            "allow `Bash(a:*)` and `Bash(b:*)`, drop `__pycache__`",
        ),
    ],
)
def test_stars_of_names_are_no_emphasis(text: str, expected: str) -> None:
    assert expected == plain(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("erst im Frontend", "erst im Frontend"),
        (
            "Commits bitte im Imperativ schreiben, nie im alten Stil",
            "Commits bitte im Imperativ schreiben, nie im alten Stil",
        ),
        ("im using uv, i dont like pip", "I'm using uv, I don't like pip"),
    ],
)
def test_only_english_is_spelled_as_english(text: str, expected: str) -> None:
    assert expected == Speller([], []).mended(text)


def test_markdown_becomes_plain_words() -> None:
    """Bold, links, bullets and tables are for screens."""
    assert "Use the guide: now" == plain("- **Use** [the guide](https://x.example/y):\n now")
    assert "stack: last in, first out" == plain("| **stack** | last in, first out |")


def test_a_long_text_ends_after_a_sentence_or_says_that_it_goes_on() -> None:
    """No body stops in the middle as if it were complete."""
    assert "One two three four." == fitting("one two three four. five six seven", 6)
    assert fitting("one two three four five six seven eight", 4).endswith("…")


def test_a_question_stays_a_question() -> None:
    """ "Can we keep both?" is no order to keep both, even without the talk around it."""
    assert "Keep both names?" == headline(statement("can we keep both names?"))
    assert "What is the limit?" == headline(statement("what is the limit?"))
    assert statement("is it possible to set up a mirror?").startswith("Is it possible")


@pytest.mark.parametrize(
    "words",
    [
        "Wait for the results of the run",
        "So far the run looks clean",
        "Lets users pick a folder",
        "Make sure we ship no maps",
    ],
)
def test_a_word_that_belongs_to_the_statement_is_not_small_talk(words: str) -> None:
    """What leads in elsewhere may be what is said."""
    assert words == statement(words)


def test_what_holds_on_a_condition_is_not_said_without_it(talk: Talk) -> None:
    """ "If the build fails, do not deploy" must not become "Do not deploy"."""
    said = "If the nightly build of the firmware fails on one of the boards, do not deploy the release to the field"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    assert said == worded(session.user_readings[0], session).title


def test_a_reason_is_no_title(talk: Talk) -> None:
    """What is asked for comes before why."""
    said = "Never show the recovery tree in the sidebar of the editor since the options are always there as commands"
    session = SessionReading(conversation(talk(("user", said), ("agent", "Understood."))))

    assert (
        "Never show the recovery tree in the sidebar of the editor" == worded(session.user_readings[0], session).title
    )


def test_a_sentence_without_a_mark_ends_where_the_next_one_begins(talk: Talk) -> None:
    """People type two sentences as one; a title is the one that says it."""
    said = "we should move away from any mythology references beyond the orpheus name this should be a plain tool"
    reading = SessionReading(conversation(talk(("user", said), ("agent", "Fine.")))).user_readings[0]
    session = SessionReading(conversation(talk(("user", said))))

    assert "Move away from any mythology references beyond the orpheus name" == worded(reading, session).title


def test_a_clause_that_belongs_to_its_verb_is_not_cut_off(talk: Talk) -> None:
    """ "The page must ensure it is …" goes on."""
    said = "The banner of the checkout page must ensure it is never shown to guests of the shop"
    session = SessionReading(conversation(talk(("user", said))))

    assert said == worded(session.user_readings[0], session).title


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        (
            "Q: Which storage engine should the worker use for its jobs?\nA: SQLite file",
            "Storage engine the worker should use for its jobs: SQLite file",
        ),
        (
            "Q: Should the broker continue to support GitHub callers?\nA: Both issuers",
            "Whether the broker should continue to support GitHub callers: Both issuers",
        ),
        (
            "Q: How should the graph skill position itself beside the search skill?\nA: Complementary",
            "How the graph skill should position itself beside the search skill: Complementary",
        ),
        (
            "Q: For Google callers, where should the ID token be supplied to the broker?\nA: Header only",
            "For Google callers, where the ID token should be supplied to the broker: Header only",
        ),
        ("Q: Which port?\nA: 8080 for all services", "Port: 8080 for all services"),
    ],
)
def test_an_answer_is_led_by_what_was_asked_and_asks_nothing(talk: Talk, answer: str, title: str) -> None:
    """A question in another order says what its answer is about; one that cannot be turned stays."""
    session = SessionReading(conversation(talk(("user", "go on"), ("agent", "One thing."), ("answer", answer))))

    assert title == worded(session.user_readings[-1], session).title


def test_a_headline_is_short() -> None:
    """A title is a line."""
    assert len(headline("word " * 100)) <= 162


def test_slips_are_mended_by_the_words_of_the_session() -> None:
    """A word nobody else uses, one letter from one the agent uses, was a slip; names and code are not touched."""
    speller = Speller(["The threshold is high. A threshold of 5.", "Use verzel_deploy."], ["increase the threashold"])

    assert "increase the threshold, because it's verzel_deploy" == speller.mended(
        "increase the threashold, bcz it's verzel_deploy"
    )


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("the squash on the server keeps the trailers", Kind.INSIGHT),
        ("The loader assumes config is present and the job won’t affect later steps", Kind.PITFALL),
        ("the squash on the server should keep the trailers", None),
    ],
)
def test_how_a_thing_is_differs_from_how_it_shall_be(talk: Talk, words: str, kind: Kind | None) -> None:
    """A sentence about a thing is a fact until it orders something."""
    session = SessionReading(
        conversation(talk(("user", "look into the merge"), ("agent", "Looking."), ("user", words)))
    )

    assert kind == sort_of(session.user_readings[-1])[1]


def test_a_usual_word_is_no_slip() -> None:
    """ "Contract" stays, however often the agent says "contrast"; a sentence full of slips is known for one."""
    speller = Speller(["The contrast is low. More contrast."], ["the spirit of the contract"])

    assert "the spirit of the contract" == speller.mended("the spirit of the contract")
    assert speller.is_garbled("we have refe of what wer proviosuly buitl")
    assert not speller.is_garbled("Every new addition to the code base needs a comment citing the ticket")
    # A name that no dictionary has is no slip.
    assert not speller.is_garbled("Use pytest everywhere in this repo, never unittest")
    assert not speller.is_garbled("Deploy with kubectl, never with kustomize alone")


def test_what_only_one_may_do_is_named_by_what_was_said_before() -> None:
    """ "May do that" points to its own sentence; "fix that" to somewhere else."""
    assert stands_alone("Never run terraform apply from a laptop, only the pipeline may do that")
    assert not stands_alone("Only the pipeline may fix that")


def test_the_quote_keeps_the_slip(talk: Talk) -> None:
    """The title is mended, the evidence never."""
    transcript = talk(
        ("user", "the threashold must never be below ten"),
        ("agent", "Agreed, the threshold stays above ten. The threshold is checked at start."),
    )
    session = SessionReading(conversation(transcript))
    [reading] = session.user_readings

    assert "threshold" in worded(reading, session).title
    assert "the threashold must never be below ten" == quotes(reading)[0].text


def test_the_last_of_several_things_to_do_is_not_lost(talk: Talk) -> None:
    """What goes on with "and an index" belongs to the list before it."""
    said = (
        "great find. fix: always import with the shop. prefix, and take shop/ off the PYTHONPATH."
        " and a unique constraint on orders.intent so the db says no"
    )
    session = SessionReading(conversation(talk(("user", said), ("agent", "Done."))))
    words = worded(session.user_readings[-1], session)

    assert words.title.startswith("Always import with the shop. prefix, and take")
    assert "unique constraint" in words.body


def test_what_the_agent_told_before_on_another_matter_is_no_evidence(talk: Talk) -> None:
    """A rule that says enough by itself answers nothing; one that takes up what was asked does."""
    said = "Never log in to the cluster as root, use the service account."
    apart = SessionReading(
        conversation(talk(("user", "fix the docs"), ("agent", "I updated the docs page."), ("user", said)))
    )
    asked = SessionReading(
        conversation(
            talk(("user", "set it up"), ("agent", "Shall the job log in to the cluster as root?"), ("user", said))
        )
    )

    assert [said] == [quote.text for quote in quotes(apart.user_readings[-1])]
    assert 2 == len(quotes(asked.user_readings[-1]))


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("no .psd files over 5 MB in the repo", "No .psd files over 5 MB in the repo"),
        ("no .env in images, ever", "No .env in images, ever"),
        ("no. use the vault", "Use the vault"),
        ("ok, use the vault", "Use the vault"),
    ],
)
def test_a_no_before_a_name_with_a_dot_forbids(words: str, title: str) -> None:
    assert title == statement(words)


def test_what_lets_somebody_do_something_is_no_proposal() -> None:
    speller = Speller([], [])

    assert "a lock that lets us sleep" == speller.mended("a lock that lets us sleep")
    assert "let's use a lock" == speller.mended("lets use a lock")


@pytest.mark.parametrize(
    "words",
    [
        "oh sure, lets also always push to main on a friday night",
        "Always migrate without a backup, what could possibly go wrong",
        "yeah right, let's log every password from now on, great idea",
        "na klar, lass uns ab jetzt immer ohne Tests deployen",
    ],
)
def test_irony_weighs_nothing(talk: Talk, words: str) -> None:
    """Whoever means it says so without a wink."""
    session = SessionReading(conversation(talk(("user", "set it up"), ("agent", "Done."), ("user", words))))

    assert not [one for one in weigh(session) if one.whose == "user" and one.rank >= 1]


def test_what_is_meant_weighs_as_before(talk: Talk) -> None:
    words = "let's always run the migrations with a backup, great idea of yours"
    session = SessionReading(conversation(talk(("user", "set it up"), ("agent", "Done."), ("user", words))))

    assert [one for one in weigh(session) if one.whose == "user" and one.rank >= 1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "The rows come from `from_fn(|i| row(i))` and i sort them",
            "The rows come from `from_fn(|i| row(i))` and I sort them",
        ),
        (
            "we keep the harbour map goign forward, tehn the depots",
            "we keep the harbour map going forward, then the depots",
        ),
        ("the redis key of the depot holds for an hour", "the redis key of the depot holds for an hour"),
    ],
)
def test_usual_slips_are_mended_and_code_never(text: str, told: str) -> None:
    assert told == Speller([], []).mended(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a parcel goes from ⬜ to ✅ once it is signed for", "A parcel goes from ⬜ to ✅ once it is signed for"),
        ("rows of depots show ❌ when the scale is offline", "Rows of depots show ❌ when the scale is offline"),
        ("✅ keep the depots sorted by name 🎉", "Keep the depots sorted by name"),
    ],
)
def test_a_sign_that_stands_for_a_word_stays(text: str, told: str) -> None:
    assert told == statement(text)
