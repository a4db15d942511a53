"""Projects and profiles over HTTP."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath
from typing import Annotated, NotRequired, TypedDict

from lerim.errors import ConfigError, UsageError
from lerim.payloads.profile import (
    ProfileDetailsPayload,
    ProfilePayload,
    ProjectProfilePayload,
    profile_details_payload,
    profile_payload,
    project_profile_payload,
)
from lerim.payloads.project import (
    ProjectAliasPayload,
    ProjectDetailsPayload,
    ProjectPayload,
    RemovedProjectPayload,
    TrustedProjectPayload,
    project_alias_payload,
    project_details_payload,
    project_payload,
    removed_project_payload,
    trusted_project_payload,
)
from lerim.serve.api.asking import Call, Nothing
from lerim.serve.api.table import ApiTable

PROJECTS = ApiTable()


class NewProject(TypedDict):
    path: Annotated[str, "the project's root folder"]
    name: NotRequired[Annotated[str, "what to call it (default: the folder's name)"]]


class RemoveAsked(TypedDict):
    yes: NotRequired[Annotated[bool, "that quotes, history and review of it go, after a backup"]]


class AliasAsked(TypedDict):
    old_path: Annotated[str, "the folder it was in, as the sessions name it"]


class ProjectProfileAsked(TypedDict):
    profile: Annotated[str, "a profile's name"]


class NewProfile(TypedDict):
    name: Annotated[str, "small letters, digits and dashes"]


class ProfileFile(TypedDict):
    file: Annotated[str, "a profile as `profile new` writes one"]


@PROJECTS.get("/projects", "project list")
def list_projects(call: Call[Nothing]) -> list[ProjectPayload]:
    """The registered projects."""
    return [project_payload(project) for project in call.lerim.projects.all()]


@PROJECTS.post("/projects", "project add", "init", code=201)
def add_project(call: Call[NewProject]) -> ProjectPayload:
    """Register a folder as a project, with a memory in its .lerim folder. Whether what lay there is trusted is asked
    separately."""
    path = Path(call.asked["path"]).expanduser()
    if not path.is_absolute():
        raise UsageError(f"{path} is no absolute path")
    return project_payload(call.lerim.setup.init(path, call.asked.get("name")))


@PROJECTS.get("/projects/{name}", "project show")
def show_project(call: Call[Nothing]) -> ProjectDetailsPayload:
    """One project."""
    place = call.lerim.memory.place(call.lerim.project(call.named("name")))
    with place.store.read() as snapshot:
        return project_details_payload(place, sum(snapshot.counts().values()))


@PROJECTS.delete("/projects/{name}", "project remove")
def remove_project(call: Call[RemoveAsked]) -> RemovedProjectPayload:
    """Forget a project: its files stay; quotes, history and review go, after a backup."""
    project = call.lerim.projects.find(call.named("name"))
    if call.lerim.projects.only_in_store(project) and not call.asked.get("yes"):
        raise UsageError(
            f"this forgets what only the store knows of {project.name}; nothing was changed", hint='"yes": true'
        )
    return removed_project_payload(call.lerim.setup.remove(project))


@PROJECTS.post("/projects/{name}/alias", "project alias")
def alias_project(call: Call[AliasAsked]) -> ProjectAliasPayload:
    """Say where a project used to be: sessions of that folder, which is gone, are the project's."""
    project, given = call.lerim.projects.find(call.named("name")), call.asked["old_path"]
    old = Path(given) if PureWindowsPath(given).drive else Path(given).expanduser().absolute()
    if old == project.root or old.is_dir():
        raise UsageError(f"{old} is still there: its sessions belong to what it is now")
    return project_alias_payload(project, old, call.lerim.sessions.alias(old, project.root))


@PROJECTS.get("/projects/{name}/profile", "project profile")
def project_profile(call: Call[Nothing]) -> ProjectProfilePayload:
    """By which profile a project's sessions are read."""
    project = call.lerim.project(call.named("name"))
    return project_profile_payload(project, call.lerim.house.settings_of(project).profile.name, None)


@PROJECTS.post("/projects/{name}/profile", "project profile")
def set_project_profile(call: Call[ProjectProfileAsked]) -> ProjectProfilePayload:
    """Choose another one."""
    project = call.lerim.project(call.named("name"))
    found, file = call.lerim.setup.set_profile(project, call.asked["profile"])
    return project_profile_payload(project, found.name, str(file))


@PROJECTS.post("/projects/{name}/trust", "project trust")
def trust_project(call: Call[Nothing]) -> TrustedProjectPayload:
    """Trust what lies in a project's .lerim folder: its settings count, and its memory files are your own word."""
    return _trusted(call, is_trusted=True)


@PROJECTS.post("/projects/{name}/untrust", "project untrust")
def untrust_project(call: Call[Nothing]) -> TrustedProjectPayload:
    """Stop trusting a project: memories that came as files are marked shared, and its settings do not count."""
    return _trusted(call, is_trusted=False)


def _trusted(call: Call[Nothing], *, is_trusted: bool) -> TrustedProjectPayload:
    project = call.lerim.project(call.named("name"))
    return trusted_project_payload(*call.lerim.setup.trust(project, trusted=is_trusted))


@PROJECTS.get("/profiles", "profile list")
def list_profiles(call: Call[Nothing]) -> list[ProfilePayload]:
    """The profiles: those that come with Lerim, and your own."""
    profiles, found = call.lerim.house.rules.profiles, []
    for name in profiles.names():
        try:
            found.append(profile_payload(profiles.find(name)))
        except ConfigError:  # One that is being written must not hide the others.
            continue
    return found


@PROJECTS.get("/profiles/{name}", "profile show")
def show_profile(call: Call[Nothing]) -> ProfileDetailsPayload:
    """A profile: what lasts, whose word counts, what is private, and the headings of the brief."""
    return profile_details_payload(call.lerim.house.rules.profiles.find(call.named("name")))


@PROJECTS.post("/profiles", "profile new", code=201)
def new_profile(call: Call[NewProfile]) -> ProfilePayload:
    """Begin a profile of your own: a commented file to edit."""
    profiles = call.lerim.house.rules.profiles
    profiles.new(call.asked["name"])
    return profile_payload(profiles.find(call.asked["name"]))


@PROJECTS.post("/profiles/add", "profile add", code=201)
def add_profile(call: Call[ProfileFile]) -> ProfilePayload:
    """Take in a profile from a file on this machine. It is copied."""
    path = Path(call.asked["file"]).expanduser()
    if not path.is_absolute() or not path.is_file():
        raise UsageError(f"{path} is no file by its absolute path")
    return profile_payload(call.lerim.house.rules.profiles.add(path))
