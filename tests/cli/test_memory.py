"""`lerim memory`, as a person types it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

SEEN_PROBLEM = "(left as it is)"


def test_what_is_added_stands_in_a_file_and_is_listed(shell):
    """One command makes a record, a readable file and a list entry."""
    added = shell.add("Use JWT bearer tokens", "--body", "Short expiry.", "--tags", "Auth, #API")

    assert str(shell.memory / "decisions" / "use-jwt-bearer-tokens.md") == added["file"]
    assert ["auth", "api"] == added["tags"]
    assert "Short expiry." in Path(added["file"]).read_text()
    assert [added["id"]] == [item["id"] for item in shell.ok("memory", "list", "--json").json]


def test_the_body_can_come_from_standard_input(shell):
    """`--body -` reads a pipe to its end."""
    done = shell.ok(
        "memory", "add", "--kind", "procedure", "--title", "Release", "--body", "-", "--json", stdin="one\ntwo\n"
    )

    assert "one\ntwo" == done.json["body"]


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        ([], "what shall be remembered"),
        (["y", "--title", "x"], "two titles"),
        (["two", "words"], "words"),
        (["--title", "  ", "--primitive", "decision"], "title: is empty"),
        (["--title", "x", "--primitive", "learning"], "kind"),
        (["--title", "x", "--primitive", "decision", "--kind", "insight"], "kind"),
        (["--title", "x", "--primitive", "decision", "--confidence", "7"], "between 0.0 and 1.0"),
        (["--title", "x", "--primitive", "decision", "--confidence", "nan"], "between 0.0 and 1.0"),
        (["--title", "x", "--primitive", "decision", "--confidence", "high"], "--confidence"),
        (["--title", "x\x1b[31m", "--primitive", "decision"], "control character"),
        (["--title", "x" * 201, "--primitive", "decision"], "201 characters"),
        (["--title", "x", "--primitive", "decision", "--body", "x" * (10 * 1024 * 1024)], "10,485,760 bytes"),
        (["--title", "x", "--primitive", "decision", "--scope", "moon"], "invalid choice: 'moon'"),
        (["--titel", "x", "--primitive", "decision"], "did you mean '--title'"),
        (["two", "words", "--kind", "insight"], "lerim memory add --help"),
    ],
)
def test_bad_input_is_a_usage_error_and_writes_nothing(shell, flags, word):
    """The message names what is wrong, the exit code is 2, and the memory is as before."""
    done = shell("memory", "add", *flags)

    assert 2 == done.code
    assert word in done.err
    assert "Traceback" not in done.err
    assert [] == shell.ok("memory", "list", "--json").json
    assert not (shell.memory / "decisions").exists()


def test_a_line_is_enough(shell):
    """It is a decision, unless a kind makes it a learning."""
    added = shell.ok("memory", "add", "Use pnpm in this repository", "--json").json
    learned = shell.ok("memory", "add", "The seed takes a minute", "--kind", "insight", "--json").json

    assert ("decision", "Use pnpm in this repository") == (added["primitive"], added["title"])
    assert "learning" == learned["primitive"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("🎉🎉", None),
        ("../../etc/passwd", "etc-passwd.md"),
        ("CON", "con-memory.md"),
        ("Größe & Maße", "grosse-masse.md"),
        ("用 JWT 做认证", "用-jwt-做认证.md"),
        ("a/b\\c:d*e?f", "a-b-c-d-e-f.md"),
    ],
)
def test_any_title_gets_a_safe_file_name_inside_the_folder(shell, title, name):
    """Emoji, path traversal, device names and other scripts stay inside decisions/."""
    added = shell.add(title)

    path = Path(added["file"])
    assert shell.memory / "decisions" == path.parent
    assert (name or f"{added['id']}.md") == path.name
    assert title == shell.ok("memory", "show", added["id"], "--json").json["title"]


def test_two_memories_with_one_title_have_two_files(shell):
    """A slug that is taken is never overwritten."""
    first, second = shell.add("Same title", "--body", "one"), shell.add("Same title", "--body", "two")

    assert first["file"] != second["file"]
    assert "one" in Path(first["file"]).read_text()
    assert "two" in Path(second["file"]).read_text()


def test_a_hand_edit_becomes_a_version_and_is_announced(shell):
    """The next command says what it took in; the history has both versions."""
    added = shell.add("Use tabs", "--body", "for alignment")
    path = Path(added["file"])
    path.write_text(path.read_text().replace("for alignment", "for indentation"))

    done = shell.ok("memory", "history", added["id"], "--json")

    assert "picked up 1 edited file" in done.err
    assert ["create", "edit"] == [version["operation"] for version in done.json]
    assert "-for alignment" in shell.ok("memory", "diff", added["id"]).out
    assert "+for indentation" in shell.ok("memory", "diff", added["id"]).out


def test_show_answers_for_now_for_a_version_and_for_a_date(shell):
    """The same record can be read as it is, as it was in a version, and as it stood then."""
    added = shell.add("Timeout is 10 s", "--body", "ten")
    shell.ok("memory", "edit", added["id"], "--body", "twenty", "--title", "Timeout is 20 s")

    assert "twenty" == shell.ok("memory", "show", added["id"], "--json").json["body"]
    assert "ten" == shell.ok("memory", "show", added["id"], "--version", "1", "--json").json["body"]
    assert "twenty" == shell.ok("memory", "show", added["id"], "--as-of", "2099-01-01", "--json").json["body"]
    assert 1 == shell("memory", "show", added["id"], "--as-of", "2001-01-01").code
    assert 1 == shell("memory", "show", added["id"], "--version", "9").code
    assert 2 == shell("memory", "show", added["id"], "--as-of", "yesterday").code


def test_an_id_can_be_typed_by_its_beginning(shell):
    """A unique beginning is enough; an ambiguous one lists what it could be."""
    one = shell.add("One")
    shell.add("Two")

    assert one["id"] == shell.ok("memory", "show", one["id"][:9], "--json").json["id"]
    assert "could be" in shell("memory", "show", "dec").err
    missing = shell("memory", "show", "dec-zzzzzzzzzz")
    assert 1 == missing.code
    assert "lerim memory list --status all" in missing.err


def test_archive_moves_the_file_and_restore_brings_it_back(shell):
    """Archived memories leave the list, not the disk."""
    added = shell.add("Old truth")

    archived = shell.ok("memory", "archive", added["id"], "--json").json
    assert str(shell.memory / "archived" / "decisions" / "old-truth.md") == archived["file"]
    assert not Path(added["file"]).exists()
    assert [] == shell.ok("memory", "list", "--json").json
    assert [added["id"]] == [item["id"] for item in shell.ok("memory", "list", "--status", "archived", "--json").json]
    assert 1 == shell("memory", "archive", added["id"]).code

    assert added["file"] == shell.ok("memory", "restore", added["id"], "--json").json["file"]


def test_supersede_closes_the_old_and_leads_to_the_new(shell):
    """The old record stays readable and says what holds now; a circle is refused."""
    old, new = shell.add("Sessions in Redis"), shell.add("Sessions in Postgres")

    closed = shell.ok("memory", "supersede", old["id"], "--by", new["id"], "--json").json

    assert ("superseded", new["id"]) == (closed["status"], closed["superseded_by"])
    assert "replaced by" in shell.ok("memory", "show", old["id"]).out
    assert new["id"] == shell.ok("memory", "show", old["id"], "--current", "--json").json["id"]
    circle = shell("memory", "supersede", new["id"], "--by", old["id"])
    assert 1 == circle.code
    assert "is itself replaced by" in circle.err
    assert [new["id"]] == [item["id"] for item in shell.ok("memory", "list", "--json").json]


def test_undo_walks_back_change_by_change(shell):
    """Each undo takes back one more change, down to the first; then there is nothing left."""
    added = shell.add("Original", "--body", "first")
    shell.ok("memory", "edit", added["id"], "--body", "second")
    shell.ok("memory", "archive", added["id"])

    shell.ok("memory", "undo")
    assert "active" == shell.ok("memory", "show", added["id"], "--json").json["status"]
    shell.ok("memory", "undo")
    assert "first" == shell.ok("memory", "show", added["id"], "--json").json["body"]
    shell.ok("memory", "undo")
    assert not Path(added["file"]).exists()
    assert 1 == shell("memory", "undo").code
    assert "restored" in shell.ok("memory", "restore", added["id"]).out


def test_the_editor_gets_the_file_and_its_text_is_checked(shell, tmp_path, monkeypatch):
    """What the editor saves is taken in; a broken text changes nothing and is kept."""
    added = shell.add("Edit me", "--body", "before")
    use_editor(monkeypatch, tmp_path, "s/before/after/")
    shell.ok("memory", "edit", added["id"])
    assert "after" == shell.ok("memory", "show", added["id"], "--json").json["body"]

    use_editor(monkeypatch, tmp_path, "s/confidence: .*/confidence: 70/")
    broken = shell("memory", "edit", added["id"])
    assert 2 == broken.code
    assert "between 0.0 and 1.0" in broken.err
    assert "your text is in" in broken.err
    assert 0.8 == shell.ok("memory", "show", added["id"], "--json").json["confidence"]

    use_editor(monkeypatch, tmp_path, "s/^id: .*/id: dec-somethingelse/")
    assert "the id must stay" in shell("memory", "edit", added["id"]).err


def test_without_an_editor_the_error_says_what_to_do(shell):
    """No EDITOR and no terminal: the flags are offered."""
    added = shell.add("Edit me")

    done = shell("memory", "edit", added["id"], stdin="")

    assert 2 == done.code
    assert "set EDITOR" in done.err


def test_lists_can_be_filtered(shell):
    """By primitive, kind, tag, status, scope and date."""
    shell.add("A decision", "--tags", "api,auth")
    shell.add("A pitfall", "--kind", "pitfall", "--tags", "api")
    shell.add("Everywhere", "--scope", "global")

    def titles(*flags: str) -> list[str]:
        return sorted(item["title"] for item in shell.ok("memory", "list", *flags, "--json").json)

    assert ["A decision", "A pitfall", "Everywhere"] == titles()
    assert ["A pitfall"] == titles("--kind", "pitfall")
    assert ["A decision"] == titles("--tag", "api", "--tag", "auth")
    assert ["Everywhere"] == titles("--scope", "global")
    assert [] == titles("--until", "2001-01-01")
    assert [] == titles("--as-of", "2001-01-01")
    assert 1 == len(titles("--limit", "1"))
    assert ["A decision"] == titles("--limit", "1", "--offset", "1", "--scope", "project")


def test_a_long_list_comes_a_page_at_a_time(shell):
    """What is left is counted, with the flags that show it; pages put together are the whole list."""
    lines = [
        json.dumps(
            {
                "id": f"dec-{n:0>10}".translate(str.maketrans("0189", "abcd")),
                "title": f"Choice {n}",
                "created": "2026-02-20T10:30:00Z",
            }
        )
        for n in range(60)
    ]
    shell.ok("memory", "import", "-", stdin="\n".join(lines))

    first, everything = shell.ok("memory", "list", "--json"), shell.ok("memory", "list", "--all", "--json").json

    assert 50 == len(first.json)
    assert "10 more (--offset 50 for the next, --all for all)" in first.err
    assert everything == first.json + shell.ok("memory", "list", "--offset", "50", "--json").json
    assert everything == shell.ok("memory", "list", "--limit", "0", "--json").json
    assert 60 == len(everything)
    assert "more" not in shell.ok("memory", "list", "--all").err


def test_a_binary_file_and_other_damage_is_reported_and_left(shell):
    """Each bad file is named with its line; good ones work on; the bytes stay as they were."""
    good = shell.add("Good")
    folder = shell.memory / "learnings"
    folder.mkdir(parents=True)
    bad = {
        "binary.md": b"\x00\x01\x02",
        "bomb.md": b"---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\n",
        "conflict.md": b"---\nid: lrn-aaaaaaaaaa\n---\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n",
        "broken.md": b"---\ntitle: [unclosed\n---\n",
        "huge.md": b"x" * (10 * 1024 * 1024),
    }
    for name, data in bad.items():
        (folder / name).write_bytes(data)

    done = shell.ok("memory", "list", "--json")
    checked = shell("memory", "check", "--json")

    assert [good["id"]] == [item["id"] for item in done.json]
    assert SEEN_PROBLEM in done.err
    assert 1 == checked.code
    for name, data in bad.items():
        assert any(name in finding["where"] for finding in checked.json["findings"]), name
        assert data == (folder / name).read_bytes()


def test_two_files_with_one_id_are_told_apart(shell):
    """A copy is reported with its line until its id line is gone; then it is a memory of its own."""
    added = shell.add("Twin", "--body", "text")
    path = Path(added["file"])
    copy = path.with_name("copy.md")
    copy.write_bytes(path.read_bytes())

    done = shell.ok("memory", "list", "--json")
    assert 1 == len(done.json)
    assert f"{copy}:2: has the same id" in done.err

    copy.write_text("".join(line for line in copy.read_text().splitlines(keepends=True) if not line.startswith("id:")))
    assert 2 == len(shell.ok("memory", "list", "--json").json)


def test_removing_the_original_of_a_copy_keeps_the_memory(shell):
    """When the file a copy was held against goes, the copy takes its place."""
    added = shell.add("Twin", "--body", "text")
    path = Path(added["file"])
    copy = path.with_name("copy.md")
    copy.write_bytes(path.read_bytes())
    shell.ok("memory", "list")

    path.unlink()

    assert [str(copy)] == [item["file"] for item in shell.ok("memory", "list", "--json").json]


def test_export_and_import_carry_everything_across(shell, tmp_path, monkeypatch):
    """JSON lines and folders bring all records back; doing it twice changes nothing."""
    old, new = shell.add("Old", "--tags", "x"), shell.add("New", "--body", "böö\r\nline")
    shell.ok("memory", "supersede", old["id"], "--by", new["id"])
    shell.ok("memory", "export", str(tmp_path / "all.jsonl"), "--history")
    shell.ok("memory", "export", str(tmp_path / "folder"))
    before = {item["id"]: item for item in shell.ok("memory", "list", "--status", "all", "--json").json}

    for source in ("all.jsonl", "folder"):
        other = tmp_path / f"other-{source}"
        other.mkdir()
        monkeypatch.chdir(other)
        monkeypatch.setenv("LERIM_HOME", str(tmp_path / f"home-{source}"))
        shell.ok("init")
        first = shell.ok("memory", "import", str(tmp_path / source), "--json").json
        again = shell.ok("memory", "import", str(tmp_path / source), "--json").json
        after = {item["id"]: item for item in shell.ok("memory", "list", "--status", "all", "--json").json}

        assert (2, 2) == (len(first["created"]), again["same"])
        for name in ("title", "body", "tags", "status", "superseded_by", "created", "confidence"):
            assert {key: item.get(name) for key, item in before.items()} == {k: i.get(name) for k, i in after.items()}
        assert 0 == shell("memory", "check").code


def test_import_refuses_bad_lines_by_number_and_takes_the_rest(shell, tmp_path):
    """One bad line costs only itself; the exit code says partly done."""
    good = {"id": "dec-aaaaaaaaaa", "title": "Good", "created": "2026-01-01T00:00:00Z"}
    lines = [
        json.dumps(good),
        "not json",
        json.dumps({**good, "id": "xxx"}),
        "[]",
        json.dumps({"id": "dec-bbbbbbbbbb"}),
    ]
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join(lines))

    done = shell("memory", "import", str(file), "--json")

    assert 3 == done.code
    assert ["dec-aaaaaaaaaa"] == done.json["created"]
    assert [2, 3, 4, 5] == [item["line"] for item in done.json["not_placed"]]


def test_an_import_that_differs_is_left_alone_unless_told(shell, tmp_path):
    """An id that is here with other content is reported; --overwrite takes the imported one as a version."""
    added = shell.add("Mine", "--body", "mine")
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps({**added, "body": "theirs"}))

    assert 3 == shell("memory", "import", str(file)).code
    assert "mine" == shell.ok("memory", "show", added["id"], "--json").json["body"]
    shell.ok("memory", "import", str(file), "--overwrite")
    assert "theirs" == shell.ok("memory", "show", added["id"], "--json").json["body"]
    assert ["create", "import"] == [v["operation"] for v in shell.ok("memory", "history", added["id"], "--json").json]


def test_plain_notes_become_memories_once(shell, tmp_path):
    """CLAUDE.md-style bullets are taken in; importing them again adds nothing; what has no place is listed."""
    notes = tmp_path / "CLAUDE.md"
    notes.write_text("# Testing\n\n- Always run pytest with -x.\n- We use Postgres instead of MySQL.\n- [ ] buy milk\n")

    first = shell("memory", "import", str(notes), "--json")
    again = shell("memory", "import", str(notes), "--json")

    assert 3 == first.code
    assert 2 == len(first.json["created"])
    assert [5] == [item["line"] for item in first.json["not_placed"]]
    assert ([], 2) == (again.json["created"], again.json["same"])


def test_the_same_note_twice_in_one_import_is_one_memory(shell, tmp_path):
    """Also from the folders agents keep their rules in."""
    folder = tmp_path / "repo"
    (folder / ".cursor" / "rules").mkdir(parents=True)
    (folder / "AGENTS.md").write_text("- Always run pytest with -x.\n- Always run pytest with -x.\n")
    (folder / ".cursor" / "rules" / "style.mdc").write_text("- Never use tabs in YAML files.\n")

    done = shell.ok("memory", "import", str(folder), "--json").json

    assert (2, 1) == (len(done["created"]), done["same"])


def test_the_same_id_twice_in_one_import_is_one_memory(shell, tmp_path):
    """The second is already here, or differs and is reported."""
    one = {"id": "dec-aaaaaaaaaa", "title": "One", "created": "2026-01-01T00:00:00Z"}
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join(json.dumps(item) for item in (one, one, {**one, "title": "Other"})))

    done = shell("memory", "import", str(file), "--json")

    assert (3, ["dec-aaaaaaaaaa"], 1) == (done.code, done.json["created"], done.json["same"])
    assert [3] == [item["line"] for item in done.json["not_placed"]]


def test_reset_keeps_a_backup_and_says_what_it_leaves(shell):
    """Everything of the scope is forgotten, a copy lies in the backup, and the queue's warning is given."""
    added = shell.add("Gone soon")
    refused = shell("memory", "reset", "--scope", "project", stdin="")
    assert 2 == refused.code
    assert "lerim memory reset --scope project --yes" in refused.err
    assert "the project memory: 1 memory, files included" in refused.err

    done = shell.ok("memory", "reset", "--scope", "project", "--yes", "--json")

    assert {"project": 1} == done.json["forgotten"]
    assert "session queue is global" in done.err
    assert [] == shell.ok("memory", "list", "--status", "all", "--json").json
    backup = Path(done.json["backup"])
    assert (backup.parent / done.json["restore"]).is_dir()
    assert [Path(added["file"]).name] == [path.name for path in backup.rglob("*.md")]
    assert (backup / "context.sqlite3").exists()


@pytest.mark.parametrize(
    ("said", "speaker", "trust"), [({}, "unknown", "unknown"), ({"speaker": "agent"}, "agent", "agent")]
)
def test_an_import_makes_up_no_speaker(shell, tmp_path, said, speaker, trust):
    """A line that does not say whose words it cites is nobody's, not the user's."""
    cited = {"agent": "claude", "run_id": "abc", "first_line": 4, "last_line": 4, **said}
    line = {"id": "dec-aaaaaaaaaa", "title": "Use pnpm", "created": "2026-02-20T10:30:00Z", "evidence": [cited]}
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps(line))
    shell.ok("memory", "import", str(file))

    found = shell.ok("memory", "show", "dec-aaaaaaaaaa", "--json").json

    assert (speaker, trust) == (found["evidence"][0]["speaker"], found["trust"])


def test_check_share_lists_what_a_commit_would_reveal(shell):
    """File by file, with the command that helps; a secret is never shown."""
    added = shell.add("Use pnpm", "--body", "See /home/ada/work/shop/cart.py\n\nAgent: You are right.")

    done = shell("memory", "check", "--share")

    assert 1 == done.code
    assert [added["file"], "path    /home/ada/work/shop/cart.py", "talk    Agent: You are right."] == [
        line.split("  ", 2)[-1].partition("  ")[2] or line for line in done.out.splitlines()
    ]
    assert f"lerim memory edit {added['id']}" in done.err
    found = shell("memory", "check", "--share", "--json").json
    assert (False, ["path", "talk"], {False}) == (
        found["clean"],
        [item["kind"] for item in found["findings"]],
        {item["ours"] for item in found["findings"]},
    )
    assert 3 == shell("memory", "check", "--share", "--fix").code


def test_check_share_of_a_discreet_memory_finds_nothing(shell):
    shell.add("Use pnpm", "--body", "It is faster.")

    assert "would reveal nothing" in shell.ok("memory", "check", "--share").out
    assert 2 == shell("memory", "check", "--fix").code


def test_rebuild_works_in_both_directions(shell):
    """Files come back from the store, and the store's word from the files; check is content after each."""
    added = shell.add("Keep me", "--body", "text")
    path = Path(added["file"])
    path.write_text("<<<<<<< a\n=======\n>>>>>>> b\n")
    assert 1 == shell("memory", "check").code

    shell.ok("memory", "rebuild", "--from", "store")
    assert "text" in path.read_text()
    assert "<<<<<<<" in path.with_name(path.name + ".bak").read_text()
    assert 0 == shell("memory", "check").code

    shell.ok("memory", "rebuild", "--from", "files")
    assert 0 == shell("memory", "check").code
    assert 1 == len(shell.ok("memory", "list", "--json").json)


def test_a_memory_folder_that_vanished_comes_back(shell):
    """`git clean` takes no memory with it."""
    import shutil

    added = shell.add("Survivor")
    shutil.rmtree(shell.project / ".lerim")

    done = shell.ok("memory", "list", "--json")

    assert [added["id"]] == [item["id"] for item in done.json]
    assert Path(added["file"]).exists()
    assert "restored 1 file from the store" in done.err


def test_json_output_is_one_document_on_stdout(shell):
    """With --json, people's words never mix with the data, not even when something fails."""
    shell.add("One")

    for argv in (
        ["memory", "list"],
        ["status"],
        ["config", "show"],
        ["project", "list"],
        ["search", "one"],
        ["memory", "check"],
    ):
        json.loads(shell.ok(*argv, "--json").out)
    failed = shell("memory", "show", "dec-nothing", "--json")
    assert 1 == failed.code
    assert "no record" in json.loads(failed.out)["error"]


def test_the_clock_going_backwards_keeps_history_in_order(shell):
    """Versions stay in the order they were made, whatever the clock says."""
    from datetime import timedelta

    from lerim.context.records import utc_now
    from lerim.service import Lerim

    added = shell.add("Tick", "--body", "one")
    with Lerim(shell.project, clock=lambda: utc_now() - timedelta(days=400)) as lerim:
        lerim.memory.reconcile()
        lerim.memory.revise(lerim.memory.find(added["id"]), reason="earlier, says the clock", body="two")

    versions = shell.ok("memory", "history", added["id"], "--json").json
    assert ["one", "two"] == [version["record"]["body"] for version in versions]
    assert sorted(version["at"] for version in versions) == [version["at"] for version in versions]
    assert 0 == shell("memory", "check").code


def test_a_change_is_taken_back_once(shell):
    """Naming the same change again is refused, and a change and a run together make no sense."""
    added = shell.add("Once", "--body", "one")
    shell.ok("memory", "edit", added["id"], "--body", "two")
    change = shell.ok("memory", "history", added["id"], "--json").json[-1]["change"]

    assert "undid change" in shell.ok("memory", "undo", "--change", str(change)).out
    again = shell("memory", "undo", "--change", str(change))
    assert 1 == again.code
    assert "undone already" in again.err
    assert 2 == shell("memory", "undo", "--change", "1", "--run", "x").code


def test_a_date_includes_its_whole_day(shell):
    """--until and --as-of today include what was written today."""
    shell.add("Today")
    today = shell.ok("memory", "list", "--json").json[0]["updated"][:10]

    assert 1 == len(shell.ok("memory", "list", "--until", today, "--json").json)
    assert 1 == len(shell.ok("memory", "list", "--as-of", today, "--json").json)


def test_an_export_holds_the_scope_one_writes_to(shell, tmp_path):
    """A project's export does not carry the global memory into another project, unless asked for."""
    shell.add("Here")
    shell.add("Everywhere", "--scope", "global")

    def exported(*flags: str) -> list[str]:
        return sorted(json.loads(line)["title"] for line in shell.ok("memory", "export", "-", *flags).out.splitlines())

    assert ["Here"] == exported()
    assert ["Everywhere", "Here"] == exported("--scope", "both")
    assert ["Here"] == [item["title"] for item in shell.ok("memory", "export", "-", "--json").json]
    assert 2 == shell("memory", "export", str(tmp_path / "all.json")).code
    assert 1 == shell("memory", "export", str(tmp_path / "missing" / "all.jsonl")).code


def test_a_project_that_was_moved_keeps_its_history(shell, tmp_path, monkeypatch):
    """Renaming the folder is no new project: ids, versions and undo go with it."""
    added = shell.add("Travels", "--body", "one")
    shell.ok("memory", "edit", added["id"], "--body", "two")
    moved = tmp_path / "renamed"
    shell.project.rename(moved)
    (moved / ".git").mkdir()
    monkeypatch.chdir(moved)

    assert 2 == len(shell.ok("memory", "history", added["id"], "--json").json)
    assert [str(moved.resolve())] == [item["root"] for item in shell.ok("project", "list", "--json").json]


def use_editor(monkeypatch: pytest.MonkeyPatch, folder: Path, expression: str) -> None:
    """An editor that makes one substitution and quits."""
    script = folder / "editor.sh"
    script.write_text(f'#!/bin/sh\nsed -i.orig "{expression}" "$1" && rm "$1.orig"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EDITOR", str(script))
    os.environ.pop("VISUAL", None)
