"""The people of a shared store, their rights and tokens, and who did what."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from datetime import datetime

    from lerim.context.access_log import AccessEntry
    from lerim.context.team import Myself, NewMember, TeamGrant, TeamMember
    from lerim.context.tokens import ApiToken, NewToken


class GrantPayload(TypedDict):
    role: str
    project_id: str | None
    project: str | None


class MemberPayload(TypedDict):
    name: str
    since: str
    grants: list[GrantPayload]


class NewMemberPayload(TypedDict):
    name: str
    url: str


class MyselfPayload(TypedDict):
    login: str
    name: str | None
    grants: list[GrantPayload]


class MemberGrantPayload(GrantPayload):
    name: str


class MemberNamePayload(TypedDict):
    name: str


class TokenPayload(TypedDict):
    id: str
    member: str
    label: str
    role: str
    projects: list[str] | None
    created: str
    expires: str
    revoked: str | None
    last_used: str | None
    holds: bool


class NewTokenPayload(TokenPayload):
    token: str


class AccessPayload(TypedDict):
    at: str
    who: str
    token: str | None
    via: str
    address: str | None
    action: str
    what: str
    project_id: str | None
    amount: int | None


def grant_payload(grant: "TeamGrant") -> GrantPayload:
    is_all = grant.project_id == "*"
    return {
        "role": str(grant.role),
        "project_id": None if is_all else grant.project_id,
        "project": None if is_all else grant.project,
    }


def member_payload(member: "TeamMember") -> MemberPayload:
    grants = [grant_payload(grant) for grant in member.grants]
    return {"name": member.name, "since": _text(member.since), "grants": grants}


def new_member_payload(added: "NewMember") -> NewMemberPayload:
    return {"name": added.name, "url": added.url}


def myself_payload(me: "Myself") -> MyselfPayload:
    return {"login": me.login, "name": me.name, "grants": [grant_payload(grant) for grant in me.grants]}


def member_grant_payload(name: str, grant: "TeamGrant") -> MemberGrantPayload:
    return {"name": name, **grant_payload(grant)}


def member_name_payload(name: str) -> MemberNamePayload:
    return {"name": name}


def token_payload(token: "ApiToken") -> TokenPayload:
    return {
        "id": token.id,
        "member": token.member,
        "label": token.label,
        "role": str(token.role),
        "projects": list(token.projects) if token.projects is not None else None,
        "created": _text(token.created),
        "expires": _text(token.expires),
        "revoked": _text(token.revoked) if token.revoked else None,
        "last_used": _text(token.last_used) if token.last_used else None,
        "holds": token.holds,
    }


def new_token_payload(made: "NewToken") -> NewTokenPayload:
    return {**token_payload(made.token), "token": made.secret}


def access_payload(entry: "AccessEntry") -> AccessPayload:
    return {
        "at": _text(entry.at),
        "who": entry.who,
        "token": entry.token,
        "via": entry.via,
        "address": entry.address,
        "action": str(entry.action),
        "what": entry.what,
        "project_id": entry.project_id,
        "amount": entry.amount,
    }


def _text(moment: "datetime") -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
