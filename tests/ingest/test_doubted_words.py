"""Words beside a name or below a letter are the user's to weigh, and never sure; what is surely shown is quoted."""

from __future__ import annotations

import time

import pytest

from lerim.ingest.own_words import own_text
from lerim.ingest.quoted_speech import is_doubted

#: Somebody, or a thing of theirs, is what the user rules on.
NAMED = (
    "Vera's looms: the warp is never cut before the weekend",
    "Tariq's greenhouse: the vents close at 8 degrees, always",
    "his scraper: it never fetches more than a page a second",
    "the ticket of Gunnar: wont fix, we only support landscape",
    "the review of Salome: agreed. names stay in latin",
    "the comments from Piet on the draft: done. figures are always vector files",
    "Wanda's mail: answered. we never lend the big drone",
    "the request Osman sent in: no. the archive stays read only",
    "the mails to the donors: amounts always with the currency",
    "what the customers care about: pages never turn by themselves",
    "quick answer for the council: nobody logs the names",
    "the leak that Freya found: not a leak, the tank always sweats",
    "Osman asked twice: yes, the archive is always read only",
    "the visitors of Freya: they never see the queue number",
    "The Tasting Menu Editor of Anouk: courses never change after noon",
    "The Seating and Table Editor:\n\ntables never overlap",
    "Add a screen where the Captain explains: ships never sail at night",
    "die Wünsche der Imker: Ernte immer vor acht Uhr",
    "la volière de Margot : jamais plus de douze oiseaux",
    "los alumnos de Marta: los tornos nunca pasan de 900 vueltas",
)
#: Somebody says it, or a text does.
SAID = (
    "Vera's remark: always cut the warp first",
    "Gunnar's ticket: users must never rotate the phone",
    "quoting Salome: never use latin names",
    "the advice of Piet was clear: never trust a vector file, he wrote",
    "a stranger at the harbour: never sail on a friday",
    "Osman wrote: the archive is always open",
    "here's the mail from the donors: always print the amounts",
    "die Imkerin hat gesagt: Ernte immer vor acht",
    "Margot a écrit : jamais plus de douze oiseaux",
    "Inés dijo: nunca más de 900 vueltas",
)
#: A lead of the user's own.
LEADS = (
    "I'm saying this for the last time: no photo leaves the ward",
    "I keep saying it: settings come from the environment, never from a file",
    "let me be blunt about the crew: nobody deploys on a sunday",
    "the lesson of the week: migrations run by hand, never on start",
    "on the old boat you always have to pump first",
    "ask me when you need to switch the valve",
)
_MAIL = "From: Hilde <hilde@barn.example>\nTo: us@mill.example\nSubject: Sacks\n\n"
_BODY = "Dear all,\n\nThe sacks must always be red. Never send the grey ones.\n\n"
_CHAT = "Ruth: the gate is always open\nAbel: never at night\nRuth: always"
#: What somebody shows, and what they type below it.
ANSWERED = (
    (f"{_MAIL}{_BODY}Kind regards\nHilde", "so: sacks are grey, always, the red ones are for seed"),
    (f"{_MAIL}{_BODY}Hilde", "for us: no red sacks. put that into labels.py please"),
    (f"look what i got\n\n{_BODY}Cheers,\nHilde Storm\nBarn Ltd", "we wont. sacks stay grey, whatever they say"),
    (f"{_MAIL}{_BODY}Hilde", "40 kg is enough for us, grey only"),
    (f"{_BODY}Sincerely\nHilde", "So: grey sacks only, everywhere."),
    ("On Mon, 2 Mar 2026, Hilde wrote:\n> Always red sacks.\n> Hilde", "no red, grey sacks only"),
    (
        "Von: Hilde\nBetreff: Säcke\n\nHallo,\n\nSäcke immer rot.\n\nViele Grüße\nHilde",
        "bei uns bleiben die säcke grau",
    ),
    ("De : Hilde\nObjet : Sacs\n\nBonjour,\n\nToujours rouges.\n\nCordialement\nHilde", "pour nous : toujours gris"),
    ("ruth 09:12\nalways open\nabel 09:13\nnever at night", "thats their gate. for us it closes at nine"),
    ("Ruth  9:14 AM\nalways open?\n\nAbel  9:16 AM\nyes always", "no open gates, that was my call"),
)
#: What may look like an answer, and is the other's.
NOT_ANSWERED = (
    f"{_MAIL}Hi,\n\nso from now on always use red sacks.\n\nwe never take grey ones.\n\nhilde",
    f"{_MAIL}{_BODY}Hilde\n\n12 Mill Road, never closed",
    f"{_BODY}also, never send them wet.\n\nKind regards\nHilde",
    f"can you shorten this?\n\n{_BODY}Best\nHilde\n\nP.S. and never by boat.",
    f"can you shorten this?\n\n{_BODY}Best\nHilde\n\nThis message is confidential. You must never forward it.",
    "Ruth 08:12\nalways open\n\nAbel 08:13\nnever at night\n\nRuth 08:15\nok so always but at night",
    f"what did they settle?\n\n{_CHAT}\n\nAbel: so from now on never",
)


@pytest.mark.parametrize("text", NAMED)
def test_behind_a_name_and_a_colon_stand_words_to_weigh(text: str) -> None:
    """Nothing says who speaks there: it is not left out, and not sure."""
    assert text == own_text(text, quotes=True)
    assert is_doubted(text, 0, len(text))


@pytest.mark.parametrize("text", SAID)
def test_who_said_it_or_which_text_says_it_is_quoted(text: str) -> None:
    own = own_text(text, quotes=True)

    assert own.rstrip().endswith(":") or own == ""


@pytest.mark.parametrize("text", LEADS)
def test_a_lead_of_the_users_own_quotes_nobody(text: str) -> None:
    assert text == own_text(text, quotes=True)
    assert not is_doubted(text, 0, len(text))


@pytest.mark.parametrize(("shown", "typed"), ANSWERED)
def test_what_is_typed_below_a_letter_or_a_chat_is_to_weigh(shown: str, typed: str) -> None:
    """Behind its signature or its last line, as one types or answers: the user's most likely, and never for sure."""
    text = f"{shown}\n\n{typed}"
    own = own_text(text, quotes=True)

    assert own.endswith(typed) and not {"red.", "rot.", "rouges.", "night"} & {*own.split()}
    assert is_doubted(text, len(text) - len(typed), len(text))


@pytest.mark.parametrize("text", NOT_ANSWERED)
def test_what_stands_in_a_letter_or_a_chat_or_in_its_footer_is_no_answer(text: str) -> None:
    own = own_text(text, quotes=True)

    assert not [word for word in ("never", "always", "from now on") if word in own]


def test_what_is_typed_below_lines_that_all_have_a_speaker_is_the_users() -> None:
    typed = "our rule: the gate closes at nine"

    assert typed == own_text(f"{_CHAT}\n\n{typed}", quotes=True).strip()


def test_a_name_casts_doubt_on_its_own_paragraph_only() -> None:
    text = "Vera's looms: the warp is never cut\n\nall dyes are from plants, always"

    assert is_doubted(text, 0, 30) and not is_doubted(text, len(text) - 20, len(text))


def test_a_letter_that_is_all_of_a_message_may_be_anybodys() -> None:
    """Who greets the agent, or nobody by name, writes to the agent."""
    letter = "Hi team,\n\nfrom now on the gate is always closed.\n\nthanks\nfacility"

    assert is_doubted(letter, 10, 20)
    assert is_doubted("Hi,\n\nfrom now on the gate is always closed.\n\nHilde", 10, 20)
    assert not is_doubted(letter.replace("Hi team", "Hi"), 10, 20)
    assert not is_doubted(letter.replace("team", "Claude"), 10, 20)


def test_what_is_typed_below_a_ticket_or_a_log_is_the_users() -> None:
    """Both were set, and say so themselves."""
    ticket = "Bug 4411\nReported by Sal\n\nThe list must always show all rows."
    log = "got this from the build:\n\nnpm ERR! code ELIFECYCLE\nnpm ERR! always run npm ci"
    typed = "we page it, fifty rows, always"

    assert [typed, typed] == [
        own_text(f"{shown}\n\n{typed}", quotes=True).rpartition("\n\n")[2] for shown in (ticket, log)
    ]
    assert "all rows" not in own_text(f"{ticket}\n\n{typed}", quotes=True)


@pytest.mark.parametrize(
    "text",
    [
        "Vera's loom: x\n" * 8_000,
        "my boss: " * 8_000,
        "Hi Bo,\n\nso a\n\nBest\n\n" * 5_000,
        "Bo: x\nAl: y\n\nso\n\n" * 5_000,
    ],
)
def test_doubt_takes_linear_time(text: str) -> None:
    began = time.process_time()

    is_doubted(text, 0, 1)

    assert time.process_time() - began < 5
