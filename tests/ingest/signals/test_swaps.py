"""What is swapped for something else, in a few words, waits for review in a session of any length."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.swaps import swap_in
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]


def _titles(transcript: Transcript) -> list[str]:
    found = extract(transcript, EmbeddedEngine())
    return [candidate.title for candidate in (*found.candidates, *found.review)]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("ok heroku out, fly in. i never liked it anyway", "Use fly instead of heroku"),
        (
            "requests is slow and has no http2?? swap it for httpx everywhere",
            "Use httpx instead of requests everywhere",
        ),
        ("pandas → polars", "Use polars instead of pandas"),
        ("kick eslint out, use biome", "Use biome instead of eslint"),
        ("swap redis for valkey, the license changed", "Use valkey instead of redis"),
        (
            "can you use argon2 for the hashes instead of bcrypt, bcrypt cuts long passwords",
            "Use argon2 instead of bcrypt for the hashes",
        ),
        ("bye webpack, hello vite", "Use vite instead of webpack"),
        ("we're on pytest now", "We're on pytest now"),
        ("moment raus, luxon rein", "Moment raus, luxon rein"),
        ("nimm ruff statt flake8", "Nimm ruff statt flake8"),
        ("on remplace jenkins par gitlab ci", "On remplace jenkins par gitlab ci"),
        ("fuera webpack, entra vite", "Fuera webpack, entra vite"),
    ],
)
def test_a_swap_is_a_candidate(said: str, title: str, talk: Talk) -> None:
    """What a project gives up for something else is news, however little is said of it."""
    assert [title] == _titles(talk(("user", said), ("agent", "Done.")))


@pytest.mark.parametrize(
    "said",
    [
        "zoom out, zoom in, both are broken",
        "swap the two buttons in the footer",
        "replace the hero image with the new one from the mail",
        "log out, sign in with the other account and try again",
        "time out, i am on holiday now",
        "2 instead of 3",
        "should we use luxon instead of moment?",
        "put this instead of that",
        "add -> commit -> push",
        "build → test → deploy",
        "/health → ok",
        "draft -> published",
    ],
)
def test_what_is_moved_once_or_asked_is_no_swap(said: str) -> None:
    """Only what has a name is given up for another."""
    assert swap_in(said) is None
