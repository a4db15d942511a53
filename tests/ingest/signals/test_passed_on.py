"""What somebody told the user, who then orders it done, is weighed as the user's and never sure; pastes stay pastes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Extraction, Tier
from lerim.ingest.own_words import own_text
from lerim.ingest.passed_on import relayed_from
from lerim.ingest.quoted_speech import is_doubted
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

#: What was told, and the title that it gets.
PASSED_ON = (
    ("Runa told me on the phone: the ferry closes its gate at 19h now, not at 20h. change the banner", "ferry"),
    ("Herr Stolz says: kayaks only with a life vest. put that in", "kayaks"),
    ("the marina office wrote: draft is max 3 m since monday. Change it please.", "draft"),
    ("Ines says the label has the batch number on top. fix it", "batch number"),
    ("my boss says every report gets a cover page. add that", "cover page"),
    ("Ola from the warehouse told us the pallets are 120 high now, so update the constant", "pallets"),
    ("Jo from the depot called: the doors stay open for 30 seconds. so raise the timer", "doors"),
    ("bookkeeping is done. accounting wrote me: no customer names in file names from now on", "customer names"),
    ("Der Förster meinte: keine Fahrten nach 22 Uhr. bau das ein", "22 Uhr"),
    ("Jens hat am Telefon gesagt: die Dichte immer mit zwei Nachkommastellen. stell das um", "Nachkommastellen"),
    ("Margot m'a dit au téléphone : la cave ne dépasse jamais 14 degrés. change le seuil", "14 degrés"),
    ("Marta dijo: las facturas van siempre con IVA. cámbialo", "facturas"),
    ("Luca ha detto: massimo 40 posti per sala. cambia il limite", "40 posti"),
    ("Runa says the sauna is only for members, please put that in the house rules", "sauna"),
    ("Ines says we never ship ceramics on a holiday, please follow that from now on", "ceramics"),
    ("Olga hat gesagt: ab jetzt messen wir immer mit der zweiten Sonde, mach das so", "Sonde"),
    ("Piet meinte, die Fässer werden nur noch liegend gelagert, halt dich bitte daran", "Fässer"),
    ("Margot dit que la serre ferme toujours avant 21 heures, respecte ça", "serre"),
)
#: What somebody else has decided rules without an order.
DECIDED = (
    ("ausserdem hat Ruth entschieden: das Pfand steigt von 3 auf 5 Franken, wegen der kaputten Kisten", "Pfand"),
    ("zudem hat die Chefin beschlossen: Retouren gehen nur noch an das Lager in Olten", "Retouren"),
    ("Gunnar hat gestern festgelegt, dass die Proben immer doppelt laufen", "Proben"),
    ("and besides Ruth has decided: the tours start at 9 instead of 10, because of the heat", "tours"),
    ("Salome decided that the choir tickets are free for children under six", "choir"),
    ("en plus Margot a décidé : les bacs sont vidés le mardi et plus le jeudi", "bacs"),
    ("además Marta ha decidido: las cajas llevan siempre etiqueta verde", "etiqueta"),
)
SHOWN = (
    "Runa said: always close the gate",
    "Runa said: always close the gate. I don't agree",
    "the readme says: run the pump first. change it",
    "chatgpt told me: use a second pump. add it",
    "someone wrote: never open the gate. fix it",
    "Runa wrote me: From now on always close the gate. Never open it by hand.",
    "Runa wrote: the gate is shut. Send all the keys to me and change all the locks",
    "the vendor told us: keys go in the url. is that right? change it if so",
    "Can you translate: he said we close at 5. change it",
    "Runa wrote:\n\nthe gate is shut.\n\nchange it",
    "the readme says: run the pump first, please follow that",
    "someone wrote: never open the gate, please keep to that",
    "Runa says we should always close the gate, don't know if that applies to us, ignore it for now",
    "our neighbour wrote that we have to lock the gate for the night, no idea whether that counts, ignore it",
    "der Nachbar schreibt, dass wir das gate immer schließen müssen, weiß nicht ob das für uns gilt",
)
#: Who has decided is the user, or nobody.
OWN_DECISIONS = (
    "we have decided: the pump always runs at night, never by day",
    "Already decided that the pump always runs at night, never by day",
    "wir haben entschieden: die Pumpe läuft immer nachts, nie am Tag",
    "Ruth has not decided whether the pump always runs at night",
    "Ruth has decided: the pump always runs at night. I don't agree",
)
_WORK = ("agent", "I looked at the module and the tests beside it. There is one place where this is decided. " * 6)


@pytest.mark.parametrize(("text", "point"), PASSED_ON + DECIDED)
def test_what_is_told_with_an_order_waits_for_review(talk: Talk, text: str, point: str) -> None:
    found = _read(talk, text)

    assert not [one for one in found.candidates if point in f"{one.title} {one.body}"]
    assert [Tier.REVIEW] == [one.tier for one in found.review if point.lower() in one.title.lower()]


@pytest.mark.parametrize("text", [text for text, _ in PASSED_ON + DECIDED])
def test_who_passes_on_an_order_speaks_and_may_be_in_doubt(text: str) -> None:
    assert text == own_text(text, quotes=True)
    assert is_doubted(text, 0, len(text))


@pytest.mark.parametrize("text", OWN_DECISIONS)
def test_nothing_is_passed_on_where_nobody_else_decided(text: str) -> None:
    assert relayed_from(text) is None


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_only_shown_or_doubted_or_is_of_a_text_stays_anothers(talk: Talk, text: str) -> None:
    found = _read(talk, text)

    assert text != own_text(text, quotes=True)
    assert not [one for one in (*found.candidates, *found.review) if "gate" in one.title or "pump" in one.title]


def test_a_title_does_without_who_said_it(talk: Talk) -> None:
    found = _read(talk, "Herr Stolz says: kayaks only with a life vest. put that in")

    assert ["Kayaks only with a life vest"] == [one.title for one in found.review]
    assert "Herr Stolz" in found.review[0].body


def test_what_is_told_in_a_line_and_lost_is_listed(talk: Talk) -> None:
    """Whether it would rule or not: nobody pastes one line."""
    found = _read(talk, "Runa said: the gate has a second key")

    assert ["The gate has a second key"] == [one.title for one in found.rejected if "somebody else's" in one.reason]


def _read(talk: Talk, text: str) -> Extraction:
    said = (("user", "look at the booking module"), _WORK, ("user", text), ("agent", "Done."), ("user", "thx"))
    return extract(talk(*said), EmbeddedEngine())
