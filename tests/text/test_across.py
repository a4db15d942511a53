"""Titles in two languages share names, figures and days: where these clash, a person is asked."""

from __future__ import annotations

import pytest

from lerim.text.across import clashes_across
from lerim.text.bearing import judge
from lerim.text.statements import statement


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Keine Releases am Donnerstag", "Thursday releases are fine now"),
        ("Wir nutzen Jenkins für die Tests", "The tests run on GitHub Actions now"),
        ("Der Import läuft dienstags", "the import runs on Sundays"),
        ("Die Snapshots werden 14 Tage aufbewahrt", "snapshots are kept for 60 days"),
        ("Les exports sont interdits le lundi", "exports are allowed on Monday"),
        ("No usamos Redux en la app", "We use Redux in the app"),
        ("The sessions must not be stored in Redis", "Die Sessions liegen ab jetzt in Redis"),
    ],
)
def test_what_clashes_in_another_language_is_asked(earlier: str, later: str) -> None:
    found = judge(statement(later, ""), statement(earlier, ""))

    assert clashes_across(later, earlier)
    assert found.bearing.replaces
    assert not found.replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Wir nutzen Jenkins für die Tests", "The Jenkins tests are owned by Nora"),
        ("Keine Releases am Donnerstag", "no releases on Thursday, please"),
        ("Der Import läuft dienstags", "the import is written as Parquet"),
        ("Die Kasse hat ein Limit von 100", "The invoices have 12 columns"),
        ("Die Snapshots werden 14 Tage aufbewahrt", "Die Snapshots werden 60 Tage aufbewahrt"),
        ("The import runs on Tuesday", "the import runs on Sundays"),
    ],
)
def test_what_goes_together_or_is_in_one_language_is_left_to_others(earlier: str, later: str) -> None:
    assert clashes_across(later, earlier) == ""
