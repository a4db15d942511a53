"""The agents that Lerim can be connected to: where each keeps its settings, and what is put there.

One row an agent. Each gets its own mechanism at its best: a hook where a session starts and ends, the server's entry,
the skill, and instructions where there is nothing else. `docs/connect.md` says the same to people.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from lerim.connect.command_line import HOOK_WORDS, Launcher
from lerim.connect.edits import Edit, Unfit
from lerim.connect.edits_json import JsonHook, JsonMember
from lerim.connect.edits_text import InstructionBlock, OwnFile
from lerim.connect.edits_toml import TomlHook, TomlTable, has_hooks
from lerim.connect.edits_yaml import YamlMember
from lerim.connect.files import AgentFile
from lerim.dataclass import dataclass
from lerim.errors import ConnectError

#: Seconds that an agent waits for a hook of ours, which gives up long before.
_PATIENCE = 10
#: The most that Codex grants at the end of a session.
_CODEX_END = 3
#: Sessions that begin with nothing in their context; one that is resumed has the brief already.
_FRESH = "startup|clear|compact"


@dataclass(frozen=True)
class Ground:
    """Where agents' files are looked for: a home, or one project."""

    home: Path
    env: Mapping[str, str]
    launcher: Launcher
    system: str = "linux"
    #: The project that is connected instead of the user's own settings.
    project: Path | None = None
    #: A file that the user named, for clients that nobody knows.
    file: Path | None = None

    @property
    def windows(self) -> bool:
        return self.system == "windows"

    def own(self, variable: str, name: str) -> Path:
        """An agent's folder: where its variable says, or below the home; in a project, below that."""
        if self.project is not None:
            return self.project / name
        return Path(self.env[variable]) if self.env.get(variable) else self.home / name

    def config(self, name: str) -> Path:
        """A folder among the settings, as the XDG rules have it."""
        return Path(self.env.get("XDG_CONFIG_HOME") or self.home / ".config") / name

    def application(self, name: str) -> Path:
        """A folder of a desktop program's settings."""
        if self.windows:
            return Path(self.env.get("APPDATA") or self.home / "AppData" / "Roaming") / name
        return self.home / "Library" / "Application Support" / name if self.system == "darwin" else self.config(name)

    def skills(self, name: str = ".agents") -> Path:
        return (self.project or self.home) / name / "skills" / "lerim" / "SKILL.md"


@dataclass(frozen=True)
class AgentEntry:
    """One entry in one file."""

    path: Path
    edit: Edit
    executable: bool = False


@dataclass(frozen=True)
class ConnectableAgent:
    name: str
    title: str
    #: What is put where.
    parts: Callable[[Ground], list[AgentEntry]]
    #: The folders that tell that it is here, and the programs.
    folders: Callable[[Ground], list[Path]]
    programs: tuple[str, ...] = ()
    #: What is left for the user to do, in one sentence each.
    left: tuple[str, ...] = ()
    #: The same when a project is connected.
    left_in_project: tuple[str, ...] = ()

    def is_here(self, ground: Ground) -> bool:
        from shutil import which  # Start-up: as in command_line.

        return any(folder.is_dir() for folder in self.folders(ground)) or any(
            which(program, path=ground.env.get("PATH")) for program in self.programs
        )


# --- what several have in common --------------------------------------------------------------------------------------


def shipped(name: str) -> str:
    """A text that comes with Lerim."""
    return (files("lerim.connect") / name).read_text("utf-8")


def _skill(path: Path) -> AgentEntry:
    return AgentEntry(path, OwnFile(shipped("skill/SKILL.md"), "skill"))


def _instructions() -> InstructionBlock:
    return InstructionBlock(shipped("skill/instructions.md"))


def _mark(event: str, agent: str) -> str:
    return HOOK_WORDS.format(event=event, agent=agent)


def _server(path: Path, key: str, ground: Ground, *, strict: bool = True, **more: Any) -> AgentEntry:
    return AgentEntry(path, JsonMember((key, "lerim"), ground.launcher.mcp(**more), strict=strict))


#: Events of an agent, and ours: `("SessionStart", "session-start", {"matcher": …}, timeout)`.
_Grouped = tuple[str, str, Mapping[str, Any], int]


def _grouped_hooks(
    path: Path,
    agent: str,
    ground: Ground,
    events: tuple[_Grouped, ...],
    *,
    under: tuple[str, ...] = ("hooks",),
    **more: Any,
) -> Iterator[AgentEntry]:
    """Hooks in the form that Claude Code began with: groups with a matcher, each with its handlers."""
    strict = more.pop("strict", True)
    for name, event, group, timeout in events:
        handler = {"type": "command", "command": ground.launcher.hook(event, agent), "timeout": timeout, **more}
        yield AgentEntry(path, JsonHook((*under, name), handler, _mark(event, agent), group, strict=strict))


# --- the agents -------------------------------------------------------------------------------------------------------


def _claude(ground: Ground) -> list[AgentEntry]:
    folder = ground.own("CLAUDE_CONFIG_DIR", ".claude")
    # In a project: the file that is the user's own, and not the one that is committed.
    settings = folder / ("settings.local.json" if ground.project else "settings.json")
    at_home = folder if ground.env.get("CLAUDE_CONFIG_DIR") else ground.home
    servers = ground.project / ".mcp.json" if ground.project else at_home / ".claude.json"
    events: tuple[_Grouped, ...] = (
        ("SessionStart", "session-start", {"matcher": _FRESH}, _PATIENCE),
        ("SessionEnd", "session-end", {}, _PATIENCE),
        ("PreCompact", "pre-compact", {}, _PATIENCE),
    )
    return [
        *_grouped_hooks(settings, "claude", ground, events),
        _server(servers, "mcpServers", ground, type="stdio"),
        _skill(folder / "skills" / "lerim" / "SKILL.md"),
    ]


def _codex(ground: Ground) -> list[AgentEntry]:
    folder = ground.own("CODEX_HOME", ".codex")
    events: tuple[_Grouped, ...] = (
        ("SessionStart", "session-start", {"matcher": _FRESH}, _PATIENCE),
        ("SessionEnd", "session-end", {}, _CODEX_END),
        ("PreCompact", "pre-compact", {}, _PATIENCE),
    )
    server: dict[str, Any] = {"command": ground.launcher.program, "args": ["mcp"]}
    if ground.launcher.home:
        server["env"] = ground.launcher.env
    inline = _codex_inline_hooks(folder, ground, events)
    return [
        *(inline or _grouped_hooks(folder / "hooks.json", "codex", ground, events)),
        AgentEntry(folder / "config.toml", TomlTable(("mcp_servers", "lerim"), server)),
        _skill(ground.skills()),
    ]


def _codex_inline_hooks(folder: Path, ground: Ground, events: tuple[_Grouped, ...]) -> list[AgentEntry]:
    """The hooks in the settings, where the user has theirs there: Codex complains about both forms at once."""
    settings = folder / "config.toml"
    try:
        data = AgentFile(settings, ground.project).read() if not (folder / "hooks.json").exists() else None
    except ConnectError:
        return []  # Whoever opens it to write says what is wrong with it.
    entries = []
    for name, event, group, timeout in events:
        handler: dict[str, Any] = {
            "type": "command",
            "command": ground.launcher.hook(event, "codex"),
            "timeout": timeout,
        }
        entries.append(AgentEntry(settings, TomlHook(name, group, handler, _mark(event, "codex"))))
    text = (data or b"").decode("utf-8", "replace")
    return entries if has_hooks(text) and all(_fits(entry.edit, text) for entry in entries) else []


def _fits(edit: Edit, text: str) -> bool:
    try:
        edit.put(text)
    except Unfit:
        return False
    return True


def _gemini(ground: Ground) -> list[AgentEntry]:
    home = Path(ground.env["GEMINI_CLI_HOME"]) if ground.env.get("GEMINI_CLI_HOME") else ground.home
    settings = (ground.project or home) / ".gemini" / "settings.json"
    thousand = _PATIENCE * 1000  # Gemini counts in milliseconds.
    events: tuple[_Grouped, ...] = (
        # Its matchers are one word each for these events: the hook itself tells a session that goes on.
        ("SessionStart", "session-start", {}, thousand),
        ("SessionEnd", "session-end", {}, thousand),
        ("PreCompress", "pre-compact", {}, thousand),
    )
    return [
        *_grouped_hooks(settings, "gemini", ground, events, strict=False, name="lerim"),
        _server(settings, "mcpServers", ground, strict=False),
        _skill(ground.skills()),
    ]


def _copilot_hooks(path: Path, ground: Ground) -> Iterator[AgentEntry]:
    """One file for the command line and for VS Code, which read the same folder."""
    for name, event in (
        ("sessionStart", "session-start"),
        ("sessionEnd", "session-end"),
        # The only events that say where the transcript is.
        ("agentStop", "turn-end"),
        ("preCompact", "pre-compact"),
    ):
        launcher, key = ground.launcher, "powershell" if ground.windows else "bash"
        command = launcher.powershell(event, "copilot") if ground.windows else launcher.hook(event, "copilot")
        handler = {"type": "command", key: command, "timeoutSec": _PATIENCE}
        edit = JsonHook(("hooks", name), handler, _mark(event, "copilot"), essential=key, frame={"version": 1})
        yield AgentEntry(path, edit)


def _copilot(ground: Ground) -> list[AgentEntry]:
    folder = ground.own("COPILOT_HOME", ".copilot")
    hooks = (ground.project / ".github" if ground.project else folder) / "hooks" / "lerim.json"
    servers = ground.project / ".mcp.json" if ground.project else folder / "mcp-config.json"
    return [
        *_copilot_hooks(hooks, ground),
        # The same entry as Claude Code's in a project, where they share the file.
        _server(servers, "mcpServers", ground, type="stdio")
        if ground.project
        else _server(servers, "mcpServers", ground, type="local", tools=["*"]),
        _skill(ground.skills()),
    ]


def _vscode_folders(ground: Ground) -> list[Path]:
    """The folders of the editor's kinds that are there."""
    kinds = [ground.application(name) for name in ("Code", "Code - Insiders", "VSCodium")]
    return [kind for kind in kinds if kind.is_dir()]


def _vscode(ground: Ground) -> list[AgentEntry]:
    hooks = (ground.project / ".github" if ground.project else ground.own("COPILOT_HOME", ".copilot")) / "hooks"
    folders = _vscode_folders(ground) or [ground.application("Code")]
    files = [folder / "User" / "mcp.json" for folder in folders]
    return [
        *_copilot_hooks(hooks / "lerim.json", ground),
        *(
            _server(file, "servers", ground, strict=False, type="stdio")
            for file in ([ground.project / ".vscode" / "mcp.json"] if ground.project else files)
        ),
        _skill(ground.skills()),
    ]


def _cursor(ground: Ground) -> list[AgentEntry]:
    folder = (ground.project or ground.home) / ".cursor"
    parts = []
    for name, event in (
        ("sessionStart", "session-start"),
        ("sessionEnd", "session-end"),
        ("preCompact", "pre-compact"),
    ):
        handler = {"command": ground.launcher.hook(event, "cursor"), "timeout": _PATIENCE}
        edit = JsonHook(("hooks", name), handler, _mark(event, "cursor"), strict=False, frame={"version": 1})
        parts.append(AgentEntry(folder / "hooks.json", edit))
    parts += [_server(folder / "mcp.json", "mcpServers", ground, strict=False), _skill(ground.skills())]
    if ground.project:
        rule = f"---\ndescription: Lerim, the memory of coding agents\nalwaysApply: true\n---\n\n{_owned_text()}"
        parts.append(AgentEntry(folder / "rules" / "lerim.mdc", OwnFile(rule, "rule")))
    return parts


def _owned_text() -> str:
    """The instructions as a file of its own, which says who wrote it."""
    body = shipped("skill/instructions.md")
    return f"{body.rstrip()}\n\n<!-- written by lerim connect; lerim disconnect takes it out -->\n"


def _opencode(ground: Ground) -> list[AgentEntry]:
    folder = ground.project / ".opencode" if ground.project else ground.config("opencode")
    around = ground.project or folder
    named = [around / "opencode.jsonc", around / "opencode.json"]
    settings = next((path for path in named if path.exists()), named[1])
    command = [ground.launcher.program, "mcp"]
    entry: dict[str, Any] = {"type": "local", "command": command, "enabled": True}
    if ground.launcher.env:
        entry["environment"] = ground.launcher.env
    return [
        AgentEntry(folder / "plugins" / "lerim.js", OwnFile(_script("opencode.js", ground, "opencode"), "plugin")),
        AgentEntry(settings, JsonMember(("mcp", "lerim"), entry, ("type", "command"), strict=False)),
        _skill(ground.skills()),
    ]


def _script(name: str, ground: Ground, agent: str) -> str:
    """A program that an agent runs in itself, with our words in place."""
    words = {"PROGRAM": ground.launcher.program, "AGENT": agent, "ENV": ground.launcher.env}
    # What both scripts have in common: calling the hook, and reading what it says.
    text = shipped(f"skill/{name}").replace("__HOOK__\n", shipped("skill/hook.js"))
    for key, value in words.items():
        text = text.replace(f"__{key}__", json.dumps(value, ensure_ascii=False))
    return text


def _pi(ground: Ground) -> list[AgentEntry]:
    folder = ground.project / ".pi" if ground.project else ground.own("PI_CODING_AGENT_DIR", ".pi/agent")
    return [
        AgentEntry(folder / "extensions" / "lerim.ts", OwnFile(_script("pi.ts", ground, "pi"), "extension")),
        _server(folder / "mcp.json", "mcpServers", ground),
        _skill(ground.skills()),
    ]


def _cline(ground: Ground) -> list[AgentEntry]:
    folder = (ground.project or ground.home) / ".cline"
    events = (("TaskStart", "session-start"), ("TaskComplete", "turn-end"), ("SessionShutdown", "session-end"))
    parts = [_cline_hook(name, event, ground) for name, event in events]
    if not ground.project:
        parts.append(_server(folder / "mcp.json", "mcpServers", ground, strict=False))
        extension = ground.application("Code") / "User" / "globalStorage" / "saoudrizwan.claude-dev" / "settings"
        if extension.is_dir():
            parts.append(_server(extension / "cline_mcp_settings.json", "mcpServers", ground, strict=False))
    return [*parts, _skill(folder / "skills" / "lerim" / "SKILL.md")]


def _cline_hook(name: str, event: str, ground: Ground) -> AgentEntry:
    """A hook of Cline is a file of that name, one a folder: where somebody's is, the other folder is taken."""
    windows = ground.windows
    folders = [(ground.project or ground.home) / ".cline" / "hooks"]
    if not ground.project:
        folders.append(ground.home / "Documents" / "Cline" / "Hooks")
    folder = next((one for one in folders if not _is_taken(one, name)), folders[0])
    notice = "written by lerim connect; lerim disconnect takes it out"
    command = ground.launcher.powershell(event, "cline") if windows else ground.launcher.hook(event, "cline")
    text = (
        f"# {notice}\n{command}\n"
        if windows
        else f"#!/bin/sh\n# {notice}\nexec {command}\n".replace("exec LERIM_HOME=", "LERIM_HOME=")
    )
    return AgentEntry(
        folder / (f"{name}.ps1" if windows else name), OwnFile(text, f"hook {name}"), executable=not windows
    )


def _is_taken(folder: Path, name: str) -> bool:
    """Whether somebody else has a hook of this name there, of whatever kind."""
    from lerim.connect.edits_text import MARK  # Here to stay beside its only use.

    try:
        there = [entry for entry in folder.iterdir() if entry.name.partition(".")[0] == name and entry.is_file()]
        return any(MARK not in entry.read_text("utf-8", "replace") for entry in there)
    except OSError:
        return False


def _droid(ground: Ground) -> list[AgentEntry]:
    folder = (ground.project or ground.home) / ".factory"
    events: tuple[_Grouped, ...] = (
        ("SessionStart", "session-start", {}, _PATIENCE),
        ("SessionEnd", "session-end", {}, _PATIENCE),
        ("PreCompact", "pre-compact", {}, _PATIENCE),
    )
    # A file of hooks, once it is there, hides those in the settings: it is not for us to begin one.
    hooks = folder / "hooks.json"
    path, under = (hooks, _hooks_key(hooks)) if hooks.exists() else (folder / "settings.json", ("hooks",))
    return [
        *_grouped_hooks(path, "droid", ground, events, under=under, strict=False),
        _server(folder / "mcp.json", "mcpServers", ground, strict=False, type="stdio"),
        _skill(folder / "skills" / "lerim" / "SKILL.md"),
    ]


def _hooks_key(path: Path) -> tuple[str, ...]:
    """Droid's file of hooks is keyed by events; older ones have them below a name."""
    from lerim.connect.jsonc import NotJson, parse

    try:
        document = parse(path.read_text("utf-8")).value
    except (OSError, UnicodeDecodeError, NotJson):
        return ()
    return ("hooks",) if isinstance(document, dict) and "hooks" in document else ()


def _kiro(ground: Ground) -> list[AgentEntry]:
    folder = (ground.project or ground.home) / ".kiro"
    steering = f"---\ninclusion: always\n---\n\n{_owned_text()}"
    hooks = []
    for name, event in (("SessionStart", "session-start"), ("Stop", "turn-end")):
        action = {"type": "command", "command": ground.launcher.hook(event, "kiro")}
        handler = {"name": f"lerim {event}", "trigger": name, "action": action, "timeout": _PATIENCE, "enabled": True}
        where, mark, frame = ("hooks",), _mark(event, "kiro"), {"version": "v1"}
        edit = JsonHook(where, handler, mark, essential="action.command", frame=frame, event=name)
        hooks.append(AgentEntry(folder / "hooks" / "lerim.json", edit))
    return [
        *hooks,
        AgentEntry(folder / "steering" / "lerim.md", OwnFile(steering, "instructions")),
        _server(folder / "settings" / "mcp.json", "mcpServers", ground, strict=False),
        _skill(folder / "skills" / "lerim" / "SKILL.md"),
    ]


def _zed(ground: Ground) -> list[AgentEntry]:
    folder = ground.application("Zed") if ground.windows else ground.config("zed")
    if ground.project:
        return [_server(ground.project / ".zed" / "settings.json", "context_servers", ground, strict=False)]
    return [
        _server(folder / "settings.json", "context_servers", ground, strict=False),
        AgentEntry(folder / "AGENTS.md", _instructions()),
        _skill(ground.skills()),
    ]


def _goose(ground: Ground) -> list[AgentEntry]:
    if ground.project:
        return [AgentEntry(ground.project / ".goosehints", _instructions())]
    folder = ground.application("Block") / "goose" / "config" if ground.windows else ground.config("goose")
    entry: dict[str, Any] = {
        "enabled": True,
        "type": "stdio",
        "name": "lerim",
        "description": "The memory of coding agents",
        "cmd": ground.launcher.program,
        "args": ["mcp"],
        "envs": ground.launcher.env,
        "timeout": 300,
    }
    plugin = ground.home / ".agents" / "plugins" / "lerim"
    events: tuple[_Grouped, ...] = (("SessionEnd", "session-end", {}, _PATIENCE), ("Stop", "turn-end", {}, _PATIENCE))
    about = {"name": "lerim", "version": "1.0.0", "description": "Tells Lerim, by lerim connect, that a session ended"}
    return [
        AgentEntry(folder / "config.yaml", YamlMember(("extensions", "lerim"), entry, ("type", "cmd", "args"))),
        AgentEntry(folder / ".goosehints", _instructions()),
        AgentEntry(plugin / "plugin.json", OwnFile(f"{json.dumps(about, indent=2)}\n", "plugin")),
        *_grouped_hooks(plugin / "hooks" / "hooks.json", "goose", ground, events),
    ]


def _generic(ground: Ground) -> list[AgentEntry]:
    return [_server(ground.file, "mcpServers", ground, strict=False)] if ground.file else []


_TRUST_CODEX = (
    "Codex runs a hook only once you trust it: start codex and say yes when it asks, or type /hooks; until then it"
    " skips them without a word"
)
AGENTS: Mapping[str, ConnectableAgent] = {
    agent.name: agent
    for agent in (
        ConnectableAgent(
            "claude", "Claude Code", _claude, lambda at: [at.own("CLAUDE_CONFIG_DIR", ".claude")], ("claude",)
        ),
        ConnectableAgent(
            *("codex", "Codex", _codex, lambda at: [at.own("CODEX_HOME", ".codex")], ("codex",)),
            left=(_TRUST_CODEX,),
            left_in_project=("trust the project in Codex", _TRUST_CODEX),
        ),
        ConnectableAgent(
            *("cursor", "Cursor", _cursor, lambda at: [at.home / ".cursor"], ("cursor", "cursor-agent")),
            left=(
                "Cursor starts a new server switched off: turn lerim on in its settings, under MCP",
                "some versions of the editor drop what a hook says: lerim connect cursor --project adds a rule, which"
                " they read",
            ),
            left_in_project=("Cursor starts a new server switched off: turn lerim on in its settings, under MCP",),
        ),
        ConnectableAgent(
            *("opencode", "OpenCode", _opencode, lambda at: [at.config("opencode")], ("opencode",)),
        ),
        ConnectableAgent(
            *("gemini", "Gemini CLI", _gemini, lambda at: [at.home / ".gemini"], ("gemini",)),
            left_in_project=("Gemini reads a project's hooks once you trust the folder",),
        ),
        ConnectableAgent(
            *("copilot", "Copilot CLI", _copilot, lambda at: [at.own("COPILOT_HOME", ".copilot")], ("copilot",)),
            left_in_project=("Copilot reads a project's hooks once you trust the folder",),
        ),
        ConnectableAgent(
            *("vscode", "VS Code Copilot", _vscode, _vscode_folders, ("code", "code-insiders", "codium")),
            left=("VS Code asks once whether it may start the server",),
        ),
        ConnectableAgent("cline", "Cline", _cline, lambda at: [at.home / ".cline"], ("cline",)),
        ConnectableAgent(
            *("pi", "pi", _pi, lambda at: [at.own("PI_CODING_AGENT_DIR", ".pi/agent")], ("pi",)),
            left_in_project=("pi loads a project's extension once you trust the project",),
        ),
        ConnectableAgent(
            *("droid", "Factory Droid", _droid, lambda at: [at.home / ".factory"], ("droid",)),
            left=("Droid keeps to the hooks it started with: look at them once under /hooks",),
        ),
        ConnectableAgent("kiro", "Kiro", _kiro, lambda at: [at.home / ".kiro"], ("kiro-cli", "kiro")),
        ConnectableAgent(
            *("zed", "Zed", _zed, lambda at: [at.application("Zed") if at.windows else at.config("zed")], ("zed",)),
        ),
        ConnectableAgent("goose", "goose", _goose, lambda at: [at.config("goose")], ("goose",)),
        ConnectableAgent("generic", "another MCP client", _generic, lambda at: []),
    )
}


def system_name(platform: str) -> str:
    return {"win32": "windows", "darwin": "darwin"}.get(platform, "linux")


def ground_of(env: Mapping[str, str], launcher: Launcher, platform: str, **more: Any) -> Ground:
    home = Path(env.get("HOME") or env.get("USERPROFILE") or Path.home())
    return Ground(home, env, launcher, system_name(platform), **more)
