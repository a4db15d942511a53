"""A question → a plan: the exact actions that find its answer. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import StrEnum

from lerim.answer.deeds import Deed, deed_named
from lerim.answer.focus import Asked, Focus, find_focus
from lerim.answer.times import TimeSpan, find_span
from lerim.answer.wanted import Wanted
from lerim.answer.words import telling_words
from lerim.context.filters import Filter
from lerim.context.records import Kind, Primitive, Record, Status, clean_tags
from lerim.dataclass import dataclass, replace
from lerim.lazy_regex import compile_later

#: SessionsTold that are told of when no time is named.
_MOST_SESSIONS = 5
#: What older sessions left was done since, or is not wanted any more.
_MOST_LEFT = 5
#: How far back "what changed?" looks when neither a time nor a topic is named.
CHANGES_SINCE = timedelta(days=30)


@dataclass(frozen=True)
class Count:
    """How many records there are."""

    wanted: Wanted

    def describe(self) -> str:
        return f"count {self.wanted.describe()}"


@dataclass(frozen=True)
class List:
    """The records themselves, newest first, or the first ones only."""

    wanted: Wanted
    newest: bool = True
    limit: int | None = None

    def describe(self) -> str:
        order = "newest" if self.newest else "oldest"
        return f"list {self.wanted.describe()}, {order} first" + (f", {self.limit} at most" if self.limit else "")


@dataclass(frozen=True)
class Changes:
    """What became of records within a span."""

    wanted: Wanted
    span: TimeSpan
    #: Only what was `replaced`, `revised`, `new` or `archived`.
    only: str | None = None

    def describe(self) -> str:
        what = f"was {self.only}" if self.only else "changed"
        return f"list what {what} {self.span.describe()} among {self.wanted.describe()}"


@dataclass(frozen=True)
class Search:
    """The records that answer a question."""

    query: str
    wanted: Wanted
    focus: Focus
    #: The whole question, when its time was taken out of the query. Asked when nothing of that time answers: the time
    #: may be what a record tells of, not when it was made.
    whole: str | None = None
    #: Whether all that was decided on it is asked for, newest first, and not the one answer.
    is_every: bool = False

    def describe(self) -> str:
        return f"search for '{self.query}' among {self.wanted.describe()}; {self.focus.describe()}"


@dataclass(frozen=True)
class When:
    """The day on which something was decided, learned or replaced; or `ended`, when that is asked."""

    search: Search
    ended: bool = False

    def gives_up(self, record: Record) -> bool:
        """Whether a record says itself that something ends: "drop Celery"."""
        return _ENDED.search(record.title.lower()) is not None

    def describe(self) -> str:
        return f"{self.search.describe()}; give the date {'it ended' if self.ended else 'it began'}"


class SessionQuestion(StrEnum):
    """What is asked of sessions' summaries."""

    DONE = "what was done"
    PULLS = "which pull requests were opened"
    LEFT = "what is left"
    STANDS = "how far it is"
    BECAME = "what became of it"
    GONE = "what did away with it"


@dataclass(frozen=True)
class SessionsTold:
    """What the summaries of sessions tell, newest first."""

    told: SessionQuestion
    wanted: Wanted
    limit: int | None = None
    #: The beginning of a session's id, when one is named.
    session: str | None = None
    #: What is asked if it was done.
    deed: Deed | None = None

    def describe(self) -> str:
        of = f" of session {self.session}" if self.session else ""
        most = f", the newest {self.limit}" if self.limit else ", newest first"
        return f"read {self.told}{of} in {self.wanted.describe()}{most}"


Action = Count | List | Changes | Search | When | SessionsTold


@dataclass(frozen=True)
class Plan:
    """What is done to answer a question, in this order."""

    question: str
    actions: tuple[Action, ...]

    @property
    def is_of_one_matter(self) -> bool:
        """Whether a session is looked for that tells of one matter: where none does, something else may."""
        matters = (SessionQuestion.STANDS, SessionQuestion.BECAME)
        return any(isinstance(action, SessionsTold) and action.told in matters for action in self.actions)

    @property
    def is_exact(self) -> bool:
        """Whether the answer is read off the store, so that nothing has to be judged."""
        return all(isinstance(action, Count | List | Changes | SessionsTold) for action in self.actions)

    def describe(self) -> list[str]:
        """Each action in words."""
        return [action.describe() for action in self.actions]


def make_plan(question: str, now: datetime, *, is_searched: bool = False) -> Plan:
    """The plan for a question. What is no question about counts, lists, changes or dates is searched for; so is what no
    session tells of, once that `is_searched`."""
    span, timeless = find_span(question, now)
    rest = " ".join(timeless.lower().split())
    makers = (_of_sessions, _changes, _counted, _listed, _decided_then)
    for maker in makers[1:] if is_searched else makers:
        if actions := maker(rest, span, now):
            return Plan(question, actions)
    gone = () if is_searched else _gone(rest, span)
    return Plan(question, (*gone, _searched(question, " ".join(timeless.split()), span)))


# --- what the words of a question mean --------------------------------------------------------------------------------

# Nouns of a question and what they ask for. Without the `s` of a plural: "summaries" is found as "summarie".
_KINDS: dict[str, Filter] = {
    **{word: Filter(primitive=one) for one in Primitive for word in (str(one), *one.traits.also)},
    **{word: Filter(kind=one) for one in Kind for word in (str(one), *one.traits.also)},
    "summarie": Filter(primitive=Primitive.SUMMARY),
    **dict.fromkeys(("memory", "memorie", "record"), Filter()),
}
_NOUN = rf"(?P<noun>{'|'.join(_KINDS)})"
_STATUS = r"(?P<status>active|current|superseded|replaced|outdated|archived)"
# "How many records does the orders table have?" is no question about the memory: what follows must fit.
_GOES_ON = (
    r"(?=$|[?.,]| (?:do|did|have|has|are|were|was|is|there|exist|about|on|for|from|that|which|tagged|with|we|in total"
    r"|mention|mentioning|regarding|concerning|so far|and|of|made|since|in|ever|recorded|stored|known)\b)"
)
_ANY = r"(?:(?:new|recent|known|stored|recorded|different|all|the|our|my|your|their|any|team|team's|user's|users) )*"
_ONES = rf"{_ANY}(?:{_STATUS} )?{_ANY}{_NOUN}"
_HOW_MANY = compile_later(rf"\b(?:how many|(?:what is |what's )?the number of|count)\b (?:of )?{_ONES}s?{_GOES_ON}")
_HOW_MANY_THINGS = compile_later(
    r"\bhow (?:many things|much) (?:have|did|do) we (?P<verb>decided?|learn(?:ed|t)?|know|remember|store)\b"
)
_LIST = compile_later(
    rf"^(?:please )?(?:list|show|name|enumerate|give|tell)\b (?:me |us )?(?:about )?{_ONES}s{_GOES_ON}"
)
_WHICH = compile_later(rf"^(?:and )?(?:which|what)(?: are| were)? {_ONES}s{_GOES_ON}")
_LAST = compile_later(
    r"\b(?P<order>latest|newest|last|most recent|first|oldest|earliest)(?: (?P<count>\d+|two|three|five|ten))?"
    rf" (?:{_STATUS} )?{_NOUN}s?{_GOES_ON}"
)
_WHAT_DECIDED = compile_later(r"^what (?:have|did) we (?P<verb>decided?|learn(?:ed|t)?|agree[d]?)\b")
# What stands before its topic says nothing of it.
_ABOUT = compile_later(
    r"(?:and )?(?:what (?:did|have|do) (?:we|i|you)(?: ever)?"
    r" (?:decided?|agreed?|learn(?:ed|t)?|sa(?:y|id)|know|remember)"
    r"|(?:tell|remind) (?:me|us)|anything|is there anything|what's there|what is there)(?: known)?"
    r" (?:about|on|regarding|of|for) (?P<topic>\S.{2,})",
    re.IGNORECASE,
)
_DECIDES = compile_later(r"(?i)\b(?:decided?|agreed?)\b")
_CHANGED = compile_later(
    r"\bwhat(?:'s| is| has| have|) (?:been )?(?:changed?|new|different|happened(?! (?:when|after|if|because|once)\b))\b"
    rf"|\b(?:which|what) (?:{_NOUN}s?|things?) (?:(?:have|has|were|was|did) )?(?:been )?"
    r"(?:changed?|replaced|superseded|revised|reversed|archived|added)\b"
    r"|\bwhat (?:was|were|got|has been|have been) (?:changed|replaced|superseded|revised|reversed|archived|added)\b"
    r"|\bwhat did we (?:change|replace|revise|reverse|add)\b|^(?:list |show )?(?:me )?(?:the |all )?changes\b"
)
_WHEN = compile_later(
    r"^(?:and )?(?:when (?:did|was|were|have|had)|since when|how long ago"
    r"|(?:on |at )?(?:what|which) (?:date|day) (?:did|was|were))\b"
)
# What somebody does to be rid of something: its end is asked for, not its beginning.
_ENDED = compile_later(
    r"\b(?:stop(?:ped)?|drop(?:ped)?|g[eo]t rid|leave|left|quit|abandon(?:ed)?|removed?|replaced?|retired?|ditch(?:ed)?"
    r"|(?:moved?|switch(?:ed)?|migrated?|go|went) (?:away |off )?from|give up|gave up|deprecated?|no longer)\b"
)
_TAGGED = compile_later(
    r"(?:\btagged(?: with| as)?|\bwith (?:the )?tags?) '?#?([\w-]+)'?(?: and '?#?([\w-]+)'?)?|#([\w-]+)"
)
_MADE = compile_later(
    r"\b(?:made?|took|taken?|recorded|added|decided?|learn(?:ed|t)?|written|write|stored|ever|altogether)\b"
)
_STATUSES = {
    "active": (Status.ACTIVE,),
    "current": (Status.ACTIVE,),
    "superseded": (Status.SUPERSEDED,),
    "replaced": (Status.SUPERSEDED,),
    "outdated": (Status.SUPERSEDED,),
    "archived": (Status.ARCHIVED,),
}
_ONLY = {
    "(?:replaced?|superseded|reversed?)": "replaced",
    "revised?": "revised",
    "archived": "archived",
    "add(?:ed)?": "new",
}
# What was decided in March was new then; what we used in March may be older.
_NEW_THEN = compile_later(
    r"\b(?:decided?|learn(?:ed|t)?|chose|choose|chosen|introduced?|start(?:ed)?|switch(?:ed)?|moved?|add(?:ed)?)\b"
)
_COUNTS = {"two": 2, "three": 3, "five": 5, "ten": 10}
# Words around an exact question that do not narrow it down.
_SCAFFOLD_WORDS = """
list show name enumerate count number many known know stored store recorded record records memory memories taken took
exist total altogether far hold holds currently current active new newest latest recent last first oldest earliest
superseded replaced outdated archived changed change changes happened different revised reversed added add replace
revise reverse decide decided learn learned learnt agree agreed remember mention mentioning regarding concerning
tagged tag tags written write every ones user users team user's
"""
_SCAFFOLD = frozenset({*_SCAFFOLD_WORDS.split(), *_KINDS, *(f"{noun}s" for noun in _KINDS)})
_HERE = compile_later(r"\bin (?:this|the|our) (?:project|memory|store|repo|repository)\b")


# How a question about sessions ends: a topic behind it makes it a question about the topic. Its time is taken out.
_THEN = (
    r"(?: (?:last|lately|recently|most recently|so far|before|here|now)"
    r"| (?:in|during|of) (?:the |my |our )?(?:last |latest |previous )?sessions?(?: [\w-]+)?"
    r"| (?:in|on|for|of) (?:this|the|my|our) (?:app|project|repo|repository|codebase|code|service|work|branch))*$"
)
_PULLS = compile_later(
    r"^(?:and )?(?:which|what|list|show|name)\b(?: me| us| all| the| my| our| are| were)*"
    r" (?:prs|pull requests|merge requests)(?=$| (?:were|was|did|do|have|has|are|is|opened|merged|open|that|in|of"
    r"|so far)\b)"
)
_WORKED = compile_later(
    r"^(?:and )?what (?:did|have|had|was|were|am|are|is) (?:i|we)(?: been| last| just)?"
    rf" (?:work(?:ed|ing)?(?: on)?|do|done|doing|up to){_THEN}"
    rf"|^(?:and )?what (?:was|got) (?:done|worked on){_THEN}"
    r"|^what (?:was|is) (?:my|our|the) (?:last|latest|most recent) session(?: about)?$"
)
_SESSION_HAPPENED = compile_later(
    r"^(?:and )?what (?:has )?happened(?: (?:in|during) (?:the |my |our )?(?:last |latest "
    r"|previous )?sessions?(?: [\w-]+)?)$"
    r"|^(?:summari[sz]e|recap) (?:the |my |our )?(?:last |latest |previous )?session(?: [\w-]+)?$"
)
#: What somebody leaves for another day.
_PUT_OFF = (
    r"(?:put (?:it |things? )?off|postponed?|deferred?|delayed?|shelved?|parked?|put on (?:hold|ice)|on hold"
    r"|(?:left|put|kept|keep|leave) for (?:later|another (?:day|time))|not (?:done|finished|decided)(?: yet)?|undecided"
    r"|(?:wanted|want|meant|planned?) to do (?:later|another (?:day|time)))"
    r"(?: (?:to|until|till|for) (?:later|\w+ \w+))?"
)
_LEFT = compile_later(
    r"^(?:and )?what(?:'s| is| was| are| remains?| do (?:i|we) (?:still )?have)\b(?: still| there)*"
    r" ?(?:left|open|unfinished|undone|outstanding|remaining|to do|todo|pending)?(?: to do| to be done| open| undone)?"
    rf"{_THEN}|^(?:and )?where (?:did (?:i|we) (?:leave off|stop)|(?:was|were) (?:i|we)){_THEN}"
    rf"|^(?:and )?what (?:did|have|had) (?:i|we) (?:leave|left) (?:unfinished|open|undone|for later){_THEN}"
    rf"|^(?:and )?what (?:is|was|were|got) (?:still )?left (?:unfinished|open|undone|over|behind){_THEN}"
    rf"|^(?:and )?(?:is|are) (?:there )?(?:anything|something) (?:still )?"
    rf"(?:left|open|unfinished|undone)(?: to do)?{_THEN}"
    rf"|^(?:and )?what (?:else )?(?:still )?needs (?:doing|to be (?:done|finished)){_THEN}"
    rf"|^(?:and )?what (?:should|do|can) (?:i|we) (?:do|work on|continue(?: with)?|pick up|finish) next{_THEN}"
    rf"|^(?:and )?what(?:'s| is) next{_THEN}"
    rf"|^(?:and )?what (?:did|have|had) (?:i|we) {_PUT_OFF}{_THEN}"
    rf"|^(?:and )?what(?:'s| is| was| were| are|'s been| has been| have been| got) (?:still )?{_PUT_OFF}{_THEN}"
)
_LEFT_WORD = compile_later(
    r"\b(?:left|open|unfinished|undone|outstanding|remain\w*|todo|pending|leave|leave off|stop|next|needs|where)\b"
    rf"|\bto do\b|{_PUT_OFF}"
)
#: How far something has come: the last session that tells of it knows.
_HOW_FAR = compile_later(
    r"^(?:and )?(?:where (?:are|was|were|did) (?:i|we)(?: leave off| stop)? (?:with|on|at|in)"
    r"|how far (?:are|did|have) (?:i|we)(?: get| got| gotten| come)?(?: along)? (?:with|on|in)"
    r"|what(?:'s| is) the (?:status|state) (?:of|with|on)"
    r"|what(?:'s| is) (?:still )?(?:left|open|missing|to do)(?: to do)? (?:on|of|for|with|in|about))"
    r" (?:the |our |my )?(?P<what>\w.{2,60})$"
)
#: Whether something was done, or what came of trouble: the last session that tells of it knows.
_DID = (
    r"(?:push|merge|deploy|fix|finish|run|rebuild|release|commit|ship|roll out|migrate|send|apply|publish|renew"
    r"|rotate|rename"
    r"|upgrade|test|move|clean up|mend|solve|close)"
)
_BECAME = compile_later(
    r"^(?:(?:and|so|ok|hey|wait)[, ]+)*(?:what did (?:we|i|you) (?:end up )?do(?:ing)? (?:about|with|against)"
    r"|how did (?:we|i|you) (?:fix|solve|mend|resolve|debug|get rid of)|what(?:'s| is) (?:up )?with|what became of"
    r"|what happened (?:to|with)"
    rf"|(?:did|have|had) (?:we|i|you)(?: already| ever| actually)? (?P<deed>{_DID}(?:e?d|ped)?)) (?:the |our |my |that"
    r" |this )*"
    r"(?P<what>\w.{2,60})$"
    r"|^(?:(?:and|so|ok|hey|wait)[, ]+)*(?:is|are|was|were|did|has|have) (?:the |our |my |that |this"
    r" )*(?P<thing>\w.{2,60}?)"
    r" (?:still |already |ever |finally |been |get |got |gotten )*"
    r"(?P<done>done|finished|fixed|mended|solved|resolved|merged|deployed|released|rolled out|pushed|rebuilt|applied"
    r"|renewed|committed|implemented|installed"
    r"|rotated|migrated|renamed|published|shipped|there|broken|failing|flaky|work(?:ed)?|pass(?:ed)?|succeed|go through"
    r"|went through)(?: now| yet| again| already| in the end)*$"
)
#: Whether something is still there, or was done away with: what ended it knows.
_IS_GONE = compile_later(
    r"^(?:(?:and|so|ok|hey|wait)[, ]+)*(?:(?:do|does|did|are|is) (?:we |i |you |they |it )?still (?:have|use|need|keep"
    r"|using|want) (?P<kept>\w.{2,60})"
    r"|(?:is|are|was|were|has|have|did) (?P<gone>\w.{2,60}?)(?: (?:been|get|got|ever|already|finally|still))*"
    r" (?:scrapped|dropped|removed|deleted|reverted|rolled back|undone|abandoned|discarded|ditched|taken back"
    r"|thrown (?:out|away)|retired|gone)"
    r"|(?:is|are) (?P<there>\w.{2,60}?) still (?:there|needed|used|in use|wanted|around|alive)"
    r"|did (?:we|i|you)(?: already| ever| actually)? (?:scrap|drop|remove|delete|revert|roll back|undo|abandon|discard"
    r"|ditch|get rid of|throw (?:out|away)|retire) (?P<ended>\w.{2,60}?))(?: now| yet| again| already| any ?more)*$"
)
_WHAT_DID = compile_later(r"^(?:\w+[, ]+)*?what ")
#: What trouble is called, whatever it is.
_TROUBLE_WORDS = frozenset(
    [
        "bug",
        "bugs",
        "issue",
        "issues",
        "problem",
        "problems",
        "error",
        "errors",
        "stuff",
        "thing",
        "things",
        "trouble",
        "work",
    ]
)
_SESSION_ID = compile_later(r"\bsession (?=[\w-]*\d)([\w-]{4,})")
_LAST_ONE = compile_later(r"\b(?:last|latest|most recent|previous|leave off|stop)\b")


def _of_sessions(rest: str, span: TimeSpan | None, now: datetime) -> tuple[Action, ...]:
    """Questions about what was done rather than about what holds. What else they name narrows them down."""
    rest = rest.rstrip("?!. ")
    if (work := _HOW_FAR.search(rest)) is not None:
        words = [word for word in telling_words(work["what"]) if word not in _TROUBLE_WORDS]
        about = Wanted(Filter(primitive=Primitive.SUMMARY), tuple(words), span)
        return (SessionsTold(SessionQuestion.STANDS, about, 1),) if about.words else ()
    if (deed := _BECAME.search(rest)) is not None:
        words = [word for word in telling_words(deed["what"] or deed["thing"]) if word not in _TROUBLE_WORDS]
        about = Wanted(Filter(primitive=Primitive.SUMMARY), tuple(words), span)
        # "About retries" may ask of anything that was decided on them.
        is_matter = len(words) > 1 or deed["what"] is None or not _WHAT_DID.match(rest)
        done = deed_named(deed["deed"] or deed["done"] or "")
        return (SessionsTold(SessionQuestion.BECAME, about, 1, deed=done),) if words and is_matter else ()
    named = _SESSION_ID.search(rest)
    if _PULLS.search(rest):
        told = SessionQuestion.PULLS
    elif _LEFT.search(rest) and _LEFT_WORD.search(rest):
        told = SessionQuestion.LEFT
    elif named or _WORKED.search(rest) or _SESSION_HAPPENED.search(rest) or (span and rest == "what happened"):
        told = SessionQuestion.DONE
    else:
        return ()
    session = named[1] if named else None
    wanted = Wanted(Filter(primitive=Primitive.SUMMARY), (), span)
    if span or session or told is SessionQuestion.PULLS:
        limit = None
    elif _LAST_ONE.search(rest):
        limit = 1
    else:
        limit = _MOST_LEFT if told is SessionQuestion.LEFT else _MOST_SESSIONS
    asked = SessionsTold(told, wanted, limit, session)
    # What happened is what was done, and what became of memories.
    return (asked, *_changes(rest, span, now)) if "happened" in rest and span else (asked,)


def _gone(rest: str, span: TimeSpan | None) -> tuple[Action, ...]:
    """Whether something is still there: a session may tell what did away with it."""
    found = _IS_GONE.search(rest.rstrip("?!. "))
    thing = next(filter(None, found.groups()), "") if found is not None else ""
    words = tuple(telling_words(thing))
    about = Wanted(Filter(primitive=Primitive.SUMMARY), words, span)
    return (SessionsTold(SessionQuestion.GONE, about, 1, deed=Deed.ENDED),) if words else ()


def _counted(rest: str, span: TimeSpan | None, now: datetime) -> tuple[Action, ...]:
    match = _HOW_MANY.search(rest)
    if match is not None:
        wanted = _wanted(rest, match, span)
    elif things := _HOW_MANY_THINGS.search(rest):
        wanted = _narrowed(rest, span, _of_verb(things["verb"]))
    else:
        return ()
    also = re.search(r"\band (?:which|what|list|name)\b", rest)
    return (Count(wanted), List(wanted)) if also else (Count(wanted),)


def _listed(rest: str, span: TimeSpan | None, now: datetime) -> tuple[Action, ...]:
    if match := _LAST.search(rest):
        # "The last decision" is one; "the last decisions" are all of them, newest first.
        plural = match[0].endswith("s") and not match["count"]
        limit = None if plural else _count(match["count"])
        return (List(_wanted(rest, match, span), match["order"] not in ("first", "oldest", "earliest"), limit),)
    match = _LIST.search(rest) or _WHICH.search(rest)
    return (List(_wanted(rest, match, span)),) if match else ()


def _decided_then(rest: str, span: TimeSpan | None, now: datetime) -> tuple[Action, ...]:
    """What did we decide last week? Without a topic it is a list; with one, it is searched for."""
    match = _WHAT_DECIDED.search(rest)
    if match is None:
        return ()
    wanted = _narrowed(rest, span, _of_verb(match["verb"]))
    return () if wanted.words else (List(wanted),)


def _changes(rest: str, span: TimeSpan | None, now: datetime) -> tuple[Action, ...]:
    match = _CHANGED.search(rest)
    if match is None:
        return ()
    noun = match["noun"]
    base = _KINDS[noun] if noun else Filter()
    wanted = replace(_narrowed(rest, None, base), span=None)
    wanted = replace(wanted, filter=replace(wanted.filter, statuses=()))
    # A topic without a time means its whole history.
    long_ago = TimeSpan(None, now) if wanted.words or wanted.filter.tags else TimeSpan(now - CHANGES_SINCE, now)
    only = next((verb for cue, verb in _ONLY.items() if re.search(rf"\b{cue}\b", match[0])), None)
    return (Changes(wanted, span or long_ago, only),)


def _searched(question: str, timeless: str, span: TimeSpan | None) -> Action:
    both = Filter(statuses=(Status.ACTIVE, Status.SUPERSEDED))
    if _WHEN.match(timeless.lower()):
        ended = _ENDED.search(timeless.lower()) is not None
        return When(Search(question.strip(), Wanted(both), Focus(Asked.DAY)), ended)
    if (about := _ABOUT.match(timeless.strip())) and span is None:
        return Search(about["topic"].strip(), Wanted(both), Focus(), is_every=_DECIDES.search(about[0]) is not None)
    if span is None or not telling_words(timeless):
        return Search(question.strip(), Wanted(both), find_focus(question))
    held = not _NEW_THEN.search(timeless.lower())
    return Search(timeless, Wanted(both, (), span, held), find_focus(timeless), question.strip())


def _wanted(rest: str, match: re.Match[str], span: TimeSpan | None) -> Wanted:
    wanted = _narrowed(rest, span, _KINDS[match["noun"]])
    if match["status"]:
        return replace(wanted, filter=replace(wanted.filter, statuses=_STATUSES[match["status"]]))
    return wanted


def _narrowed(rest: str, span: TimeSpan | None, base: Filter) -> Wanted:
    """The filter with the tags and words that a question names."""
    tags = clean_tags([tag for found in _TAGGED.findall(rest) for tag in found if tag])
    rest = _HERE.sub(" ", _TAGGED.sub(" ", rest))
    # What was made in March was made then, whether or not it still holds.
    statuses = () if _MADE.search(rest) and (span or "ever" in rest) else base.statuses
    return Wanted(replace(base, tags=tags, statuses=statuses), _topic(rest), span)


def _topic(rest: str) -> tuple[str, ...]:
    words = telling_words(rest.replace("'s ", " "))
    return tuple(dict.fromkeys(word for word in words if word not in _SCAFFOLD))


def _of_verb(verb: str) -> Filter:
    if verb.startswith(("decide", "agree")):
        return Filter(primitive=Primitive.DECISION)
    return Filter(primitive=Primitive.LEARNING) if verb.startswith("learn") else Filter()


def _count(text: str | None) -> int:
    return 1 if text is None else _COUNTS.get(text) or int(text)
