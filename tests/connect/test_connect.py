"""Connecting agents and letting them go, on files as people have them: only ours is touched, and all comes back."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import tomlkit
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lerim.connect.agents import AGENTS, ConnectableAgent, Ground
from lerim.connect.command_line import Launcher, find_program, is_passing
from lerim.connect.jsonc import parse
from lerim.connect.room import Connector, LinkState
from lerim.errors import Conflict

from ..conftest import examples
from .homes import FILES, put_files, snapshot

PROGRAM = "/opt/my tools/lerim"
NAMES = [name for name in AGENTS if name != "generic"]
each_agent = pytest.mark.parametrize("name", NAMES)


class Desk:
    """A home with agents in it, and what one does to them."""

    def __init__(self, home: Path, **more: Any) -> None:
        self.home = home
        self.env = {"HOME": str(home), "PATH": str(home / "bin")}
        self.ground = Ground(home, self.env, Launcher(PROGRAM), **more)

    @property
    def connector(self) -> Connector:
        """A new one each time, as every command has."""
        return Connector(self.home / "lerim-home", self.ground, datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))

    def connect(self, *names: str) -> list[Path]:
        """The files that changed."""
        connector, agents = self.connector, chosen(names)
        plan = connector.plan(agents)
        assert {} == plan.refused
        connector.connect(plan)
        connector.note_holders(plan, agents)
        return [change.path for change in plan.changes]

    def disconnect(self, *names: str) -> list[Path]:
        """Where files were kept."""
        connector = self.connector
        return connector.disconnect(connector.plan_disconnect(chosen(names)))

    def refused(self, name: str) -> Any:
        return self.connector.plan(chosen([name])).refused[name]

    def state(self, name: str) -> LinkState:
        return self.connector.standing(chosen([name]))[0].standing

    def files_of(self, name: str) -> list[Path]:
        return [*dict.fromkeys(entry.path for entry in AGENTS[name].parts(self.ground))]


def chosen(names: Any) -> list[ConnectableAgent]:
    return [AGENTS[name] for name in names]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    put_files(tmp_path)
    return Desk(tmp_path)


@pytest.fixture
def bare(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# --- round trips ------------------------------------------------------------------------------------------------------


@each_agent
def test_a_home_is_as_before_when_an_agent_is_let_go(desk: Desk, name: str) -> None:
    """Byte for byte, mode for mode, with no folder left over; and in between the agent is connected."""
    before = snapshot(desk.home)

    changed = desk.connect(name)

    assert changed
    assert LinkState.CONNECTED is desk.state(name)
    assert [] == desk.disconnect(name)
    assert before == snapshot(desk.home)
    assert LinkState.NO is desk.state(name)


@each_agent
def test_an_agent_that_has_no_files_yet_gets_some_and_loses_them(bare: Desk, name: str) -> None:
    bare.connect(name)
    assert LinkState.CONNECTED is bare.state(name)

    bare.disconnect(name)

    assert {} == snapshot(bare.home)


@each_agent
def test_connecting_twice_changes_nothing(desk: Desk, name: str) -> None:
    desk.connect(name)
    after = snapshot(desk.home)

    assert [] == desk.connect(name)
    assert after == snapshot(desk.home)


@each_agent
def test_nothing_of_others_is_changed_by_connecting(desk: Desk, name: str) -> None:
    """Every byte that was there is still there, in its order: things were only put in between."""
    before = snapshot(desk.home)
    desk.connect(name)
    after = snapshot(desk.home)

    for path, (data, mode) in before.items():
        ahead = iter(after[path][0])
        assert all(byte in ahead for byte in data), path
        assert mode == after[path][1]


# Every one of them writes a whole home: a few are enough, and more in a drill.
@settings(max_examples=examples(16))
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(NAMES)), max_size=6))
@example([(True, "codex"), (True, "goose"), (False, "codex")])
def test_agents_come_and_go_in_any_order(steps: list[tuple[bool, str]]) -> None:
    """What they share stays as long as one of them is there. When all are gone, everything is as it was."""
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        put_files(desk.home)
        before, here = snapshot(desk.home), set()
        for comes, name in steps:
            (desk.connect if comes else desk.disconnect)(name)
            (here.add if comes else here.discard)(name)
        found = [each for each in desk.connector.standing(chosen(NAMES)) if each.standing is LinkState.CONNECTED]
        assert here == {each.agent.name for each in found}
        desk.disconnect(*here)

        assert before == snapshot(desk.home)
        assert [] == list((desk.home / "lerim-home").rglob("before/*")), "no copies are left lying around"


# --- somebody was there in between ------------------------------------------------------------------------------------


def rewritten(path: Path) -> None:
    """A file as its agent writes it anew: everything in another order and layout, comments gone."""
    text = path.read_text("utf-8")
    if path.suffix in (".json", ".jsonc"):
        document = parse(text).value
        document.setdefault("zz_written", {"by": "the agent"})
        path.write_text(json.dumps(document, indent=3, sort_keys=True), "utf-8")
    elif path.suffix == ".toml":
        path.write_text(tomlkit.dumps(tomlkit.parse(text)) + '\n[zz_written]\nby = "the agent"\n', "utf-8")
    elif path.suffix == ".yaml":
        path.write_text(yaml.safe_dump({**yaml.safe_load(text), "zz_written": {"by": "the agent"}}), "utf-8")
    elif path.name in ("AGENTS.md", ".goosehints"):
        path.write_text(f"# New\n\n{text}\nMore.\n", "utf-8")


def said(path: Path) -> Any:
    """What a file says, however it is laid out; empty lists that nobody needs left out."""
    text = path.read_text("utf-8")
    if path.suffix in (".json", ".jsonc"):
        return parse(text).value
    loads: dict[str, Callable[[str], Any]] = {".toml": lambda t: tomlkit.parse(t).unwrap(), ".yaml": yaml.safe_load}
    return loads[path.suffix](text) if path.suffix in loads else text.split()


@each_agent
def test_exactly_ours_goes_from_files_an_agent_wrote_anew(desk: Desk, name: str) -> None:
    """What it added stays, what was there stays, and nothing of ours is left."""
    wanted = {}
    for path in [path for path in desk.files_of(name) if path.exists()]:
        data = path.read_bytes()
        rewritten(path)
        wanted[path] = said(path)
        path.write_bytes(data)
    desk.connect(name)
    for path in wanted:
        rewritten(path)

    desk.disconnect(name)

    assert wanted == {path: said(path) for path in wanted}
    assert not [path for path in desk.files_of(name) if path not in wanted and path.exists()]


@each_agent
def test_what_an_agent_dropped_is_put_back_and_can_be_taken_out(desk: Desk, name: str) -> None:
    """Some write their settings anew from an older copy."""
    originals = {path: path.read_bytes() for path in desk.files_of(name) if path.exists()}
    desk.connect(name)
    for path, data in originals.items():
        path.write_bytes(data)
        rewritten(path)
    dropped = snapshot(desk.home)
    assert desk.state(name) in (LinkState.PARTLY, LinkState.NO) or not originals

    desk.connect(name)
    assert LinkState.CONNECTED is desk.state(name)
    desk.disconnect(name)

    assert {path: dropped[path.relative_to(desk.home).as_posix()][0] for path in originals} == {
        path: path.read_bytes() for path in originals
    }


def test_an_entry_added_behind_ours_stays(desk: Desk) -> None:
    """By another tool's installer, which formats as it likes."""
    desk.connect("claude")
    path = desk.home / ".claude" / "settings.json"
    text = path.read_text()
    other = '{ "hooks": [{"type": "command", "command": "theirs"}] }'
    changed = text.replace('"SessionEnd": [', f'"SessionEnd": [{other},')
    path.write_text(changed)

    desk.disconnect("claude")

    left = json.loads(path.read_text())
    assert [json.loads(other)] == left["hooks"].pop("SessionEnd")
    assert json.loads(FILES["claude"][".claude/settings.json"]) == left


def test_a_skill_that_was_changed_is_kept_when_it_goes(bare: Desk) -> None:
    bare.connect("claude")
    skill = bare.home / ".claude" / "skills" / "lerim" / "SKILL.md"
    skill.write_text(skill.read_text() + "\nMine, too.\n")

    (kept,) = bare.disconnect("claude")

    assert kept.read_text().endswith("Mine, too.\n")
    assert 0o600 == stat.S_IMODE(kept.stat().st_mode)
    assert not skill.exists()


def test_entries_are_found_without_the_books(desk: Desk) -> None:
    """On another machine with the same dotfiles, or after somebody removed Lerim's folder."""
    before = {path: said(path) for path in desk.files_of("codex") if path.exists()}
    desk.connect("codex")
    for path in (desk.home / "lerim-home" / "connect").rglob("*"):
        if path.is_file():
            path.unlink()

    desk.disconnect("codex")

    assert before == {path: said(path) for path in before}
    assert not (desk.home / ".agents" / "skills" / "lerim").exists()


def test_books_that_cannot_be_read_are_no_books(desk: Desk) -> None:
    desk.connect("gemini")
    (desk.home / "lerim-home" / "connect" / "connections.json").write_text('{"files": [{}]}')

    assert LinkState.CONNECTED is desk.state("gemini")
    desk.disconnect("gemini")
    assert LinkState.NO is desk.state("gemini")


def test_a_process_killed_before_it_wrote_leaves_nothing_to_undo(desk: Desk) -> None:
    """The books are written first: what they say was done may not have been."""
    before = snapshot(desk.home)
    desk.connect("cursor")
    put_files(desk.home, {"cursor": FILES["cursor"]})

    desk.disconnect("cursor")

    assert before == snapshot(desk.home)


def test_commands_that_run_at_once_do_not_forget_each_other(desk: Desk) -> None:
    """Each waits for the other's books; what they share is noted for both."""
    before = snapshot(desk.home)
    names = ["codex", "gemini", "copilot", "vscode", "zed", "cursor"]

    with ThreadPoolExecutor() as pool:
        list(pool.map(desk.connect, names))

    assert {LinkState.CONNECTED} == {desk.state(name) for name in names}
    desk.disconnect(*names)
    assert before == snapshot(desk.home)


def test_a_file_that_changes_while_somebody_reads_the_plan_is_left_alone(desk: Desk) -> None:
    connector = desk.connector
    plan = connector.plan(chosen(["claude"]))
    path = desk.home / ".claude" / "settings.json"
    path.write_text("{}")

    with pytest.raises(Conflict, match="was changed meanwhile"):
        connector.connect(plan)
    assert "{}" == path.read_text()


# --- files that are not to be written ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("claude", ".claude/settings.json", '{\n  // mine\n  "hooks": {}\n}'),
        ("claude", ".claude/settings.json", '{"hooks": {'),
        ("claude", ".claude.json", "[]"),
        ("codex", ".codex/config.toml", "[mcp_servers\n"),
        ("codex", ".codex/hooks.json", '{"hooks": []}'),
        ("gemini", ".gemini/settings.json", '{"a": 1 "b": 2}'),
        ("goose", ".config/goose/config.yaml", "a: [1\n"),
        ("zed", ".config/zed/settings.json", "// nothing but\n"),
        ("opencode", ".config/opencode/opencode.jsonc", '{"mcp": "none"}'),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_refused(desk: Desk, name: str, path: str, text: str) -> None:
    """With its path, the reason and the next command; nothing of that agent is written."""
    (desk.home / path).write_text(text)
    before = snapshot(desk.home)

    error = desk.refused(name)

    assert str(desk.home / path) in error.message
    assert f"lerim connect {name}" in error.hint
    assert () == desk.connector.plan(chosen([name])).changes
    assert before == snapshot(desk.home)
    assert LinkState.BROKEN is desk.state(name)


def test_a_file_in_another_encoding_is_refused(desk: Desk) -> None:
    (desk.home / ".gemini" / "settings.json").write_bytes('{"a": "ü"}'.encode("utf-16"))

    assert "no text in UTF-8" in desk.refused("gemini").message


@pytest.mark.parametrize("locked", [".claude/settings.json", ".claude"])
def test_what_is_read_only_stays_so(desk: Desk, locked: str) -> None:
    """A file or its folder: nothing is written, and the command that helps is said. For root, who could, as well."""
    path = desk.home / locked
    path.chmod(0o555 if path.is_dir() else 0o444)
    before = snapshot(desk.home)

    error = desk.refused("claude")

    assert "read-only" in error.message
    assert f"chmod u+w {path}" == error.hint
    assert before == snapshot(desk.home)
    path.chmod(0o755)


def test_a_folder_or_a_pipe_in_place_of_a_file_is_refused(desk: Desk) -> None:
    path = desk.home / ".gemini" / "settings.json"
    path.unlink()
    path.mkdir()
    assert "is no file" in desk.refused("gemini").message
    path.rmdir()
    os.mkfifo(path)
    assert "is no file" in desk.refused("gemini").message
    path.unlink()
    path.symlink_to(path)
    assert "cannot be read" in desk.refused("gemini").message


# --- links ------------------------------------------------------------------------------------------------------------


@each_agent
def test_files_that_lie_in_a_repository_of_dotfiles_are_written_there(desk: Desk, name: str) -> None:
    """The link stays a link, the file keeps its mode, and all is restored."""
    dotfiles = desk.home / "dotfiles"
    dotfiles.mkdir()
    linked = [path for path in desk.files_of(name) if path.exists()]
    for number, path in enumerate(linked):
        target = dotfiles / f"{number}-{path.name}"
        path.rename(target)
        target.chmod(0o640)
        path.symlink_to(os.path.relpath(target, path.parent))
    before = snapshot(desk.home)

    desk.connect(name)

    assert all(path.is_symlink() for path in linked)
    assert {0o640} >= {stat.S_IMODE(path.stat().st_mode) for path in linked}
    assert LinkState.CONNECTED is desk.state(name)
    desk.disconnect(name)
    assert before == snapshot(desk.home)


def test_a_link_that_leads_nowhere_yet_is_followed(bare: Desk) -> None:
    """As a fresh checkout of dotfiles leaves it."""
    (bare.home / "dotfiles").mkdir()
    (bare.home / ".claude").mkdir()
    link = bare.home / ".claude" / "settings.json"
    link.symlink_to(bare.home / "dotfiles" / "claude.json")
    before = snapshot(bare.home)

    bare.connect("claude")

    assert link.is_symlink()
    assert "SessionStart" in (bare.home / "dotfiles" / "claude.json").read_text()
    bare.disconnect("claude")
    assert before == snapshot(bare.home)


def test_a_folder_that_is_a_link_is_followed(bare: Desk) -> None:
    (bare.home / "dotfiles" / "codex").mkdir(parents=True)
    (bare.home / ".codex").symlink_to("dotfiles/codex")
    before = snapshot(bare.home)

    bare.connect("codex")

    assert {"config.toml", "hooks.json"} == {path.name for path in (bare.home / "dotfiles" / "codex").iterdir()}
    bare.disconnect("codex")
    assert before == snapshot(bare.home)


def test_in_a_project_links_are_not_followed(tmp_path: Path) -> None:
    """A repository must not choose which file of the user's is written."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "settings.json").write_text("{}")
    project = tmp_path / "shop"
    (project / ".gemini").mkdir(parents=True)
    (project / ".gemini" / "settings.json").symlink_to(tmp_path / "secret" / "settings.json")
    (project / ".factory").symlink_to(tmp_path / "secret")
    desk = Desk(tmp_path, project=project)

    for name in ("gemini", "droid"):
        assert "links are not followed" in desk.refused(name).message
    assert "{}" == (tmp_path / "secret" / "settings.json").read_text()


@each_agent
def test_a_project_is_connected_by_itself(tmp_path: Path, name: str) -> None:
    """In its own files, with the program called by its name; the home is not touched, and all goes again."""
    project = tmp_path / "shop"
    project.mkdir()
    desk = Desk(tmp_path, project=project)
    desk.ground = Ground(tmp_path, desk.env, Launcher("lerim"), project=project)

    desk.connect(name)

    assert LinkState.CONNECTED is desk.state(name)
    assert [project] == [path for path in tmp_path.iterdir() if path.name != "lerim-home"]
    texts = "".join(path.read_text("utf-8") for path in project.rglob("*") if path.is_file())
    assert str(tmp_path) not in texts
    desk.disconnect(name)
    assert [] == list(project.iterdir())


# --- what each agent gets ---------------------------------------------------------------------------------------------


def test_our_hooks_stand_behind_those_of_others(desk: Desk) -> None:
    """Codex trusts hooks by their place: one that is put before another takes its trust away."""
    desk.connect("codex", "claude")

    for path in (".codex/hooks.json", ".claude/settings.json"):
        first, ours = json.loads((desk.home / path).read_text())["hooks"]["SessionStart"]
        assert "hook session-start" not in json.dumps(first)
        assert f"'{PROGRAM}' hook session-start" in ours["hooks"][0]["command"]


def test_codex_hooks_in_its_settings_get_company_there(bare: Desk) -> None:
    """Both forms at once would make Codex complain; and where they cannot be added to, the file of hooks is begun."""
    settings = bare.home / ".codex" / "config.toml"
    settings.parent.mkdir()
    text = 'model = "x"\n\n[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ncommand = "theirs"\n\n[tui]\na = 1\n'
    settings.write_text(text)
    before = snapshot(bare.home)

    bare.connect("codex")

    assert not (settings.parent / "hooks.json").exists()
    hooks = tomllib.loads(settings.read_text())["hooks"]
    assert ["theirs", f"'{PROGRAM}' hook session-start --agent codex"] == [
        group["hooks"][0]["command"] for group in hooks["SessionStart"]
    ]
    assert LinkState.CONNECTED is bare.state("codex")
    assert [] == bare.connect("codex")
    bare.disconnect("codex")
    assert before == snapshot(bare.home)

    settings.write_text('[hooks]\nSessionStart = [{ hooks = [{ command = "theirs" }] }]\n')
    bare.connect("codex")
    assert (settings.parent / "hooks.json").exists()


def test_a_timeout_that_somebody_changed_is_theirs(desk: Desk) -> None:
    desk.connect("codex")
    path = desk.home / ".codex" / "hooks.json"
    path.write_text(path.read_text().replace('"timeout": 10', '"timeout": 25'))

    assert [] == desk.connect("codex")


def test_each_agent_counts_time_in_its_own_unit(bare: Desk) -> None:
    """Ten seconds, written as seconds or as thousandths; Codex grants three at the end of a session."""
    bare.connect("claude", "gemini", "codex", "copilot")
    hooks = {
        name: json.loads((bare.home / path).read_text())["hooks"]
        for name, path in {
            "claude": ".claude/settings.json",
            "gemini": ".gemini/settings.json",
            "codex": ".codex/hooks.json",
            "copilot": ".copilot/hooks/lerim.json",
        }.items()
    }

    assert 10 == hooks["claude"]["SessionEnd"][0]["hooks"][0]["timeout"]
    assert 10_000 == hooks["gemini"]["SessionEnd"][0]["hooks"][0]["timeout"]
    assert 3 == hooks["codex"]["SessionEnd"][0]["hooks"][0]["timeout"]
    assert 10 == hooks["copilot"]["sessionEnd"][0]["timeoutSec"]


def test_a_hook_of_clines_that_somebody_has_is_not_overwritten(desk: Desk) -> None:
    """Ours goes into the other folder; where that is taken too, we do without."""
    desk.connect("cline")
    other = desk.home / "Documents" / "Cline" / "Hooks" / "TaskStart"
    assert "hook session-start" in other.read_text()
    assert os.access(other, os.X_OK)
    desk.disconnect("cline")
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\n")
    mine = desk.home / ".cline" / "hooks" / "TaskStart"
    mine.write_text("#!/bin/sh\n")

    plan = desk.connector.plan(chosen(["cline"]))

    assert any("TaskStart" in warning for warning in plan.warnings)
    assert mine not in [change.path for change in plan.changes]


def test_droids_hooks_stay_where_the_user_has_them(bare: Desk) -> None:
    """A file of hooks would hide those in the settings: none is begun."""
    settings = bare.home / ".factory" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"hooks": {"Stop": []}}')

    bare.connect("droid")

    assert not (bare.home / ".factory" / "hooks.json").exists()
    assert {"Stop", "SessionStart", "SessionEnd", "PreCompact"} == json.loads(settings.read_text())["hooks"].keys()


def test_agents_moved_by_a_variable_are_found_there(tmp_path: Path) -> None:
    moved = {
        "CODEX_HOME": "x",
        "CLAUDE_CONFIG_DIR": "c",
        "COPILOT_HOME": "p",
        "GEMINI_CLI_HOME": "g",
        "XDG_CONFIG_HOME": "d",
    }
    env = {name: str(tmp_path / "moved" / value) for name, value in moved.items()}
    ground = Ground(tmp_path, {**env, "PATH": ""}, Launcher(PROGRAM))

    for name in ("codex", "claude", "copilot", "gemini", "opencode", "zed", "goose"):
        paths = [entry.path for entry in AGENTS[name].parts(ground) if ".agents" not in entry.path.parts]
        assert all(tmp_path / "moved" in path.parents for path in paths), name


def test_what_one_agent_was_given_does_not_connect_another(bare: Desk) -> None:
    """Several read the same folder of skills, and VS Code reads Copilot's hooks."""
    bare.connect("copilot")

    others = [each for each in bare.connector.standing() if each.agent.name != "copilot"]
    assert {LinkState.NO} == {each.standing for each in others}


def test_agents_are_found_by_their_folder_or_their_program(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert [] == [each.agent.name for each in desk.connector.standing() if each.is_here]
    (tmp_path / ".codex").mkdir()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert ["codex", "gemini"] == [each.agent.name for each in desk.connector.standing() if each.is_here]


# --- the words that start Lerim ---------------------------------------------------------------------------------------

ODD_PATHS = ["/opt/my tools/lerim", "/home/o'hara/lerim", "/tmp/$(touch x)/`y`/lerim", '/a"b\\c/lerim', "/ü 🙂/lerim"]


@pytest.mark.parametrize("program", ODD_PATHS)
def test_a_shell_reads_the_command_as_it_was_meant(program: str) -> None:
    """Blanks, quotes and everything that a shell would run."""
    launcher = Launcher(program, home="/srv/le rim; rm x")

    asked = subprocess.run(
        [
            "sh",
            "-c",
            launcher.hook("session-start", "claude").replace(
                shlex.quote(program), f"printf '%s|' {shlex.quote(program)}"
            ),
        ],
        capture_output=True,
        check=True,
        text=True,
    )

    assert [program, "hook", "session-start", "--agent", "claude", ""] == asked.stdout.split("|")
    assert [f"LERIM_HOME={launcher.home}", program, "hook", "x", "--agent", "y"] == shlex.split(launcher.hook("x", "y"))


def test_on_windows_every_shell_reads_the_command() -> None:
    """Double quotes and slashes are what cmd and bash have in common; PowerShell wants to be told to run it."""
    launcher = Launcher("C:\\Program Files\\Lerim\\lerim.exe", windows=True)

    assert '"C:/Program Files/Lerim/lerim.exe" hook session-end --agent codex' == launcher.hook("session-end", "codex")
    assert "& 'C:/Program Files/Lerim/lerim.exe' hook prompt --agent copilot" == launcher.powershell(
        "prompt", "copilot"
    )
    assert "& 'C:/it''s/lerim.exe' hook a --agent b" == Launcher("C:\\it's\\lerim.exe", windows=True).powershell(
        "a", "b"
    )
    assert "$env:LERIM_HOME='D:\\x y'; & 'C:/l.exe' hook a --agent b" == Launcher(
        "C:\\l.exe", "D:\\x y", windows=True
    ).powershell("a", "b")


def test_the_program_that_runs_is_the_one_that_agents_start(tmp_path: Path) -> None:
    """By the link it was called by, which an update keeps; by its place where it was found by its name."""
    real = tmp_path / "venv 1.2" / "bin" / "lerim"
    real.parent.mkdir(parents=True)
    real.write_text("")
    real.chmod(0o755)
    link = tmp_path / "bin" / "lerim"
    link.parent.mkdir()
    link.symlink_to(real)

    assert str(link) == find_program([str(link)], {})
    assert str(link) == find_program(["lerim"], {"PATH": str(link.parent)})
    assert find_program(["/usr/bin/pytest"], {"PATH": ""}).endswith("lerim")


def test_a_program_in_a_cache_is_told_from_one_that_stays() -> None:
    assert is_passing("/home/ada/.cache/uv/archive-v0/x/bin/lerim")
    assert not is_passing("/home/ada/.local/bin/lerim")


def test_every_kind_of_vs_code_that_is_there_gets_the_server(bare: Desk) -> None:
    for kind in ("Code - Insiders", "VSCodium"):
        (bare.home / ".config" / kind / "User").mkdir(parents=True)
    before = snapshot(bare.home)

    bare.connect("vscode")

    assert ["Code - Insiders", "VSCodium"] == sorted(path.parts[-3] for path in bare.home.rglob("mcp.json"))
    bare.disconnect("vscode")
    assert before == snapshot(bare.home)


@each_agent
def test_on_windows_an_agent_is_connected_and_let_go(tmp_path: Path, name: str) -> None:
    """The files that it has there, with the words for its shell; the server by its path as it is."""
    env = {"APPDATA": str(tmp_path / "Roaming"), "PATH": ""}
    desk = Desk(tmp_path)
    desk.ground = Ground(tmp_path, env, Launcher("C:\\Tools\\lerim.exe", windows=True), "windows")

    desk.connect(name)

    assert LinkState.CONNECTED is desk.state(name)
    documents = [json.loads(path.read_text()) for path in tmp_path.rglob("*.json") if "lerim-home" not in path.parts]
    assert "C:\\\\Tools\\\\lerim.exe" in json.dumps(documents) or name in ("codex", "goose")
    desk.disconnect(name)
    assert {} == snapshot(tmp_path)
