"""What the summary of a session tells of it: what was done, the pull requests it opened, and what it left. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from lerim.answer.deeds import Deed
from lerim.answer.force import Force, force_of
from lerim.answer.plan import SessionQuestion
from lerim.lazy_regex import compile_later
from lerim.search.terms import terms
from lerim.text.leftovers import still_left, told_of_wishes, without_noise
from lerim.text.sentences import sentences

_OUTCOME = compile_later(r"^\*\*Outcome:\*\* *(?P<text>.+)", re.MULTILINE)
_OPEN = compile_later(r"^\*\*Open:\*\* *(?P<text>.+)", re.MULTILINE)
_HAPPENED = compile_later(r"^\*\*What happened:\*\*(?P<text>(?:\n- .+)+)", re.MULTILINE)
_INTENT = compile_later(r"^\*\*Intent:\*\* *(?P<text>(?:.+\n?)+)", re.MULTILINE)
#: What somebody leaves for another time.
_PUT_OFF = compile_later(
    r"(?i)\b(?:postponed?|put(?:ting)? (?:\w+ ){0,3}off"
    r"|(?:do|comes?|leave|keep|add|make|build) (?:\w+ ){0,3}(?:for )?later"
    r"|(?:we|i) (?:\w+ ){1,3}(?:later|after the \w+|next (?:week|month|year|sprint))"
    r"|(?:not|maybe) (?:now|today|yet|this (?:week|month|sprint)|next (?:week|month|year)|later)"
    r"|(?:machen|macht|kommt|verschieben) (?:\w+ ){0,3}(?:später|auf)|(?:erst|lieber) (?:später|nächste\w*)"
    r"|verschoben)\b"
)
_DONE = compile_later(r"^Done\.\s*")
#: Whoever asks what is left need not read that it is.
_LABEL = compile_later(
    r"^(?:left(?: to do)?|open|to ?do|outstanding|not done(?: yet)?)\s*[:–—-]\s*(?=\w)", re.IGNORECASE
)
_PULL = compile_later(
    r"\b(?:PR|MR|pull request|merge request) ?[#!]?(?P<number>\d+)(?P<draft> as a draft)?", re.IGNORECASE
)
_OPENED = compile_later(r"\bopened (?:an? |the )?(?:PR|MR|pull request|merge request)\b", re.IGNORECASE)


def told_by(body: str, told: SessionQuestion) -> tuple[str, ...]:
    """What a summary says to what is asked, as sentences without their full stop; nothing when it says nothing."""
    if told is SessionQuestion.PULLS:
        return _pulls(body)
    if told is SessionQuestion.STANDS:
        left = (f"Left open: {text}" for text in told_by(body, SessionQuestion.LEFT))
        return (*told_by(body, SessionQuestion.DONE), *left)
    found = (_OPEN if told is SessionQuestion.LEFT else _OUTCOME).search(body)
    # That it is done goes without saying.
    text = _LABEL.sub("", _DONE.sub("", found["text"].strip())).rstrip(".") if found is not None else ""
    if told is not SessionQuestion.LEFT:
        return (text,)
    return (*((text,) if text else ()), *_put_off(body, text))


#: So much of what was found tells what became of something, and so much of what is asked stands in one sentence.
_MOST_FOUND, _TOGETHER = 3, 0.66
#: What tools did names files and commits, and says nothing of what they are about.
_COUNTS = compile_later(r"(?i)^(?:changed|committed|pushed|opened|merged|done$|partly done$|failed$|interrupted$|`)")


def became(title: str, body: str, wanted: Iterable[str], deed: Deed | None = None) -> tuple[str, ...]:
    """What a summary tells of what came of something: the sentences that speak of it, and of the `deed` that is asked
    after; of what the session was about, all that was found and done. Nothing where its words stand nowhere
    together."""
    wanted = list(wanted)
    told = _became(title, body, wanted)
    return _of_deed(told, body, wanted, deed) if deed is not None else told


def is_about(title: str, body: str, wanted: Iterable[str]) -> bool:
    """Whether a session was about something: its title or a wish says so."""
    words = {term for word in wanted for term in terms(word)}
    return any(_stand_in(one, words) for one in (title, *_wishes(body)))


def _of_deed(told: Sequence[str], body: str, wanted: Sequence[str], deed: Deed) -> tuple[str, ...]:
    """What tells of the deed: of this thing, else behind what was told of it, or of the whole session."""
    said = (*_lines(body), *_sentences_of(body, _OUTCOME), *_sentences_of(body, _OPEN))
    on_it = [one for one in said if deed.is_told_in(one)]
    words = [term for word in wanted for term in terms(word)]
    if of_it := [one for one in on_it if deed.is_told_of(one, words)]:
        at = said.index(of_it[-1])
        return (*of_it[-1:], *(one for one in said[at + 1 : at + 2] if _TURNS.match(one) is not None))
    if not told:
        counted = (one for one in said if _COUNTS.match(one) and _names_number(one, words))
        return tuple(counted)[-1:]
    if told[0] not in said:
        return (told[0], *on_it[-1:]) if on_it else ()
    return tuple(dict.fromkeys((*told[-1:], *on_it[:_MOST_FOUND])))


def _names_number(text: str, words: Sequence[str]) -> bool:
    """Whether a text names the pull request or issue by its number, and all else that is asked."""
    return any(word.isdigit() for word in words) and set(words) <= set(terms(text))


#: What turns what was told before: a push that failed.
_TURNS = compile_later(r"(?i)^(?:however|but|unfortunately|though|yet|sadly|still|leider|jedoch|allerdings|aber)\b")


def gone(body: str, wanted: Iterable[str]) -> tuple[str, ...]:
    """What a summary tells that did away with something; nothing when it tells nothing of that."""
    words = [term for word in wanted for term in terms(word)]
    said = (*_wishes(body), *_lines(body), *_sentences_of(body, _OUTCOME))
    return tuple(one for one in said if Deed.ENDED.is_told_of(one, words) and force_of(one) is not Force.ASKED)[-1:]


def _became(title: str, body: str, wanted: Iterable[str]) -> tuple[str, ...]:
    words = {term for word in wanted for term in terms(word)}
    happened, outcome, left = _lines(body), _sentences_of(body, _OUTCOME), _sentences_of(body, _OPEN)
    # What happened speaks of many a thing; one word is of any of them.
    told = [
        one
        for one in (*(happened if len(words) > 1 else ()), *outcome, *left)
        if not _COUNTS.match(one) and _stand_in(one, words)
    ]
    if told:
        return tuple(dict.fromkeys(told[-2:]))
    wishes = _wishes(body)
    wished = (title.rstrip(". "), *wishes[: None if len(words) > 1 else 2])
    matter = next((one for one in wished if _stand_in(one, words)), "")
    rest = ("; ".join(one for one in outcome if one != "Done"), f"Left open: {'; '.join(left)}" if left else "")
    is_main = any(_stand_in(one, words) for one in (title, *wishes[:2]))
    return (matter, *(happened[:_MOST_FOUND] if is_main else ()), *filter(None, rest)) if matter else ()


def _stand_in(text: str, words: Collection[str]) -> bool:
    return len(set(terms(text)).intersection(words)) >= _TOGETHER * len(words)


def _wishes(body: str) -> list[str]:
    """What was wanted of a session, wish by wish."""
    intent = _INTENT.search(body)
    wishes = sentences(intent["text"].replace("; ", ". ")) if intent is not None else []
    return [wish.removeprefix("Then: ").rstrip(". ") for wish in wishes]


def _lines(body: str) -> list[str]:
    happened = _HAPPENED.search(body)
    lines = happened["text"].splitlines() if happened is not None else []
    return [bare for line in lines if (bare := line.removeprefix("- ").rstrip(". "))]


def _sentences_of(body: str, part: re.Pattern[str]) -> list[str]:
    found = part.search(body)
    return [one.rstrip(". ") for one in sentences(found["text"])] if found is not None else []


def left_by(body: str, later: Iterable[str]) -> tuple[str, ...]:
    """What a summary says is left, but for what later ones tell as done, and what nobody has to do."""
    left = [kept for text in told_by(body, SessionQuestion.LEFT) if (kept := without_noise(text))]
    told = [said for body in later for said in _told_done(body)] if left else []
    return tuple(text for one in left if (text := still_left(one, told)))


def _told_done(body: str) -> list[str]:
    outcome = _OUTCOME.search(body)
    of_wishes = told_of_wishes(_wishes(body), outcome["text"] if outcome is not None else "")
    return [_OPEN.sub("", body), *of_wishes]


def _put_off(body: str, known: str) -> tuple[str, ...]:
    """What the user put off in between, and the summary does not name as open."""
    words = set(terms(known))
    found = (wish for wish in _wishes(body) if _PUT_OFF.search(wish) is not None)
    return tuple(wish for wish in found if not set(terms(wish)) & words)


def _pulls(body: str) -> tuple[str, ...]:
    """The pull requests that were opened: a summary may speak of others."""
    outcome = _OUTCOME.search(body)
    text = outcome["text"] if outcome is not None else body
    opened = _OPENED.search(text)
    if opened is None:
        return ()
    numbers = [f"PR #{found['number']}{found['draft'] or ''}" for found in _PULL.finditer(text, opened.start())]
    return tuple(dict.fromkeys(numbers)) or ("a pull request",)
