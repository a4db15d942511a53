"""The service manager's file: written once, taken back to the byte, and nobody else's touched."""

from __future__ import annotations

import json
import os
import plistlib
import shlex
import stat
import sys
from pathlib import Path

import pytest

from lerim.daemon.service_files import LABEL, MARK, UNIT, install, installed_at, service_file, uninstall
from lerim.errors import Conflict, UsageError

#: A service manager that notes what it is told, and refuses the word in its environment.
MANAGER = f"""#!{sys.executable}
import json, os, sys
with open(os.environ["TOLD"], "a") as file:
    file.write(json.dumps([os.path.basename(sys.argv[0]), *sys.argv[1:]]) + "\\n")
if os.environ.get("REFUSES", "-") in sys.argv:
    sys.exit("Failed to connect to bus: no medium found")
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("systemctl", "launchctl"):
        (programs / name).write_text(MANAGER)
        (programs / name).chmod(0o755)
    return {"HOME": str(tmp_path), "PATH": f"{programs}{os.pathsep}{os.defpath}", "TOLD": str(tmp_path / "told")}


def told(env: dict[str, str]) -> list[list[str]]:
    file = Path(env["TOLD"])
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"/"
        for path in folder.rglob("*")
        if path.name != "told"
    }


def as_systemd(value: str) -> list[str]:
    """The words of a line as systemd reads them."""
    words = shlex.split(value)
    return [word.replace("%%", "%") for word in words]


def unit(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, is_pair, value = line.partition("=")
        if is_pair and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def test_a_unit_names_the_interpreter_and_no_shell(env: dict[str, str], tmp_path: Path) -> None:
    env |= {"CODEX_HOME": '/odd "place"/100%\\s', "OPENAI_API_KEY": "sk-secret", "LERIM_HOME": str(tmp_path / "l")}
    file = service_file(tmp_path, env, "linux")
    said = unit(file.text)

    assert tmp_path / ".config" / "systemd" / "user" / UNIT == file.path
    words = [word.replace("$$", "$") for word in as_systemd(said["ExecStart"][0])]
    assert [sys.executable, "-P", "-c"] == words[:3] and ["daemon", "run"] == words[4:]
    passed = dict(as_systemd(value)[0].split("=", 1) for value in said["Environment"])
    assert {"PATH": env["PATH"], "CODEX_HOME": env["CODEX_HOME"], "LERIM_HOME": env["LERIM_HOME"]} == passed
    assert "secret" not in file.text
    assert (["mixed"], ["on-failure"], ["default.target"]) == (said["KillMode"], said["Restart"], said["WantedBy"])


def test_an_agent_of_launchd_says_the_same(env: dict[str, str], tmp_path: Path) -> None:
    file = service_file(tmp_path, {**env, "CODEX_HOME": "/a & <b>"}, "darwin")
    said = plistlib.loads(file.text.encode())

    assert tmp_path / "Library" / "LaunchAgents" / f"{LABEL}.plist" == file.path
    assert [sys.executable, "-P", "-c"] == said["ProgramArguments"][:3]
    assert ["daemon", "run"] == said["ProgramArguments"][4:]
    assert {"PATH": env["PATH"], "CODEX_HOME": "/a & <b>"} == said["EnvironmentVariables"]
    assert (LABEL, {"SuccessfulExit": False}) == (said["Label"], said["KeepAlive"])


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_install_twice_and_uninstall_twice_leave_nothing(env: dict[str, str], tmp_path: Path, platform: str) -> None:
    (tmp_path / "Library" / "LaunchAgents").mkdir(parents=True)
    before = tree(tmp_path)
    file = service_file(tmp_path, env, platform)
    if platform == "linux":
        (tmp_path / ".config").mkdir()
        before = tree(tmp_path)

    done = [install(file, env), install(file, env)]
    assert [True, False] == [one.has_changed for one in done] and {None} == {one.failed for one in done}
    assert file.text == file.path.read_text() and file.path == installed_at(file)
    undone = [uninstall(file, env), uninstall(file, env)]

    assert [True, False] == [one.has_changed for one in undone]
    assert before == tree(tmp_path) and None is installed_at(file)


def test_the_manager_is_told_to_take_it_and_to_let_go(env: dict[str, str], tmp_path: Path) -> None:
    linux, mac = (service_file(tmp_path, env, platform) for platform in ("linux", "darwin"))
    for file in (linux, mac):
        install(file, env)
        uninstall(file, env)

    gui = f"gui/{os.getuid()}"
    assert [
        ["systemctl", "--user", "daemon-reload"],
        ["systemctl", "--user", "enable", "--now", UNIT],
        ["systemctl", "--user", "disable", "--now", UNIT],
        ["systemctl", "--user", "daemon-reload"],
        ["launchctl", "bootstrap", gui, str(mac.path)],
        ["launchctl", "bootout", f"{gui}/{LABEL}"],
    ] == told(env)


def test_what_changed_since_is_written_anew(env: dict[str, str], tmp_path: Path) -> None:
    install(service_file(tmp_path, env, "linux"), env)
    newer = service_file(tmp_path, {**env, "CODEX_HOME": "/new"}, "linux")

    assert install(newer, env).has_changed
    assert newer.text == newer.path.read_text()
    assert ["systemctl", "--user", "try-restart", UNIT] in told(env)


def test_a_file_of_somebody_elses_is_left_alone(env: dict[str, str], tmp_path: Path) -> None:
    file = service_file(tmp_path, env, "linux")
    file.path.parent.mkdir(parents=True)
    file.path.write_text("[Service]\nExecStart=/bin/mine\n")

    for change in (install, uninstall):
        with pytest.raises(Conflict, match="Lerim did not write it"):
            change(file, env)

    assert "[Service]\nExecStart=/bin/mine\n" == file.path.read_text()
    assert None is installed_at(file) and [] == told(env)


def test_where_the_manager_refuses_or_is_missing_it_is_said(env: dict[str, str], tmp_path: Path) -> None:
    file = service_file(tmp_path, env, "linux")

    refused = install(file, {**env, "REFUSES": "enable"})
    missing = uninstall(file, {**env, "PATH": str(tmp_path / "nowhere")})

    assert f"systemctl --user enable --now {UNIT}: Failed to connect to bus: no medium found" == refused.failed
    assert "systemctl is not here" == missing.failed
    assert (True, True) == (refused.has_changed, missing.has_changed) and not file.path.exists()


def test_a_value_that_would_break_out_of_its_line_is_refused(env: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="CODEX_HOME"):
        service_file(tmp_path, {**env, "CODEX_HOME": "/a\nExecStart=/bin/evil"}, "linux")
    with pytest.raises(UsageError, match="no service manager"):
        service_file(tmp_path, env, "win32")


def test_the_file_is_nothing_that_others_may_write(env: dict[str, str], tmp_path: Path) -> None:
    file = service_file(tmp_path, env, "linux")
    before = os.umask(0)
    try:
        install(file, env)
    finally:
        os.umask(before)

    assert 0o644 == stat.S_IMODE(file.path.stat().st_mode)
    assert MARK in file.path.read_text()
