# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""A text that was set, above or below what somebody typed: pages and reviews that nothing announces, and where the user's
own words begin again. Pure.

People type as they talk: a small letter first, no full stop, a word to the agent. What is pasted beside it was set: it
has a title, a date, a speaker, whole sentences, and says nothing to the agent. Either alone proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lerim.ingest.introductions import TYPED
from lerim.ingest.printouts import printed
from lerim.text.sentences import sentences

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
    r"|our|don['’]?t|do not|do|fix|apply|implement|use|make|update|check|ignore|continue|put|drop|take|leave|skip|add|remove|change|move|write|first|second|btw|fyi|however|what|why|how|is|are|should"
    r"|not|no|yes|this|that|all|only|keep|und|aber|bitte|auch|wir|ich|mais|aussi|nous|pero|también|nosotros|mas|porém|porem|eu"
    r"|também)\b"
)
# A question to the agent, or somebody who speaks for themselves.
_SPEAKS = re.compile(r"(?i)\?\s*$|\b(?:i|we|ours?|us|my|mine|pls|please|lets|let['’]s|thats?|that['’]s)\b")
# A rule by itself may be the last one of a page.
_ORDERS = re.compile(r"(?i)(?:always|never|from now on|remember|must|should|shall)\b")
#: Where several people have their word, or a page says whose it is.
_SPEAKER = re.compile(
    r"(?:Reviewer|Referee|Rev\.|R)\ ?\#?\d\b.{0,60}?(?:[:.)]|$)|(?:Reviewer|Referee)(?:['’]s)?\ (?:report|comments?)\b"
    r"|(?:Attendees|Participants|Present|Attending|Teilnehmer|Participants|Asistentes)\ ?:"
    r"|(?:Reporter|Assignee|Reported\ by|Posted\ by|Submitted\ by|Created\ by|Written\ by|Asked\ by|Owner)\b\ ?:?\ \S"
    r"|(?:Minutes|Protokoll)\ (?:of|vom|der)\b",
    re.MULTILINE | re.VERBOSE,
)
_DATED = re.compile(
    r"(?i)\b(?:edited|updated|modified|changed|published|posted|created|revised|reviewed|effective|valid|version|rev\.?|stand|geändert|aktualisiert|modifiée?|mise? à jour|actualizad[oa]|modificad[oa]|aggiornat[oa]|bijgewerkt)\b[^\n]{0,24}\d"
)
# Said of what stands above: "thats the old wiki page".
_POINTS_UP = re.compile(
    r"(?i)(?:(?:so|ok|hm+),? )?(?:(?:that|this|it)(?:['’]?s| is| was)|(?:the )?above (?:is|was)) (?:from |in )?(?:the|an?|their|his|her|what)\b"
)
_LISTED = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s")
_TITLE_WORDS, _TITLE_CHARS = 12, 90
_NO_TITLE = re.compile(r"\s*(?:[-*•>|#]|\d+[.)]|\[)|.*[.!?:;,]\s*$|.*[`={}<>]")
#: As much as is pasted and not typed: with a title, and without one.
_LEAST_PAGE, _LEAST_PROSE = 120, 220
_PAGE_SENTENCES, _PROSE_SENTENCES = 2, 4
_HEADING, _LEAST_HEADED = re.compile(r"#{1,4} [A-Z0-9]"), 60
#: Said to the agent, or of oneself.
_TO_AGENT = re.compile(r"(?i)\b(?:i|i['’]\w+|we|we['’]\w+|our|us|my|me|you|your|please|pls|let['’]?s)\b|\?")
_ASKS = re.compile(
    r"(?:Add|Build|Change|Check|Create|Delete|Do|Drop|Ensure|Extract|Fix|Implement|Keep|Make|Merge|Move|Put|Refactor|Remove|Rename|Replace"
    r"|Rewrite|Run|Set|Show|Split|Start|Stop|Switch|Test|Turn|Update|Use|Write|Context|Goal|Task|Constraints?)\b"
)
# What is led in is the user's own: "here is how the game works", "i thought about the saves".
_OWN_OPENING = re.compile(
    r"(?i)[:：]\s*$|\b(?:(?:i|we) (?:want|need|think|would|decided|agreed|wish)|i(?:['’]ve| have)? (?:been )?(?:think\w*|thought|looked|talked|discussed)"
    r"|my|rules?|task|next|specs?|plan|goals?|features?|idea|implement|build|stories|story|todo|as follows|here(?:['’]?s| is| are)|this is"
    r"|how (?:the|it|this|our)|design|mechanics?|details?|background|context|basically|overview|describ\w+)\b"
)
#: A shorter opening leads in what follows, whoever wrote it.
_OPENING_WORDS = 6
# In other languages nothing here tells what is said to the agent.
_ENGLISH = re.compile(r"(?i)\b(?:the|of|and|is|are|be|to|in|for|with|on|by|not|it|has|have|an?)\b")
_ENGLISH_SHARE = 0.15

_Paragraph = tuple[int, str]


def spaced(text: str) -> Iterator[_Paragraph]:
    """The paragraphs that say something, and where they begin."""
    start = 0
    for paragraph in text.split("\n\n"):
        if paragraph.strip():
            yield start, paragraph
        start += len(paragraph) + 2


def own_end(text: str) -> int:
    """Where a last paragraph begins in which the user turns against what they showed; the end when there is none."""
    start = text.rstrip().rfind("\n\n") + 2
    return start if start > 1 and _AGAIN.match(text, start) else len(text)


def typed_end(text: str) -> int:
    """Where the last paragraphs begin that are the user's again, since they turn against what they showed or speak to the
    agent in another manner than all of what stands above; the end when there are none. Not below letters and chats:
    there a last paragraph is the other's as often."""
    found = list(spaced(text))
    place = len(found)
    while place > 1 and TYPED.match(found[place - 1][1]) and not _is_printed(found[place - 1][1]):
        place -= 1
    is_own = 0 < place < len(found) and _is_set_otherwise(text, found[:place], found[place][1])
    return found[place][0] if is_own else own_end(text)


def _is_set_otherwise(text: str, above: Sequence[_Paragraph], below: str) -> bool:
    """Whether a paragraph is typed below a text that was set, every paragraph of it indented or begun with a capital, a
    mark or a figure; and speaks to the agent. What is short was set if it says whose it is, or in whole sentences."""
    # What stands in the lines below the first one was led in by it.
    shown = [paragraph for _, paragraph in above[1:]] or above[0][1].split("\n", 1)[1:]
    if shown and all(map(_is_printed, shown)):
        return True
    if not shown or any(map(TYPED.match, shown)):
        return False
    is_long = above[-1][0] + len(above[-1][1]) >= _LONG_TEXT and len(shown) >= _SET_PARAGRAPHS
    says_whose = _says_whose(shown[0])
    is_short = says_whose or any(map(_is_prose, shown)) or all(map(_LISTED.match, shown))
    is_said = _ADDRESSED.match(below) is not None or (
        _ORDERS.match(below) is None and (says_whose or _SPEAKS.search(below) is not None)
    )
    return is_said and (is_long or is_short or _POINTS_UP.match(below) is not None)


def pages(text: str) -> Iterator[tuple[int, int]]:
    """A page or what several people said, pasted below or above what somebody typed, and announced by nothing."""
    found = list(spaced(text))
    end = typed_end(text)
    body = [one for one in found[1:] if one[0] < end]
    if body and _was_set(body, found[0][1]):
        yield body[0][0], end
    elif end < len(text) and not TYPED.match(text) and (_says_whose(found[0][1]) or _POINTS_UP.match(text, end)):
        yield 0, end


def _was_set(body: Sequence[_Paragraph], opening: str) -> bool:
    if len(opening) > _LONG_TEXT or any(TYPED.match(paragraph) for _, paragraph in body):
        return False
    if _says_whose(body[0][1]):
        return True
    text = "\n".join(paragraph for _, paragraph in body)
    if TYPED.match(opening) is None or _OWN_OPENING.search(opening) or _TO_AGENT.search(text):
        return False
    if len(opening.split()) < _OPENING_WORDS or len(_ENGLISH.findall(text)) < _ENGLISH_SHARE * len(text.split()):
        return False
    said = [one for one in sentences(text) if one.endswith(".") and one[:1].isupper()]
    if any(map(_ASKS.match, said)):
        return False
    first = body[0][1].split("\n", 1)[0]
    # Nobody types a heading between two lines: below one, less is a page.
    is_headed = _HEADING.match(first) is not None and len(text) >= _LEAST_HEADED
    is_page = (is_headed or (_is_title(first) and len(text) >= _LEAST_PAGE)) and len(said) >= _PAGE_SENTENCES
    return is_page or (len(text) >= _LEAST_PROSE and len(said) >= _PROSE_SENTENCES)


def _says_whose(paragraph: str) -> bool:
    """Whether it begins as a page with its date, or with who speaks."""
    first, _, rest = paragraph.partition("\n")
    head = f"{first}\n{rest.split(chr(10), 1)[0]}"
    is_dated = _DATED.search(head) is not None or _SPEAKER.match(rest) is not None
    return (_is_title(first) and is_dated) or _SPEAKER.match(paragraph) is not None


def _is_title(line: str) -> bool:
    words = line.split()
    is_short = 0 < len(words) <= _TITLE_WORDS and len(line) <= _TITLE_CHARS
    return is_short and line[:1].isupper() and _NO_TITLE.match(line) is None


def _is_prose(paragraph: str) -> bool:
    return paragraph[:1].isupper() and any(one.endswith((".", "!")) for one in sentences(paragraph))


def _is_printed(paragraph: str) -> bool:
    """Whether most of a paragraph was printed, or each line of it is marked as another's: a program's output begins and
    ends with lines of any form."""
    if all(line.lstrip().startswith(">") for line in paragraph.strip().split("\n")):
        return True
    return 2 * sum(end - start for start, end in printed(paragraph)) > len(paragraph)
