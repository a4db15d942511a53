"""Profiles: what counts in a kind of work."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from lerim.config.profiles import Profile
    from lerim.context.projects import Project


class ProfilePayload(TypedDict):
    name: str
    about: str
    shipped: bool
    path: str


class ProfileDetailsPayload(ProfilePayload):
    kinds: dict[str, str]
    words: dict[str, list[str]]
    speakers: dict[str, str]
    others: str | None
    private: list[str]
    patterns: list[str]
    headings: dict[str, str]
    order: list[str]


class ProjectProfilePayload(TypedDict):
    project: str
    profile: str
    file: str | None


def profile_payload(profile: "Profile") -> ProfilePayload:
    return {
        "name": profile.name,
        "about": profile.about,
        "shipped": profile.is_shipped,
        "path": str(profile.path),
    }


def profile_details_payload(profile: "Profile") -> ProfileDetailsPayload:
    return {
        **profile_payload(profile),
        "kinds": dict(profile.kinds),
        "words": {name: list(words) for name, words in profile.words.items()},
        "speakers": {name: str(standing) for name, standing in profile.speakers.items()},
        "others": str(profile.others) if profile.others else None,
        "private": [str(kind) for kind in profile.private],
        "patterns": list(profile.patterns),
        "headings": dict(profile.headings),
        "order": list(profile.order),
    }


def project_profile_payload(project: "Project", profile: str, file: str | None) -> ProjectProfilePayload:
    return {"project": project.name, "profile": profile, "file": file}
