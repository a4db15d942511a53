"""Projects."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from pathlib import Path

    from lerim.context.place import Place
    from lerim.context.projects import Project
    from lerim.flows.setup import RemovedProject


class ProjectPayload(TypedDict):
    id: str
    name: str
    root: str
    trust: str
    elsewhere: NotRequired[bool]


class ProjectDetailsPayload(ProjectPayload):
    records: int
    folder: str


class TrustedProjectPayload(ProjectPayload):
    changed: int


class ProjectAliasPayload(ProjectPayload):
    old_root: str
    sessions: int


class RemovedProjectPayload(ProjectPayload):
    records: int
    quotes: int
    earlier_versions: int
    review: int
    backup: str | None


def project_payload(project: "Project", *, elsewhere: bool = False) -> ProjectPayload:
    payload: ProjectPayload = {
        "id": project.id,
        "name": project.name,
        "root": str(project.root),
        "trust": str(project.trust),
    }
    return {**payload, "elsewhere": True} if elsewhere else payload


def project_details_payload(place: "Place", records: int) -> ProjectDetailsPayload:
    return {**project_payload(place.project), "records": records, "folder": str(place.folder.root)}


def project_alias_payload(project: "Project", old_root: "Path", sessions: int) -> ProjectAliasPayload:
    return {**project_payload(project), "old_root": str(old_root), "sessions": sessions}


def trusted_project_payload(project: "Project", changed: int) -> TrustedProjectPayload:
    return {**project_payload(project), "changed": changed}


def removed_project_payload(done: "RemovedProject") -> RemovedProjectPayload:
    return {
        **project_payload(done.project),
        "records": done.lost.records,
        "quotes": done.lost.quotes,
        "earlier_versions": done.lost.earlier_versions,
        "review": done.lost.review,
        "backup": done.backup.name if done.backup else None,
    }
