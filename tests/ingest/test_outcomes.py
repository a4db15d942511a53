"""What became of memories in a session, judged with care: who is not sure says that it was ignored."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lerim.context.records import Kind, Primitive, Record, RecordId
from lerim.ingest.outcomes import MemoryOutcome, SessionReview, prevents, says_the_same
from lerim.ingest.transcript import Numbered, Transcript
from lerim.sources.given import told_apart
from lerim.sources.trace import Assistant, Header, Injected, Injection, Line, ToolCall, ToolResult, User

NOW = datetime(2026, 2, 20, tzinfo=UTC)
BRIEF = Injected(
    text="<project-memory>\n- Install with pnpm, never with npm. (dec-1)\n</project-memory>", kind=Injection.HOOK
)


def memory(title: str, body: str = "", kind: Kind | None = None) -> Record:
    primitive = Primitive.LEARNING if kind else Primitive.DECISION
    return Record(RecordId("dec-1"), primitive, title, body, NOW, NOW, kind=kind)


def session(*lines: Line | str) -> SessionReview:
    """`> x` is the user's, `$ x` a command that went well, `! x` one that failed, the rest the agent's."""
    found: list[Line] = [BRIEF]
    for number, line in enumerate(lines):
        if isinstance(line, Line):
            found.append(line)
        elif line[:2] == "> ":
            found.append(User(text=line[2:]))
        elif line[:2] in ("$ ", "! "):
            command, _, output = line[2:].partition(" => ")
            found.append(ToolCall(text=command, tool="Bash", call=f"c{number}"))
            found.append(ToolResult(text=output, call=f"c{number}", ok=line[0] == "$"))
        else:
            found.append(Assistant(text=line))
    return SessionReview(Transcript(Header(agent="claude", run_id="s1"), tuple(map(Numbered, range(2, 999), found))))


PNPM = memory("Install with pnpm, never with npm")
TABS = memory("Indent with tabs", kind=Kind.PREFERENCE)
DOCKER = memory(
    "Integration tests need `docker compose up -d db` first", "Else `tests/integration` fails.", Kind.PITFALL
)


@pytest.mark.parametrize(
    ("record", "lines"),
    [
        (PNPM, ["> install the dependencies", "$ pnpm install"]),
        (PNPM, ["> install them", "As dec-1 says, I use the package manager of the project."]),
        (DOCKER, ["> run the integration tests", "$ docker compose up -d db", "$ pytest tests/integration"]),
        (memory("The settings are in `src/app/settings.py`", kind=Kind.INSIGHT), ["> x", "$ cat src/app/settings.py"]),
        (memory("Deploy only on weekdays before noon"), ["> ship it", "We deploy only on weekdays before noon."]),
    ],
)
def test_what_the_agent_did_by_itself_was_followed(record, lines):
    (judged,) = session(*lines).judge([record])

    assert MemoryOutcome.FOLLOWED == judged.outcome
    assert judged.line and judged.why


@pytest.mark.parametrize(
    ("record", "lines"),
    [
        # Nothing to see of it.
        (PNPM, ["> fix the typo", "$ sed -i s/a/b/ README.md", "Done."]),
        (TABS, ["> fix the typo", "Done."]),
        # The user said so: the memory was not needed, or not enough.
        (PNPM, ["> install them, with pnpm", "$ pnpm install"]),
        # The agent found out by itself.
        (PNPM, ["> install them", "$ cat README.md => run `pnpm install`", "$ pnpm install"]),
        # A file of that name is no use of it.
        (memory("Use ruff"), ["> look", "$ cat docs/ruff-rules.md"]),
        # To ask Lerim about it is no work.
        (PNPM, ["> x", ToolCall(text="pnpm", tool="mcp__lerim__search", call="c")]),
        # What a tool printed is nobody's deed.
        (PNPM, ["> look", "$ ls => pnpm-lock.yaml pnpm dec-1"]),
        # Names that come up in any work on the same code.
        (memory("Queries are scoped by dealerId"), ["> go", "$ sed -i s/dealerId/dealer/ api.js"]),
        (memory("Entries are in main.rs"), ["> go", "$ cat src/main.rs"]),
        (memory("Words are capped", "See src/app/words.py."), ["> go", "$ cat src/app/words.py"]),
        (memory("Keep the key `file_path`"), ["> go", ToolCall(text='{"file_path": "a.py"}', tool="Edit", call="c")]),
        (memory("npm install fails here, ask the user", kind=Kind.PITFALL), ["> go", "$ npm test"]),
        # A long sentence that has its words among many others.
        (
            memory("Each use case has a spec and a branch"),
            ["> go", "I take the use case, a template for the spec, the name of the branch, the script and each test."],
        ),
        # Only a few of its words.
        (memory("Deploy only on weekdays before noon"), ["> ship it", "I deploy it now."]),
        # Taken back.
        (PNPM, ["> install", ToolCall(text="pnpm install", tool="Bash", call="c", undone=True)]),
    ],
)
def test_what_cannot_be_told_was_ignored(record, lines):
    (judged,) = session(*lines).judge([record])

    assert (MemoryOutcome.IGNORED, None) == (judged.outcome, judged.line)


@pytest.mark.parametrize(
    ("record", "lines"),
    [
        (PNPM, ["> install the dependencies", "$ npm install"]),
        (PNPM, ["> install", "$ cd app && npm ci", "> no", "$ pnpm install"]),
        (memory("Use pnpm"), ["> install", "$ sudo yarn add left-pad"]),
        (
            memory("Never edit `src/generated/api.ts`"),
            ["> fix the client", ToolCall(text='{"file_path": "src/generated/api.ts"}', tool="Edit", call="c")],
        ),
    ],
)
def test_what_the_agent_did_all_the_same_contradicts_it(record, lines):
    (judged,) = session(*lines).judge([record])

    assert (MemoryOutcome.CONTRADICTED, False) == (judged.outcome, judged.by_user)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (PNPM, "> from now on we use npm instead of pnpm"),
        (TABS, "> indent with spaces, please"),
        (memory("Timeout is 30 seconds for uploads"), "> the timeout for uploads is 60 seconds"),
    ],
)
def test_what_the_user_said_otherwise_contradicts_it(record, said):
    (judged,) = session(said, "Understood.").judge([record])

    assert (MemoryOutcome.CONTRADICTED, True, 3) == (judged.outcome, judged.by_user, judged.line)


def test_what_two_names_tell_was_followed():
    record = memory("Casks need `version :latest`", "And `sha256 :no_check`.", Kind.PROCEDURE)

    (judged,) = session("> write the cask", "$ echo 'version :latest' > c.rb; echo 'sha256 :no_check' >> c.rb").judge(
        [record]
    )

    assert MemoryOutcome.FOLLOWED == judged.outcome


@pytest.mark.parametrize(
    "lines",
    [
        ["> just this once, run npm install", "$ npm install"],
        ["> look", "$ grep -rn npm .", "$ cat npm.log"],
        ["> is npm still used here?", "No, it is not."],
    ],
)
def test_what_was_asked_for_or_only_looked_at_does_not_contradict(lines):
    (judged,) = session(*lines).judge([memory("Never use npm")])

    assert MemoryOutcome.CONTRADICTED != judged.outcome


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("always install with pnpm, never npm", "Install with pnpm, never with npm"),
        ("no, the integration tests need the database", "Integration tests need the database"),
        ("I told you to indent with tabs", "Indent with tabs"),
        ("please use ruff", "Use ruff"),
    ],
)
def test_what_says_the_same_is_known(text, title):
    assert says_the_same(text, memory(title))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("install with npm, not with pnpm", "Install with pnpm, never with npm"),
        ("the unit tests need no database", "Integration tests need the database"),
        ("fix the tests", "Integration tests need the database"),
        ("the timeout is 60 seconds", "The timeout is 30 seconds"),
        ("do phase 3 next", "Do phase 2 next"),
        ("do not use ruff", "Use ruff"),
        ("", "Use ruff"),
        ("we use ruff for linting, mypy for types and pytest for everything else in CI", "Use ruff"),
    ],
)
def test_what_says_something_else_is_not(text, title):
    assert not says_the_same(text, memory(title))


def test_what_the_user_had_to_say_again_is_counted_once():
    review = session(
        "> install it", "$ npm i", "> install with pnpm, never npm", "ok", "> again: install with pnpm, never npm"
    )

    (again,) = review.repeated(lambda text: [TABS, PNPM])

    assert (6, "dec-1") == (again.line, again.record)


def test_a_question_and_a_paste_repeat_nothing():
    review = session("> should we install with pnpm, never npm?", "> ```\ninstall with pnpm, never npm\n```")

    assert [] == review.repeated(lambda text: [PNPM])


@pytest.mark.parametrize(
    ("record", "failed", "is_prevented"),
    [
        (PNPM, "! npm install => ERR", True),
        (DOCKER, "! pytest tests/integration => cannot connect: run docker compose up -d db", True),
        (DOCKER, "! pytest tests/unit => assertion failed", False),
        (
            memory("Use tests/integration for slow tests"),
            "! pytest tests/integration => docker compose up -d db",
            False,
        ),
        (PNPM, "! pnpm install => offline", False),
    ],
)
def test_a_failure_that_a_memory_tells_of_would_have_been_prevented(record, failed, is_prevented):
    (failure,) = session("> go", failed, failed).failures

    assert is_prevented == prevents(record, failure)


def test_what_a_hook_put_into_the_users_message_is_told_apart():
    """Some hosts have only one place for it."""
    line = User(text=f"{BRIEF.text}\n\nfix the bug, and never use npm", at="2026-01-01T00:00:00Z", src=7)

    given, said = told_apart(line)

    assert (BRIEF.text, Injection.HOOK, 7) == (given.text, given.kind, given.src)
    assert User(text="fix the bug, and never use npm", at="2026-01-01T00:00:00Z", src=7) == said


@pytest.mark.parametrize("text", ["<project-memory> that the host cut", "fix <project-memory>x</project-memory>"])
def test_what_was_cut_off_or_stands_elsewhere_is_told_apart_as_well(text):
    given, *said = told_apart(User(text=text))

    assert isinstance(given, Injected)
    assert ["fix"] * (text[0] == "f") == [line.text for line in said]
