"""Types every command there is into one hostile world. Run as a program, with standard output on a pipe or a terminal.

python typist.py FOLDER [MASTER]    MASTER is the other end of the terminal, for what a person would type

Prints a line with the command's number before each, and after the last.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from terminals import MARK, compact, whole

from lerim.cli.main import main
from lerim.context.records import Draft, Evidence, Primitive, Trust
from lerim.context.review.candidates import ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.errors import LerimError
from lerim.examples import install
from lerim.service import Lerim

BAD = whole()
#: What a record takes: it refuses control characters by itself.
TITLE = "".join(character for character in BAD if unicodedata.category(character) not in ("Cc", "Cs"))
#: What the system takes as an argument or a file name.
NAME = f"{MARK}{compact()}"

#: Every command, with the words for it; `{...}` stands for something of the world. Some twice, for another answer.
COMMANDS: dict[str, list[list[str]]] = {
    # First, while a session waits.
    "queue": [["sync", "--dry-run"], ["queue"]],
    "init": [["init", "--name", NAME]],
    "memory add": [
        ["memory", "add", "--primitive", "decision", "--title", TITLE[:180], "--body", TITLE],
        ["memory", "add", "--kind", "insight", "--title", BAD],
        ["memory", "add", NAME],
    ],
    "memory list": [["memory", "list"], ["memory", "list", "--tag", NAME], ["memory", "list", "--since", NAME]],
    "memory show": [["memory", "show", "{first}"], ["memory", "show", NAME]],
    "memory edit": [
        ["memory", "edit", "{first}", "--body", TITLE + "!", "--reason", BAD],
        ["memory", "edit", "{first}"],
    ],
    "memory archive": [["memory", "archive", "{second}", "--reason", BAD]],
    "memory restore": [["memory", "restore", "{second}"]],
    "memory supersede": [["memory", "supersede", "{second}", "--by", "{first}"]],
    "memory history": [["memory", "history", "{first}"]],
    "memory diff": [["memory", "diff", "{first}"]],
    "memory undo": [["memory", "undo"], ["memory", "undo", "--run", NAME]],
    "memory export": [["memory", "export", "-"], ["memory", "export", NAME + ".txt"]],
    "memory import": [["memory", "import", "{notes}"], ["memory", "import", "/no/" + NAME]],
    "memory check": [["memory", "check"], ["memory", "check", "--share"], ["memory", "check", "--share", "--fix"]],
    "memory scan": [["memory", "scan"], ["memory", "scan", "--versions", "--traces"]],
    "memory rebuild": [["memory", "rebuild", "--from", "files"]],
    "sync": [["sync", "--dry-run"], ["sync"], ["sync", "--project", NAME]],
    "ask": [["ask", "what about", MARK, "--explain"], ["ask", NAME]],
    "answer": [["answer", "which decisions are there?"]],
    "chat": [["chat", "which decisions are there?"]],
    "feedback": [["feedback", "{first}", "useful", "--note", BAD]],
    "maintain": [
        ["maintain"],
        ["maintain", "--plan"],
        ["maintain", "--apply", NAME],
        ["maintain", "--decline", NAME, "1"],
        ["maintain", NAME],
    ],
    "undo": [["undo"], ["undo", NAME]],
    "brief show": [["brief", "show"]],
    "brief status": [["brief", "status"]],
    "brief path": [["brief", "path"]],
    "brief refresh": [["brief", "refresh"]],
    "working-memory show": [["working-memory", "show"]],
    "working-memory status": [["working-memory", "status"]],
    "working-memory path": [["working-memory", "path"]],
    "working-memory refresh": [["working-memory", "refresh"]],
    "clinic show": [["clinic", "show"]],
    "clinic status": [["clinic", "status"]],
    "clinic path": [["clinic", "path"]],
    "clinic refresh": [["clinic", "refresh"]],
    "curate": [["curate"]],
    "review go": [["review"]],
    "review list": [["review", "list"], ["review", "list", "--all"], ["review", "list", "--session", NAME]],
    "review accept": [["review", "accept", "{waiting}"], ["review", "accept", NAME]],
    "review edit": [["review", "edit", "{third}"]],
    "review reject": [["review", "reject", "{other}", "--reason", BAD]],
    "review restore": [["review", "restore", "{other}"]],
    "review next": [["review", "next"], ["review", "next", "--session", NAME]],
    "review decide": [
        ["review", "decide", "{other}", "same", "--record", "{first}", "--reason", BAD],
        ["review", "decide", NAME, "accept"],
    ],
    "review judge": [["review", "judge"]],
    "why": [["why", "{learned}"], ["why", "--rejected", "{session}"], ["why", NAME]],
    "search": [["search", MARK, "--explain"], ["search", NAME], ["search", "words", "--branch", NAME]],
    "graph show": [["graph"], ["graph", "show"]],
    "graph neighbors": [["graph", "neighbors", "{first}"], ["graph", "neighbors", NAME]],
    "graph clusters": [["graph", "clusters"], ["graph", "clusters", NAME]],
    "graph path": [["graph", "path", "{first}", "{first}"], ["graph", "path", NAME, "{first}"]],
    "graph export": [["graph", "export", "--format", "json", "--output", "-"], ["graph", "export", "--format", NAME]],
    "graph rebuild": [["graph", "rebuild"]],
    # It talks to a program alone.
    "mcp": [["mcp", "--port", "1"]],
    # They serve until they are ended: what keeps them from it is said first.
    "serve": [["serve", "--host", NAME], ["serve", "--tls-cert", NAME], ["serve", "--port", "99999"]],
    "dashboard": [["dashboard", "--no-open", "--host", NAME], ["dashboard", "--no-open", "--tls-key", NAME]],
    "helper status": [["helper", "status"]],
    "helper stop": [["helper", "stop"]],
    "helper run": [["helper", "run"]],
    "daemon run": [["daemon", "run", "--once"], ["daemon", "run", NAME]],
    "daemon start": [["daemon", "start"]],
    "daemon status": [["daemon", "status"]],
    "daemon stop": [["daemon", "stop"]],
    "daemon install": [["daemon", "install", "--dry-run"], ["daemon", "install", NAME]],
    "daemon uninstall": [["daemon", "uninstall"]],
    "worker": [["worker", "--once"], ["worker", "--concurrency", "0"], ["worker", "--concurrency", NAME]],
    "team add": [["team", "add", NAME], ["team", "add", "anna", "--back"]],
    "team list": [["team", "list"]],
    "team grant": [["team", "grant", NAME, "writer"], ["team", "grant", "anna", NAME, "--project", NAME]],
    "team revoke": [["team", "revoke", NAME], ["team", "revoke", "anna", "--project", NAME]],
    "team remove": [["team", "remove", NAME], ["team", "remove", NAME, "--yes"]],
    "team whoami": [["team", "whoami"]],
    "team token": [
        ["team", "token", "create", "--label", NAME, "--days", "0"],
        ["team", "token", "list", NAME],
        ["team", "token", "revoke", NAME],
        ["team", "token", NAME],
    ],
    "team audit": [["team", "audit", "--who", NAME], ["team", "audit", "--project", NAME, "--limit", NAME]],
    "index": [["index"], ["index", "--download", NAME]],
    "status": [["status"], ["status", "--slo"]],
    "backup make": [["backup"]],
    "backup list": [["backup", "list"]],
    "restore": [["restore"], ["restore", NAME]],
    "storage status": [["storage", "status", NAME]],
    "storage check": [["storage", "check", NAME]],
    "storage upgrade": [["storage", "upgrade", NAME]],
    "storage copy": [["storage", "copy", NAME, "{folder}"], ["storage", "copy", "{folder}", NAME, "--dry-run"]],
    "connect add": [["connect", NAME], ["connect", "add", NAME, "--yes"], ["connect", "generic", "--file", "{folder}"]],
    "connect list": [["connect", "list"]],
    "connect doctor": [["connect", "doctor", NAME]],
    "disconnect": [["disconnect", NAME], ["disconnect", "--all", "--yes"]],
    "sources auto": [["sources", "auto"]],
    "sources list": [["sources", "list"]],
    "sources add": [["sources", "add", NAME], ["sources", "add", "claude", "--path", "{folder}"]],
    "sources remove": [["sources", "remove", NAME]],
    "sources doctor": [["sources", "doctor"]],
    "grounding show": [["grounding"], ["grounding", "show", NAME]],
    "grounding check": [["grounding", "check"], ["grounding", "check", NAME]],
    "usefulness": [["usefulness"], ["usefulness", "--all"]],
    "replay": [["replay", "{session}"], ["replay", "--all"], ["replay", NAME]],
    "hook": [["hook", "session-start", "--agent", "kiro"], ["hook", NAME, "--agent", NAME]],
    "sessions list": [["sessions", "list"], ["sessions", "list", "--agent", NAME]],
    "sessions show": [["sessions", "show", "{session}"], ["sessions", "show", NAME]],
    "trace show": [["trace", "show", "{session}", "--full"], ["trace", "show", "{session}", "--lines", NAME]],
    "trace sheet": [["trace", "sheet", "{session}"], ["trace", "sheet", NAME]],
    "trace import": [["trace", "import", "{notes}", "--name", NAME], ["trace", "import", NAME]],
    "retry": [["retry", "--all"], ["retry", NAME]],
    "skip": [["skip", "{session}", "--reason", BAD]],
    "unscoped": [["unscoped"]],
    "audit": [["audit"]],
    "ingest": [["ingest", NAME], ["ingest", "{notes}"]],
    "runs list": [["runs", "list"]],
    "runs show": [["runs", "show", "{run}"], ["runs", "show", "{run}", "--log"], ["runs", "show", NAME]],
    "models check": [["models", "check", "--offline"]],
    "models use": [["models", "use", NAME], ["models", "use", "embedded", "--yes"]],
    "cost": [["cost"], ["cost", "--since", NAME]],
    "project add": [["project", "add", "{folder}", "--name", NAME], ["project", "add", "/no/" + NAME]],
    "project list": [["project", "list"]],
    "project show": [["project", "show"], ["project", "show", NAME]],
    "project profile": [["project", "profile", NAME], ["project", "profile", "support", "--project", NAME]],
    "profile list": [["profile", "list"]],
    "profile show": [["profile", "show", NAME]],
    "profile new": [["profile", "new", NAME]],
    "profile add": [["profile", "add", "{notes}"], ["profile", "add", NAME]],
    "project join": [["project", "join", NAME], ["project", "join", NAME, "--path", "{folder}"]],
    "project alias": [["project", "alias", NAME, "{folder}"], ["project", "alias", "{folder}", NAME]],
    "project trust": [["project", "trust", "{folder}"], ["project", "trust", NAME]],
    "project untrust": [["project", "untrust", "{folder}"]],
    "project remove": [["project", "remove", "{folder}"], ["project", "remove", "{folder}", "--yes"]],
    "config show": [["config", "show"]],
    "completion": [["completion", "bash"], ["completion", NAME]],
    "": [[NAME], ["--" + NAME], ["memory", NAME]],
    # Last, for it forgets what the others show.
    "memory reset": [["memory", "reset", "--scope", "project"], ["memory", "reset", "--scope", "project", "--yes"]],
}
#: What a person types while a command asks.
TYPED = {"chat": "and why?\n\n", "review": "s\nq\n", "memory reset": "no\n"}


def world(folder: Path) -> dict[str, str]:
    """A machine on which everything that others may write is hostile."""
    project, elsewhere = folder / "shop", folder / f"repo {NAME}"
    project.mkdir()
    elsewhere.mkdir()
    os.environ.update(HOME=str(folder), LERIM_HOME=str(folder / ".lerim"), EDITOR="true", TERM="xterm")
    (folder / ".lerim").mkdir()
    # Meanings take their time to compare, and print nothing.
    (folder / ".lerim" / "config.toml").write_text("[embeddings]\nenabled = false\n")
    os.chdir(project)
    install(folder, project, datetime.now(UTC))
    _poison(folder)
    notes = folder / "notes.md"
    notes.write_text(f"# {NAME}\n\n- Always {NAME}.\n", "utf-8")
    with Lerim() as lerim:
        lerim.setup.init()
        first, second = (
            lerim.memory.add(Draft(Primitive.DECISION, f"{n} {TITLE}"[:180], TITLE * 2)).record.id for n in (1, 2)
        )
        list(lerim.sync())
        session = next(s.name for s in lerim.sessions.queue.list() if s.agent == "claude" and s.project_id)
        learned = next((k.record.id for k in lerim.memory.select() if k.record.evidence), first)
        run = next(iter(lerim.runs.list())).id
        found = _propose(lerim, session)
    newest = max((folder / ".claude").rglob("*.jsonl"), key=lambda file: file.stat().st_mtime)
    late = newest.with_name(f"8{newest.stem[1:]}.jsonl")
    late.write_text(newest.read_text("utf-8").replace(newest.stem, late.stem), "utf-8")
    decisions = project / ".lerim" / "memory" / "decisions"
    (decisions / f"{NAME}.md").write_text("not a memory at all", "utf-8")
    (decisions / f"{NAME}2.md").write_text(f"---\ntitle: {MARK}\nkind: {json.dumps(NAME)}\n---\n", "utf-8")
    names = {"first": first, "second": second, "session": session, "learned": learned, "run": run}
    return {**names, **found, "notes": str(notes), "folder": str(elsewhere)}


def _poison(folder: Path) -> None:
    """Sessions whose every text, title, directory, branch and tool is hostile, and some of no project."""
    bad = json.dumps(BAD)[1:-1]
    for others in (".codex", ".gemini", ".pi"):
        shutil.rmtree(folder / others, ignore_errors=True)
    for number, file in enumerate(sorted((folder / ".claude").rglob("*.jsonl"))):
        text = (
            file.read_text("utf-8")
            .replace('"content": "', f'"content": "{bad} ')
            .replace('"text": "', f'"text": "{bad} ')
        )
        text = text.replace('"name": "', f'"name": "{bad[:40]}').replace('"gitBranch": "', f'"gitBranch": "{bad}')
        title = json.dumps({"type": "ai-title", "aiTitle": BAD, "sessionId": file.stem})
        summary = json.dumps({"type": "summary", "summary": BAD, "leafUuid": "x"})
        if number == 0:
            homeless = text.replace(json.dumps(str(folder / "shop"))[1:-1], json.dumps(f"/nowhere/{NAME}")[1:-1])
            other = file.with_name(f"9{file.stem[1:]}.jsonl")
            other.write_text(homeless.replace(file.stem, other.stem) + title + "\n", "utf-8")
        file.write_text(text + title + "\n" + summary + "\n", "utf-8")


def _propose(lerim: Lerim, session: str) -> dict[str, str]:
    agent, _, run_id = session.partition("/")
    found = [
        ReviewCandidate(
            new_review_id(),
            session,
            "sync-20260220-103000-aaaaaa",
            Primitive.DECISION,
            f"{title} {MARK} \u202ereversed\u200b",
            TITLE,
            confidence=0.55,
            created=datetime(2026, 2, 20, 10, 30, tzinfo=UTC),
            evidence=(Evidence(agent, run_id, 2, 2, TITLE, Trust.USER),),
            signals=(BAD,),
        )
        for title in ("Prefer pnpm", "Prefer uv", "Prefer just")
    ]
    with lerim.memory.target().change("lerim", "sync", "sync-1") as change:
        saved = ReviewList(change).save_all(session, found)
    return dict(zip(("waiting", "other", "third"), (candidate.id for candidate in saved), strict=True))


def typed(master: int | None, words: list[str]) -> None:
    if master is not None:
        name = words[0] if words[0] in TYPED else " ".join(words[:2])
        os.write(master, TYPED.get(name, "").encode())


def type_all(master: int | None, known: dict[str, str]) -> None:
    lines = [
        [word.format(**known) if word.startswith("{") else word for word in line]
        for line in every_line(programs=master is None)
    ]
    for number, words in enumerate(lines):
        sys.stdout.write(f"\n#{number}#\n")
        sys.stdout.flush()
        if words[:2] != ["memory", "reset"] or "--yes" in words or master is not None:
            typed(master, words)
            main(words)
        sys.stdout.flush()
        sys.stderr.flush()
    sys.stdout.write(f"\n#{len(lines)}#\n")
    sys.stdout.flush()


def every_line(*, programs: bool) -> list[list[str]]:
    """Each command line; before that, if wanted, each as a program types it."""
    lines = [line for group in COMMANDS.values() for line in group]
    reading = [line for line in lines if programs and line[:2] != ["memory", "reset"] and line[0] != "chat"]
    return [*([*line, "--json"] for line in reading), *lines]


if __name__ == "__main__":
    try:
        type_all(int(sys.argv[2]) if len(sys.argv) > 2 else None, world(Path(sys.argv[1]).resolve()))
    except LerimError as error:
        sys.exit(f"{error.message} ({error.hint})")
