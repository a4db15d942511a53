"""Rules that were taken back in the same breath, or undone later in the session, are not kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _all(transcript: Transcript) -> list[str]:
    found = extract(transcript, EmbeddedEngine())
    return [candidate.title for candidate in (*found.candidates, *found.review)]


def _sure(transcript: Transcript) -> list[str]:
    return [candidate.title for candidate in extract(transcript, EmbeddedEngine()).candidates]


@pytest.mark.parametrize(
    ("said", "ruled"),
    [
        ("dont send reminder mails to guests.. hm actually do, they forget otherwise", "reminder mails"),
        ("always write the tenant into the audit row. ah no dont, that is private", "tenant"),
        ("never squash the release branch.. wait, do squash it, the log is unreadable", "never squash"),
        ("never gzip the firmware images - nah, gzip them, the flash is small", "firmware images"),
        ("always print the invoice in colour, nvm black is fine", "in colour"),
        ("never show the margin in the offer. oh wait, show it, sales wants it", "never show"),
        ("never restart the broker at night. oh no, it's tuesday already. go ahead", "restart the broker"),
        ("ok. dont send it today if its late, its sunday.. ah no its monday. go ahead", "send it today"),
        ("nie die logs im container behalten. ach doch, der support braucht sie", "logs im container"),
        ("immer alle fotos hochladen. ach nee, doch nicht, zu langsam", "alle fotos"),
        ("ne jamais arrondir les salaires. en fait si, la compta le fait aussi", "arrondir"),
    ],
)
def test_what_is_taken_back_in_the_same_breath_is_no_rule(said: str, ruled: str, talk: Talk) -> None:
    """Whoever reads only the first half would do the opposite of what was meant."""
    assert not [title for title in _all(talk(("user", said), ("agent", "Understood."))) if ruled in title.lower()]


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("never restart the broker at night. do it in the maintenance window on monday", "Never restart the broker"),
        ("never push to main. no exceptions, and dont force push either", "Never push to main"),
        ("always run the linter before a commit. well, dont run it in the hooks", "Always run the linter"),
        ("never touch the vendor folder. no, really, leave it alone", "Never touch the vendor folder"),
        ("never mail the raw export. actually we got fined for that once", "Never mail the raw export"),
    ],
)
def test_what_goes_on_with_a_rule_takes_nothing_back(said: str, rule: str, talk: Talk) -> None:
    """An exception, a day for it and an insistence leave the rule as it is."""
    assert [title for title in _all(talk(("user", said), ("agent", "Understood."))) if title.startswith(rule)]


@pytest.mark.parametrize(
    ("rule", "did", "later"),
    [
        ("always preload the fonts on the landing page", "They are.", "hm it got slower, load them lazily after all"),
        ("never let interns approve holidays", "They cannot.", "hr says interns have to be able to, put it back"),
        ("never export the raw readings as csv", "Gone.", "export the raw readings as csv again, the lab needs them"),
        ("always log the sensor id with a reading", "Done.", "don't log the sensor id with a reading, it is private"),
        ("never show the stock to guests", "Hidden.", "showing the stock to guests is fine now, sales asked for it"),
        ("nie den cache im staging leeren", "Gut.", "staging hängt, den cache im staging doch wieder leeren"),
    ],
)
def test_the_last_word_of_a_session_holds(rule: str, did: str, later: str, talk: Talk) -> None:
    """What its opposite undid, or what is put back, is no rule at the end."""
    found = _all(talk(("user", rule), ("agent", did), ("user", later), ("agent", "All right.")))

    assert rule not in [title.lower() for title in found]


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("never commit generated clients", "put the readme back, you deleted it too"),
        ("always run the smoke tests after a deploy", "run the smoke tests again please"),
        ("never deploy on fridays", "deploy on friday just this once, the fair is on saturday"),
        ("never store card numbers", "never store the cvc either"),
        ("always sign the release archives", "and sign the release archives of the plugins as well"),
    ],
)
def test_other_matters_and_single_cases_undo_no_rule(rule: str, later: str, talk: Talk) -> None:
    """What is done again, once, or with something else leaves a rule as it is."""
    found = _sure(talk(("user", rule), ("agent", "Done."), ("user", later), ("agent", "All right.")))

    assert rule in [title.lower() for title in found]


def test_an_exception_said_at_once_stays_with_its_rule(talk: Talk) -> None:
    """Without it the rule would be false."""
    said = "captions always come from the cms, never blank. well drafts may be blank"

    assert ["Captions always come from the cms, never blank; drafts may be blank"] == _sure(
        talk(("user", said), ("agent", "Understood."))
    )
