"""The measurement of readers takes any manifest: what it cannot use is named, and the rest is read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
GOLDEN = Path(__file__).parent


def test_every_manifest_is_read_whatever_is_in_it(tmp_path: Path) -> None:
    """One names its files by path, another by id beside labels of the same name; some entries name none."""
    by_path, by_id = tmp_path / "a", tmp_path / "b"
    (by_id / "labels").mkdir(parents=True)
    (by_id / "traces").mkdir()
    by_path.mkdir()
    (turns,) = (GOLDEN / "codex" / "turns").glob("rollout*.jsonl")
    shutil.copy(turns, by_path / "one.jsonl")
    shutil.copy(GOLDEN / "claude" / "commands" / "session.jsonl", by_id / "traces" / "x1.jsonl")
    (by_id / "labels" / "x1.json").write_text("{}")
    (by_path / "manifest.jsonl").write_text(
        "".join(json.dumps(entry) + "\n" for entry in ({"path": "one.jsonl", "agent": "codex"}, {"agent": "codex"}, 7))
    )
    (by_id / "manifest-2.jsonl").write_text('{"id": "x1", "agent": "claude"}\n{"id": \n')
    command = [sys.executable, str(REPOSITORY / "evals" / "sources.py"), str(tmp_path)]

    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(tmp_path)}
    )

    assert 1 == done.returncode and "Traceback" not in done.stderr
    assert "2 manifests" in done.stdout and "2 files, 0 failed" in done.stdout
    for place in ("a/manifest.jsonl:2: names no file", "a/manifest.jsonl:3: names no file", "b/manifest-2.jsonl:2:"):
        assert str(tmp_path / place) in done.stdout
