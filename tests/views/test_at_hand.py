"""What somebody is at, from git's own files: no program is run, and nothing strange is believed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lerim.views.at_hand import AtHand, branch_at, look_around

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=feature/refunds")
    for name in ("a.py", "b.py", "src/c.py"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(f"# {name}\n")
    git(root, "add", ".")
    return root


def git(root: Path, *words: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *words], cwd=root, env=env, check=True, capture_output=True)


@needs_git
def test_the_branch_and_the_changed_files_are_seen(repository: Path) -> None:
    assert AtHand("feature/refunds") == look_around(repository)

    (repository / "src" / "c.py").write_text("# something else altogether\n")
    assert AtHand("feature/refunds", ("src/c.py",)) == look_around(repository)


@needs_git
def test_a_worktree_has_a_branch_of_its_own(repository: Path, tmp_path: Path) -> None:
    git(repository, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "first")
    git(repository, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))

    assert "other" == branch_at(tmp_path / "tree")
    assert "feature/refunds" == branch_at(repository)


@pytest.mark.parametrize("head", [b"", b"4f2a1b3c\n", b"ref: refs/tags/v1\n", b"\xff\xfe\x00"])
def test_no_branch_is_no_branch(head: bytes, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_bytes(head)

    assert AtHand() == look_around(tmp_path)


@pytest.mark.parametrize(
    "index", [b"", b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", b"DIRC\0\0\0\x02\0\0\0\x05" + b"\0" * 70, b"x" * 500]
)
def test_a_damaged_index_tells_nothing(index: bytes, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_bytes(index)

    assert () == look_around(tmp_path).files


def test_where_there_is_no_repository_nothing_is_at_hand(tmp_path: Path) -> None:
    assert AtHand() == look_around(tmp_path) == look_around(None)
    assert "" == branch_at(None)


def test_a_pipe_in_place_of_a_file_makes_nobody_wait(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")

    assert "" == branch_at(tmp_path)
