"""People and rights of a shared store over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from lerim.context.tokens import DAYS
from lerim.payloads.team import (
    AccessPayload,
    MemberGrantPayload,
    MemberNamePayload,
    MemberPayload,
    MyselfPayload,
    NewMemberPayload,
    NewTokenPayload,
    TokenPayload,
    access_payload,
    member_grant_payload,
    member_name_payload,
    member_payload,
    myself_payload,
    new_member_payload,
    new_token_payload,
    token_payload,
)
from lerim.serve.api.asking import Call, Nothing
from lerim.serve.api.table import ApiTable

TEAM = ApiTable()
_Role = Literal["reader", "writer", "admin"]


class MemberAsked(TypedDict):
    name: Annotated[str, "small letters, digits and underscores"]
    back: NotRequired[Annotated[bool, "the same person was a member before: their own memory is back"]]


class GrantAsked(TypedDict):
    role: Annotated[_Role, "what they may do there"]
    in_project: NotRequired[Annotated[str, "its name or id (default: all projects but people's own)"]]


class RevokeAsked(TypedDict):
    in_project: NotRequired[Annotated[str, "its name or id (default: the role in all projects)"]]


class TokenAsked(TypedDict):
    label: Annotated[str, "what it is for"]
    role: NotRequired[Annotated[_Role, "the most it may do (default: reader)"]]
    projects: NotRequired[Annotated[list[str], "for these only (default: all of its member's)"]]
    days: NotRequired[Annotated[int, "how long it holds (default 90, at most 366)"]]
    member: NotRequired[Annotated[str, "whose it is; only the store's owner says so"]]


class AuditAsked(TypedDict):
    who: NotRequired[Annotated[str, "only this member"]]
    in_project: NotRequired[Annotated[str, "only in this project"]]
    action: NotRequired[Annotated[Literal["read", "write", "export", "rights"], "only this kind"]]
    limit: NotRequired[Annotated[int, "at most so many (default 50, at most 1,000)"]]


@TEAM.get("/team", "team list")
def list_members(call: Call[Nothing]) -> list[MemberPayload]:
    """The members and their roles: all for admins, else oneself."""
    return [member_payload(member) for member in call.lerim.team.people.members()]


@TEAM.get("/team/me", "team whoami")
def show_myself(call: Call[Nothing]) -> MyselfPayload:
    """Who one is in the shared store, and what one may do."""
    return myself_payload(call.lerim.team.people.me())


@TEAM.post("/team/members", "team add", code=201)
def add_member(call: Call[MemberAsked]) -> NewMemberPayload:
    """Let somebody in: a login without any rights yet. Its address is shown once. For the store's owner."""
    return new_member_payload(call.lerim.team.people.add(call.asked["name"], is_back=call.asked.get("back", False)))


@TEAM.delete("/team/members/{name}", "team remove")
def remove_member(call: Call[Nothing]) -> MemberNamePayload:
    """Let a member go: login, tokens and open connections end at once. What they wrote stays."""
    call.lerim.team.people.remove(call.named("name"))
    return member_name_payload(call.named("name"))


@TEAM.post("/team/members/{name}/grant", "team grant")
def grant_role(call: Call[GrantAsked]) -> MemberGrantPayload:
    """Give a member a role in a project, or in all, in place of the one before."""
    given = call.lerim.team.grant(call.named("name"), call.asked["role"], call.asked.get("in_project"))
    return member_grant_payload(call.named("name"), given)


@TEAM.post("/team/members/{name}/revoke", "team revoke")
def revoke_role(call: Call[RevokeAsked]) -> MemberGrantPayload:
    """Take a member's role in a project, or the one in all."""
    taken = call.lerim.team.revoke(call.named("name"), call.asked.get("in_project"))
    return member_grant_payload(call.named("name"), taken)


@TEAM.get("/team/tokens", "team token")
def list_tokens(call: Call[Nothing]) -> list[TokenPayload]:
    """Tokens, without what lets anybody in: one's own, for admins everybody's."""
    return [token_payload(token) for token in call.lerim.team.tokens.all()]


@TEAM.post("/team/tokens", "team token", code=201)
def make_token(call: Call[TokenAsked]) -> NewTokenPayload:
    """Make a token. It is shown once, and never made by another token."""
    asked = call.asked
    made = call.lerim.team.make_token(
        asked["label"],
        asked.get("role", "reader"),
        asked.get("projects", []),
        days=asked.get("days", DAYS),
        member=asked.get("member", ""),
    )
    return new_token_payload(made)


@TEAM.delete("/team/tokens/{id}", "team token")
def revoke_token(call: Call[Nothing]) -> TokenPayload:
    """Take a token back, for good."""
    return token_payload(call.lerim.team.tokens.revoke(call.named("id")))


@TEAM.get("/team/audit", "team audit")
def show_audit(call: Call[AuditAsked]) -> list[AccessPayload]:
    """Who read, wrote and exported what, newest first: all for admins, else what one did oneself."""
    asked = call.asked
    limit = min(max(asked.get("limit", 50), 1), 1000)
    found = call.lerim.team.entries(limit, asked.get("who", ""), asked.get("in_project", ""), asked.get("action", ""))
    return [access_payload(entry) for entry in found]
