"""Ground: what records name is looked up in a real repository; only what went makes them suspect."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lerim.context.grounds import GroundSuspicion, RecordGrounds
from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.records import Draft, Evidence, Kind, Primitive, Trust
from lerim.curate.grounding import GroundCheck, Grounding
from lerim.curate.repository import Repository
from lerim.curate.room import Curation, CurationRun

ENV = {
    "PATH": os.environ["PATH"],
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
SAID = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
CODE = "def check_password(user):\n    return hash_of(user)\n\n\ndef hash_of(user):\n    return user\n"


class Sandbox:
    """A repository whose commits are made an hour apart, and a memory beside it."""

    def __init__(self, memory: Memory, root: Path) -> None:
        self.memory, self.root = memory, root
        self.place: Place = memory.target()
        self.at = SAID - timedelta(days=30)
        self.branches: dict[tuple[str, str], str] = {}
        self.git("init", "-q", "-b", "main")
        self.write("src/auth/tokens.py", CODE)
        self.write("Makefile", "test:\n\ttrue\n\nlint:\n\ttrue\n")
        self.write(
            "package.json", '{\n  "dependencies": {\n    "date-fns": "^2.30.0",\n    "luxon": "^3.0.0"\n  }\n}\n'
        )
        self.commit("Begin")

    def git(self, *args: str, root: Path | None = None) -> str:
        stamp = f"{int(self.at.timestamp())} +0000"
        env = {**ENV, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, "HOME": str(self.root.parent)}
        done = subprocess.run(
            ["git", "-C", str(root or self.root), *args], env=env, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def commit(self, subject: str, *, days: float = 0) -> str:
        self.at += timedelta(hours=1, days=days)
        self.git("add", "-A", ":!.lerim")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def later(self, subject: str) -> str:
        """A commit made after everything that was said."""
        self.at = max(self.at, SAID + timedelta(days=1))
        return self.commit(subject)

    def say(self, title: str, body: str = "", *, primitive: Primitive = Primitive.LEARNING, branch: str = "") -> str:
        evidence: tuple[Evidence, ...] = ()
        if branch:
            run = f"run-{len(self.branches)}"
            self.branches["claude", run] = branch
            evidence = (Evidence("claude", run, 1, 2, "words", Trust.USER, SAID),)
        kind = Kind.INSIGHT if primitive is Primitive.LEARNING else None
        source = "sync" if branch else "manual"
        draft = Draft(primitive, title, body, kind, evidence=evidence, source=source)
        return self.memory.add(draft).record.id

    def check(self, seconds: float = 60) -> str:
        return GroundCheck(self.place, Repository(self.root, seconds, ENV), lambda: self.branches).run()

    def suspects(self) -> dict[str, GroundSuspicion]:
        assert self.check() == ""
        return {str(one): found for one, found in self.grounds.suspects().items()}

    @property
    def grounds(self) -> RecordGrounds:
        return RecordGrounds(self.place.local, self.place.project.id)


@pytest.fixture
def sandbox(memory: Memory, project_root: Path) -> Sandbox:
    return Sandbox(memory, project_root)


def test_what_is_there_is_not_suspect(sandbox: Sandbox) -> None:
    record = sandbox.say("Passwords are checked in `src/auth/tokens.py` by `check_password`", "Run `make test` first.")
    assert sandbox.suspects() == {}
    assert {(one.name.name, one.state) for one in sandbox.grounds.of(record)} == {
        ("src/auth/tokens.py", "there"),
        ("check_password", "there"),
        ("make test", "there"),
    }


def test_a_deleted_file_makes_a_record_suspect_since_that_commit(sandbox: Sandbox) -> None:
    record = sandbox.say("Passwords are checked in src/auth/tokens.py")
    assert sandbox.suspects() == {}
    (sandbox.root / "src/auth/tokens.py").unlink()
    commit = sandbox.later("Leave auth to the gateway")
    found = sandbox.suspects()[record]
    assert found.since_commit == commit
    assert found.since == sandbox.at
    assert found.what == f'src/auth/tokens.py was deleted in {commit[:10]} "Leave auth to the gateway"'


def test_a_renamed_file_is_told_by_its_new_name_through_any_number_of_renames(sandbox: Sandbox) -> None:
    record = sandbox.say("Passwords are checked in `auth/tokens.py`")
    sandbox.git("mv", "src/auth/tokens.py", "src/auth/passwords.py")
    first = sandbox.later("Call it what it is")
    assert f"was renamed to src/auth/passwords.py in {first[:10]}" in sandbox.suspects()[record].what
    (sandbox.root / "src/users").mkdir()
    sandbox.git("mv", "src/auth/passwords.py", "src/users/passwords.py")
    sandbox.later("Move users")
    # Looked up anew, as on another machine.
    with sandbox.place.local.write() as tx:
        for table in ("grounded", "grounds", "ground_names", "followed"):
            tx.run(f"DELETE FROM {table}")
    assert "was renamed to src/users/passwords.py" in sandbox.suspects()[record].what


def test_what_has_another_name_is_to_be_reworded_and_not_archived(sandbox: Sandbox) -> None:
    moved = sandbox.say("Passwords are checked in `auth/tokens.py`")
    gone = sandbox.say("Sessions are checked in `auth/sessions.py`")
    (sandbox.root / "src/auth/sessions.py").write_text("SESSIONS = {}\n" * 9)
    sandbox.later("Add sessions")
    sandbox.check()
    sandbox.git("mv", "src/auth/tokens.py", "src/auth/passwords.py")
    sandbox.git("rm", "-q", "src/auth/sessions.py")
    sandbox.later("Call it what it is")
    sandbox.check()

    plan = Curation(sandbox.place, clock=lambda: SAID + timedelta(days=3)).plan()

    items = {item.records[0]: item for item in plan.items}
    assert items[moved].would is None
    assert f"lerim memory edit {moved}" in items[moved].reason
    assert items[gone].would == "archive"


def test_what_comes_back_is_no_longer_suspect(sandbox: Sandbox) -> None:
    record = sandbox.say("Passwords are checked in src/auth/tokens.py by `check_password()`")
    (sandbox.root / "src/auth/tokens.py").unlink()
    sandbox.later("Leave auth to the gateway")
    assert record in sandbox.suspects()
    sandbox.git("revert", "--no-edit", "HEAD")
    assert sandbox.suspects() == {}


def test_a_word_that_a_file_is_called_by_is_there(sandbox: Sandbox) -> None:
    """Although it stands in no file any more."""
    sandbox.write("dags/nightly_load.py", 'DAG = "nightly_load"\n')
    sandbox.later("Add a dag")
    record = sandbox.say("nightly_load alerts go to the on-call channel")
    assert sandbox.suspects() == {}
    sandbox.write("dags/nightly_load.py", 'DAG = "nightly"\n')
    sandbox.later("Name it otherwise")

    assert record not in sandbox.suspects()


def test_a_symbol_a_command_and_a_dependency_that_went(sandbox: Sandbox) -> None:
    symbol = sandbox.say("Call `hash_of()` before comparing")
    command = sandbox.say("Run `make lint` before a push")
    package = sandbox.say("Use date-fns for dates")
    kept = sandbox.say("Use luxon for time zones")
    assert sandbox.suspects() == {}
    sandbox.write("src/auth/tokens.py", CODE.replace("hash_of", "digest_of"))
    sandbox.write("Makefile", "test:\n\ttrue\n")
    sandbox.write("package.json", '{\n  "dependencies": {\n    "luxon": "^3.0.0"\n  }\n}\n')
    commit = sandbox.later("Tidy up")
    found = sandbox.suspects()
    assert found.keys() == {symbol, command, package}
    assert found[symbol].what == f'hash_of is no longer in the code, since {commit[:10]} "Tidy up"'
    assert "command make lint was taken out of Makefile" in found[command].what
    assert "dependency date-fns was taken out of package.json" in found[package].what
    assert kept not in found


@pytest.mark.parametrize(
    "words",
    [
        "Put new queues into src/queues/worker.py",
        "See https://example.com/src/auth/gone.py",
        "We removed src/auth/tokens.py",
        "`src/auth/tokens.py` was renamed to `src/auth/secrets.py`",
        "Use luxon instead of date-fns",
        "Never use date-fns again",
        "Validate dates on the client/server boundary",
        "Run `make release` on Fridays",
        "Do not call `hash_of()` any more",
    ],
)
def test_what_never_was_or_is_said_to_be_gone_is_no_ground(sandbox: Sandbox, words: str) -> None:
    sandbox.say(words)
    sandbox.git("rm", "-q", "src/auth/tokens.py", "package.json", "Makefile")
    sandbox.later("Start over")
    assert sandbox.suspects() == {}


def test_what_was_gone_when_it_was_said_is_no_ground(sandbox: Sandbox) -> None:
    sandbox.git("mv", "src/auth/tokens.py", "src/auth/passwords.py")
    sandbox.commit("Call it what it is")
    sandbox.say("Tests of src/auth/tokens.py are the model for ours")
    assert sandbox.suspects() == {}


def test_a_deletion_that_was_committed_early_counts_from_its_merge(sandbox: Sandbox) -> None:
    sandbox.git("checkout", "-q", "-b", "cleanup")
    sandbox.git("rm", "-q", "src/auth/tokens.py")
    sandbox.commit("Drop tokens")
    sandbox.git("checkout", "-q", "main")
    record = sandbox.say("Passwords are checked in src/auth/tokens.py")
    assert sandbox.suspects() == {}
    sandbox.at = SAID + timedelta(days=2)
    sandbox.git("merge", "-q", "--no-ff", "-m", "Merge branch 'cleanup'", "cleanup")
    assert "Drop tokens" in sandbox.suspects()[record].what


def test_another_branch_is_no_loss_and_a_rewritten_history_is(sandbox: Sandbox) -> None:
    sandbox.git("checkout", "-q", "-b", "feature")
    sandbox.write("src/queue.py", "def enqueue_job(): ...\n")
    sandbox.later("Queue jobs")
    record = sandbox.say("Jobs go through src/queue.py and `enqueue_job`")
    assert sandbox.suspects() == {}
    sandbox.git("checkout", "-q", "main")
    assert sandbox.suspects() == {}
    sandbox.git("checkout", "-q", "feature")
    assert sandbox.suspects() == {}
    sandbox.git("reset", "-q", "--hard", "main")
    assert "history was rewritten" in sandbox.suspects()[record].what


def test_a_force_push_is_noticed_when_it_is_fetched(sandbox: Sandbox, tmp_path: Path) -> None:
    upstream = tmp_path / "upstream.git"
    sandbox.git("clone", "-q", "--bare", str(sandbox.root), str(upstream))
    sandbox.git("remote", "add", "origin", str(upstream))
    sandbox.write("src/queue.py", "def enqueue_job(): ...\n")
    sandbox.later("Queue jobs")
    sandbox.git("push", "-q", "origin", "main")
    sandbox.git("fetch", "-q")
    record = sandbox.say("Jobs go through src/queue.py")
    assert sandbox.suspects() == {}
    other = tmp_path / "other"
    sandbox.git("clone", "-q", str(upstream), str(other))
    sandbox.git("reset", "-q", "--hard", "HEAD~1", root=other)
    sandbox.git("push", "-q", "--force", "origin", "main", root=other)
    sandbox.git("fetch", "-q")
    sandbox.git("reset", "-q", "--hard", "origin/main")
    assert "history was rewritten" in sandbox.suspects()[record].what


def test_a_worktree_has_a_head_of_its_own(sandbox: Sandbox, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    sandbox.git("worktree", "add", "-q", "-b", "cleanup", str(tree))
    record = sandbox.say("Passwords are checked in src/auth/tokens.py")
    sandbox.at = SAID + timedelta(days=2)
    sandbox.git("rm", "-q", "src/auth/tokens.py", root=tree)
    sandbox.git("commit", "-q", "-m", "Drop tokens", root=tree)
    assert sandbox.suspects() == {}
    assert GroundCheck(sandbox.place, Repository(tree, 60, ENV), dict).run() == ""
    assert record in sandbox.grounds.suspects()


def test_a_shallow_clone_tells_what_it_can(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.git("rm", "-q", "src/auth/tokens.py")
    sandbox.later("Drop tokens")
    sandbox.later("Something else")
    record = sandbox.say("Passwords are checked in src/auth/tokens.py", "Run `make test`.")
    shallow = tmp_path / "shallow"
    sandbox.git("clone", "-q", "--depth=1", f"file://{sandbox.root}", str(shallow))
    assert GroundCheck(sandbox.place, Repository(shallow, 60, ENV), dict).run() == ""
    assert sandbox.grounds.suspects() == {}
    assert ("make test", "there") in {(one.name.name, one.state) for one in sandbox.grounds.of(record)}


def test_what_lies_in_a_submodule_is_not_missed(sandbox: Sandbox, tmp_path: Path) -> None:
    library = tmp_path / "library"
    sandbox.git("init", "-q", "-b", "main", str(library))
    (library / "codec.c").write_text("int decode_frame(void);\n")
    sandbox.git("add", "-A", root=library)
    sandbox.git("commit", "-q", "-m", "Begin", root=library)
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "vendor/library")
    sandbox.later("Take in the library")
    sandbox.git("submodule", "deinit", "-q", "-f", "vendor/library")
    sandbox.say("Frames are decoded in vendor/library/codec.c")
    assert sandbox.suspects() == {}


def test_nothing_that_a_repository_says_is_run(sandbox: Sandbox, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\necho $0 >> {ran}\ncat\n")
    program.chmod(0o755)
    for setting in (
        "core.fsmonitor", "core.pager", "pager.log", "pager.grep", "diff.external", "diff.evil.command",
        "diff.evil.textconv", "core.sshCommand", "gpg.program", "core.editor", "filter.evil.clean",
        "filter.evil.smudge", "filter.evil.process", "core.alternateRefsCommand", "merge.evil.driver",
    ):  # fmt: skip
        sandbox.git("config", setting, str(program))
    sandbox.git("config", "log.showSignature", "true")
    sandbox.git("config", "alias.log", f"!{program}")
    hooks = sandbox.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"):
        (hooks / hook).symlink_to(program)
    sandbox.git("config", "core.hooksPath", str(hooks))
    record = sandbox.say("Passwords are checked in src/auth/tokens.py by `hash_of()`", branch="main")
    (sandbox.root / ".gitattributes").write_text("* diff=evil filter=evil merge=evil\n")
    evil = {**ENV, "GIT_DIR": str(tmp_path / "elsewhere"), "GIT_EXTERNAL_DIFF": str(program), "GIT_PAGER": str(program)}
    quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "filter.evil.process="]
    quiet += ["-c", "filter.evil.clean=cat", "-c", "filter.evil.smudge=cat"]
    sandbox.at = SAID + timedelta(days=2)
    sandbox.git(*quiet, "rm", "-q", "src/auth/tokens.py")
    sandbox.git(*quiet, "commit", "-q", "-m", "Drop tokens")
    ran.unlink(missing_ok=True)
    assert GroundCheck(sandbox.place, Repository(sandbox.root, 60, evil), dict).run() == ""
    assert record in sandbox.grounds.suspects()
    assert not ran.exists()


def test_a_missing_object_is_not_fetched(sandbox: Sandbox, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    sandbox.git("config", "remote.origin.url", f"ext::sh -c 'touch {ran}'")
    sandbox.git("config", "remote.origin.promisor", "true")
    sandbox.git("config", "extensions.partialClone", "origin")
    sandbox.git("config", "core.repositoryFormatVersion", "1")
    sandbox.git("config", "protocol.ext.allow", "always")
    blob = sandbox.git("rev-parse", "HEAD:src/auth/tokens.py")
    (sandbox.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    sandbox.say("Passwords are checked by `hash_of()` in src/auth/tokens.py")
    sandbox.check()
    assert sandbox.grounds.suspects() == {}
    assert not ran.exists()


@pytest.mark.parametrize("what", ["nothing", "no commit", "damaged", "a file"])
def test_without_a_repository_nothing_is_suspect(memory: Memory, project_root: Path, what: str) -> None:
    place = memory.target()
    memory.add(Draft(Primitive.DECISION, "Passwords are checked in src/auth/tokens.py"))
    if what == "no commit":
        subprocess.run(["git", "init", "-q", str(project_root)], env=ENV, check=True)
    elif what == "damaged":
        (project_root / ".git").mkdir()
        (project_root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    elif what == "a file":
        (project_root / ".git").write_text("gitdir: /nowhere\n")
    said = GroundCheck(place, Repository(project_root, 60, ENV), dict).run()
    assert "no git repository that can be read" in said
    assert RecordGrounds(place.local, place.project.id).suspects() == {}


def test_without_git_nothing_is_suspect(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.say("Passwords are checked in src/auth/tokens.py")
    said = GroundCheck(sandbox.place, Repository(sandbox.root, 60, {"PATH": str(tmp_path)}), dict).run()
    assert "no git repository that can be read" in said


def test_what_git_does_not_manage_in_time_is_looked_up_the_next_time(sandbox: Sandbox) -> None:
    record = sandbox.say("Passwords are checked in src/auth/tokens.py")
    sandbox.git("rm", "-q", "src/auth/tokens.py")
    sandbox.later("Drop tokens")
    assert sandbox.check(seconds=0) != ""
    assert sandbox.grounds.suspects() == {}
    assert record in sandbox.suspects()


def test_nothing_is_asked_of_git_twice_while_nothing_changed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.say("Passwords are checked in src/auth/tokens.py by `hash_of()`")
    sandbox.check()
    asked: list[list[str]] = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda args, **more: asked.append(args) or popen(args, **more))
    sandbox.check()
    assert len(asked) == 1 and "show-ref" in asked[0]
    for number in range(30):
        sandbox.say(f"Step {number} is in src/auth/step{number}.py and src/auth/tokens.py")
    asked.clear()
    sandbox.check()
    assert len(asked) < 10


def test_a_record_that_no_longer_holds_is_forgotten(sandbox: Sandbox) -> None:
    record = sandbox.say("Passwords are checked in src/auth/tokens.py")
    sandbox.git("rm", "-q", "src/auth/tokens.py")
    sandbox.later("Drop tokens")
    assert record in sandbox.suspects()
    sandbox.memory.revise(sandbox.memory.find(record), reason="moved", title="Passwords are checked by the gateway")
    assert sandbox.suspects() == {}
    assert sandbox.grounds.of(sandbox.memory.find(record).record.id) == []


# Branches


def decide(sandbox: Sandbox, branch: str) -> str:
    return sandbox.say("Queue jobs in Postgres", primitive=Primitive.DECISION, branch=branch)


def on_branch(sandbox: Sandbox, branch: str) -> str:
    """A decision on a branch that goes on after it."""
    sandbox.git("checkout", "-q", "-b", branch)
    record = decide(sandbox, branch)
    sandbox.check()
    assert sandbox.grounds.provisional()[sandbox.memory.find(record).record.id].branch == branch
    sandbox.write("src/queue.py", "def enqueue_job(): ...\n")
    sandbox.later("Queue jobs")
    sandbox.write("src/queue.py", "def enqueue_job(job): ...\n")
    sandbox.later("Take a job")
    sandbox.check()
    assert record in sandbox.grounds.provisional()
    sandbox.git("checkout", "-q", "main")
    sandbox.check()
    assert record in sandbox.grounds.provisional()
    return record


@pytest.mark.parametrize("keep_branch", [True, False])
@pytest.mark.parametrize("way", ["merge", "fast-forward", "squash", "rebase"])
def test_a_decision_is_provisional_until_its_branch_is_merged(sandbox: Sandbox, way: str, keep_branch: bool) -> None:
    on_branch(sandbox, "queue")
    sandbox.at += timedelta(days=1)
    if way == "merge":
        sandbox.git("merge", "-q", "--no-ff", "-m", "Merge branch 'queue'", "queue")
    elif way == "fast-forward":
        sandbox.git("merge", "-q", "--ff-only", "queue")
    elif way == "squash":
        sandbox.later("Something else meanwhile")
        sandbox.git("merge", "-q", "--squash", "queue")
        sandbox.git("commit", "-q", "-m", "Queue jobs (#12)")
    else:
        sandbox.later("Something else meanwhile")
        sandbox.git("cherry-pick", "main..queue")
    if not keep_branch:
        sandbox.git("branch", "-q", "-D", "queue")
    sandbox.check()
    assert sandbox.grounds.provisional() == {}
    assert sandbox.grounds.untold() == {}


def test_what_is_decided_on_a_branch_replaces_what_holds_once_it_is_merged(sandbox: Sandbox) -> None:
    """Not before: whoever works on the main branch goes by what holds there."""
    said = Evidence("claude", "run-main", 1, 2, "words", Trust.USER, SAID - timedelta(days=10))
    sandbox.branches["claude", "run-main"] = "main"
    draft = Draft(Primitive.DECISION, "Queue jobs in Redis", evidence=(said,), source="sync")
    old = sandbox.memory.add(draft).record.id
    new = on_branch(sandbox, "queue")

    first = curate(sandbox)
    assert [] == list(first.done)
    assert ["branch queue, not merged into main yet"] == [
        one.refusal.partition("decided on ")[2] for one in first.plan.refused
    ]
    assert [] == list(curate(sandbox).done), "nothing has changed since"
    assert sandbox.memory.find(old).record.holds

    sandbox.at += timedelta(days=1)
    sandbox.git("merge", "-q", "--no-ff", "-m", "Merge branch 'queue'", "queue")
    sandbox.check()
    curate(sandbox)
    assert new == sandbox.memory.find(old).record.superseded_by


def curate(sandbox: Sandbox) -> CurationRun:
    curation = Curation(sandbox.place, clock=lambda: SAID + timedelta(days=3))
    return curation.apply(curation.plan())


def test_a_branch_that_is_gone_unmerged_is_said_to_be_unknown(sandbox: Sandbox) -> None:
    record = on_branch(sandbox, "queue")
    sandbox.git("branch", "-q", "-D", "queue")
    sandbox.check()
    assert sandbox.grounds.provisional() == {}
    assert "cannot be told" in sandbox.grounds.untold()[sandbox.memory.find(record).record.id].told


@pytest.mark.parametrize("branch", ["main", "master"])
def test_the_main_branch_is_not_gone_because_it_was_called_otherwise(sandbox: Sandbox, branch: str) -> None:
    """Whichever of its names the session noted, and whichever it had when somebody looked first."""
    decide(sandbox, branch)
    for name in ("master", "main"):
        sandbox.git("branch", "-q", "-M", name)
        sandbox.check()
        assert {} == sandbox.grounds.untold()
        assert {} == sandbox.grounds.provisional()


def test_a_branch_that_is_there_again_is_gone_no_more(sandbox: Sandbox) -> None:
    record = on_branch(sandbox, "queue")
    tip = sandbox.git("rev-parse", "queue").strip()
    sandbox.git("branch", "-q", "-D", "queue")
    sandbox.check()
    assert sandbox.grounds.untold()

    sandbox.git("branch", "-q", "queue", tip)
    sandbox.check()

    assert {} == sandbox.grounds.untold()
    assert record in sandbox.grounds.provisional()


def test_what_was_decided_on_the_main_branch_or_nobody_knows_where_is_not_provisional(sandbox: Sandbox) -> None:
    decide(sandbox, "main")
    sandbox.say("Use JWT", primitive=Primitive.DECISION)
    sandbox.check()
    assert sandbox.grounds.provisional() == {}


def test_a_branch_that_a_record_names_is_ground(sandbox: Sandbox) -> None:
    record = sandbox.say("Fixes go to the release-2 branch first")
    sandbox.say("Fixes go to the feature branch first")
    sandbox.git("branch", "release-2")
    assert sandbox.suspects() == {}
    sandbox.git("branch", "-q", "-D", "release-2")
    sandbox.later("Something else")
    assert sandbox.suspects()[record].what == "branch release-2 is gone"


# As a room


def test_the_room_shows_and_checks(sandbox: Sandbox) -> None:
    record = sandbox.say("Passwords are checked in src/auth/tokens.py")
    sandbox.git("rm", "-q", "src/auth/tokens.py")
    commit = sandbox.later("Drop tokens")
    room = Grounding(sandbox.memory, dict, ENV)
    assert room.show().suspects == []
    report = room.check()
    assert report.head == commit
    assert [one.kept.record.id for one in report.suspects] == [record]
    assert room.of(record).suspicion == report.suspects[0].suspicion


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Logins failed because `check_password` compared the salted hash", "Fixed by hashing both sides."),
        ("The empty sessions were caused by `check_password`", ""),
        ("Root cause of the slow logins: `check_password` hashed twice", ""),
    ],
)
def test_the_cause_of_a_fault_stays_true_when_the_code_is_gone(sandbox: Sandbox, title: str, body: str) -> None:
    sandbox.say(title, body)
    sandbox.check()
    sandbox.write("src/auth/tokens.py", "def hash_of(user):\n    return user\n")
    sandbox.later("Rewrite the logins")

    assert sandbox.suspects() == {}


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("`check_password` fails because it hashes twice", ""),
        ("Always call `check_password` before a token is given", "Root cause of the leak in spring."),
        ("Passwords are checked by `check_password`", "It turned out to be the only place."),
    ],
)
def test_what_still_says_what_to_do_rests_on_its_code(sandbox: Sandbox, title: str, body: str) -> None:
    record = sandbox.say(title, body)
    sandbox.check()
    sandbox.write("src/auth/tokens.py", "def hash_of(user):\n    return user\n")
    sandbox.later("Rewrite the logins")

    assert sandbox.suspects().keys() == {record}
