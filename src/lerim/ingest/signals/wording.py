"""How a memory is said: a title that stands alone, and a body with the statement and its reason.

The exchange that it came from is not told: files get shared, and the quotes of its evidence have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from lerim.ingest.findings import Quote
from lerim.ingest.signals.answers import answer_given, question_of
from lerim.ingest.signals.bodies import NEW_VALUE, body_of, outcome_of
from lerim.ingest.signals.causes import (
    FOUND_CAUSE,
    GIVEN_UP,
    MENDED,
    asked_cause,
    cause_told,
    effect_before,
    tells_state_before,
    tells_trouble,
    titled,
    was_mended,
)
from lerim.ingest.signals.chosen import (
    asked_for,
    is_choice,
    is_refused,
    last_question,
    option_name,
    replied_to,
    with_ruling,
)
from lerim.ingest.signals.either import option_taken, said_no_to, way_taken
from lerim.ingest.signals.mended import is_mended_later
from lerim.ingest.signals.passing import LASTING, RULES_ANYWHERE, tells_what_is_there
from lerim.ingest.signals.phrasing import capital, impersonal, is_order, lower, reasoned
from lerim.ingest.signals.plain_words import (
    TITLE_CHARS,
    ended,
    fitting,
    headline,
    lead_off,
    plain,
    statement,
    without_tail,
)
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import Passage, ReplyMatch
from lerim.ingest.signals.rulings import points_away
from lerim.ingest.signals.stays import kept_so
from lerim.ingest.signals.subjects import (
    lacks_subject,
    limits_at_once,
    raised,
    raised_in,
    row_of,
    with_units,
    without_setting,
)
from lerim.ingest.signals.swaps import swap_in
from lerim.ingest.signals.text import clipped, topics
from lerim.ingest.signals.title_offers import OWN_POINT, agents_titles, named_choice, titles_offered, worth_as_title
from lerim.ingest.signals.titles import has_a_verb, is_errand, stands_alone, without_tasks
from lerim.ingest.signals.turns import Turn
from lerim.ingest.signals.units import Unit, UnitRole
from lerim.ingest.signals.values import Meant, value_said
from lerim.text.sentences import sentence_spans

QUOTE_WORDS = 60
#: What was tried leads why it does not work.
_LESSON = "Tried and given up: "
#: So much of what the agent said last may be what it asks.
_QUESTION_CHARS = 400
_EXCEPTS = re.compile(
    r"(?:but |and |aber |pero |mais )?"
    r"(?:only (?:in|on|for|the|when|if|with)|except|unless|not (?:in|on|for|the)|nur|außer|ausser"
    # "Well, drafts may be empty."
    r"|(?<!\w)(?:well|but|though|naja|aber|mais|pero),? (?:[\w'’-]+ ){1,5}?(?:may|can"
    r"|(?:is|are) (?:ok(?:ay)?|fine|allowed)|dürfen|darf|können|kann|peuvent|peut|pueden|puede)"
    r"|salvo|excepto|sauf|exceto|solo (?:en|el|la|para)|seulement"
    r"|(?:at least |mindestens |au moins )?"
    r"(?:until|till|up to|as long as|bis|jusqu['’](?:à|au|en)|hasta|até|fino a))(?!\w)",
    re.I,
)

_SAID_ABROAD = re.compile(
    r"\b(?:raus|rein|statt|anstatt|nimm|durch|gegen|tausch\w*|ersetz\w*|par|por|au lieu|à la place|en vez|en lugar"
    r"|fuera|entra|adieu|adiós|tschüss)\b",
    re.I,
)
_LED_IN = re.compile(r"(?:well|naja|though),? ", re.I)


#: For which case something is ruled, and a rule that goes on with the things of that case.
_CASE = re.compile(
    r"\W*(?:(?:and|also|so|ok(?:ay)?|then)[ ,]+)*"
    r"(?P<case>(?:when|if|once|whenever|wenn|sobald|quand|si|cuando|quando|se) [^:,.;?!]{4,50}): ",
    re.I,
)
_THE_THING = re.compile(
    r"(?:The|Die|Der|Das|Les?|La|Los|Las|El|Il|I|Gli) [\w-]+"
    r" (?:must|should|shall|stays?|are|is|gets?|have|has|may|can|müssen|muss|bleiben|bleibt|werden|wird|doivent|doit"
    r"|restent|reste|deben|debe|devono|deve)\b"
)


@dataclass(frozen=True, slots=True)
class Wording:
    """A memory's words."""

    title: str
    body: str


def worded(reading: UnitReading, session: SessionReading, related: UnitReading | None = None) -> Wording:
    """A title that stands alone, and a body of what was settled and why."""
    mend = session.speller.mended
    if not reading.unit.is_users:
        told = _agents(reading, session)
        return Wording(mend(told.title), told.body)
    if (
        meant := kept_so(reading)
        or value_said(reading, session)
        or _swapped(reading)
        or way_taken(reading)
        or said_no_to(reading)
    ) is not None:
        return Wording(mend(meant.statement), mend(meant.body))
    if not _is_named_from_a_tale(reading) and (given := answer_given(reading, session)) is not None:
        return Wording(mend(given.statement), mend(given.body))
    if (option := option_taken(reading, session)) is not None:
        title = headline(option.statement)
        return Wording(mend(title), mend("\n\n".join(filter(None, (option.body, outcome_of(reading))))))
    title = without_tasks(_with_exception(_best_title(titles_offered(reading), reading), reading.unit.text))
    title = _with_case(title, reading.unit)
    subject, point = _subject(reading, session, title)
    body = body_of(reading, title, related)
    if _was_planned_away(reading, title, session):
        return Wording(mend(f"{headline(title, TITLE_CHARS - len(MENDED))}{MENDED}"), mend(body))
    if not subject:
        is_told = 2 * len(topics(title) & topics(body)) >= len(topics(title))
        return Wording(mend(point or title), mend(body if is_told else f"{ended(title)} {body}"))
    led = f"{capital(subject)}: {lower(point)}"
    if not topics(subject) <= topics(body):
        # What the agent asked about it says less than the subject does.
        body = lead_off(body.removeprefix(last_question(reading.proposal.text)).lstrip())
        body = f"{capital(subject)}: {lower(body)}"
    return Wording(mend(led if len(led) <= TITLE_CHARS else headline(led)), mend(body))


def _was_planned_away(reading: UnitReading, title: str, session: SessionReading) -> bool:
    """Whether it tells what was wrong before a plan that was then carried out."""
    unit = reading.unit
    if unit.sort is not UnitRole.PLAN or not (_is_carried_out(unit.turn) or _is_carried_out(session.after(unit))):
        return False
    if is_order(title) or is_errand(title) or not has_a_verb(title):
        return False
    return tells_state_before(title) or tells_what_is_there(title)


def _is_carried_out(turn: Turn | None) -> bool:
    return turn is not None and turn.passed > 0 and bool(turn.after)


def _swapped(reading: UnitReading) -> Meant | None:
    """What a statement comes to that swaps one thing for another. A rule beside it is told in its own words, and so is
    what was said in another language."""
    if not reading.swaps or reading.cues & LASTING or _SAID_ABROAD.search(reading.unit.text) is not None:
        return None
    swap = swap_in(reading.unit.text)
    return Meant(swap.told, reasoned(reading.unit.text).why) if swap is not None else None


def _is_named_from_a_tale(reading: UnitReading) -> bool:
    """Whether the user takes what the agent named without asking: what it told of it is no question."""
    asked = reading.answer.question if reading.answer is not None else ""
    turn = reading.unit.turn
    is_told = turn is not None and bool(asked) and f"{asked.rstrip(' ?.:')}?" not in turn.proposal
    return is_told and bool(named_choice(reading))


def _agents(reading: UnitReading, session: SessionReading) -> Wording:
    """What an agent said, and what went wrong where it told the cause of that."""
    text = reading.unit.text
    is_lesson = GIVEN_UP in reading.cues
    cause = cause_told(text) if FOUND_CAUSE in reading.cues and not is_lesson else ""
    if not cause:
        title = _best_title(agents_titles(text, 1.0, is_taken=False), reading)
        if (
            not is_lesson
            and len(title) + len(MENDED) <= TITLE_CHARS
            and is_mended_later(title, reading.unit, session.talk)
        ):
            title += MENDED
        return Wording(headline(f"{_LESSON}{lower(title)}") if is_lesson else title, fitting(plain(text), 70))
    found = _effect(reading, session)
    effect = found[1] if found is not None else ""
    body = fitting(plain(ended(cause) if asked_cause(text) else text), 70)
    turn = reading.unit.turn
    is_mended = turn is not None and was_mended(turn, session.after(reading.unit), reading.unit.number)
    is_mended = is_mended and tells_trouble(f"{effect} {text}")
    title = titled(cause, effect, is_mended=is_mended)
    is_led = effect and title.startswith(effect[:20])
    return Wording(title, f"{ended(effect)} {body}" if is_led else body)


def _effect(reading: UnitReading, session: SessionReading) -> tuple[Turn, str] | None:
    """What went wrong, as the user reported it, when an agent told the cause."""
    unit = reading.unit
    return effect_before(session.talk.turns, unit.turn, unit.text) if unit.turn is not None else None


def _with_case(title: str, unit: Unit) -> str:
    """The title, led by the case that the sentence before it named, where it goes on with "the": "when somebody leaves:
    … the hours are kept"."""
    before = [span.of(unit.message.text) for span in sentence_spans(unit.message.text, 0, unit.span.start)]
    case = _CASE.match(before[-1]) if before and _THE_THING.match(title) else None
    led = f"{capital(case['case'])}: {lower(title)}" if case is not None else title
    return led if len(led) <= TITLE_CHARS else title


def _subject(reading: UnitReading, session: SessionReading, title: str) -> tuple[str, str]:
    """What a ruling is on that does not name it, or nothing where nobody knows, and the ruling. Two empty texts where
    it names that itself."""
    if reading.unit.sort is not UnitRole.WORDS:
        return "", ""
    point = "" if reading.unit.place else limits_at_once(reading.unit.text)
    if not (point or lacks_subject(title)):
        return "", ""
    is_chosen = reading.proposal.how is ReplyMatch.ITEM and is_choice(reading.unit) and not is_refused(reading)
    turn = reading.unit.turn
    subject = option_name(reading) if is_chosen else row_of(title, turn) or raised(reading, session) or _asked(reading)
    if not subject or topics(subject) <= topics(point or title):
        return "", with_units(title, turn)
    return subject, without_setting(statement(point) if point else with_units(title, turn))


def _asked(reading: UnitReading) -> str:
    """What the agent ended with asking, when the user begins with the answer."""
    unit, turn = reading.unit, reading.unit.turn
    if unit.place or turn is None or not turn.proposal.rstrip().endswith("?"):
        return ""
    return asked_for(turn.proposal[-_QUESTION_CHARS:])


def quotes(reading: UnitReading, related: UnitReading | None = None) -> tuple[Quote, ...]:
    """The words it rests on, verbatim: the user's first, then what they answered and how it was taken up."""
    found = [_quote(reading.unit)]
    # Who rules on something of their own does not answer what was said before it.
    says_enough = len(reading.about) >= OWN_POINT and bool(reading.cues & RULES_ANYWHERE)
    is_apart = (reading.rules_itself or says_enough) and not reading.answers_it
    chosen = 3 if reading.proposal.how is ReplyMatch.ITEM and is_choice(reading.unit) else 1
    passages = [] if is_apart else list(reading.proposal.passages[:chosen])
    if related is not None:
        found.append(_quote(related.unit))
        # What was answered says less than what came of it.
        passages = [] if reading.confirmation is not None else passages
    if (asked := question_of(reading)) is not None and asked not in passages:
        passages.insert(0, asked)
    if reading.confirmation is not None:
        passages.append(reading.confirmation)
    return (*found, *map(_quote, passages))


def source_of(reading: UnitReading, session: SessionReading, title: str) -> tuple[Quote, ...]:
    """Where the user named what the title leads with, when neither their ruling nor what it answers does."""
    strange = topics(title) - topics(f"{reading.unit.text} {reading.proposal.text}")
    if strange and FOUND_CAUSE in reading.cues and not reading.unit.is_users:
        found = _effect(reading, session)
        message = found[0].message if found is not None else None
        return () if message is None else (Quote(message.number, message.number, clipped(message.text, QUOTE_WORDS)),)
    source = raised_in(reading, session) if strange and reading.unit.is_users else None
    return (_quote(source),) if source is not None and strange & topics(source.text) else ()


def _quote(words_of: Unit | Passage) -> Quote:
    return Quote(words_of.number, words_of.number, clipped(words_of.text, QUOTE_WORDS))


def _best_title(offered: Iterator[tuple[str, float]], reading: UnitReading) -> str:
    """The offer that stands best alone. The first of equals wins."""
    ranked = [
        (worth_as_title(text, reading) + bonus, -place, text) for place, (text, bonus) in enumerate(offered) if text
    ]
    if not ranked:
        return headline(capital(plain(reading.unit.text)))
    return headline(_named(capital(without_tail(impersonal(reasoned(max(ranked)[2]).statement))), reading))


def _with_exception(title: str, text: str) -> str:
    """The title with what is said right after it to be excepted, or to hold now: without that it is false."""
    said = [span.of(text) for span in sentence_spans(text)]
    for one, after in pairwise(said):
        is_part = _EXCEPTS.match(after) or NEW_VALUE.match(after)
        if is_part and not after.endswith("?") and title.lower().rstrip(".") in plain(one).lower():
            whole = f"{title}; {lower(_LED_IN.sub('', plain(after), count=1).rstrip('. '))}"
            return whole if len(whole) <= TITLE_CHARS else title
    return title


def _named(title: str, reading: UnitReading) -> str:
    """The title, led by the item or the question that was replied to when it would not stand alone."""
    passages = reading.proposal.passages
    # "Two weeks is fine" says of what only together with what was asked.
    is_bare = points_away(title)
    if (stands_alone(title) and not is_bare) or not passages:
        return title
    is_item = reading.proposal.how is ReplyMatch.ITEM
    is_answer = reading.answers_it or (is_bare and reading.proposal.how is ReplyMatch.ASKED and not reading.unit.place)
    head = replied_to(reading) if is_item else asked_for(passages[0].text) if is_answer else ""
    is_said = not head or title.lower().startswith(head.lower()) or topics(head) <= topics(title)
    is_said = is_said or (is_item and title.lower().startswith(f"{option_name(reading).lower()}: "))
    led = title if is_said else with_ruling(head, title)
    # Of a question without its answer nobody learns anything.
    return led if len(led) <= TITLE_CHARS else title
