"""The questions that abstaining is measured with keep their word."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from lerim.answer.words import SMALL
from lerim.search.terms import terms

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


def _corpus() -> ModuleType:
    path = Path(__file__).parents[2] / "evals" / "answer_corpus.py"
    spec = importlib.util.spec_from_file_location("answer_corpus", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["answer_corpus"] = module
    spec.loader.exec_module(module)
    return module


CORPUS = _corpus()


def test_there_are_enough_of_each() -> None:
    """More than a hundred questions with an answer, and as many without, none asked twice."""
    questions = [asked.question for asked in (*CORPUS.ANSWERABLE, *CORPUS.UNANSWERABLE)]

    assert 100 <= min(len(CORPUS.ANSWERABLE), len(CORPUS.UNANSWERABLE))
    assert len(questions) == len(set(questions))


def test_every_answer_is_stored_and_holds() -> None:
    """No question counts on a memory that is not there, or that was replaced."""
    replaced = {stored.replaces for stored in CORPUS.MEMORIES}
    current = {stored.id for stored in CORPUS.MEMORIES} - replaced

    assert set() == {answer for asked in CORPUS.ANSWERABLE for answer in asked.answers} - current
    assert set() == replaced - {None} - {stored.id for stored in CORPUS.MEMORIES}


def test_questions_are_worded_differently() -> None:
    """At most half of a question's telling words stand in the memory that answers it."""
    by_id = {stored.id: set(terms(f"{stored.title} {stored.body}")) for stored in CORPUS.MEMORIES}

    copied = [
        asked.question
        for asked in CORPUS.ANSWERABLE
        for answer in asked.answers
        if _shared(asked.question, by_id[answer]) > 0.5
    ]
    assert [] == copied


def _shared(question: str, vocabulary: set[str]) -> float:
    words = {word.lower() for word in _WORD.findall(question) if not set(terms(word)) <= SMALL}
    return sum(bool(set(terms(word)) & vocabulary) for word in words) / len(words)
