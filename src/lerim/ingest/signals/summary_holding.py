"""What holds of what an agent told: nobody refused it, took it back, ruled it out or changed it since.

Only here a sentence is held against the rest of the session, so that nobody further on has to doubt what is told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from lerim.glance import seldom
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_changes import is_corrected
from lerim.ingest.signals.summary_moods import is_scolding
from lerim.ingest.signals.summary_rollback import rolled_back
from lerim.ingest.signals.summary_tasks import StoryTurn
from lerim.ingest.signals.summary_tellings import SEARCH_TURNS, Telling, is_deed
from lerim.ingest.signals.summary_wishes import WishFate
from lerim.ingest.signals.summary_words import stems
from lerim.ingest.signals.verdicts import HeardTurn, is_refuted, refused, rules_out

_FIGURE = re.compile(r"(?<![\w.-])\d[\d.,:]*\d|(?<![\w.-])\d")
#: Who sets anew the value that was told right before, and names nothing else.
_SETS_ANEW = re.compile(
    r"\W*(?:(?:ok(?:ay)?|no|nah|hm+|that['’]?s (?:fine|ok)|fine|good|nice|but|and|so|then|please|pls|rather|better"
    r"|actually"
    r"|let['’]?s)\W+)*(?:make|set|change|raise|lower|increase|reduce|cut|bump|put|take|do)"
    r" (?:(?:it|that|this|them|those)\b(?: to| at)? )?(?:down to |up to )?\d",
    re.IGNORECASE,
)
#: What is not wanted, at the beginning of what somebody says: a thing in few words.
_RULES_OUT = seldom(
    r"(?:^|[.!;,\n]\s+|\bbut )(?:(?:ok(?:ay)?|no|hm+|and|but|please|pls|also|better|sorry|nein|non)\W+)*"
    r"(?:no(?! longer\b)|without|(?:remove|drop|delete|undo|revert|kill|scrap|throw out|get rid of|i don['’]?t want"
    r"|we don['’]?t (?:want|need))"
    r"(?: the| any| these| those| all| that| this| your)?|kein\w*|ohne|pas de|sans(?: les?)?|sin|nada de|senza|geen) "
    r"(?P<what>[^\W\d_][\w-]{2,}(?: [^\W\d_][\w-]{2,})?)(?= (?:again|please|pls|here|at all|there|anymore|then|though"
    r"|out|bitte)\b"
    r"|\s*(?:[.!,;\n]|$))"
    r"|(?:^|[.!;,\n]\s+)take (?:the |that |those )?(?P<out>[^\W\d_][\w-]{2,}) out\b",
    re.IGNORECASE,
)


def that_hold(
    tellings: Sequence[Telling], turns: Sequence[StoryTurn], fate: WishFate, still: Collection[str]
) -> list[Telling]:
    """What the agent tells and nobody refused, took back, ruled out, changed or put off since; not what it says is
    `still` to do."""
    gone, unwanted = _figures_given_up(turns), _ruled_out(turns)
    undone = rolled_back(turns)
    never = _refused(turns) | _no_causes(tellings, turns)
    tellings = [
        one
        for one in tellings
        if one.turn not in fate.scrapped and (one.turn, one.text) not in never and not _is_over(one, turns, gone)
    ]
    found = sorted((one for one in tellings if one.is_found), key=lambda one: one.turn)
    return _with_leads(
        one
        for one in tellings
        if one.text not in still
        and not _is_overtaken(one, turns, found)
        and not _is_ruled_out(one, unwanted)
        and not _is_changed(one, turns, fate)
        and not _is_undone(one, fate)
        and not any(back.undoes(one) for back in undone)
    )


def _is_undone(telling: Telling, fate: WishFate) -> bool:
    """Whether nothing is left of the change that it tells."""
    return telling.turn in fate.undone and not telling.is_cause and is_deed(telling.text)


def _with_leads(tellings: Iterable[Telling]) -> list[Telling]:
    """The tellings, each that speaks of the one before it together with that, where both hold."""
    told = {(one.turn, one.text): one for one in tellings}
    leads = {(one.turn, one.lead) for one in told.values() if one.lead}
    return [
        one
        for at, one in told.items()
        if at not in leads and (not one.lead or ((lead := told.get((one.turn, one.lead))) and not lead.lead))
    ]


def _is_overtaken(telling: Telling, turns: Sequence[StoryTurn], found: Sequence[Telling]) -> bool:
    """Whether something was only suspected, or taken for the reason, before the agent found the cause."""
    after = next((one for one in found if one.turn > telling.turn), None)
    if after is None or after.turn - telling.turn > SEARCH_TURNS or cues.TELLS_DEED.match(telling.text):
        return False
    # What it was not, once it is known what it was, is only taken for why.
    if cues.SUSPECTS.search(telling.text) or rules_out(telling.text):
        return True
    # Work between the two is another matter's.
    is_same = not any(turn.edits for turn in turns[telling.turn : after.turn])
    return is_same and not telling.is_cause and cues.CAUSE.search(telling.text) is not None


def _is_changed(telling: Telling, turns: Sequence[StoryTurn], fate: WishFate) -> bool:
    """Whether the user set a value that it tells anew, or put right what it speaks of; a cause stays one."""
    if telling.is_found:
        return False
    after = turns[telling.turn + 1].text if telling.turn + 1 < len(turns) else ""
    is_old = any(telling.turn < one.turn and one.is_in(telling.text) for one in fate.changes)
    is_old = is_old or (_is_state(telling.text) and _SETS_ANEW.match(after) is not None)
    fixed = fate.fixed
    return is_old or (
        fixed is not None and telling.turn < fixed.turn and is_corrected(telling.text, fate.wish, fixed.text)
    )


def _is_over(telling: Telling, turns: Sequence[StoryTurn], gone: Sequence[tuple[int, frozenset[str]]]) -> bool:
    """Whether the user refused what the agent tells as a cause, or gave it up later."""
    after = turns[telling.turn + 1].text if telling.turn + 1 < len(turns) else ""
    is_claim = cues.FOUND.search(telling.text) or cues.SUSPECTS.search(telling.text)
    is_refused = is_claim is not None and cues.DISPUTES.match(after) is not None
    # What is said to be mended, and is not.
    is_refused = is_refused or (not telling.is_cause and is_deed(telling.text) and is_scolding(after))
    later = [figures for turn, figures in gone if turn > telling.turn]
    return is_refused or (bool(later) and any(map(frozenset(_FIGURE.findall(telling.text)).intersection, later)))


def _refused(turns: Sequence[StoryTurn]) -> set[tuple[int, str]]:
    """What the agent said that it does, and the user's next words refuse: it did not come about."""
    return {
        (number, one)
        for number, (turn, after) in enumerate(pairwise(turns))
        for one in refused(turn.closing, after.text, is_stopped=turn.is_rejected)
    }


def _no_causes(tellings: Sequence[Telling], turns: Sequence[StoryTurn]) -> set[tuple[int, str]]:
    """The causes that were told and turned out to be none, and what was said of each in the same message."""
    found: set[tuple[int, str]] = set()
    for telling in tellings:
        if not telling.is_cause and cues.SUSPECTS.search(telling.text) is None:
            continue
        turn = turns[telling.turn]
        place, said = next(
            ((at, said) for at, reply in enumerate(turn.replies) if telling.text in (said := turn.told(reply))), (0, [])
        )
        later_on = [HeardTurn(one.text, one.replies) for one in turns[telling.turn + 1 :][:SEARCH_TURNS]]
        if is_refuted(telling.text, HeardTurn(turn.text, turn.replies[place:]), later_on):
            found |= {(telling.turn, one) for one in said if one == telling.text or not is_deed(one)}
    return found


def _is_ruled_out(telling: Telling, unwanted: Sequence[tuple[int, frozenset[str]]]) -> bool:
    """Whether the user did not want later what it tells as done."""
    later = [thing for turn, thing in unwanted if turn > telling.turn]
    if not later or telling.is_cause or not is_deed(telling.text):
        return False
    told = stems(telling.text)
    return any(thing <= told for thing in later)


def _ruled_out(turns: Sequence[StoryTurn]) -> list[tuple[int, frozenset[str]]]:
    """In which turn the user does not want what: "no retries", "take the banner out"."""
    return [
        (number, thing)
        for number, turn in enumerate(turns)
        for found in _RULES_OUT.finditer(turn.text)
        if (thing := stems(found["what"] or found["out"]))
    ]


def _figures_given_up(turns: Sequence[StoryTurn]) -> list[tuple[int, frozenset[str]]]:
    """In which turn the user gives up which figures: "forget the 20"."""
    return [
        (number, figures)
        for number, turn in enumerate(turns)
        for gone in cues.GIVES_UP.finditer(turn.text)
        if (figures := frozenset(_FIGURE.findall(gone[0])))
    ]


def _is_state(statement: str) -> bool:
    """Whether a sentence says which value holds: over, when the user sets another one next."""
    is_told = is_deed(statement) or re.match(r"now\b", statement, re.IGNORECASE) is not None
    return is_told and _FIGURE.search(statement) is not None
