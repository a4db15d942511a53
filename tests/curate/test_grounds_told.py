"""What becomes of a memory whose ground is gone: lower in searches, marked everywhere, and not in the brief."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lerim.context.records import Draft, Primitive, utc_now
from lerim.serve.words import tell_answer, tell_hits
from lerim.service import Lerim
from lerim.views.room import ViewName

QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PATH": os.environ["PATH"]}


def git(root: Path, *args: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    done = subprocess.run(["git", "-C", str(root), *who, *args], env=QUIET, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def lerim(tmp_path: Path) -> Iterator[Lerim]:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "src" / "tokens.py").write_text("def issue_token(): ...\n")
    git(root, "add", "src")
    git(root, "commit", "-q", "-m", "Begin")
    env = {"HOME": str(tmp_path / "home"), **QUIET}
    now = utc_now()
    # All is said at one moment: which of two was said last is no matter here.
    with Lerim(root, env=env, clock=lambda: now) as lerim:
        lerim.setup.init(root)
        yield lerim


def lose_ground(lerim: Lerim) -> tuple[str, str]:
    """A memory whose ground goes, and one that stands; both speak of the same."""
    gone = lerim.memory.add(Draft(Primitive.DECISION, "Bearer tokens are issued and checked in src/tokens.py")).record
    kept = lerim.memory.add(Draft(Primitive.DECISION, "Bearer tokens expire after an hour")).record
    git(lerim.house.cwd, "rm", "-q", "src/tokens.py")
    git(lerim.house.cwd, "commit", "-q", "-m", "Leave tokens to the gateway")
    return gone.id, kept.id


def test_it_is_lower_in_searches_and_marked_there_and_in_answers(lerim: Lerim) -> None:
    gone, kept = lose_ground(lerim)
    question = "where are bearer tokens issued and checked"
    assert [hit.kept.record.id for hit in lerim.search(question)] == [gone, kept]
    assert lerim.check_grounds().reason == ""
    hits = lerim.search(question)
    assert [hit.kept.record.id for hit in hits] == [kept, gone]
    assert "src/tokens.py was deleted" in hits[1].doubt and hits[0].doubt == ""
    assert "suspect since" in tell_hits(hits)
    answer = lerim.ask(question)
    assert "suspect since" in answer.text and '"Leave tokens to the gateway"' in answer.text
    assert "suspect since" in tell_answer(answer)


def test_it_is_left_out_of_the_brief_until_its_ground_is_back(lerim: Lerim) -> None:
    gone, kept = lose_ground(lerim)
    assert gone in lerim.views.refresh(ViewName.BRIEF).text
    lerim.check_grounds()
    assert "has changed since" in lerim.views.status(ViewName.BRIEF).reason
    text = lerim.views.refresh(ViewName.BRIEF).text
    assert gone not in text and kept in text
    git(lerim.house.cwd, "revert", "--no-edit", "HEAD")
    lerim.check_grounds()
    assert gone in lerim.views.refresh(ViewName.BRIEF).text


def test_a_sync_and_a_maintain_look_by_themselves(lerim: Lerim) -> None:
    gone, _ = lose_ground(lerim)
    list(lerim.sync())
    assert [one.kept.record.id for one in lerim.grounding.show().suspects] == [gone]
    git(lerim.house.cwd, "revert", "--no-edit", "HEAD")
    lerim.maintain()
    assert lerim.grounding.show().suspects == []


def test_a_question_about_a_pair_does_not_hide_that_the_ground_of_one_is_gone(lerim: Lerim, tmp_path: Path) -> None:
    """A person is asked which of two holds, and hears of the ground as well."""
    gone = lerim.memory.add(Draft(Primitive.DECISION, "Bearer tokens are issued in src/tokens.py for one hour")).record
    lerim.memory.add(Draft(Primitive.DECISION, "Bearer tokens are issued in src/tokens.py for three days"))
    git(lerim.house.cwd, "rm", "-q", "src/tokens.py")
    git(lerim.house.cwd, "commit", "-q", "-m", "Leave tokens to the gateway")
    lerim.check_grounds()

    written = lerim.plan(tmp_path / "plan.md")

    items = [item for _, _, item in written.document.numbered() if gone.id in item.records]
    assert any("its ground is gone" in item.reason for item in items)
