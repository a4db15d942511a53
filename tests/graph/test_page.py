"""The page of the graph in a real browser: it draws, it can be used, and a hostile record stays text in it."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lerim.graph.page import page_of

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
HOSTILE = "</script><img src=x onerror=\"document.title='gone'\"><script>document.title='gone'</script>"


def graph(size: int, title: str = "Memory") -> dict[str, Any]:
    """Records in clusters of ten, each linked with the next."""
    ids = [f"dec-{number:06}" for number in range(size)]
    nodes = [
        {
            "id": one,
            "primitive": "decision",
            "kind": None,
            "title": f"{title} {one}",
            "body": f"Says {title}",
            "status": "active",
            "said": "2026-02-20T10:30:00Z",
            "trust": "user",
            "tags": ["a-tag"],
            "cluster": f"cl-{at // 10}",
            "links": 2,
            "scope": "project",
        }
        for at, one in enumerate(ids)
    ]
    edges = [
        {"source": one, "target": other, "kind": "same_topic", "confidence": 0.7, "reason": title}
        for one, other in itertools.pairwise(ids)
    ]
    clusters = [
        {"id": f"cl-{at // 10}", "label": f"{title} {at}", "center": ids[at], "members": ids[at : at + 10]}
        for at in range(0, size, 10)
    ]
    return {"nodes": nodes, "edges": edges, "clusters": clusters}


def opened(folder: Path, document: dict[str, Any], fragment: str = "") -> str:
    """What the page is once it has drawn itself."""
    page = folder / "graph.html"
    page.write_text(page_of(document), "utf-8")
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += ["--virtual-time-budget=3000", "--enable-logging=stderr", "--dump-dom", f"{page.as_uri()}{fragment}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "Refused to" not in done.stderr
    assert "Uncaught" not in done.stderr
    return done.stdout


def test_a_hostile_title_stays_text(tmp_path: Path) -> None:
    """In the list, in the panel and in the label of a cluster; no script of it ran, and no element of it is there."""
    shown = opened(tmp_path, graph(20, HOSTILE), "#dec-000003")

    assert 'data-ready="yes"' in shown
    assert "<title>Context graph</title>" in shown
    visible = re.sub(r"<script.*?</script>", "", shown, flags=re.DOTALL)
    assert "<img" not in visible
    assert visible.count("&lt;/script&gt;&lt;img src=x onerror=") > 3


@pytest.mark.drill
def test_two_thousand_records_can_be_looked_at(tmp_path: Path) -> None:
    """Drawn and listed, with the chosen one open."""
    shown = opened(tmp_path, graph(2_000), "#dec-001000")

    assert 'data-ready="yes"' in shown
    assert "2,000 memories" in shown
    assert "Memory dec-001000" in re.sub(r"<script.*?</script>", "", shown, flags=re.DOTALL)
