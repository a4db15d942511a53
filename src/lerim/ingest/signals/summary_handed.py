"""What an agent hands back at the end of a session: what it could not do, what failed, what somebody else has to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lerim.glance import Together
from lerim.ingest.signals.phrasing import capital
from lerim.ingest.signals.summary_left import LeftThing
from lerim.ingest.signals.summary_tasks import MOST_CLOSING, StoryTurn
from lerim.ingest.signals.summary_words import clipped, plain, sentence, visible
from lerim.ingest.signals.text import LIST_MARK

_HANDED = Together()
#: What brings work on or to others: that it could not be done leaves it to do. What could not be found is a finding.
_ACTS = (
    r"(?:commit|push|merge|run|deploy|publish|release|install|restart|reload|upload|download|build|execute|apply|send"
    r"|test|verify|open|access|reach|connect|log in|sign in|authenticate|register|unregister|clear|proceed|complete"
    r"|finish|create|delete|remove|update)"
)
_CANNOT = r"(?:can(?:['’]t|not| not)|could(?:n['’]t| not)|(?:am|was|were|['’]m) (?:unable|not able) to)"
#: Above a list: what is not done of it, or who does it.
_LEADS_LIST = re.compile(
    rf"\b(?:i|we) (?:still )?{_CANNOT}\b|\byou(?:['’]ll| will)? (?:still )?(?:need|have) to\b|\byou must\b"
    r"|\b(?:please|manual(?:ly)?|for you|on your (?:end|side|machine)|by hand|action required|your turn|left for you"
    r"|needs? (?:from )?you|not done|not yet done|blocked)\b",
    re.IGNORECASE,
)
_IF = re.compile(
    r"^(?:if|when(?:ever)?|once|to|in order to|for|should|unless|optional(?:ly)?)\b|\bif you\b", re.IGNORECASE
)
_ITEM = re.compile(rf"^\s*{LIST_MARK}\s+(?:\[ \]\s+)?(?P<text>\S.*)$")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+)?(?:\*\*|__)?(?P<text>[^*#_\n][^\n]*?)(?:\*\*|__)?:?(?:\*\*|__)?\s*$")
#: In a sentence: what it could not do, what failed, and whose turn it is.
_COULD_NOT = _HANDED.seldom(
    rf"(?:^|[,;] (?:but |so )?|\bbut )(?:however, )?(?:i|we) (?:still )?{_CANNOT} "
    rf"(?P<deed>(?:\w+ )?{_ACTS}\b[^.;]{{0,120}})",
    re.IGNORECASE,
)
_FAILED = _HANDED.seldom(
    r"\b(?:push|commit|merge|deploy\w*|publish\w*|release|upload|migration|installation|installing|`[^`]{3,40}`)\b`?"
    r"[^.;:]{0,50}?(?: |\b)(?:(?:has |have |still )*(?:failed|fails)"
    r"(?= (?:due|because|with|on|at|again|since|as|to|for)\b|[,.;!]|$)"
    r"|(?:was|is|got|remains?|were) (?:still )?(?:rejected|refused|blocked|denied)\b)",
    re.IGNORECASE,
)
_YOUR_TURN = _HANDED.seldom(
    rf"\byou(?:['’]ll| will)? (?:still )?(?:need|have) to (?P<deed>(?:manually )?{_ACTS}\b[^.;]{{3,120}})"
    rf"|^please (?P<please>(?:manually )?{_ACTS}\b[^.;]{{3,120}})",
    re.IGNORECASE,
)
_STASHED = _HANDED.seldom(r"\bstash@\{\d+\}|\bgit stash (?:pop|apply)\b", re.IGNORECASE)
#: Before it was mended, or what is so by design.
_IS_OVER = re.compile(
    r"\b(?:fixed|now (?:passes|works|succeeds|green)|then (?:passed|worked|succeeded)|until|previously"
    r"|before (?:the|this) (?:fix|change)|root cause|reason|so that|as expected|no longer)\b",
    re.IGNORECASE,
)
_IS_DONE = re.compile(r"(?:\w+ed|ran|wrote|built|kept|made|did)\b", re.IGNORECASE)
_MOST_ITEMS, _WORDS, _ITEM_WORDS = 4, 26, 14
#: What is indented further is part of a point.
_MOST_INDENT = 2
_STASH_WORDS, _LEAD_WORDS = 45, 4
#: "Run this": what stands in the block below.
_THIS = re.compile(r"\b(?:this|these|the following)(?: commands?| lines?)?\b")
_FENCED = re.compile(r"^```\w*\n(?P<line>[^\n`]{3,120})\n", re.MULTILINE)


def handed_back(turns: Sequence[StoryTurn]) -> list[LeftThing]:
    """What an agent's last message, behind which nobody said more, leaves to others or could not do."""
    if not turns or not turns[-1].replies:
        return []
    said = turns[-1].replies[-1][:MOST_CLOSING]
    listed = list(_below_a_lead(said))
    told = {source for one in listed for source in one.sources}
    alone = [one for one in _in_sentences(turns[-1].closing, said) if told.isdisjoint(one.sources)]
    return [*listed, *alone]


def _below_a_lead(said: str) -> Iterator[LeftThing]:
    """The points of a list under what says that they are not done, or are somebody's: "what I can't do from here:"."""
    lines = visible(said).splitlines()
    for number, line in enumerate(lines):
        head = _HEADING.match(line)
        if head is None or _ITEM.match(line) or not _is_lead(line, head["text"]):
            continue
        items = []
        for below in lines[number + 1 :]:
            if (item := _ITEM.match(below)) is not None and len(below) - len(below.lstrip()) <= _MOST_INDENT:
                items.append(plain(item["text"]).rstrip(" .;:"))
            elif (below.strip() and items and not below.startswith((" ", "\t"))) or (below.strip() and not items):
                break
        items = [one for one in items if one and not one.endswith("?")]
        if items and not any(map(_IS_DONE.match, items)):
            text = "; ".join(clipped(one, _ITEM_WORDS) for one in items[:_MOST_ITEMS])
            yield LeftThing(f"For the user: {sentence(text)}", tuple(items), is_of_work=True)


def _is_lead(line: str, head: str) -> bool:
    is_led = line.rstrip(" *_").endswith(":") or line.lstrip().startswith(("#", "**"))
    return is_led and _LEADS_LIST.search(head) is not None and _IF.search(plain(head)) is None


def _in_sentences(closing: Sequence[str], said: str) -> Iterator[LeftThing]:
    for place, one in enumerate(closing):
        if one.endswith("?") or _IF.search(one) or _IS_OVER.search(one):
            continue
        if found := _YOUR_TURN.search(one):
            deed = _with_command(capital((found["deed"] or found["please"]).strip(" ,:")), said)
            yield LeftThing(f"For the user: {sentence(clipped(deed, _WORDS))}", (one,), is_of_work=True)
        elif found := _COULD_NOT.search(one):
            why = _reason(closing[place + 1 : place + 3])
            text = f"Could not {clipped(found['deed'].strip(' ,:'), _WORDS)}"
            yield LeftThing(sentence(f"{text} ({why})" if why else text), (one,), is_of_work=True)
        elif _FAILED.search(one) or _STASHED.search(one):
            text = re.sub(r"^(?:however|but|note|unfortunately)[,:]? ", "", one, flags=re.IGNORECASE)
            is_stash = _STASHED.search(one) is not None
            text = sentence(clipped(capital(text), _STASH_WORDS if is_stash else _WORDS))
            yield LeftThing(text, (one,), is_of_work=not is_stash)


def _with_command(deed: str, said: str) -> str:
    found = _FENCED.search(said) if _THIS.search(deed) is not None else None
    return _THIS.sub(lambda _: f"`{found['line'].strip()}`", deed, count=1) if found is not None else deed


def _reason(after: Sequence[str]) -> str:
    """What stands behind "two blockers:"."""
    if len(after) < 2 or not after[0].endswith(":") or len(after[0].split()) > _LEAD_WORDS:
        return ""
    return clipped(after[1].rstrip("."), _ITEM_WORDS)
