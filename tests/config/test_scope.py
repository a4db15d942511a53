"""Scopes: what each mode reads and writes, and which project a path belongs to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.config.scope import Scope, ScopeMode, lerim_dir, locate, memory_dir
from lerim.errors import ScopeError

FALLBACK, PROJECT, GLOBAL = ScopeMode.PROJECT_FALLBACK_GLOBAL, ScopeMode.PROJECT_ONLY, ScopeMode.GLOBAL_ONLY
REPO, HOME = Path("/work/repo"), Path("/home/ada/.lerim")
CHANGE_MODE = 'set memory.scope = "project_fallback_global" (lerim config show names the file that sets it)'


# --- reading and writing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "project", "reads", "writes"),
    [
        (FALLBACK, REPO, (REPO, HOME), REPO),
        (FALLBACK, None, (HOME,), HOME),
        (PROJECT, REPO, (REPO,), REPO),
        (GLOBAL, REPO, (HOME,), HOME),
        (GLOBAL, None, (HOME,), HOME),
    ],
)
def test_a_mode_decides_what_is_read_and_written(mode, project, reads, writes):
    """The table of the three modes, inside and outside a project."""
    scope = Scope(mode, project, HOME)

    assert reads == scope.reads
    assert writes == scope.writes()


def test_project_only_outside_a_project_has_nowhere_to_go():
    """Neither reading nor writing falls back silently; the hint is the command that makes a project."""
    scope = Scope(PROJECT, None, HOME)

    for use in (lambda: scope.reads, scope.writes, lambda: scope.writes("project")):
        with pytest.raises(ScopeError) as caught:
            use()
        assert "this folder belongs to no project" == caught.value.message
        assert "lerim init" == caught.value.hint


@pytest.mark.parametrize(
    ("mode", "project", "wanted", "expected"),
    [
        (FALLBACK, REPO, "global", HOME),
        (FALLBACK, REPO, "project", REPO),
        (FALLBACK, None, "global", HOME),
        (PROJECT, REPO, "project", REPO),
        (GLOBAL, REPO, "global", HOME),
        (GLOBAL, None, "global", HOME),
    ],
)
def test_the_wanted_scope_is_written_where_the_mode_allows(mode, project, wanted, expected):
    """Asking for project or global memory overrides the mode's own choice."""
    assert expected == Scope(mode, project, HOME).writes(wanted)


@pytest.mark.parametrize(
    ("mode", "project", "wanted", "message", "hint"),
    [
        (PROJECT, REPO, "global", "memory.scope is 'project_only': the global memory is not written", CHANGE_MODE),
        (PROJECT, None, "global", "memory.scope is 'project_only': the global memory is not written", CHANGE_MODE),
        (GLOBAL, REPO, "project", "memory.scope is 'global_only': no project memory is written", CHANGE_MODE),
        (GLOBAL, None, "project", "memory.scope is 'global_only': no project memory is written", CHANGE_MODE),
        (FALLBACK, None, "project", "this folder belongs to no project", "lerim init"),
    ],
)
def test_a_wanted_scope_the_mode_excludes_is_refused(mode, project, wanted, message, hint):
    """The error says which setting forbids it, and the hint how to change that."""
    with pytest.raises(ScopeError) as caught:
        Scope(mode, project, HOME).writes(wanted)

    assert (message, hint) == (caught.value.message, caught.value.hint)


def test_a_projects_files_are_in_its_lerim_folder():
    """A project keeps its files in .lerim; the global scope is the home itself."""
    assert (REPO / ".lerim", HOME) == (lerim_dir(REPO, HOME), lerim_dir(HOME, HOME))
    assert (REPO / ".lerim/memory", HOME / "memory") == (memory_dir(REPO, HOME), memory_dir(HOME, HOME))


# --- which project ----------------------------------------------------------------------------------------------------


@pytest.fixture
def user(tmp_path):
    """A user's home directory, resolved: what `locate` answers with."""
    folder = tmp_path.resolve() / "user"
    folder.mkdir()
    return folder


def place(user: Path, path: Path | str, *registered: Path, separate: bool = False) -> Path | None:
    return locate(user / path, registered, home=user / ".lerim", separate_worktrees=separate)


def git(*args: object, cwd: Path) -> None:
    """Run git as nobody in particular, away from the machine's own configuration."""
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd), "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@y", "-c", "protocol.file.allow=always", *map(str, args)]
    subprocess.run(command, cwd=cwd, env=env, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git("init", "-q", cwd=folder)
    git("commit", "-q", "--allow-empty", "-m", "start", cwd=folder)
    return folder


def worktree(repo: Path, folder: Path) -> Path:
    git("worktree", "add", "-q", "--detach", folder, cwd=repo)
    return folder


def test_a_path_outside_everything_has_no_project(user):
    """No registration, no git, no memory: no project."""
    assert place(user, "notes") is None


def test_a_path_belongs_to_its_git_root(user):
    """Any depth below, existing or not, inside .git or not."""
    repo = repository(user / "repo")
    (repo / "src").mkdir()

    assert repo == place(user, "repo")
    assert repo == place(user, "repo/src")
    assert repo == place(user, "repo/gone/deep/file.py")
    assert repo == place(user, "repo/.git/hooks")


def test_the_nearest_registered_project_wins_over_git(user):
    """A registered folder is a project, above a git root or below it."""
    repo = repository(user / "work/repo")

    assert user / "work" == place(user, "work/repo/src", user / "work")
    assert repo / "package" == place(user, "work/repo/package/src", user / "work", repo, repo / "package")
    assert repo == place(user, "work/repo/packages", user / "work", repo, repo / "package")


@given(
    st.lists(st.sampled_from("abc"), max_size=5),
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), max_size=6),
)
def test_the_longest_registered_prefix_wins(parts, registered):
    """Whatever is registered, a path belongs to the deepest registered folder above it or at it."""
    base = Path("/no-such-folder")
    prefixes = [root for root in registered if root == parts[: len(root)]]

    found = locate(
        base.joinpath(*parts),
        [base.joinpath(*root) for root in registered],
        home=Path("/no-such-home"),
        separate_worktrees=False,
    )

    assert (base.joinpath(*max(prefixes, key=len)) if prefixes else None) == found


def test_symlinks_do_not_make_two_projects_of_one(user):
    """A path and a registration may each go through a link; the answer is the real folder."""
    repo = repository(user / "repo")
    (user / "link").symlink_to(repo)

    assert repo == place(user, "link/src")
    assert repo == place(user, "repo/src", user / "link")
    assert repo == place(user, "link/src", user / "link")


def test_a_folder_with_a_memory_is_a_project_without_git(user):
    """A folder once initialized stays a project after it is unregistered, the nearest one first."""
    for name in ("notes", "notes/inner"):
        (user / name / ".lerim/memory").mkdir(parents=True)

    assert user / "notes" == place(user, "notes/today")
    assert user / "notes/inner" == place(user, "notes/inner/deep")


# --- the global folder is no project ----------------------------------------------------------------------------------


def test_a_home_directory_in_git_is_no_project(user):
    """People keep their dotfiles in git; ~/.lerim must not be a project's folder and the global one at once."""
    git("init", "-q", cwd=user)
    (user / ".lerim/memory").mkdir(parents=True)

    assert place(user, "") is None
    assert place(user, "Downloads") is None
    assert place(user, ".lerim/memory") is None
    assert place(user, "Downloads", user) is None


def test_a_project_below_a_home_directory_in_git_is_found(user):
    """Dotfiles in git do not hide the projects below."""
    git("init", "-q", cwd=user)
    (user / "notes/.lerim/memory").mkdir(parents=True)
    repo = repository(user / "repo")

    assert user / "notes" == place(user, "notes/today")
    assert repo == place(user, "repo/src")
    assert user / "other" == place(user, "other/src", user / "other")


def test_a_lerim_home_in_git_is_no_project(user):
    """Who versions the global memory with git does not turn it into a project."""
    repository(user / ".lerim")

    assert place(user, ".lerim/memory") is None
    assert place(user, ".lerim/memory", user / ".lerim") is None


def test_a_linked_lerim_home_is_recognized(user, tmp_path):
    """The same holds when ~/.lerim is a symlink to another disk."""
    git("init", "-q", cwd=user)
    (tmp_path / "disk").mkdir()
    (user / ".lerim").symlink_to(tmp_path / "disk")

    assert place(user, "Downloads") is None


def test_another_lerim_home_is_no_project(user, tmp_path):
    """With LERIM_HOME elsewhere, the memory in ~/.lerim does not make a project of the whole home directory."""
    (user / ".lerim/memory").mkdir(parents=True)
    (user / ".lerim/context.sqlite3").touch()

    assert (
        locate(
            user / "Downloads", [], home=tmp_path / "elsewhere", other_home=user / ".lerim", separate_worktrees=False
        )
        is None
    )


@pytest.mark.parametrize("mark", [".git", ".lerim/memory"])
def test_what_encloses_the_users_home_is_no_project(user, mark):
    """A home directory inside somebody's repository, or inside a folder with a memory, is no part of it."""
    (user.parent / mark).mkdir(parents=True)
    (user / "code" / mark).mkdir(parents=True)

    assert place(user, "Downloads") is None
    assert user / "code" == place(user, "code/src")
    assert user.parent == place(user, "../shared/src"), "outside of the home it is, as ever"
    assert user.parent == place(user, "Downloads", user.parent), "and when it was registered"


# --- worktrees --------------------------------------------------------------------------------------------------------


def test_all_worktrees_of_a_repository_are_one_project(user):
    """A linked worktree belongs to the main one, registered or not."""
    repo = repository(user / "repo")
    worktree(repo, user / "feature")

    assert repo == place(user, "feature/src")
    assert repo == place(user, "feature/src", repo)
    assert repo == place(user, "repo/src")


def test_a_setting_separates_worktrees(user):
    """Each worktree is then its own project, even one kept inside the main worktree."""
    repo = repository(user / "repo")
    for folder in (user / "feature", repo / ".claude/worktrees/fix"):
        worktree(repo, folder)

        assert folder == place(user, folder / "src", separate=True)
        assert folder == place(user, folder / "src", repo, separate=True)
    assert repo == place(user, "repo/src", repo, separate=True)


def test_a_folder_above_all_worktrees_holds_them_together(user):
    """Registering the folder that holds every worktree says they are one project, separated or not."""
    repo = repository(user / "work/repo")
    worktree(repo, user / "work/feature")

    assert user / "work" == place(user, "work/feature/src", user / "work", separate=True)
    assert user / "work" == place(user, "work/feature/src", user / "work")


def test_a_registered_worktree_is_its_own_project(user):
    """Registering a worktree takes it out of the main project."""
    repo = repository(user / "repo")
    feature = worktree(repo, user / "feature")

    assert feature == place(user, "feature/src", repo, feature)


def test_a_registered_folder_around_a_worktree_is_nearer_than_its_main_one(user):
    """Registration on the path itself comes before what git knows."""
    repo = repository(user / "repo")
    worktree(repo, user / "trees/feature")

    assert user / "trees" == place(user, "trees/feature", repo, user / "trees")


@pytest.mark.parametrize("folder", ["feature", "repo/.claude/worktrees/fix"])
def test_a_package_registered_in_the_main_worktree_counts_in_the_others(user, folder):
    """In a monorepo, the same subfolder of a linked worktree belongs to the same package."""
    repo = repository(user / "repo")
    worktree(repo, user / folder)
    package = repo / "packages/api"

    assert package == place(user, f"{folder}/packages/api/src", repo, package)
    assert package == place(user, f"{folder}/packages/api/src", package)
    assert repo == place(user, f"{folder}/packages/web", repo, package)
    assert repo == place(user, f"{folder}/packages/web", package)


@pytest.mark.parametrize("name", [".bare", ".git"])
def test_worktrees_beside_a_hidden_bare_repository_belong_to_its_folder(user, name):
    """The folder that holds a bare repository and its worktrees is the project."""
    source = repository(user / "source")
    (user / "app").mkdir()
    git("clone", "-q", "--bare", source, user / "app" / name, cwd=user)
    worktree(user / "app" / name, user / "app/main")

    assert user / "app" == place(user, "app/main/src")
    assert user / "app/main" == place(user, "app/main/src", separate=True)


def test_a_worktree_of_a_shared_bare_repository_is_its_own_project(user):
    """A bare repository among others says nothing about the folder it is in."""
    source = repository(user / "source")
    git("clone", "-q", "--bare", source, user / "app.git", cwd=user)
    tree = worktree(user / "app.git", user / "tree")

    assert tree == place(user, "tree/src")


def test_a_submodule_is_its_own_project(user):
    """It has a history of its own, wherever git keeps it."""
    repo, library = repository(user / "repo"), repository(user / "library")
    git("submodule", "add", "-q", library, "lib", cwd=repo)

    assert (repo / ".git/modules/lib").is_dir()
    assert repo / "lib" == place(user, "repo/lib/src")
    assert repo == place(user, "repo/src")


def test_a_relative_pointer_to_the_main_worktree_is_followed(user):
    """Newer versions of git can write worktree pointers as relative paths."""
    repo = repository(user / "repo")
    worktree(repo, user / "feature")
    (user / "feature/.git").write_text("gitdir: ../repo/.git/worktrees/feature\n")

    assert repo == place(user, "feature/src")


# --- things that are broken -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"gitdir:",
        b"gitdir: /no/such/place\n",
        b"nonsense",
        b"\xff\xfe\x00",
        b"gitdir: a\x00b\n",
        b"gitdir: " + b"x" * 9999,
    ],
)
def test_a_malformed_git_file_marks_its_own_root(user, content):
    """Whatever stands in it, a .git file says that a worktree starts here."""
    (user / "odd").mkdir()
    (user / "odd/.git").write_bytes(content)

    assert user / "odd" == place(user, "odd/src")


def test_a_worktree_whose_repository_is_gone_is_its_own_project(user):
    """A deleted main worktree leaves the others where they are."""
    repo = repository(user / "repo")
    feature = worktree(repo, user / "feature")
    repo.rename(user / "moved")

    assert feature == place(user, "feature/src")


def test_a_made_up_pointer_does_not_join_another_project(user):
    """A cloned folder cannot claim to be a worktree of somebody else's repository."""
    repo = repository(user / "private")
    (user / "clone/fake").mkdir(parents=True)
    (user / "clone/.git").write_text("gitdir: fake\n")
    (user / "clone/fake/commondir").write_text(f"{repo}/.git\n")

    assert user / "clone" == place(user, "clone/src")


def test_a_pipe_in_place_of_a_git_file_does_not_block(user):
    """Only regular files are read."""
    (user / "odd").mkdir()
    os.mkfifo(user / "odd/.git")

    assert user / "odd" == place(user, "odd/src")


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "loop/inner"])
def test_an_impossible_path_has_no_project(user, path):
    """Traces record all sorts of paths; none of them makes the lookup fail."""
    (user / "loop").symlink_to(user / "loop")

    assert place(user, path) is None
    assert user == locate(user / path, [user], home=user / "elsewhere", separate_worktrees=False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter everything")
def test_a_folder_one_may_not_enter_holds_nothing(user):
    """A path below a locked folder belongs to whatever is above it."""
    repo = repository(user / "repo")
    (repo / "locked/.git").mkdir(parents=True)
    (repo / "locked").chmod(0)

    try:
        assert repo == place(user, "repo/locked/src")
    finally:
        (repo / "locked").chmod(0o700)
