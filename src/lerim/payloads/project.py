"""Projects."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from lerim.context.place import Place
    from lerim.context.projects import Project


class ProjectPayload(TypedDict):
    id: str
    name: str
    root: str


class ProjectDetailsPayload(ProjectPayload):
    records: int
    folder: str


class ForgottenProjectPayload(ProjectPayload):
    forgotten: int


def project_payload(project: "Project") -> ProjectPayload:
    return {"id": project.id, "name": project.name, "root": str(project.root)}


def project_details_payload(place: "Place", records: int) -> ProjectDetailsPayload:
    return {**project_payload(place.project), "records": records, "folder": str(place.folder.root)}


def forgotten_project_payload(project: "Project", records: int) -> ForgottenProjectPayload:
    return {**project_payload(project), "forgotten": records}
