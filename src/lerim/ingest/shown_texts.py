# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""A text above or below what the user typed: what speaks of it, and where the user's own words begin again. Pure."""

from __future__ import annotations

import re

from lerim.glance import seldom
from lerim.ingest.introductions import CAME, DASH, MOST_CHARS, OWN_HEADING, TYPED
from lerim.ingest.naming_texts import PAPER, TEXT, THIS
from lerim.ingest.text_work import ABOUT_WORK, AT_WORK, PROCESS, WORDCRAFT

# Something is to be done with what stands below.
_SHOWN = seldom(
    r"(?i)^(?!\W*(?:i|i['’]\w+|we|yes|yep|no|ok|okay|good|great|nice|thanks|thank|perfect|cool|love|that|that['’]s|this|it|so|let['’]?s|now|do|also)\b)[^\n]*\b(?:this|these|those|below|the following)\b"
)
# A heading that names a text: "Slack log from this morning", "thoughts on this tweet".
_HEADED = seldom(
    rf"""^\W*(?!my\b|our\b)(?:\w+\W+){{0,2}}{PAPER}\W*(?:$|\b(?:from|of|by|on|in|about|i|we|that|to|with|for)\b|[(,])
    | \b{THIS}\ (?:\w+\ )?{TEXT}|\b(?:turn|convert|make|extract|distill|sort|condense)\b.{{0,30}}\b{PAPER}
    | \b(?:\w+['’]s|their|his|her)\ (?:\w+\ ){{0,2}}{PAPER}
    | \b{TEXT}\ (?:was|is|says|said|reads|goes|went|i\ got|we\ got|we\ received)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: A longer paragraph is no heading.
_HEADING_WORDS = 30
# Behind a text: whose it was.
_WAS_THEIRS = re.compile(
    r"""(?:^|[.!?]\ +|\n)\W*(?:(?:that|this|it)(?:['’]s|\ is|\ was)|(?:are|were|is|was)\ (?:the\ |his\ |her\ |their\ )(?:exact\ )?words)\ (?:\w+\ )?
      (?:what|how|from|taken\ from|copied\ from|according\ to|a\ quote)\ (?!(?:i|we|my|our|now)\b)[^.?!\n]{1,80}
    | (?:^|\n)[ ]*(?:\^|↑|☝|👆)[^\n]{0,160}$
    | (?:<-+|←|⬅)\ *(?:what|who|why|is|does|this|explain|translate|check|fix|thoughts|nonsense|wrong)\b[^\n]{0,160}$
    | (?:^|[.!?]\ +|\n)\W*(?:what|who|why|how)\b[^.?!\n]{0,40}\b(?:he|she|they|author|sender)\b[^.?!\n]{0,40}\?\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The user again, against what they showed.
_AGAIN = re.compile(
    r"(?i)(?:(?:but|well|no|sorry|ok|hm+|yeah),? )?(?:i (?:really |strongly |totally |still )?(?:disagree|don['’]?t (?:agree|buy|like|want)|do not agree)"
    r"|(?:that|this|he|she|it)(?:['’]s| is) (?:\w+ )?(?:wrong|nonsense|not true|false|bullshit|mistaken|not (?:what|how) we)"
    r"|(?:please )?ignore (?:that|this|him|her|them|it)\b|(?:we|i) (?:ignore|don['’]?t (?:follow|care about)) (?:that|this|his|her|their|it)\b"
    r"|(?:[^.\n]{2,40}\. )?the only (?:thing|part|point) (?:we|i) (?:keep|take|use|want) (?:from|of) (?:it|that|this|them)\b|das (?:stimmt nicht|sehe ich anders|ist falsch)|je ne suis pas d['’]accord"
    r"|no estoy de acuerdo|não concordo|non sono d['’]accord|daar ben ik het niet mee eens|nie zgadzam się|я не соглас)"
)
#: A text of so many characters and paragraphs was not typed between two of the user's own lines.
_LONG_TEXT, _SET_PARAGRAPHS = 400, 2
# Said to the agent: something to be done, asked or added.
_ADDRESSED = re.compile(
    r"(?:also|so|ok|okay|but|and|now|please|pls|can you|could you|would you|let['’]?s|lets|then|i|we|i['’]\w+|we['’]\w+|for us"
    r"|our|don['’]?t|do not|do|fix|apply|implement|use|make|update|check|ignore|btw|fyi|however|what|why|how|is|are|should"
    r"|not|no|yes|this|that|all|only|keep|und|aber|bitte|auch|wir|ich|mais|aussi|nous|pero|también|nosotros|mas|porém|porem|eu"
    r"|também)\b"
)


def own_end(text: str) -> int:
    """Where a last paragraph begins in which the user turns against what they showed; the end when there is none."""
    start = text.rstrip().rfind("\n\n") + 2
    return start if start > 1 and _AGAIN.match(text, start) else len(text)


def typed_end(text: str) -> int:
    """Where a last paragraph begins that is the user's again, since they turn against what they showed or speak to the
    agent in another manner than all of what stands above; the end when there is none. Not below letters and chats:
    there a last paragraph is the other's as often."""
    start = text.rstrip().rfind("\n\n") + 2
    is_own = start > 1 and _is_set_otherwise(text[:start], text[start:])
    return start if is_own else own_end(text)


def _is_set_otherwise(shown: str, last: str) -> bool:
    """Whether a last paragraph is typed below a text that was set: long, every paragraph of it indented or begun with a
    capital, a mark or a figure; and the last one is neither, and speaks to the agent."""
    above = [paragraph for paragraph in shown.split("\n\n")[1:] if paragraph.strip()]
    is_set = len(shown) >= _LONG_TEXT and len(above) >= _SET_PARAGRAPHS and not any(map(TYPED.match, above))
    return is_set and TYPED.match(last) is not None and _ADDRESSED.match(last) is not None


def headed(text: str) -> int | None:
    """Where the first paragraph ends when it is short and speaks of the text below it."""
    gap = text.find("\n\n")
    heading = text[: max(gap, 0)].strip()
    if not heading or not text[gap:].strip() or len(heading.split()) > _HEADING_WORDS:
        return None
    if heading.endswith(("?", "？")) and not ABOUT_WORK.search(heading):
        return gap
    if OWN_HEADING.search(heading) or heading.endswith((":", "：")):
        return None
    is_shown = _SHOWN.search(heading) is not None and not AT_WORK.search(heading)
    return gap if is_shown or any(sign.search(heading) for sign in (WORDCRAFT, _HEADED, CAME)) else None


def spoken_of_below(text: str) -> int | None:
    """Where the words begin that speak of the text above them: what is asked of it, or whose it was."""
    asked = _asked_of_what_stands_above(text)
    whose = _WAS_THEIRS.search(text.rstrip(), max(0, len(text.rstrip()) - 2 * MOST_CHARS))
    return asked if whose is None else max(asked or 0, whose.start())


def _asked_of_what_stands_above(text: str) -> int | None:
    """Where the last line, or what stands behind a last dash, begins when it asks something of the text above it."""
    body = text.rstrip()
    dash = max((found.end() for found in DASH.finditer(body)), default=0)
    start = max(body.rfind("\n") + 1, dash)
    last = body[start:].strip(" .?!:")
    if not start or len(last) > MOST_CHARS:
        return None
    about = re.search(r"(?i)\b(?:this|that|these|it|above|das|ça|ceci|ce|esto|este|isto|это|这|これ)\b", last)
    return start if about and (PROCESS.search(last) or WORDCRAFT.search(last)) else None
