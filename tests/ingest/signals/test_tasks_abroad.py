"""Orders in other languages than English are tasks, too."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary_words import as_task, is_task


@pytest.mark.parametrize(
    "said",
    [
        "Füge eine Spalte für das Gewicht hinzu",
        "bitte lösche die alten Etiketten",
        "bau noch einen Filter ein",
        "Schau mal warum die Waage hängt",
        "ajoute une colonne pour le poids",
        "tu peux vérifier les droits ?",
        "s'il te plaît supprime les vieilles étiquettes",
        "mets le filtre en haut",
        "añade una columna para el peso",
        "por favor borra las etiquetas viejas",
        "pon el filtro arriba",
    ],
)
def test_an_order_is_a_task(said: str):
    assert is_task(as_task(said))


@pytest.mark.parametrize(
    "said",
    [
        "Die Waage hängt wieder",
        "Der Bau ist fertig",
        "Machst du das?",
        "Les droits sont bons",
        "Para la impresora nueva",
        "La copia está lista",
        "Passt so",
    ],
)
def test_what_is_told_or_asked_is_none(said: str):
    assert not is_task(as_task(said))
