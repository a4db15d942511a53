"""The other commands, and what holds for all of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lerim import __version__
from lerim.cli.main import NOUNS, build_parser, main
from lerim.printable import one_line, shell_word

from ..samples import sampled_rows


def test_search_prefers_all_words_and_the_project(shell):
    """Records with every word come first; the global memory comes after the project's."""
    shell.add("Token rotation", "--body", "rotate refresh tokens weekly")
    both = shell.add("Refresh tokens rotate", "--body", "auth")
    shell.add("Tokens everywhere", "--scope", "global", "--body", "refresh tokens rotate globally")

    found = shell.ok("search", "auth", "refresh", "tokens", "--json").json

    assert both["id"] == found[0]["id"]
    assert "global" == found[-1]["scope"]


@pytest.mark.parametrize(
    "query", ['"', "NEAR(", "a AND", "title:x", "-x", "*", "x OR y", "'; DROP TABLE records; --", "col:(a b)"]
)
def test_a_query_is_words_never_a_language(shell, query):
    """Quotes, operators and punctuation of the index's own language do no harm."""
    shell.add("Plain")

    done = shell("search", "--", query)

    assert done.code in (0, 2)
    assert "Traceback" not in done.err


def test_a_query_that_matches_nothing_says_so(shell):
    """An empty answer is an answer; on a pipe it is empty."""
    shell.add("Something")

    done = shell.ok("search", "xylophone")

    assert "" == done.out
    assert "no memory matches 'xylophone'" in done.err


def test_search_finds_by_meaning_and_explains_itself(shell):
    """No word in common, and each part of the score in words."""
    tokens = shell.add("Use JWT bearer tokens for API auth", "--body", "They expire after 15 minutes.")
    shell.add("Deploys go out on Tuesdays only")

    found = shell.ok("search", "how do users authenticate?", "--explain", "--json").json
    text = shell.ok("search", "how do users authenticate?", "--explain").out

    assert [tokens["id"]] == [hit["id"] for hit in found]
    assert {"why", "score", "relevance", "explained", "file", "confidence", "updated"} <= set(found[0])
    assert "meaning: cosine" in text
    assert tokens["file"] in text


def test_search_asks_the_past_and_one_agent(shell):
    """`--as-of`, `--agent` and `--branch` narrow it down; an unknown branch is reported."""
    shell.add("Use JWT bearer tokens")

    assert [] == shell.ok("search", "tokens", "--as-of", "2020-01-01", "--json").json
    assert [] == shell.ok("search", "tokens", "--agent", "claude", "--json").json
    done = shell.ok("search", "tokens", "--branch", "main", "--json")
    assert [] == done.json
    assert "no known session was on branch 'main'" in done.err


def test_the_index_is_warming_until_it_is_made(shell):
    """`status` says so with the command that helps, and `index` is that command."""
    shell.add("Use JWT bearer tokens")

    before = shell.ok("status", "--json").json["index"]
    done = shell.ok("index", "--json").json
    after = shell.ok("status", "--json").json["index"]

    assert ("warming", 1, "lerim index") == (before["state"], before["missing"], before["fix"])
    assert {"indexed": 1, "embedded": 1, "state": "fresh", "missing": 0} == done
    assert ("fresh", 0, 1, 1, 1) == tuple(after[key] for key in ("state", "missing", "records", "fts", "embedded"))
    assert {"indexed": 1, "embedded": 0, "state": "fresh", "missing": 0} == shell.ok(
        "index", "--rebuild", "--json"
    ).json


def test_without_embeddings_everything_works_by_words(shell, tmp_path, monkeypatch):
    """`status` says so, and what to do; a search finds words."""
    (tmp_path / "words.toml").write_text("[embeddings]\nenabled = false\n")
    monkeypatch.setenv("LERIM_CONFIG", str(tmp_path / "words.toml"))
    added = shell.add("Use JWT bearer tokens")

    assert [added["id"]] == [hit["id"] for hit in shell.ok("search", "tokens", "--explain", "--json").json]
    assert "degraded" == shell.ok("status", "--json").json["index"]["state"]
    assert "search uses words only: embeddings are switched off" in shell.ok("status").out


def test_search_finds_other_scripts_and_word_forms(shell):
    """Stemming for English; a part of a Chinese sentence is enough."""
    english, chinese = shell.add("Migrations are reversible"), shell.add("数据库迁移必须可逆")

    assert [english["id"]] == [hit["id"] for hit in shell.ok("search", "reversible migration", "--json").json]
    assert [chinese["id"]] == [hit["id"] for hit in shell.ok("search", "迁移", "--json").json]


def test_superseded_memories_are_found_only_when_asked_for(shell):
    """Stale facts do not come up by themselves."""
    old, new = shell.add("Cache in Redis"), shell.add("Cache in Valkey")
    shell.ok("memory", "supersede", old["id"], "--by", new["id"])

    assert [new["id"]] == [hit["id"] for hit in shell.ok("search", "cache", "--json").json]
    assert {old["id"], new["id"]} == {
        hit["id"] for hit in shell.ok("search", "cache", "--status", "all", "--json").json
    }


def test_scope_modes_decide_what_is_read_and_written(shell, monkeypatch):
    """project_only never shows or writes the global memory; global_only never the project's."""
    project, everywhere = shell.add("Here"), shell.add("Everywhere", "--scope", "global")
    config = shell.project / ".lerim" / "config.toml"

    def ids() -> set[str]:
        return {item["id"] for item in shell.ok("memory", "list", "--json").json}

    assert {project["id"], everywhere["id"]} == ids()
    config.write_text('[memory]\nscope = "project_only"\n')
    assert {project["id"]} == ids()
    assert "memory.scope" in shell("memory", "add", "--primitive", "decision", "--title", "x", "--scope", "global").err
    config.write_text('[memory]\nscope = "global_only"\n')
    assert {everywhere["id"]} == ids()
    assert "global" == shell.add("To the globe")["scope"]


def test_outside_any_project_memories_go_to_the_global_one(shell, tmp_path, monkeypatch):
    """The command says so, and how to change that."""
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    monkeypatch.chdir(outside)

    done = shell.ok("memory", "add", "--primitive", "decision", "--title", "Lost and found")

    assert "belongs to no project" in done.err
    assert not (outside / ".lerim").exists()
    assert "lerim init" in shell.ok("status").out


def test_project_only_outside_a_project_is_no_dead_end(shell, tmp_path, monkeypatch):
    """Commands that would fix it still run; those that need a project say so."""
    outside = tmp_path / "plain"
    outside.mkdir()
    config = tmp_path / "only.toml"
    config.write_text('[memory]\nscope = "project_only"\n')
    monkeypatch.setenv("LERIM_CONFIG", str(config))
    monkeypatch.chdir(outside)

    assert "lerim init" in shell.ok("status").out
    assert 1 == shell("memory", "list").code
    shell.ok("init")
    shell.ok("memory", "list")


def test_a_removed_lerim_folder_comes_back_with_its_gitignore(shell):
    """What was private stays private."""
    import shutil

    shell.add("Survivor")
    shutil.rmtree(shell.project / ".lerim")

    shell.ok("memory", "list")

    assert (shell.project / ".lerim" / ".gitignore").exists()


def test_an_ascii_terminal_gets_letters_it_can_show(shell):
    """A letter the terminal cannot say ends no command."""
    shell.add("Größe 迁移", "--body", "ü")
    code = "import sys; from lerim.cli.main import main; sys.exit(main(['search', 'Größe']))"

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        cwd=shell.project,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )

    assert (0, b"") == (done.returncode, done.stderr)
    assert b"\\u8fc1" in done.stdout


def test_git_sees_decisions_and_learnings_and_nothing_else(shell):
    """The generated .gitignore keeps summaries, traces, workspace and leftovers private."""
    git = ["git", "-c", "init.defaultBranch=main", "-C", str(shell.project)]
    subprocess.run([*git, "init", "-q"], check=True)
    lerim = shell.project / ".lerim"
    for name in (
        "memory/summaries/20260101/101010/s.md",
        "meta/traces/sessions/claude/x.jsonl",
        "workspace/run/agent.log",
    ):
        (lerim / name).parent.mkdir(parents=True)
        (lerim / name).write_text("private")
    (lerim / "config.toml").write_text("")
    shell.add("Shared")
    shell.ok("memory", "archive", shell.add("Put away")["id"])

    def seen() -> set[str]:
        out = subprocess.run(
            [*git, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
        ).stdout
        return {line[3:].removeprefix(".lerim/") for line in out.splitlines()}

    shared = {".gitignore", "config.toml", "memory/decisions/shared.md", "memory/archived/decisions/put-away.md"}
    assert shared == seen()
    (lerim / "config.toml").write_text("[memory]\nshare_summaries = true\n")
    shell.add("Another")
    assert "memory/summaries/20260101/101010/s.md" in seen()


def test_a_clone_brings_its_memories_along(shell, tmp_path, monkeypatch):
    """Files that came with git are taken in at the first command, in a project of their own."""
    import shutil

    added = shell.add("Shared truth", "--body", "text")
    clone = tmp_path / "clone"
    (clone / ".git").mkdir(parents=True)
    shutil.copytree(shell.project / ".lerim", clone / ".lerim")
    monkeypatch.chdir(clone)

    listed = shell.ok("memory", "list", "--json").json

    assert [(added["id"], str(clone.resolve()))] == [(item["id"], item["file"].split("/.lerim")[0]) for item in listed]
    assert 2 == len(shell.ok("project", "list", "--json").json)


def test_projects_can_be_added_shown_and_removed(shell, tmp_path):
    """Removing forgets rows, never files; adding again takes them in."""
    other = tmp_path / "other"
    other.mkdir()

    shell.ok("project", "add", str(other), "--name", "second")
    assert {"shop", "second"} == {item["name"] for item in shell.ok("project", "list", "--json").json}
    assert str(other.resolve()) == shell.ok("project", "show", "second", "--json").json["root"]
    assert 1 == shell("project", "show", "third").code
    assert 1 == shell("project", "add", str(tmp_path / "missing")).code

    added = shell.add("Stay")
    shell.ok("project", "remove", "shop", "--yes")
    assert Path(added["file"]).exists()
    assert [added["id"]] == [item["id"] for item in shell.ok("memory", "list", "--json").json]


def test_a_project_says_where_its_index_is(shell):
    """To whoever looks for it in the project: it is on this machine, for all projects, and git never sees it."""
    pointer = json.loads((shell.project / ".lerim" / "index" / "where.json").read_text())
    status = shell.ok("status", "--json").json

    assert (Path(status["home"]) / pointer["store"]).is_file()
    assert shell.ok("project", "show", "--json").json["id"] == pointer["project_id"]
    assert (0, 0) == (status["embedding_count"], status["missing_embedding_count"])


def test_a_project_is_not_removed_before_somebody_says_so(shell):
    """What would be lost is counted, the next command named, and nothing happens until then."""
    record = shell.add("Use pnpm")["id"]
    shell.ok("memory", "edit", record, "--title", "Use pnpm, not npm")

    refused = shell("project", "remove", "shop", stdin="")

    assert 2 == refused.code
    assert "1 memory (1 earlier version)" in refused.err
    assert "try: lerim project remove shop --yes" in refused.err
    assert 2 == len(shell.ok("memory", "history", record, "--json").json)


def test_what_removing_a_project_loses_can_be_brought_back(shell):
    """Quotes and history are in no file: the backup that was made has them."""
    record = shell.add("Use pnpm")["id"]
    shell.ok("memory", "edit", record, "--title", "Use pnpm, not npm")

    done = shell.ok("project", "remove", "shop", "--yes")

    (backup,) = [item["name"] for item in shell.ok("backup", "list", "--json").json]
    assert f"lerim restore {backup}" in done.out
    shell.ok("restore", backup)
    assert 2 == len(shell.ok("memory", "history", record, "--json").json)


def test_a_project_without_memories_is_removed_without_a_question(shell):
    assert shell.ok("project", "remove", "shop", "--json", stdin="").json["backup"] is None


def test_config_show_names_the_layer_of_every_value(shell):
    """A value set in the project says so, with its file."""
    (shell.project / ".lerim" / "config.toml").write_text("[decay]\nperiod_days = 90\n")

    entries = {item["key"]: item for item in shell.ok("config", "show", "--json").json}

    assert (90, "project") == (entries["decay.period_days"]["value"], entries["decay.period_days"]["layer"])
    assert "default" == entries["decay.floor"]["layer"]


def test_a_config_mistake_names_file_line_and_key(shell):
    """And every command that needs the settings refuses with the same words."""
    config = shell.project / ".lerim" / "config.toml"
    config.write_text("[decay]\nperiod_day = 90\n")

    done = shell("status")

    assert 2 == done.code
    assert f"{config}:2" in done.err
    assert "decay.period_days" in done.err


@pytest.mark.parametrize("noun", NOUNS)
def test_every_noun_has_help(noun, capsys):
    """`--help` of each noun prints usage and ends well."""
    with pytest.raises(SystemExit) as stop:
        main([noun, "--help"])

    assert 0 == stop.value.code
    assert f"usage: lerim {noun}" in capsys.readouterr().out


def test_a_mistyped_command_gets_a_suggestion(shell):
    """The nearest command is named."""
    assert "did you mean 'memory'?" in shell("memry").err
    assert "did you mean 'archive'?" in shell("memory", "archiv").err


def test_the_shell_completes_commands_and_ids(shell, tmp_path):
    """Tab after `lerim memory show` offers the records of this scope."""
    added = shell.add("Complete me")
    assert "lerim" in shell.ok("completion", "bash").out

    def complete(line: str) -> set[str]:
        answer = tmp_path / "answer"
        code = "import sys; sys.argv[0] = 'lerim'; from lerim.cli.main import run; run()"
        env = {**os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
        env |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "_ARGCOMPLETE_IFS": "\n"}
        subprocess.run([sys.executable, "-c", code], env=env, cwd=shell.project, check=False)
        return {word.strip() for word in answer.read_text().split("\n")}

    assert {"memory"} == complete("lerim mem")
    assert {"archive", "add"} <= complete("lerim memory a")
    assert {added["id"]} == complete(f"lerim memory show {added['id'][:6]}")


def test_a_closed_pipe_is_no_error(shell):
    """`lerim memory list | head -1` ends quietly."""
    # More than a pipe holds.
    for number in range(5):
        shell.add(f"Number {number}", "--body", "x" * 20_000)
    code = "import sys; from lerim.cli.main import main; sys.exit(main(['memory', 'list', '--json']))"

    done = subprocess.run(
        f'"{sys.executable}" -c "{code}" | head -c 10', shell=True, capture_output=True, text=True, cwd=shell.project
    )

    assert "" == done.stderr


def test_a_terminal_gets_color_and_a_pipe_does_not(shell, tmp_path):
    """Escape codes appear on a terminal only, and never with NO_COLOR."""
    import pty

    shell.add("Colorful")

    def on_terminal(**env: str) -> str:
        leader, follower = pty.openpty()
        code = "import sys; from lerim.cli.main import main; sys.exit(main(['search', 'colorful']))"
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=follower,
            stderr=follower,
            cwd=shell.project,
            env={**os.environ, "TERM": "xterm", **env},
        )
        process.wait()
        os.close(follower)
        text = os.read(leader, 65536).decode()
        os.close(leader)
        return text

    assert "\x1b[" in on_terminal()
    assert "\x1b[" not in on_terminal(NO_COLOR="1")
    assert "\x1b[" not in shell.ok("search", "colorful").out


def test_every_example_in_the_help_parses():
    """An example that does not parse would be worse than none."""
    import shlex

    parser = build_parser(None)
    nouns = parser._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    for noun in nouns.values():
        leaves = noun._subparsers._group_actions[0].choices.values() if noun._subparsers else [noun]
        for leaf in leaves:
            example = leaf.epilog.split("\n  ")[1]
            if example.startswith("lerim "):
                assert parser.parse_args(shlex.split(example)[1:])


def test_status_as_json_has_the_health_counts(shell):
    """record_count and fts_count say whether the index is fresh."""
    shell.add("One")

    view = json.loads(shell.ok("status", "--json").out)

    assert (1, 1) == (view["record_count"], view["fts_count"])
    assert {"decision.active": 1} == view["places"][0]["records"]


# Streams, numbers and names


@pytest.mark.parametrize(
    ("words", "closed"),
    sampled_rows(
        [
            ("chat", "<&-"),
            ("status", ">&-"),
            ("search nothing", "2>&-"),
            ("chat", "<&- >&- 2>&-"),
            ("memory add --primitive decision --title Kept", "<&- >&- 2>&-"),
        ],
        4,
    ),
)
def test_a_closed_stream_is_no_traceback_and_never_the_database(tmp_path, words, closed):
    """Whoever closes a stream gets no words; what would have been printed is not written into a file opened there."""
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LERIM_NO_HELPER": "1"}
    script = Path(sys.executable).parent / "lerim"
    subprocess.run([script, "memory", "add", "--primitive", "decision", "--title", "First"], env=env, cwd=tmp_path)

    done = subprocess.run(
        ["sh", "-c", f"{script} {words} {closed}"], env=env, cwd=tmp_path, capture_output=True, text=True
    )
    listed = subprocess.run([script, "memory", "list", "--json"], env=env, cwd=tmp_path, capture_output=True, text=True)

    assert (0, "") == (
        done.returncode,
        done.stderr.replace("no memory matches 'nothing'", "").partition("this folder")[0].strip(),
    )
    assert "First" in {record["title"] for record in json.loads(listed.stdout)}


@pytest.mark.parametrize(
    "words",
    ["memory list", "search x", "ask what", "sessions list", "review list", "runs list"],
)
def test_a_limit_below_nothing_is_refused(shell, words):
    done = shell(*words.split(), "--limit", "-3")

    assert 2 == done.code
    assert "--limit: -3 is less than nothing" in done.err


def test_the_version_is_a_document_too(shell):
    assert {"version": __version__} == shell.ok("--version", "--json").json
    assert f"lerim {__version__}\n" == shell.ok("--version").out


def test_memory_search_is_search(shell):
    shell.add("Refresh tokens rotate")

    assert shell.ok("search", "tokens", "--json").json == shell.ok("memory", "search", "tokens", "--json").json


def test_what_an_undo_leaves_behind_is_told_as_it_is(shell):
    """A memory that is taken back for the first time is not archived \"again\"."""
    shell.add("Too early")

    assert "(now archived)" in shell.ok("memory", "undo").out


@pytest.mark.parametrize(
    ("noun", "verb"),
    [
        *((noun, "list") for noun in ("memory", "sessions", "runs", "project", "sources", "profile")),
        *((noun, "status") for noun in ("storage", "helper", "daemon")),
        ("config", "show"),
    ],
)
def test_a_noun_alone_shows_what_there_is(shell, noun, verb):
    done, whole = shell(noun), shell(noun, verb)

    assert (whole.code, whole.out) == (done.code, done.out)


@pytest.mark.parametrize("noun", ["models", "trace"])
def test_a_noun_that_shows_nothing_by_itself_names_its_verbs(shell, noun):
    done = shell(noun)

    assert 2 == done.code
    assert {"models": "check, use", "trace": "show, sheet, import"}[noun] in done.err


@pytest.mark.parametrize(
    "name", ["two\nlines", "it's  two blanks", "tab\there", "back\\slash\n'quoted'", "Ünï\x07bell", "plain"]
)
def test_a_command_that_is_shown_names_any_folder(name):
    """Printed on one line, and read by a shell, it is the folder's name again."""
    word = shell_word(name)
    read = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True)

    assert word == one_line(word)
    assert name == read.stdout.decode()


def test_costs_are_none_where_no_books_were_made(shell, tmp_path):
    """Looking makes no file."""
    assert "no model was called" in shell.ok("cost").out
    assert not (tmp_path / "lerim-home" / "index" / "usage.sqlite3").exists()
