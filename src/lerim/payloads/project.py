"""Projects."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from lerim.context.place import Place
    from lerim.context.projects import Project


class ProjectPayload(TypedDict):
    id: str
    name: str
    root: str
    trust: str


class ProjectDetailsPayload(ProjectPayload):
    records: int
    folder: str


class TrustedProjectPayload(ProjectPayload):
    changed: int


class ForgottenProjectPayload(ProjectPayload):
    forgotten: int


def project_payload(project: "Project") -> ProjectPayload:
    return {"id": project.id, "name": project.name, "root": str(project.root), "trust": str(project.trust)}


def project_details_payload(place: "Place", records: int) -> ProjectDetailsPayload:
    return {**project_payload(place.project), "records": records, "folder": str(place.folder.root)}


def trusted_project_payload(project: "Project", changed: int) -> TrustedProjectPayload:
    return {**project_payload(project), "changed": changed}


def forgotten_project_payload(project: "Project", records: int) -> ForgottenProjectPayload:
    return {**project_payload(project), "forgotten": records}
