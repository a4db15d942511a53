"""Homes as people have them: the settings of every agent, with what they and other tools put there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

#: Files below a home, by agent. Made up, in the layouts that people and programs leave.
FILES: Mapping[str, Mapping[str, str]] = {
    "claude": {
        ".claude/settings.json": """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": { "allow": ["Bash(git status:*)", "Read(~/.zshrc)"], "deny": [] },
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [ { "type": "command", "command": "~/bin/greet.sh" } ] }
    ],
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [{"type": "command", "command": "jq -r '.tool_input.file_path' | xargs prettier --write"}]
      }
    ]
  },
  "statusLine": {"type": "command", "command": "echo \\"$USER\\" \\u2713"}
}
""",
        ".claude.json": json.dumps(
            {
                "numStartups": 412,
                "projects": {"/home/ada/shop": {"history": [{"display": "fix the // comment {in} here, ok?"}] * 40}},
                "mcpServers": {"github": {"type": "http", "url": "https://example.com/mcp"}},
                "oauthAccount": {"emailAddress": "ada@example.com"},
            }
        ),
    },
    "codex": {
        ".codex/config.toml": """# Codex
model = "gpt-6.1"
approval_policy = "on-request"
notify = ["python3", "/home/ada/notify.py"]

[projects."/home/ada/shop"]
trust_level = "trusted"

[mcp_servers.docs]   # the team's
command = "npx"
args = [
  "-y",
  "docs-mcp", # no version
]

[mcp_servers.docs.env]
TOKEN = "x"

[tui]
notifications = true

[hooks.state."/home/ada/.codex/hooks.json:session_start:0:0"]
trusted_hash = "sha256:0a1b"
""",
        ".codex/hooks.json": """{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "other start"}]}],
           "Stop": [ {"hooks":[{"type":"command","command":"say done"}]} ] } }
""",
    },
    "gemini": {
        ".gemini/settings.json": """{
\t// how it looks
\t"theme": "Default",
\t"mcpServers": {
\t\t"git": { "command": "uvx", "args": ["mcp-server-git"] } /* mine */
\t},
\t"hooks": {
\t\t"SessionStart": []
\t}
}""",
    },
    "copilot": {
        ".copilot/mcp-config.json": '{"mcpServers":{"db":{"type":"local","command":"db-mcp","args":[],"tools":["*"]}}}',
        ".copilot/hooks/audit.json": '{"version": 1, "hooks": {"sessionStart": []}}\n',
        ".copilot/settings.json": "// mine\n{}\n",
    },
    "vscode": {
        ".config/Code/User/mcp.json": """{
    "inputs": [
        { "type": "promptString", "id": "key", "password": true, }, // asked once
    ],
    "servers": {
        "github": { "url": "https://example.com/mcp" }, // theirs
    },
}
""".replace("\n", "\r\n"),
        ".config/Code/User/settings.json": "{}",
    },
    "cursor": {
        ".cursor/hooks.json": '{\n  "version": 1,\n  "hooks": {\n    "stop": [{"command": "./notify.sh"}]\n  }\n}',
        ".cursor/mcp.json": '\ufeff{ "mcpServers": {} }',
    },
    "opencode": {
        ".config/opencode/opencode.jsonc": """{
  "$schema": "https://opencode.ai/config.json", // keep
  "model": "anthropic/some-model",
  /* servers
     of mine */
  "mcp": {
    "jira": {"type": "remote", "url": "https://example.com"},
    // "old": {"type": "local"},
  },
  "plugin": ["other-plugin"],
}
""",
        ".config/opencode/plugins/mine.js": "export const Mine = async () => ({})\n",
    },
    "pi": {
        ".pi/agent/settings.json": '{"packages": []}',
        ".pi/agent/mcp.json": '{"mcpServers": {"a": {"command": "a", "timeout": 60}}}\n\n',
    },
    "cline": {
        ".cline/mcp.json": '{\n    "mcpServers": {\n    }\n}\n',
        ".cline/hooks/TaskStart.sh": "#!/bin/sh\necho '{\"cancel\": false}'\n",
    },
    "droid": {
        ".factory/hooks.json": '{\n  "Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "x"}]}]\n}\n',
        ".factory/mcp.json": '{"mcpServers":{"linear":{"type":"http","url":"https://example.com"}}}',
    },
    "kiro": {
        ".kiro/settings/mcp.json": '{\n  "mcpServers": {\n    "aws": {"command": "uvx", "disabled": true}\n  }\n}\n',
        ".kiro/steering/product.md": "# Product\n",
    },
    "zed": {
        ".config/zed/settings.json": """// Zed settings
//
// To see all of them: run `zed: open default settings`
{
  "theme": "One Dark",
  "context_servers": {
    "postgres": { "command": "pg-mcp", "args": ["--read-only"] },
  },
  "agent": { "default_model": { "provider": "x", "model": "y" } }, // last
}
""",
        ".config/zed/AGENTS.md": "# How I like it\n\nShort answers.",
    },
    "goose": {
        ".config/goose/config.yaml": """GOOSE_PROVIDER: anthropic   # mine
GOOSE_MODEL: some-model
extensions:
  # comes with goose
  developer:
    bundled: true
    enabled: true
    type: builtin
  computercontroller:
    enabled: false
    type: builtin
    description: >-
      Controls
      things
experiments: {}
""",
        ".config/goose/.goosehints": "Use just, not make.\r\n",
    },
}


def put_files(home: Path, agents: Mapping[str, Mapping[str, str]] = FILES) -> None:
    for files in agents.values():
        for name, text in files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())


def snapshot(home: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a home with its bytes and mode, folders too; Lerim's own left out."""
    found = {}
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        if not name.startswith("lerim-home"):
            kind = b"link to " + str(path.readlink()).encode() if path.is_symlink() else b"folder"
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else kind
            found[name] = data, path.lstat().st_mode
    return found
