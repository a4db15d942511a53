"""Whose word counts in a session, as its profile says: told on each line, once, where a trace is kept."""

from __future__ import annotations

from lerim.config.profiles import Profile, SpeakerStanding
from lerim.dataclass import fields, replace
from lerim.sources.trace import Assistant, Line, User

_SHARED = tuple(field.name for field in fields(Assistant) if field.name != "outside")


def cast(line: Line, profile: Profile) -> Line:
    """A line of the person or agent who speaks on it, by what their word is worth.

    A colleague who writes in the agent's place is a person; somebody outside is data, whoever they say they are.
    """
    if not isinstance(line, User | Assistant):
        return line
    standing = profile.standing(line.speaker, line.type)
    if standing is SpeakerStanding.DATA:
        return replace(line, outside=True)
    kind = User if standing is SpeakerStanding.USER else Assistant
    if isinstance(line, kind):
        return replace(line, outside=False) if line.outside else line
    return kind(**{name: getattr(line, name) for name in _SHARED})
