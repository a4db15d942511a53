"""Routing: which project a session belongs to, also when its directory moved or is gone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.config.identity import remote_of
from lerim.sessions.routing import Atlas, FormerDirectory, Registered, Route, RouteBasis, route


@pytest.fixture
def world(tmp_path: Path) -> Path:
    path = tmp_path / "world"
    path.mkdir()
    return path


def atlas(world: Path, *projects: Registered, **more: object) -> Atlas:
    return Atlas(projects, world / "home" / ".lerim", **more)  # type: ignore[arg-type]


def project(root: Path, remote: str | None = None) -> Registered:
    return Registered(f"prj-{root.name}", root, remote)


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, remote: str | None = None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def test_the_deepest_registered_root_wins(world):
    """A package registered inside a registered repository is its own project."""
    outer, inner = project(world / "mono"), project(world / "mono" / "app")
    (inner.root / "src").mkdir(parents=True)
    known = atlas(world, outer, inner)

    assert inner == route(str(inner.root / "src"), known).project
    assert outer == route(str(outer.root), known).project
    assert outer == route(str(outer.root / "deleted"), known).project


def test_an_unregistered_repository_is_named_not_taken(world):
    """The folder to add is the repository's root, not the directory somebody happened to be in."""
    root = repository(world / "app")
    (root / "src").mkdir()

    assert Route(RouteBasis.NOTHING, folder=root) == route(str(root / "src"), atlas(world))


@pytest.mark.parametrize("cwd", [None, "", "app", "~/app", "/x\0y"])
def test_a_directory_of_no_known_place_is_never_ours(world, cwd, monkeypatch):
    """What is no absolute path here must not be read as relative to where Lerim runs."""
    monkeypatch.chdir(world)

    assert Route(RouteBasis.NOTHING) == route(cwd, atlas(world, project(world)))


def test_a_folder_of_windows_is_shown_and_can_be_given_a_project(world, monkeypatch):
    """It is never taken for a folder here; a project of its name is suggested, and what a person says counts."""
    monkeypatch.chdir(world)
    app = project(world / "app")
    cwd = "C:\\Users\\ada\\app\\src"
    known = atlas(world, app, aliases={Path("c:\\users\\ada\\app"): app.root})

    assert Route(RouteBasis.NOTHING, folder=Path(cwd), similar=app.root) == route(cwd, atlas(world, app))
    assert Route(RouteBasis.ALIAS, app) == route(cwd, known)


def test_a_submodule_is_a_project_of_its_own(world):
    """It lies in another repository's folder, but its commits and its agents' work are its own."""
    shared, app = repository(world / "shared"), repository(world / "app")
    git(app, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(shared), "lib")
    (app / "lib" / "src").mkdir()
    (app / "src").mkdir()
    outer, inner = project(app), project(app / "lib")

    assert Route(RouteBasis.NOTHING, folder=app / "lib") == route(str(app / "lib" / "src"), atlas(world, outer))
    assert inner == route(str(app / "lib" / "src"), atlas(world, outer, inner)).project
    assert outer == route(str(app / "src"), atlas(world, outer)).project


@pytest.mark.parametrize("separate", [False, True])
def test_worktrees_belong_to_the_main_one_unless_kept_apart(world, separate):
    """The setting decides; a worktree of its own is then what has to be registered."""
    main = repository(world / "app")
    git(main, "worktree", "add", "-q", str(world / "feature"))
    known = atlas(world, project(main), separate_worktrees=separate)

    expected = (
        Route(RouteBasis.NOTHING, folder=world / "feature") if separate else Route(RouteBasis.LOCATED, project(main))
    )
    assert expected == route(str(world / "feature"), known)


def test_a_project_that_moved_behind_a_symlink_keeps_its_sessions(world):
    """The registered root is a symlink now: sessions on either side of it belong to the project."""
    real = world / "data" / "app"
    real.mkdir(parents=True)
    (world / "app").symlink_to(real)
    known = atlas(world, project(world / "app"))

    assert "prj-app" == route(str(real), known).project.id == route(str(world / "app"), known).project.id


def test_a_directory_that_is_gone_is_found_by_the_former_root(world):
    """An alias counts for what does not exist any more, and the deeper of alias and registered root wins."""
    mono, app = project(world / "mono"), project(world / "app")
    mono.root.mkdir()
    app.root.mkdir()
    known = atlas(world, mono, app, aliases={world / "mono" / "app": app.root, world / "elsewhere": mono.root})

    assert Route(RouteBasis.ALIAS, app) == route(str(world / "mono" / "app" / "src"), known)
    assert Route(RouteBasis.ALIAS, mono) == route(str(world / "elsewhere" / "x"), known)
    assert Route(RouteBasis.LOCATED, mono) == route(str(world / "mono" / "other"), known)


def test_an_alias_does_not_capture_what_stands_there_now(world):
    """A new folder at the former root is somebody else's."""
    app, old = project(world / "app"), world / "old"
    old.mkdir()

    assert Route(RouteBasis.NOTHING, folder=old) == route(str(old), atlas(world, app, aliases={old: app.root}))


def test_a_deleted_worktree_is_remembered(world):
    """It was the project's when last seen; that it is deleted changes nothing."""
    app = project(world / "app")
    known = atlas(world, app, places={str(world / "gone"): FormerDirectory(app.root)})

    assert Route(RouteBasis.REMEMBERED, app) == route(str(world / "gone"), known)


def test_a_moved_repository_is_known_by_its_remote(world):
    """One project with the remote it had is it; two are a question."""
    here, there = project(world / "here", "host/app"), project(world / "there", "host/app")
    places = {str(world / "old"): FormerDirectory(world / "old", "host/app")}

    assert Route(RouteBasis.REMOTE, here) == route(str(world / "old"), atlas(world, here, places=places))
    assert route(str(world / "old"), atlas(world, here, there, places=places)).project is None


def test_the_same_folder_name_is_a_suggestion_only(world):
    """It is never chosen silently, and two namesakes are no suggestion at all."""
    one, two = project(world / "a" / "app"), project(world / "b" / "app")
    lost = world / "old" / "app"

    assert Route(RouteBasis.NOTHING, folder=lost, similar=one.root) == route(str(lost), atlas(world, one))
    assert Route(RouteBasis.NOTHING, folder=lost) == route(str(lost), atlas(world, one, two))


@pytest.mark.parametrize(
    "url",
    [
        "git@example.org:team/app.git",
        "ssh://git@example.org/team/app.git",
        "ssh://git@example.org:22/team/app",
        "https://example.org/team/app/",
        "https://ada:secret@example.org/Team/App.git",
    ],
)
def test_a_remote_is_the_same_however_it_was_cloned(world, url):
    """Scheme, user, password and ending do not count."""
    assert "example.org/team/app" == remote_of(repository(world / "app", url))


def test_what_belongs_nowhere_goes_to_the_fallback_when_there_is_one(world):
    """The folder to add is still named, and a project that is certain comes first."""
    root, everybody = repository(world / "app"), Registered("global", world / "home" / ".lerim")
    known = project(world / "lib")
    known.root.mkdir()
    with_fallback = atlas(world, known, fallback=everybody)

    assert Route(RouteBasis.FALLBACK, everybody, folder=root) == route(str(root), with_fallback)
    assert everybody == route(None, with_fallback).project
    assert known == route(str(known.root), with_fallback).project


def test_a_folder_without_a_remote_has_none(world):
    """No repository, no remote, or a config that is no text."""
    broken = world / "broken"
    (broken / ".git").mkdir(parents=True)
    (broken / ".git" / "config").write_bytes(b"\xff\xfe[")

    assert [None] * 3 == [remote_of(folder) for folder in (world, repository(world / "app"), broken)]


@given(st.lists(st.sampled_from(["a", "b", "c", "a/b", "a/b/c", "b/c"]), unique=True), st.sampled_from("abc"))
def test_no_route_leads_outside_of_the_registered_projects(roots, name):
    """Whatever is registered, the answer is the deepest root above the directory, or none."""
    world = Path("/nowhere/at/all")
    projects = [project(world / root) for root in roots]
    place = world / "a" / "b" / name

    above = [p for p in projects if place.is_relative_to(p.root)]
    expected = max(above, key=lambda p: len(p.root.parts), default=None)
    assert expected == route(str(place), atlas(world, *projects)).project


# --- in the catalog ---------------------------------------------------------------------------------------------------


def test_sessions_without_a_project_are_listed_with_the_command_that_helps(laptop):
    """Grouped by the folder to add, the most numerous first."""
    repo = repository(laptop.folder("work") / "my repo")
    (repo / "src").mkdir()
    laptop.write("one.log", cwd=repo)
    laptop.write("two.log", cwd=repo / "src")
    laptop.write("three.log", cwd="/nowhere/app")
    laptop.discover()

    first, second = laptop.catalog.unscoped()

    assert {"skipped: no project"} == set(laptop.states().values())
    assert (repo, 2, (str(repo), str(repo / "src"))) == (first.folder, first.sessions, first.cwds)
    assert f"lerim project add '{repo}'" == first.fix
    assert laptop.app == second.similar
    assert f"lerim project alias {laptop.app} /nowhere/app" == second.fix, "there is no such folder to add"


def test_no_command_is_offered_that_would_be_refused(laptop):
    """A home, a folder for what is temporary and one that is gone cannot be projects; why not is said."""
    home = laptop.home / ".lerim"
    home.mkdir(parents=True, exist_ok=True)
    for name, cwd in (("home", home), ("temp", Path("/tmp")), ("root", Path("/")), ("gone", Path("/nowhere/at/all"))):
        laptop.write(f"{name}.log", cwd=cwd)
    laptop.discover()

    groups = laptop.catalog.unscoped()

    assert [None] * 4 == [group.fix for group in groups]
    assert all(group.reason for group in groups)


def test_a_package_registered_later_does_not_get_an_ingested_session_again(laptop):
    """What was taught stays where it is, and so does what the session grows by."""
    package = laptop.app / "packages" / "cart"
    package.mkdir(parents=True)
    laptop.write("one.log", cwd=package)
    laptop.discover()
    queue = laptop.queue()
    queue.complete(queue.claim("w"))
    laptop.projects.append(Registered("prj-cart", package))
    laptop.catalog.reroute()
    laptop.write("one.log", "and one more", cwd=package)
    laptop.write("two.log", cwd=package)
    laptop.discover()
    laptop.catalog.reroute()

    assert {"one": "pending", "two": "pending"} == laptop.states()
    assert laptop.app == laptop.catalog.find("one").project_root
    assert package == laptop.catalog.find("two").project_root


def test_a_session_whose_project_is_gone_can_still_get_another(laptop):
    """It is settled only as long as its project is there."""
    package = laptop.app / "packages" / "cart"
    package.mkdir(parents=True)
    laptop.projects.append(Registered("prj-cart", package))
    laptop.write("one.log", cwd=package)
    laptop.discover()
    queue = laptop.queue()
    queue.complete(queue.claim("w"))
    laptop.projects.pop()
    laptop.write("one.log", "and one more", cwd=package)
    laptop.discover()

    assert laptop.app == laptop.catalog.find("one").project_root


def test_the_remote_a_session_names_leads_home(laptop):
    """The worktree is gone and nobody saw it; the repository that its session names is registered."""
    shop = repository(laptop.home.parent / "shop", "git@example.org:team/shop.git")
    laptop.projects.append(Registered("prj-shop", shop, remote_of(shop)))
    laptop.write("one.log", cwd="/nowhere/worktrees/x", remote="example.org/team/shop")
    laptop.write("two.log", cwd="/nowhere/worktrees/y", remote="example.org/team/other")
    laptop.discover()
    laptop.catalog.reroute()

    assert {"one": "pending", "two": "skipped: no project"} == laptop.states()
    assert shop == laptop.catalog.find("one").project_root


def test_adding_a_project_routes_what_waited_for_it(laptop):
    """Without reading any trace again; removing it holds what was not ingested."""
    lib = laptop.folder("lib")
    laptop.write("one.log", cwd=lib)
    laptop.write("two.log")
    laptop.discover()
    laptop.agent.reads.clear()

    laptop.projects.append(Registered("prj-lib", lib))
    assert 1 == laptop.catalog.reroute()
    assert {"one": "pending", "two": "pending"} == laptop.states()
    assert ("prj-lib", lib) == ((one := laptop.catalog.find("one")).project_id, one.project_root)
    assert 0 == laptop.catalog.reroute()

    laptop.projects.pop()
    assert 1 == laptop.catalog.reroute()
    assert {"one": "skipped: no project", "two": "pending"} == laptop.states()
    assert [] == laptop.agent.reads


def test_a_session_does_not_go_to_a_project_that_was_removed(laptop):
    """Not even when it had been ingested there and grew since."""
    path = laptop.write("one.log")
    laptop.discover()
    laptop.work_off()

    laptop.projects.clear()
    laptop.append(path, "more")
    laptop.discover()

    assert {"one": "skipped: no project"} == laptop.states()


def test_a_person_says_where_a_project_used_to_be(laptop):
    """An alias routes the sessions of the former root, now and from then on."""
    laptop.write("one.log", cwd="/nowhere/before")
    laptop.discover()

    assert 1 == laptop.catalog.alias(Path("/nowhere/before"), laptop.app)
    laptop.write("two.log", cwd="/nowhere/before/src")
    laptop.discover()

    assert {"one": "pending", "two": "pending"} == laptop.states()


def test_a_worktree_deleted_after_it_was_seen_keeps_its_project(laptop):
    """The catalog remembers what a directory was, so that later sessions found there are routed."""
    main = repository(laptop.folder("work") / "main")
    laptop.projects.append(Registered("prj-main", main))
    tree = laptop.home.parent / "tree"
    git(main, "worktree", "add", "-q", str(tree))
    laptop.write("one.log", cwd=tree)
    laptop.discover()

    git(main, "worktree", "remove", "--force", str(tree))
    laptop.write("two.log", cwd=tree)
    laptop.discover()

    assert "prj-main" == laptop.catalog.find("two").project_id
