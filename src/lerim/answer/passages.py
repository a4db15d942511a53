"""Which sentence of a record answers a question by itself, whatever else the record speaks of. Pure.

A summary speaks of many things, and is near to none of them; a message of somebody says two things in a breath. What
is asked may stand in one sentence of it all the same: all that the question says, by its words or beside it in the same
message, and the sort of thing that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from lerim.answer.focus import Asked
from lerim.answer.force import Force, complains, force_of, is_announced
from lerim.answer.kindred import one_of_its_sort
from lerim.answer.noted import is_noted
from lerim.answer.sayings import Purpose, Saying, is_order, sayings
from lerim.answer.spelling import is_word
from lerim.answer.support import LITTLE, ParsedQuestion, is_named
from lerim.answer.tongues import is_same_word
from lerim.context.records import Primitive, Record
from lerim.dataclass import dataclass, replace
from lerim.lazy_regex import compile_later
from lerim.search.terms import terms
from lerim.text.grammar import VERB_FORMS
from lerim.text.statements import statement
from lerim.text.words import spelled

_DO_IT = compile_later(
    r"(?i)^\W*(?:please )?([a-z]+) (?:the|an?|all|any|our|my|your|its|this|that|these|those|to|from|it|them|for|with)\b"
)
#: What begins so was cut off at its beginning.
_CUT_OFF = compile_later(
    r"(?:of|with|which|by|than|(?:to|for|from|in|on|at) [\w.-]+ (?:won['’]t|will|is|are|does|has|can))\b"
)
_FIRST_WORD = compile_later(r"(?:^|[:–—-] |, )`?([A-Za-z]+)\b")
#: So many letters make a word by which its language is known.
_LONG = 4
#: So many words that the question does not have tell something.
_NEWS = 2
#: The share of what is asked that stands in the sentence itself.
_OWN = 0.5
#: And of what is asked if it is so.
_OWN_OF_WHETHER = 0.6
#: Several things that somebody may take.
_CHOICE = compile_later(r"(?i)\boptions?:|\b(?:either|or (?:we|you|i|none|both|neither))\b|, or ")
#: So many words name what was chosen, and no more.
_SHORT = 4
_BARE = compile_later(
    r"(?i)(?:(?:make|use|take|set) it |(?:now|rather|better|then|say|lets say|let's say)[,:]? )?[\d.,]+ ?\w{0,8}"
)
_DENIES = compile_later(r"(?i)^\W*(?:no (?!\d)|not |never |kein\w* |pas de )")
#: One of several is asked for.
_EITHER = compile_later(r"(?i)\b(?:or|oder|ou)\b")
_NONE = compile_later(r"(?i)^\W*no (?!\d)[\w-]+(?:,? (?:no|and|or) [\w-]+)*\W*$")
_LEANS = compile_later(r"(?i)^(?:\w+ ){1,2}(?:it|them|that|this|those)\b|^[\w.+-]+ there\b")
#: Who does it was said before.
_SOMEBODY = compile_later(r"(?i)^\W*(?:(?:and|but|so|und|et) )?(?:she|he|they|sie|er|elle|il)\b(?! (?:it|das|es)\b)")
#: So many lines of a session at most lie between a question and what answers it.
_DIRECTLY = 3
#: A value that is asked for is worth more than any words of the question.
_VALUE = 20
#: The share of what is asked that stands there by its own word.
_BY_WORD = 0.5
#: So many words of what is asked stand in a ruling on it that lacks another.
_MOST_RULED = 2


#: Of what is asked only for the case that something goes wrong, nobody wants to hear that it does.
_WAS = compile_later(r"(?i)\b(?:was|were|had|war|waren|hatte|était|avait)\b")
_CASE = compile_later(r"(?i)\b(?:when|if|while|after|in case|once)\b.*")


#: Who wants it looked into does not know yet.
_LOOKS_INTO = compile_later(r"(?i)^\W*(?:(?:please|pls|so|and|just) )*(?:check|look|see|verify|investigate|find out)\b")
#: How it was before does not tell how it is.
_BEFORE = compile_later(r"(?i)^\W*(?:\w+ ){1,3}?(?:had|used to)\b")


#: What may or should be is told by what rules on it, or permits it.
_SHOULD = compile_later(r"(?i)^\W*(?:should|must|shall|may) ")
_PERMITS = compile_later(r"(?i)\b(?:can|may|should|has to|have to|needs? to|fine|ok(?:ay)?|good|wants?|prefers?)\b")


_OUGHT = compile_later(r"(?i)^\W*(?:[\w.-]+ ){1,6}?(?:should|ought to)\b")


def settles(question: ParsedQuestion, text: str) -> bool:
    """Whether a sentence could answer by itself: one that asks, opens a talk or complains does not, except for a
    question of what goes wrong."""
    if _CUT_OFF.match(text) is not None:
        return False
    if question.focus.asked in (Asked.REASON, Asked.EFFECT, Asked.SPEAKER, Asked.COMMAND):
        return True
    force = force_of(text)
    if question.is_yes_or_no and force is Force.WANTED and not question.is_of_past:
        return False
    if question.is_yes_or_no and _LOOKS_INTO.search(text) is not None:
        return False
    if force is not Force.RULED and _SHOULD.match(question.text) is not None and _PERMITS.search(text) is None:
        return False  # What was done, or is wanted, does not tell what should or may be.
    if force is Force.WANTED and question.asks_how_it_is and not _has_sort(question, text):
        return False
    if force is Force.TOLD and question.asks_how_it_is and _OUGHT.search(text) and not _has_sort(question, text):
        return False  # What should be is not there yet.
    if question.asks_what_may_be:
        return force is Force.RULED
    if question.is_yes_or_no and not question.is_of_past and force is Force.TOLD and _BEFORE.search(text) is not None:
        return False
    return force > Force.COMPLAINED or (force is Force.COMPLAINED and complains(_CASE.sub("", question.text)))


def _has_sort(question: ParsedQuestion, text: str) -> bool:
    """Whether a sentence has the sort of thing, or the value, that is asked for."""
    return question.gives_value(text) or question.focus.shows_only_in(text, question.said)


def is_heading(question: ParsedQuestion, text: str) -> bool:
    """Whether a sentence of a session only names something, or orders it, where it is asked how that is: "Phase 2: the
    importer"."""
    if not question.asks_how_it_is or force_of(text) is Force.RULED:
        return False
    is_called = "name" in question.focus.nouns
    if _is_task(text) and (is_called or not _has_sort(question, text)):
        return True  # What is to be done tells of nothing that it is so.
    if _has_sort(question, text) or not _is_english(text):
        return False
    return not (_begins_with_deed(text) or any(part.is_whole for part in statement(text, "").main))


def _begins_with_deed(text: str) -> bool:
    """Whether a sentence tells what something does, without saying again what: "On a gap: drops the row"."""
    firsts = (found[1].lower() for found in _FIRST_WORD.finditer(text))
    return any(VERB_FORMS.get(word, ("", ""))[1] in ("third", "past") for word in firsts)


def _is_task(text: str) -> bool:
    """Whether a sentence begins with what somebody is to do."""
    found = _DO_IT.match(text)
    return is_order(text) or (found is not None and VERB_FORMS.get(found[1].lower(), ("", ""))[1] == "base")


def _is_english(text: str) -> bool:
    """Whether most words of a text are English: of others nobody sees here whether one is a verb."""
    longer = [word for word in map(str.lower, spelled(text)) if word.isalpha() and len(word) >= _LONG]
    return 2 * sum(map(is_word, longer)) > len(longer)


@dataclass(frozen=True)
class SayingInPlace:
    """A sentence, and the words that stand beside it in its message."""

    saying: Saying
    around: frozenset[str]
    #: The sentence before it in its message.
    lead: str = ""
    #: What it answers or settles, where somebody asked or wanted something.
    asked: frozenset[str] = frozenset()
    #: What its session was about, and all that was said in it: that is not said again in each sentence.
    about: frozenset[str] = frozenset()
    session: frozenset[str] = frozenset()

    @property
    def is_bare(self) -> bool:
        """Whether it is no more than a value of what the sentence before it speaks of: "85 percent"."""
        return bool(self.lead) and _BARE.fullmatch(self.saying.text) is not None

    @property
    def is_of_somebody(self) -> bool:
        """Whether it says what somebody does whom the sentence before it names: "she decides on that"."""
        return bool(self.lead) and _SOMEBODY.search(self.saying.text) is not None

    @property
    def leans(self) -> bool:
        """Whether it says nothing without the sentence before it."""
        is_on = bool(self.lead) and _LEANS.search(self.saying.text) is not None
        return self.is_bare or self.is_of_somebody or bool(self.asked) or is_on


def passages(record: Record) -> list[SayingInPlace]:
    """The sentences of a record. One that is no session's speaks of one thing: all of it stands beside each."""
    said = sayings(record)
    title = Saying(record.title.rstrip(". "), Purpose.POINT)
    if record.primitive is not Primitive.SUMMARY:
        # What it answers, and how it was taken up, is what it speaks of.
        quotes = " ".join(piece.quote for piece in record.evidence)
        everything = frozenset(terms(f"{record.title} {record.body} {quotes}"))
        asked = _asked_before(record)
        session = everything if is_noted(record) else frozenset()
        return [SayingInPlace(one, everything, asked=asked, session=session) for one in (title, *said)]
    beside: dict[int, set[str]] = {}
    for one in said:
        beside.setdefault(one.message, set()).update(words_of(one.text))
    first = next((one.text for one in said if one.purpose is not Purpose.HAPPENED), "")
    about, session = frozenset(terms(f"{title.text}. {first}")), frozenset().union(*beside.values())
    found = [SayingInPlace(title, frozenset(terms(title.text)), session=session)]
    for before, one in zip([title, *said], said, strict=False):
        if not (one.purpose is Purpose.DEED or (one.purpose is Purpose.HAPPENED and is_announced(one.text))):
            is_answer = before.message < one.message and force_of(before.text) is Force.ASKED
            is_beside = before.message == one.message
            around = beside[one.message] | (beside.get(before.message, set()) if is_answer else set())
            lead = before.text if is_beside or is_answer else ""
            asked = frozenset(terms(lead)) if lead and _replies(lead, one.text) else frozenset()
            if is_beside and _DENIES.match(lead) is not None and found[-1].saying.text == lead:
                asked = found[-1].asked if force_of(one.text) is Force.RULED else asked  # "No tape. Disks it is."
            is_told = one.purpose in _TOLD_IN_SESSION
            of_it = (about, session) if is_told else (frozenset[str](), session)
            found.append(SayingInPlace(one, frozenset(around), lead, asked, *of_it))
    return found


#: What tells something of what its session was about. A wish may be of anything.
_TOLD_IN_SESSION = frozenset({Purpose.HAPPENED, Purpose.TOLD, Purpose.CHOICE, Purpose.REASON})
#: Where a file lies says nothing of what is done with it.
_PATH = compile_later(r"(?:[\w.@()\[\]*-]+/){2,}[\w.@()\[\]*-]*|[\w.@-]+/[\w-]+\.[a-z]{1,4}\b")


def words_of(text: str) -> frozenset[str]:
    """The terms of a sentence, but for those of the paths that it lists."""
    return frozenset(terms(_PATH.sub(" ", text)))


def told_in(record: Record) -> list[str]:
    """The sentences of a record as they are said: one that leans on the one before it with that."""
    return list(dict.fromkeys(_said(one).text for one in passages(record)))


def _asked_before(record: Record) -> frozenset[str]:
    """What somebody asked, or left to choose from, whom a record answered."""
    own = min((piece.first_line for piece in record.own_evidence), default=0)
    said = (
        piece.quote
        for piece in record.evidence
        # What was said long before was answered by then.
        if piece.speaker is not record.trust and own - _DIRECTLY <= piece.last_line < own
    )
    asked = [quote for quote in said if quote.rstrip().endswith("?") or _CHOICE.search(quote) is not None]
    return frozenset(terms(" ".join(asked)))


def _replies(asked: str, text: str) -> bool:
    """Whether a sentence settles what the one before it asks or wants: a choice, or no more than a name."""
    force = force_of(text)
    is_short = len(text.split()) <= _SHORT and force > Force.WANTED
    return force_of(asked) in (Force.ASKED, Force.WANTED) and (force is Force.RULED or is_short)


def answering(question: ParsedQuestion, record: Record) -> list[Saying]:
    """The sentences that answer by themselves, the best first: what is ruled before what is told or wanted, and of a
    value that was told twice the last word, or the first where that is asked for."""
    found = [one for one in passages(record) if _answers(question, one)]
    return [_said(one) for one in sorted(found, key=lambda one: _rank(question, one), reverse=True)]


def _sort_asked(question: ParsedQuestion) -> Sequence[str]:
    """The names of what is of the sort that is asked for: brokers, databases."""
    return one_of_its_sort(term for noun in question.focus.nouns for term in terms(noun))


def _said(passage: SayingInPlace) -> Saying:
    """The sentence; a bare value with what it is the value of."""
    saying = passage.saying
    if not passage.leans or not passage.lead:
        return saying
    return replace(saying, text=f"{passage.lead}{'' if passage.lead.endswith('?') else ':'} {saying.text}")


def _rank(question: ParsedQuestion, passage: SayingInPlace) -> tuple[int, int, int]:
    text, message = passage.saying.text, passage.saying.message
    words, force = set(terms(_said(passage).text)), force_of(text)
    # A word itself is worth more than another for it.
    own = sum(question.is_said(term, words) + is_same_word(term, words) for term in question.terms)
    # What stands there by its name, and the very value that is asked for, rather than another one of its kind.
    own += sum(is_named(name, text, words) for name in question.names) + _sets_it(question, text)
    own += question.focus.is_by_name and not (words - set(question.terms)).isdisjoint(_sort_asked(question))
    if (
        passage.lead.endswith("?")
        and passage.asked
        and not any(question.is_said(term, set(terms(text))) for term in question.terms)
    ):
        own -= 1  # What only follows on a question may be of something else.
    is_which = question.focus.asked is Asked.THING or _EITHER.search(question.text) is not None
    if is_which and _DENIES.match(text) is not None:
        own -= 2  # Which one it is is told by what it is rather than by what it is not.
    if passage.saying.purpose is Purpose.HAPPENED and not question.is_of_past and _WAS.search(text) is not None:
        own -= 1  # What it was before the session is not how it is.
    if question.gives_value(text):
        return _VALUE + own, min(force, Force.TOLD), -message if question.is_of_past else message
    # Of what somebody ruled or named in one session, the last word.
    # What was wanted tells less than what came of it.
    own -= passage.saying.purpose is Purpose.WISH
    is_last = force is Force.RULED or question.focus.is_by_name
    return own, force, message if is_last and not question.is_of_past else 0


def _answers(question: ParsedQuestion, passage: SayingInPlace) -> bool:
    text = passage.saying.text
    if passage.saying.purpose is Purpose.LEFT and question.asks_value:
        return False  # What is still to be done does not tell how it is.
    words = frozenset(terms(text)) if question.focus.is_told_by_look else words_of(text)
    needed = _needed(question, text)
    # Who asks for the format is told "pdf".
    named = {term for term in needed if not (words - set(question.terms)).isdisjoint(one_of_its_sort([term]))}
    is_beside = len(needed) == 1 or not passage.around.isdisjoint(set(needed) - named)
    own = {term for term in needed if is_same_word(term, words) or question.has_parts(term, words)}
    own |= named if is_beside else set()
    shown = _said(passage).text if passage.is_of_somebody and question.focus.asked is Asked.PERSON else text
    if _chooses(question, passage, words):
        return True
    if not question.focus.shows_in_all(shown, question.said) or not _stands_there(question, needed, passage):
        return False
    force = force_of(text)
    if question.focus.asked is Asked.THING and _NONE.match(text) is not None:
        return False  # Which one it is is not told by one that it is not.
    if question.asks_value_by_name and not question.has_value(text):
        return False  # Who asks for the limit is not told that there is one.
    if question.is_yes_or_no and passage.session and not (passage.leans or _says_whether(passage, needed, own)):
        return False
    is_of_it = len(own) >= _OWN * len(needed) or _is_carried(passage, needed) or _sets_it(question, text)
    is_found = passage.saying.purpose in (Purpose.HAPPENED, Purpose.REASON)
    # What goes wrong may well be how long it takes.
    is_told = is_found or not passage.session
    is_settled = settles(question, text) or (is_told and force is Force.COMPLAINED and question.gives_value(text))
    if passage.session and is_heading(question, _said(passage).text):
        return False
    if not is_settled or not (is_of_it or _is_of_session(question, needed, passage)):
        return False
    if (
        question.focus.asked is Asked.PERSON
        or passage.is_bare
        or question.gives_value(text)
        or (question.is_yes_or_no and force is Force.RULED)
    ):
        return True
    is_news = force is Force.RULED or is_found or question.focus.shows_only_in(text, question.said)
    return len(words - LITTLE - set(question.terms)) >= (1 if is_news else _NEWS)


def _says_whether(passage: SayingInPlace, needed: Sequence[str], own: Set[str]) -> bool:
    """Whether a sentence has most of what somebody asks if it is so; who rules may leave unsaid what the session was
    about, not who reports."""
    if passage.saying.purpose is Purpose.HAPPENED or force_of(passage.saying.text) is not Force.RULED:
        return len(own) >= _OWN_OF_WHETHER * len(needed)
    return bool(own) and sum(term in own or term in passage.about for term in needed) >= _OWN * len(needed)


def _is_of_session(question: ParsedQuestion, needed: Sequence[str], passage: SayingInPlace) -> bool:
    """Whether a sentence has a word of what is asked, and its session was about all the rest of it; or it has half of
    it, and the sort of thing that is asked for, and the session speaks of the rest."""
    own = [term for term in needed if question.is_said(term, passage.around)]
    rest = [term for term in needed if term not in own and not is_same_word(term, passage.about)]
    if not own or not passage.about:
        return False
    is_half, is_visible = 2 * len(own) >= len(needed), question.focus.is_visible
    # A name stands in many a sentence: of a question for one, most has to be said beside it.
    is_near = not question.focus.is_by_name or 4 * len(own) >= 3 * len(needed)
    is_spoken_of = is_visible and is_near and all(is_same_word(term, passage.session) for term in rest)
    if question.focus.asked is Asked.THING and not is_visible and set(own).isdisjoint(_nouns(question)):
        return False  # Which one it is has to be said.
    return (not rest or is_spoken_of) and (is_half or not is_visible)


def _nouns(question: ParsedQuestion) -> frozenset[str]:
    return frozenset(term for noun in question.focus.nouns for term in terms(noun))


def _chooses(question: ParsedQuestion, passage: SayingInPlace, words: Set[str]) -> bool:
    """Whether a ruling takes one of two things that are asked for, beside a word of what they are asked for."""
    taken = [option for option in question.options if option in words]
    if len(taken) != 1 or force_of(passage.saying.text) is not Force.RULED or _DENIES.match(passage.saying.text):
        return False
    return not passage.around.isdisjoint({*question.terms, *question.options} - {*taken})


def _sets_it(question: ParsedQuestion, text: str) -> bool:
    """Whether a sentence gives the very value that is asked for by its name, of what is spoken of beside it."""
    return question.gives_value(text) and not _nouns(question).isdisjoint(terms(text))


def _is_carried(passage: SayingInPlace, needed: Sequence[str]) -> bool:
    """Whether a sentence is said of what stands before it, and that has what is asked."""
    if passage.asked:
        return sum(term in passage.asked for term in needed) >= _OWN * len(needed)
    return passage.leans


def _needed(question: ParsedQuestion, text: str) -> Sequence[str]:
    """The terms of a question that an answer must have: what only names the sort of value need not stand beside it."""
    if question.focus.is_by_name and question.focus.shows_in(text, question.said):
        # "Which build tool": a name of one will do.
        return [term for term in question.terms if not question.focus.is_sort(term)] or question.terms
    if question.focus.is_told_by_look and question.focus.shows_in(text, question.said):
        return [term for term in question.terms if not question.focus.names_sort(term)] or question.terms
    if not question.gives_value(text):
        return question.terms
    return [term for term in question.terms if term not in question.measured] or question.terms


def _is_ruled_on(
    question: ParsedQuestion, needed: Sequence[str], passage: SayingInPlace, lacking: Sequence[str]
) -> bool:
    """Whether what somebody asks if they may do it is ruled on, but for one word of several: "may I mix A and B in one
    step?" is answered by what may never be mixed with A in a step."""
    is_asked = question.is_yes_or_no or question.asks_what_may_be
    if not is_asked or len(lacking) > 1 or force_of(passage.saying.text) is not Force.RULED:
        return False
    text, words = passage.saying.text, set(terms(passage.saying.text))
    # A name is as good as two.
    named = question.asks_what_may_be and any(is_named(name, text, words) for name in question.names)
    return sum(term in words for term in needed) + named >= _MOST_RULED


def _stands_there(question: ParsedQuestion, needed: Sequence[str], passage: SayingInPlace) -> bool:
    around = passage.around
    if _is_of_session(question, needed, passage):
        return True
    # Who asks for the time zone is told UTC.
    others = around - set(question.terms)
    by_word = sum(is_same_word(term, around) or not others.isdisjoint(one_of_its_sort([term])) for term in needed)
    lacking = [term for term in needed if not question.is_said(term, around)]
    if by_word < _BY_WORD * len(needed) or (lacking and not _is_ruled_on(question, needed, passage, lacking)):
        return False
    # One word stands in many a sentence: then the sort of thing that is asked for has to stand there, or a name.
    is_told_so = question.focus.is_visible or bool(question.names) or question.is_yes_or_no
    return len(question.terms) > 1 or is_told_so or bool(passage.asked)
