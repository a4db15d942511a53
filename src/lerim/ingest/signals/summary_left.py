"""What the user puts off, leaves undecided or names as still to do, turn by turn, and what of it was done after all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals import summary_later as put_off
from lerim.ingest.signals.phrasing import capital
from lerim.ingest.signals.summary_blocks import is_blocked
from lerim.ingest.signals.summary_tasks import StoryTurn, offered_items, tasks_of
from lerim.ingest.signals.summary_words import as_task, clipped, is_task, plain, prose, sentence, stems, visible
from lerim.ingest.signals.taken_back import taken_back_at_once
from lerim.sources.trace import Via
from lerim.text.leftovers import is_told_done
from lerim.text.sentences import sentence_spans, sentences

#: A reply of so many words leaves something as it is; a longer one speaks of other things.
_LEAVING_WORDS = 20
#: And so many of a longer one, by themselves.
_FEW_WORDS = 6
#: A part of a message that puts something off is short: a longer one tells how things are.
_PART_WORDS = 14
#: With so many words of its own a sentence says enough, whatever it points at.
_ENOUGH = 3
#: In so many last turns people say what is left.
_NEAR_THE_END = 2
#: So many words in common make something the same.
_SAME = 2
#: So much of what is put off has to be of a wish, for it to be wished.
_SHARE = 0.6
#: A list is spoken of by its numbers for so many turns.
_LIST_TURNS = 3
_PARTS = re.compile(r"[.!?;…]+(?:\s+|$)|,\s+|\n+|\s+[–—-]+\s+|\s+but\s+")


#: What was offered for now is left for another time.
_NOT_HERE = re.compile(
    r",? (?:in (?:this|the same) (?:commit|pr|change|branch|go|step|turn)|right (?:now|away)|now|today|here"
    r"|straight away"
    r"|immediately|while (?:i|we)['’ ]\w+ \w+(?: \w+)?)(?=\W*$)",
    re.IGNORECASE,
)
#: Before a question that is still one.
NOT_DECIDED = "Not decided:"
_RIGHT_AWAY = re.compile(
    r" (?:gleich|jetzt|direkt|sofort)(?= [^ ]+(?: werden)?$)| (?:maintenant|tout de suite|ahora(?: mismo)?|ya"
    r"|adesso|subito)$",
    re.IGNORECASE,
)
#: An answer of so many words says when, and why then.
_SHORT_REPLY = 12
_DENIES = re.compile(
    r"\W*(?:no|nope|nothing|none|not really|nein|nichts|kein\w*|non|rien|nada|não|niente|nee|niets)\b", re.IGNORECASE
)
_REFUSES = re.compile(r"\W*(?:no|nope|nah|nein|non)\b", re.IGNORECASE)
#: "No merge before …" begins with its point.
LEADS_IN = re.compile(
    r"^(?:(?:but|and|so|then(?= \w)|oh|also|ok(?:ay)?|yes|yeah|no(?=,)|nah|fine|good)\b,?\s+)+", re.IGNORECASE
)
_BY_ME = re.compile(r"^(?:i|we)(?:['’]?ll| will)? (?=\w+ \w)", re.IGNORECASE)


#: What is asked about could be done, used or had.
_COULD_BE_DONE = re.compile(
    rf"{put_off.NOD}(?:(?:should|shall|could|can|do) (?:i|we|you) (?:also |need to |have to |want to )?"
    r"(?:(?:have|need|use|support|want) )?|(?:what|how) (?:about|abt)|is there|are there|worth)"
    r"\s*(?P<thing>\w[^?]{3,80})\??$",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:it|that|this|them)\b", re.IGNORECASE)
#: What comes later in the same talk.
_IN_THIS_TALK = re.compile(
    r"(?:the )?(?:first|second|third|fourth|next|last|other|rest)(?: (?:one|thing|point|part|question|topic|issue))?"
    r"(?: (?:is|comes|we do|i do))?(?: for)? (?:later|then|after(?:wards)?)\W*",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(r"(?:what|why|how|who|when|where|which|is|are|was|does|did|has|have)\b", re.IGNORECASE)
_DATED = re.compile(r"(?:and |but )?(?:(?:that|this|it|those)(?:['’]?s| is| are) )?(?=\w)", re.IGNORECASE)
#: What came of the session is what somebody shows, and no other thing that was spoken of.
_SHOWS = re.compile(
    r"i(?:['’]?ll| will| can)? (?:show|tell|present|send|demo|discuss|bring|take|forward|give|explain)"
    r" (?:it|this|that)\b",
    re.IGNORECASE,
)
#: What was not run stands elsewhere: "I did not apply it to the cluster".
_RUNS_NOTHING = re.compile(
    r"(?:(?:i|we) (?:have ?n[o'’]t|have not|did ?n[o'’]?t|did not|could ?n[o'’]?t|could not)(?: yet)? \w+ (?:it|that"
    r"|this|them"
    r"|any of (?:it|that|them))\b|(?:nothing|none of (?:it|that)) (?:is|was|has been) \w+"
    r"|(?:ich habe?|habe ich) (?:\w+ )?(?:nichts|das|es|sie)\b|je n['’](?:en )?ai (?:rien|pas \w+ (?:ça|cela))"
    r"|no (?:lo |la |los |las )he\b|no he \w+ nada\b)",
    re.IGNORECASE,
)
#: What an agent says should be done, and was not.
_NEEDS = re.compile(
    rf"\b(?:needs?|would|could|should|braucht|brauchen|necesita|il faut)\b|{cues.WOULD.pattern}", re.IGNORECASE
)
#: Who says so has heard it, and no more.
_IS_FINE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yes|no|well|sure|thx|thanks|great|cool|nice|alright|ja|nein|oui|non|sí)\W+)*(?:that|this|it"
    r"|das|es|c['’]est|está|è)?"
    r"(?:['’]?s| is| ist| geht)? ?(?:fine|ok(?:ay)?|good|alright|all right|in ordnung|klar|schon ok|pas grave|bon|bien"
    r"|va bene)(?: (?:for (?:now|today|me)|so|then|erstmal|pour l['’]instant|por ahora))*\W*",
    re.IGNORECASE,
)
#: What somebody says they still have to do, or to have; not what has to stay so.
_STAYS_SO = r"(?:be|have|keep|support|stay|know|see|use|run|wait|work|allow|accept|care)\b"
_STILL_TO_DO = re.compile(
    r"(?:^|[,;] (?:and |but )?|\b(?:and|but) )(?P<left>(?:"
    rf"(?:we|i) still (?:have to|need to|must|should) (?!{_STAYS_SO})\w+ \w|(?:we|i) still (?:need|have) an? \w"
    r"|(?:wir müssen|ich muss) noch (?:den|die|das|einen?|alle)\b|(?:il (?:nous )?faut|on doit) encore \w"
    r"|todavía (?:tenemos|hay) que \w)[^.!?;]{3,})",
    re.IGNORECASE,
)
#: What somebody thinks of a thing is none.
_APPRAISES = re.compile(
    r"\W*(?:(?:h+m+|ok(?:ay)?|ah|oh|well|yes|no|but|and|that|it|this|sounds?|looks?|is|very|quite|really|so|all|too|das"
    r"|ist|klingt|c['’]est|muy|es|très|sehr|(?:that|it)['’]?s)\W+)*"
    r"(?:interesting|tempting|good|nice|cool|great|fair|clever|smart|fine|complicated|hard|tricky|right|true|possible"
    r"|useful|funny|impressive|spannend|interessant|verlockend|gut|schön|schlau|intéressant|tentant|interesante"
    r"|tentador|interessante)\W*",
    re.IGNORECASE,
)
_ONLY_BEGINS = re.compile(
    r"(?:start|begin|go ahead|continue|proceed|go on|do (?:it|that|so)|anfangen"
    r"|loslegen|beginnen|commencer|empezar)\W*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:(?:the|and|for|but) )*(?P<label>[\w][\w '/-]{2,40}):\s", re.IGNORECASE)


@dataclass(frozen=True)
class LeftThing:
    """Something left for another day, in a sentence, and the agent's sentences that it is made of."""

    text: str
    sources: tuple[str, ...] = ()
    #: Whether it is of the work that was begun: else that is done, and this comes besides.
    is_of_work: bool = False


def left_by_user(turns: Sequence[StoryTurn]) -> list[LeftThing]:
    """What the user left for another day or another person, or had not decided in the end; each once."""
    found: dict[str, LeftThing] = {}
    for number, turn in enumerate(turns):
        if turn.via is Via.TYPED:
            later = [*(one.text for one in turns[number + 1 :]), *(r for one in turns[number:] for r in one.replies)]
            for thing in _left_in(number, turns):
                if (
                    not _is_taken_back(thing, turn.text)
                    and not is_told_done(thing.text, later)
                    and not _is_taken_up(thing, turns[number + 1 :])
                ):
                    is_of_work = thing.is_of_work or _was_wished(thing, turns[:number])
                    found.setdefault(thing.text, replace(thing, is_of_work=is_of_work))
    return list(found.values())


def _is_taken_back(thing: LeftThing, text: str) -> bool:
    """Whether the user takes it back in the same breath: "don't send it today.. oh no, it's monday. go ahead"."""
    about = stems(thing.text)
    for span in sentence_spans(text):
        if about & stems(span.of(text)) and taken_back_at_once(span.of(text), text[span.end :]):
            return True
    return False


def _was_wished(thing: LeftThing, before: Sequence[StoryTurn]) -> bool:
    """Whether the user had asked for it, and puts it off only now."""
    said = thing.text.rstrip(".")
    wanted = stems(put_off.at_another_time(said) or put_off.named_for_later(said) or said)
    wishes = (stems(task.text) for task in tasks_of(before) if "?" not in task.text)
    return any(len(wanted & one) >= max(1, _SHARE * len(wanted)) for one in wishes) and not is_blocked(thing.text)


def left_by_agent(turns: Sequence[StoryTurn]) -> list[LeftThing]:
    """What the agent said on the way that somebody still has to do, and nobody came back to."""
    found: dict[str, LeftThing] = {}
    for number, turn in enumerate(turns[:-1]):
        later = turns[number + 1 :]
        if not turn.closing or _is_taken(turn, later[0]):
            continue
        is_work = any(one.edited for one in turns[: number + 1])
        for place, one in enumerate(turn.closing):
            is_left = cues.STILL_HAS_TO.search(one) or (is_work and is_not_run(one))
            text = with_subject(one, turn.closing[:place]) if is_left else ""
            told = [r for each in later for r in (each.text, *each.replies)]
            if text and _says_when(later[0].text) and not put_off.only_when(_first_sentence(later[0].text)):
                text = f"{text.rstrip('.')} ({put_off.without_nod(_first_sentence(later[0].text))})."
            if text and not one.endswith("?") and not is_told_done(one, told) and not _is_done_later(one, later):
                found.setdefault(one, LeftThing(text, (one,), is_of_work=True))
    return list(found.values())


def _is_taken(turn: StoryTurn, after: StoryTurn) -> bool:
    """Whether the user took up what the agent had said last, and did not only hear it: "that's ok"."""
    is_question = turn.closing[-1].endswith("?")
    if _IS_FINE.fullmatch(after.text):
        return is_question
    if cues.AGREES.fullmatch(after.text):
        return is_question or bool(after.edited) or any(map(cues.TELLS_PAST.match, after.closing))
    # "Yes, Ida sends them in June" says when somebody else will.
    return any(map(cues.POINTS_AT.match, _first_words(after.text))) and not _says_when(after.text)


def _says_when(reply: str) -> bool:
    first = put_off.without_nod(_first_sentence(reply))
    return put_off.names_a_time(first) and not first.endswith("?") and not is_task(as_task(first))


def is_not_run(said: str) -> bool:
    """Whether an agent says of something that is there that it was not run; no reason for what went wrong."""
    return cues.NOT_RUN.search(said) is not None and cues.TELLS_WHY.search(said) is None and not said.endswith("?")


def _first_words(text: str) -> list[str]:
    return [as_task(one) for one in sentences(plain(visible(text)))[:1]]


def _is_done_later(text: str, later: Sequence[StoryTurn]) -> bool:
    """Whether somebody spoke of it again: then what they said of it last is told."""
    wanted = stems(text)
    said = (one for turn in later for one in (turn.text, *turn.closing))
    # Who puts it off has not done it.
    return any(len(wanted & stems(one)) >= min(_SAME, len(wanted)) and not put_off.names_a_time(one) for one in said)


def _is_taken_up(thing: LeftThing, later: Sequence[StoryTurn]) -> bool:
    """Whether the user came back to it, and the agent did it."""
    wanted = stems(put_off.named_for_later(thing.text.rstrip(".")) or thing.text)
    for turn in later:
        asked = [one for one in _parts(turn.text) if not _is_put_off(one, (), ()) and not put_off.named_for_later(one)]
        shared = max((len(wanted & stems(one)) for one in asked), default=0)
        is_of_it = shared >= min(_SAME, len(wanted)) and shared * 2 >= len(wanted)
        if shared and is_of_it and (turn.edited or any(map(cues.TELLS_PAST.match, turn.closing))):
            return True
    return False


def _left_in(number: int, turns: Sequence[StoryTurn]) -> Iterator[LeftThing]:
    turn, before = turns[number], turns[number - 1] if number else None
    by_number = [LeftThing(one, (one,)) for one in _numbered(number, turns)]
    if by_number:
        yield from by_number
        return
    named = [*_done_then(turn, before), *_named(turn, before, is_near_end=number >= len(turns) - _NEAR_THE_END)]
    named = [one for one in named if not _is_small_talk(one.text)]
    thing = (
        (_undecided(number, turns) or _told_before(turn, before, is_named=bool(named))) if before is not None else None
    )
    if thing is None and not named and number > 1:
        thing = _told_earlier(turn, turns[number - 2])
    is_heard = put_off.acknowledges(turn.closing) and _REFUSES.match(turn.text) is None
    if thing is None and not named and not turn.edited and is_heard:
        asked = [one for one in _asked_in(turn) if put_off.names_a_time(one)]
        asked = [one for one in asked if not any(map(_IN_THIS_TALK.fullmatch, _parts(one)))]
        asked = [one for one in asked if not any(map(_APPRAISES.fullmatch, _parts(one)))]
        named = [LeftThing(sentence(one)) for one in asked if not _is_small_talk(one)]
    if thing is not None and any(_says_more(one.text, thing.text) for one in named):
        thing = None  # The user names the thing, and what it waits for.
    named = [_in_full(one, turn.text, before.closing) if before is not None else one for one in named]
    if thing is not None:
        # What the agent said of it says more than "mail next week" does.
        yield thing
        named = [one for one in named if not one.sources and stems(one.text).isdisjoint(stems(thing.text))]
        named = [one for one in named if not any(map(put_off.approves, _parts(one.text)[:1]))]
    yield from named


def _in_full(thing: LeftThing, reply: str, closing: Sequence[str]) -> LeftThing:
    """A thing in a word or two ("leave the text for now"), by what the agent had said of it, and why, in the words of
    the user's sentence."""
    said = thing.text.rstrip(".")
    about = stems(put_off.named_for_later(said) or put_off.at_another_time(said))
    if not about or len(about) >= _SAME or thing.sources:
        return thing
    own = (LEADS_IN.sub("", one).rstrip(".") for one in prose(reply))
    whole = next((one for one in own if one.lower().startswith(said.lower())), "")
    if len(said) < len(whole) and len(whole.split()) <= _LEAVING_WORDS:
        said = whole
        thing = replace(thing, text=sentence(capital(said)))
    told = [one for one in closing if about <= stems(one) and not cues.TELLS_DEED.match(one)]
    told = [one for one in told if _is_still_to_do(one) or _NEEDS.search(one) or one.endswith("?")]
    if not told:
        return thing
    offered = cues.TRAILING_OFFER.sub("", told[-1]).rstrip(" .?")
    return LeftThing(sentence(f"{offered} ({said[:1].lower()}{said[1:]})"), (told[-1],), thing.is_of_work)


def _is_small_talk(text: str) -> bool:
    return all(
        cues.FAREWELL.fullmatch(one) or cues.is_filler(one) or cues.is_small_talk(one) for one in sentences(text)
    )


def _says_more(named: str, told: str) -> bool:
    return bool(put_off.condition_in(named)) and not stems(named).isdisjoint(stems(told))


def with_subject(text: str, before: Sequence[str]) -> str:
    """A sentence that only points at its thing ("It's not built"), led by the last one before it that names one; where
    none does, the sentence if it says enough itself."""
    if not cues.POINTS_AT.search(text) and not _RUNS_NOTHING.match(text):
        return text
    named = next((one for one in reversed(before) if _names_something(one)), "")
    if not named:
        return text if len(stems(text)) >= _ENOUGH else ""
    thing = clipped(as_task(named).rstrip(" .?"), 16)
    is_same = is_task(thing) and cues.ONLY_POINTS.fullmatch(text.rstrip(" .?!"))
    return sentence(thing if is_same else f"{thing}: {text[:1].lower()}{text[1:]}")


def _names_something(text: str) -> bool:
    return len(stems(text)) > 1 and not any(
        (cues.POINTS_AT.search(text), cues.is_filler(text), cues.PRAISES.fullmatch(text), cues.CHECKED.match(text))
    )


@lru_cache(maxsize=512)  # A message is asked for several times.
def _parts(text: str) -> tuple[str, ...]:
    said = (plain(line) for line in visible(text).splitlines())
    return tuple(bare for line in said for one in _PARTS.split(line) if (bare := one.strip(" ,;-–—")))


# --- what the agent had told or offered -------------------------------------------------------------------------------


def _told_before(turn: StoryTurn, before: StoryTurn, *, is_named: bool) -> LeftThing | None:
    """What an agent said last that the reply leaves as it is, for another day or another person; where the reply names
    something itself, only what was said to be left or offered."""
    closing, reply = before.closing, turn.text
    left = [one for one in closing if cues.TELLS_LEFT.search(one) and not cues.TELLS_DEED.match(one)]
    is_bare = any(put_off.is_left_for_later(one) and not _is_heard(one, turn) for one in _first_parts(reply, closing))
    if turn.edited and any(map(put_off.is_put_on_list, _parts(reply))):
        return None
    if not closing or not (is_bare or (left and _leaves_it(reply))) or _says_goodbye(reply):
        return None
    offer = next((one for one in reversed(closing) if cues.OFFER.match(one)), "")
    could = next((one for one in reversed(closing) if cues.COULD.match(one)), "")
    last = closing[-1]
    asked = next((one for one in reversed(closing) if one.endswith("?") and not cues.COURTESY.search(one)), "")
    proposed = next((one for one in reversed(closing) if cues.TRAILING_OFFER.search(one) and one.endswith("?")), "")
    plain_last = "" if asked or last.endswith("?") or cues.TELLS_DEED.match(last) or cues.is_filler(last) else last
    plain_last = "" if is_named else plain_last
    said = offer or (left[-1] if left else "") or could or proposed or plain_last or asked
    if not said:
        return None
    if said == plain_last and not cues.STILL.search(said) and (question := _question_of(before)):
        # The agent only answered: what was asked about is left.
        # What was answered with a no is not left.
        about = _asked_about(question) if _DENIES.match(before.replies[-1]) is None else ""
        waits = next(filter(None, map(put_off.condition_in, _first_parts(reply))), "")
        # "Do that by itself" says little without what would do it.
        about = f"{about}: {clipped(closing[0].rstrip('.'), 14)}" if about and _POINTS.search(about) else about
        return LeftThing(sentence(f"{about} ({waits})" if waits else about), (*closing,)) if about else None
    found = cues.OFFER.match(said) or cues.COULD.match(said)
    when = _time_told(reply) if said in (offer, asked) else ""
    if when and (found is None or put_off.IS_SOME_DAY.fullmatch(_parts(when)[0]) is None):
        deed = _named_deed(found["deed"], before) if found is not None else asked
        return LeftThing(_dated(deed, when), (said,))  # That is decided.
    text = sentence(capital(found["deed"])) if found is not None else f"{NOT_DECIDED} {said}" if said is asked else said
    text = sentence(cues.TRAILING_OFFER.sub("", text)) if said is proposed and found is None else text
    asked_for = _asked_in(before)
    if found is None and said == plain_last and asked_for and cues.WOULD.search(said):
        text = sentence(asked_for[-1])  # How it would be done is not what is left.
    earlier = [*asked_for, *closing[: closing.index(said)]]
    told = with_subject(_NOT_HERE.sub("", text) if found is not None else text, earlier)
    waits = next(filter(None, map(put_off.condition_in, _first_parts(reply))), "")
    told = f"{told.rstrip('.')} ({waits})." if told and waits else told
    is_of_work = said not in (offer, could) and (said is asked or _is_still_to_do(said))
    return LeftThing(told, (said, *closing[: closing.index(said)]), is_of_work) if told else None


def _named_deed(deed: str, before: StoryTurn) -> str:
    """What was offered; where that only is to begin, what the user had asked about."""
    named = next(filter(_names_something, _parts(before.text)), "") if _ONLY_BEGINS.fullmatch(deed) else ""
    return named or deed


def _time_told(reply: str) -> str:
    """When, in the words of a reply that says so first, with what it says of why; nothing where it names a thing."""
    told = put_off.without_nod(_first_sentence(reply))
    when = next(iter(_parts(told)), "")
    if not put_off.only_when(when):
        return ""
    return told if len(told.split()) <= _SHORT_REPLY else when


def _first_sentence(reply: str) -> str:
    return next(iter(sentences(plain(visible(reply)).strip())), "").rstrip(" .!")


def _dated(asked: str, when: str) -> str:
    """What was offered or asked about, as something to do then."""
    thing = _RIGHT_AWAY.sub("", _NOT_HERE.sub("", asked.strip(" ?¿")))
    return sentence(f"{capital(as_task(thing).rstrip('?'))} ({when[:1].lower()}{when[1:]})")


def _is_still_to_do(said: str) -> bool:
    return cues.STILL.search(said) is not None or cues.REMAINING.search(said) is not None


def _question_of(turn: StoryTurn) -> str:
    """The question that a turn asked, if that is all that it wanted."""
    asked = [one for one in prose(turn.text) if one.endswith("?") or _COULD_BE_DONE.match(one)]
    return asked[-1] if asked and not turn.edited else ""


def _asked_about(question: str) -> str:
    """What a question is about that could be done: "should we backfill 2020?"; nothing of one that asks how it is."""
    found = _COULD_BE_DONE.match(question)
    return capital(found["thing"].strip()) if found is not None else ""


def _told_earlier(turn: StoryTurn, before: StoryTurn) -> LeftThing | None:
    """What an agent said to be left before it did what was asked last: "commit it as it is", and then "tomorrow"."""
    left = [one for one in before.closing if cues.TELLS_LEFT.search(one) and not cues.TELLS_DEED.match(one)]
    told = with_subject(left[-1], before.closing[: before.closing.index(left[-1])]) if left else ""
    is_put_off = bool(told) and put_off.is_left_for_later(turn.text)
    return LeftThing(told, tuple(before.closing), is_of_work=True) if is_put_off else None


def _first_parts(reply: str, told: Sequence[str] = ()) -> list[str]:
    """What a reply begins with: who leaves something says so first. What stands behind a thing of the reply's own is of
    that, and not of what was `told`: "dark mode? not now"."""
    parts = list(islice(_parts(reply), 2))
    is_of_own = len(parts) > 1 and put_off.only_when(parts[1]) and _names_something(parts[0])
    is_of_own = is_of_own and not put_off.approves(parts[0])
    if told and is_of_own and not any(stems(parts[0]) & stems(one) for one in told):
        return [one for one in (plain(reply), parts[0]) if not put_off.FINISHES_LATER.search(one)]
    first = [plain(reply), *sentences(plain(reply))[:2], *parts]
    bare = [one for one in first if not put_off.FINISHES_LATER.search(one)]
    return [one for one in bare if not any(map(put_off.is_kept_by_user, _parts(one)))]


def _leaves_it(reply: str) -> bool:
    """Whether a short reply, or a few words of a longer one, leave something: "makes sense. alert next week. btw …"."""
    is_short = len(reply.split()) <= _LEAVING_WORDS
    told = [reply] if is_short else [one for one in sentences(reply)[:3] if len(one.split()) <= _FEW_WORDS]
    return any(cues.LEAVES_IT.search(one) or put_off.names_a_day_abroad(one) for one in told)


def _asked_in(turn: StoryTurn) -> list[str]:
    return [task.text for task in tasks_of([turn])]


# --- what the user names ----------------------------------------------------------------------------------------------


def _numbered(number: int, turns: Sequence[StoryTurn]) -> list[str]:
    """The points of the agent's list that the user puts off by their numbers: "3 i do tmrw"."""
    found = [one for part in _parts(turns[number].text) if (one := put_off.NUMBER_PUT_OFF.fullmatch(part))]
    marks = {mark.lower() for one in found for mark in re.findall(r"\d+|\b[a-e]\b", one["marks"], re.IGNORECASE)}
    for before in reversed(turns[max(0, number - _LIST_TURNS) : number]) if marks else ():
        items = offered_items(before)
        if picked := [clipped(text, 20) for mark, text in items.items() if mark in marks]:
            waits = next(filter(None, (put_off.condition_in(one[0]) for one in found)), "")
            return [sentence(f"{one.rstrip('.')} ({waits})" if waits else one) for one in picked]
    return []


def _undecided(number: int, turns: Sequence[StoryTurn]) -> LeftThing | None:
    """The question that the user could not answer yet, with the ways between which they waver."""
    turn, before = turns[number], turns[number - 1]
    parts = _parts(turn.text)
    is_asking = any(one.endswith("?") for one in before.closing) or bool(offered_items(before))
    wavers = [found for found in map(cues.WAVERS.search, parts) if found is not None]
    # "The names i have to ask the customer" leaves no question open that was asked.
    if not (any(" ask " not in one[0] for one in wavers) or (wavers and is_asking)) or cues.LEAVES_CHOICE.search(
        turn.text
    ):
        return None
    items = offered_items(before)
    # "2 now. 1 or 3 …" wavers between two.
    wavering = [one for one in parts[:3] if not re.search(r"\b(?:now|please|pls|yes)\b", one)]
    marks = [mark.lower() for one in wavering for mark in re.findall(r"\b(?:\d|[a-e])\b", one)]
    ways = " or ".join(clipped(items[mark], 10).rstrip(".") for mark in dict.fromkeys(marks) if mark in items)
    asked = next((one for one in reversed(before.closing) if one.endswith("?")), "")
    named = with_subject(asked, [*_asked_in(before), *before.closing]) if len(stems(asked)) > 1 else ""
    wish = next(iter(_asked_in(before)), "")
    if not asked and not ways and not wish.endswith("?") and not is_task(wish):
        wish = next((one.text for one in tasks_of(turns[:number])), wish)
    about = named or ("" if ways and is_task(wish) else wish) or ("" if ways else " ".join(before.closing[-1:]))
    if not stems(f"{about} {ways}"):
        return None
    about = clipped(about.rstrip(" .?"), 18)
    known = stems(about) | stems(ways)
    if any(len(stems(one.text) & known) > 1 or cues.CHOOSES.match(one.text) for one in turns[number + 1 :]):
        return None  # They came back to it.
    text = sentence(f"{NOT_DECIDED} {' – '.join(filter(None, (about, ways)))}")
    return LeftThing(text, (*before.closing[-1:], asked, *items.values()), is_of_work=True)


def _named(turn: StoryTurn, before: StoryTurn | None, *, is_near_end: bool) -> Iterator[LeftThing]:
    """What the user says is left ("the upload is still missing"), or is for another day or another person."""
    closing = before.closing if before is not None else []
    wishes = _asked_in(before) if before is not None else []
    said: list[str] = []
    for one in prose(turn.text):
        if (told := _said_whole(one, is_near_end=is_near_end)) is not None:
            if not _is_heard(told.text, turn):
                yield told
            continue
        parts = _parts(one)
        if not turn.edited and put_off.is_put_on_list(parts[-1] if parts else ""):
            yield from _noted(parts[:-1] or said[-1:], before)
            continue
        for place, part in enumerate(parts):
            is_dated = _names_something(part) and place + 1 < len(parts) and put_off.only_when(parts[place + 1])
            if _IN_THIS_TALK.fullmatch(part) or (is_dated and "?" not in one and not put_off.only_when(part)):
                continue  # What comes next is told below, or with what it waits for.
            if put_off.only_when(part) and (thing := _dated_by(place, parts, one, said)):
                yield from () if _is_heard(thing, turn) else (_with_time(thing, part, one),)
                continue
            if put_off.is_done_by_somebody(part):
                yield from _theirs(part, (*said[-1:], *parts[:place])[-1:], closing)
                continue
            is_named = not put_off.FINISHES_LATER.search(part) and (
                put_off.is_kept_by_user(part)
                or put_off.named_for_later(part)
                or (place and put_off.follows_for_now(parts[place - 1], part))
            )
            if part.endswith("?") or not (is_named or _is_put_off(part, closing, wishes)):
                continue
            whole = [one[: one.find(part)].strip(" ,;-–—")] if place and part in one else []
            earlier = [*(_asked_in(before) if before is not None else ()), *closing, *said, *parts[:place], *whole]
            # What was asked is answered by now.
            bare = LEADS_IN.sub("", part)
            text = bare if _SHOWS.match(bare) else with_subject(bare, [one for one in earlier if "?" not in one])
            if (label := _LABEL.match(one)) and put_off.is_their_turn(part):
                text = f"{label['label']}: {text}"
            if text and not _is_heard(part, turn):
                is_theirs = is_named and put_off.is_of_user(text)
                left = f"For the user: {text.rstrip('.')}." if is_theirs else sentence(capital(text))
                yield LeftThing(left, () if text == part else tuple(closing))
        said.append(one)


def _done_then(turn: StoryTurn, before: StoryTurn | None) -> Iterator[LeftThing]:
    """What was asked for right before and is tried another time: "revert then, we do that in December"."""
    wishes = _asked_in(before) if before is not None else []
    for when in filter(None, map(put_off.when_it_is_done, _parts(turn.text) if wishes else ())):
        yield LeftThing(sentence(f"{capital(wishes[-1].rstrip(' .?'))} ({when})"), is_of_work=True)


def _with_time(thing: str, when: str, whole: str) -> LeftThing:
    """What a time stands beside, with that; "Migrate" alone says nothing."""
    bare = LEADS_IN.sub("", thing)
    wish = as_task(bare if len(stems(bare)) > 1 else clipped(whole, 20)).rstrip("?")
    return LeftThing(sentence(f"{capital(wish)} ({_DATED.sub('', when, count=1)})"))


def _noted(parts: Sequence[str], before: StoryTurn | None) -> Iterator[LeftThing]:
    """What somebody wants noted for later; what it points at is what they had asked, and were told."""
    named = LEADS_IN.sub("", ", ".join(parts))
    pointed = (
        [*_asked_in(before)[-1:], *(LEADS_IN.sub("", one) for one in before.closing[:1])]
        if before is not None and _POINTS.search(named)
        else []
    )
    told = f"{as_task(named)} ({' '.join(map(sentence, pointed)).rstrip('.')})" if pointed else as_task(named)
    if stems(told):
        yield LeftThing(sentence(told), tuple(before.closing) if before is not None and pointed else ())


def _dated_by(place: int, parts: Sequence[str], whole: str, said: Sequence[str]) -> str:
    """What a time that stands by itself is said of: what stands before it, or was named in the sentence before."""
    if place == 0:
        named = said[-1] if said else ""
        is_short = named.endswith("?") and len(named.split()) <= _FEW_WORDS and _QUESTION_WORD.match(named) is None
        return named.rstrip("?") if is_short and _names_something(named) else ""
    if "?" in whole or not _names_something(parts[place - 1]) or _APPRAISES.fullmatch(parts[place - 1]):
        return ""
    # "Alert on open streams, > 3 per courier" is one thing.
    return parts[place - 1] if parts[place - 1][:1].isalpha() else ", ".join(parts[max(0, place - 2) : place])


def _says_goodbye(reply: str) -> bool:
    """Whether "later" only ends the talk: "then I'm off for lunch. later"."""
    *before, last = sentences(plain(visible(reply)).strip()) or [""]
    is_last = put_off.only_when(last.strip(" .!")) and any(map(cues.is_small_talk, before))
    return is_last and all(map(_is_small_talk, before))


def _said_whole(one: str, *, is_near_end: bool) -> LeftThing | None:
    """What a whole sentence says is left, or waits for a word of somebody."""
    if (told := cues.NAMES_LEFT.search(one) if is_near_end else None) is not None:
        return LeftThing(sentence(capital(told["rest"] or told["thing"])), is_of_work=True)
    if is_near_end and (told := _STILL_TO_DO.search(one)) is not None and len(one.split()) <= _LEAVING_WORDS:
        return LeftThing(sentence(capital(told["left"])))
    if rest := put_off.rest_for_later(one):
        return LeftThing(sentence(capital(rest)))
    return LeftThing(sentence(capital(LEADS_IN.sub("", one)))) if is_blocked(one) else None


def _theirs(part: str, before: Sequence[str], closing: Sequence[str]) -> Iterator[LeftThing]:
    """What somebody does, with what they do: named right before, or spoken of by the agent as left."""
    named = next((one for one in before if _names_something(one) and not cues.AGREES.fullmatch(one)), "")
    is_pointed = put_off.points_at_it(part)
    if is_pointed and named:
        yield LeftThing(sentence(capital(f"{clipped(named.rstrip(' .'), 12)}: {part}")))
    elif not is_pointed and any(cues.STILL.search(one) and stems(one) & stems(part) for one in closing):
        yield LeftThing(sentence(capital(part)), tuple(closing))


def _is_put_off(part: str, closing: Sequence[str], wishes: Sequence[str]) -> bool:
    """Whether a part of a message says that its thing is for another day, or is somebody's turn: an order with a time,
    or what the agent spoke of, or the user asked for right before, and a time."""
    if len(part.split()) > _PART_WORDS or part.endswith("?") or put_off.is_left_for_later(part):
        return False
    if put_off.FINISHES_LATER.search(part):
        return False  # All of it is: that is told in the user's words.
    if put_off.is_their_turn(part):
        return True
    thing = put_off.at_another_time(part)
    is_spoken_of = 0 < len(thing.split()) <= _FEW_WORDS and any(stems(thing) & stems(one) for one in closing)
    is_spoken_of = is_spoken_of or (bool(stems(thing)) and any(stems(thing) <= stems(one) for one in wishes))
    wish = as_task(_BY_ME.sub("", thing))
    return bool(thing) and (is_task(wish) or (is_spoken_of and not cues.FAREWELL.fullmatch(thing)))


def _is_heard(part: str, turn: StoryTurn) -> bool:
    """Whether the agent did in its answer what the user said that somebody has to do."""
    wanted = stems(part)
    told = [one for one in turn.closing if cues.TELLS_PAST.match(one) and not cues.TELLS_LEFT.search(one)]
    told = [one for one in told if not put_off.acknowledges([one])]
    return any(0 < min(2, len(wanted)) <= len(stems(one) & wanted) for one in told)
