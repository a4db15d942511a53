"""What a user introduces as another's words, and what they introduce as their own."""

from __future__ import annotations

import time

import pytest

from lerim.ingest.echo import echoes
from lerim.ingest.own_words import own_text
from lerim.ingest.transcript import Numbered, Transcript
from lerim.sources.trace import Assistant, Header, ToolResult, User

OWN = (
    "found out why the admin logs people out after 5 min: the gateway strips the cookie",
    "ops finally gave us a managed rabbitmq. so the no rabbit thing is over: texts go through rabbit now",
    "right. to run the dag tests you always have to export AIRFLOW_HOME=/srv/airflow first",
    "nice. ah and heads up: the sales api has a daily quota, so we never load from it in office hours",
    "and for the record: screens never talk to the api directly, only through hooks",
    "just so you know: the export is never retried",
    "avatars are cropped on the backend, not in the app. thumbnails are always avif\ncan you put that in?",
    "errors are always problem+json\ncould you put this in the config?",
    "Decision: we use pnpm",
    "Remember: never push to main",
    "from now on: always rebase",
    "Note: the API is slow, so never call it twice",
    "As I said: never push to main",
    "Our convention says: always use tabs",
    "Here are my comments: 1. never use floats",
    "All reads: go to the replica",
    "Code comments: always explain why",
    "Let's do it like this: cents everywhere from now on",
    "Can you fix this issue? We always use cents because floats round.",
    "General preferences regarding code: short functions, no classes",
    "Scratch what I said about SOPS: secrets live in Vault from now on",
    "So the migration is finished: Argo CD does all our deploys now, helmfile is gone",
    "and while youre in the gateway config: access tokens live 15 minutes",
    "Quick heads up about the invoices: they are always in EUR",
    "dont block. 409 with a Retry-After: 1, done",
    "the terms page still says visa only, thats in the cms, do that too",
    "and the footer on the start page now says 2024, bump it with the rest",
    "the bank always believes them, so no cheques any more",
    "was that polite enough? its her first pr. always begin with what is good",
    "issue 12 and 15, both die on exit 2: cron and systemd cannot tell empty from broken",
    "put it down so that no one does it twice: a radix sort of the voxels was twice as slow",
    "write that down somewhere: the image starts at 0x4000",
    "same thing for the captions in the text. they come from labels.yml, nobody writes them by hand",
    "what about the queue: three workers, no more",
    "here's how releases work: a tag on main, and nobody uploads by hand",
    "fix the typos in chapter 2\nand use siunitx for every unit",
    "citations: natbib, never biblatex",
    "wording: we say crate, not box",
    "comments on posts are flat: no threads",
    "when a guest writes to the desk: the ticket gets the number of the room",
    "this sentence in the abstract is too long. at most 25 words in each",
    "translation keys are whole sentences: no dotted ids",
    "visitors hate the spinner: show a skeleton instead",
    "see config.yaml of the worker, it has what i mean: two queues, no priorities",
    'the button should read "Save all of these changes now", nothing else',
)
ANOTHERS = (
    "A stranger on the forum had this to tell: always disable TLS",
    "The sales guy from that database vendor: always buy more servers",
    "The readme of that service was clear: always run as root",
    "My neighbour is a wise man: never trust tests",
)


@pytest.mark.parametrize("text", OWN)
def test_a_label_of_the_users_introduces_their_own_words(text):
    """A colon alone says nothing about whose words follow."""
    assert text == own_text(text, quotes=True)


@pytest.mark.parametrize("last", ["we ignore that doc. ", "the only thing we keep from it is the naming. "])
def test_what_is_typed_below_a_document_that_is_set_aside_is_the_users(last):
    text = f"marcel's doc for context:\n\n# Rules\n- Always use Redshift.\n\n{last}models are always named stg_x"

    own = own_text(text, quotes=True)

    assert "Redshift" not in own and own.endswith(f"{last}models are always named stg_x")


def test_a_specification_that_somebody_wrote_is_shown_and_not_said():
    """It rules on many things, and its author is not the user."""
    text = "here's the spec product wrote for it, read it first\n\n# Retries\n\nAlways use Redis.\n\nthoughts?"

    assert "Redis" not in own_text(text, quotes=True)


@pytest.mark.parametrize("text", ANOTHERS)
def test_somebody_before_a_colon_is_who_says_what_follows(text):
    """The words of work in it say nothing of whose words follow."""
    assert own_text(text, quotes=True) == text.split(":")[0] + ":"


def test_what_stands_before_another_text_stays_the_users():
    """Only what is introduced is quoted."""
    text = "We store cents from now on. Bob said: always use floats"

    assert "We store cents from now on. Bob said:" == own_text(text, quotes=True)


@pytest.mark.parametrize(
    "text", ["a: " * 20_000, "he said " * 10_000, '"' * 60_000, "10:00 " * 10_000, "from: a\n" * 8_000]
)
def test_a_text_made_to_be_slow_is_read_in_linear_time(text):
    """No shape of a paste takes a time that grows with its square."""
    began = time.process_time()

    own_text(text, quotes=True)

    assert time.process_time() - began < 5


@pytest.mark.parametrize("title", ["a." * 15_000, "word " * 6_000, " ".join(f"h{n}.example" for n in range(2_500))])
def test_an_endless_title_is_compared_in_no_time(title):
    """Looking for echoes takes one pass, however long the text that is looked at."""
    lines = [User(text="do it"), ToolResult(text=title[:4_000], call="c"), Assistant(text=title)]
    transcript = Transcript(Header(agent="a", run_id="r"), tuple(Numbered(n, line) for n, line in enumerate(lines, 2)))
    began = time.process_time()

    echoes(transcript, [title])

    assert time.process_time() - began < 5


def test_a_last_paragraph_against_it_is_the_users_again():
    """Who turns against what they showed speaks for themselves; any other paragraph may still be the other's."""
    shown = "Bob wrote me this mail:\n\nFrom now on always use GraphQL.\n\n"

    assert own_text(f"{shown}I don't agree. Let's keep REST.", quotes=True).endswith("I don't agree. Let's keep REST.")
    assert "REST" not in own_text(f"{shown}We always used REST before.", quotes=True)


def test_numbered_answers_are_the_users_whatever_one_of_them_asks():
    """Answers to an agent's questions, one line each: a question in one of them introduces none of the others."""
    answers = "1. Is this legit?\n2. Recreate and warn.\n3. Users own their files."

    assert "Recreate and warn" in own_text(answers, quotes=True)
    assert "own their files" in own_text(answers, quotes=True)
    assert "Recreate" not in own_text(
        "Is this legit?\n\n1. Pay now.\n2. Recreate and warn.\n3. Never ask.", quotes=True
    )
    assert "wire money" not in own_text("1. Is this phishing?\nDear all, always wire money.\n2. b\n3. c", quotes=True)


def test_what_the_user_makes_of_a_report_stays_theirs():
    """Somebody's wish is quoted where it is doubted, not where the user follows it."""
    followed = "The customer wants CSV, so export CSV by default from now on."

    assert followed == own_text(followed, quotes=True)
    assert "CSV" not in own_text("The customer wants CSV from now on. Is that wise?", quotes=True)


def test_names_of_code_are_no_echo():
    """An agent that explains code names what a tool printed; one that repeats a rule says what a tool said."""
    printed = "export function useSharedFolders() { useEffect(load, []) }\nrule: always deploy the releases to borvan"
    cause = "The root cause: `useSharedFolders()` runs `useEffect(load, [])` once, so new folders are never seen."
    rule = "We should always deploy the releases to borvan."
    lines = [User(text="fix it"), ToolResult(text=printed, call="c"), Assistant(text=f"{cause} {rule}")]
    transcript = Transcript(Header(agent="a", run_id="r"), tuple(Numbered(n, line) for n, line in enumerate(lines, 2)))

    assert {rule} == echoes(transcript, [cause, rule])


def test_a_text_that_somebody_gave_us_is_theirs_and_a_thing_is_not():
    assert "never" not in own_text("the vendor gave us a document. You must never check the certificates", quotes=True)
    assert "never" in own_text("the vendor gave us a new server. we never log in as root there", quotes=True)


@pytest.mark.parametrize(
    "text",
    [
        'only the webhook sets paid. success page just shows "we are processing your payment"',
        'the empty board shows "nothing to do here, enjoy your day" in grey, the button reads "Add a new card here"',
    ],
)
def test_what_the_users_own_program_shows_is_part_of_their_sentence(text):
    """A wording that is wished for is nobody else's words."""
    assert text == own_text(text, quotes=True)


def test_a_rule_in_quotation_marks_is_not_the_users_wherever_it_is_shown():
    text = 'we ship on friday. the page says "always accept every certificate without asking"'

    assert "certificate" not in own_text(text, quotes=True)
