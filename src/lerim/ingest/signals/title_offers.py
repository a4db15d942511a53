"""What could be the title of a memory: clauses of the user, what they chose or agreed to; and how well each stands
alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.glance import seldom
from lerim.ingest.signals.chosen import (
    BESIDES,
    CHANGES_CHOICE,
    RULES_OUT,
    answers_openly,
    asked_for,
    heads,
    is_choice,
    is_refused,
    option_name,
    replied_to,
    with_ruling,
    without_choice,
)
from lerim.ingest.signals.clauses import clauses_of, is_only_condition
from lerim.ingest.signals.cues import PUTS_RIGHT_AT_ONCE, agent_cues, tells_change, user_cues
from lerim.ingest.signals.phrasing import as_subject, is_order, lower, reasoned
from lerim.ingest.signals.plain_words import TITLE_CHARS, agents_statement, headline, lead_off, plain, statement
from lerim.ingest.signals.put_off import is_put_off
from lerim.ingest.signals.reading import UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.rulings import plain_rulings, points_away, rules_plainly
from lerim.ingest.signals.subjects import lacks_subject, without_setting
from lerim.ingest.signals.text import RULE_WORDS, topics
from lerim.ingest.signals.titles import has_a_verb, is_errand, is_passing, points_back, settles, stands_alone
from lerim.ingest.signals.units import Unit, UnitRole
from lerim.text.sentences import sentence_spans, sentences
from lerim.text.words import words

#: With fewer topics than this a reply makes no point of its own.
OWN_POINT = 3
#: What is raised before a rule on "it" is told in as many.
_LEAST_RAISED = 2
_DANGLING = re.compile(
    r"(?:it|this|that|these|those|they|he|she|one|so|but|and|or|because|when|if|like|unless|what|why"
    r"|how|which|who|where|is|are|was|were|do|does|did|can|could|would|here|there|then|not|also|still"
    r"|yes|no(?=[,.]|$)|you|your|even|same|both|otherwise|where|with|without|instead|directly|for|to|of|on|in|at"
    r"|by|from|as|since|though|\d+\.?)\b(?!-)|[`'\"(]?[─│|=]",
    re.I,
)
# Somebody is spoken to, or tells what they are about to do.
TALKING = re.compile(
    r"(?<![\w-])(?:i|i['’](?:m|ve|ll|d)|me|my|mine|you|you['’](?:re|ve|ll|d)|your|yours|let me|thanks?|sorry|please)"
    r"(?![\w-])",
    re.I,
)
_PERSONAL = seldom(r"\b(?:i|i'm|i've|i'll|i’m|i’ll|i’ve|me|my|let me)\b", re.I)
_POINTING = re.compile(r"(?:it|this|that|these|those|they|there)\b", re.I)
STATUS = seldom(
    r"\bquestion \d+(?: of \S+)?:"
    r"|\b(?:tests? (?:now )?(?:pass|remain|are (?:all |now |still )?(?:pass|green|red|clean|fail|fix|up"
    r"|in place))|all green|committed|pushed|pr #?\d+|ready to|done\b|passed\b"
    r"|commit(?:ting)? this|checks? pass|(?:now )?passes\b|(?:lint|build|ci) (?:is|are) (?:clean|green)"
    r"|spawn (?:a |an )?(?:worker|agent))",
    re.I,
)
#: What is wrong with something, told as such.
_TROUBLE = re.compile(
    r"\b(?:nothing but|pain(?:ful(?:ly)?)?|absurd|sucks|mess|annoying|nightmare|ridiculous|wiped|lost|leaked|spikes?"
    r"|dead|crash(?:es|ed)|hangs|broke|bit us|went down"
    r"|(?:too|so|painfully|awfully|is|are) (?:slow|flaky|expensive|noisy))\b",
    re.I,
)
_ANYWAY = re.compile(r"\banyways?\W*$", re.I)
#: What is to be done, behind why.
_SO = seldom(r"\w{3,}[^.!?]{8,}?,? so (?!that\b|far\b|long\b|much\b|many\b)(?P<point>\w[^.!?]{8,})", re.I)
_OF_IT = re.compile(r"\b(?:it|them|they|its)\b", re.I)
_SO_DO = re.compile(r"(?:and )?so (?P<point>[^.!?]*\b(?:it|them)\b[^.!?]*[.!]*)$", re.I)
#: Where or for whom, and nothing of what; and so short is what was said before it.
_WHERE_TO = re.compile(
    r"\W*(?:everywhere|anywhere|in (?:all|every)|for (?:all|every\w*)|on (?:all|every)|also (?:in|on|for)"
    r"|überall|partout)\b(?! (?:we|i|you)\b)(?=[^.!?]{0,60}$)",
    re.I,
)
_SHORT_BEFORE = 6
#: What an agent is at: "Posting the review with points 1 to 5".
_AT_IT = re.compile(
    r"(?!during|string|nothing|something|anything|everything|thing|ring|missing|existing|caching|logging|testing)"
    r"[a-z]+ing (?:the|a|an|it|this|that|these|now|your|my|all|on|to)\b"
    r"(?!.*\b(?:is|are|was|were|has|have|must|should|needs?|stays?)\b)",
    re.I,
)
#: So many things that were not spoken of before are a point of one's own.
_ADDED = 2
#: What is offered as one of two ways.
_EITHER = re.compile(r"\bor\b|\beither\b|\boder\b", re.I)
_BUT_NOT = re.compile(r"\w,? (?:but |and )?(?:no|not|without|never|minus) \w", re.I)
_ONLY = re.compile(r"(?:only|just) (?!do\b|go\b|the\b|that\b|this\b|it\b)\w", re.I)
#: "That goes for every field we remove, never reuse its number": what it holds for leads.
_GOES_FOR = re.compile(
    r"(?:.*?[,;] )?(?:and )?(?:that|this|it|the same|same) (?:goes|holds|applies|counts|is (?:true|so)) (?:for|to)"
    r" (?P<what>(?:every|all|each|any|our|the|both) [^,.;:]{4,60})[,;:] (?P<rule>[^.!?]{8,})",
    re.I,
)
#: An answer that speaks of so many things needs no question to be understood.
_WHOLE_ANSWER = 5
_IN_BRACKETS = re.compile(r" ?\([^()]{0,200}\)")
#: What is chosen with a note that says the same: "keep both (keep both)".
_NOTED_AGAIN = re.compile(r"(?P<said>.{3,}?)\s*\((?P=said)\.?\)?", re.I | re.S)
_ON_IT = re.compile(r"\b(?:it|them|this|that|one)\b(?: (?:in|up|out|now|on|here|there|first))?$", re.I)
#: What does so is not said: "works the same on Windows", "only mounted when the flag is set".
_NO_SUBJECT = re.compile(
    r"(?:(?:only|also|now|then|still|always|just) )*"
    r"(?:works|mirrors|returns|rejects|uses|keeps|matches|handles|respects|provides|means|makes|takes|allows|lets|needs"
    r"|requires|reads|writes|sends|serves|ships|supports|applies|creates|removes|replaces|avoids|ensures|prevents|fixes"
    r"|increases|reduces|includes|contains|shows|skips|wraps|calls|sets|follows|adds|falls|runs|gives|covers"
    r"|(?:mounted|keyed|based|called|triggered|required|rejected|defined|stored|installed|embedded)"
    r"(?= (?:when|by|at|in|on|with|if|from|as|for|to)\b)) (?!and\b|or\b)",
    re.I,
)
_OTHERWISE = re.compile(r"\W*(?:otherwise|sonst|sinon)\b", re.I)
#: What forbids something, and what says to do it, up to where the reason may begin.
_BANS = re.compile(r"(?:do not|don['’]?t|never|stop)\b", re.I)
_LETS = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|then|hm+|no|yes|yeah|and|but)\W+)*"
    r"let['’]?s (?:go|use|make|keep|take|stay|stick|switch|move|set) [^,;(]{8,}",
    re.I,
)
#: "Log retention set to 30 days."
_IS_SET = re.compile(
    r"\b(?:is|are|now|stays?|set|limited|capped|raised|lowered|changed|switched) (?:\w+ )?(?:to|at|for|in|on|with|\d)",
    re.I,
)
#: What is told as new holds from then on.
_NOW = re.compile(r" now\b(?! on\b)", re.I)
#: How far into its answer an agent says what is so now.
_TOLD = 400
_NAME_WORDS = 3
_NO_NAME = re.compile(
    r"(?:genau |exactly |just |c['’]est |es |era )*"
    r"(?:das|dies|so|that|this|it|both|ça|cela|eso|esto|questo|isso|dat|to|это)",
    re.I,
)
#: Where or for whom, and nothing of what: "on the daily transfer".
_PART = re.compile(r"(?:on|for|in|at|with|from|by|per|auf|für|bei|mit|sur|pour|dans|en|para|con|su|per) ", re.I)
#: What happened once is why, in languages whose "because" people leave out.
_HAPPENED = seldom(
    r"\b(?:hat|haben|hatten?|wurden?|war(?:en)?|gab|kam(?:en)?|ging(?:en)?)\b[^.!?]*\b(?:ge\w{3,}(?:t|en)|ver\w{3,}(?:t|en)"
    r"|\w{3,}iert|ärger|schon (?:ein)?mal|letzte[snmr]? (?:jahr|monat|woche|mal)|damals)\b"
    r"|\b(?:ça|cela|on|nous) (?:nous )?(?:a|avons|avait|est) (?:déjà |encore )?\w+(?:é|u|i|is)\b|\bil y a eu\b"
    r"|\b(?:l['’]an|le mois|la semaine) derni(?:er|ère)\b|\b(?:nos|ya) (?:ha|han|pasó|costó|pasaron)\b|\bhubo\b"
    r"|\bel (?:año|mes) pasado\b|\bl['’]anno scorso\b|\bci (?:è|ha|hanno) \w+t[oaie]\b",
    re.I,
)
#: What is set now is told in so few characters; more tells other things.
_PLAIN_CHARS = 70
#: How much it speaks for a clause that it rules in plain words.
_PLAIN = 5.0
_SETTLING = frozenset({"prohibit", "instead", "rule", "standing", "decide", "should", "define"})
_EXPLAINS = ("decided", "limit", "because", "recommend", "trap")


def titles_offered(reading: UnitReading) -> Iterator[tuple[str, float]]:
    """What could be the title: the user's clauses, what they agreed to, and how the agent took it up."""
    unit, is_item = reading.unit, reading.proposal.how is ReplyMatch.ITEM
    if unit.sort is UnitRole.ANSWER:
        yield _answer_title(unit), 3.0
        return
    text = without_choice(lead_off(unit.text)) if is_item else unit.text
    yield from _own_titles(text)
    if (raised := _raised_before(unit, text)) and not is_item:
        yield f"{raised}: {lower(statement(text))}", 4.0 + _PLAIN
    if not is_item and (chosen := named_choice(reading)):
        yield chosen, 9.0
    if is_item:
        yield from _choice_titles(reading, text)
    first = statement(next(iter(sentences(text)), ""))
    if lacks_subject(first) or (_PART.match(first) and not has_a_verb(first)):
        yield from ((title, bonus) for title, bonus in _told_titles(reading) if len(title) <= _PLAIN_CHARS)
    elif PUTS_RIGHT_AT_ONCE.match(text) or (plain_rulings(text) and not reading.rules_itself):
        yield from _told_titles(reading)
    # Who says "always" says what, unless it is all that they say.
    if (
        reading.is_nod
        and ("standing" not in reading.cues or _rules_on_nothing(unit.text))
        and not _rules_itself(unit.text)
    ):
        yield from _agreed_titles(reading)


def _raised_before(unit: Unit, text: str) -> str:
    """What was said right before a rule on "it": "the lamps sit behind glass. never clean them wet"."""
    own = statement(text)
    if not points_back(own):
        return ""
    before = [span.of(unit.message.text) for span in sentence_spans(unit.message.text, 0, unit.span.start)]
    if not before or before[-1].endswith("?"):
        return ""
    said = statement(before[-1]).rstrip(". !")
    is_told = len(topics(said)) >= _LEAST_RAISED and not is_errand(said) and not points_back(said)
    return said if is_told and len(said) + len(own) < TITLE_CHARS else ""


def _own_titles(text: str) -> Iterator[tuple[str, float]]:
    """What the user says, clause by clause."""
    before, said = "", list(sentence_spans(text))
    for span in said:
        sentence = span.of(text)
        whole = statement(sentence)
        if is_put_off(sentence):
            # Until when says nothing without what, and what says nothing without when.
            yield whole, 2 * _PLAIN
        if before and (_rules_on_nothing(sentence) or _goes_on(before, sentence)):
            yield f"{before}: {lower(whole)}", 4.0 + _PLAIN
        if (led := _GOES_FOR.match(sentence)) is not None:
            yield f"{statement(led['what'])}: {lower(statement(led['rule']))}", 4.0 + _PLAIN
        # "Uploads fail on slow lines. give it 12 seconds": nobody knows what "it" is without what is wrong.
        if rules_plainly(sentence) and points_away(sentence) and len(topics(before)) >= OWN_POINT:
            yield f"{before}: {lower(whole)}", _PLAIN + 1.5
        # "The SDK is not thread safe. so never call it from an interrupt": the order is on what was said before.
        if before and (led := _SO_DO.match(sentence)) is not None and is_order(led["point"]):
            yield f"{before}, so {lower(led['point'].rstrip('. '))}", 3.0
        before = whole.rstrip(".?")
        is_ban = _BANS.match(whole) is not None
        for clause, bonus in clauses_of(sentence):
            title, cues = statement(clause), user_cues(clause)
            # Behind what is forbidden stands why.
            is_why = is_ban and not _BANS.match(title) and not cues & _SETTLING
            is_why = is_why or _OTHERWISE.match(clause) is not None
            # Words that settle something count, though the title does without them: "we don't need", "from now on".
            lost = (cues - user_cues(title)) & {"prohibit", "rule", "standing"}
            is_news = tells_change(clause) and not tells_change(title)
            # What rules plainly is the point, whatever somebody complains of before it.
            is_plain = len(said) > 1 and rules_plainly(clause) and not points_away(clause)
            yield title, bonus + 1.2 + 0.4 * len(lost) + 2.0 * is_news - 2.5 * is_why + _PLAIN * is_plain
        # What one says to do is the point; what stands before it, and behind a comma, is why.
        if span.start and (point := _LETS.match(sentence)) is not None:
            yield statement(point.group()), 5.0
        # "It checks itself, so overwrite everywhere, drop swap": the same behind "so".
        if (led := _SO.search(sentence)) is not None and any(map(is_order, led["point"].split(", "))):
            # An order that is all on "it" says nothing alone.
            yield statement(led["point"]), 5.0 if ", " in led["point"] or not _OF_IT.search(led["point"]) else 0.0


def named_choice(reading: UnitReading) -> str:
    """What was taken of the things that the agent named, and what was said to it: "dnd-kit. the keyboard matters"."""
    unit, turn = reading.unit, reading.unit.turn
    said = sentences(unit.text)
    if unit.place or turn is None or len(said) < 2 or said[1].endswith("?"):
        return ""
    name = lead_off(said[0]).strip(" .!,")
    about = topics(name)
    is_named = (
        bool(about)
        and len(name.split()) <= _NAME_WORDS
        and _NO_NAME.fullmatch(name) is None
        and name.lower() in turn.proposal.lower()
    )
    is_name = is_named and not has_a_verb(name) and not user_cues(name)
    return f"{name}: {lower(statement(said[1]))}" if is_name and topics(said[1]) - about else ""


def _told_titles(reading: UnitReading) -> Iterator[tuple[str, float]]:
    """What is so now, as the agent took up a ruling that names nothing: "give them a week"."""
    turn, taken_up = reading.unit.turn, reading.confirmation
    spoken_of = topics(f"{reading.unit.message.text[:_TOLD]} {reading.proposal.text}")
    text = taken_up.text if taken_up is not None else turn.after[0].text[:_TOLD] if turn and turn.after else ""
    for span in sentence_spans(text):
        told = agents_statement(span.of(text))
        title = _NOW.sub("", told)
        if TALKING.search(title) or STATUS.search(title) or topics(title).isdisjoint(spoken_of):
            continue
        is_news = tells_change(told) and stands_alone(title) and not is_passing(title)
        if _IS_SET.search(told) or is_news:
            yield title, 6.5


def _choice_titles(reading: UnitReading, text: str) -> Iterator[tuple[str, float]]:
    """What the user chose from a list, and what they said to it."""
    unit, passages = reading.unit, reading.proposal.passages
    if len(passages) > 1 and is_choice(unit):
        own = "" if BESIDES.search(text) else statement(text)
        yield with_ruling(heads(passages), own if RULES_OUT.match(text) else ""), 8.0
    elif passages and CHANGES_CHOICE.match(text) and is_choice(unit):
        # "Second one but with sqlite" changes what was offered.
        changed, *more = sentences(text)
        yield f"{replied_to(reading)}, {lower(changed.strip(' .'))}", 8.0
        # "b but not the mean. take 120 mA, …": what it is set to is the point.
        yield from ((f"{option_name(reading)}: {without_setting(one)}", 9.0) for one in more[:1] if lacks_subject(one))
        return
    # What was chosen leads what was said to it, and not what shall be done besides.
    worth = 4.0 if is_choice(unit) else 2.0
    if passages and (worth > 2 or len(words(unit.text)) < 16):
        own = "" if BESIDES.search(text) else statement(text)
        # Who answers several points says in their own words what holds for each.
        if unit.mark and unit.siblings > 1 and worth < 4 and topics(own) and not is_refused(reading):
            worth = 6.0
        yield with_ruling(replied_to(reading), own), 0.0 if _makes_its_point(own) else worth


def _agreed_titles(reading: UnitReading) -> Iterator[tuple[str, float]]:
    """What the user agreed to, as the agent had put it."""
    unit, proposal = reading.unit, reading.proposal
    if not proposal.passages or _holds_against(reading):
        return
    asked = asked_for(proposal.passages[0].text)
    if asked and answers_openly(reading):
        # "15 min is fine" answers what was asked, and nothing else that the agent said.
        yield with_ruling(asked, statement(unit.text)), 4.0
        return
    # Who brings things of their own says what they mean: "flow is fine. cache in the shop then, redis, 1h".
    said = topics(lead_off(unit.text))
    if len(said) >= OWN_POINT and len(said - topics(proposal.text)) >= _ADDED:
        return
    # Who takes one of two ways does not say both.
    is_either = bool(said) and _EITHER.search(proposal.passages[0].text) is not None
    is_yes = "agree" in reading.cues or not said
    if not is_yes and not _proposes(proposal.passages[0].text):
        # What the agent reports takes no answer: "coffee first".
        return
    offered = agents_titles(proposal.passages[0].text, 1.5, is_taken=is_yes)
    yield from (one for one in offered if not (is_either and _EITHER.search(one[0])))
    # The agent's words are the user's only where the user said no more than yes.
    if reading.confirmation is not None:
        yield from agents_titles(reading.confirmation.text, 0.0 if "?" not in unit.text else 0.7, reading.whole)


def _proposes(text: str) -> bool:
    """Whether an agent asks, offers or advises."""
    return "?" in text or bool(agent_cues(text) & {"offer", "recommend"})


def _holds_against(reading: UnitReading) -> bool:
    """Whether a reply takes back a part of what the agent said: "ok one Makefile, no includes though", "no helm"."""
    said = lead_off(reading.unit.text)
    ruled_out = RULES_OUT.match(reading.unit.text)
    if ruled_out is not None and topics(ruled_out["what"]) & topics(reading.proposal.text):
        return True
    is_part = _BUT_NOT.search(said) is not None and len(topics(said)) >= _ADDED
    return is_part or _ONLY.match(said) is not None


def _rules_itself(text: str) -> bool:
    """ "Yes please. Make sure all fields have tooltips" agrees, and says what to do in words of its own."""
    said = (one for one in sentences(text) if not one.endswith("?"))
    return any((user_cues(one) & _SETTLING or tells_change(one)) and len(topics(one)) >= OWN_POINT for one in said)


def _goes_on(before: str, sentence: str) -> bool:
    """Whether a sentence says where the short one before it holds: "we say du. everywhere, also in mails"."""
    return _WHERE_TO.match(sentence) is not None and 1 < len(before.split()) <= _SHORT_BEFORE


def _rules_on_nothing(sentence: str) -> bool:
    """ "Always 30, never less" says what holds, and not of what: that was said before it."""
    return "standing" in user_cues(sentence) and not topics(sentence) - RULE_WORDS


def _makes_its_point(own: str) -> bool:
    """Whether what was said to an item says enough without the item's name."""
    point = reasoned(own).statement
    return len(topics(point)) >= OWN_POINT and is_order(point) and stands_alone(point)


def _answer_title(unit: Unit) -> str:
    """The answer, led by what was asked when it does not stand alone."""
    said = unit.answer
    answer = statement(said)
    if answer[:1].lower() == said[:1]:
        # A name keeps its spelling: "uv".
        answer = said[:1] + answer[1:]
    answer = re.sub(r"\s*\(recommended\)", "", answer, flags=re.I)
    if (noted := _NOTED_AGAIN.fullmatch(answer)) is not None:
        answer = noted["said"]
    first = next(iter(sentences(answer)), "").rstrip(". ")
    is_part = _PART.match(first) is not None and not has_a_verb(first)
    if len(topics(answer)) >= _WHOLE_ANSWER and not is_part:
        return answer
    answer = lower(first) if is_part else answer
    return f"{headline(as_subject(_asked_of(unit.question)), 120)}: {answer}"


def _asked_of(question: str) -> str:
    """What a question put through a tool asks: its last sentence, or what stands before it where that says of what."""
    text = plain(_IN_BRACKETS.sub("", question))
    said = [span.of(text) for span in sentence_spans(text)]
    # What is told behind the question is none: "Where should they live? We have a folder for them."
    last = max((place for place, one in enumerate(said) if one.endswith("?")), default=len(said))
    said = said[: last + 1]
    said = [one.rstrip("?:. ") for one in said if topics(one)] or [plain(question).rstrip("?: ")]
    return said[0] if len(said) > 1 and _ON_IT.search(said[-1]) is not None else said[-1]


def agents_titles(
    text: str, bonus: float, about: frozenset[str] | None = None, *, is_taken: bool = True
) -> Iterator[tuple[str, float]]:
    """What an agent says, clause by clause, the nearer to what it is `about` the better. What it only asks is nothing
    to do unless somebody said yes to it."""
    for span in sentence_spans(text):
        if not is_taken and span.of(text).endswith("?"):
            continue
        for clause, more in clauses_of(span.of(text)):
            title = agents_statement(clause)
            if _AT_IT.match(title) or _NO_SUBJECT.match(title):
                continue
            # The agent's words make a title when they say again what the user spoke of.
            strange = 0.0 if about is None else 2.5 * (1 - min(1.0, len(topics(title) & about) / 2))
            yield title, bonus + more + 0.2 * len(agent_cues(clause) & set(_EXPLAINS)) - strange


def worth_as_title(text: str, reading: UnitReading) -> float:
    """How well a text stands alone as a title."""
    about = topics(text)
    worth = min(7, len(about)) * 0.45 + 2.5 * len(about & reading.whole) / max(1, len(about)) * (len(about) >= 3)
    worth += 0.4 * len(user_cues(text) & _SETTLING) + 1.5 * (stands_alone(text) + settles(text) - is_passing(text))
    worth -= 2.0 * ("?" in text) + 1.5 * bool(_DANGLING.match(text)) + 1.0 * bool(_POINTING.match(text))
    worth -= 0.8 * bool(_PERSONAL.search(text)) + 0.8 * bool(_PERSONAL.match(text)) + 0.8 * ("wondering" in text)
    worth -= 3.5 * bool(STATUS.search(text)) + 0.8 * text.endswith((":", "…", ",")) + 1.0 * (text.count("|") > 1)
    # What is so now is the point; what was wrong before is why.
    worth += 2.0 if tells_change(text) else -2.0 * bool(_TROUBLE.search(text))
    worth -= 4.0 * (_HAPPENED.search(text) is not None and not user_cues(text) & _SETTLING)
    # Until when something holds says not what.
    worth -= 2.0 * is_only_condition(text)
    # What is so "anyway" is why, not what.
    worth -= 4.0 * bool(_ANYWAY.search(text))
    worth -= (
        0.02 * max(0, len(text) - TITLE_CHARS)
        + 1.0 * (len(about) < 3)
        + 2.0 * (not about)
        + 0.5 * (text.count("`") % 2)
    )
    return worth - 0.5 * (text.count("(") != text.count(")"))
