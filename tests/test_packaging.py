"""What is shipped besides the code: the manual page, the metadata, and the workflows that test and release."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"packaging_{name}", ROOT / "packaging" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def manual() -> str:
    return str(script("manpage").page())


def test_the_manual_page_is_what_the_parser_says(manual: str) -> None:
    stored = (ROOT / "packaging/lerim.1").read_text("utf-8")

    assert manual == stored, "out of date: run .venv/bin/python packaging/manpage.py"


def test_the_manual_page_has_every_command_with_its_example(manual: str) -> None:
    from lerim.cli.main import NOUNS

    # A hyphen that is typed is written as one that roff does not break.
    missing = [noun for noun in NOUNS if f".SS lerim {noun}".replace("-", "\\-") not in manual]

    assert [] == missing
    assert manual.count(".SS lerim ") == manual.count("Example:")


def test_the_manual_page_is_roff_without_a_complaint(manual: str) -> None:
    if not (groff := shutil.which("groff")):
        pytest.skip("groff is not installed")

    done = subprocess.run([groff, "-man", "-Tutf8", "-ww", "-z"], input=manual, capture_output=True, text=True)

    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.parametrize(
    "address",
    ["https://someone:pass@git.example/o/lerim.git", "git@git.example:o/lerim.git", "https://git.example/o/lerim"],
)
def test_the_addresses_in_the_metadata_are_those_of_the_repository_it_is_built_from(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hatch_hook(tmp_path, monkeypatch)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "remote", "add", "origin", address], check=True)

    metadata: dict[str, Any] = {}
    hook.update(metadata)

    assert "https://git.example/o/lerim" == metadata["urls"]["Homepage"]
    assert {"Homepage", "Documentation", "Changelog", "Issues", "Security"} == set(metadata["urls"])


@pytest.mark.parametrize("address", [None, "/srv/lerim.git", "file:///srv/lerim.git"])
def test_a_build_from_nowhere_names_no_address(
    address: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hatch_hook(tmp_path, monkeypatch)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    if address:
        subprocess.run(["git", "-C", str(tmp_path), "remote", "add", "origin", address], check=True)

    metadata: dict[str, Any] = {}
    hook.update(metadata)

    assert {} == metadata["urls"]


def hatch_hook(root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("hatchling", reason="hatchling builds in an environment of its own; not installed here")
    for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    return script("metadata").ProjectUrls(str(root), {})


def test_every_python_that_is_promised_is_tested() -> None:
    promised = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if " 3." in line}
    matrix = workflow("tests")["jobs"]["test"]["strategy"]["matrix"]

    assert promised == set(matrix["python"])


def test_a_release_passes_everything_first() -> None:
    jobs = workflow("release")["jobs"]
    commands = [step.get("run", "") for step in jobs["build"]["steps"]]

    assert any("make test drill check dist" in command for command in commands)
    assert "build" == jobs["publish"]["needs"]


def workflow(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text("utf-8"))
    return loaded
