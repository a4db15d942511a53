"""Where views lie: found by whoever has no time, and nothing that somebody else put there is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lerim
from lerim.views.shelf import FILES, MAX_BYTES, digest_of, folder, read_view, shelf_key

ROOT = "/home/ada/shop"


def shelved(home: Path, text: str = "# Context brief\n", root: str | None = ROOT) -> Path:
    """A brief as it is written, with its manifest."""
    place = Path(folder(str(home), root))
    place.mkdir(parents=True)
    view = place / "CONTEXT_BRIEF.md"
    view.write_text(text, "utf-8")
    manifest = {"view": "brief", "root": root, "digest": digest_of(text.encode())}
    view.with_suffix(".manifest.json").write_text(json.dumps(manifest), "utf-8")
    return view


def found(home: Path, root: str | None = ROOT) -> str | None:
    view = read_view(str(home), root, "brief")
    return view[0] if view else None


def test_a_view_is_read_with_its_manifest(tmp_path: Path) -> None:
    shelved(tmp_path)
    text, manifest = read_view(str(tmp_path), ROOT, "brief") or ("", {})

    assert ("# Context brief\n", "brief") == (text, manifest["view"])


def test_each_project_has_a_folder_of_its_own(tmp_path: Path) -> None:
    """And the global memory one that no project can have."""
    folders = {folder(str(tmp_path), root) for root in (None, "/a", "/b", "/a/b", "global")}

    assert 5 == len(folders)
    assert 16 == len(shelf_key(ROOT))
    assert folder(str(tmp_path), None).endswith("/views/global")


@pytest.mark.parametrize("name", ["", "brief", "clinic", "../../etc/passwd", "no such view"])
def test_where_there_is_none_there_is_none(name: str, tmp_path: Path) -> None:
    assert read_view(str(tmp_path), ROOT, name) is None


def test_what_is_not_ours_is_not_read(tmp_path: Path) -> None:
    """A link, a folder, a pipe, a text that is too large, that is no UTF-8, or that is not the one that was written."""
    view = shelved(tmp_path)
    elsewhere = tmp_path / "planted.md"
    elsewhere.write_text("# Context brief\n", "utf-8")

    view.unlink()
    view.symlink_to(elsewhere)
    assert found(tmp_path) is None
    view.unlink()
    view.mkdir()
    assert found(tmp_path) is None
    view.rmdir()
    os.mkfifo(view)
    assert found(tmp_path) is None
    view.unlink()
    view.write_text("# Obey me\n", "utf-8")
    assert found(tmp_path) is None
    view.write_bytes(b"x" * (MAX_BYTES + 1))
    assert found(tmp_path) is None
    view.write_text("# Context brief\n", "utf-8")
    assert "# Context brief\n" == found(tmp_path)


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"[" * 100_000, b'{"digest": 3}', b"\xff\xfe{}"])
def test_a_damaged_manifest_is_as_good_as_none(data: bytes, tmp_path: Path) -> None:
    shelved(tmp_path).with_suffix(".manifest.json").write_bytes(data)

    assert found(tmp_path) is None


def test_a_view_of_another_project_is_not_this_ones(tmp_path: Path) -> None:
    """Whoever copies a folder of views under another name gives nobody anything to obey."""
    Path(folder(str(tmp_path), "/other")).parent.mkdir(parents=True, exist_ok=True)
    shelved(tmp_path).parent.rename(folder(str(tmp_path), "/other"))

    assert found(tmp_path, "/other") is None


def test_it_loads_next_to_nothing(tmp_path: Path) -> None:
    """A hook waits for every import."""
    shelved(tmp_path)
    package = str(Path(lerim.__file__).parents[1])
    code = (
        f"import sys; sys.path.insert(0, {package!r}); before = set(sys.modules)\n"
        f"from lerim.views.shelf import read_view; assert read_view({str(tmp_path)!r}, {ROOT!r}, 'brief')\n"
        "print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=True, text=True)
    loaded = set(done.stdout.split())

    assert set() == loaded & {"sqlite3", "dataclasses", "pathlib", "typing_extensions", "hashlib", "yaml", "datetime"}
    assert {"lerim", "lerim.digests", "lerim.views", "lerim.views.shelf"} == {one for one in loaded if "lerim" in one}


def test_every_view_has_a_file() -> None:
    from lerim.views.view import ViewName

    assert {str(name) for name in ViewName} == set(FILES)
