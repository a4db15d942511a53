"""`lerim review`: what people and programs are shown, and what their decisions do."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

import lerim as package
from lerim.cli.main import main
from lerim.cli.output import Output
from lerim.cli.review import go_through
from lerim.context.records import Evidence, Kind, Primitive, Trust
from lerim.context.review.candidates import OF_A_PLAN, ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.service import Lerim
from lerim.sources.trace import Header, User, encode_all

SESSION = "claude/4f2a1b3c-0000-4000-8000-000000000001"
ESCAPE = "\x1b[2J\x1b]0;owned\x07\u202e"


def candidate(title: str, **fields: Any) -> ReviewCandidate:
    agent, _, run_id = SESSION.partition("/")
    fields = {
        "body": "It is faster.",
        "kind": Kind.PREFERENCE,
        "tags": ("tooling",),
        "evidence": (Evidence(agent, run_id, 4, 4, f"{title}, I think", Trust.USER),),
        "signals": ("prefers one thing",),
        **fields,
    }
    now = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
    return ReviewCandidate(
        new_review_id(),
        SESSION,
        "sync-20260220-103000-aaaaaa",
        fields.pop("primitive", Primitive.LEARNING),
        title,
        confidence=fields.pop("confidence", 0.55),
        created=now,
        **{name: value for name, value in fields.items() if name != "primitive"},
    )


@pytest.fixture
def propose(shell):
    """Leave candidates as a run does; their ids."""

    def save(*found: ReviewCandidate) -> list[str]:
        with Lerim() as lerim, lerim.memory.target().change("lerim", "sync", "sync-1") as change:
            return [saved.id for saved in ReviewList(change).save_all(SESSION, found)]

    return save


@pytest.fixture
def waiting(propose) -> str:
    """The id of a candidate that waits."""
    (only,) = propose(candidate("Prefer pnpm over npm"))
    return str(only)


# Listing


def test_nothing_to_review_is_said(shell):
    """And is an empty list for programs."""
    assert "nothing to review" in shell.ok("review").err
    assert [] == shell.ok("review", "list", "--json").json


def test_a_list_shows_candidates_with_their_words(shell, waiting):
    """Id, what it is, how sure, when, which session, the quote and what spoke for it; and how to decide."""
    done = shell.ok("review")

    assert f"{waiting}  preference  0.55  2026-02-20  {SESSION}" in done.out
    assert "Prefer pnpm over npm" in done.out
    assert 'L4 user: "Prefer pnpm over npm, I think"' in done.out
    assert "because: prefers one thing" in done.out
    assert "lerim review accept ID" in done.err
    assert done.out == shell.ok("review", "list").out


def test_words_of_an_approved_plan_are_shown_as_that(shell, propose):
    """The agent wrote it, and the user let it pass: nobody should take it for what the user said."""
    propose(candidate("Prefer pnpm over npm", signals=(OF_A_PLAN, "prefers one thing")))

    done = shell.ok("review")

    assert 'L4 approved plan: "Prefer pnpm over npm, I think"' in done.out
    assert f"because: {OF_A_PLAN}; prefers one thing" in done.out


def test_where_the_likely_ones_end_is_said(shell, propose):
    """Once, before the first of the others; and how many there are of both."""
    propose(candidate("Prefer pnpm", confidence=0.2), candidate("Prefer make", confidence=0.3, evidence=()))

    told = shell.ok("review").out

    assert told.index("Prefer make") < told.index("What follows is less likely") < told.index("Prefer pnpm")
    assert "2 candidates wait for your decision, 1 of them likely" in shell.ok("status").out
    counts = shell.ok("status", "--json").json
    assert (2, 1) == (counts["review"], counts["likely"])
    assert [True, False] == [one["likely"] for one in shell.ok("review", "--json").json]


def test_programs_get_every_field(shell, waiting):
    """With or without the verb."""
    (payload,) = shell.ok("review", "--json").json

    assert (waiting, "pending", "project", 0.55) == (
        payload["id"],
        payload["state"],
        payload["scope"],
        payload["confidence"],
    )
    assert [f"{SESSION}#L4-L4"] == [piece["reference"] for piece in payload["evidence"]]
    assert [payload] == shell.ok("--json", "review", "list").json


def test_a_list_can_be_shortened_and_narrowed(shell, propose):
    """`--limit` says how many are left out; a session by its beginning."""
    propose(candidate("Prefer pnpm"), candidate("Prefer tabs", evidence=()), candidate("Prefer make", evidence=()))

    done = shell.ok("review", "--limit", "1")

    assert 1 == done.out.count("rev-")
    assert "2 more; --limit 0 shows all" in done.err
    assert 3 == len(shell.ok("review", "--session", "4f2a", "--json").json)
    assert [] == shell.ok("review", "--session", "codex/x", "--json").json
    assert 2 == shell("review", "--limit", "-1").code


def test_all_states_are_shown_when_asked_for(shell, waiting):
    """With who decided, and why."""
    shell.ok("review", "reject", waiting, "--reason", "a joke")

    assert [] == shell.ok("review", "--json").json
    assert "rejected by person" in shell.ok("review", "--all").out
    assert "a joke" in shell.ok("review", "--all").out


def test_nothing_in_a_candidate_reaches_the_terminal_raw(shell, propose):
    """Titles, bodies, quotes and signals come from sessions: what would move the cursor is spelled out."""
    quote = (Evidence("claude", "x", 4, 4, f"quote{ESCAPE}", Trust.USER),)
    propose(candidate(f"title{ESCAPE}", body=f"body{ESCAPE}", evidence=quote, signals=(f"signal{ESCAPE}",)))

    out = shell.ok("review").out

    assert [] == [character for character in out if not character.isprintable() and character != "\n"]
    assert 4 == out.count("\\x1b[2J")


def test_a_noun_without_its_verb_still_has_help(shell, capsys):
    """`lerim review --help` lists the verbs."""
    with pytest.raises(SystemExit):
        main(["review", "--help"])

    assert "accept" in capsys.readouterr().out


# Deciding


def test_accepting_makes_a_memory(shell, waiting):
    """By the beginning of the id; the memory has its file, its evidence and a person's confidence."""
    done = shell.ok("review", "accept", waiting[:8], "--json").json

    assert ("Prefer pnpm over npm", "review", 0.9, ["tooling"]) == (
        *(done["title"], done["source"], done["confidence"], done["tags"]),
    )
    assert Path(done["file"]).is_file()
    assert "Prefer pnpm over npm, I think" == done["evidence"][0]["quote"]
    assert "1 learning" in shell.ok("status").out


def test_accepting_takes_what_the_flags_say(shell, waiting):
    """The body from standard input, too."""
    flags = ("--title", "Use pnpm", "--body", "-", "--primitive", "decision", "--tag", "node", "--tag", "ci")

    done = shell.ok("review", "accept", waiting, *flags, "--json", stdin="Never npm.\n").json

    assert ("Use pnpm", "Never npm.", "decision", ["node", "ci"]) == (
        *(done["title"], done["body"], done["primitive"], done["tags"]),
    )


def test_several_are_decided_in_one_command(shell, propose):
    """All are found before the first is decided: a slip in the last one changes nothing."""
    first, second, third, fourth = propose(*map(candidate, ("Use uv", "Prefer tabs", "Pin images", "Sort imports")))

    assert shell("review", "accept", first, "rev-nope").code
    assert "accepted" not in shell.ok("review", "list", "--all").out

    assert ["Use uv", "Prefer tabs"] == [
        one["title"] for one in shell.ok("review", "accept", first, second, "--json").json
    ]
    assert shell.ok("review", "reject", third, fourth).out.count("rejected") == 2
    assert "one candidate" in shell("review", "accept", first, second, "--title", "Both").err


def test_of_two_accepted_values_the_one_said_last_holds(shell, propose):
    """Whichever is accepted first: neither stood against a memory when it was noted."""
    said = {"The relay polls every 250 ms": "2026-06-01", "The relay polls every 1 s": "2026-10-01"}

    def noted(title: str) -> ReviewCandidate:
        at = datetime.fromisoformat(f"{said[title]}T10:00:00+00:00")
        words = (Evidence("claude", "s-1", 4, 4, title, Trust.USER, said=at),)
        return candidate(title, evidence=words, body="", primitive=Primitive.DECISION, kind=None)

    new, old = propose(noted("The relay polls every 1 s"), noted("The relay polls every 250 ms"))
    holds = shell.ok("review", "accept", new, "--json").json["id"]

    done = shell.ok("review", "accept", old)

    assert f"{holds} was said later and holds" in done.err
    assert ["The relay polls every 1 s"] == [one["title"] for one in shell.ok("memory", "list", "--json").json]


def test_what_was_decided_is_refused_with_the_way_out(shell, waiting):
    """Accepted twice, or unknown."""
    shell.ok("review", "accept", waiting)

    assert "lerim memory show lrn-" in shell("review", "accept", waiting).err
    assert "lerim review list --all" in shell("review", "reject", "rev-nothing").err


def test_a_rejected_one_can_wait_again(shell, waiting):
    """By name."""
    shell.ok("review", "reject", waiting)
    shell.ok("review", "restore", waiting)

    assert [waiting] == [payload["id"] for payload in shell.ok("review", "--json").json]


def test_undoing_an_acceptance_brings_the_question_back(shell, waiting):
    """The memory is archived, the candidate waits."""
    accepted = shell.ok("review", "accept", waiting, "--json").json

    shell.ok("memory", "undo")

    assert "archived" == shell.ok("memory", "show", accepted["id"], "--json").json["status"]
    assert [waiting] == [payload["id"] for payload in shell.ok("review", "--json").json]


def test_status_says_how_many_wait(shell, waiting):
    """With the command to type."""
    done = shell.ok("status")

    assert "1 candidate waits for your decision" in done.out
    assert 1 == shell.ok("status", "--json").json["review"]
    assert "lerim review" in shell.ok("status", "--json").json["next"]


def test_an_export_a_check_and_a_reset_do_not_mind_candidates(shell, waiting):
    """They belong to the store alone."""
    assert 0 == len(shell.ok("memory", "export", "-").out.splitlines())
    shell.ok("memory", "check")
    shell.ok("memory", "reset", "--scope", "project", "--yes")

    assert [] == shell.ok("review", "--all", "--json").json


# In an editor


def editor(shell: Any, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Make `code` the person's editor: it is given the text as `text` and its path as `path`."""
    script = shell.project / "editor.py"
    before = "import sys, pathlib\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text()"
    script.write_text(f"{before}\n{code}\npath.write_text(text)\n")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")


def test_editing_accepts_what_was_written(shell, waiting, monkeypatch):
    """The person sees the file the memory would be; what they write is the memory, its evidence stays."""
    change = 'text = text.replace("Prefer pnpm over npm", "Use pnpm").replace("confidence: 0.9", "confidence: 0.95")'
    editor(shell, monkeypatch, change + '\ntext += "And strict peers.\\n"')

    shell.ok("review", "edit", waiting)

    (payload,) = shell.ok("memory", "list", "--json").json
    assert ("Use pnpm", 0.95, "It is faster.\nAnd strict peers.") == (
        payload["title"],
        payload["confidence"],
        payload["body"],
    )
    assert 1 == len(payload["evidence"])


@pytest.mark.parametrize(("code", "reason"), [('text = ""', "is empty"), ("", "is unchanged")])
def test_an_edit_that_says_nothing_accepts_nothing_and_leaves_no_file(
    shell, waiting, monkeypatch, tmp_path, code, reason
):
    editor(shell, monkeypatch, code)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "drafts"))
    (tmp_path / "drafts").mkdir()

    done = shell("review", "edit", waiting, stdin="")

    assert 2 == done.code
    assert f"the text {reason}, so nothing was accepted\n  try: lerim review" in done.err
    assert [] == list((tmp_path / "drafts").iterdir())
    assert [waiting] == [payload["id"] for payload in shell.ok("review", "--json").json]


@pytest.mark.parametrize("code", ['text = text.replace("kind: preference", "kind: whim")', "sys.exit(1)"])
def test_an_edit_that_cannot_be_read_accepts_nothing(shell, waiting, monkeypatch, code):
    """The candidate waits, and the person's text is kept."""
    editor(shell, monkeypatch, code)

    done = shell("review", "edit", waiting, stdin="")

    assert 2 == done.code
    assert "your text is in" in done.err
    assert [waiting] == [payload["id"] for payload in shell.ok("review", "--json").json]


# One after another


class Person:
    """Answers questions from a list; a list that ends is the end of the input."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, question: str) -> str:
        self.asked.append(question)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)


def go(person: Person) -> dict[str, str]:
    """Go through what waits; how every candidate stands then."""
    with Lerim() as lerim:
        go_through(lerim, sorted(lerim.review.select(), key=lambda item: item.candidate.title), Output(), person)
        return {item.candidate.title: str(item.candidate.state) for item in lerim.review.select(None)}


def three(propose: Any) -> None:
    propose(*(candidate(title, evidence=()) for title in ("Prefer A", "Prefer B", "Prefer C")))


def test_each_candidate_is_put_to_the_person(propose):
    """Accept, reject with a reason, skip."""
    three(propose)

    assert {"Prefer A": "accepted", "Prefer B": "rejected", "Prefer C": "pending"} == go(
        Person("a", "reject", "no", "s")
    )


def test_a_person_sees_what_accepting_would_close(shell, propose, capsys):
    """Before they answer."""
    known = shell.add("The relay polls every 250 ms")["id"]
    at = datetime(2026, 12, 1, tzinfo=UTC)
    words = (Evidence("claude", "s-1", 4, 4, "every 1 s", Trust.USER, said=at),)
    title = "The relay polls every 1 s"
    propose(candidate(title, evidence=words, body="", primitive=Primitive.DECISION, kind=None))

    go(Person("s"))

    assert f"{known} is closed if you accept: The relay polls every 250 ms" in capsys.readouterr().out


def test_a_person_can_look_at_the_words_around_it_first(shell, waiting, capsys):
    """And is asked again then."""
    known = shell.add("Prefer npm over pnpm")["id"]

    assert {"Prefer pnpm over npm": "accepted"} == go(Person("w", "a"))

    said = capsys.readouterr().out
    assert "* L4 user: Prefer pnpm over npm, I think" in said
    assert f"near {known} Prefer npm over pnpm" in said


@pytest.mark.parametrize("answers", [("a", "q"), ("a",)])
def test_quitting_keeps_what_was_decided(propose, answers):
    """By word, or by closing the input."""
    three(propose)

    assert {"Prefer A": "accepted", "Prefer B": "pending", "Prefer C": "pending"} == go(Person(*answers))


def test_an_answer_nobody_understands_is_asked_for_again(propose):
    """Nothing is decided by a slip."""
    three(propose)
    person = Person("", "what?", "s", "q")

    assert {"pending"} == set(go(person).values())
    assert 4 == len(person.asked)


def test_a_decision_that_cannot_be_carried_out_leaves_the_question_open(shell, propose):
    """It says why, and asks again."""
    three(propose)
    shell.add("Prefer A")

    assert "rejected" == go(Person("a", "r", "", "q"))["Prefer A"]


def test_editing_is_one_of_the_answers(shell, propose, monkeypatch):
    """It opens the editor and accepts what was written."""
    three(propose)
    editor(shell, monkeypatch, 'text = text.replace("Prefer A", "Use A")')

    assert "accepted" == go(Person("e", "q"))["Prefer A"]
    assert ["Use A"] == [payload["title"] for payload in shell.ok("memory", "list", "--json").json]


def test_on_a_terminal_it_asks(shell, waiting):
    """The real thing: `lerim review`, typed by somebody who answers `a`."""
    code = f"import sys; sys.path.insert(0, {str(Path(package.__file__).parents[1])!r})"
    script = [sys.executable, "-c", f"{code}; from lerim.cli.main import run; run()", "review"]
    terminal, theirs = pty.openpty()
    with subprocess.Popen(script, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as typed:
        os.close(theirs)
        seen = read_until(terminal, b"[q]uit > ")
        os.write(terminal, b"a\n")
        seen += read_until(terminal, None)
    os.close(terminal)

    assert 0 == typed.returncode, seen
    assert b"1 of 1" in seen
    assert b"accepted as" in seen
    assert 1 == len(shell.ok("memory", "list", "--json").json)


def read_until(terminal: int, mark: bytes | None) -> bytes:
    """What a terminal shows up to a mark, or to the end."""
    seen = b""
    while mark is None or mark not in seen:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, seen
        try:
            data = os.read(terminal, 4096)
        except OSError:  # Linux tells the end of a terminal so.
            data = b""
        if not data:
            break
        seen += data
    return seen


# A second opinion


def test_without_a_model_a_second_opinion_says_how_to_get_one(shell, waiting):
    """The embedded provider has no opinion; nothing is decided."""
    done = shell("review", "judge")

    assert 1 == done.code
    assert "roles.extract.provider is 'embedded'" in done.err
    assert "set roles.extract.provider and roles.extract.model in your config.toml" in done.err
    assert [waiting] == [payload["id"] for payload in shell.ok("review", "--json").json]


class Judge(BaseHTTPRequestHandler):
    """A model's server that gives one verdict after another."""

    verdicts: ClassVar[list[dict[str, str]]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        call = {"name": asked["tools"][0]["function"]["name"], "arguments": json.dumps(self.verdicts.pop(0))}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": call}],
        }
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        about = {"id": "1", "object": "chat.completion", "created": 1_780_000_000, "model": "judge"}
        usage = {"prompt_tokens": 100_000, "completion_tokens": 20, "total_tokens": 100_020}
        body = json.dumps({**about, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def judge(shell, propose, tmp_path):
    """A configured model, an archived session and three candidates that rest on it; gives the model its verdicts."""
    titles = ("Prefer pnpm over npm", "Prefer tabs over spaces", "Prefer make over scripts")
    agent, _, run_id = SESSION.partition("/")
    lines = [User(text=f"{title}, I think. {title}.") for title in titles]
    trace = shell.project / ".lerim" / "meta" / "traces" / "sessions" / agent / f"{run_id}.jsonl"
    trace.parent.mkdir(parents=True)
    trace.write_text("".join(f"{line}\n" for line in encode_all(Header(agent=agent, run_id=run_id), lines)))
    propose(
        *(
            candidate(title, body="", evidence=(Evidence(agent, run_id, at, at, f"{title}, I think"),))
            for at, title in enumerate(titles, 2)
        )
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), Judge)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    role = f'[roles.extract]\nprovider = "openai_compatible"\nmodel = "judge"\nbase_url = "{url}"\n'
    (tmp_path / "lerim-home" / "config.toml").write_text(role)

    def run(*verdicts: tuple[str, str], flags: Sequence[str] = ()) -> Any:
        Judge.verdicts = [{"answer": answer, "reason": reason} for answer, reason in verdicts]
        return shell("review", "judge", "--json", *flags)

    yield run
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_configured_model_decides(shell, judge):
    """What it keeps is a memory of Lerim's, what it drops is rejected, the rest waits; and it is in the books."""
    done = judge(("keep", "They prefer it."), ("drop", "Only a whim."), ("unsure", "Hard to say."))

    assert 0 == done.code
    assert ["keep", "drop", "unsure"] == [payload["answer"] for payload in done.json["judged"]]
    (memory,) = shell.ok("memory", "list", "--json").json
    assert (0.55, "review") == (memory["confidence"], memory["source"])
    assert ["accepted", "pending", "rejected"] == sorted(
        payload["state"] for payload in shell.ok("review", "--all", "--json").json
    )
    assert 300_060 == sum(shell.ok("cost", "--json").json["total"][name] for name in ("input_tokens", "output_tokens"))


def test_a_budget_ends_it_partly_done(shell, judge, tmp_path):
    """What was decided stays; the exit code and the document say that it is not all."""
    config = tmp_path / "lerim-home" / "config.toml"
    config.write_text(config.read_text() + "[budget]\nrun_tokens = 50000\n")

    done = judge(*[("drop", "No.")] * 3)

    assert 3 == done.code
    assert 1 == len(done.json["judged"])
    assert "budget.run_tokens" in done.json["error"]
    assert 2 == len(shell.ok("review", "--json").json)


def test_accepting_a_candidate_with_a_secret_masks_it_and_says_so(shell, propose):
    """What a session proposed passes the gate like anything else; a flag keeps it."""
    first, second = propose(
        candidate("Staging", body="The staging password is Kestrel-4711!"),
        candidate("Replica", body="The replica password is Osprey-0815!"),
    )
    masked = shell.ok("review", "accept", first)
    kept = shell.ok("review", "accept", second, "--allow-secret")
    files = "".join(path.read_text() for path in shell.memory.rglob("*.md"))

    assert "looks like a secret" in masked.err
    assert "looks like a secret" not in kept.err
    assert ("Kestrel" in files, "Osprey" in files) == (False, True)


# Judging


def test_the_next_candidates_are_shown_with_what_it_takes_to_judge_them(shell, waiting):
    """Where there is no session to look at, with the quotes; and the memories near it."""
    known = shell.add("Prefer npm over pnpm")["id"]

    done = shell.ok("review", "next")

    assert waiting in done.out
    assert "* L4 user: Prefer pnpm over npm, I think" in done.out
    assert f"near {known} Prefer npm over pnpm" in done.out
    assert "lerim review decide ID VERDICT" in done.err


def test_a_person_decides_in_one_line(shell, propose):
    """Accepts in other words, says that it is known, adds to a memory, replaces one."""
    known, old = shell.add("Use pnpm")["id"], shell.add("Use npm")["id"]
    ids = propose(*(candidate(title) for title in ("Prefer uv", "Prefer pnpm a lot", "Prefer pnpm 9", "Prefer just")))

    done = shell.ok(
        "review", "decide", ids[0], "accept", "--title", "Use uv for Python", "--kind", "decision", "--json"
    )
    same = shell.ok("review", "decide", ids[1], "same", "--record", known)
    more = shell.ok("review", "decide", ids[2], "updates", "--record", known, "--body", "Version 9.")
    newer = shell.ok("review", "decide", ids[3], "replaces", "--record", old, "--json").json

    assert "Use uv for Python" == shell.ok("memory", "show", done.json["record"], "--json").json["title"]
    assert f"same {known} Use pnpm" in same.out and f"updates {known} Use pnpm" in more.out
    assert "Version 9." == shell.ok("memory", "show", known, "--json").json["body"]
    assert newer["record"] == shell.ok("memory", "show", old, "--json").json["superseded_by"]


def test_a_decision_without_its_memory_is_said(shell, waiting):
    done = shell("review", "decide", waiting, "replaces")

    assert 2 == done.code
    assert "needs the memory it speaks of" in done.err
