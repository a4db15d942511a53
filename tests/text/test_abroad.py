"""What takes the place of what in German, French and Spanish, and what stands beside it."""

from __future__ import annotations

import pytest

from lerim.curate.bearings import judged_words
from lerim.text.abroad import turned_abroad

REPLACED = [
    # Another figure of the same thing.
    ("Die Kaution beträgt 3 Monatsmieten", "Die Kaution beträgt 2 Monatsmieten, so will es die Genossenschaft"),
    ("Thumbnails werden 256 Pixel breit", "256 Pixel sind zu klein für die Thumbnails, bitte 512"),
    ("Ein Probealarm kommt alle vier Wochen", "Ein Probealarm kommt ab jetzt alle acht Wochen"),
    ("La pause dure une heure", "La pause dure deux heures"),
    ("Le mot de passe a au moins 8 caractères", "Le mot de passe a au moins 14 caractères"),
    ("El sensor envía datos cada 5 minutos", "El sensor envía datos cada 15 minutos"),
    # Another day.
    ("Die Wartung ist immer dienstags", "Die Wartung ist künftig samstags"),
    ("La livraison part le lundi", "La livraison part désormais le jeudi"),
    # What is given up by its name.
    ("Die Etiketten druckt CUPS", "Die Etiketten drucken wir nicht mehr mit CUPS"),
    ("Die Touren plant Valhalla", "Valhalla fliegt raus, die Touren plant OSRM"),
    ("Les cartes viennent de Mapbox", "On abandonne Mapbox pour les cartes"),
    ("Les avis passent par Twilio", "On n'envoie plus par Twilio les avis, c'est Sinch"),
    ("Las nóminas se exportan con Sage", "Ya no usamos Sage para las nóminas"),
    # Another of a kind.
    ("Die Formulare prüfen wir mit Zod", "Die Formulare prüfen wir jetzt mit Valibot"),
]
ASKED = [
    ("Die Dienstkleidung bestellt Frau Hagen", "Die Dienstkleidung bestellt ab jetzt Herr Roth"),
    ("Die Messreihen landen auf dem Laborserver", "Ab sofort landen die Messreihen im Archiv der Uni"),
    ("Les photos d'archive restent sur le disque", "Maintenant les photos d'archive vont dans le cloud"),
    ("Gäste dürfen den Raum nie selbst öffnen", "Stammgäste dürfen den Raum selbst öffnen, alle anderen nicht"),
]
BESIDE = [
    # Each has its own matter.
    ("Die Anmeldung sperrt nach 5 Versuchen", "Die Abholung sperrt nach 3 Versuchen"),
    ("Der Lüfter startet bei 60 Grad", "Die Pumpe startet bei 45 Grad"),
    ("Schicht A beginnt um 6 Uhr", "Schicht B beginnt um 14 Uhr"),
    ("Le cache des cartes dure 7 jours", "Le cache des tarifs dure 1 jour"),
    ("La caja cierra a las 20", "El almacén cierra a las 18"),
    # Each has its own place.
    ("Im Testsystem halten wir Protokolle 3 Tage", "Im Betrieb halten wir Protokolle ab jetzt 90 Tage"),
    # The least and the most.
    ("Kennungen haben mindestens 6 Zeichen", "Kennungen haben höchstens 40 Zeichen"),
    # Forbidden on one day, allowed on others.
    ("Wir liefern nie samstags", "Dienstags und donnerstags liefern wir"),
    # One more.
    ("Die Belege gehen als PDF raus", "Die Belege gehen auch als Fax raus"),
    # What is wrong, and what is done about it.
    ("Der Abgleich hängt, weil Memcached voll ist", "Memcached fliegt raus beim Abgleich"),
    # Nothing without it.
    ("Jede Reise braucht einen Antrag", "Kein Antrag, keine Reise"),
    # In place of it, and for what, nobody said.
    ("Die Fußzeile fehlt im PDF", "Statt PDF drucken wir heute mal eine Liste"),
    # Since when, and nothing else.
    ("Die Ausgabe ist montags", "Die neue Halle steht seit Freitag"),
]


@pytest.mark.parametrize(("earlier", "later"), REPLACED)
def test_another_value_of_the_same_takes_its_place(earlier: str, later: str) -> None:
    assert judged_words((later, ""), (earlier, "")).replaces


@pytest.mark.parametrize(("earlier", "later"), ASKED)
def test_what_may_take_its_place_is_asked(earlier: str, later: str) -> None:
    judgment = judged_words((later, ""), (earlier, ""))

    assert judgment.bearing.replaces
    assert not judgment.is_sure


@pytest.mark.parametrize(("earlier", "later"), BESIDE)
def test_what_speaks_of_something_else_stands_beside_it(earlier: str, later: str) -> None:
    assert turned_abroad(later, earlier) is None
    assert not judged_words((later, ""), (earlier, "")).replaces


def test_english_titles_are_for_others() -> None:
    assert turned_abroad("Backups run on Saturday now", "Backups run on Sunday") is None
