"""What a program wrote under the user's name: expanded commands, briefs for other agents, harness prompts. Pure.

A template is nobody's words; what the user gave to the command may stand inside of it.
"""

from __future__ import annotations

import re

from lerim.glance import seldom

#: A template explains at length; what is shorter, somebody typed.
_LONG = 400
#: How far into a text its first words reach.
_OPENING = 1_200

# Each of them says where the user's own words stand, if there are any.
_ARGUMENTS = (
    re.compile(r"\A\s*#{1,3} User Input\s*\n+(?P<fence>`{3,}|~{3,})[\w-]*\n(?P<own>.*?)\n?(?P=fence)", re.DOTALL),
    re.compile(r"\n\s*(?:\*\*)?ARGUMENTS(?:\*\*)?: ?(?P<own>[^\n]{1,4000})\s*\Z"),
    re.compile(r"<(?:arguments|user_input|user-input)>(?P<own>.*?)</(?:arguments|user_input|user-input)>", re.DOTALL),
)
_EXPANDED = seldom(
    r"\$ARGUMENTS\b|\bThe text the user typed after `/|\bconsider the user input before proceeding\b"
    r"|^Base directory for this skill:|^# ?/[\w:.-]+ Command\b|\bwhen this (?:command|skill) is invoked\b"
    # A command's own page: "# /ship — Ship a release", "/skill:review".
    r"|\A\s*#{1,3} /[\w:.-]+ +[—–-]+ \S|\A\s*/skill:[\w-]+\s*\n",
    re.MULTILINE,
)
# A page of steps, each with a bold name: written once, for a button or a command.
_STEPS = re.compile(r"(?:\A|\n)[^\n]{0,200}\bfollow (?:these|the) steps\b[^\n]{0,60}:\s*\n", re.IGNORECASE)
_STEP = re.compile(r"^\d{1,2}\. \*\*[^*\n]{2,80}\*\*\s*[—–:-]", re.MULTILINE)
_MANY_STEPS = 3
_BRIEF = re.compile(
    r"\byou are (?:an? |the |now )?[^.\n]{0,60}\b(?:sub-?agent|teammate|dispatched)\b"
    r"|\byour (?:\w+ )?(?:dispatch|agent) id\b|\bno nested delegation\b|\bspawned by\b"
    r"|\b(?:report|reply|hand) back to (?:the|your) (?:lead|orchestrator|coordinator|parent|main agent|dispatcher)\b",
    re.IGNORECASE,
)
_HARNESS = re.compile(
    r"\A\s*(?:this session is being continued from a previous conversation|your task is to create a detailed summary"
    r"|caveat: the messages below were generated|\[system(?: message| notification)?\]|stop hook feedback"
    r"|please continue the conversation from where we left|continue if you have next steps, or stop"
    r"|analyze this codebase and create an? (?:claude|agents)\.md"
    r"|generate a file named agents\.md that serves as a contributor guide)",
    re.IGNORECASE,
)


def template_parts(text: str) -> tuple[tuple[int, int], ...] | None:
    """Where the user's own words stand in a template, perhaps nowhere; None when the text is no template."""
    if _HARNESS.match(text):
        return ()
    if len(text) < _LONG:
        return None
    if _EXPANDED.search(text):
        found = (pattern.search(text) for pattern in _ARGUMENTS)
        return tuple(match.span("own") for match in found if match is not None and match["own"].strip())
    return () if _BRIEF.search(text, 0, _OPENING) or _is_page_of_steps(text) else None


def _is_page_of_steps(text: str) -> bool:
    return _STEPS.search(text, 0, _OPENING) is not None and len(_STEP.findall(text)) >= _MANY_STEPS
