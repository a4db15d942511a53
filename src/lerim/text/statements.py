"""What a title and a body state: what they assert, and what they give up. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lerim.dataclass import dataclass, replace
from lerim.lazy_regex import compile_later
from lerim.text.assertions import BREAK, Assertion, assertions, is_content
from lerim.text.common import DENIES
from lerim.text.grammar import CHOOSING, CONDITIONS
from lerim.text.leftovers import LEFT_OVER
from lerim.text.quantities import counted
from lerim.text.rewrites import spelled_out, without_opening
from lerim.text.sentences import sentences
from lerim.text.stems import stem
from lerim.text.words import words

#: How much of a text is looked at: what a memory states, it states at the beginning.
SENTENCES, _CHARACTERS = 12, 600
_CHANGE = compile_later(
    r"\b(?:now|from (?:now|today|here) on|no longer|any ?more|any longer|these days|nowadays|after all|again|instead"
    r"|back (?:to|on|in|with)|went back|goes? back|switch(?:ed|ing)?|moved|moving|migrated|migrating|used to|since then"
    r"|from today|as of (?:now|today)|over to|took over|takes? over|drop(?:ped)?|gone|retired|revert\w*|swapped|changed"
    r"|supersedes?|finally|stop(?:s|ped)?|goodbye|lifted|rewrote|rewritten|go(?:es)? (?:up |down )?to (?=\W?\d))\b"
)
_GOES_ON = compile_later(r"\b(?:still|untouched|unaffected|stays? as|remains? as|continues? to)\b")
_REASON = compile_later(
    r"\b(?:because|since|so that|as it|as they|in order to|due to|given that|otherwise|the reason)\b"
)

# -- what is given up: a thing, and the words that end it
_WORD = r"(?:[\w@/+#'-]|\.(?=\w))+"
_THING = (
    r"(?:(?:the|a|an|our|any|all|using|use|to|be|ever|on|support for)\s+)*"
    r"(?!(?:in|for|by|at|from|with|when|if|until|after|before|during|it|them|that|is|are|must|may|can|will|should|do"
    r"|does|don't|doesn't|never|not)\b)"
    rf"(?P<thing>{_WORD}(?:\s{_WORD}){{0,4}}?)"
    r"(?=\s*(?:[,.;:()\n!?]|$)|\s(?:-|\w+ly|and|with|by|but|because|since|for|in|on|when|to|we|it|as|so|now|again"
    r"|instead|from|is|are|any|at|into|onto|towards?|altogether|everywhere|here|use|using|over|until|after|before|via"
    r"|through|off|out)\b)"
)
_INFINITIVES = (
    "be|do|use|have|make|get|keep|avoid|run|write|see|test|build|put|let|go|read|call|add|catch|cover|the user"
)
_CLOSED = r"(?=\s*(?:[,.;:()\n!?]|$))"
_ENDING = (
    r"drop(?:s|ped|ping)?|scrap(?:s|ped|ping)?|ditch(?:es|ed|ing)?|abandon(?:s|ed|ing)?|retir(?:e|es|ed|ing)"
    r"|deprecat(?:e|es|ed|ing)|discontinu(?:e|es|ed|ing)|decommission(?:s|ed|ing)?|g[ia]ve up(?: on)?"
    r"|giving up(?: on)?|g[eo]t rid of|getting rid of|(?:rip|tear|throw|phas)(?:s|e|es|ped|ed|ping|ing)? out|tore out"
    r"|threw out|kill(?:s|ed)? off|sunset(?:s|ting)?|away from"
    r"|stop(?:s|ped|ping)? (?:using|supporting|relying on|doing)|stop(?:s|ped|ping)? (?=\w+ing\b)"
    r"|end(?:s|ed|ing)? support for|done with|cancel(?:s|l?ed|l?ing)?"
    r"|dump(?:s|ed|ing)?|quit|(?:leave|leaves|left|leaving)(?= [\w.]+(?: \w+)?(?: for\b| and\b|\s*[,.;]|$))"
    r"|(?:ignore|forget|disregard|scratch) (?:what (?:i|we) said about|about)|d(?:o|id) away with"
    r"|no longer (?:use|using|need|support|rely on)|no more(?! than)|t(?:ake|akes|ook) over from"
    r"|(?:instead of|rather than)(?: (?:in|on|at|by|with|through|via|from)(?= ))?"
    r"|in place of|replac(?:e|es|ed|ing)|supersed(?:e|es|ed|ing)|swap(?:s|ped|ping)?(?: out)?"
    r"|revert(?:s|ed|ing)?(?! to| back)|undo|undid|disabl(?:e|es|ed|ing)|off(?: of)?(?! the table\b)|lift(?:s|ed|ing)?"
    r"|eliminat(?:e|es|ed|ing)|outlaw(?:s|ed)?|(?:say )?goodbye(?: to)?"
    r"|chang(?:e|ed|ing) (?:my|our) minds? (?:about|on)|decid(?:e|ed|ing) against|mov(?:e|ed|ing) (?:on from|off)"
)
_GIVEN_UP = compile_later(rf"\b(?:{_ENDING})\s+{_THING}")
_MOVED_OUT = compile_later(
    rf"\b(?:pull|mov|tak|took|extract|migrat)\w*\b[^.;,\n]{{0,40}}?\b(?:out of|off|away from)\s+{_THING}"
)
_FROM_TO = compile_later(
    r"\b(?:switch|mov|migrat|chang|go|went|convert|upgrad|downgrad|bump|port|transition|rewr[io]t|translat|refactor)"
    r"\w*\b[^.;\n]{0,40}?\bfrom\s+(?:the |a |an |our )?(?P<thing>(?:[^,.;:()\n]|\.(?=\d)){1,40}?)\s+(?:over )?to\b"
)
_ARROW = compile_later(r"(?P<thing>[\w.@/-]+)\s*(?:→|->|=>)\s*[\w.@/-]+")
_GONE = compile_later(
    rf"(?:^|[.;:,\n]\s*|\b(?:and|but|so)\s)\s*(?:the |our |all |an? )?(?P<thing>{_WORD}(?:\s{_WORD}){{0,3}}?)"
    r"(?P<of>\s(?:at|after|above|over|beyond|below|under|of|for|on|in) [^,.;:()\n]{1,40}?)?\s+"
    r"(?:(?:is|are|was|were|has been|have been|got|gets|will be) (?:now |finally |officially |being )?"
    rf"(?:gone|(?:out|over|dead){_CLOSED}|history|retired|discontinued|deprecated|decommissioned|replaced|superseded"
    r"|abandoned|scrapped|given up|banned|outlawed|obsolete|(?:torn|shut|taken) (?:down|off)|phased out|sunset"
    r"|abolished|axed|shelved|dismantled|split up|(?:ripped|torn|thrown) out|lifted|withdrawn|revoked|off the table"
    r"|a thing of the past|no more(?! than))"
    # What is removed every week is there until then; what was removed is gone.
    r"|(?:was|were|has been|have been|got) (?:now |finally |officially )?"
    r"(?:removed|dropped|deleted|killed|cut|taken out|disabled)"
    rf"|(?:is|are) (?:removed|dropped|deleted|cancell?ed|killed){_CLOSED}"
    rf"|(?:is|are|must be|should be|stays?|remains?) disabled|(?:has |have )?ended{_CLOSED}"
    rf"|(?:can|could|must|should|has to|have to|had to|may|will) go{_CLOSED}"
    rf"|(?:goes|go|went)(?: away\b|{_CLOSED}))(?!\w)"
)
_PREFERRED = compile_later(
    rf"\b(?:(?:prefer|choose|chose|pick|favou?r)\w*\b[^.;\n]{{1,60}}?\bover"
    rf"|prefer(?:s|red)? (?!to\b|ence)[^.,;\n]{{1,60}}?\bto(?! (?:{_INFINITIVES})\b))\s+{_THING}"
)
_CONTRAST = compile_later(
    rf"(?:,\s*(?:and )?|\s-\s)(?:not|never)\s+(?:(?P<at>in|on|at|by|with|through|via|from)\s+)?{_THING}"
)
#: Who looks for a cause and finds another rules out a suspect, and denies nothing else of it: "it's the proxy, not the
#: cache", "the culprit was a cron job, not Redis".
_RULED_OUT = compile_later(
    r"(?:^|[.;:!,]\s+|\b(?:and|so|but)\s+)(?:(?:it|that|this)(?:'s| is| was)\b[^.;:!]*"
    r",\s*(?:and )?not\s+(?:the|our|your|my|his|her|their|its|some|any)\s"
    r"|(?:the |its |our |this )?(?:\w+ )?(?:problem|cause|culprit|bug|reason|fault|issue|trouble|leak|bottleneck"
    r"|suspect|error|blame|source of [\w ]+?)(?:'s| is| was| lies| lay)\b[^.;:!]*,\s*(?:and )?not\s)"
)
#: "No keepalive any more".
_NO_MORE = compile_later(
    rf"\b(?:no|not any) (?P<thing>(?!(?:more|longer)\b){_WORD}(?:\s{_WORD}){{0,2}}?)\s+any ?(?:more|longer)\b"
)
_INSTEAD = compile_later(r"instead of|rather than|in place of")
_ENDS = (_CONTRAST, _MOVED_OUT, _FROM_TO, _GIVEN_UP, _ARROW, _GONE, _PREFERRED, _NO_MORE)
#: What somebody finds of a thing is no thing: "that's not ok".
_VERDICTS = frozenset(
    map(stem, ("ok", "okay", "fine", "good", "enough", "right", "true", "nice", "allowed", "possible"))
)
#: What is taken out of one place may stay elsewhere.
_TAKEN_OUT = compile_later(
    rf"(?:^|[.;,]\s+|\b(?:we|i)(?:'ve| have)? |\blet's )(?:remove|removed|delete|deleted|cut|strip)\s+{_THING}"
)
#: What a number behind these names is a standard, and no member of a series.
_STANDARDS = frozenset({"iso", "rfc", "pep", "utf", "sha", "ieee", "din", "en"})
#: How a phrase is joined that says where something holds.
PLACES = frozenset({"in", "at", "for", "inside", "within", "across"})
_SCOPES = frozenset({"for", "in", "on", "at", "from", "of", "during", "inside", "within", "across"}) | CONDITIONS


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A thing that is no longer, as stems and as it is written, and for what or where, phrase by phrase."""

    thing: frozenset[str]
    shown: str
    #: A number that is part of it: a version.
    numbers: frozenset[str]
    #: How much it speaks of, by kind and value: "the stop at 110 %".
    amounts: frozenset[tuple[str, str]]
    limits: tuple[frozenset[str], ...]
    #: What it is of, behind it: "the retries *on the mail client* are gone".
    of: frozenset[str] = frozenset()
    #: Whether it stands below, where other things are spoken of, too.
    is_aside: bool = False
    #: Whether it is where something is not done: "only on feature branches, never on main" gives up no main.
    is_place: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """What a title and a body come to."""

    title: str
    body: str
    #: What it says first: the title, or the first sentence when the title only names a subject. And all of it.
    main: tuple[Assertion, ...]
    assertions: tuple[Assertion, ...]
    given_up: tuple[GivenUp, ...]
    taken_out: tuple[GivenUp, ...]
    #: Whether it says that something is otherwise than before, or that it goes on.
    tells_change: bool
    goes_on: bool
    #: Whether it only tells what is left to do: "left now: the docs".
    is_left_over: bool
    #: Its words that are names: with a capital or a digit inside.
    named: frozenset[str]
    #: The numbers of a series that it speaks of: phase 14.
    numbered: frozenset[str]
    bag: frozenset[str]
    heavy: frozenset[str]
    #: What the title asserts with what it gives up left in, and the words of what is given up.
    title_says: tuple[Assertion, ...]
    ended: frozenset[str]
    #: What the title names before a colon, but for where that is.
    subject: frozenset[str]


@lru_cache(maxsize=4096)  # One text is compared with many, and these with the next one.
def statement(title: str, body: str) -> Statement:
    """The statement that a memory makes."""
    told = _told(title, body, SENTENCES)
    parts = [tuple(_claims(line)) for line in told]
    main = parts[0]
    if len(parts) > 1 and not any(one.verb or one.quantities or one.denials for one in main):
        main = (*main, *parts[1])
    found = tuple(one for part in parts for one in part)
    below = (replace(end, is_aside=main is parts[0]) for line in told[1:3] for end in _ended(line, _ENDS))
    ends = (*_ended(told[0], _ENDS), *below)
    return Statement(
        title,
        body,
        main,
        found,
        ends,
        tuple(end for line in told[:2] for end in _ended(line, (_TAKEN_OUT,))),
        tells_change=_tells_change(told),
        goes_on=_GOES_ON.search(told[0]) is not None,
        is_left_over=LEFT_OVER.match(title) is not None,
        named=frozenset(_named(f"{title}. {body[:_CHARACTERS]}")),
        numbered=frozenset(name for one in main for name in one.names if name.split()[0] not in _STANDARDS),
        bag=frozenset(word for one in found for word in one.bag),
        heavy=frozenset(word for one in found for word in one.heavy),
        title_says=tuple(assertions(told[0])),
        ended=frozenset(word for end in ends for word in end.thing),
        subject=_subject(title),
    )


def states_change(title: str, body: str) -> bool:
    """Whether the statement tells a change, without all the rest of it."""
    return _tells_change(_told(title, body, 2))


def _told(title: str, body: str, most: int) -> list[str]:
    """The title and the first sentences of the body, as they are compared."""
    return [spelled_out(line[:_CHARACTERS]) for line in (title, *sentences(body)[:most])]


def _tells_change(told: Sequence[str]) -> bool:
    """Of the title and the two sentences below it."""
    return any(_CHANGE.search(line) for line in told[:2]) or any(
        next(_things(line, _ENDS), None) is not None for line in told[:3]
    )


def _subject(title: str) -> frozenset[str]:
    head, _, behind = without_opening(title).partition(": ")
    # Who gives something up before the colon names no subject there.
    is_named = bool(behind) and not any(_ended(spelled_out(head), _ENDS))
    named = tuple(assertions(head)) if is_named else ()
    where = frozenset(word for said in named for phrase in said.linked(PLACES) for word in phrase.bag)
    return frozenset(word for said in named for phrase in said.phrases for word in phrase.telling) - where


def _claims(line: str) -> Iterator[Assertion]:
    """What a sentence asserts, without its reasons and without what is given up."""
    if (reason := _REASON.search(line)) is not None and reason.start() > 0:
        line = line[: reason.start()]
    for pattern in _ENDS:
        line = pattern.sub(_moved if pattern is _FROM_TO else _without, line)
    return assertions(line)


def _moved(match: re.Match[str]) -> str:
    """What moves from one thing to another moves to that: only where it comes from is left out."""
    start, thing = match.start(), match.start("thing")
    return f"{match[0][: match[0].rindex('from', 0, thing - start)]}to"


def _without(match: re.Match[str]) -> str:
    # What something is taken instead of may stand in the midst of what is said of it.
    return " " if _INSTEAD.match(match[0]) else " ; "


def _named(text: str) -> Iterator[str]:
    is_first = True
    for chunk in text.split():
        word = chunk.strip(".,;:()!?\"'`")
        has_mark = any(letter.isupper() or letter.isdigit() for letter in word[1:])
        if has_mark or (word[:1].isupper() and not is_first):
            yield word.lower()
        is_first = chunk.endswith((".", ":", "!", "?"))


def _ended(line: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[GivenUp]:
    for pattern, match, thing in _things(line, patterns):
        named = frozenset(word for word in words(match["thing"]) if word[0].isdigit())
        # Behind the thing, up to where it is ended: "the stop at 110 percent goes away".
        told = counted(words(line[match.start("thing") : match.end()])).quantities
        amounts = frozenset((one.kind, one.value) for one in told)
        numbers = named | {value for _, value in amounts}
        is_place = match.groupdict().get("at") == "on"
        of = frozenset(stem(word) for word in words(_of(match)) if is_content(word) and not word[0].isdigit())
        shown, limits = f"{match['thing']}{_of(match)}", tuple(_limits(line, match, pattern))
        yield GivenUp(thing, shown, numbers, amounts, limits, of, is_place=is_place)


def _things(
    line: str, patterns: Sequence[re.Pattern[str]]
) -> Iterator[tuple[re.Pattern[str], re.Match[str], frozenset[str]]]:
    """Where something ends, by which pattern, and the stems of what: each thing once."""
    seen: set[frozenset[str]] = set()
    ruled_out = list(_RULED_OUT.finditer(line))
    for pattern in patterns:
        for match in pattern.finditer(line):
            if pattern is _CONTRAST and any(out.start() < match.start() < out.end() for out in ruled_out):
                continue
            told = counted(words(f"{match['thing']}{_of(match)}"))
            found = counted(words(match["thing"])).words
            thing = frozenset(stem(word) for word in found if is_content(word) and not word[0].isdigit())
            if not thing and told.quantities:
                # "The stop at 110 percent": the name of what happens there denies nothing.
                thing = frozenset(stem(word) for word in found if word in DENIES)
            if thing and thing not in seen and not thing <= _VERDICTS:
                seen.add(thing)
                yield pattern, match, thing


def _of(match: re.Match[str]) -> str:
    """What a thing is of that is ended behind that: "the stop *at 110 percent* goes away"."""
    return match.groupdict().get("of") or ""


def _limits(line: str, match: re.Match[str], pattern: re.Pattern[str]) -> Iterator[frozenset[str]]:
    """What a thing is given up for or in; where something moves, that is what moves. What comes instead is no limit."""
    is_contrast = pattern is _CONTRAST or _INSTEAD.match(match[0]) is not None
    until = match.start() if is_contrast else match.start("thing")
    start = max((mark.end() for mark in BREAK.finditer(line, 0, until)), default=0)
    for part in assertions(line[start:until]):
        is_theme = pattern in (_FROM_TO, _MOVED_OUT) or (is_contrast and bool(part.verb) and part.verb not in CHOOSING)
        tells_who = is_contrast and not part.is_order and (bool(part.verb) or bool(part.linked(frozenset(("is",)))))
        for phrase in part.phrases:
            is_scope = phrase.link == "for" if is_contrast else phrase.link in _SCOPES
            # Who does it, does it: others may go on.
            is_doer = tells_who and phrase.link == "subject"
            if is_scope or is_doer or (is_theme and phrase.link in ("object", "subject")):
                yield phrase.bag
    of, start = _of(match), match.end("thing")
    end = next((mark.start() for mark in BREAK.finditer(line, start)), len(line))
    behind = line[start + len(of) : end].partition(" and ")[0]
    for part in (*assertions(of), *assertions(behind)):
        yield from (phrase.bag for phrase in part.phrases if phrase.link in _SCOPES)
